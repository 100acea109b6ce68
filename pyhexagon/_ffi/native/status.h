/* SPDX-License-Identifier: MIT
 *
 * The receiver of FastRPC's status notifications. It is in C, because a thread of libcdsprpc calls it, which must not
 * wait for the interpreter's lock. cffi reads this file.
 */

/* Attributes:
 *   domain  the effective domain id of the DSP process
 *   status  the last status of enum remote_rpc_status_flags; 0: no end of the process was reported */
struct process_status {
    int domain;
    int status;
};

/* Returns a new one with status 0, or NULL without memory. It is never freed: libcdsprpc keeps a registration for good. */
struct process_status *phx_new_status(int domain);

/* A fastrpc_notif_fn_t of remote.h, whose context is a struct process_status: stores the status there. */
int phx_store_status(void *context, int domain, int session, int status);
