/* SPDX-License-Identifier: MIT */
#ifndef PHX_EXECUTE_H
#define PHX_EXECUTE_H

#include "maps.h"
#include "area.h"
#include "log.h"
#include "pool.h"
#include "ops/matmul/stream.h"

/* What batches need of a context, kept between them. */
struct phx_engine {
    struct phx_pool pool;
    struct phx_maps maps;
    struct phx_log log;
    struct phx_area tables;  /* the batch at hand */
    struct phx_area scratch; /* of its ops */
    struct phx_vtcm vtcm;    /* empty before start */
    struct phx_stream *streams; /* one for each thread; NULL before start */
};

/* Checks and runs a batch and fills in the response, of which at most n_response bytes are there. Returns 0, or
 * DSP_EBADPARM when the response has no room for the records: then nothing was run. One caller at a time. */
int phx_execute(struct phx_engine *engine, const void *batch, size_t n_batch, void *response, size_t n_response);

#endif
