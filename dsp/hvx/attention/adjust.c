/* SPDX-License-Identifier: MIT
 *
 * Adjusts a tile's logits where pass 1 does not produce final ones: hides tokens that are not visible, and applies the
 * options of dsp/ref/attention/options.h.
 */
#include "attention.h"
#include "math/hvx/exponential.h"
#include "math/hvx/float16.h"

static const int32_t numbers[HVX_LANES_I32]
    __attribute__((aligned(HVX_BYTES))) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                           16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* Half a tile: 32 tokens. */
struct half {
    HVX_Vector vseen;     /* negative in lanes that are visible */
    HVX_Vector vposition; /* position of each token */
    HVX_Vector vmask;     /* floats */
};

HVX_INLINE HVX_Vector within(HVX_Vector v, HVX_Vector vlimit) {
    return hvx_clamp_i32(v, Q6_Vw_vsub_VwVw(Q6_V_vzero(), vlimit), vlimit);
}

/* Returns x * 2^shift, at most `limit`. */
HVX_INLINE HVX_Vector shifted(HVX_Vector vx, HVX_Vector vshift, int32_t limit) {
    HVX_Vector vzero = Q6_V_vzero(), vright = Q6_Vw_vsub_VwVw(vzero, vshift);
    HVX_Vector vleft = hvx_clamp_i32(vshift, vzero, Q6_V_vsplat_R(29));
    vx = Q6_Vw_vasr_VwVw(vx, hvx_clamp_i32(vright, vzero, Q6_V_vsplat_R(31)));
    vx = Q6_Vw_vmin_VwVw(vx, Q6_Vw_vasr_VwVw(Q6_V_vsplat_R(limit), vleft));
    return Q6_Vw_vasl_VwVw(vx, vleft);
}

static HVX_Vector capped(const struct phx_softcap *cap, HVX_Vector vlogit) {
    HVX_Vector vmagnitude = Q6_Vw_vabs_Vw(vlogit);
    HVX_Vector vt = math_multiply_q31(Q6_Vw_vasl_VwR(vmagnitude, 1), Q6_V_vsplat_R(cap->reciprocal));
    struct math_power power = math_power_of(shifted(vt, Q6_V_vsplat_R(cap->shift), MATH_Q23_MAX));
    HVX_Vector vpower = math_power_q31(&power);
    HVX_Vector vsum = math_add_constant_i32(Q6_Vw_vasr_VwR(vpower, 1), 1 << 30);
    HVX_Vector vtanh = math_multiply_q31(Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(INT32_MAX), vpower), math_reciprocal_q31(vsum));
    HVX_Vector v = Q6_Vw_vasr_VwR(math_multiply_q31(vtanh, Q6_V_vsplat_R(cap->factor)), cap->down);
    return math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), vlogit), v);
}

/* Returns the biased exponent of a float. */
HVX_INLINE HVX_Vector exponent_of(HVX_Vector v) {
    return Q6_Vuw_vlsr_VuwR(math_exponent(v), 23);
}

HVX_INLINE HVX_Vector zero_unless(HVX_Vector vexponent, HVX_Vector v) {
    return Q6_V_vand_QV(Q6_Q_vcmp_gt_VwVw(vexponent, Q6_V_vzero()), v);
}

static HVX_Vector distance_bias(HVX_Vector vslope, HVX_Vector vdistance) {
    HVX_Vector vfactor = math_multiply_q31(math_mantissa_q30(vslope), Q6_V_vsplat_R(PHX_LOG2E_Q30));
    HVX_Vector v = math_multiply_q31(Q6_Vw_vasl_VwR(vdistance, 10), vfactor), vexponent = exponent_of(vslope);
    v = zero_unless(vexponent, shifted(v, math_add_constant_i32(vexponent, -119), PHX_LOGIT_LIMIT));
    return math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(vslope, Q6_V_vsplat_R(-1)), v);
}

static HVX_Vector mask_bias(HVX_Vector vslope, HVX_Vector vmask) {
    HVX_Vector v = math_multiply_q31(math_mantissa_q30(vmask), Q6_V_vsplat_R(PHX_LOG2E_Q30));
    v = math_multiply_q31(v, math_mantissa_q30(vslope));
    HVX_Vector vmasks = exponent_of(vmask), vslopes = exponent_of(vslope);
    v = shifted(v, math_add_constant_i32(Q6_Vw_vadd_VwVw(vmasks, vslopes), -266), PHX_LOGIT_LIMIT);
    v = zero_unless(vmasks, zero_unless(vslopes, v));
    return math_negate_if_i32(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), Q6_V_vxor_VV(vmask, vslope)), v);
}

static HVX_Vector with_options(const struct phx_attention *op, const struct phx_heads *heads, uint32_t head,
                               const struct half *half, HVX_Vector v) {
    HVX_Vector vslope = Q6_V_vsplat_R(heads->slopes ? (int32_t)heads->slopes[head] : MATH_ONE);
    HVX_Vector vlimit = Q6_V_vsplat_R(PHX_LOGIT_LIMIT);
    v = op->softcap.factor ? capped(&op->softcap, v) : v;
    if (heads->mask) {
        return within(Q6_Vw_vadd_VwVw(v, mask_bias(vslope, half->vmask)), vlimit);
    }
    if (heads->slopes) {
        HVX_Vector vdistance = Q6_Vw_vabs_Vw(Q6_Vw_vsub_VwVw(half->vposition, Q6_V_vsplat_R((int32_t)heads->position)));
        vdistance = Q6_Vw_vmin_VwVw(vdistance, Q6_V_vsplat_R(PHX_DISTANCE_LIMIT));
        return within(Q6_Vw_vadd_VwVw(v, distance_bias(vslope, vdistance)), vlimit);
    }
    return v;
}

/* Adjusts half a tile. Each head has every other vector from `logits` on. */
static __attribute__((noinline)) void adjust_half(const struct phx_attention *op, const struct phx_heads *heads,
                                                  const struct half *half, HVX_Vector vexponents, HVX_Vector *logits,
                                                  struct gathered *gathered) {
    HVX_Vector vzero = Q6_V_vzero(), vinfinity = Q6_V_vsplat_R(MATH_INFINITY);
    HVX_VectorPred qseen = Q6_Q_vcmp_gt_VwVw(vzero, half->vseen);
    if (heads->mask) { /* -infinity hides a token; +infinity and NaN are special */
        HVX_VectorPred qhidden = Q6_Q_vcmp_eq_VwVw(half->vmask, Q6_V_vsplat_R((int32_t)(MATH_INFINITY | MATH_SIGN)));
        qseen = Q6_Q_and_QQn(qseen, qhidden);
        HVX_VectorPred qspecial = Q6_Q_vcmp_eq_VwVw(math_exponent(half->vmask), vinfinity);
        vexponents = Q6_V_vmux_QVV(qspecial, Q6_V_vsplat_R(PHX_CACHE_SPECIAL), vexponents);
    }
    gathered->vspecial = Q6_Vw_vmax_VwVw(gathered->vspecial, Q6_V_vmux_QVV(qseen, vexponents, vzero));
    for (uint32_t h = 0; h < heads->n_heads; h++) {
        HVX_Vector v = with_options(op, heads, h, half, logits[2 * h]);
        v = Q6_V_vmux_QVV(qseen, v, Q6_V_vsplat_R(INVISIBLE));
        logits[2 * h] = v;
        gathered->vlargest[h] = Q6_Vw_vmax_VwVw(gathered->vlargest[h], v);
    }
}

/* Returns a vector that is negative in lanes first..end-1 of 32, the visible ones. */
static HVX_Vector visible_lanes(HVX_Vector vnumbers, int32_t first, int32_t end) {
    HVX_Vector vafter = Q6_Vw_vsub_VwVw(Q6_V_vsplat_R(first - 1), vnumbers); /* negative from `first` on */
    HVX_Vector vbefore = Q6_Vw_vsub_VwVw(vnumbers, Q6_V_vsplat_R(end));      /* negative below `end` */
    return Q6_V_vand_VV(vafter, vbefore);
}

/* Loads the mask of a tile's visible tokens, and reads nothing beyond them. */
static HVX_VectorPair load_mask(const struct phx_heads *heads, uint32_t start) {
    uint32_t n = heads->end - start < TOKENS ? heads->end - start : TOKENS;
    if (heads->mask_is_f16) {
        return math_f16_to_f32(hvx_load_some_u(heads->mask + 2 * start, 2 * n));
    }
    const uint8_t *from = heads->mask + 4 * start;
    HVX_Vector vhigh = n > 32 ? hvx_load_some_u(from + HVX_BYTES, 4 * (n - 32)) : Q6_V_vzero();
    return Q6_W_vcombine_VV(vhigh, hvx_load_some_u(from, 4 * n));
}

/* Returns the visibility of a tile's tokens 0..31 and 32..63. */
HVX_INLINE HVX_VectorPair visible_of(const struct phx_heads *heads, uint32_t start) {
    HVX_Vector vnumbers = *(const HVX_Vector *)numbers;
    int32_t first = (int32_t)(heads->first - start), end = (int32_t)(heads->end - start);
    return Q6_W_vcombine_VV(visible_lanes(vnumbers, first - 32, end - 32), visible_lanes(vnumbers, first, end));
}

HVX_INLINE void hide(const int R, HVX_VectorPair wseen, HVX_VectorPair wexponents, HVX_Vector *restrict logits,
                     struct gathered *restrict gathered) {
    HVX_Vector vzero = Q6_V_vzero(), vunseen = Q6_V_vsplat_R(INVISIBLE), v[2 * MAX_HEADS], vlargest[MAX_HEADS];
    HVX_VectorPred qlow = Q6_Q_vcmp_gt_VwVw(vzero, Q6_V_lo_W(wseen)),
                   qhigh = Q6_Q_vcmp_gt_VwVw(vzero, Q6_V_hi_W(wseen));
    HVX_Vector vspecial = Q6_Vw_vmax_VwVw(Q6_V_vmux_QVV(qlow, Q6_V_lo_W(wexponents), vzero),
                                          Q6_V_vmux_QVV(qhigh, Q6_V_hi_W(wexponents), vzero));
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        v[2 * h] = Q6_V_vmux_QVV(qlow, logits[2 * h], vunseen);
        v[2 * h + 1] = Q6_V_vmux_QVV(qhigh, logits[2 * h + 1], vunseen);
        vlargest[h] = Q6_Vw_vmax_VwVw(gathered->vlargest[h], Q6_Vw_vmax_VwVw(v[2 * h], v[2 * h + 1]));
    }
    gathered->vspecial = Q6_Vw_vmax_VwVw(gathered->vspecial, vspecial);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        logits[2 * h] = v[2 * h];
        logits[2 * h + 1] = v[2 * h + 1];
        gathered->vlargest[h] = vlargest[h];
    }
}

void hvx_hide(const struct phx_heads *heads, uint32_t start, const uint8_t *keys, HVX_Vector *logits,
              struct gathered *gathered) {
    HVX_VectorPair wseen = visible_of(heads, start), wexponents = hvx_exponents_of(keys);
    if (heads->n_heads == 4) {
        hide(4, wseen, wexponents, logits, gathered);
    } else if (heads->n_heads == 3) {
        hide(3, wseen, wexponents, logits, gathered);
    } else if (heads->n_heads == 2) {
        hide(2, wseen, wexponents, logits, gathered);
    } else {
        hide(1, wseen, wexponents, logits, gathered);
    }
}

void hvx_adjust(const struct phx_attention *op, const struct phx_heads *heads, uint32_t start, const uint8_t *keys,
                HVX_Vector *logits, struct gathered *gathered) {
    HVX_VectorPair wseen = visible_of(heads, start), wexponents = hvx_exponents_of(keys), wmask = hvx_w_zero();
    HVX_Vector vposition = math_add_constant_i32(*(const HVX_Vector *)numbers, (int32_t)start);
    if (heads->mask) {
        wmask = load_mask(heads, start);
    }
    struct half low = {Q6_V_lo_W(wseen), vposition, Q6_V_lo_W(wmask)};
    struct half high = {Q6_V_hi_W(wseen), math_add_constant_i32(vposition, 32), Q6_V_hi_W(wmask)};
    adjust_half(op, heads, &low, Q6_V_lo_W(wexponents), logits, gathered);
    adjust_half(op, heads, &high, Q6_V_hi_W(wexponents), logits + 1, gathered);
}
