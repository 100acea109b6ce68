/* SPDX-License-Identifier: MIT */
#ifndef PHX_EXECUTE_H
#define PHX_EXECUTE_H

#include "area.h"
#include "log.h"
#include "maps.h"
#include "pool.h"
#include "program.h"
#include "vtcm.h"

/* What requests need of a context, kept between them. */
struct phx_engine {
    struct phx_pool pool;
    struct phx_maps maps;
    struct phx_log log;
    struct phx_area scratch;                        /* of the op at hand */
    struct phx_area streams;                        /* of weights, from op to op */
    struct phx_vtcm vtcm;                           /* empty before start */
    struct phx_program *programs[PHX_MAX_PROGRAMS]; /* by number; NULL: none */
};

/* Does what a request asks for and fills in the response, of which at most n_response bytes are there. Returns 0, or
 * DSP_EBADPARM when the response has no room for the records: then nothing was done. One caller at a time. */
int phx_execute(struct phx_engine *engine, const void *request, size_t n_request, void *response, size_t n_response);

/* Before the threads stop: programs are prepared for their number. */
void phx_execute_drop_all(struct phx_engine *engine);

#endif
