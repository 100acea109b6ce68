/* SPDX-License-Identifier: MIT
 *
 * fuzz_requests N SEED [digest]: sends N requests, most of them mutated, through the FastRPC ABI by both transports.
 *
 * A finding is a sanitizer report, a dead or silent PD, a result other than 0 and 0x8000040e, a refused valid request,
 * an inconsistent response, or a byte changed beyond the size given to the skel. Statuses are counted and printed as
 * JSON. Every SESSION requests the skel is reopened, and its first requests find a workspace that is too small.
 *
 * Between them there are packets in any order, some twice (packets.h), and requests that change while they are read
 * (changing.h).
 *
 * The program is linked with the loopback.
 * DSP_LIBRARY_PATH selects the skel as usual, so a skel for another engine can be fuzzed with the same requests. With
 * `digest`, the program does nothing that depends on time or on the engine, and prints a hash of all answers and buffer
 * contents: two engines must print the same.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../pyhexagon/_ffi/cdef/remote.h"
#include "../../pyhexagon/_ffi/cdef/rpcmem.h"
#include "changing.h"
#include "describe.h"
#include "packets.h"
#include "requests.h"
#include "user_kernels.h"

#define URI "file:///libpyhexagon_skel.so?pyhexagon_skel_handle_invoke&_modver=1.0&_dom=cdsp"
#define SESSION 2000
#define FD_STEP 40
#define GUARD_BYTES 4096u
#define GUARD 0xa5
#define LOG_BYTES 4096u /* size given to the skel */
#define TIMEOUT_US 600000000u
#define DSP_EBADPARM ((int)0x8000040eu)
#define N_REGIONS 3

enum {
    INFO = 2,
    START,
    STOP,
    MAP_BUFFER,
    UNMAP_BUFFER,
    RUN,
    ECHO,
    SET_LOG,
    ADD_WORKSPACE = 11,
    LOAD_KERNEL = 14
};

static struct random random_state;
static uint64_t counts[PHX_E_KERNEL + 1];
static uint64_t n_refused; /* 0x8000040e without a response */
static uint64_t n_valid;
static long iteration;
static bool with_digest;
static uint64_t digest = 0xcbf29ce484222325u; /* FNV-1a over words */

/* The regions of the skel's workspace: before the last one, requests may run out of memory. */
static const uint32_t region_bytes[N_REGIONS] = {4096, 65536, 32u << 20};

static struct {
    remote_handle64 handle;
    dspqueue_t queue;          /* NULL until start */
    struct fuzz_memory shared; /* BUFFER_BYTES for the skel, then a guard that it must not touch */
    bool is_unmapped;          /* the skel has unmapped the first one */
    uint8_t *log;              /* LOG_BYTES and a guard */
    int log_fd;
    uint8_t *regions[N_REGIONS];
    int region_fds[N_REGIONS];
    int n_regions;
    uint8_t *packet; /* PACKETS_BYTES: request at 0, response at MAX_REQUEST_BYTES */
    int packet_fd;
} session;

static void finding(const char *what, uint32_t value) {
    fprintf(stderr, "finding at request %ld: %s (0x%x)\n", iteration, what, value);
    abort();
}

static void must(const char *what, int result) {
    if (result != 0) {
        finding(what, (uint32_t)result);
    }
}

/* --- Session --- */

static int call(uint32_t method, uint32_t n_in, uint32_t n_out, remote_arg *args) {
    return remote_handle64_invoke(session.handle, method << 24 | n_in << 16 | n_out << 8, args);
}

static int call_with(uint32_t method, void *in, size_t n_in) {
    remote_arg arg = {.buf = {in, n_in}};
    return call(method, n_in != 0, 0, &arg);
}

/* Allocates shared memory under the file descriptor `wanted`, whatever an engine has opened: mutated requests use
 * neighbours of it. */
static void *shared_memory(size_t n_bytes, int wanted, int32_t *fd) {
    int fillers[FD_STEP * 10], n_fillers = 0;
    while ((fillers[n_fillers] = dup(0)) < wanted) {
        n_fillers++;
    }
    close(fillers[n_fillers]);
    void *memory = rpcmem_alloc(RPCMEM_HEAP_ID_SYSTEM, RPCMEM_DEFAULT_FLAGS, (int)n_bytes);
    while (n_fillers > 0) {
        close(fillers[--n_fillers]);
    }
    if (!memory || rpcmem_to_fd(memory) != wanted) {
        finding("rpcmem_alloc", (uint32_t)rpcmem_to_fd(memory));
    }
    *fd = wanted;
    must("fastrpc_mmap", fastrpc_mmap(CDSP_DOMAIN_ID, *fd, memory, 0, n_bytes, FASTRPC_MAP_FD));
    return memory;
}

static void free_shared_memory(void *memory, int fd, size_t n_bytes) {
    must("fastrpc_munmap", fastrpc_munmap(CDSP_DOMAIN_ID, fd, memory, n_bytes));
    rpcmem_free(memory);
}

/* Sets the log ring: of every size, or none. */
static void set_log(void) {
    uint32_t n_bytes = random_below(&random_state, 4) ? 256 * random_below(&random_state, LOG_BYTES / 256 + 3)
                                                      : random_word(&random_state);
    uint32_t level = random_below(&random_state, 4) ? PHX_LOG_DEBUG : random_below(&random_state, 60);
    uint32_t arguments[3] = {(uint32_t)session.log_fd, n_bytes, level};
    int result = call_with(SET_LOG, arguments, sizeof arguments);
    bool is_ring = n_bytes >= 512 && n_bytes <= LOG_BYTES && n_bytes % 256 == 0;
    bool is_level = level >= PHX_LOG_DEBUG && level <= PHX_LOG_OFF;
    if (result != (n_bytes == 0 || (is_ring && is_level) ? 0 : DSP_EBADPARM)) {
        finding("set_log", (uint32_t)result);
    }
}

static void open_session(void) {
    struct remote_rpc_control_unsigned_module is_unsigned = {CDSP_DOMAIN_ID, 1};
    must("unsigned", remote_session_control(DSPRPC_CONTROL_UNSIGNED_MODULE, &is_unsigned, sizeof is_unsigned));
    must("open", remote_handle64_open(URI, &session.handle));
    for (int i = 0; i < N_FDS; i++) {
        session.shared.buffers[i] = shared_memory(BUFFER_BYTES + GUARD_BYTES, (2 + i) * FD_STEP,
                                                  &session.shared.fds[i]);
        memset(session.shared.buffers[i] + BUFFER_BYTES, GUARD, GUARD_BYTES);
        for (uint32_t at = 0; at < BUFFER_BYTES; at += 4) {
            uint32_t word = random_word(&random_state);
            memcpy(session.shared.buffers[i] + at, &word, 4);
        }
        must("map_buffer", call_with(MAP_BUFFER, (uint32_t[]){(uint32_t)session.shared.fds[i], BUFFER_BYTES}, 8));
    }
    session.packet = shared_memory(PACKETS_BYTES, 5 * FD_STEP, &session.packet_fd);
    session.log = shared_memory(LOG_BYTES + GUARD_BYTES, 6 * FD_STEP, &session.log_fd);
    memset(session.log + LOG_BYTES, GUARD, GUARD_BYTES);
    must("map_buffer", call_with(MAP_BUFFER, (uint32_t[]){(uint32_t)session.log_fd, LOG_BYTES}, 8));
}

static void start_session(void) {
    uint64_t id;
    must("dspqueue_create", dspqueue_create(CDSP_DOMAIN_ID, 0, 0, 0, NULL, NULL, NULL, &session.queue));
    must("dspqueue_export", dspqueue_export(session.queue, &id));
    uint32_t start[3] = {(uint32_t)id, (uint32_t)(id >> 32), random_below(&random_state, 5)};
    must("start", call_with(START, start, sizeof start));
}

static void add_region(void) {
    int i = session.n_regions++;
    uint32_t n_bytes = region_bytes[i];
    session.regions[i] = shared_memory(n_bytes, (7 + i) * FD_STEP, &session.region_fds[i]);
    must("add_workspace", call_with(ADD_WORKSPACE, (uint32_t[]){(uint32_t)session.region_fds[i], n_bytes}, 8));
}

static void close_session(void) {
    must("stop", call_with(STOP, NULL, 0));
    while (session.n_regions > 0) {
        int i = --session.n_regions;
        free_shared_memory(session.regions[i], session.region_fds[i], region_bytes[i]);
    }
    must("dspqueue_close", dspqueue_close(session.queue));
    session.queue = NULL;
    free_shared_memory(session.packet, session.packet_fd, PACKETS_BYTES);
    free_shared_memory(session.log, session.log_fd, LOG_BYTES + GUARD_BYTES);
    for (int i = 0; i < N_FDS; i++) {
        free_shared_memory(session.shared.buffers[i], session.shared.fds[i], BUFFER_BYTES + GUARD_BYTES);
    }
    must("close", remote_handle64_close(session.handle));
}

/* Sends load_kernel with blocks of the exact size. */
static int load_kernel(const uint32_t in[4], const void *name, const void *image) {
    uint8_t *blocks[3] = {malloc(16), malloc(in[2] + 1), malloc(in[3] + 1)};
    memcpy(blocks[0], in, 16);
    memcpy(blocks[1], name, in[2]);
    memcpy(blocks[2], image, in[3]);
    remote_arg args[3] = {{.buf = {blocks[0], 16}}, {.buf = {blocks[1], in[2]}}, {.buf = {blocks[2], in[3]}}};
    int result = call(LOAD_KERNEL, 3, 0, args);
    for (int i = 0; i < 3; i++) {
        free(blocks[i]);
    }
    return result;
}

static void no_finding(const char *problem) {
    if (problem) {
        finding(problem, 0);
    }
}

#ifdef FUZZ_HOOKED
int HAP_mmap_get(int fd, void **address, uint64_t *physical); /* of the loopback's shell */
int HAP_mmap_put(int fd);

static bool lies_in(int fd, size_t size, const uint8_t *data, uint32_t n_bytes) {
    void *mapped = NULL;
    uint64_t physical;
    if (HAP_mmap_get(fd, &mapped, &physical) != 0) {
        return false;
    }
    HAP_mmap_put(fd);
    const uint8_t *first = mapped;
    return data >= first && data + n_bytes <= first + size;
}

/* kernel/fuzzed.c calls these on the skel's threads. They end the program: unless these bytes lie in memory given to the skel; always. */
__attribute__((visibility("default"))) void fuzz_promise(const uint8_t *data, uint32_t n_bytes);
__attribute__((visibility("default"))) void fuzz_broken(uint32_t line);
void fuzz_promise(const uint8_t *data, uint32_t n_bytes) {
    bool is_kept = lies_in(session.log_fd, LOG_BYTES, data, n_bytes);
    for (int i = 0; i < N_FDS; i++) {
        is_kept |= lies_in(session.shared.fds[i], BUFFER_BYTES, data, n_bytes);
    }
    if (!is_kept) {
        finding("a user kernel got memory outside of all buffers", n_bytes);
    }
}

void fuzz_broken(uint32_t line) {
    finding("a promise to kernel/fuzzed.c is broken: its line", line);
}
#endif

/* --- One request --- */

static int run_by_invoke(const struct fuzz_request *request, uint8_t *response) {
    /* Blocks of the exact size, so that a sanitizer detects one byte too many. */
    uint8_t *bytes = malloc(request->n_bytes);
    uint8_t *room = malloc(request->n_response);
    memcpy(bytes, request->bytes, request->n_bytes);
    uint32_t lengths[2] = {request->n_bytes, request->n_response};
    remote_arg args[3] = {
        {.buf = {lengths, 8}}, {.buf = {bytes, request->n_bytes}}, {.buf = {room, request->n_response}}};
    int result = call(RUN, 2, 1, args);
    memcpy(response, room, request->n_response);
    free(bytes);
    free(room);
    return result;
}

/* Sends a packet and waits for its answer. */
static struct phx_message exchange(uint32_t n_buffers, struct dspqueue_buffer *buffers, const void *message,
                                   uint32_t n_message) {
    static uint8_t answer[DSPQUEUE_MAX_MESSAGE_SIZE];
    struct dspqueue_buffer answered[DSPQUEUE_MAX_BUFFERS];
    uint32_t flags;
    uint32_t n_answered;
    uint32_t n_answer;
    struct phx_message result = {0};
    must("dspqueue_write", dspqueue_write(session.queue, 0, n_buffers, buffers, n_message, message, TIMEOUT_US));
    must("dspqueue_read", dspqueue_read(session.queue, &flags, DSPQUEUE_MAX_BUFFERS, &n_answered, answered,
                                        sizeof answer, &n_answer, answer, TIMEOUT_US));
    if (n_answered != n_buffers || n_answer != n_message) {
        finding("answer of another shape", n_answer);
    }
    memcpy(&result, answer, n_answer < sizeof result ? n_answer : sizeof result);
    return result;
}

static int run_by_queue(const struct fuzz_request *request, uint8_t *response, bool is_changing) {
    struct dspqueue_buffer buffers[2] = {
        {.fd = (uint32_t)session.packet_fd, .size = request->n_bytes, .flags = DSPQUEUE_BUFFER_FLAG_REF},
        {.fd = (uint32_t)session.packet_fd,
         .offset = MAX_REQUEST_BYTES,
         .size = request->n_response ? request->n_response : 1,
         .flags = DSPQUEUE_BUFFER_FLAG_REF},
    };
    struct phx_message message = {PHX_MESSAGE_RUN, 0, (uint64_t)iteration};
    memcpy(session.packet, request->bytes, request->n_bytes);
    if (is_changing) {
        begin_changing(request->bytes, request->n_bytes, random_word(&random_state));
    }
    struct phx_message answer = exchange(2, buffers, &message, sizeof message);
    if (is_changing && end_changing() == 0) {
        finding("the skel has not read the request by fuzz_memcpy()", 0);
    }
    if (answer.sequence != message.sequence || answer.kind != message.kind) {
        finding("answer to another packet", answer.kind);
    }
    memcpy(response, session.packet + MAX_REQUEST_BYTES, request->n_response);
    return (int)answer.result;
}

/* Sends packets that are not requests: wrong kinds, lengths, numbers of buffers. The skel must answer them. */
static void send_odd_packet(void) {
    uint8_t bytes[64];
    struct dspqueue_buffer buffers[4];
    uint32_t n_message = 1 + random_below(&random_state, sizeof bytes);
    uint32_t n_buffers = random_below(&random_state, 5);
    struct phx_message message = {random_below(&random_state, 4), 0, random_word(&random_state)};
    memset(bytes, 0x5a, sizeof bytes);
    memcpy(bytes, &message, sizeof message);
    for (uint32_t i = 0; i < n_buffers; i++) {
        buffers[i] = (struct dspqueue_buffer){.fd = (uint32_t)session.packet_fd,
                                              .offset = random_below(&random_state, MAX_REQUEST_BYTES),
                                              .size = 1 + random_below(&random_state, MAX_REQUEST_BYTES)};
    }
    exchange(n_buffers, buffers, bytes, n_message);
}

/* Writes to the shared request, to its tensors and to the log ring, while the skel uses them. */
static atomic_bool scribbling;

static void *scribble(void *argument) {
    struct random *random = argument;
    while (atomic_load(&scribbling)) {
        uint32_t at = random_below(random, 512);
        ((volatile uint8_t *)session.packet)[at] ^= (uint8_t)(1u << random_below(random, 8));
        volatile uint8_t *memory = session.shared.buffers[random_below(random, N_FDS)];
        memory[random_below(random, BUFFER_BYTES)] ^= (uint8_t)(1u << random_below(random, 8));
        ((volatile uint8_t *)session.log)[random_below(random, LOG_BYTES)] = (uint8_t)random_word(random);
    }
    return NULL;
}

static bool is_right_size(const struct phx_response *response, uint32_t flags) {
    size_t threads = flags & PHX_REQUEST_THREAD_RECORDS ? response->n_threads : 0;
    size_t records = sizeof(struct phx_op_record) + threads * sizeof(struct phx_thread_record);
    return response->size == sizeof *response + response->n_records * records;
}

static void check_response(const struct fuzz_request *request, const uint8_t *bytes, bool is_scribbled) {
    struct phx_response response;
    struct phx_request header = {0};
    memcpy(&response, bytes, sizeof response);
    memcpy(&header, request->bytes, request->n_bytes < sizeof header ? request->n_bytes : sizeof header);
    bool has_records = header.flags & (PHX_REQUEST_RECORDS | PHX_REQUEST_THREAD_RECORDS);
    if (response.magic != PHX_RESPONSE_MAGIC || response.version != PHX_CONTRACT_VERSION ||
        !(is_right_size(&response, header.flags) ||
          (is_scribbled && is_right_size(&response, header.flags ^ PHX_REQUEST_THREAD_RECORDS))) ||
        response.size > request->n_response) {
        finding("malformed response", response.size);
    }
    if (response.status != PHX_OK && (response.status < PHX_E_SHORT || response.status > PHX_E_KERNEL)) {
        finding("unknown status", response.status);
    }
    if (response.status == PHX_OK && (response.failed_op != PHX_NONE || response.failed_tensor != PHX_NONE)) {
        finding("fault without a status", response.failed_op);
    }
    if (request->is_valid && session.queue && !session.is_unmapped && !is_scribbled && session.n_regions == N_REGIONS &&
        (response.status != PHX_OK || response.n_records != (has_records ? request->n_ops : 0))) {
        fprintf(stderr, "refused at op %d, tensor %d\n", (int)response.failed_op, (int)response.failed_tensor);
        describe_request(stderr, request);
        finding("valid request refused", response.status);
    }
    counts[response.status]++;
}

static void check_guards(void) {
    for (uint32_t at = 0; at < GUARD_BYTES; at++) {
        if (session.log[LOG_BYTES + at] != GUARD) {
            finding("write past the log", at);
        }
    }
    for (int i = 0; i < N_FDS; i++) {
        for (uint32_t at = 0; at < GUARD_BYTES; at++) {
            if (session.shared.buffers[i][BUFFER_BYTES + at] != GUARD) {
                finding("write past a buffer", at);
            }
        }
    }
}

static void add_to_digest(const void *bytes, size_t n_bytes) {
    for (size_t at = 0; at < n_bytes; at += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)bytes + at, 8);
        digest = (digest ^ word) * 0x100000001b3u;
        digest ^= digest >> 29;
    }
}

/* Hashes what must not depend on the engine: the answer without times and costs, and the memory. */
static void digest_answer(int result, const struct phx_response *response) {
    uint32_t words[] = {(uint32_t)result, response->status, response->failed_op, response->failed_tensor};
    if (result != 0) { /* there is no response */
        add_to_digest((uint64_t[]){(uint64_t)result}, sizeof(uint64_t));
        return;
    }
    add_to_digest(words, sizeof words);
    if (response->status == PHX_OK || response->status == PHX_E_INDEX) { /* otherwise nothing ran */
        for (int i = 0; i < N_FDS; i++) {
            add_to_digest(session.shared.buffers[i], BUFFER_BYTES);
        }
    }
}

/* Unmaps a buffer for some requests: the skel must refuse kept programs that use it, and run them again when it is
 * back. */
static void unmap_or_map(void) {
    uint32_t map[] = {(uint32_t)session.shared.fds[0], BUFFER_BYTES};
    must("map or unmap", call_with(session.is_unmapped ? MAP_BUFFER : UNMAP_BUFFER, map, session.is_unmapped ? 8 : 4));
    session.is_unmapped = !session.is_unmapped;
}

/* Sends a request whose memory changes with each read: the outcome must be that of memory that does not change. */
static void run_changing(void) {
    static struct fuzz_request request;
    static uint8_t responses[2][MAX_REQUEST_BYTES] __attribute__((aligned(8)));
    static uint8_t before[N_FDS][BUFFER_BYTES], after[N_FDS][BUFFER_BYTES];
    int results[2];
    make_definition(&random_state, &session.shared, &request);
    if (random_below(&random_state, 2)) {
        mutate_operands(&random_state, &session.shared, &request);
    }
    memset(responses, 0, sizeof responses);
    for (int i = 0; i < N_FDS; i++) {
        memcpy(before[i], session.shared.buffers[i], BUFFER_BYTES);
    }
    results[0] = run_by_queue(&request, responses[0], false);
    for (int i = 0; i < N_FDS; i++) {
        memcpy(after[i], session.shared.buffers[i], BUFFER_BYTES);
        memcpy(session.shared.buffers[i], before[i], BUFFER_BYTES);
    }
    results[1] = run_by_queue(&request, responses[1], true);
    struct phx_response *stays = (void *)responses[0], *changes = (void *)responses[1];
    if (results[0] != results[1] || stays->status != changes->status || stays->failed_op != changes->failed_op ||
        stays->failed_tensor != changes->failed_tensor || stays->n_records != changes->n_records) {
        describe_request(stderr, &request);
        finding("another outcome of a request that changes", changes->status);
    }
    for (int i = 0; i < N_FDS; i++) {
        if (memcmp(after[i], session.shared.buffers[i], BUFFER_BYTES) != 0) {
            describe_request(stderr, &request);
            finding("other results of a request that changes", (uint32_t)i);
        }
    }
    check_guards();
}

static void run_one(bool by_queue, bool is_scribbled) {
    static struct fuzz_request request;
    static uint8_t response[MAX_REQUEST_BYTES] __attribute__((aligned(8)));
    pthread_t scribbler;
    struct random scribbler_state = {random_word(&random_state)};
    if (random_below(&random_state, 3)) {
        make_definition(&random_state, &session.shared, &request);
    } else {
        make_run(&random_state, &session.shared, &request);
    }
    switch (random_below(&random_state, 6)) {
    case 0:
    case 1:
        break;
    case 2:
    case 3:
        mutate_operands(&random_state, &session.shared, &request);
        break;
    default:
        mutate_request(&random_state, &request);
    }
    n_valid += request.is_valid;
    if (is_scribbled) {
        atomic_store(&scribbling, true);
        must("pthread_create", pthread_create(&scribbler, NULL, scribble, &scribbler_state));
    }
    memset(response, 0, sizeof response);
    int result = by_queue ? run_by_queue(&request, response, false) : run_by_invoke(&request, response);
    if (is_scribbled) {
        atomic_store(&scribbling, false);
        pthread_join(scribbler, NULL);
    }
    if (result == DSP_EBADPARM && !(request.is_valid && !is_scribbled)) {
        n_refused++;
    } else if (result == 0) {
        check_response(&request, response, is_scribbled);
    } else {
        finding("result", (uint32_t)result);
    }
    if (with_digest) {
        digest_answer(result, (const void *)response);
    }
    check_guards();
    /* the next request uses other weights */
    for (int i = 0; i < 8; i++) {
        session.shared.buffers[random_below(&random_state, N_FDS)][random_below(&random_state, BUFFER_BYTES)] =
            (uint8_t)random_word(&random_state);
    }
}

static void run_session(long last) {
    open_session();
    run_one(false, false); /* not started: a valid request must fail */
    start_session();
    no_finding(begin_kernels(&random_state, load_kernel));
    while (session.n_regions < N_REGIONS) {
        for (uint32_t i = 0; i < 10 && !with_digest; i++) {
            run_one(false, false);
        }
        add_region();
    }
    for (long end = iteration + SESSION; iteration < end && iteration < last; iteration++) {
        bool by_queue = random_below(&random_state, 2);
        run_one(by_queue, by_queue && !with_digest && random_below(&random_state, 16) == 0);
        if (random_below(&random_state, session.is_unmapped ? 4 : 128) == 0) {
            unmap_or_map();
        }
        if (random_below(&random_state, 32) == 0) {
            set_log();
        }
        if (random_below(&random_state, 32) == 0) {
            no_finding(change_kernels(&random_state, load_kernel));
        }
        if (random_below(&random_state, 64) == 0) {
            send_odd_packet();
        }
        if (random_below(&random_state, 64) == 0 && !session.is_unmapped) {
            no_finding(send_packets(&random_state, session.queue, &session.shared, session.packet, session.packet_fd));
        }
        if (HAS_CHANGING_MEMORY && random_below(&random_state, 16) == 0 && !session.is_unmapped) {
            run_changing();
        }
    }
    if (session.is_unmapped) {
        unmap_or_map();
    }
    close_session();
}

/* The C names of the statuses from PHX_E_SHORT on. */
static const char *const names[] = {"SHORT", "MAGIC",  "VERSION",   "LIMIT",       "RESERVED", "BUFFER", "INDEX",
                                    "DTYPE", "LAYOUT", "SHAPE",     "STRIDE",      "ALIGN",    "RANGE",  "OVERLAP",
                                    "OP",    "PARAM",  "NO_MEMORY", "NOT_STARTED", "PROGRAM",  "PATCH",  "KERNEL"};

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: fuzz_requests N SEED [digest]\n");
        return 2;
    }
    long n = strtol(argv[1], NULL, 10);
    random_state.state = strtoull(argv[2], NULL, 10);
    with_digest = argc > 3;
    struct timespec from;
    struct timespec to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (iteration < n) {
        run_session(n);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("{\"requests\": %ld, \"seed\": %s, \"seconds\": %.1f, \"valid\": %llu, \"refused\": %llu, \"OK\": %llu", n,
           argv[2], (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
           (unsigned long long)n_valid, (unsigned long long)n_refused, (unsigned long long)counts[PHX_OK]);
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        printf(", \"%s\": %llu", names[i], (unsigned long long)counts[PHX_E_SHORT + i]);
    }
    printf(", \"digest\": \"%016llx\"}\n", (unsigned long long)digest);
    return 0;
}
