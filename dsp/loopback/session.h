/* SPDX-License-Identifier: MIT
 *
 * Sessions: one DSP process per effective domain, its handles, and its death.
 *
 * A session starts with the first open (or dspqueue_create) of its effective domain and ends when its last handle is
 * closed. Its process (the engine's PD) is created when the first skel determines the engine; it then receives the
 * mappings and queues created before. When the process dies, the session stays in a dead state until its handles are
 * closed.
 *
 * Locks, outermost first: session->open_lock (serializes open and close), session->lock (mappings, queues, and the
 * engine calls that are serialized), the state lock inside session.c (handles, counts, flags; held briefly).
 */
#ifndef LOOPBACK_SESSION_H
#define LOOPBACK_SESSION_H

#include <pthread.h>
#include <stdbool.h>

#include "abi.h"
#include "process.h"
#include "uri.h"

struct mapping;

#define MAX_NOTIFIERS 8

struct session {
    int effective;
    pthread_mutex_t open_lock;
    pthread_mutex_t lock;
    bool exists;
    bool dead;
    uint32_t live; /* open handles, plus one for all queues */
    uint32_t n_queues;
    _Atomic bool polls;       /* invokes are in poll mode (RPC_POLL_QOS) */
    uint64_t epoch;           /* incremented when the session ends */
    struct process *process;  /* NULL until a skel is opened */
    struct mapping *mappings; /* owned by mapping.c */

    bool is_unsigned; /* this and the fields below are settings, which outlive the session */
    int thread_priority;
    int thread_stack;
    int n_notifiers;
    remote_rpc_notif_register_t notifiers[MAX_NOTIFIERS];
};

/* Returns the session of an effective domain id, -1 being the default domain; NULL for an invalid number. */
struct session *session_get(int effective);

bool session_exists(struct session *session);

int session_open(const char *uri, remote_handle64 *handle);
int session_close(remote_handle64 handle);

/* Returns the session of a handle that is open (or closed but remembered); NULL for an unknown one. */
struct session *session_of(remote_handle64 handle);

/* The target of an invoke. Looking it up returns 0 with a use of the process, or the invoke's result (possibly 0:
 * process is NULL then). */
struct target {
    struct process *process;
    uint32_t module;
    uint64_t skel_handle;
};
int session_target(remote_handle64 handle, struct target *target);

/* Converts an engine call's result for the caller of the API. */
int session_result(struct process *process, int result);

/* Returns a use of the session's process, or NULL when it has none or is dead. */
struct process *session_use(struct session *session);

/* All queues of a session count as one handle. session_add_queue() starts the session if needed; queues of an earlier
 * epoch are not counted. */
int session_add_queue(struct session *session, uint64_t *epoch);
void session_remove_queue(struct session *session, uint64_t epoch);

/* Has the session report the death of its processes, for good; returns false if it has MAX_NOTIFIERS already. */
bool session_notify(struct session *session, const remote_rpc_notif_register_t *notifier);

/* Kill the DSP process (false: there is none), or tear it down with the session. */
bool session_kill(struct session *session);
void session_destroy(struct session *session);

/* invoke.c */
int session_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *args);
int errno_to_aee(int number);

#endif
