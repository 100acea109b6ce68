/* SPDX-License-Identifier: MIT
 *
 * The op table: what the checker and the executor know of each op.
 */
#ifndef PHX_OPS_H
#define PHX_OPS_H

#include "ops/matmul/kept.h"
#include "pool.h"
#include "program.h"
#include "ops/matmul/stream.h"

/* What an op runs with. */
struct phx_executor {
    struct phx_pool *pool;
    struct phx_area *scratch;
    struct phx_kept *kept; /* in scratch; whoever writes there drops it */
    struct phx_stream *streams; /* one for each thread */
    uint32_t kernels; /* enum phx_kernels: the most the batch allows */
};

struct phx_op_type {
    uint32_t code; /* enum phx_op_code */
    uint32_t n_src;
    uint32_t n_params;

    /* Whether the tensors fit the op; each lies in its buffer, dst apart from the sources. Fills status and tensor. */
    struct phx_fault (*check)(const struct phx_program *program, const struct phx_op *op);

    /* Runs it and fills kernels and n_threads of the record. */
    uint32_t (*run)(const struct phx_executor *executor, const struct phx_program *program, const struct phx_op *op,
                    struct phx_op_record *record);
};

/* NULL for an unknown code. */
const struct phx_op_type *phx_op_type(uint32_t code);

struct phx_fault phx_mul_mat_check(const struct phx_program *program, const struct phx_op *op);
uint32_t phx_mul_mat_run(const struct phx_executor *executor, const struct phx_program *program,
                         const struct phx_op *op, struct phx_op_record *record);

struct phx_fault phx_mul_mat_id_check(const struct phx_program *program, const struct phx_op *op);
uint32_t phx_mul_mat_id_run(const struct phx_executor *executor, const struct phx_program *program,
                            const struct phx_op *op, struct phx_op_record *record);

#endif
