/* SPDX-License-Identifier: MIT
 *
 * TOP_K in HVX (reference: dsp/ref/top_k.c).
 *
 * Short rows: removes the maximum k times. Long rows: the first pass finds the maximum of each of 128 lanes. The k-th
 * largest of these is a lower bound of the k-th largest number of the row. The second pass tests blocks of 16 vectors
 * against that bound, and searches only blocks that reach it.
 */
#include "ops/op.h"
#include "pick.h"

PHX_DECLARE_KERNELS(top_k)

#define BLOCK 16u /* vectors */
#define BLOCK_ELEMENTS (BLOCK * HVX_LANES_I32)
#define SETS 4u /* of lanes */
#define N_LANES (SETS * HVX_LANES_I32)
#define BOUND_BITS 12 /* lower bits of the bound that are 0 */

_Static_assert(BLOCK_ELEMENTS <= REF_PICKS_CAPACITY, "what a block may add");
_Static_assert(REF_MAX_KEYS % HVX_LANES_I32 == 0, "whole vectors of keys");

/* --- Short rows: the maximum, k times --- */

/* Returns the index of the first maximum of n_vectors of keys, and replaces it by a value below all keys. */
HVX_INLINE uint32_t pop_largest(HVX_Vector *keys, uint32_t n_vectors) {
    HVX_Vector vlargest = keys[0], vat = Q6_V_vzero(), vnumber = Q6_V_vzero();
    for (uint32_t i = 1; i < n_vectors; i++) {
        vnumber = math_add_constant_i32(vnumber, HVX_LANES_I32);
        HVX_VectorPred qlarger = Q6_Q_vcmp_gt_VwVw(keys[i], vlargest);
        vlargest = Q6_Vw_vmax_VwVw(vlargest, keys[i]);
        vat = Q6_V_vmux_QVV(qlarger, vnumber, vat);
    }
    vat = Q6_Vw_vadd_VwVw(vat, hvx_lane_numbers());
    HVX_VectorPred qhas_it = Q6_Q_vcmp_eq_VwVw(vlargest, Q6_V_vsplat_R(hvx_max_i32(vlargest)));
    uint32_t at = (uint32_t)hvx_min_i32(Q6_V_vmux_QVV(qhas_it, vat, Q6_V_vsplat_R(INT32_MAX)));
    ((int32_t *)keys)[at] = HVX_KEY_MIN;
    return at;
}

/* Selects the k largest elements of a short row. */
static __attribute__((noinline)) void select_from_row(const uint8_t *x, uint32_t n, uint32_t k, HVX_Vector *keys,
                                                      struct phx_pick *picked) {
    struct span span = span_of(x, n);
    uint32_t n_vectors = span.n_vectors;
    for (uint32_t i = 0; i < n_vectors; i++) {
        keys[i] = hvx_keys(hvx_load_u(x + i * HVX_BYTES));
    }
    if (span.n_bytes) {
        keys[n_vectors++] = hvx_load_remainder_keys(span, false);
    }
    for (uint32_t i = 0; i < k; i++) {
        uint32_t at = pop_largest(keys, n_vectors);
        picked[i] = (struct phx_pick){ref_descending((uint32_t)ref_key(((const uint32_t *)x)[at])), at};
    }
}

/* Selects the k largest of n candidates, which are in the order of their indices. */
static __attribute__((noinline)) void select_from_picks(const struct phx_pick *picks, uint32_t n, uint32_t k,
                                                        HVX_Vector *keys, struct phx_pick *picked) {
    uint32_t n_vectors = (n + HVX_LANES_I32 - 1) / HVX_LANES_I32;
    keys[n_vectors - 1] = Q6_V_vsplat_R(HVX_KEY_MIN);
    for (uint32_t i = 0; i < n; i++) {
        ((uint32_t *)keys)[i] = ref_descending(picks[i].word);
    }
    for (uint32_t i = 0; i < k; i++) {
        picked[i] = picks[pop_largest(keys, n_vectors)];
    }
}

/* --- Long rows: the bound --- */

HVX_INLINE HVX_Vector largest_of_lanes_of(HVX_Vector *largest, const uint8_t *p, uint32_t n_blocks, bool are_bits,
                                          bool aligned) {
    HVX_Vector vnegative = Q6_V_vsplat_R(HVX_KEY_MIN);
    HVX_UNROLL
    for (uint32_t i = 0; i < SETS; i++) {
        largest[i] = Q6_V_vsplat_R(HVX_KEY_MIN);
    }
    for (uint32_t i = 0; i < n_blocks * (BLOCK / SETS); i++) {
        HVX_UNROLL
        for (uint32_t j = 0; j < SETS; j++) {
            HVX_Vector v = hvx_load_keys(p + j * HVX_BYTES, are_bits, aligned);
            largest[j] = Q6_Vw_vmax_VwVw(largest[j], v);
            vnegative = are_bits ? Q6_Vw_vmax_VwVw(vnegative, hvx_flip_signs(v)) : vnegative;
        }
        p += SETS * HVX_BYTES;
    }
    return vnegative;
}

/* Returns a number that at least k lanes reach: the k-th largest lane, rounded down to BOUND_BITS bits. */
HVX_INLINE int32_t bound_of(const HVX_Vector *largest, uint32_t k) {
    HVX_Vector vbound = Q6_V_vsplat_R(INT32_MIN), vone = Q6_V_vsplat_R(1);
    for (int32_t bit = 31; bit >= BOUND_BITS; bit--) {
        HVX_Vector vnext = Q6_Vw_vadd_VwVw(vbound, Q6_V_vsplat_R((int32_t)(1u << bit))), vcount = Q6_V_vzero();
        HVX_UNROLL
        for (uint32_t i = 0; i < SETS; i++) {
            HVX_VectorPred qbelow = Q6_Q_vcmp_gt_VwVw(vnext, largest[i]);
            vcount = Q6_Vw_condacc_QnVwVw(qbelow, vcount, vone);
        }
        HVX_UNROLL
        for (int32_t distance = HVX_BYTES / 2; distance >= 4; distance /= 2) {
            vcount = Q6_Vw_vadd_VwVw(vcount, Q6_V_vror_VR(vcount, distance));
        }
        HVX_VectorPred qtoo_few = Q6_Q_vcmp_gt_VwVw(Q6_V_vsplat_R((int32_t)k), vcount);
        vbound = Q6_V_vmux_QVV(qtoo_few, vbound, vnext);
    }
    return Q6_R_vextract_VR(vbound, 0);
}

/* The bound that candidates must exceed, and whether bits serve as keys. */
struct bound {
    int32_t above;
    bool are_bits;
};

/* Returns the number that values reaching the bound exceed. All keys are above INT32_MIN. */
static inline int32_t above(int32_t bound) {
    return bound > INT32_MIN ? bound - 1 : bound;
}

HVX_INLINE struct bound find_bound(const uint8_t *x, uint32_t n_blocks, uint32_t k, bool aligned) {
    HVX_Vector largest[SETS];
    HVX_Vector vnegative = largest_of_lanes_of(largest, x, n_blocks, true, aligned);
    HVX_Vector vlargest = Q6_Vw_vmax_VwVw(Q6_Vw_vmax_VwVw(largest[0], largest[1]),
                                          Q6_Vw_vmax_VwVw(largest[2], largest[3]));
    int32_t bound = bound_of(largest, k);
    return (struct bound){above(bound), hvx_bits_are_keys(bound, hvx_max_i32(vlargest), vnegative)};
}

static __attribute__((noinline)) struct bound find_bound_aligned(const uint8_t *x, uint32_t n_blocks, uint32_t k) {
    return find_bound(x, n_blocks, k, true);
}

static __attribute__((noinline)) struct bound find_bound_unaligned(const uint8_t *x, uint32_t n_blocks, uint32_t k) {
    return find_bound(x, n_blocks, k, false);
}

static __attribute__((noinline)) struct bound find_bound_of_keys(const uint8_t *x, uint32_t n_blocks, uint32_t k) {
    HVX_Vector largest[SETS];
    largest_of_lanes_of(largest, x, n_blocks, false, false);
    return (struct bound){above(bound_of(largest, k)), false};
}

/* --- Long rows: the candidates --- */

/* Returns the bitwise or of all lanes. */
HVX_INLINE uint32_t or_of_lanes(HVX_Vector v) {
    HVX_UNROLL
    for (int32_t distance = HVX_BYTES / 2; distance >= 4; distance /= 2) {
        v = Q6_V_vor_VV(v, Q6_V_vror_VR(v, distance));
    }
    return (uint32_t)Q6_R_vextract_VR(v, 0);
}

/* Returns the first of n_blocks blocks, from `block` on, with a value above the bound; n_blocks if there is none. */
HVX_INLINE uint32_t find_block(const uint8_t *x, uint32_t block, uint32_t n_blocks, int32_t above, bool are_bits,
                               bool aligned) {
    HVX_Vector vabove = Q6_V_vsplat_R(above);
    const uint8_t *p = x + block * BLOCK * HVX_BYTES;
    for (; block < n_blocks; block++) {
        HVX_Vector v[2] = {vabove, vabove};
        HVX_UNROLL
        for (uint32_t i = 0; i < BLOCK; i++) {
            v[i % 2] = Q6_Vw_vmax_VwVw(v[i % 2], hvx_load_keys(p + i * HVX_BYTES, are_bits, aligned));
        }
        if (hvx_any(Q6_Q_vcmp_gt_VwVw(Q6_Vw_vmax_VwVw(v[0], v[1]), vabove))) {
            break;
        }
        p += BLOCK * HVX_BYTES;
    }
    return block;
}

static __attribute__((noinline)) uint32_t find_block_aligned(const uint8_t *x, uint32_t block, uint32_t n_blocks,
                                                             int32_t above) {
    return find_block(x, block, n_blocks, above, true, true);
}

static __attribute__((noinline)) uint32_t find_block_unaligned(const uint8_t *x, uint32_t block, uint32_t n_blocks,
                                                               int32_t above) {
    return find_block(x, block, n_blocks, above, true, false);
}

static __attribute__((noinline)) uint32_t find_block_of_keys(const uint8_t *x, uint32_t block, uint32_t n_blocks,
                                                             int32_t above) {
    return find_block(x, block, n_blocks, above, false, false);
}

typedef uint32_t block_finder(const uint8_t *x, uint32_t block, uint32_t n_blocks, int32_t above);

/* Returns a bit mask of the lanes that are above. */
HVX_INLINE uint32_t lanes_above(HVX_Vector v, HVX_Vector vabove) {
    HVX_Vector vbit = Q6_Vw_vasl_VwVw(Q6_V_vsplat_R(1), hvx_lane_numbers());
    return or_of_lanes(Q6_V_vand_QV(Q6_Q_vcmp_gt_VwVw(v, vabove), vbit));
}

/* Appends the keys of a vector that are above the bound, in order. Its first element is x[first]. */
HVX_INLINE void add_vector(struct ref_picks *picks, HVX_Vector vkeys, const uint32_t *x, uint32_t first,
                           uint32_t offset) {
    for (uint32_t lanes = lanes_above(vkeys, Q6_V_vsplat_R(picks->above)); lanes; lanes &= lanes - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctz(lanes);
        ref_picks_add(picks, ref_key(x[index]), index + offset);
    }
}

/* Appends the keys of a block that are above the bound. */
static __attribute__((noinline)) void add_block(struct ref_picks *picks, const uint32_t *x, uint32_t first,
                                                uint32_t offset) {
    HVX_Vector vabove = Q6_V_vsplat_R(picks->above), vhits = Q6_V_vzero();
    const uint8_t *p = (const uint8_t *)(x + first);
    HVX_UNROLL
    for (uint32_t i = 0; i < BLOCK; i++) {
        HVX_VectorPred qabove = Q6_Q_vcmp_gt_VwVw(hvx_keys(hvx_load_u(p + i * HVX_BYTES)), vabove);
        vhits = Q6_V_vandor_VQR(vhits, qabove, 1 << i);
    }
    for (uint32_t hits = or_of_lanes(vhits); hits; hits &= hits - 1) {
        uint32_t vector = (uint32_t)__builtin_ctz(hits);
        add_vector(picks, hvx_keys(hvx_load_u(p + vector * HVX_BYTES)), x, first + vector * HVX_LANES_I32, offset);
    }
}

/* Appends the keys of the remainder after the last whole block. */
static __attribute__((noinline)) void add_remainder(struct ref_picks *picks, const uint32_t *x, uint32_t first,
                                                    uint32_t n, uint32_t offset) {
    struct span span = span_of((const uint8_t *)x, n);
    for (; first + HVX_LANES_I32 <= n; first += HVX_LANES_I32) {
        add_vector(picks, hvx_keys(hvx_load_u(x + first)), x, first, offset);
    }
    add_vector(picks, hvx_load_remainder_keys(span, false), x, first, offset);
}

/* --- A row, or a part of one that starts at element `offset` --- */

static void prune_if_full(struct ref_picks *picks, uint32_t n) {
    if (picks->n + n > picks->k + REF_PICKS_CAPACITY) {
        ref_picks_prune(picks);
    }
}

static void pick_of_long_row(struct ref_picks *picks, const uint32_t *x, uint32_t n, uint32_t offset) {
    uint32_t n_blocks = n / BLOCK_ELEMENTS;
    const uint8_t *p = (const uint8_t *)x;
    block_finder *find = find_block_of_keys;
    if (picks->k <= N_LANES) {
        struct bound bound = is_aligned(x) ? find_bound_aligned(p, n_blocks, picks->k)
                                           : find_bound_unaligned(p, n_blocks, picks->k);
        if (bound.are_bits) {
            find = is_aligned(x) ? find_block_aligned : find_block_unaligned;
        } else {
            bound = find_bound_of_keys(p, n_blocks, picks->k);
        }
        picks->above = bound.above;
    }
    for (uint32_t block = 0; (block = find(p, block, n_blocks, picks->above)) < n_blocks; block++) {
        prune_if_full(picks, BLOCK_ELEMENTS);
        add_block(picks, x, block * BLOCK_ELEMENTS, offset);
    }
    prune_if_full(picks, BLOCK_ELEMENTS);
    add_remainder(picks, x, n_blocks * BLOCK_ELEMENTS, n, offset);
}

/* Returns the candidates of a row in order, and their number in *n_picked. */
static const struct phx_pick *pick(const uint32_t *x, uint32_t n, uint32_t k, uint32_t offset, uint8_t *scratch,
                                   uint32_t *n_picked) {
    struct ref_picks picks = {.picks = (struct phx_pick *)scratch, .k = k, .above = INT32_MIN};
    struct phx_pick *picked = picks.picks + k + REF_PICKS_CAPACITY;
    HVX_Vector *keys = (HVX_Vector *)(scratch + ref_picks_bytes(k));
    bool few = k <= N_LANES;
    if (few && n <= REF_MAX_KEYS) {
        *n_picked = k < n ? k : n;
        select_from_row((const uint8_t *)x, n, *n_picked, keys, picked);
        for (uint32_t i = 0; i < *n_picked; i++) {
            picked[i].index += offset;
        }
        return picked;
    }
    pick_of_long_row(&picks, x, n, offset);
    if (few && picks.n > 0 && picks.n <= REF_MAX_KEYS) { /* 0: the row has changed meanwhile */
        *n_picked = k < picks.n ? k : picks.n;
        select_from_picks(picks.picks, picks.n, *n_picked, keys, picked);
        return picked;
    }
    ref_picks_prune(&picks);
    *n_picked = picks.n;
    return picks.picks;
}

uint32_t phx_top_k_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    uint32_t k = call->dst[0]->view.ne[0], n_picked;
    uint8_t *scratch = (uint8_t *)work + phx_candidate_bytes(call);
    struct phx_at at = phx_at(&call->dst[0]->view, slice->first_row);
    for (uint32_t row = slice->first_row; row < slice->end_row; row++) {
        const uint32_t *x = (const uint32_t *)phx_row(call->src[0], at) + slice->first;
        const struct phx_pick *picked = pick(x, slice->end - slice->first, k, slice->first, scratch, &n_picked);
        phx_store_picks(call, slice, row, at, picked, n_picked, work);
        phx_next(&call->dst[0]->view, &at);
    }
    return PHX_OK;
}
