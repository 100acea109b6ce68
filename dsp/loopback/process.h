/* SPDX-License-Identifier: MIT
 *
 * The processes of all sessions, as far as something concerns all of them: their lives, the CPU threads that call them,
 * the end of the CPU process.
 */
#ifndef LOOPBACK_PROCESS_H
#define LOOPBACK_PROCESS_H

#include "engine.h"

struct session;

/* A PD with its engine. Whoever calls the engine holds a use of it; the last use after its end destroys it. */
struct process {
    const struct engine *engine;
    struct engine_pd *pd;
    struct session *session;
    struct process *next; /* process.c's, like uses */
    uint32_t uses;
    bool dead;   /* session.c's, like blamed */
    bool blamed; /* one of the invokes inside at the death got 0x8000040d */
};

/* Lists it, with one use: the session's. */
void process_add(struct process *process);
void process_get(struct process *process);
void process_put(struct process *process);

/* The calling CPU thread's number for engine_call.caller. */
uint64_t process_caller(void);

/* Tells all processes that a buffer is gone, or to go on. */
void processes_forget(uint64_t memory_id);
void processes_resume(void);

/* In the child of a fork: they are the parent's. */
void processes_forked(void);

#endif
