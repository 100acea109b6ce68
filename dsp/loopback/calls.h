/* SPDX-License-Identifier: MIT
 *
 * Every exported function of the FastRPC ABI is counted, recorded and can be told to fail. A wrapper is one statement:
 *     return CALL(remote_handle_close, NULL, close_handle(h), h);
 */
#ifndef LOOPBACK_CALLS_H
#define LOOPBACK_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS(X)                                                                                                       \
    X(remote_handle_open)                                                                                              \
    X(remote_handle64_open)                                                                                            \
    X(remote_handle_invoke)                                                                                            \
    X(remote_handle64_invoke)                                                                                          \
    X(remote_handle_close)                                                                                             \
    X(remote_handle64_close)                                                                                           \
    X(remote_handle_control)                                                                                           \
    X(remote_handle64_control)                                                                                         \
    X(remote_session_control)                                                                                          \
    X(fastrpc_async_get_status)                                                                                        \
    X(fastrpc_release_async_job)                                                                                       \
    X(remote_mmap)                                                                                                     \
    X(remote_munmap)                                                                                                   \
    X(remote_mem_map)                                                                                                  \
    X(remote_mem_unmap)                                                                                                \
    X(remote_mmap64)                                                                                                   \
    X(remote_munmap64)                                                                                                 \
    X(fastrpc_mmap)                                                                                                    \
    X(fastrpc_munmap)                                                                                                  \
    X(remote_register_buf)                                                                                             \
    X(remote_register_buf_attr)                                                                                        \
    X(remote_register_buf_attr2)                                                                                       \
    X(remote_register_dma_handle)                                                                                      \
    X(remote_register_dma_handle_attr)                                                                                 \
    X(remote_register_fd)                                                                                              \
    X(remote_register_fd2)                                                                                             \
    X(remote_set_mode)                                                                                                 \
    X(rpcmem_init)                                                                                                     \
    X(rpcmem_deinit)                                                                                                   \
    X(rpcmem_alloc)                                                                                                    \
    X(rpcmem_alloc2)                                                                                                   \
    X(rpcmem_free)                                                                                                     \
    X(rpcmem_to_fd)                                                                                                    \
    X(dspqueue_create)                                                                                                 \
    X(dspqueue_close)                                                                                                  \
    X(dspqueue_export)                                                                                                 \
    X(dspqueue_request)                                                                                                \
    X(dspqueue_write_noblock)                                                                                          \
    X(dspqueue_write)                                                                                                  \
    X(dspqueue_read_noblock)                                                                                           \
    X(dspqueue_read)                                                                                                   \
    X(dspqueue_peek_noblock)                                                                                           \
    X(dspqueue_peek)                                                                                                   \
    X(dspqueue_write_early_wakeup_noblock)                                                                             \
    X(dspqueue_get_stat)                                                                                               \
    X(loopback_sync)

#define CALL_ENUM(name) CALL_##name,
enum call_id {
    CALLS(CALL_ENUM) N_CALLS
};

/* Counts the call. Returns true, with *code, if it is told to fail. */
bool call_begin(enum call_id id, int *code);
void call_end(enum call_id id, int64_t result, const char *text, const uint64_t *arguments, uint32_t n_arguments);

/* Evaluates `expression`, an int, unless the call is told to fail. Records `text` (or NULL) and up to four numbers. */
#define CALL(name, text, expression, ...)                                                                              \
    ({                                                                                                                 \
        int code_;                                                                                                     \
        const uint64_t arguments_[] = {__VA_ARGS__};                                                                   \
        if (!call_begin(CALL_##name, &code_)) {                                                                        \
            code_ = (expression);                                                                                      \
        }                                                                                                              \
        call_end(CALL_##name, code_, text, arguments_, sizeof arguments_ / sizeof arguments_[0]);                      \
        code_;                                                                                                         \
    })

/* CALL for a function that returns a pointer. */
#define CALL_POINTER(name, expression, ...)                                                                            \
    ({                                                                                                                 \
        int code_;                                                                                                     \
        void *pointer_ = NULL;                                                                                         \
        const uint64_t arguments_[] = {__VA_ARGS__};                                                                   \
        if (!call_begin(CALL_##name, &code_)) {                                                                        \
            pointer_ = (expression);                                                                                   \
        }                                                                                                              \
        call_end(CALL_##name, (int64_t)(uintptr_t)pointer_, NULL, arguments_,                                          \
                 sizeof arguments_ / sizeof arguments_[0]);                                                            \
        pointer_;                                                                                                      \
    })

/* Returns false for an unknown name. */
bool call_fail(const char *name, uint32_t nth, int code);
uint32_t call_count(const char *name);
uint32_t calls_read(char *text, uint32_t size);
void calls_clear(void);

#endif
