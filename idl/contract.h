/* SPDX-License-Identifier: MIT
 *
 * The data that crosses from Python to the skel: a batch goes down, a response comes back.
 *
 * This one file is compiled by the DSP and by the loopback and is parsed by cffi, so it holds integer constants, enums
 * and structs of fixed-width fields only: no includes, no conditionals, no pointers. dsp/runtime/contract.h wraps it
 * with <stdint.h> and asserts every size; tests/abi asserts the same sizes on the Python side. Little endian.
 *
 * A batch is one contiguous block of memory:
 *     phx_batch | phx_buffer[n_buffers] | phx_tensor[n_tensors] | phx_op[n_ops]
 * Ops run in order. The response is
 *     phx_response | phx_op_record[n_records]
 * where n_records counts the ops that ran (all of them, or those before and including the one that failed). A batch
 * with PHX_BATCH_THREAD_RECORDS gets phx_response.n_threads phx_thread_records after each op record.
 */

#define PHX_CONTRACT_VERSION 2

#define PHX_BATCH_MAGIC 0x42584850    /* "PHXB" */
#define PHX_RESPONSE_MAGIC 0x52584850 /* "PHXR" */

#define PHX_MAX_DIMS 4
#define PHX_MAX_SRC 4
#define PHX_MAX_PARAMS 8
#define PHX_MAX_BUFFERS 1024
#define PHX_MAX_TENSORS 16384
#define PHX_MAX_OPS 8192
#define PHX_MAX_THREADS 8
#define PHX_MAX_EXPERTS 4096
#define PHX_MAX_K 1048576 /* longest row a matmul reduces over: keeps the fixed-point sums inside int32 */

#define PHX_NONE 0xffffffff /* "no tensor", "no op" */

/* Row exponent of a weight row that holds NaN or infinity: its outputs are NaN. */
#define PHX_ROW_NAN 0x7fff

/* Element types, with GGUF's (ggml_type) numbers. */
enum phx_dtype {
    PHX_F32 = 0,
    PHX_F16 = 1,
    PHX_Q4_0 = 2,
    PHX_Q4_1 = 3,
    PHX_Q5_0 = 6,
    PHX_Q5_1 = 7,
    PHX_Q8_0 = 8,
    PHX_Q2_K = 10,
    PHX_Q3_K = 11,
    PHX_Q4_K = 12,
    PHX_Q5_K = 13,
    PHX_Q6_K = 14,
    PHX_IQ4_NL = 20,
    PHX_IQ4_XS = 23,
    PHX_I32 = 26, /* ids of experts */
    PHX_BF16 = 30,
    PHX_MXFP4 = 39
};

/* How a tensor's elements lie in its buffer. */
enum phx_layout {
    PHX_LAYOUT_ROWS = 0, /* as NumPy and GGUF have them, with byte strides nb[] */
    PHX_LAYOUT_TILES = 1 /* repacked weights, matrix after matrix: docs/arithmetic.md, "Tiles"; nb[] is zero */
};

enum phx_op_code {
    /* As ggml_mul_mat: dst[i3][i2][m][n] = sum over k of src[0][i3 / r3][i2 / r2][n][k] * src[1][i3][i2][m][k], where
     * src[1]'s ne[2] is r2 and its ne[3] r3 times src[0]'s. */
    PHX_OP_MUL_MAT = 1,

    /* As ggml_mul_mat_id: dst[t][u][n] = sum over k of src[0][e][n][k] * src[1][t][u % ne[1]][k], e = src[2][t][u]. */
    PHX_OP_MUL_MAT_ID = 2
};

/* Which kernels a batch may use; ref is always there. */
enum phx_kernels {
    PHX_KERNELS_REF = 0,
    PHX_KERNELS_HVX = 1
};

/* phx_batch.flags */
enum phx_batch_flags {
    PHX_BATCH_THREAD_RECORDS = 1 /* tell what each thread did in each op */
};

/* phx_tensor.flags */
enum phx_tensor_flags {
    PHX_TENSOR_HOST_WROTE = 1 /* the host wrote it since the last batch: the DSP drops cached lines first */
};

/* Answers of the batch checker and of the kernels. 0x1000 and up, apart from every AEE code. */
enum phx_status {
    PHX_OK = 0,
    PHX_E_SHORT = 4097,      /* the batch is shorter than its header, or than its tables need */
    PHX_E_MAGIC = 4098,      /* not a batch */
    PHX_E_VERSION = 4099,    /* another contract version */
    PHX_E_LIMIT = 4100,      /* more buffers, tensors or ops than PHX_MAX_* */
    PHX_E_RESERVED = 4101,   /* a reserved field or an unknown flag is set */
    PHX_E_BUFFER = 4102,     /* a buffer's fd is not mapped in this session */
    PHX_E_INDEX = 4103,      /* a buffer or tensor index past its table, or an id that is no expert's */
    PHX_E_DTYPE = 4104,      /* unknown dtype, or not one the op takes */
    PHX_E_LAYOUT = 4105,     /* unknown layout, or not one the op takes */
    PHX_E_SHAPE = 4106,      /* zero or too many elements, K not a multiple of the block, shapes that do not fit */
    PHX_E_STRIDE = 4107,     /* strides that overlap or are not multiples of the element */
    PHX_E_ALIGN = 4108,      /* an offset that the dtype or layout forbids */
    PHX_E_RANGE = 4109,      /* the tensor reaches outside its buffer */
    PHX_E_OVERLAP = 4110,    /* dst shares memory with a source */
    PHX_E_OP = 4111,         /* unknown op code */
    PHX_E_PARAM = 4112,      /* an op parameter out of range */
    PHX_E_NO_MEMORY = 4113,  /* the DSP heap is exhausted */
    PHX_E_NOT_STARTED = 4114 /* run before start */
};

struct phx_buffer {
    int32_t fd;        /* mapped earlier with map_buffer */
    uint32_t reserved; /* zero */
};

struct phx_tensor {
    uint32_t dtype;  /* enum phx_dtype */
    uint32_t layout; /* enum phx_layout */
    uint32_t buffer; /* index into the batch's buffer table */
    uint32_t offset; /* bytes from the start of the buffer */
    uint32_t ne[4];  /* elements per dimension, innermost first (GGUF order): ne[0] = K of a weight */
    uint32_t nb[4];  /* bytes per step of each dimension (PHX_LAYOUT_ROWS) */
    uint32_t flags;  /* enum phx_tensor_flags */
    uint32_t reserved;
};

struct phx_op {
    uint32_t code; /* enum phx_op_code */
    uint32_t reserved;
    uint32_t src[4]; /* tensor indices; PHX_NONE where unused */
    uint32_t dst;
    uint32_t reserved2;
    uint32_t params[8]; /* op-specific; zero where unused */
};

struct phx_batch {
    uint32_t magic;
    uint32_t version;
    uint32_t size; /* bytes of header and tables */
    uint32_t n_buffers;
    uint32_t n_tensors;
    uint32_t n_ops;
    uint32_t kernels; /* enum phx_kernels */
    uint32_t flags;   /* enum phx_batch_flags */
    uint64_t sequence; /* comes back in the response */
};

/* What one op cost. Times are nanoseconds of the DSP's qtimer; packet counts are zero where nothing counts them. */
struct phx_op_record {
    uint32_t status;  /* enum phx_status */
    uint32_t kernels; /* enum phx_kernels: which kernel ran */
    uint32_t n_threads;
    uint32_t quantise_ns; /* of the time, quantising activations; about 4.3 s at most */
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t packets;            /* all threads */
    uint64_t packets_max_thread; /* the busiest thread */
    uint64_t hvx_instructions;   /* all threads */
    uint64_t dma_bytes;          /* moved by user DMA */
    uint64_t busy_ns;            /* all threads; zero without PHX_BATCH_THREAD_RECORDS */
};

/* What one thread did in an op. Over the threads of an op, busy_ns, packets and hvx_instructions add up to the op's
 * record. All zero for a thread that had no part in it; thread 0 always has, since it hands the work out. */
struct phx_thread_record {
    uint64_t start_ns; /* of its first and its last piece of work, within the op's */
    uint64_t end_ns;
    uint64_t busy_ns; /* between these, without waiting for other threads */
    uint64_t packets;
    uint64_t hvx_instructions;
};

struct phx_response {
    uint32_t magic;
    uint32_t version;
    uint32_t size; /* bytes of header and records */
    uint32_t status;    /* enum phx_status of the batch: the first that is not PHX_OK */
    uint32_t failed_op; /* index of the op at fault, or PHX_NONE */
    uint32_t failed_tensor; /* index of the tensor at fault, or PHX_NONE */
    uint32_t n_records;
    uint32_t n_threads;
    uint64_t sequence;
    uint64_t start_ns;
    uint64_t end_ns;
};

/* What the process domain asks of the DSP's clocks. */
enum phx_power {
    PHX_POWER_SYSTEM = 0,     /* nothing */
    PHX_POWER_LOW = 1,        /* little power: nominal clocks at most */
    PHX_POWER_PERFORMANCE = 2 /* the highest clocks under load, nominal ones when idle */
};

/* Levels of log messages: the numbers of Python's logging. */
enum phx_log_level {
    PHX_LOG_DEBUG = 10,
    PHX_LOG_INFO = 20,
    PHX_LOG_WARNING = 30,
    PHX_LOG_ERROR = 40,
    PHX_LOG_OFF = 50
};

/* A log ring is a phx_log_header in the first PHX_LOG_SLOT_BYTES and then slots of as many, each a phx_log_entry and
 * its text. Message number i lies in slot i % n_slots. The slot of message n_written may be half written, so the last
 * n_slots - 1 messages are there to be read. */
#define PHX_LOG_SLOT_BYTES 256
#define PHX_LOG_TEXT_BYTES 224

struct phx_log_header {
    uint64_t n_written; /* messages since the ring was set */
};

struct phx_log_entry {
    uint64_t number; /* of the message, from 0 */
    uint64_t time_ns;
    uint32_t level;  /* enum phx_log_level */
    uint32_t thread; /* QuRT's number */
    uint32_t n_text; /* bytes */
    uint32_t reserved;
};

/* Message of a dspqueue request and of its answer. Request buffers: [0] the batch, [1] room for the response. */
enum phx_message_kind {
    PHX_MESSAGE_RUN = 1,
    PHX_MESSAGE_ECHO = 2
};

struct phx_message {
    uint32_t kind;   /* enum phx_message_kind */
    uint32_t result; /* answer: 0 or an AEE code of the DSP; request: zero */
    uint64_t sequence;
};
