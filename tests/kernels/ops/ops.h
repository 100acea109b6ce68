/* SPDX-License-Identifier: MIT
 *
 * Ops on rows, called as the runtime calls them: operands with strides of all kinds, each between guard pages.
 */
#ifndef PHX_TESTS_OPS_H
#define PHX_TESTS_OPS_H

#include "kernels/harness.h"
#include "ops/all.h"

enum values {
    VALUES_NORMAL,
    VALUES_ANY_BITS,
    VALUES_ZERO,
    VALUES_TINY,    /* near the smallest normal number */
    VALUES_HUGE,    /* near the largest */
    VALUES_OUTLIER, /* one 3000 times larger */
    VALUES_SPECIAL, /* a NaN or an infinity among normal ones */
    VALUES_KINDS
};

void fill_values(uint32_t *to, uint32_t n, enum values kind);

/* An operand in memory of its own. `repeated` has one bit per dimension whose stride is 0. Rows start at any multiple
 * of the element's size, with gaps between them. */
struct placed {
    struct phx_operand operand;
    struct guarded memory;
};

struct placed place(uint32_t dtype, const uint32_t ne[4], uint32_t repeated, bool aligned);

/* Scratch memory for every op. */
#define WORK_BYTES 65536
extern uint8_t work[WORK_BYTES];

/* Runs a kernel on the first result as several threads would, with random slices. Returns the first status that is not
 * PHX_OK. */
uint32_t run_cut(phx_row_kernel kernel, const struct phx_call *call, bool by_element);

/* All weight types. */
extern const uint32_t tile_types[];
extern const uint32_t n_tile_types;

/* Returns tiles of ne[2] * ne[3] matrices with random weights of any kind. */
struct placed place_tiles(uint32_t dtype, const uint32_t ne[4]);

/* Fills an operand's whole memory; returns a random kind of values, normal numbers most often. */
void fill_placed(const struct placed *placed, enum values kind);
enum values random_kind(void);
void random_shape(uint32_t ne[4]);

/* The ops of kinds UNARY and BINARY. */
struct elementwise {
    const char *name;
    uint32_t n_src, n_params;
    phx_row_kernel ref, hvx;
};

extern const struct elementwise elementwise[];
extern const uint32_t n_elementwise;

/* Each runs one random case, and ends the program if ref and hvx differ. */
void check_elementwise(uint32_t seed); /* covers all of them in turn */
void check_rms_norm(uint32_t seed);
void check_get_rows(uint32_t seed);
void check_cpy(uint32_t seed);
void check_set_rows(uint32_t seed);
void check_rope(uint32_t seed);
void check_soft_max(uint32_t seed);
void check_l2_norm(uint32_t seed);
void check_hadamard(uint32_t seed);
void check_sum_rows(uint32_t seed);
void check_norm(uint32_t seed);
void check_concat(uint32_t seed);
void check_repeat(uint32_t seed);
void check_ssm_conv(uint32_t seed);
void check_gated_delta_net(uint32_t seed);
void check_argmax(uint32_t seed);
void check_top_k(uint32_t seed);
void check_argsort(uint32_t seed);
void check_wrong(uint32_t seed); /* always differs: a test checks how differences are reported */

/* Packets of hvx in the last case. */
extern uint32_t packets_of_case;

/* Runs ref and hvx of a call and compares all bytes of the result's memory. Restores the memory between the runs, since
 * src[0] may alias dst. */
void compare_kernels(const char *what, uint32_t seed, phx_row_kernel ref, phx_row_kernel hvx,
                     const struct phx_call *call, const struct guarded *dst, bool by_element);

#endif
