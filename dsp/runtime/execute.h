/* SPDX-License-Identifier: MIT */
#ifndef PHX_EXECUTE_H
#define PHX_EXECUTE_H

#include "area.h"
#include "job_thread.h"
#include "log.h"
#include "maps.h"
#include "pool.h"
#include "program.h"
#include "user_kernels.h"
#include "vtcm.h"

/* State of a context that persists between requests. */
struct phx_engine {
    struct phx_job_thread job_thread; /* runs while the pool is started */
    struct phx_pool pool;
    struct phx_maps maps;
    struct phx_log log;
    struct phx_workspace workspace;
    struct phx_area scratch; /* scratch memory of the running op */
    struct phx_area streams; /* weight streams, which persist from op to op */
    struct phx_vtcm vtcm;    /* empty before start */
    struct phx_user_kernels user_kernels;
    bool is_dma_logged;                             /* the first failure of user DMA has been logged */
    struct phx_program *programs[PHX_MAX_PROGRAMS]; /* indexed by program number; NULL: none */
};

/* Executes a request on the job thread and writes the response, at most n_response bytes. Before start there is no job
 * thread: the caller's thread refuses the request. Returns 0, or DSP_EBADPARM without having executed anything when the
 * response has no room for the records. One caller at a time. */
int phx_execute(struct phx_engine *engine, const void *request, size_t n_request, void *response, size_t n_response);

/* Frees all programs. Call it before the threads stop, since programs are prepared for a thread count. */
void phx_execute_drop_all(struct phx_engine *engine);

#endif
