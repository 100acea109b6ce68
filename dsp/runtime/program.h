/* SPDX-License-Identifier: MIT
 *
 * A batch after the checker: a private copy that the CPU cannot change any more, and where each tensor lies.
 */
#ifndef PHX_PROGRAM_H
#define PHX_PROGRAM_H

#include "area.h"
#include "maps.h"

/* The bytes between a tensor's first and last element, whatever its strides leave out. */
struct phx_span {
    uint8_t *data;
    size_t n_bytes; /* 0 for a tensor without elements */
};

struct phx_program {
    struct phx_batch header;
    const struct phx_tensor *tensors;
    const struct phx_op *ops;
    const struct phx_span *spans; /* one per tensor */
};

/* What was wrong, and where. */
struct phx_fault {
    uint32_t status; /* enum phx_status */
    uint32_t op;     /* index or PHX_NONE */
    uint32_t tensor; /* index or PHX_NONE */
};

#define PHX_NO_FAULT ((struct phx_fault){PHX_OK, PHX_NONE, PHX_NONE})

/* Fills program->header from the batch's n_bytes and checks it, the rest of *program stays as it was. */
struct phx_fault phx_check_header(const void *batch, size_t n_bytes, struct phx_program *program);

/* After phx_check_header: copies the tables into `area` and checks everything in them. */
struct phx_fault phx_check_tables(const void *batch, const struct phx_maps *maps, struct phx_area *area,
                                  struct phx_program *program);

#endif
