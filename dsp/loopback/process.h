/* SPDX-License-Identifier: MIT
 *
 * The processes of all sessions: their lifetime, the CPU threads that call them, and the exit of the CPU process.
 */
#ifndef LOOPBACK_PROCESS_H
#define LOOPBACK_PROCESS_H

#include "engine.h"

struct session;

/* A PD with its engine. Every caller of the engine holds a use; the last use after the PD's end destroys it. */
struct process {
    const struct engine *engine;
    struct engine_pd *pd;
    struct session *session;
    struct process *next; /* owned by process.c, like uses */
    uint32_t uses;
    bool dead;   /* owned by session.c, like blamed */
    bool blamed; /* one of the invokes in progress at its death got 0x8000040d */
};

/* Adds it to the list, with one use for the session. */
void process_add(struct process *process);
void process_get(struct process *process);
void process_put(struct process *process);

/* Returns the calling CPU thread's number for engine_call.caller. */
uint64_t process_caller(void);

/* Tell all processes that a buffer is gone, or to resume. */
void processes_forget(uint64_t memory_id);
void processes_resume(void);

/* In the child of a fork: forgets the processes, which are the parent's. */
void processes_forked(void);

#endif
