/* SPDX-License-Identifier: MIT
 *
 * Inside of the QEMU engine: engine_qemu.c is the engine, engine_qemu_call.c runs calls over channels,
 * engine_qemu_process.c keeps the process. pd/protocol.h has what is said to it.
 */
#ifndef LOOPBACK_ENGINE_QEMU_H
#define LOOPBACK_ENGINE_QEMU_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine.h"
#include "pd/protocol.h"

struct qemu_process {
    uint32_t arch; /* of the CPU; set before the start */
    int pidfd;
    int control; /* our end of the socket pair; the PD ends when it closes */
    int log;     /* reading end of the PD's standard output and error */
    int pid;     /* for the log: the signal goes through pidfd */
    pthread_t watcher;
    uint64_t log_bytes; /* read so far; under log_lock */
    pthread_mutex_t log_lock;
    pthread_cond_t log_moved;
    atomic_bool ended;
    atomic_bool killed; /* by us: its end is no news */

    /* Called once by the watcher when the process has ended, after its last log line. */
    void (*on_end)(void *context);
    void *context;
};

/* Starts the PD program under qemu-hexagon; false with a log line when that is not possible. */
bool qemu_process_start(struct qemu_process *process);

/* Ends the process unless it has been reaped. */
void qemu_process_kill(struct qemu_process *process);

/* Waits (not for long) until the log lines that the PD had written at that count are in our log. */
void qemu_process_sync_log(struct qemu_process *process, uint64_t bytes);

/* After qemu_process_kill: waits for the end and gives everything back. */
void qemu_process_join(struct qemu_process *process);

/* --- The PD --- */

struct channel;
struct mapping;

struct engine_pd {
    struct engine_config config;
    struct qemu_process process;
    pthread_mutex_t control; /* one request on the socket at a time; guards the mappings */
    struct mapping *mappings;
    size_t n_mappings;
    uint64_t mapped_bytes;
    pthread_mutex_t channels_lock; /* never held while waiting, so that kill always gets through */
    struct channel *channels;
    atomic_bool dead;
    atomic_bool announce; /* an end is news: not killed by us, not during create */
};

/* One request on the socket, with a descriptor if fd >= 0, and its reply. */
int qemu_ask(struct engine_pd *pd, const struct pd_request *request, int fd, uint32_t *value);

/* Maps memory for invokes unless it is mapped; gives its address in the PD. */
int qemu_keep(struct engine_pd *pd, const struct engine_memory *memory, uint32_t *address);

int qemu_load(struct engine_pd *pd, uint64_t caller, const char *path, const char *entry, uint32_t *module);
int qemu_invoke(struct engine_pd *pd, const struct engine_call *call, int *result);
void qemu_caller_gone(struct engine_pd *pd, uint64_t caller);

/* Marks the PD dead and wakes every caller; frees the channels. */
void qemu_channels_kill(struct engine_pd *pd);
void qemu_channels_free(struct engine_pd *pd);

#endif
