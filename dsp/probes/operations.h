/* SPDX-License-Identifier: MIT
 *
 * The operation of each probe, between the checks of a request (probe.c) and the loops that it repeats (work.h).
 */
#ifndef PHX_PROBE_OPERATIONS_H
#define PHX_PROBE_OPERATIONS_H

#include <stdbool.h>

#include "probe.h"

struct probe {
    struct phx_engine *engine;
    struct phx_probe_request request;
    uint8_t *memory; /* of thread 0; the other threads' parts follow */
    uint32_t n_memory;
    uint8_t *vtcm;
    uint32_t n_vtcm;
    struct phx_probe_record *records;
    const struct operation *operation;
    uint32_t is_failed; /* atomic */
    uint32_t is_copied; /* atomic: thread 0 has finished its copies */
};

enum probe_memory {
    NO_MEMORY = 0,
    BUFFER = 1,
    VTCM = 2
};

/* The operation of a kind: of each thread, or of the job thread alone. */
struct operation {
    void (*of_thread)(struct probe *probe, uint32_t thread);
    void (*of_job)(struct probe *probe);
    uint32_t memory; /* enum probe_memory, or both */
    uint32_t unit;   /* of the request's size: bytes; 0 for inner loops, whose sizes are rows */
    uint32_t most;   /* the largest size, or 0 for any */
    uint32_t dtype;  /* of an inner loop's weights */
    bool is_ahead;   /* rows or bytes are fetched ahead */
    bool is_stored;  /* HVX stores the rows of an inner loop before each repeat */
};

/* Returns the operation of a kind (enum phx_probe), or NULL. */
const struct operation *phx_probe_operation(uint32_t kind);

#endif
