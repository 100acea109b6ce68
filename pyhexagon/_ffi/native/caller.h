/* SPDX-License-Identifier: MIT
 *
 * A thread that makes a session's invokes, so that whoever waits for one can have a deadline and Ctrl-C. It is in C for
 * speed: a Python thread would wait for the interpreter's lock on the way there and back. cffi reads this file.
 *
 * Both sides look for each other's word for a while before they sleep, since being woken takes longer than a small
 * product; so calls in quick succession wake nobody.
 */

/* Starts one; NULL when the system has no thread for it. */
void *phx_caller_start(void);

/* Has it call invoke(handle, scalars, arguments), remote_handle64_invoke of remote.h. It must be idle. */
void phx_caller_post(void *caller, void *invoke, uint64_t handle, uint32_t scalars, void *arguments);

/* Waits until it is idle: returns 0, and in *result what the last call returned. Returns -1 when timeout_ns have passed
 * or a signal came; the call goes on. For one thread at a time. */
int phx_caller_wait(void *caller, uint64_t timeout_ns, int *result);

/* Ends it after the call that it makes, and frees what it is: returns 0. Returns -1 as phx_caller_wait does; it is still
 * to end, and this is to be called again. */
int phx_caller_end(void *caller, uint64_t timeout_ns);
