/* SPDX-License-Identifier: MIT
 *
 * Sessions: one DSP process per effective domain, its handles, and its death.
 *
 * A session begins with the first open (or dspqueue_create) of its effective domain and ends when its last handle is
 * closed. Its process (the engine's PD) is made when the first skel tells which engine it needs; mappings and queues
 * made before that are handed to it then. When the process dies the session stays, dead, until its handles are closed.
 *
 * Locks, outermost first: session->open_lock (one open or close at a time), session->lock (mappings, queues, and the
 * engine calls that come one at a time), the state lock inside session.c (handles, counts, flags; short).
 */
#ifndef LOOPBACK_SESSION_H
#define LOOPBACK_SESSION_H

#include <pthread.h>
#include <stdbool.h>

#include "abi.h"
#include "process.h"
#include "uri.h"

struct mapping;

struct session {
    int effective;
    pthread_mutex_t open_lock;
    pthread_mutex_t lock;
    bool exists;
    bool dead;
    uint32_t live; /* handles opened and not closed, and one for all the queues */
    uint32_t n_queues;
    uint64_t epoch;           /* counts the session's ends */
    struct process *process;  /* NULL until a skel was opened */
    struct mapping *mappings; /* mapping.c */

    bool is_unsigned; /* settings: they outlive the session */
    int thread_priority;
    int thread_stack;
};

/* NULL for a number that is no effective domain id; -1 is the default domain. */
struct session *session_get(int effective);

bool session_exists(struct session *session);

int session_open(const char *uri, remote_handle64 *handle);
int session_close(remote_handle64 handle);

/* The session of a handle that is open (or closed and remembered); NULL for an unknown one. */
struct session *session_of(remote_handle64 handle);

/* Where an invoke goes. 0 with the process used, or what the invoke returns instead (0 too: process is NULL then). */
struct target {
    struct process *process;
    uint32_t module;
    uint64_t skel_handle;
};
int session_target(remote_handle64 handle, struct target *target);

/* What an engine call's result means to the caller of the API. */
int session_result(struct process *process, int result);

/* A use of the session's process, or NULL when it has none or it is dead. */
struct process *session_use(struct session *session);

/* The queues of a session count as one handle. session_add_queue begins the session if need be; a queue of an earlier
 * epoch is not counted any more. */
int session_add_queue(struct session *session, uint64_t *epoch);
void session_remove_queue(struct session *session, uint64_t epoch);

/* The DSP process dies (false: there is none), or is torn down with everything in it. */
bool session_kill(struct session *session);
void session_destroy(struct session *session);

/* invoke.c */
int session_invoke(remote_handle64 handle, uint32_t scalars, remote_arg *args);
int errno_to_aee(int number);

#endif
