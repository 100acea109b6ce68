/* SPDX-License-Identifier: MIT
 *
 * Converts a remote_arg array for the engine, and the results back.
 */
#include <errno.h>
#include <stdlib.h>

#include "buffer.h"
#include "rates.h"
#include "session.h"

#define MAX_LENGTH 0x7fffffffu
#define FEW_ARGS 24

static uint32_t n_in(uint32_t scalars) {
    return scalars >> 16 & 0xff;
}

static uint32_t n_out(uint32_t scalars) {
    return scalars >> 8 & 0xff;
}

static uint32_t n_in_handles(uint32_t scalars) {
    return scalars >> 4 & 0xf;
}

static uint32_t n_out_handles(uint32_t scalars) {
    return scalars & 0xf;
}

/* Like convert_kernel_to_user_error: converts results in -1..-4095, which the caller would take for an errno. */
int errno_to_aee(int result) {
    static const struct {
        int number;
        int code;
    } table[] = {{EPERM, 0x4e},      {EACCES, 0x4e},   {EFAULT, 0xe},    {EINVAL, 0xe},          {EBADF, 0xe},
                 {EEXIST, 0xe},      {ECHRNG, 0xe},    {EBADFD, 0xe},    {EBADE, 0xe},           {EBADR, 0xe},
                 {EOVERFLOW, 0xe},   {EHOSTDOWN, 0xe}, {EBADMSG, 0xe},   {ENXIO, 0x43},          {ENODEV, 0x43},
                 {ENOKEY, 0x43},     {ENOMEM, 0x2},    {ENOBUFS, 0x2},   {ENOSR, 0xc},           {EDQUOT, 0xc},
                 {ETIMEDOUT, 0xc},   {EUSERS, 0xc},    {ESHUTDOWN, 0xc}, {ENOTCONN, 0x72},       {ECONNREFUSED, 0x72},
                 {ECONNRESET, 0x68}, {EPIPE, 0x68},    {EFBIG, 0x201},   {EPROTONOSUPPORT, 0x14}};
    if (result >= 0 || result < -4095) {
        return result;
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].number == -result) {
            return table[i].code;
        }
    }
    return -result > 135 ? AEE_EUNKNOWN : AEE_ERPC;
}

/* Classifies one buffer argument: shared memory, with a reference in *buffer, or ordinary memory. */
static int sort_buffer(const remote_buf *buf, struct engine_arg *arg, struct buffer **buffer) {
    *buffer = NULL;
    arg->data = buf->pv;
    arg->size = buf->nLen;
    arg->memory = NULL;
    arg->offset = 0;
    if (buf->nLen > MAX_LENGTH || (buf->pv == NULL && buf->nLen != 0)) {
        return AEE_EBADPARM;
    }
    *buffer = buf->nLen != 0 ? buffer_at(buf->pv) : NULL;
    if (*buffer == NULL) {
        return AEE_SUCCESS;
    }
    arg->memory = &(*buffer)->memory;
    arg->offset = (uint64_t)((const uint8_t *)buf->pv - (*buffer)->base);
    return buf->nLen > (*buffer)->memory.size - arg->offset ? AEE_EBADPARM : AEE_SUCCESS;
}

static int run(const struct target *target, uint32_t scalars, remote_arg *pra, struct engine_arg *args,
               struct buffer **buffers) {
    uint32_t n_buffers = n_in(scalars) + n_out(scalars);
    uint32_t n_args = n_buffers + n_in_handles(scalars) + n_out_handles(scalars);
    uint32_t sorted = 0;
    int code = AEE_SUCCESS;
    for (; sorted < n_buffers && code == AEE_SUCCESS; sorted++) {
        args[sorted].kind = sorted < n_in(scalars) ? ENGINE_IN : ENGINE_OUT;
        code = sort_buffer(&pra[sorted].buf, &args[sorted], &buffers[sorted]);
    }
    for (uint32_t i = n_buffers; i < n_args; i++) {
        bool is_in = i < n_buffers + n_in_handles(scalars);
        args[i] = (struct engine_arg){.kind = is_in ? ENGINE_IN_HANDLE : ENGINE_OUT_HANDLE};
        args[i].handle = is_in ? pra[i].h64 : 0;
    }
    int result = 0;
    if (code == AEE_SUCCESS) {
        struct engine_call call = {process_caller(), target->module, target->skel_handle, scalars, n_args, args};
        struct process *process = target->process;
        code = session_result(process, process->engine->invoke(process->pd, &call, &result));
    }
    for (uint32_t i = n_args - n_out_handles(scalars); code == AEE_SUCCESS && i < n_args; i++) {
        pra[i].h64 = args[i].handle;
    }
    for (uint32_t i = 0; i < sorted; i++) {
        if (buffers[i] != NULL) {
            buffer_put(buffers[i]);
        }
    }
    return code != AEE_SUCCESS ? code : errno_to_aee(result);
}

int session_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *pra) {
    struct target target;
    int code = session_target(handle, &target);
    if (target.process == NULL) {
        return code; /* 0 for an unknown or closed handle, as the real library returns */
    }
    rates_wait(target.process->session->polls ? RATES_POLL : RATES_INVOKE, 1);
    struct engine_arg few_args[FEW_ARGS];
    struct buffer *few_buffers[FEW_ARGS];
    struct engine_arg *args = few_args;
    struct buffer **buffers = few_buffers;
    uint32_t n_args = n_in(scalars) + n_out(scalars) + n_in_handles(scalars) + n_out_handles(scalars);
    if (n_args != 0 && pra == NULL) {
        code = AEE_EBADPARM;
    } else if (n_args > FEW_ARGS) {
        args = malloc(n_args * (sizeof *args + sizeof *buffers));
        buffers = (struct buffer **)(args + n_args);
        code = args != NULL ? AEE_SUCCESS : AEE_ENOMEMORY;
    }
    if (code == AEE_SUCCESS) {
        code = run(&target, scalars, pra, args, buffers);
    }
    if (args != few_args) {
        free(args);
    }
    process_put(target.process);
    return code;
}
