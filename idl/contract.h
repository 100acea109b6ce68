/* SPDX-License-Identifier: MIT
 *
 * The data that crosses between Python and the skel: requests and responses.
 *
 * The DSP and the loopback compile this one file and cffi parses it, so it holds only integer constants, enums and
 * structs of fixed-width fields: no includes, no conditionals, no pointers. dsp/runtime/contract.h wraps it with
 * <stdint.h>, adds the codes of idl/ops.h and asserts every size; tests/abi asserts the same sizes on the Python side.
 * Little endian.
 *
 * The unit of work is a program: ops over tensors, run in order. A request defines a program under a number, runs it,
 * drops it, or does several of these in that order. It is one contiguous block of memory:
 *     phx_request | with PHX_DEFINE: phx_definition, phx_buffer[n_buffers], phx_tensor[n_tensors], phx_op[n_ops]
 *                 | with PHX_RUN: phx_patch[n_patches]
 * The skel checks a program when it is defined and keeps the checked copy; running it again takes only the header and
 * the patches. The response is
 *     phx_response | phx_op_record[n_records]
 * with records only if the request asks for them: one for each op that ran (those from first_op to the last op, or to
 * the one that failed). With PHX_REQUEST_THREAD_RECORDS, phx_response.n_threads phx_thread_records follow each op
 * record.
 */

#define PHX_CONTRACT_VERSION 8

#define PHX_REQUEST_MAGIC 0x51584850  /* "PHXQ" */
#define PHX_RESPONSE_MAGIC 0x52584850 /* "PHXR" */

#define PHX_MAX_DIMS 4
#define PHX_MAX_SRC 8
#define PHX_MAX_DST 4
#define PHX_MAX_PARAMS 16    /* words */
#define PHX_MAX_PROGRAMS 256 /* programs that a session keeps at a time */
#define PHX_MAX_BUFFERS 1024
#define PHX_MAX_TENSORS 16384
#define PHX_MAX_OPS 8192
#define PHX_MAX_PATCHES 4096
#define PHX_MAX_THREADS 8
#define PHX_MAX_EXPERTS 4096
#define PHX_MAX_K 1048576 /* longest row a matmul reduces over: keeps the fixed-point sums inside int32 */

/* Bounds on what an op may visit, so that every request terminates: with strides of 0 a small buffer can represent an
 * unlimited number of rows. A view has at most as many elements as 4 GiB of Q4_0 hold, and as many rows as 4 GiB hold
 * at 64 bytes each. A matmul or attention does at most 2^44 multiplications: the logits of 8,192 tokens over a
 * vocabulary of 262,144 with K = 8,192, a minute on one thread. */
#define PHX_MAX_ELEMENTS 0x200000000
#define PHX_MAX_ROWS 0x4000000
#define PHX_MAX_PRODUCTS 0x100000000000

#define PHX_NONE 0xffffffff /* "no tensor", "no op" */

/* Row exponent of a weight row that contains NaN or infinity: its outputs are NaN. */
#define PHX_ROW_NAN 0x7fff

/* Element types, with GGUF's (ggml_type) numbers; GGUF has no unsigned integers. */
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
    PHX_IQ3_XXS = 18,
    PHX_IQ4_NL = 20,
    PHX_IQ2_S = 22,
    PHX_IQ4_XS = 23,
    PHX_I8 = 24, /* this and the next one: only of user kernels */
    PHX_I16 = 25,
    PHX_I32 = 26, /* expert ids, row ids, positions */
    PHX_BF16 = 30,
    PHX_MXFP4 = 39,
    PHX_NVFP4 = 40,
    PHX_U8 = 128, /* this and the next one: only of user kernels */
    PHX_U16 = 129
};

/* The memory layout of a tensor's elements. */
enum phx_layout {
    /* as in NumPy and GGUF, with byte strides nb[] in any order; a stride of 0 broadcasts. F32, F16, BF16, I32, and
     * Q8_0 and Q4_0, whose nb[0] is the step from block to block */
    PHX_LAYOUT_ROWS = 0,
    PHX_LAYOUT_TILES = 1, /* repacked weights, matrices contiguous: docs/arithmetic.md, "Tiles"; nb[] is zero */
    /* pages of the KV cache: docs/attention.md. ne = (dims of a head, KV heads, pages); nb[] is zero. Q8_0, Q4_0,
     * F16 */
    PHX_LAYOUT_CACHE = 2
};

/* The kernels that an op may use. The reference kernels are always available. A skel built for a CPU uses its own
 * vector kernels (dsp/cpu) where HVX is allowed, and reports PHX_KERNELS_CPU in its records. */
enum phx_kernels {
    PHX_KERNELS_REF = 0,
    PHX_KERNELS_HVX = 1,
    PHX_KERNELS_CPU = 2 /* in records only */
};

/* phx_op.flags */
enum phx_op_flags {
    PHX_OP_FUSED = 1, /* it may be fused with the op before it, with bit-identical results: dsp/ops/fused.c */
    /* Skip a stage, to time the rest: dsp/ops/stages.c */
    PHX_OP_NO_QUANTISE = 2, /* matmuls use zeros as activations */
    PHX_OP_NO_COMPUTE = 4,  /* matmuls do not multiply, other ops do nothing; results are not written */
    PHX_OP_DCFETCH = 8      /* matmuls of several rows prefetch activations into L1; other ops ignore it */
};

/* phx_request.actions, performed in this order */
enum phx_action {
    PHX_DEFINE = 1, /* check the program and keep it under its number, replacing an earlier one */
    PHX_RUN = 2,    /* apply the patches, which persist; then run the ops */
    PHX_DROP = 4    /* drop the program and free its number */
};

/* phx_request.flags */
enum phx_request_flags {
    PHX_REQUEST_RECORDS = 1,       /* return the cost of each op */
    PHX_REQUEST_THREAD_RECORDS = 2 /* and of each thread in it */
};

/* phx_tensor.flags: how the CPU accesses the tensor. The skel does cache maintenance for such tensors only. */
enum phx_tensor_flags {
    PHX_TENSOR_HOST_WROTE = 1,  /* the CPU has written it before the program was defined */
    PHX_TENSOR_HOST_WRITES = 2, /* the CPU may have written it before any run */
    PHX_TENSOR_HOST_READS = 4   /* the CPU reads it after a run */
};

/* The field that a patch changes. */
enum phx_patch_kind {
    PHX_PATCH_FD = 1,        /* buffers[index].fd */
    PHX_PATCH_OFFSET = 2,    /* tensors[index].offset */
    PHX_PATCH_LENGTH = 3,    /* tensors[index].ne[at] */
    PHX_PATCH_PARAM = 4,     /* ops[index].params[at] */
    PHX_PATCH_HOST_WROTE = 5 /* none: the CPU has written tensors[index] since the last run */
};

/* Results of the checker and of the kernels. They start at 0x1000, apart from every AEE code. */
enum phx_status {
    PHX_OK = 0,
    PHX_E_SHORT = 4097,    /* the request is shorter than its header and tables */
    PHX_E_MAGIC = 4098,    /* not a request */
    PHX_E_VERSION = 4099,  /* another contract version */
    PHX_E_LIMIT = 4100,    /* more buffers, tensors, ops, patches or programs than PHX_MAX_* */
    PHX_E_RESERVED = 4101, /* a reserved field or an unknown flag is set */
    PHX_E_BUFFER = 4102,   /* a buffer's fd is not mapped in this session */
    PHX_E_INDEX = 4103,    /* a buffer or tensor index beyond its table, or an invalid id of an expert, row or slot */
    PHX_E_DTYPE = 4104,    /* unknown dtype, or one that the op does not support */
    PHX_E_LAYOUT = 4105,   /* unknown layout, or one that the op does not support */
    /* zero or too many elements, K not a multiple of the block, or shapes that do not match */
    PHX_E_SHAPE = 4106,
    PHX_E_STRIDE = 4107,      /* strides that make elements overlap, or no multiples of the element size */
    PHX_E_ALIGN = 4108,       /* an offset not aligned as the dtype or layout requires */
    PHX_E_RANGE = 4109,       /* the tensor extends beyond its buffer */
    PHX_E_OVERLAP = 4110,     /* a result shares memory with a source or a result, and the op's row does not allow it */
    PHX_E_OP = 4111,          /* unknown op code */
    PHX_E_PARAM = 4112,       /* an op parameter out of range */
    PHX_E_NO_MEMORY = 4113,   /* the workspace is exhausted */
    PHX_E_NOT_STARTED = 4114, /* run before start */
    PHX_E_PROGRAM = 4115,     /* no program has this number; or the skel dropped it after a patch failed */
    PHX_E_PATCH = 4116,       /* a patch of an unknown kind, or of an item that does not exist */
    PHX_E_KERNEL = 4117       /* a user kernel returned an error: struct phx_log_note has its message */
};

struct phx_buffer {
    int32_t fd;        /* mapped earlier with map_buffer */
    uint32_t reserved; /* zero */
};

struct phx_tensor {
    uint32_t dtype;  /* enum phx_dtype */
    uint32_t layout; /* enum phx_layout */
    uint32_t buffer; /* index into the program's buffer table */
    uint32_t offset; /* bytes from the start of the buffer */
    uint32_t ne[4];  /* elements per dimension, innermost first (GGUF order): ne[0] = K of a weight */
    uint32_t nb[4];  /* bytes per step of each dimension (PHX_LAYOUT_ROWS) */
    uint32_t flags;  /* enum phx_tensor_flags */
    uint32_t reserved;
};

struct phx_op {
    uint32_t code;    /* idl/ops.h */
    uint16_t kernels; /* enum phx_kernels: the highest that it may use */
    uint16_t flags;   /* enum phx_op_flags */
    uint32_t src[8];  /* tensor indices; PHX_NONE where unused */
    uint32_t dst[4];
    uint32_t params[16]; /* the op's parameter struct; the rest is zero */
};

struct phx_definition {
    uint32_t n_buffers;
    uint32_t n_tensors;
    uint32_t n_ops;
    uint32_t reserved;
};

struct phx_patch {
    uint32_t kind; /* enum phx_patch_kind */
    uint32_t index;
    uint32_t at; /* zero where unused */
    uint32_t value;
};

struct phx_request {
    uint32_t magic;
    uint32_t version;
    uint32_t size;    /* bytes of the whole request */
    uint32_t actions; /* enum phx_action */
    uint32_t program; /* program number, below PHX_MAX_PROGRAMS */
    uint32_t flags;   /* enum phx_request_flags */
    uint32_t n_patches;
    uint32_t first_op; /* with PHX_RUN: the ops before it have run; 0 unless an earlier attempt ran out of memory */
    uint64_t sequence; /* echoed in the response */
};

/* The cost of one op. Times are in nanoseconds of the DSP's qtimer; packet counts are zero without a counter (on
 * hardware). Cycles count the DSP's clock from the start to the end of a thread's work; they are zero where user code
 * cannot read the counter (under QEMU, on a host, on boards whose system forbids it). */
struct phx_op_record {
    uint32_t status;  /* enum phx_status */
    uint32_t kernels; /* enum phx_kernels: which kernel ran */
    uint32_t n_threads;
    /* share of the time spent on preparing operands, such as quantizing activations; saturates at about 4.3 s */
    uint32_t prepare_ns;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t packets;            /* all threads */
    uint64_t packets_max_thread; /* busiest thread */
    uint64_t hvx_instructions;   /* all threads */
    uint64_t dma_bytes;          /* moved by user DMA */
    uint64_t busy_ns;            /* all threads; zero without PHX_REQUEST_THREAD_RECORDS */
    uint64_t cycles;             /* all threads */
    uint64_t cycles_max_thread;  /* of the thread with most cycles */
};

/* What one thread did in an op. Over all threads, busy_ns, packets, hvx_instructions and cycles add up to the op's
 * record. All zero for a thread without work; thread 0 always has some, since it dispatches. */
struct phx_thread_record {
    uint64_t start_ns; /* start of its first and end of its last work unit, within the op's times */
    uint64_t end_ns;
    uint64_t busy_ns; /* time between these without waiting for other threads */
    uint64_t packets;
    uint64_t hvx_instructions;
    uint64_t cycles;
};

struct phx_response {
    uint32_t magic;
    uint32_t version;
    uint32_t size;          /* bytes of header and records */
    uint32_t status;        /* enum phx_status: the first that is not PHX_OK */
    uint32_t failed_op;     /* index of the op at fault, or PHX_NONE */
    uint32_t failed_tensor; /* index of the tensor at fault, or PHX_NONE */
    uint32_t n_records;
    uint32_t n_threads;
    uint64_t sequence;
    uint64_t start_ns;
    uint64_t end_ns;
    uint64_t packets;          /* of the job thread, without waiting for others; zero without a counter */
    uint32_t n_dispatches;     /* work units dispatched to other threads */
    uint32_t n_signals;        /* sleeping threads woken: workers, and the job thread that waits for them */
    uint32_t n_dma_failures;   /* chains of DMA descriptors that stopped with an error or did not complete in time */
    uint32_t n_dma_fallbacks;  /* pieces of weights read from memory that DMA should have copied to VTCM */
    uint64_t workspace_needed; /* PHX_E_NO_MEMORY: the bytes of another region with which the failed op would go on */
};

/* Clock votes of the process domain. */
enum phx_power {
    PHX_POWER_SYSTEM = 0,      /* no vote */
    PHX_POWER_LOW = 1,         /* low power: at most nominal clocks */
    PHX_POWER_PERFORMANCE = 2, /* highest clocks under load, nominal when idle */
    PHX_POWER_BALANCED = 3,    /* nominal clocks under load, up to the highest, low when idle */
    PHX_POWER_BURST = 4        /* highest clocks always, and no sleep */
};

/* The probes of the method `probe`, which measure the hardware. A repeat is the unit of work that the request counts;
 * what a record counts as work is in brackets. Each thread has its own part of the buffer and of VTCM. */
enum phx_probe {
    PHX_PROBE_NOP = 0,           /* 2048 packets without an instruction [packets] */
    PHX_PROBE_VRMPY_CHAIN = 1,   /* 2048 packets of a vrmpy that takes the result of the one before [packets] */
    PHX_PROBE_VRMPY_PAIRS = 2,   /* 2048 packets of two vrmpy that accumulate, eight accumulators in turn [packets] */
    PHX_PROBE_LOOP_Q4_0 = 3,     /* the product's inner loop over K = 1024 from VTCM; size: rows, 1, 4 or 32, of
                                     * activations; 1: for four tiles, else for one [calls of the loop] */
    PHX_PROBE_LOOP_Q8_0 = 4,     /* as LOOP_Q4_0 */
    PHX_PROBE_LOAD_VTCM = 5,     /* vector loads from `size` bytes of VTCM [bytes] */
    PHX_PROBE_LOAD_MEMORY = 6,   /* vector loads from `size` bytes of the buffer [bytes] */
    PHX_PROBE_LOAD_FETCHED = 7,  /* as LOAD_MEMORY, with l2fetch ahead [bytes] */
    PHX_PROBE_DMA = 8,           /* a copy of `size` bytes of the buffer to VTCM by user DMA [bytes] */
    PHX_PROBE_DISPATCH_SPIN = 9, /* an empty job to threads that spin [jobs] */
    PHX_PROBE_DISPATCH_SIGNAL = 10,  /* an empty job to threads that sleep [jobs] */
    PHX_PROBE_CACHE_CLEAN = 11,      /* cleaning `size` bytes of the buffer with every line dirty [bytes] */
    PHX_PROBE_CACHE_INVALIDATE = 12, /* cleaning and invalidating such bytes [bytes] */
    PHX_PROBE_STORED_Q4_0 = 13,      /* as LOOP_Q4_0, with rows that HVX stores again before each repeat, untimed */
    PHX_PROBE_STORED_Q8_0 = 14,      /* as STORED_Q4_0 */
    PHX_PROBE_DCFETCH_Q4_0 = 15,     /* as STORED_Q4_0, with dcfetch of the next rows before each call of the loop */
    PHX_PROBE_DCFETCH_Q8_0 = 16,     /* as DCFETCH_Q4_0 */
    PHX_PROBE_DMA_SHARED = 17        /* as DMA by thread 0, while the other threads load vectors from VTCM [bytes] */
};

#define PHX_PROBE_MAX_REPEATS 65536
#define PHX_PROBE_MAX_BYTES 0x40000000 /* of all repeats of a thread */

/* What one thread measured. */
struct phx_probe_record {
    uint64_t ticks;   /* of the qtimer, 19.2 MHz */
    uint64_t cycles;  /* of the DSP's clock; zero without a counter */
    uint64_t packets; /* zero without a counter */
    uint64_t work;
};

/* Log levels, with the numbers of Python's logging. */
enum phx_log_level {
    PHX_LOG_DEBUG = 10,
    PHX_LOG_INFO = 20,
    PHX_LOG_WARNING = 30,
    PHX_LOG_ERROR = 40,
    PHX_LOG_OFF = 50
};

/* A log ring is a phx_log_header in the first PHX_LOG_SLOT_BYTES, followed by slots of the same size, each a
 * phx_log_entry and its text. Message number i is in slot i % n_slots. The slot of message n_written may be partially
 * written, so only the last n_slots - 1 messages are readable. */
#define PHX_LOG_SLOT_BYTES 256
#define PHX_LOG_TEXT_BYTES 224

struct phx_log_header {
    uint64_t n_written; /* messages since the ring was opened */
};

/* The first slot of a log ring has a note at PHX_LOG_NOTE_OFFSET: what user kernels did last. The CPU reads it after a
 * failure, and after the process domain died. */
#define PHX_LOG_NOTE_OFFSET 128
#define PHX_KERNEL_MESSAGE_BYTES 120

struct phx_log_note {
    uint32_t running; /* 1 + the number of the user kernel that is running, or 0 */
    int32_t result;   /* of the last one that failed */
    uint8_t message[120];
};

struct phx_log_entry {
    uint64_t number; /* message number, from 0 */
    uint64_t time_ns;
    uint32_t level;  /* enum phx_log_level */
    uint32_t thread; /* QuRT's thread number */
    uint32_t n_text; /* bytes */
    uint32_t reserved;
};

/* Message of a dspqueue packet and of its answer. Buffers: [0] the request, [1] memory for the response. */
enum phx_message_kind {
    PHX_MESSAGE_RUN = 1,
    PHX_MESSAGE_ECHO = 2
};

struct phx_message {
    uint32_t kind;   /* enum phx_message_kind */
    uint32_t result; /* answer: 0 or an AEE code of the DSP; request: zero */
    uint64_t sequence;
};

/* --- Products whose rows the CPU and the DSP share: docs/cpu.md --- */

/* A meeting, src[2] of a MUL_MAT or src[3] of a MUL_MAT_ID, is where CPU and DSP exchange flags and results: the CPU
 * computes the last tiles (of 64 weight rows) of the product, of a MUL_MAT_ID the last tiles of all experts. It is a
 * dense I32 vector: phx_meeting_host, phx_meeting_dsp, and for each tile of the CPU a phx_meeting_tile, behind which the
 * CPU stores the tile's results, PHX_MEETING_ROW_BYTES for each row of dst. Each part is written by one side only and
 * has cache lines of its own. */
#define PHX_MEETING_MOST_ROWS 512 /* of dst */
#define PHX_MEETING_HEAD_BYTES 128
#define PHX_MEETING_ROW_BYTES 256 /* 64 floats */
#define PHX_MEETING_MOST_PATIENCE_US 10000000

/* Written by the CPU before the run. */
struct phx_meeting_host {
    uint32_t run;         /* the number of the run: other numbers in a meeting are of earlier runs */
    uint32_t patience_us; /* how long the DSP waits for tiles of the CPU when it has computed its own */
    uint32_t grace_us;    /* how long, at most patience_us, it waits for tiles that no CPU thread has begun */
    uint32_t reserved[29];
};

/* Written by the DSP. */
struct phx_meeting_dsp {
    uint32_t reached; /* run in which the activations are complete in memory */
    uint32_t closed;  /* run in which the DSP needs no more tiles of the CPU */
    uint32_t n_taken; /* weight rows of the CPU that the DSP has computed, in the run `closed` */
    uint32_t wait_ns; /* of the thread that waited longest */
    uint32_t n_left;  /* the DSP leaves so many tiles to the CPU; it has taken the others, in the run `reached` */
    uint32_t reserved[27];
};

/* Written by the CPU. */
struct phx_meeting_tile {
    uint32_t done;  /* run in which the CPU has stored the results */
    uint32_t begun; /* run in which a CPU thread has begun to compute them; it begins tiles in order */
    uint32_t reserved[30];
};

/* --- Parameters of the ops: idl/ops.h says whose --- */

struct phx_flash_attn_ext_params {
    float scale; /* factor of q * k; finite, not negative */
    /* positions that a row attends to, its own included; bidirectional: half of them on each side. 0: all */
    uint32_t window;
    float softcap;   /* c: logits become c * tanh(logit / c); 2^-10 to 4096, or 0 for no cap */
    uint32_t slopes; /* enum phx_of_heads: contents of src[6] */
};

/* Per-head inputs: attention sinks (a logit without a value) and ALiBi slopes. */
enum phx_of_heads {
    PHX_SINKS = 0,
    PHX_SLOPES = 1,
    PHX_SINKS_AND_SLOPES = 2, /* all sinks, then all slopes */
};

struct phx_rms_norm_params {
    float eps; /* added to the mean of squares; finite, not negative */
};

struct phx_norm_params {
    float eps; /* added to the variance; finite, not negative */
};

struct phx_concat_params {
    uint32_t axis; /* index of the dimension in ne[] */
};

struct phx_scale_params {
    float scale;
    float bias;
};

struct phx_clamp_params {
    float min;
    float max;
};

struct phx_swiglu_oai_params {
    float alpha;
    float limit;
};

#define PHX_ROPE_MAX_POSITIONS 4 /* per row */

/* Which elements of a row form a pair. The first p elements are rotated. */
enum phx_rope_mode {
    PHX_ROPE_NORMAL = 0, /* 2 i and 2 i + 1 */
    PHX_ROPE_NEOX = 1    /* i and i + p / 2 */
};

struct phx_rope_params {
    uint32_t mode; /* enum phx_rope_mode */
    float scale;   /* factor of the rotated elements; 2^-8 to 2^8 */
};

struct phx_soft_max_params {
    float scale; /* factor of src[0]; from -2^64 to 2^64 */
};

struct phx_l2_norm_params {
    float eps; /* lower bound of the divisor; finite, not negative */
};

struct phx_hadamard_params {
    uint32_t n; /* length of a transform: 32, 64, 128 or 256 elements */
};

struct phx_argsort_params {
    uint32_t descending; /* 0 or 1 */
};

struct phx_gated_delta_net_params {
    float scale;         /* factor of the results; 2^-64 to 2^64 */
    uint32_t delta_rule; /* 1: subtract from v what the state has for k; 0: do not (linear attention, Mamba 2) */
};

#define PHX_MAX_USER_KERNELS 64 /* that a session has loaded at a time */

/* CALL: the number under which load_kernel loaded the kernel, and the kernel's own parameters. */
struct phx_call_params {
    uint32_t kernel;
    uint32_t words[15];
};
