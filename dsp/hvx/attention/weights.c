/* SPDX-License-Identifier: MIT
 *
 * Pass 2: converts logits to weights as bytes, and sums them. Works on up to 4 units at once: heads of one tile or,
 * with a single head, tiles.
 */
#include "attention.h"

/* The numbers of a tile's values, loaded once for all heads. */
struct tile {
    const HVX_Vector *values;
    HVX_Vector vsizes, vexponents;
};

HVX_INLINE struct tile tile_of(const uint8_t *values, const HVX_Vector *logits) {
    HVX_Vector vsizes = hvx_visible_sizes(values, logits);
    return (struct tile){(const HVX_Vector *)values, vsizes,
                         Q6_Vh_vasr_VhR(Q6_Vh_vadd_VhVh(vsizes, hvx_splat_i16(255)), 8)};
}

/* Returns a unit whose key does not yet have the size subtracted. */
HVX_INLINE struct unit weigh(HVX_Vector vlargest, const HVX_Vector *restrict logits) {
    HVX_Vector vt0 = Q6_Vw_vsub_VwVw_sat(vlargest, logits[0]), vt1 = Q6_Vw_vsub_VwVw_sat(vlargest, logits[1]);
    struct unit unit;
    unit.vk = Q6_Vh_vshuffo_VhVh(vt1, vt0);
    unit.vkey = Q6_Vh_vasr_VwVwR_rnd_sat(vt1, vt0, 8);
    unit.vfraction = Q6_V_vand_VV(Q6_Vh_vasr_VwVwR(vt1, vt0, 1), hvx_splat_i16(INT16_MAX));
    return unit;
}

/* Returns the bytes of two blocks of dims, interleaved. */
HVX_INLINE HVX_Vector bytes_of(HVX_Vector vscaled, HVX_Vector vshift, HVX_Vector vscales0, HVX_Vector vscales1) {
    HVX_Vector v0 = Q6_Vh_vlsr_VhVh(hvx_mpyr_i16(vscaled, vscales0), vshift);
    HVX_Vector v1 = Q6_Vh_vlsr_VhVh(hvx_mpyr_i16(vscaled, vscales1), vshift);
    return Q6_Vb_vdeal_Vb(Q6_Vub_vasr_VhVhR_rnd_sat(v1, v0, 7));
}

/* Processes U units: heads if H is U, tiles if H is 1. NB: blocks of dims, or 0: any number. Stores come last, because
 * the compiler moves no load above a store. */
HVX_INLINE void weights_of_step(const int U, const int H, const int NB, uint32_t n_blocks, const struct tile *tiles,
                                const struct unit *units, const struct steps *restrict steps, HVX_Vector vup,
                                HVX_Vector *restrict bytes, struct least *restrict least, HVX_Vector *vsums,
                                HVX_Vector *vleast) {
    struct least found;
    struct least *at = H == 1 ? &found : least;
    HVX_Vector vfound = hvx_n_of_key(hvx_find_least(U, units));
    *(HVX_Vector *)at = vfound;
    *vleast = Q6_Vh_vmin_VhVh(*vleast, vfound);
    uint32_t n_pairs = ((NB ? (uint32_t)NB : n_blocks) + 1) / 2;
    HVX_Vector vw[MAX_HEADS], vshift[MAX_HEADS], vscales[4], vbytes[MAX_HEADS][2];
    int32_t k[MAX_HEADS], n[MAX_HEADS], step[MAX_HEADS];
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        vw[u] = math_exp2_negative_q15(units[u].vfraction);
        k[u] = at->k[8 * u];
        n[u] = at->n[8 * u];
        step[u] = steps->at[256 - (n[u] & 255)];
    }
    HVX_UNROLL
    for (int b = 0; b < NB; b++) {
        vscales[b] = tiles[0].values[1 + b];
    }
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        const int h = H == 1 ? 0 : u, t = H == 1 ? u : 0;
        HVX_Vector vdistance = Q6_Vh_vmin_VhVh(Q6_Vh_vsub_VhVh(units[u].vk, Q6_Vh_vsplat_R(k[u])), hvx_splat_i16(15));
        HVX_Vector vpairs = Q6_Vw_vdmpy_VhVh_sat(Q6_Vh_vlsr_VhVh(vw[u], vdistance), vup);
        vsums[h] = Q6_Vw_vasracc_VwVwR(vsums[h], vpairs, k[u] < 31 ? k[u] : 31);
        vw[u] = hvx_mpyr_i16(vw[u], Q6_Vh_vsplat_R(step[u]));
        vshift[u] = Q6_Vh_vsub_VhVh_sat(units[u].vk, tiles[t].vexponents);
        vshift[u] = Q6_Vh_vmin_VhVh(Q6_Vh_vsub_VhVh_sat(vshift[u], Q6_Vh_vsplat_R((n[u] >> 8) + 1)), hvx_splat_i16(15));
        HVX_UNROLL
        for (int b = 0; b < NB; b += 2) {
            vbytes[u][b / 2] = t == 0 ? bytes_of(vw[u], vshift[u], vscales[b], vscales[b + 1])
                                      : bytes_of(vw[u], vshift[u], tiles[t].values[1 + b], tiles[t].values[2 + b]);
        }
    }
    HVX_UNROLL
    for (int u = 0; u < U; u++) {
        HVX_UNROLL
        for (int b = 0; b < NB; b += 2) {
            bytes[u * NB / 2 + b / 2] = vbytes[u][b / 2];
        }
        for (uint32_t b = 0; NB == 0 && b < n_blocks; b += 2) {
            const HVX_Vector *scales = tiles[H == 1 ? u : 0].values + 1 + b;
            bytes[(uint32_t)u * n_pairs + b / 2] = bytes_of(vw[u], vshift[u], scales[0], scales[b + 1 < n_blocks]);
        }
        if (H == 1) {
            least[u].n[0] = (int16_t)n[u];
        }
    }
}

/* Processes the heads of one tile after the other or, with H = 1 and U = 4, 4 tiles at once. */
HVX_INLINE void weights(const int U, const int H, const int NB, const struct phx_attention *op,
                        const struct tiles *tiles, uint32_t first, uint32_t end, const int32_t *largest,
                        const struct steps *restrict steps, uint32_t up, const HVX_Vector *restrict logits,
                        HVX_Vector *restrict bytes, struct least *restrict least, struct gathered *gathered) {
    uint32_t n_blocks = op->cache.n_blocks, n_pairs = ((NB ? (uint32_t)NB : n_blocks) + 1) / 2;
    const uint8_t *all = tiles->values;
    const uint32_t *pages = tiles->pages;
    const int T = H == 1 ? U : 1;
    HVX_Vector vsums[MAX_HEADS], vlargest[MAX_HEADS], vleast = gathered->vleast, vup = hvx_splat_i16(1 << up);
    HVX_UNROLL
    for (int h = 0; h < H; h++) {
        vsums[h] = gathered->vweights[h];
        vlargest[h] = Q6_V_vsplat_R(largest[h]);
    }
    logits += first * 2 * (uint32_t)H;
    bytes += first * n_pairs * (uint32_t)H;
    for (uint32_t tile = first; tile < end; tile += (uint32_t)T) {
        struct tile values[MAX_HEADS];
        struct unit units[MAX_HEADS];
        HVX_UNROLL
        for (int u = 0; u < U; u++) {
            units[u] = weigh(vlargest[H == 1 ? 0 : u], logits + 2 * u);
        }
        HVX_UNROLL
        for (int t = 0; t < T; t++) {
            values[t] = tile_of(all + pages[tile + (uint32_t)t], logits + 2 * t);
        }
        HVX_UNROLL
        for (int u = 0; u < U; u++) {
            units[u].vkey = Q6_Vh_vsub_VhVh_sat(units[u].vkey, values[H == 1 ? u : 0].vsizes);
        }
        weights_of_step(U, H, NB, n_blocks, values, units, steps, vup, bytes, least + tile, vsums, &vleast);
        logits += 2 * U;
        bytes += (uint32_t)U * n_pairs;
    }
    gathered->vleast = vleast;
    HVX_UNROLL
    for (int h = 0; h < H; h++) {
        gathered->vweights[h] = vsums[h];
    }
}

#define SIGNATURE(name)                                                                                                \
    static __attribute__((noinline)) void name(                                                                        \
        const struct phx_attention *op, const struct tiles *tiles, const int32_t *largest, const struct steps *steps,  \
        uint32_t up, const HVX_Vector *from, HVX_Vector *bytes, struct least *least, struct gathered *gathered)
#define WEIGHTS(R, NB)                                                                                                 \
    SIGNATURE(weights_##R##_##NB) {                                                                                    \
        weights(R, R, NB, op, tiles, 0, tiles->n, largest, steps, up, from, bytes, least, gathered);                   \
    }
#define WEIGHTS_OF_1(NB)                                                                                               \
    SIGNATURE(weights_1_##NB) {                                                                                        \
        uint32_t fours = tiles->n / 4 * 4;                                                                             \
        weights(4, 1, NB, op, tiles, 0, fours, largest, steps, up, from, bytes, least, gathered);                      \
        weights(1, 1, NB, op, tiles, fours, tiles->n, largest, steps, up, from, bytes, least, gathered);               \
    }
#define WEIGHTS_OF_BLOCKS(NB) WEIGHTS_OF_1(NB) WEIGHTS(2, NB) WEIGHTS(3, NB) WEIGHTS(4, NB)
WEIGHTS_OF_BLOCKS(0)
WEIGHTS_OF_BLOCKS(2)
WEIGHTS_OF_BLOCKS(4)

typedef void (*weights_function)(const struct phx_attention *op, const struct tiles *tiles, const int32_t *largest,
                                 const struct steps *steps, uint32_t up, const HVX_Vector *from, HVX_Vector *bytes,
                                 struct least *least, struct gathered *gathered);

#define ALL(NB) {weights_1_##NB, weights_2_##NB, weights_3_##NB, weights_4_##NB}

void hvx_weights(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *largest,
                 const struct steps *steps, uint32_t up, const HVX_Vector *from, HVX_Vector *bytes, struct least *least,
                 struct gathered *gathered) {
    static const weights_function functions[3][MAX_HEADS] = {ALL(0), ALL(2), ALL(4)};
    uint32_t n_blocks = op->cache.n_blocks, unrolled = n_blocks == 2 ? 1 : n_blocks == 4 ? 2 : 0;
    if (op->cache.dtype == PHX_F16) {
        hvx_weights_halves(n_heads, tiles, largest, up, from, bytes, least, gathered);
    } else {
        functions[unrolled][n_heads - 1](op, tiles, largest, steps, up, from, bytes, least, gathered);
    }
}
