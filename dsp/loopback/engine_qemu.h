/* SPDX-License-Identifier: MIT
 *
 * Internals of the QEMU engine: engine_qemu.c implements the engine, engine_qemu_call.c runs calls over channels,
 * engine_qemu_process.c manages the process. pd/protocol.h defines the protocol.
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
    int log;     /* read end of the PD's standard output and error */
    int pid;     /* for the log only: signals go through pidfd */
    pthread_t watcher;
    uint64_t log_bytes; /* bytes read so far; protected by log_lock */
    pthread_mutex_t log_lock;
    pthread_cond_t log_moved;
    atomic_bool ended;
    atomic_bool killed; /* by us: its end is not reported */

    /* The watcher calls it once, after the process has ended and its last log line is read. */
    void (*on_end)(void *context);
    void *context;
};

/* Starts the PD program under qemu-hexagon. Returns false after logging the reason if that fails. */
bool qemu_process_start(struct qemu_process *process);

/* Kills the process unless it has been reaped. */
void qemu_process_kill(struct qemu_process *process);

/* Waits briefly until our log has the lines that the PD had written at that count. */
void qemu_process_sync_log(struct qemu_process *process, uint64_t bytes);

/* Call after qemu_process_kill(): waits for the end and releases everything. */
void qemu_process_join(struct qemu_process *process);

/* --- The PD --- */

struct channel;
struct mapping;

struct engine_pd {
    struct engine_config config;
    struct qemu_process process;
    pthread_mutex_t control; /* serializes requests on the socket and protects the mappings */
    struct mapping *mappings;
    size_t n_mappings;
    uint64_t mapped_bytes;
    pthread_mutex_t channels_lock; /* never held while waiting, so that kill never blocks on it */
    struct channel *channels;
    atomic_bool dead;
    atomic_bool announce; /* report the end: not killed by us, not during create */
};

/* Sends one request on the socket, with a descriptor if fd >= 0, and receives its reply. */
int qemu_ask(struct engine_pd *pd, const struct pd_request *request, int fd, uint32_t *value);

/* Maps memory for invokes unless it is mapped already, and returns its address in the PD. */
int qemu_keep(struct engine_pd *pd, const struct engine_memory *memory, uint32_t *address);

int qemu_load(struct engine_pd *pd, uint64_t caller, const char *path, const char *entry, uint32_t *module);
int qemu_invoke(struct engine_pd *pd, const struct engine_call *call, int *result);
void qemu_caller_gone(struct engine_pd *pd, uint64_t caller);

/* Marks the PD dead and wakes every caller; frees the channels. */
void qemu_channels_kill(struct engine_pd *pd);
void qemu_channels_free(struct engine_pd *pd);

#endif
