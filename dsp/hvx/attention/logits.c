/* SPDX-License-Identifier: MIT
 *
 * Pass 1: logits, and the largest of each head. Tiles that are seen in part take more care: tokens are masked, and logits
 * that would be too large are limited.
 */
#include "attention.h"

#define KEY_BLOCK_BYTES (17 * HVX_BYTES)

/* A block of 32 dims: adds its products to the words of even and of odd lanes, or begins with them. */
HVX_INLINE void add_block(const int R, const bool is_first, const struct query *query, uint32_t block,
                          const HVX_Vector *keys, HVX_VectorPair *wsums) {
    HVX_Vector veven[MAX_HEADS], vodd[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        veven[h] = vodd[h] = query->vbias[block][h];
    }
    HVX_UNROLL
    for (int i = 0; i < 8; i += 2) {
        HVX_Vector v0 = keys[2 * i], v1 = keys[2 * i + 1], v2 = keys[2 * i + 2], v3 = keys[2 * i + 3];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int64_t two = *(const int64_t *)&query->words[block][h][i];
            veven[h] = Q6_Vw_vrmpyacc_VwVubRb(veven[h], v0, (int32_t)two);
            vodd[h] = Q6_Vw_vrmpyacc_VwVubRb(vodd[h], v1, (int32_t)two);
            veven[h] = Q6_Vw_vrmpyacc_VwVubRb(veven[h], v2, (int32_t)(two >> 32));
            vodd[h] = Q6_Vw_vrmpyacc_VwVubRb(vodd[h], v3, (int32_t)(two >> 32));
        }
    }
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        HVX_Vector vscale = hvx_mpyr_scalar_i16(keys[16], query->scales[block][h]);
        HVX_Vector vsum = Q6_Vh_vasr_VwVwR(vodd[h], veven[h], 4);
        wsums[h] = is_first ? Q6_Ww_vmpy_VhVh(vsum, vscale) : Q6_Ww_vmpyacc_WwVhVh(wsums[h], vsum, vscale);
    }
}

HVX_INLINE HVX_VectorPair halved(HVX_VectorPair w) {
    return Q6_W_vcombine_VV(Q6_Vw_vasr_VwR(Q6_V_hi_W(w), 1), Q6_Vw_vasr_VwR(Q6_V_lo_W(w), 1));
}

/* Sums over all blocks. NB: how many there are, or 0: any number. */
HVX_INLINE void add_blocks(const int R, const int NB, uint32_t n_blocks, const struct query *query, const uint8_t *tile,
                           HVX_VectorPair *wsums) {
    HVX_UNROLL
    for (int b = 0; b < NB; b++) {
        add_block(R, b == 0, query, (uint32_t)b, (const HVX_Vector *)(tile + HVX_BYTES + b * KEY_BLOCK_BYTES), wsums);
    }
    if (NB == 0) {
        HVX_VectorPair wfirst[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            wfirst[h] = wsums[h] = hvx_w_zero();
        }
        for (uint32_t b = 0; b < n_blocks; b++) {
            if (b == 4) {
                HVX_UNROLL
                for (int h = 0; h < R; h++) {
                    wfirst[h] = wsums[h];
                    wsums[h] = hvx_w_zero();
                }
            }
            add_block(R, false, query, b, (const HVX_Vector *)(tile + HVX_BYTES + b * KEY_BLOCK_BYTES), wsums);
        }
        if (n_blocks > 4) {
            HVX_UNROLL
            for (int h = 0; h < R; h++) {
                wsums[h] = Q6_Ww_vadd_WwWw(halved(wfirst[h]), halved(wsums[h]));
            }
        }
    }
}

HVX_INLINE HVX_Vector clamped(HVX_Vector v, HVX_Vector vleast, HVX_Vector vmost) {
    return Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(v, vleast), vmost);
}

/* How far numbers may go before they are shifted: to the left where a shift is not above 0. */
HVX_INLINE HVX_Vector limits(HVX_Vector vshift) {
    HVX_Vector vzero = Q6_V_vzero(), vleft = Q6_Vw_vmax_VwVw(Q6_Vw_vsub_VwVw(vzero, vshift), vzero);
    HVX_Vector vlimit = Q6_Vw_vasr_VwVw(Q6_V_vsplat_R(LOGIT_LIMIT), vleft);
    return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(vshift, vzero), Q6_V_vsplat_R(INT32_MAX), vlimit);
}

HVX_INLINE HVX_Vector shown(HVX_Vector vseen, HVX_Vector v, int32_t unseen) {
    return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), vseen), v, Q6_V_vsplat_R(unseen));
}

HVX_INLINE void logits(const int R, const int NB, const bool is_careful, const struct phx_attention *op,
                       const struct query *restrict query, const struct tiles *restrict tiles, const struct seen *seen,
                       HVX_Vector *restrict logits, struct gathered *restrict gathered) {
    HVX_Vector vlargest[MAX_HEADS], vspecial = gathered->vspecial;
    HVX_Vector vmultiplier = Q6_V_vsplat_R(op->multiplier), vbase = Q6_V_vsplat_R(op->logit_shift - query->exponent);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vlargest[h] = gathered->vlargest[h];
    }
    for (uint32_t tile = 0; tile < tiles->n; tile++) {
        const uint8_t *keys = tiles->keys + tiles->pages[tile];
        HVX_VectorPair wsums[MAX_HEADS];
        add_blocks(R, NB, op->cache.n_blocks, query, keys, wsums);
        HVX_Vector vexponents = *(const HVX_Vector *)keys;
        HVX_Vector vlow = Q6_Vw_vasr_VwR(Q6_Vw_vasl_VwR(vexponents, 16), 16), vhigh = Q6_Vw_vasr_VwR(vexponents, 16);
        HVX_Vector vleast = Q6_V_vsplat_R(is_careful ? -29 : 1), vmost = Q6_V_vsplat_R(31);
        HVX_Vector vshift_low = clamped(Q6_Vw_vsub_VwVw(vbase, vlow), vleast, vmost), vlimit_low = limits(vshift_low);
        HVX_Vector vshift_high = clamped(Q6_Vw_vsub_VwVw(vbase, vhigh), vleast, vmost),
                   vlimit_high = limits(vshift_high);
        if (is_careful) {
            vlow = shown(seen->vlow, vlow, 0);
            vhigh = shown(seen->vhigh, vhigh, 0);
        }
        vspecial = Q6_Vw_vmax_VwVw(vspecial, Q6_Vw_vmax_VwVw(vlow, vhigh));
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            HVX_Vector v0 = Q6_Vw_vmpye_VwVuh(Q6_V_lo_W(wsums[h]), vmultiplier);
            HVX_Vector v1 = Q6_Vw_vmpye_VwVuh(Q6_V_hi_W(wsums[h]), vmultiplier);
            if (is_careful) {
                v0 = clamped(v0, Q6_Vw_vsub_VwVw(Q6_V_vzero(), vlimit_low), vlimit_low);
                v1 = clamped(v1, Q6_Vw_vsub_VwVw(Q6_V_vzero(), vlimit_high), vlimit_high);
            }
            v0 = Q6_Vw_vasr_VwVw(v0, vshift_low);
            v1 = Q6_Vw_vasr_VwVw(v1, vshift_high);
            if (is_careful) {
                v0 = shown(seen->vlow, v0, UNSEEN);
                v1 = shown(seen->vhigh, v1, UNSEEN);
            }
            logits[2 * h] = v0;
            logits[2 * h + 1] = v1;
            vlargest[h] = Q6_Vw_vmax_VwVw(vlargest[h], Q6_Vw_vmax_VwVw(v0, v1));
        }
        logits += 2 * R;
    }
    gathered->vspecial = vspecial;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        gathered->vlargest[h] = vlargest[h];
    }
}

#define LOGITS(R, NB)                                                                                                  \
    static __attribute__((noinline)) void logits_##R##_##NB(const struct phx_attention *op, const struct query *query, \
                                                            const struct tiles *tiles, const struct seen *seen,        \
                                                            HVX_Vector *to, struct gathered *gathered) {               \
        logits(R, NB, false, op, query, tiles, seen, to, gathered);                                                    \
    }                                                                                                                  \
    static __attribute__((noinline)) void logits_careful_##R##_##NB(                                                   \
        const struct phx_attention *op, const struct query *query, const struct tiles *tiles, const struct seen *seen, \
        HVX_Vector *to, struct gathered *gathered) {                                                                   \
        logits(R, NB, true, op, query, tiles, seen, to, gathered);                                                     \
    }
#define LOGITS_OF_BLOCKS(NB) LOGITS(1, NB) LOGITS(2, NB) LOGITS(3, NB) LOGITS(4, NB)
LOGITS_OF_BLOCKS(0)
LOGITS_OF_BLOCKS(2)
LOGITS_OF_BLOCKS(4)

typedef void (*logits_function)(const struct phx_attention *op, const struct query *query, const struct tiles *tiles,
                                const struct seen *seen, HVX_Vector *logits, struct gathered *gathered);

#define BOTH(R, NB) {logits_##R##_##NB, logits_careful_##R##_##NB}
#define ALL(NB) {BOTH(1, NB), BOTH(2, NB), BOTH(3, NB), BOTH(4, NB)}

void hvx_logits(const struct phx_attention *op, const struct query *query, uint32_t n_heads, const struct tiles *tiles,
                const struct seen *seen, HVX_Vector *to, struct gathered *gathered) {
    static const logits_function functions[3][MAX_HEADS][2] = {ALL(0), ALL(2), ALL(4)};
    uint32_t n_blocks = op->cache.n_blocks, unrolled = n_blocks == 2 ? 1 : n_blocks == 4 ? 2 : 0;
    functions[unrolled][n_heads - 1][seen != NULL](op, query, tiles, seen, to, gathered);
}
