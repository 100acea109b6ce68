/* SPDX-License-Identifier: MIT
 *
 * Packet queues between CPU and DSP: what a client needs of upstream's dspqueue.h, in its order and with its names,
 * and the limits of its dspqueue_shared.h.
 *
 * Plain enough that cffi parses it and a C compiler accepts it after <stddef.h> and <stdint.h>; no guard, no includes.
 * The loopback is compiled against the same file. tests/abi holds it against the recorded ABI.
 */

typedef int AEEResult;

/* Opaque. */
struct dspqueue;
typedef struct dspqueue *dspqueue_t;

/* Careful: a read with this never returns once the DSP process is dead. */
#define DSPQUEUE_TIMEOUT_NONE 0xffffffff

/* A stretch of memory mapped earlier with fastrpc_mmap; size 0 and offset 0 mean all of it. */
struct dspqueue_buffer {
    uint32_t fd;
    uint32_t size;
    uint32_t offset;
    uint32_t flags; /* enum dspqueue_buffer_flags */
    union {
        void *ptr;
        uint64_t address;
    };
};

typedef void (*dspqueue_callback_t)(dspqueue_t queue, AEEResult error, void *context);

enum dspqueue_packet_flags {
    DSPQUEUE_PACKET_FLAG_MESSAGE = 1,
    DSPQUEUE_PACKET_FLAG_BUFFERS = 2,
    DSPQUEUE_PACKET_FLAG_WAKEUP = 4,
    DSPQUEUE_PACKET_FLAG_DRIVER_READY = 8,
    DSPQUEUE_PACKET_FLAG_USER_READY = 16,
    DSPQUEUE_PACKET_FLAG_RESERVED_ZERO = 0xffe0
};

enum dspqueue_buffer_flags {
    DSPQUEUE_BUFFER_FLAG_REF = 4,
    DSPQUEUE_BUFFER_FLAG_DEREF = 8,
    DSPQUEUE_BUFFER_FLAG_FLUSH_SENDER = 16,
    DSPQUEUE_BUFFER_FLAG_INVALIDATE_SENDER = 32,
    DSPQUEUE_BUFFER_FLAG_FLUSH_RECIPIENT = 64,
    DSPQUEUE_BUFFER_FLAG_INVALIDATE_RECIPIENT = 128,
    DSPQUEUE_BUFFER_FLAG_RESERVED_ZERO = 0xffffff00
};

enum dspqueue_stat {
    DSPQUEUE_STAT_READ_QUEUE_PACKETS = 1,
    DSPQUEUE_STAT_READ_QUEUE_BYTES = 2,
    DSPQUEUE_STAT_WRITE_QUEUE_PACKETS = 3,
    DSPQUEUE_STAT_WRITE_QUEUE_BYTES = 4,
    DSPQUEUE_STAT_EARLY_WAKEUP_WAIT_TIME = 5,
    DSPQUEUE_STAT_EARLY_WAKEUP_MISSES = 6,
    DSPQUEUE_STAT_SIGNALING_PERF = 7
};

/* Values of DSPQUEUE_STAT_SIGNALING_PERF. */
#define DSPQUEUE_SIGNALING_PERF_REDUCED_SIGNALING 100
#define DSPQUEUE_SIGNALING_PERF_OPTIMIZED_SIGNALING 1000

typedef enum {
    DSPQUEUE_CREATE = 0
} dspqueue_request_req_id;

typedef struct dspqueue_create_req {
    uint64_t ctx;
    uint64_t flags;
    uint32_t req_queue_size;
    uint32_t resp_queue_size;
    uint32_t priority;
    dspqueue_callback_t packet_callback;
    dspqueue_callback_t error_callback;
    void *callback_context;
    dspqueue_t queue; /* an answer */
    uint64_t *ids;    /* an answer */
    uint32_t num_ids;
} dspqueue_create_req;

typedef struct dspqueue_request_payload {
    dspqueue_request_req_id id;
    union {
        dspqueue_create_req create;
    };
} dspqueue_request_payload;

/* Queue sizes are bytes and must be multiples of 8; 0 means the default. */
AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t req_queue_size, uint32_t resp_queue_size,
                          dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *callback_context, dspqueue_t *queue);
AEEResult dspqueue_close(dspqueue_t queue);
AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id);
int dspqueue_request(dspqueue_request_payload *req);
AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message);
AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers, struct dspqueue_buffer *buffers,
                         uint32_t message_length, const uint8_t *message, uint32_t timeout_us);
AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message);
AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                        struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                        uint8_t *message, uint32_t timeout_us);
AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length);
AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                        uint32_t timeout_us);
AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay, uint32_t packet_flags);
AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value);

/* Limits, from dspqueue_shared.h. */
#define DSPQUEUE_MAX_QUEUE_SIZE 16777216
#define DSPQUEUE_MAX_BUFFERS 64
#define DSPQUEUE_MAX_MESSAGE_SIZE 65536
#define DSPQUEUE_DEFAULT_REQ_SIZE 65536
#define DSPQUEUE_DEFAULT_RESP_SIZE 16384
#define DSPQUEUE_MAX_PROCESS_QUEUES 64
