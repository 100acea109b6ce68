/* SPDX-License-Identifier: MIT
 *
 * CACHE_APPEND in HVX (reference: dsp/ref/attention/append.c): stores keys to their tile by words, values by bytes of
 * one vector per 32 dims.
 */
#include "quantise.h"
#include "ref/attention/append.h"

struct addresses {
    uint8_t *keys, *key_codes;
    uint8_t *values, *value_codes;
    uint32_t lane_bytes;
    int32_t value_shift; /* bit position of the token's byte, or nibble, in a word of values */
};

HVX_INLINE struct addresses addresses_of(const bool is_q4, const struct phx_cache *cache,
                                         const struct phx_token *token) {
    uint32_t lane = phx_cache_lane(token->position), number = token->position % TOKENS;
    uint8_t *values = token->tiles + cache->tile_bytes;
    return (struct addresses){
        .keys = token->tiles,
        .key_codes = token->tiles + HVX_BYTES + number / 32 * HVX_BYTES + number % 32 * 4,
        .values = values,
        .value_codes = values + (1 + cache->n_blocks + lane / (is_q4 ? 8 : 4)) * HVX_BYTES,
        .lane_bytes = lane * sizeof(int16_t),
        .value_shift = (int32_t)(lane % 4 * 8 + (is_q4 ? lane / 4 % 2 * 4 : 0)),
    };
}

/* Stores a token's part of a block of keys: 8 words in every other vector, or 4. */
HVX_INLINE void store_key_block(const bool is_q4, const struct addresses *addresses, uint32_t block,
                                const uint64_t *pairs) {
    uint8_t *at = addresses->key_codes + block * (is_q4 ? 9 : 17) * HVX_BYTES;
    const int n = is_q4 ? 2 : 4;
    uint64_t own[4] = {pairs[0], pairs[1], pairs[n - 2], pairs[n - 1]};
    HVX_UNROLL
    for (int i = 0; i < 2 * n; i++) {
        *(uint32_t *)(at + 2 * i * HVX_BYTES) = (uint32_t)(own[i / 2] >> (i % 2 * 32));
    }
}

/* Stores unsigned codes, in words, to their bytes or nibbles of a block of values. */
HVX_INLINE void store_value_block(const bool is_q4, const struct addresses *addresses, uint32_t block, int32_t factor,
                                  HVX_Vector v) {
    HVX_Vector *to = (HVX_Vector *)(addresses->value_codes + block * (is_q4 ? 8 : 16) * HVX_BYTES);
    HVX_Vector vmask = Q6_V_vsplat_R((int32_t)((is_q4 ? 15u : 255u) << addresses->value_shift));
    v = is_q4 ? Q6_V_vxor_VV(v, Q6_V_vsplat_R(factor >> 31)) : math_add_constant_i32(v, 128);
    v = Q6_Vw_vasl_VwR(v, addresses->value_shift);
    if (is_q4) {
        *to = Q6_V_vor_VV(Q6_V_vand_VV(v, vmask), Q6_V_vand_VV(*to, Q6_V_vnot_V(vmask)));
    } else {
        Q6_vmem_QRIV(Q6_Q_vcmp_eq_VbVb(vmask, Q6_V_vsplat_R(-1)), to, v);
    }
}

HVX_INLINE void store_i16(uint8_t *vector, uint32_t lane_bytes, int32_t value) {
    *(int16_t *)(vector + lane_bytes) = (int16_t)value;
}

/* Halves the scales of keys, which are in the first `n_bytes`. With 4-bit codes, the scales of keys are signed. The
 * scales of values keep their sign in the last bit, since they are multiplied by unsigned attention weights. */
HVX_INLINE void finish_scales(const bool is_q4, struct lanes *lanes, uint32_t n_bytes) {
    HVX_Vector v = *(HVX_Vector *)lanes->scale, vsigned = v;
    if (is_q4) {
        HVX_Vector vpositive = positive(*(HVX_Vector *)lanes->largest);
        vsigned = negative_where(vpositive, v);
        v = Q6_V_vor_VV(math_mask(v, ~1), vpositive);
    }
    HVX_Vector vhalf = Q6_Vw_vavg_VwVw_rnd(vsigned, Q6_V_vzero());
    *(HVX_Vector *)lanes->scale = Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)n_bytes), vhalf, v);
}

HVX_INLINE void store_sizes(const struct addresses *addresses, int32_t largest_key, int32_t largest_value) {
    store_i16(addresses->keys, addresses->lane_bytes, exponent_of_one(largest_key) >> 23);
    store_i16(addresses->values, addresses->lane_bytes, ref_value_size(largest_value, exponent_of_one(largest_value)));
}

/* Stores the scales of a block of keys and a block of values. */
HVX_INLINE void store_scales(const bool is_q4, const struct addresses *addresses, uint32_t block, int32_t key_scale,
                             int32_t value_scale) {
    uint32_t n_vectors = is_q4 ? 9 : 17;
    store_i16(addresses->keys + (n_vectors * block + n_vectors) * HVX_BYTES, addresses->lane_bytes, key_scale);
    store_i16(addresses->values + (1 + block) * HVX_BYTES, addresses->lane_bytes, value_scale);
}

HVX_INLINE int32_t largest_of_lanes(const int32_t *largest, const uint32_t n, uint32_t step) {
    int32_t result = largest[0];
    HVX_UNROLL
    for (uint32_t i = 1; i < n; i++) {
        result = largest[i * step] > result ? largest[i * step] : result;
    }
    return result;
}

/* Returns the exponent to which each lane is relative: the key's in the first `n_bytes`, then the value's. */
HVX_INLINE HVX_Vector exponents_of_both(uint32_t n_bytes, int32_t key, int32_t value) {
    return Q6_V_vmux_QVV(Q6_Q_vsetq_R((int32_t)n_bytes), Q6_V_vsplat_R(exponent_of_one(key)),
                         Q6_V_vsplat_R(exponent_of_one(value)));
}

HVX_INLINE bool is_special(int32_t largest_key, int32_t largest_value) {
    return largest_key >= MATH_INFINITY || largest_value >= REF_VALUE_LIMIT;
}

/* Returns bytes of keys in storage order: unsigned 8-bit codes; or 4-bit codes, every odd word packed into the word
 * before it. */
HVX_INLINE HVX_Vector bytes_of_keys(const bool is_q4, HVX_Vector v) {
    if (!is_q4) {
        return Q6_V_vxor_VV(v, Q6_V_vsplat_R((int32_t)0x80808080));
    }
    HVX_VectorPair w = hvx_w_deal_i32(v, v);
    return Q6_V_vor_VV(Q6_V_lo_W(w), Q6_Vw_vasl_VwR(Q6_V_hi_W(w), 4));
}

/* Appends key and value of a token together; heads of 32, 64 or 128 dims. Returns false without writing anything if the
 * token has NaN or infinity. */
HVX_INLINE bool append_even(const int NB, const bool is_q4, const struct phx_cache *cache,
                            const struct phx_token *token) {
    uint64_t memory[16] __attribute__((aligned(HVX_BYTES))), *pairs = unknown(memory);
    HVX_Vector x[8];
    HVX_UNROLL
    for (int i = 0; i < 8; i++) {
        x[i] = i < NB       ? hvx_load_u(token->k + i * HVX_BYTES)
               : i < 2 * NB ? hvx_load_u(token->v + (i - NB) * HVX_BYTES)
                            : Q6_V_vzero();
    }
    struct lanes lanes;
    HVX_Vector vlargest = largest_of_all(8, is_q4, x);
    *(HVX_Vector *)lanes.largest = vlargest;
    int32_t largest_key = largest_of_lanes(lanes.largest, (uint32_t)NB, 4);
    int32_t largest_value = largest_of_lanes(lanes.largest + 4 * NB, (uint32_t)NB, 4);
    if (is_special(largest_key, largest_value)) {
        return false;
    }
    fill_lanes(&lanes, is_q4, vlargest, exponents_of_both((uint32_t)NB * 16, largest_key, largest_value));
    finish_scales(is_q4, &lanes, (uint32_t)NB * 16);
    struct addresses addresses = addresses_of(is_q4, cache, token);
    HVX_Vector y[8];
    HVX_UNROLL
    for (int i = 0; i < 2 * NB; i++) {
        y[i] = quantised(is_q4, aligned(x[i], exponent_of_one(lanes.largest[4 * i])), lanes.factor[4 * i]);
    }
    /* keys first: storing their words takes long, and the values are computed meanwhile */
    HVX_Vector vpacked = Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(y[NB > 2 ? 3 : 1], y[NB > 2 ? 2 : 0]),
                                           Q6_Vh_vpacke_VwVw(y[1], y[0]));
    *(HVX_Vector *)pairs = bytes_of_keys(is_q4, vpacked);
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        store_key_block(is_q4, &addresses, (uint32_t)i, pairs + (is_q4 ? 2 : 4) * i);
    }
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        store_value_block(is_q4, &addresses, (uint32_t)i, lanes.factor[4 * (NB + i)], y[NB + i]);
    }
    store_sizes(&addresses, largest_key, largest_value);
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        store_scales(is_q4, &addresses, (uint32_t)i, lanes.scale[4 * i], lanes.scale[4 * (NB + i)]);
    }
    return true;
}

/* Stores all blocks, two at a time; a single last block is stored twice at the same place. The lanes of block b are 2 *
 * b of `keys`, and 2 * b + first of `values`. memory: for a vector, also known as `pairs`. */
HVX_INLINE void store_blocks(const bool is_q4, const struct addresses *addresses, const uint8_t *k, const uint8_t *v,
                             uint32_t n_blocks, const struct lanes *keys, const struct lanes *values,
                             const uint32_t first, uint64_t *memory, const uint64_t *pairs) {
    uint32_t last = n_blocks - 1;
    for (uint32_t i = 0; i < n_blocks; i += 2) {
        const uint32_t blocks[2] = {i, i < last ? i + 1 : last};
        HVX_Vector y[4];
        HVX_UNROLL
        for (int j = 0; j < 4; j++) {
            uint32_t block = blocks[j % 2], lane = 2 * block + (j < 2 ? 0 : first);
            const struct lanes *lanes = j < 2 ? keys : values;
            y[j] = aligned(hvx_load_u((j < 2 ? k : v) + block * HVX_BYTES), lanes->exponent[lane]);
            y[j] = quantised(is_q4, y[j], lanes->factor[lane]);
        }
        HVX_Vector vhalves = Q6_Vh_vpacke_VwVw(y[1], y[0]);
        *(HVX_Vector *)memory = bytes_of_keys(is_q4, Q6_Vb_vpacke_VhVh(vhalves, vhalves));
        HVX_UNROLL
        for (int j = 0; j < 2; j++) {
            uint32_t block = blocks[j], lane = 2 * block;
            store_key_block(is_q4, addresses, block, pairs + (is_q4 ? 2 : 4) * j);
            store_value_block(is_q4, addresses, block, values->factor[first + lane], y[2 + j]);
            store_scales(is_q4, addresses, block, keys->scale[lane], values->scale[first + lane]);
        }
    }
}

#define NARROW 8 /* blocks of a key and a value whose lanes share a vector */

/* Appends heads of up to NARROW blocks. */
HVX_INLINE bool append_general(const bool is_q4, const struct phx_cache *cache, const struct phx_token *token) {
    uint64_t memory[16] __attribute__((aligned(HVX_BYTES))), *pairs = unknown(memory);
    HVX_Vector copies[2][NARROW], x[2 * NARROW];
    uint32_t n_blocks = cache->n_blocks, last = n_blocks - 1;
    const uint8_t *k = whole_blocks(token->k, n_blocks, token->width, copies[0]);
    const uint8_t *v = whole_blocks(token->v, n_blocks, token->width, copies[1]);
    HVX_UNROLL
    for (uint32_t i = 0; i < NARROW; i++) {
        uint32_t block = i < last ? i : last;
        x[i] = hvx_load_u(k + block * HVX_BYTES);
        x[NARROW + i] = hvx_load_u(v + block * HVX_BYTES);
    }
    struct lanes lanes;
    HVX_Vector vlargest = largest_of_all(2 * NARROW, is_q4, x);
    fill_exponents(&lanes, vlargest);
    int32_t largest_key = largest_of_lanes(lanes.largest, NARROW, 2);
    int32_t largest_value = largest_of_lanes(lanes.largest + 2 * NARROW, NARROW, 2);
    if (is_special(largest_key, largest_value)) {
        return false;
    }
    fill_lanes(&lanes, is_q4, vlargest, exponents_of_both(HVX_BYTES / 2, largest_key, largest_value));
    finish_scales(is_q4, &lanes, HVX_BYTES / 2);
    struct addresses addresses = addresses_of(is_q4, cache, token);
    store_sizes(&addresses, largest_key, largest_value);
    store_blocks(is_q4, &addresses, k, v, n_blocks, &lanes, &lanes, 2 * NARROW, memory, pairs);
    return true;
}

/* Appends wider heads: key and value have lanes of their own. */
HVX_INLINE bool append_wide(const bool is_q4, const struct phx_cache *cache, const struct phx_token *token) {
    uint64_t memory[16] __attribute__((aligned(HVX_BYTES))), *pairs = unknown(memory);
    HVX_Vector copies[2][MAX_BLOCKS];
    uint32_t n_blocks = cache->n_blocks, last = n_blocks - 1;
    const uint8_t *both[2] = {whole_blocks(token->k, n_blocks, token->width, copies[0]),
                              whole_blocks(token->v, n_blocks, token->width, copies[1])};
    struct lanes lanes[2];
    int32_t largest[2];
    for (uint32_t i = 0; i < 2; i++) {
        HVX_Vector x[MAX_BLOCKS];
        HVX_UNROLL
        for (uint32_t b = 0; b < MAX_BLOCKS; b++) {
            x[b] = hvx_load_u(both[i] + (b < last ? b : last) * HVX_BYTES);
        }
        fill_exponents(&lanes[i], largest_of_all(MAX_BLOCKS, is_q4, x));
        largest[i] = largest_of_lanes(lanes[i].largest, MAX_BLOCKS, 2);
    }
    if (is_special(largest[0], largest[1])) {
        return false;
    }
    for (uint32_t i = 0; i < 2; i++) {
        HVX_Vector vlargest = *(const HVX_Vector *)lanes[i].largest;
        fill_lanes(&lanes[i], is_q4, vlargest, Q6_V_vsplat_R(exponent_of_one(largest[i])));
        finish_scales(is_q4, &lanes[i], i ? 0 : HVX_BYTES - sizeof(int32_t)); /* the last lane is unused */
    }
    struct addresses addresses = addresses_of(is_q4, cache, token);
    store_sizes(&addresses, largest[0], largest[1]);
    store_blocks(is_q4, &addresses, both[0], both[1], n_blocks, &lanes[0], &lanes[1], 0, memory, pairs);
    return true;
}

APPEND(append_q8_32, append_even(1, false, cache, &token))
APPEND(append_q8_64, append_even(2, false, cache, &token))
APPEND(append_q8_128, append_even(4, false, cache, &token))
APPEND(append_q8_general, append_general(false, cache, &token))
APPEND(append_q8_wide, append_wide(false, cache, &token))
APPEND(append_q4_32, append_even(1, true, cache, &token))
APPEND(append_q4_64, append_even(2, true, cache, &token))
APPEND(append_q4_128, append_even(4, true, cache, &token))
APPEND(append_q4_general, append_general(true, cache, &token))
APPEND(append_q4_wide, append_wide(true, cache, &token))

void hvx_append_special(const struct phx_cache *cache, const struct phx_tokens *tokens, uint32_t i) {
    struct phx_token token = phx_token(tokens, i);
    ref_append_token(cache, &token);
}

void hvx_append(const struct phx_cache *cache, const struct phx_tokens *tokens) {
    static void (*const functions[2][5])(const struct phx_cache *, const struct phx_tokens *) = {
        {append_q8_general, append_q8_32, append_q8_64, append_q8_general, append_q8_128},
        {append_q4_general, append_q4_32, append_q4_64, append_q4_general, append_q4_128}};
    if (cache->dtype == PHX_F16) {
        hvx_append_halves(cache, tokens);
        return;
    }
    if (cache->n_blocks > NARROW) {
        (cache->dtype == PHX_Q4_0 ? append_q4_wide : append_q8_wide)(cache, tokens);
        return;
    }
    bool is_whole = tokens->width == cache->n_dims;
    functions[cache->dtype == PHX_Q4_0][is_whole && cache->n_blocks <= 4 ? cache->n_blocks : 0](cache, tokens);
}
