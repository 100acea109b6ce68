/* SPDX-License-Identifier: MIT
 *
 * Pass 2: from logits to weights as bytes, and their sums. Works on up to 4 units at once: heads of one tile, or, with a
 * single head, tiles.
 */
#include "attention.h"

HVX_INLINE HVX_Vector least_of(const HVX_Vector *v, const int U) {
    HVX_Vector vtop = hvx_splat_i16(INT16_MAX);
    HVX_Vector v01 = hvx_min_pairs_i16(v[0], U > 1 ? v[1] : vtop);
    return U > 2 ? hvx_min_pairs_i16(v01, hvx_min_pairs_i16(v[2], U > 3 ? v[3] : vtop)) : hvx_min_pairs_i16(v01, vtop);
}

struct unit {
    HVX_Vector vk, vkey, vw;
    const uint8_t *values;
};

/* k and w of each token, and key. */
HVX_INLINE void weigh(const bool is_partial, struct unit *unit, HVX_Vector vlargest, const HVX_Vector *logits) {
    HVX_Vector vt0 = Q6_Vw_vsub_VwVw_sat(vlargest, logits[0]), vt1 = Q6_Vw_vsub_VwVw_sat(vlargest, logits[1]);
    HVX_Vector vsizes = *(const HVX_Vector *)unit->values;
    unit->vk = Q6_Vh_vshuffo_VhVh(vt1, vt0);
    unit->vkey = Q6_Vh_vsub_VhVh_sat(Q6_Vh_vasr_VwVwR_rnd_sat(vt1, vt0, 8), vsizes);
    if (is_partial) {
        HVX_VectorPred qunseen = Q6_Q_vcmp_gt_VhVh(unit->vk, hvx_splat_i16(UNSEEN_K));
        unit->vkey = Q6_V_vmux_QVV(qunseen, hvx_splat_i16(INT16_MAX), unit->vkey);
    }
    unit->vw = Q6_V_vand_VV(Q6_Vh_vasr_VwVwR(vt1, vt0, 1), hvx_splat_i16(INT16_MAX));
}

/* Bytes of blocks b and b + 1 (`both`), side by side. */
HVX_INLINE HVX_Vector bytes_of(HVX_Vector vscaled, HVX_Vector vshift, const HVX_Vector *scales, bool both) {
    HVX_Vector v0 = Q6_Vh_vlsr_VhVh(hvx_mpyr_i16(vscaled, scales[0]), vshift);
    HVX_Vector v1 = both ? Q6_Vh_vlsr_VhVh(hvx_mpyr_i16(vscaled, scales[1]), vshift) : v0;
    return Q6_Vb_vdeal_Vb(Q6_Vub_vasr_VhVhR_rnd_sat(v1, v0, 7));
}

/* U units of a step: heads if H is U, tiles if H is 1. NB: blocks of dims, or 0: any number. */
HVX_INLINE void weights_of_step(const int U, const int H, const int NB, uint32_t n_blocks, const bool is_partial,
                                struct unit *units, const struct steps *steps, uint32_t up, HVX_Vector *bytes,
                                struct least *least, HVX_Vector *vsums, int32_t *least_n) {
    HVX_Vector vks[MAX_HEADS], vkeys[MAX_HEADS];
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        vks[u] = units[u].vk;
        vkeys[u] = units[u].vkey;
    }
    (void)is_partial;
    HVX_Vector v = hvx_min_pairs_i16(least_of(vks, U), least_of(vkeys, U));
    v = Q6_Vh_vmin_VhVh(v, Q6_V_vror_VR(v, 8));
    v = Q6_Vh_vmin_VhVh(v, Q6_V_vror_VR(v, 4));
    v = Q6_Vh_vmin_VhVh(v, Q6_V_vror_VR(v, 2));
    int16_t found[64] __attribute__((aligned(HVX_BYTES)));
    *(HVX_Vector *)found = v;
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        units[u].vw = math_exp2_negative_q15(units[u].vw);
    }
    uint32_t n_pairs = ((NB ? (uint32_t)NB : n_blocks) + 1) / 2;
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        const int h = H == 1 ? 0 : u, t = H == 1 ? u : 0;
        int32_t k = found[8 * u], n = (int16_t)(found[32 + 8 * u] - 3);
        least[t].k[h] = (int16_t)k;
        least[t].n[h] = (int16_t)n;
        least_n[h] = n < least_n[h] ? n : least_n[h];
        HVX_Vector vdistance = Q6_Vh_vmin_VhVh(Q6_Vh_vsub_VhVh(units[u].vk, hvx_splat_i16(k)), hvx_splat_i16(15));
        HVX_Vector vpairs = Q6_Vw_vdmpy_VhVh_sat(Q6_Vh_vlsr_VhVh(units[u].vw, vdistance), hvx_splat_i16(1));
        vsums[h] = Q6_Vw_vasracc_VwVwR(vsums[h], Q6_Vw_vasl_VwR(vpairs, (int32_t)up), k < 31 ? k : 31);
        const HVX_Vector *values = (const HVX_Vector *)units[u].values;
        HVX_Vector vexponents = Q6_Vh_vasr_VhR(Q6_Vh_vadd_VhVh(values[0], hvx_splat_i16(255)), 8);
        HVX_Vector vscaled = hvx_mpyr_i16(units[u].vw, hvx_splat_i16(steps->at[256 - (n & 255)]));
        HVX_Vector vshift = Q6_Vh_vsub_VhVh_sat(units[u].vk, vexponents);
        vshift = Q6_Vh_vmin_VhVh(Q6_Vh_vsub_VhVh_sat(vshift, hvx_splat_i16((n >> 8) + 1)), hvx_splat_i16(15));
        HVX_Vector *to = bytes + (uint32_t)u * n_pairs;
        if (NB) {
            HVX_UNROLL
            for (int b = 0; b < NB; b += 2) {
                to[b / 2] = bytes_of(vscaled, vshift, values + 1 + b, true);
            }
        } else {
            for (uint32_t b = 0; b < n_blocks; b += 2) {
                to[b / 2] = bytes_of(vscaled, vshift, values + 1 + b, b + 1 < n_blocks);
            }
        }
    }
}

/* Heads of one tile after the other; or, with H = 1 and U = 4, 4 tiles at once. */
HVX_INLINE void weights(const int U, const int H, const int NB, const bool is_partial, const struct phx_attention *op,
                        const struct tiles *tiles, uint32_t first, uint32_t end, const int32_t *largest,
                        const struct steps *steps, uint32_t up, const HVX_Vector *logits, HVX_Vector *bytes,
                        struct least *least, struct gathered *gathered) {
    uint32_t n_blocks = op->cache.n_blocks, n_pairs = ((NB ? (uint32_t)NB : n_blocks) + 1) / 2;
    const int T = H == 1 ? U : 1;
    HVX_Vector vsums[MAX_HEADS], vlargest[MAX_HEADS];
    int32_t least_n[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < H; h++) {
        vsums[h] = gathered->vweights[h];
        vlargest[h] = Q6_V_vsplat_R(largest[h]);
        least_n[h] = gathered->least_n[h];
    }
    logits += first * 2 * (uint32_t)H;
    bytes += first * n_pairs * (uint32_t)H;
    for (uint32_t tile = first; tile < end; tile += (uint32_t)T) {
        struct unit units[MAX_HEADS];
        HVX_UNROLL
        for (int u = 0; u < U; u++) {
            units[u].values = tiles->values + tiles->pages[tile + (H == 1 ? (uint32_t)u : 0)];
            weigh(is_partial, &units[u], vlargest[H == 1 ? 0 : u], logits + 2 * u);
        }
        weights_of_step(U, H, NB, n_blocks, is_partial, units, steps, up, bytes, least + tile, vsums, least_n);
        logits += 2 * U;
        bytes += (uint32_t)U * n_pairs;
    }
    HVX_UNROLL
    for (int h = 0; h < H; h++) {
        gathered->vweights[h] = vsums[h];
        gathered->least_n[h] = least_n[h];
    }
}

#define SIGNATURE(name)                                                                                                \
    static __attribute__((noinline)) void name(                                                                        \
        const struct phx_attention *op, const struct tiles *tiles, const int32_t *largest, const struct steps *steps,  \
        uint32_t up, const HVX_Vector *from, HVX_Vector *bytes, struct least *least, struct gathered *gathered)
#define WEIGHTS(R, NB)                                                                                                 \
    SIGNATURE(weights_##R##_##NB) {                                                                                    \
        weights(R, R, NB, false, op, tiles, 0, tiles->n, largest, steps, up, from, bytes, least, gathered);            \
    }                                                                                                                  \
    SIGNATURE(weights_partial_##R##_##NB) {                                                                            \
        weights(R, R, NB, true, op, tiles, 0, tiles->n, largest, steps, up, from, bytes, least, gathered);             \
    }
#define WEIGHTS_OF_1(NB)                                                                                               \
    SIGNATURE(weights_1_##NB) {                                                                                        \
        uint32_t fours = tiles->n / 4 * 4;                                                                             \
        weights(4, 1, NB, false, op, tiles, 0, fours, largest, steps, up, from, bytes, least, gathered);               \
        weights(1, 1, NB, false, op, tiles, fours, tiles->n, largest, steps, up, from, bytes, least, gathered);        \
    }                                                                                                                  \
    SIGNATURE(weights_partial_1_##NB) {                                                                                \
        weights(1, 1, NB, true, op, tiles, 0, tiles->n, largest, steps, up, from, bytes, least, gathered);             \
    }
#define WEIGHTS_OF_BLOCKS(NB) WEIGHTS_OF_1(NB) WEIGHTS(2, NB) WEIGHTS(3, NB) WEIGHTS(4, NB)
WEIGHTS_OF_BLOCKS(0)
WEIGHTS_OF_BLOCKS(2)
WEIGHTS_OF_BLOCKS(4)

typedef void (*weights_function)(const struct phx_attention *op, const struct tiles *tiles, const int32_t *largest,
                                 const struct steps *steps, uint32_t up, const HVX_Vector *from, HVX_Vector *bytes,
                                 struct least *least, struct gathered *gathered);

#define BOTH(R, NB) {weights_##R##_##NB, weights_partial_##R##_##NB}
#define ALL(NB) {BOTH(1, NB), BOTH(2, NB), BOTH(3, NB), BOTH(4, NB)}

void hvx_weights(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, bool is_partial,
                 const int32_t *largest, const struct steps *steps, uint32_t up, const HVX_Vector *from,
                 HVX_Vector *bytes, struct least *least, struct gathered *gathered) {
    static const weights_function functions[3][MAX_HEADS][2] = {ALL(0), ALL(2), ALL(4)};
    uint32_t n_blocks = op->cache.n_blocks, unrolled = n_blocks == 2 ? 1 : n_blocks == 4 ? 2 : 0;
    functions[unrolled][n_heads - 1][is_partial](op, tiles, largest, steps, up, from, bytes, least, gathered);
}
