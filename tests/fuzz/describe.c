/* SPDX-License-Identifier: MIT */
#include "describe.h"

#include <string.h>

#include "requests.h"

static const char *name_of(uint32_t code) {
    switch (code) {
#define OP(code, NAME, ...)                                                                                            \
    case code:                                                                                                         \
        return #NAME;
#include "../../idl/ops.h"
#undef OP
    default:
        return "?";
    }
}

static void describe_operand(FILE *to, const char *role, uint32_t index, const struct phx_tensor *tensors, uint32_t n) {
    struct phx_tensor t;
    if (index >= n) {
        return;
    }
    memcpy(&t, tensors + index, sizeof t); /* the bytes of a request need not be aligned */
    fprintf(to, "  %s = tensor %u: dtype %u, layout %u, ne %ux%ux%ux%u, nb %u %u %u %u, buffer %u + %u, flags %u\n",
            role, index, t.dtype, t.layout, t.ne[0], t.ne[1], t.ne[2], t.ne[3], t.nb[0], t.nb[1], t.nb[2], t.nb[3],
            t.buffer, t.offset, t.flags);
}

void describe_request(FILE *to, const struct fuzz_request *request) {
    struct phx_request header;
    struct phx_definition definition;
    const uint8_t *at = request->bytes + sizeof header + sizeof definition;
    memcpy(&header, request->bytes, sizeof header);
    fprintf(to, "actions %u, program %u, flags %u\n", header.actions, header.program, header.flags);
    if (!(header.actions & PHX_DEFINE)) {
        return;
    }
    memcpy(&definition, request->bytes + sizeof header, sizeof definition);
    const struct phx_tensor *tensors = (const void *)(at + definition.n_buffers * sizeof(struct phx_buffer));
    const struct phx_op *ops = (const void *)(tensors + definition.n_tensors);
    for (uint32_t i = 0; i < definition.n_ops; i++) {
        struct phx_op op;
        memcpy(&op, ops + i, sizeof op);
        fprintf(to, "op %u: %s, kernels %u, flags %u\n", i, name_of(op.code), op.kernels, op.flags);
        for (int j = 0; j < PHX_MAX_SRC; j++) {
            describe_operand(to, "src", op.src[j], tensors, definition.n_tensors);
        }
        for (int j = 0; j < PHX_MAX_DST; j++) {
            describe_operand(to, "dst", op.dst[j], tensors, definition.n_tensors);
        }
    }
}
