/* SPDX-License-Identifier: MIT
 *
 * The exported functions of remote.h and rpcmem.h, and the loopback's own functions of loopback.h. Each wrapper counts
 * and records the call, and may fail on demand (calls.h); the implementation is elsewhere.
 */
#include "abi.h"
#include "buffer.h"
#include "calls.h"
#include "control.h"
#include "log.h"
#include "mapping.h"
#include "options.h"
#include "rates.h"
#include "session.h"

#pragma GCC visibility push(default)
#include "loopback.h"
int remote_set_mode(uint32_t mode); /* exported by the real library, but declared in no header */
#pragma GCC visibility pop

static uint64_t number(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

/* Returns the domain id, with which most control blocks begin, for the record. */
static uint64_t first_word(const void *data, uint32_t size) {
    return data != NULL && size >= 4 ? *(const uint32_t *)data : 0;
}

/* Returns the last word of a control block: the stack size in struct remote_rpc_thread_params. */
static uint64_t last_word(const void *data, uint32_t size) {
    return data != NULL && size >= 4 && size % 4 == 0 ? ((const uint32_t *)data)[size / 4 - 1] : 0;
}

/* --- Handles --- */

int remote_handle64_open(const char *name, remote_handle64 *ph) {
    return CALL(remote_handle64_open, name, session_open(name, ph));
}

int remote_handle64_invoke(remote_handle64 h, uint32_t dwScalars, remote_arg *pra) {
    return CALL(remote_handle64_invoke, NULL, session_invoke(h, dwScalars, pra), h, dwScalars);
}

int remote_handle64_close(remote_handle64 h) {
    return CALL(remote_handle64_close, NULL, session_close(h), h);
}

static int handle64_control(remote_handle64 h, uint32_t req, void *data, uint32_t datalen) {
    struct session *session = session_of(h);
    return session != NULL ? control_handle(session->effective, req, data, datalen) : AEE_EINVHANDLE;
}

int remote_handle64_control(remote_handle64 h, uint32_t req, void *data, uint32_t datalen) {
    return CALL(remote_handle64_control, NULL, handle64_control(h, req, data, datalen), h, req, datalen);
}

int remote_handle_control(uint32_t req, void *data, uint32_t datalen) {
    return CALL(remote_handle_control, NULL, control_handle(CDSP_DOMAIN_ID, req, data, datalen), req,
                first_word(data, datalen), datalen);
}

int remote_session_control(uint32_t req, void *data, uint32_t datalen) {
    return CALL(remote_session_control, NULL, control_session(req, data, datalen), req, first_word(data, datalen),
                datalen, last_word(data, datalen));
}

/* The 32-bit handles address modules without a domain, whose entry takes two arguments. The loopback has none. */
static int older_interface(void) {
    log_line("api: 32-bit handles, and skel entries of two arguments, are not supported: use remote_handle64_open");
    return AEE_EUNSUPPORTED;
}

int remote_handle_open(const char *name, remote_handle *ph) {
    (void)ph;
    return CALL(remote_handle_open, name, older_interface());
}

int remote_handle_invoke(remote_handle h, uint32_t dwScalars, remote_arg *pra) {
    (void)pra;
    return CALL(remote_handle_invoke, NULL, older_interface(), h, dwScalars);
}

int remote_handle_close(remote_handle h) {
    return CALL(remote_handle_close, NULL, AEE_EINVHANDLE, h);
}

int fastrpc_async_get_status(fastrpc_async_jobid jobid, int timeout_us, int *result) {
    (void)result;
    return CALL(fastrpc_async_get_status, NULL, AEE_EUNSUPPORTED, jobid, (uint64_t)timeout_us);
}

int fastrpc_release_async_job(fastrpc_async_jobid jobid) {
    return CALL(fastrpc_release_async_job, NULL, AEE_EUNSUPPORTED, jobid);
}

int remote_set_mode(uint32_t mode) {
    return CALL(remote_set_mode, NULL, AEE_EUNSUPPORTED, mode);
}

/* --- Mappings --- */

int fastrpc_mmap(int domain, int fd, void *addr, int offset, size_t length, enum fastrpc_map_flags flags) {
    return CALL(fastrpc_mmap, NULL, mapping_add(domain, fd, addr, offset, length, (uint32_t)flags), (uint64_t)domain,
                (uint64_t)fd, length, (uint64_t)flags);
}

int fastrpc_munmap(int domain, int fd, void *addr, size_t length) {
    (void)addr;
    return CALL(fastrpc_munmap, NULL, mapping_remove(domain, fd), (uint64_t)domain, (uint64_t)fd, length);
}

int remote_mem_map(int domain, int fd, int flags, uint64_t virtAddr, size_t size, uint64_t *remoteVirtAddr) {
    return CALL(remote_mem_map, NULL, mapping_add_remote(domain, fd, flags, virtAddr, size, remoteVirtAddr),
                (uint64_t)domain, (uint64_t)fd, size);
}

int remote_mem_unmap(int domain, uint64_t remoteVirtAddr, size_t size) {
    return CALL(remote_mem_unmap, NULL, mapping_remove_remote(domain, remoteVirtAddr, size), (uint64_t)domain,
                remoteVirtAddr, size);
}

/* Grows the DSP's heap in the real library; the heap here grows by itself. */
int remote_mmap(int fd, uint32_t flags, uint32_t vaddrin, int size, uint32_t *vaddrout) {
    (void)vaddrin;
    (void)vaddrout;
    return CALL(remote_mmap, NULL, AEE_EUNSUPPORTED, (uint64_t)fd, flags, (uint64_t)size);
}

int remote_munmap(uint32_t vaddrout, int size) {
    return CALL(remote_munmap, NULL, AEE_EUNSUPPORTED, vaddrout, (uint64_t)size);
}

int remote_mmap64(int fd, uint32_t flags, uint64_t vaddrin, int64_t size, uint64_t *vaddrout) {
    (void)vaddrin;
    (void)vaddrout;
    return CALL(remote_mmap64, NULL, AEE_EUNSUPPORTED, (uint64_t)fd, flags, (uint64_t)size);
}

int remote_munmap64(uint64_t vaddrout, int64_t size) {
    return CALL(remote_munmap64, NULL, AEE_EUNSUPPORTED, vaddrout, (uint64_t)size);
}

/* --- Registered buffers --- */

static int register_buffer(void *buf, size_t size, int fd) {
    buffer_register(buf, size, fd);
    return 0;
}

void remote_register_buf(void *buf, int size, int fd) {
    (void)CALL(remote_register_buf, NULL, register_buffer(buf, (size_t)size, fd), number(buf), (uint64_t)size,
               (uint64_t)fd);
}

void remote_register_buf_attr(void *buf, int size, int fd, int attr) {
    (void)CALL(remote_register_buf_attr, NULL, register_buffer(buf, (size_t)size, fd), number(buf), (uint64_t)size,
               (uint64_t)fd, (uint64_t)attr);
}

void remote_register_buf_attr2(void *buf, size_t size, int fd, int attr) {
    (void)CALL(remote_register_buf_attr2, NULL, register_buffer(buf, size, fd), number(buf), size, (uint64_t)fd,
               (uint64_t)attr);
}

/* Refused, because no invoke would map the handle: a skel that asks for it would find nothing. */
static int register_dma_handle(int fd, uint32_t len, uint32_t attr) {
    if (fd < 0 || len == 0 || (attr != FASTRPC_ATTR_NONE && attr != FASTRPC_ATTR_NOMAP)) {
        return AEE_EBADPARM;
    }
    log_line("api: DMA handles are not supported: map fd %d with fastrpc_mmap", fd);
    return AEE_EUNSUPPORTED;
}

int remote_register_dma_handle_attr(int fd, uint32_t len, uint32_t attr) {
    return CALL(remote_register_dma_handle_attr, NULL, register_dma_handle(fd, len, attr), (uint64_t)fd, len, attr);
}

int remote_register_dma_handle(int fd, uint32_t len) {
    return CALL(remote_register_dma_handle, NULL, register_dma_handle(fd, len, FASTRPC_ATTR_NONE), (uint64_t)fd, len);
}

void *remote_register_fd(int fd, int size) {
    return CALL_POINTER(remote_register_fd, size > 0 ? buffer_register_fd(fd, (size_t)size) : NULL, (uint64_t)fd,
                        (uint64_t)size);
}

void *remote_register_fd2(int fd, size_t size) {
    return CALL_POINTER(remote_register_fd2, buffer_register_fd(fd, size), (uint64_t)fd, size);
}

/* --- rpcmem --- */

static int start_rpcmem(void) {
    buffer_forget_all();
    buffer_allow_alloc(true);
    return 0;
}

static int stop_rpcmem(void) {
    buffer_allow_alloc(false);
    return 0;
}

static int free_buffer(void *po) {
    buffer_free(po);
    return 0;
}

void rpcmem_init(void) {
    (void)CALL(rpcmem_init, NULL, start_rpcmem(), 0);
}

void rpcmem_deinit(void) {
    (void)CALL(rpcmem_deinit, NULL, stop_rpcmem(), 0);
}

void *rpcmem_alloc(int heapid, uint32_t flags, int size) {
    return CALL_POINTER(rpcmem_alloc, size > 0 ? buffer_alloc((size_t)size) : NULL, (uint64_t)heapid, flags,
                        (uint64_t)size);
}

void *rpcmem_alloc2(int heapid, uint32_t flags, size_t size) {
    return CALL_POINTER(rpcmem_alloc2, buffer_alloc(size), (uint64_t)heapid, flags, size);
}

void rpcmem_free(void *po) {
    (void)CALL(rpcmem_free, NULL, free_buffer(po), number(po));
}

int rpcmem_to_fd(void *po) {
    return CALL(rpcmem_to_fd, NULL, buffer_fd(po), number(po));
}

/* --- The loopback's own functions --- */

int loopback_fail(const char *call, uint32_t nth, int code) {
    return call_fail(call, nth, code) ? AEE_SUCCESS : AEE_EBADPARM;
}

int loopback_kill(int effective_domain) {
    struct session *session = session_get(effective_domain);
    return session != NULL && session_kill(session) ? AEE_SUCCESS : AEE_ENOTINITIALIZED;
}

int loopback_stall(int effective_domain, int on) {
    struct session *session = session_get(effective_domain);
    struct process *process = session != NULL ? session_use(session) : NULL;
    if (process == NULL) {
        return AEE_ENOTINITIALIZED;
    }
    process->engine->stall(process->pd, on != 0);
    process_put(process);
    return AEE_SUCCESS;
}

int loopback_stall_at(int effective_domain, uint32_t nth) {
    struct session *session = session_get(effective_domain);
    struct process *process = session != NULL ? session_use(session) : NULL;
    if (process == NULL) {
        return AEE_ENOTINITIALIZED;
    }
    process->engine->stall_at(process->pd, nth);
    process_put(process);
    return AEE_SUCCESS;
}

int loopback_is_stalled(int effective_domain) {
    struct session *session = session_get(effective_domain);
    struct process *process = session != NULL ? session_use(session) : NULL;
    if (process == NULL) {
        return 0;
    }
    bool stalled = process->engine->is_stalled(process->pd);
    process_put(process);
    return stalled;
}

uint32_t loopback_count(const char *call) {
    return call_count(call);
}

uint32_t loopback_calls(char *text, uint32_t size) {
    return calls_read(text, size);
}

uint32_t loopback_log(char *text, uint32_t size) {
    return log_read(text, size);
}

int loopback_is_incoherent(void) {
    return option_get(OPTION_incoherent) == 1;
}

int loopback_has_rates(void) {
    return rates_are_loaded();
}

int loopback_sync(int fd, uint64_t flags) {
    return CALL(loopback_sync, NULL, buffer_sync(fd, flags), (uint64_t)fd, flags);
}

int loopback_set(const char *option, int64_t value) {
    return option != NULL && option_set(option, value) ? AEE_SUCCESS : AEE_EBADPARM;
}

void loopback_reset(void) {
    calls_clear();
    log_clear();
    options_load();
    processes_resume();
}
