/* SPDX-License-Identifier: MIT
 *
 * The probes of `pyhexagon bench silicon` (enum phx_probe of idl/contract.h): each repeats one operation and measures
 * its time and its cycles. docs/bench-silicon.md says what each of them decides.
 */
#ifndef PHX_PROBE_H
#define PHX_PROBE_H

#include "runtime/execute.h"

struct phx_probe_request {
    uint32_t kind; /* enum phx_probe */
    uint32_t n_threads;
    uint32_t n_repeats;
    uint32_t size;
    int32_t fd;
};

/* Runs a probe on the job thread and the pool's workers, and writes the record of each thread. Nothing of the request
 * is trusted: the work is bounded, and memory is that of the mapped buffer and of VTCM. One caller at a time, which is
 * also not within phx_execute(). Returns 0 or an AEE code of the DSP: DSP_EBADSTATE before start, DSP_EBADPARM for a
 * request out of its bounds, DSP_ENOSUCHMAP without the buffer, DSP_ENOMEMORY where buffer or VTCM are too small for the
 * request, DSP_EUNSUPPORTED for an unknown probe, DSP_EFAILED if user DMA failed. */
int phx_probe_run(struct phx_engine *engine, const struct phx_probe_request *request,
                  struct phx_probe_record records[PHX_MAX_THREADS]);

#endif
