/* SPDX-License-Identifier: MIT
 *
 * A program that the skel keeps: its tables as they were checked, which the CPU cannot change any more, where each
 * tensor lies, and each op ready to run.
 *
 * A run may patch it. Only what depends on a patch is looked at again: a buffer's tensors, a tensor's ops. So a run
 * without patches checks nothing but that its buffers are still mapped, and that only if any was unmapped since.
 */
#ifndef PHX_PROGRAM_H
#define PHX_PROGRAM_H

#include "maps.h"
#include "ops/op.h"

/* Where a buffer is mapped. */
struct phx_place {
    uint8_t *data;
    uint32_t size;
};

/* Who uses what: those of item i are users[start[i]] .. users[start[i + 1] - 1]. */
struct phx_uses {
    uint32_t *start;
    uint32_t *users;
};

/* Indices, each at most once. */
struct phx_marked {
    uint8_t *is_marked; /* by index */
    uint32_t *indices;
    uint32_t n;
};

struct phx_program {
    uint32_t n_buffers;
    uint32_t n_tensors;
    uint32_t n_ops;
    uint32_t maps_epoch; /* of phx_maps, when the places were looked up */
    struct phx_buffer *buffers;
    struct phx_place *places;
    struct phx_operand *operands;
    struct phx_op *ops;
    struct phx_call *calls;
    struct phx_tables *tables;   /* one for each call */
    uint32_t n_lengths;          /* that were patched */
    struct phx_uses buffer_uses; /* tensors */
    struct phx_uses tensor_uses; /* ops */
    uint32_t *host_writes;       /* tensors */
    uint32_t *host_reads;
    uint32_t n_host_writes;
    uint32_t n_host_reads;
    struct phx_marked tensors_to_check;
    struct phx_marked ops_to_check;
};

/* What was wrong, and where. */
struct phx_fault {
    uint32_t status; /* enum phx_status */
    uint32_t op;     /* index or PHX_NONE */
    uint32_t tensor; /* index or PHX_NONE */
};

#define PHX_NO_FAULT ((struct phx_fault){PHX_OK, PHX_NONE, PHX_NONE})

/* Bytes of a definition, its header included; its numbers are within PHX_MAX_*. */
size_t phx_definition_bytes(const struct phx_definition *definition);

/* Copies and checks a definition: the header, which was copied before, and the tables behind it, phx_definition_bytes()
 * in all. *program is NULL if there is a fault. Lines that the CPU wrote are dropped from the cache. */
struct phx_fault phx_program_define(const struct phx_executor *executor, const struct phx_maps *maps,
                                    const struct phx_definition *header, const uint8_t *tables,
                                    struct phx_program **program);

/* Looks up the buffers if any was unmapped, applies patches, and checks what depends on them. After a fault of a patch
 * the program must not run any more. */
struct phx_fault phx_program_prepare(const struct phx_executor *executor, const struct phx_maps *maps,
                                     struct phx_program *program, const uint8_t *patches, uint32_t n_patches);

void phx_program_free(struct phx_program *program);

/* check.c: what a single tensor, or op, must satisfy. */
uint32_t phx_check_tensor(const struct phx_tensor *tensor, const struct phx_place *place, struct phx_operand *operand);
struct phx_fault phx_check_op(const struct phx_executor *executor, struct phx_program *program, uint32_t index);

#endif
