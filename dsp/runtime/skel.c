/* SPDX-License-Identifier: MIT
 *
 * Entry of the skel: the unmarshalling of idl/pyhexagon.idl, as Qualcomm's qaic generates it. args[0] holds all in
 * scalars of a method, sequence lengths among them, laid out as members of a C struct. All out scalars share the first
 * out buffer, and each sequence has its own buffer. Wrong counts or short buffers return 0x8000040e, unknown methods
 * 0x80000414.
 */
#include "build_id.h"
#include "context.h"
#include "libc.h"

#define METHOD_OPEN 0
#define METHOD_CLOSE 1
#define METHOD_INFO 2
#define METHOD_START 3
#define METHOD_STOP 4
#define METHOD_MAP_BUFFER 5
#define METHOD_UNMAP_BUFFER 6
#define METHOD_RUN 7
#define METHOD_ECHO 8
#define METHOD_SET_LOG 9
#define METHOD_SET_POWER 10
#define METHOD_ADD_WORKSPACE 11
#define METHOD_TRY_HEAP 12
#define METHOD_PROBE 13
#define METHOD_LOAD_KERNEL 14

/* A build without CMake has no hash of the sources. */
__attribute__((weak)) const uint64_t phx_build_id = 0;

/* Converts the decimal __HEXAGON_ARCH__ (68) to the contract's 0x68. */
#ifdef __HEXAGON_ARCH__
#define ARCH (__HEXAGON_ARCH__ / 10 * 16 + __HEXAGON_ARCH__ % 10)
#else
#define ARCH 0
#endif

/* The buffer and handle counts of a scalars word: in and out buffers, in and out handles. */
#define COUNTS(in, out, in_handles, out_handles)                                                                       \
    ((uint32_t)(in) << 16 | (uint32_t)(out) << 8 | (uint32_t)(in_handles) << 4 | (uint32_t)(out_handles))

struct info {
    uint32_t contract_version;
    uint32_t arch;
    uint32_t n_threads;
    uint32_t hvx_units;
    uint32_t vtcm_bytes;
    uint32_t reserved;
    uint64_t build_id;
};
_Static_assert(sizeof(struct info) == 32, "out scalars of info");

/* Copies the first n_bytes of an in buffer. Returns false when it is shorter. */
static bool read_scalars(void *to, size_t n_bytes, const remote_arg *arg) {
    if (arg->buf.nLen < n_bytes) {
        return false;
    }
    memcpy(to, arg->buf.pv, n_bytes);
    return true;
}

static int do_open(const remote_arg *args, uint64_t *handle) {
    uint32_t n_uri;
    if (!read_scalars(&n_uri, sizeof(n_uri), &args[0]) || n_uri == 0 || args[1].buf.nLen < n_uri ||
        ((const char *)args[1].buf.pv)[n_uri - 1] != '\0') {
        return DSP_EBADPARM;
    }
    return phx_context_open(handle);
}

static int do_info(struct phx_context *context, const remote_arg *args) {
    struct info info = {.contract_version = PHX_CONTRACT_VERSION, .arch = ARCH, .build_id = phx_build_id};
    uint32_t started = __atomic_load_n(&context->n_threads, __ATOMIC_RELAXED);
    unsigned int largest_page;
    unsigned int n_pages;
    if (args[0].buf.nLen < sizeof(info)) {
        return DSP_EBADPARM;
    }
    info.n_threads = started ? started : phx_pool_device_threads();
    info.hvx_units = phx_pool_device_threads();
    if (started) {
        info.vtcm_bytes = __atomic_load_n(&context->vtcm_bytes, __ATOMIC_RELAXED);
    } else if (HAP_query_avail_VTCM(&info.vtcm_bytes, &largest_page, &n_pages) != 0) {
        info.vtcm_bytes = 0;
    }
    memcpy(args[0].buf.pv, &info, sizeof(info));
    return AEE_SUCCESS;
}

static int do_start(struct phx_context *context, const remote_arg *args) {
    uint32_t in[3];
    if (!read_scalars(in, sizeof(in), &args[0])) {
        return DSP_EBADPARM;
    }
    return phx_context_start(context, (uint64_t)in[1] << 32 | in[0], in[2]);
}

static int do_map_buffer(struct phx_context *context, const remote_arg *args) {
    uint32_t in[2];
    return read_scalars(in, sizeof(in), &args[0]) ? phx_context_map(context, (int32_t)in[0], in[1]) : DSP_EBADPARM;
}

static int do_unmap_buffer(struct phx_context *context, const remote_arg *args) {
    int32_t fd;
    return read_scalars(&fd, sizeof(fd), &args[0]) ? phx_context_unmap(context, fd) : DSP_EBADPARM;
}

/* Reads the lengths of run's and echo's arguments: lengths, in sequence, out sequence. Returns false when a buffer is
 * shorter. */
static bool read_sequences(uint32_t lengths[2], const remote_arg *args) {
    return read_scalars(lengths, 2 * sizeof(uint32_t), &args[0]) && args[1].buf.nLen >= lengths[0] &&
           args[2].buf.nLen >= lengths[1];
}

static int do_run(struct phx_context *context, const remote_arg *args) {
    uint32_t lengths[2];
    if (!read_sequences(lengths, args)) {
        return DSP_EBADPARM;
    }
    return phx_context_run(context, args[1].buf.pv, lengths[0], args[2].buf.pv, lengths[1]);
}

static int do_echo(const remote_arg *args) {
    uint32_t lengths[2];
    if (!read_sequences(lengths, args) || lengths[1] < lengths[0]) {
        return DSP_EBADPARM;
    }
    if (lengths[0]) { /* an empty sequence may have a NULL address */
        memcpy(args[2].buf.pv, args[1].buf.pv, lengths[0]);
    }
    return AEE_SUCCESS;
}

static int do_set_log(struct phx_context *context, const remote_arg *args) {
    uint32_t in[3];
    return read_scalars(in, sizeof(in), &args[0]) ? phx_context_set_log(context, (int32_t)in[0], in[1], in[2])
                                                  : DSP_EBADPARM;
}

static int do_set_power(struct phx_context *context, const remote_arg *args) {
    uint32_t power;
    return read_scalars(&power, sizeof(power), &args[0]) ? phx_context_set_power(context, power) : DSP_EBADPARM;
}

static int do_add_workspace(struct phx_context *context, const remote_arg *args) {
    uint32_t in[2];
    return read_scalars(in, sizeof(in), &args[0]) ? phx_context_add_workspace(context, (int32_t)in[0], in[1])
                                                  : DSP_EBADPARM;
}

/* Allocates one block of the heap and frees it. */
static int do_try_heap(const remote_arg *args) {
    uint32_t n_bytes;
    if (!read_scalars(&n_bytes, sizeof(n_bytes), &args[0])) {
        return DSP_EBADPARM;
    }
    void *memory = phx_malloc(n_bytes);
    phx_free(memory);
    return memory ? AEE_SUCCESS : DSP_ENOMEMORY;
}

static int do_probe(struct phx_context *context, const remote_arg *args) {
    struct phx_probe_record records[PHX_MAX_THREADS];
    struct {
        struct phx_probe_request request;
        uint32_t n_records; /* bytes */
    } in;
    if (!read_scalars(&in, sizeof(in), &args[0]) || args[1].buf.nLen < in.n_records) {
        return DSP_EBADPARM;
    }
    size_t n_bytes = in.request.n_threads * sizeof(records[0]);
    if (in.request.n_threads > PHX_MAX_THREADS || in.n_records < n_bytes) {
        return DSP_EBADPARM;
    }
    int error = phx_context_probe(context, &in.request, records);
    if (!error) {
        memcpy(args[1].buf.pv, records, n_bytes);
    }
    return error;
}

static int do_load_kernel(struct phx_context *context, const remote_arg *args) {
    struct {
        uint32_t number, is_path, n_name, n_image;
    } in;
    if (!read_scalars(&in, sizeof(in), &args[0]) || in.is_path > 1 || in.n_name == 0 || args[1].buf.nLen < in.n_name ||
        args[2].buf.nLen < in.n_image) {
        return DSP_EBADPARM;
    }
    const char *name = args[1].buf.pv, *image = args[2].buf.pv;
    if (name[in.n_name - 1] != '\0' || (in.is_path && (in.n_image == 0 || image[in.n_image - 1] != '\0'))) {
        return DSP_EBADPARM;
    }
    return phx_context_load_kernel(context, in.number, name, image, in.n_image, in.is_path);
}

/* Dispatches the methods of an open handle, 2 and up. */
static int call(struct phx_context *context, uint32_t method, uint32_t counts, const remote_arg *args) {
    static const uint32_t expected[] = {
        [METHOD_INFO] = COUNTS(0, 1, 0, 0),         [METHOD_START] = COUNTS(1, 0, 0, 0),
        [METHOD_STOP] = COUNTS(0, 0, 0, 0),         [METHOD_MAP_BUFFER] = COUNTS(1, 0, 0, 0),
        [METHOD_UNMAP_BUFFER] = COUNTS(1, 0, 0, 0), [METHOD_RUN] = COUNTS(2, 1, 0, 0),
        [METHOD_ECHO] = COUNTS(2, 1, 0, 0),         [METHOD_SET_LOG] = COUNTS(1, 0, 0, 0),
        [METHOD_SET_POWER] = COUNTS(1, 0, 0, 0),    [METHOD_ADD_WORKSPACE] = COUNTS(1, 0, 0, 0),
        [METHOD_TRY_HEAP] = COUNTS(1, 0, 0, 0),     [METHOD_PROBE] = COUNTS(1, 1, 0, 0),
        [METHOD_LOAD_KERNEL] = COUNTS(3, 0, 0, 0),
    };
    if (counts != expected[method]) {
        return DSP_EBADPARM;
    }
    switch (method) {
    case METHOD_INFO:
        return do_info(context, args);
    case METHOD_START:
        return do_start(context, args);
    case METHOD_STOP:
        return phx_context_stop(context);
    case METHOD_MAP_BUFFER:
        return do_map_buffer(context, args);
    case METHOD_UNMAP_BUFFER:
        return do_unmap_buffer(context, args);
    case METHOD_RUN:
        return do_run(context, args);
    case METHOD_ECHO:
        return do_echo(args);
    case METHOD_SET_LOG:
        return do_set_log(context, args);
    case METHOD_SET_POWER:
        return do_set_power(context, args);
    case METHOD_ADD_WORKSPACE:
        return do_add_workspace(context, args);
    case METHOD_TRY_HEAP:
        return do_try_heap(args);
    case METHOD_PROBE:
        return do_probe(context, args);
    default:
        return do_load_kernel(context, args);
    }
}

int pyhexagon_skel_handle_invoke(uint64_t handle, uint32_t scalars, remote_arg *args);

/* FastRPC calls this, from several threads at once. `handle` is a result of open; open and close receive none. */
__attribute__((visibility("default"))) int pyhexagon_skel_handle_invoke(uint64_t handle, uint32_t scalars,
                                                                        remote_arg *args) {
    uint32_t method = scalars >> 24 & 31; /* 31: the number is in args[0]; this interface has no such methods */
    uint32_t counts = scalars & 0xffffff;
    if (method == METHOD_OPEN) {
        return counts == COUNTS(2, 0, 0, 1) ? do_open(args, &args[2].h64) : DSP_EBADPARM;
    }
    if (method == METHOD_CLOSE) {
        return counts == COUNTS(0, 0, 1, 0) ? phx_context_close(args[0].h64) : DSP_EBADPARM;
    }
    if (method > METHOD_LOAD_KERNEL) {
        return DSP_EUNSUPPORTED;
    }
    struct phx_context *context = phx_context_acquire(handle);
    if (!context) {
        return DSP_EINVHANDLE;
    }
    int result = call(context, method, counts, args);
    phx_context_release(context);
    return result;
}
