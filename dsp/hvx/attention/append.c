/* SPDX-License-Identifier: MIT
 *
 * dsp/ref/attention/append.c: keys go to their tile by words, values by bytes of a vector for each 32 dims.
 */
#include "quantise.h"
#include "ref/attention/append.h"

/* The bytes of 8 words to every other vector: a token's part of a block of keys. */
HVX_INLINE void store_key_block(uint8_t *at, const uint64_t *pairs) {
    HVX_UNROLL
    for (int i = 0; i < 4; i++) {
        *(uint32_t *)(at + 4 * i * HVX_BYTES) = (uint32_t)pairs[i];
        *(uint32_t *)(at + (4 * i + 2) * HVX_BYTES) = (uint32_t)(pairs[i] >> 32);
    }
}

struct places {
    uint8_t *keys, *key_codes;
    uint8_t *values, *value_codes;
    uint32_t lane_bytes;
    int32_t byte_shift; /* of its byte in a word of values */
    HVX_VectorPred qbyte;
};

static struct places places_of(const struct phx_cache *cache, const struct phx_token *token) {
    uint32_t lane = phx_cache_lane(token->position), number = token->position % TOKENS;
    uint8_t *values = token->tiles + cache->tile_bytes;
    return (struct places){
        .keys = token->tiles,
        .key_codes = token->tiles + HVX_BYTES + number / 32 * HVX_BYTES + number % 32 * 4,
        .values = values,
        .value_codes = values + (1 + cache->n_blocks + lane / 4) * HVX_BYTES,
        .lane_bytes = lane * sizeof(int16_t),
        .byte_shift = (int32_t)(lane % 4 * 8),
    };
}

HVX_INLINE void store_i16(uint8_t *vector, uint32_t lane_bytes, int32_t value) {
    *(int16_t *)(vector + lane_bytes) = (int16_t)value;
}

/* Exponents, sizes and scales. The lanes of blocks are `step` apart, those of values follow those of keys. */
HVX_INLINE void store_scales(const struct phx_cache *cache, const struct places *places, const struct lanes *lanes,
                             uint32_t n_blocks, uint32_t step, int32_t key_exponent, int32_t largest_value) {
    (void)cache;
    store_i16(places->keys, places->lane_bytes, key_exponent);
    store_i16(places->values, places->lane_bytes, ref_value_size(largest_value));
    for (uint32_t i = 0; i < n_blocks; i++) {
        store_i16(places->keys + (17 * i + 17) * HVX_BYTES, places->lane_bytes, (lanes->scale[i * step] + 1) >> 1);
        store_i16(places->values + (1 + i) * HVX_BYTES, places->lane_bytes, lanes->scale[(n_blocks + i) * step]);
    }
}

HVX_INLINE int32_t largest_of_lanes(const int32_t *largest, uint32_t n, uint32_t step) {
    int32_t result = largest[0];
    for (uint32_t i = 1; i < n; i++) {
        result = largest[i * step] > result ? largest[i * step] : result;
    }
    return result;
}

/* What each lane is relative to: the first `n_bytes` of them are those of keys. */
HVX_INLINE HVX_Vector exponents_of_both(uint32_t n_bytes, int32_t key, int32_t value) {
    return Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)n_bytes), Q6_V_vsplat_R(exponent_of_one(key)),
                         Q6_V_vsplat_R(exponent_of_one(value)));
}

HVX_INLINE bool is_special(int32_t largest_key, int32_t largest_value) {
    return largest_key >= MATH_INFINITY || largest_value >= REF_VALUE_LIMIT;
}

/* Heads of 64 or 128 dims: key and value together. False: left to others, nothing was written. */
HVX_INLINE bool append_even(const int NB, const struct phx_cache *cache, const struct phx_token *token) {
    HVX_Vector x[8];
    HVX_UNROLL
    for (int i = 0; i < 8; i++) {
        x[i] = i < NB       ? hvx_load_u(token->k + i * HVX_BYTES)
               : i < 2 * NB ? hvx_load_u(token->v + (i - NB) * HVX_BYTES)
                            : Q6_V_vzero();
    }
    struct lanes lanes;
    HVX_Vector vlargest = largest_of_8(x);
    *(HVX_Vector *)lanes.largest = vlargest;
    int32_t largest_key = largest_of_lanes(lanes.largest, (uint32_t)NB, 4);
    int32_t largest_value = largest_of_lanes(lanes.largest + 4 * NB, (uint32_t)NB, 4);
    if (is_special(largest_key, largest_value)) {
        return false;
    }
    fill_lanes(&lanes, vlargest, exponents_of_both((uint32_t)NB * 16, largest_key, largest_value));
    struct places places = places_of(cache, token);
    HVX_Vector y[8];
    HVX_UNROLL
    for (int i = 0; i < 2 * NB; i++) {
        y[i] = quantised(x[i], lanes.largest[4 * i], lanes.factor[4 * i]);
    }
    HVX_VectorPred qbyte = Q6_Q_vcmp_eq_VbVb(Q6_V_vsplat_R((int32_t)(0xffu << places.byte_shift)), Q6_V_vsplat_R(-1));
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        HVX_Vector v = Q6_Vw_vasl_VwR(math_add_constant_i32(y[NB + i], 128), places.byte_shift);
        Q6_vmem_QRIV(qbyte, (HVX_Vector *)(places.value_codes + 16 * i * HVX_BYTES), v);
    }
    HVX_Vector vpacked = Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(y[NB > 2 ? 3 : 1], y[NB > 2 ? 2 : 0]),
                                           Q6_Vh_vpacke_VwVw(y[1], y[0]));
    uint64_t pairs[16] __attribute__((aligned(HVX_BYTES)));
    *(HVX_Vector *)pairs = Q6_V_vxor_VV(vpacked, Q6_V_vsplat_R((int32_t)0x80808080));
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        store_key_block(places.key_codes + 17 * i * HVX_BYTES, pairs + 4 * i);
    }
    store_scales(cache, &places, &lanes, (uint32_t)NB, 4,
                 largest_key < MATH_ROW_EXPONENT_MIN ? MATH_ROW_EXPONENT_MIN >> 23 : largest_key >> 23, largest_value);
    return true;
}

static bool append_64(const struct phx_cache *cache, const struct phx_token *token) {
    return append_even(2, cache, token);
}

static bool append_128(const struct phx_cache *cache, const struct phx_token *token) {
    return append_even(4, cache, token);
}

static bool append_any(const struct phx_cache *cache, const struct phx_token *token) {
    struct lanes lanes;
    uint32_t n_blocks = cache->n_blocks;
    *(HVX_Vector *)lanes.largest = Q6_V_vzero();
    for (uint32_t i = 0; i < n_blocks; i++) {
        lanes.largest[i] = hvx_max_i32(math_mask(load_block(token->k, i, token->width), MATH_MAGNITUDE));
        lanes.largest[n_blocks + i] = hvx_max_i32(math_mask(load_block(token->v, i, token->width), MATH_MAGNITUDE));
    }
    int32_t largest_key = largest_of_lanes(lanes.largest, n_blocks, 1);
    int32_t largest_value = largest_of_lanes(lanes.largest + n_blocks, n_blocks, 1);
    if (is_special(largest_key, largest_value)) {
        return false;
    }
    fill_lanes(&lanes, *(const HVX_Vector *)lanes.largest,
               exponents_of_both(n_blocks * sizeof(int32_t), largest_key, largest_value));
    struct places places = places_of(cache, token);
    HVX_VectorPred qbyte = Q6_Q_vcmp_eq_VbVb(Q6_V_vsplat_R((int32_t)(0xffu << places.byte_shift)), Q6_V_vsplat_R(-1));
    for (uint32_t i = 0; i < n_blocks; i++) {
        HVX_Vector vk = quantised(load_block(token->k, i, token->width), lanes.largest[i], lanes.factor[i]);
        HVX_Vector vv = quantised(load_block(token->v, i, token->width), lanes.largest[n_blocks + i],
                                  lanes.factor[n_blocks + i]);
        vv = Q6_Vw_vasl_VwR(math_add_constant_i32(vv, 128), places.byte_shift);
        Q6_vmem_QRIV(qbyte, (HVX_Vector *)(places.value_codes + 16 * i * HVX_BYTES), vv);
        uint64_t pairs[16] __attribute__((aligned(HVX_BYTES)));
        HVX_Vector vhalves = Q6_Vh_vpacke_VwVw(vk, vk);
        *(HVX_Vector *)pairs = Q6_V_vxor_VV(Q6_Vb_vpacke_VhVh(vhalves, vhalves), Q6_V_vsplat_R((int32_t)0x80808080));
        store_key_block(places.key_codes + 17 * i * HVX_BYTES, pairs);
    }
    store_scales(cache, &places, &lanes, n_blocks, 1, exponent_of_one(largest_key) >> 23, largest_value);
    return true;
}

void hvx_append(const struct phx_cache *cache, const struct phx_token *token) {
    bool is_done = token->width != cache->n_dims ? append_any(cache, token)
                   : cache->n_blocks == 2        ? append_64(cache, token)
                   : cache->n_blocks == 4        ? append_128(cache, token)
                                                 : append_any(cache, token);
    if (!is_done) {
        ref_append(cache, token);
    }
}
