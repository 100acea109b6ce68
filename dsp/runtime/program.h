/* SPDX-License-Identifier: MIT
 *
 * A program that the skel keeps: checked copies of its tables, which the CPU can no longer change, the address of each
 * tensor, and each op ready to run.
 *
 * A run may patch the program. Only dependents of a patch are checked again: the tensors of a patched buffer, the ops
 * of a patched tensor. A run without patches checks only that its buffers are still mapped, and only if a buffer was
 * unmapped since the last run.
 */
#ifndef PHX_PROGRAM_H
#define PHX_PROGRAM_H

#include "maps.h"
#include "ops/op.h"

/* Address and size of a mapped buffer. */
struct phx_region {
    uint8_t *data;
    uint32_t size;
};

/* Reverse index: the users of item i are users[start[i]] .. users[start[i + 1] - 1]. */
struct phx_users {
    uint32_t *start;
    uint32_t *users;
};

/* A set of indices in insertion order. */
struct phx_index_set {
    uint8_t *is_marked; /* one flag per index */
    uint32_t *indices;
    uint32_t n;
};

struct phx_program {
    uint32_t n_buffers;
    uint32_t n_tensors;
    uint32_t n_ops;
    uint32_t maps_epoch; /* epoch of phx_maps at which the addresses were looked up */
    struct phx_buffer *buffers;
    struct phx_region *regions;
    struct phx_operand *operands;
    struct phx_op *ops;
    struct phx_call *calls;
    struct phx_tables *tables;    /* one per call */
    uint32_t n_lengths;           /* count of lengths patched so far */
    struct phx_users buffer_uses; /* tensors that use a buffer */
    struct phx_users tensor_uses; /* ops that use a tensor */
    uint32_t *host_writes;        /* tensor indices */
    uint32_t *host_reads;
    uint32_t n_host_writes;
    uint32_t n_host_reads;
    struct phx_index_set tensors_to_check;
    struct phx_index_set ops_to_check;
};

/* A fault: its status and location. */
struct phx_fault {
    uint32_t status; /* enum phx_status */
    uint32_t op;     /* index or PHX_NONE */
    uint32_t tensor; /* index or PHX_NONE */
};

#define PHX_NO_FAULT ((struct phx_fault){PHX_OK, PHX_NONE, PHX_NONE})

/* Returns the bytes of a definition, its header included. Its counts must be within PHX_MAX_*. */
size_t phx_definition_bytes(const struct phx_definition *definition);

/* Builds a program in the workspace from a definition: its header, already copied, and the tables that follow it (phx_definition_bytes()
 * with the header). Checks everything and invalidates cache lines of tensors that the CPU has written. Sets *program to
 * NULL on a fault. */
struct phx_fault phx_program_define(const struct phx_executor *executor, struct phx_workspace *workspace,
                                    const struct phx_maps *maps, const struct phx_definition *header,
                                    const uint8_t *tables, struct phx_program **program);

/* Looks up the buffers again if any was unmapped, applies the patches, and checks their dependents. After a fault of a
 * patch the program must not run again. */
struct phx_fault phx_program_prepare(const struct phx_executor *executor, const struct phx_maps *maps,
                                     struct phx_program *program, const uint8_t *patches, uint32_t n_patches);

void phx_program_free(struct phx_program *program);

/* check.c: check a single tensor, or op. */
uint32_t phx_check_tensor(const struct phx_tensor *tensor, const struct phx_region *region,
                          struct phx_operand *operand);
struct phx_fault phx_check_op(const struct phx_executor *executor, struct phx_program *program, uint32_t index);

#endif
