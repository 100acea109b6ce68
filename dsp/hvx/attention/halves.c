/* SPDX-License-Identifier: MIT
 *
 * Functions of F16 caches (reference: dsp/ref/attention/halves.c). Keys: two multiplications of int16 by bytes give a
 * word, alternately with q's high and low bytes. Values: multiplications of bytes, three for each of int16.
 */
#include "quantise.h"
#include "ref/attention/append.h"

/* Splits 32 numbers of 15 bits into bytes. Two neighbours become two words: their high bytes, twice; then their low
 * bytes, twice. */
HVX_INLINE HVX_Vector split_bytes(HVX_Vector v) {
    v = Q6_V_vxor_VV(Q6_Vh_vadd_VhVh(v, hvx_splat_i16(128)), hvx_splat_i16(128));
    HVX_Vector vdealt = Q6_Vb_vdeal_Vb(v); /* all low bytes, then all high bytes */
    HVX_VectorPair wtwice = Q6_W_vshuff_VVR(vdealt, vdealt, -2);
    return Q6_V_lo_W(Q6_W_vshuff_VVR(Q6_V_lo_W(wtwice), Q6_V_hi_W(wtwice), -4));
}

/* Converts a block of floats to int16 in the low halves of words; q has `less` bits fewer. */
HVX_INLINE HVX_Vector as_halves(HVX_Vector v, int32_t exponent, const int less) {
    v = math_to_i32(v, Q6_V_vsplat_R(exponent));
    v = less ? Q6_Vw_vasr_VwR(v, less) : v;
    return Q6_Vh_vround_VwVw_sat(v, v);
}

/* --- CACHE_APPEND --- */

/* Returns the largest magnitudes: keys in the first half, values in the second. */
HVX_INLINE HVX_Vector largest_of_both(HVX_Vector vk, HVX_Vector vv) {
    HVX_Vector v = hvx_max_neighbours_i32(vk, vv);
    HVX_UNROLL
    for (int distance = HVX_BYTES / 4; distance >= 4; distance /= 2) {
        v = Q6_Vw_vmax_VwVw(v, Q6_V_vror_VR(v, distance));
    }
    return v;
}

/* Addresses of a token's key and value, and the byte position in a value's words. One byte of a code is stored
 * directly, the other one after rotating the vector by a byte. */
struct half_addresses {
    uint8_t *key;
    HVX_Vector *value_as_it_is, *value_rotated;
    int32_t rotation;
    HVX_VectorPred qbyte;
};

/* Also stores the exponents. */
HVX_INLINE struct half_addresses half_addresses_of(const struct phx_cache *cache, const struct phx_token *token,
                                                   int32_t key_exponent, int32_t value_exponent) {
    uint32_t number = token->position % TOKENS, lane = phx_cache_lane(token->position);
    uint8_t *key = token->tiles, *value = token->tiles + cache->tile_bytes;
    ((int16_t *)key)[lane] = (int16_t)(key_exponent >> 23);
    ((int16_t *)value)[lane] = (int16_t)(value_exponent >> 23);
    HVX_Vector *high = (HVX_Vector *)value + 1 + lane / 4 * 2, *low = high + 1;
    bool is_odd = lane % 2;
    return (struct half_addresses){
        .key = key + HVX_BYTES + number / 32 * HVX_BYTES + number % 32 * sizeof(int32_t),
        .value_as_it_is = is_odd ? high : low,
        .value_rotated = is_odd ? low : high,
        .rotation = is_odd ? -1 : 1,
        .qbyte = Q6_Q_vcmp_eq_VbVb(Q6_V_vsplat_R((int32_t)(0xffu << lane % 4 * 8)), Q6_V_vsplat_R(-1))};
}

/* Flips the sign bit, which makes the codes unsigned. */
HVX_INLINE void store_value_halves(const struct half_addresses *addresses, uint32_t block, HVX_Vector v) {
    v = Q6_V_vxor_VV(v, hvx_splat_i16((int16_t)0x8000));
    Q6_vmem_QRIV(addresses->qbyte, addresses->value_as_it_is + block * PHX_BLOCK, v);
    Q6_vmem_QRIV(addresses->qbyte, addresses->value_rotated + block * PHX_BLOCK, Q6_V_vror_VR(v, addresses->rotation));
}

/* Stores n words of two dims each, from an even one on. */
HVX_INLINE void store_key_words(const int n, uint8_t *key, const uint64_t *pairs) {
    HVX_UNROLL
    for (int i = 0; i < n; i += 8) {
        uint64_t four[4] = {pairs[i / 2], pairs[i / 2 + 1], pairs[i / 2 + 2], pairs[i / 2 + 3]};
        HVX_UNROLL
        for (int j = 0; j < 8; j++) {
            *(uint32_t *)(key + 2 * (i + j) * HVX_BYTES) = (uint32_t)(four[j / 2] >> (j % 2 * 32));
        }
    }
}

HVX_INLINE bool needs_reference(int32_t largest_key, int32_t largest_value) {
    return largest_key >= MATH_INFINITY || largest_value >= REF_VALUE_LIMIT;
}

/* Appends whole heads of NB blocks, 2 or 4: key and value together. */
HVX_INLINE bool append_even(const int NB, const struct phx_cache *cache, const struct phx_token *token) {
    uint64_t memory[32] __attribute__((aligned(HVX_BYTES))), *pairs = unknown(memory);
    HVX_Vector xk[4], xv[4], vk = Q6_V_vzero(), vv = Q6_V_vzero();
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        xk[i] = hvx_load_u(token->k + i * HVX_BYTES);
        xv[i] = hvx_load_u(token->v + i * HVX_BYTES);
        vk = Q6_Vw_vmax_VwVw(vk, math_mask(xk[i], MATH_MAGNITUDE));
        vv = Q6_Vw_vmax_VwVw(vv, math_mask(xv[i], MATH_MAGNITUDE));
    }
    HVX_Vector vlargest = largest_of_both(vk, vv);
    int32_t largest_key = Q6_R_vextract_VR(vlargest, 0), largest_value = Q6_R_vextract_VR(vlargest, HVX_BYTES / 2);
    if (needs_reference(largest_key, largest_value)) {
        return false;
    }
    int32_t key_exponent = exponent_of_one(largest_key), value_exponent = exponent_of_one(largest_value);
    struct half_addresses addresses = half_addresses_of(cache, token, key_exponent, value_exponent);
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        xk[i] = as_halves(xk[i], key_exponent, 0);
    }
    HVX_UNROLL
    for (int i = 0; i < NB; i += 2) {
        ((HVX_Vector *)pairs)[i / 2] = Q6_Vh_vpacke_VwVw(xk[i + 1], xk[i]);
    }
    HVX_UNROLL
    for (int i = 0; i < NB; i++) {
        store_value_halves(&addresses, (uint32_t)i, as_halves(xv[i], value_exponent, 0));
    }
    HVX_UNROLL
    for (int i = 0; i < NB / 2; i++) {
        store_key_words(PHX_BLOCK, addresses.key + i * 2 * PHX_BLOCK * HVX_BYTES, pairs + 16 * i);
    }
    return true;
}

/* Appends heads of any size, two blocks at a time; a single last block is stored twice at the same place. */
HVX_INLINE bool append_general(const struct phx_cache *cache, const struct phx_token *token) {
    uint64_t memory[16] __attribute__((aligned(HVX_BYTES))), *pairs = unknown(memory);
    HVX_Vector copies[2][PHX_CACHE_MAX_BLOCKS], vk = Q6_V_vzero(), vv = Q6_V_vzero();
    uint32_t n_blocks = cache->n_blocks, last = n_blocks - 1;
    const uint8_t *k = whole_blocks(token->k, n_blocks, token->width, copies[0]);
    const uint8_t *v = whole_blocks(token->v, n_blocks, token->width, copies[1]);
    for (uint32_t i = 0; i < n_blocks; i++) {
        vk = Q6_Vw_vmax_VwVw(vk, math_mask(hvx_load_u(k + i * HVX_BYTES), MATH_MAGNITUDE));
        vv = Q6_Vw_vmax_VwVw(vv, math_mask(hvx_load_u(v + i * HVX_BYTES), MATH_MAGNITUDE));
    }
    HVX_Vector vlargest = largest_of_both(vk, vv);
    int32_t largest_key = Q6_R_vextract_VR(vlargest, 0), largest_value = Q6_R_vextract_VR(vlargest, HVX_BYTES / 2);
    if (needs_reference(largest_key, largest_value)) {
        return false;
    }
    int32_t key_exponent = exponent_of_one(largest_key), value_exponent = exponent_of_one(largest_value);
    struct half_addresses addresses = half_addresses_of(cache, token, key_exponent, value_exponent);
    for (uint32_t i = 0; i < n_blocks; i += 2) {
        const uint32_t blocks[2] = {i, i < last ? i + 1 : last};
        HVX_Vector y[4];
        HVX_UNROLL
        for (int j = 0; j < 4; j++) {
            y[j] = hvx_load_u((j < 2 ? k : v) + blocks[j % 2] * HVX_BYTES);
            y[j] = as_halves(y[j], j < 2 ? key_exponent : value_exponent, 0);
        }
        *(HVX_Vector *)memory = Q6_Vh_vpacke_VwVw(y[1], y[0]);
        HVX_UNROLL
        for (int j = 0; j < 2; j++) {
            store_value_halves(&addresses, blocks[j], y[2 + j]);
            store_key_words(PHX_BLOCK / 2, addresses.key + blocks[j] * PHX_BLOCK * HVX_BYTES, pairs + 8 * j);
        }
    }
    return true;
}

APPEND(append_64, append_even(2, cache, &token))
APPEND(append_128, append_even(4, cache, &token))
APPEND(append_of_general, append_general(cache, &token))

void hvx_append_halves(const struct phx_cache *cache, const struct phx_tokens *tokens) {
    uint32_t n_blocks = tokens->width == cache->n_dims ? cache->n_blocks : 0;
    (n_blocks == 2 ? append_64 : n_blocks == 4 ? append_128 : append_of_general)(cache, tokens);
}

/* --- q --- */

/* Returns the largest magnitude of each head: that of head h in lane 8 * h. */
HVX_INLINE HVX_Vector largest_of_heads(const int R, const uint8_t *q, uint32_t q_step, uint32_t n_blocks,
                                       uint32_t width) {
    HVX_Vector v[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < (int)MAX_HEADS; h++) {
        v[h] = Q6_V_vzero();
    }
    for (uint32_t block = 0; block < n_blocks; block++) {
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            HVX_Vector vx = load_block(q + (uint32_t)h * q_step, block, width);
            v[h] = Q6_Vw_vmax_VwVw(v[h], math_mask(vx, MATH_MAGNITUDE));
        }
    }
    v[0] = hvx_max_neighbours_i32(hvx_max_neighbours_i32(v[0], v[1]), hvx_max_neighbours_i32(v[2], v[3]));
    HVX_UNROLL
    for (int distance = 16; distance >= 4; distance /= 2) {
        v[0] = Q6_Vw_vmax_VwVw(v[0], Q6_V_vror_VR(v[0], distance));
    }
    return v[0];
}

HVX_INLINE void prepare(const int R, const struct phx_attention *op, const struct phx_heads *heads,
                        struct query *query) {
    const uint8_t *q = heads->q;
    uint32_t q_step = heads->q_step, n_blocks = op->cache.n_blocks, width = op->width;
    int32_t own[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES)));
    *(HVX_Vector *)own = largest_of_heads(R, q, q_step, n_blocks, width);
    int32_t largest = 0, kept[MAX_HEADS], special = 0;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        bool is_special = own[8 * h] >= MATH_INFINITY;
        kept[h] = is_special ? 0 : -1;
        special |= is_special << h;
        largest = !is_special && own[8 * h] > largest ? own[8 * h] : largest;
    }
    int32_t exponent = exponent_of_one(largest);
    query->is_special = special;
    query->exponent = exponent >> 23;
    for (uint32_t block = 0; block < n_blocks; block++) {
        HVX_Vector v[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            v[h] = load_block(q + (uint32_t)h * q_step, block, width);
            v[h] = as_halves(Q6_V_vand_VV(v[h], Q6_V_vsplat_R(kept[h])), exponent, 1);
            v[h] = split_bytes(Q6_Vh_vpacke_VwVw(v[h], v[h]));
        }
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            ((HVX_Vector *)query->halves[h])[block] = v[h];
        }
    }
}

/* --- Weights: all low bytes, then all high bytes, one vector per head and tile --- */

HVX_INLINE HVX_Vector shifted(HVX_Vector v, HVX_Vector vshift) {
    return Q6_Vh_vlsr_VhVh(v, Q6_Vh_vmin_VhVh(vshift, hvx_splat_i16(15)));
}

HVX_INLINE HVX_Vector halved(HVX_Vector v) {
    return Q6_Vh_vavg_VhVh_rnd(v, Q6_V_vzero());
}

/* Converts even numbers up to 32768 to bytes: halves and doubles them. */
HVX_INLINE HVX_Vector bytes_of(HVX_Vector v) {
    v = Q6_V_vand_VV(Q6_Vh_vadd_VhVh(v, hvx_splat_i16(129)), hvx_splat_i16(-2));
    return Q6_Vb_vdeal_Vb(Q6_V_vxor_VV(v, hvx_splat_i16(128)));
}

HVX_INLINE void weights(const int R, const struct tiles *tiles, const int32_t *largest, uint32_t up,
                        const HVX_Vector *restrict logits, HVX_Vector *restrict bytes, struct least *restrict least,
                        struct gathered *gathered) {
    HVX_Vector vsums[MAX_HEADS], vlargest[MAX_HEADS], vleast = gathered->vleast, vup = hvx_splat_i16(2 << up);
    HVX_Vector vmost = Q6_V_vmux_QVV(Q6_Q_vsetq_R(HVX_BYTES / 2), hvx_splat_i16(INT16_MAX),
                                     hvx_splat_i16(PHX_HALVES_MAX_N));
    const uint8_t *all = tiles->values;
    const uint32_t *pages = tiles->pages;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vsums[h] = gathered->vweights[h];
        vlargest[h] = Q6_V_vsplat_R(largest[h]);
    }
    for (uint32_t tile = 0; tile < tiles->n; tile++) {
        HVX_Vector vw[MAX_HEADS];
        HVX_Vector vbytes[MAX_HEADS];
        struct unit units[MAX_HEADS];
        int32_t k[MAX_HEADS], n[MAX_HEADS];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            HVX_Vector vt0 = Q6_Vw_vsub_VwVw_sat(vlargest[h], logits[2 * h]);
            HVX_Vector vt1 = Q6_Vw_vsub_VwVw_sat(vlargest[h], logits[2 * h + 1]);
            units[h].vk = Q6_Vh_vshuffo_VhVh(vt1, vt0);
            HVX_Vector vfraction = Q6_V_vand_VV(Q6_Vh_vasr_VwVwR(vt1, vt0, 1), hvx_splat_i16(INT16_MAX));
            vw[h] = math_exp2_negative_q15(vfraction);
        }
        HVX_Vector vsizes = hvx_visible_sizes(all + pages[tile], logits);
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            units[h].vkey = Q6_Vh_vsub_VhVh_sat(units[h].vk, vsizes);
        }
        HVX_Vector vfound = Q6_Vh_vmin_VhVh(hvx_find_least(R, units), vmost);
        *(HVX_Vector *)least = vfound;
        vleast = Q6_Vh_vmin_VhVh(vleast, vfound);
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            k[h] = least->k[8 * h];
            n[h] = least->n[8 * h];
        }
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            HVX_Vector vweights = halved(shifted(vw[h], Q6_Vh_vsub_VhVh(units[h].vk, Q6_Vh_vsplat_R(k[h]))));
            vsums[h] = Q6_Vw_vasracc_VwVwR(vsums[h], Q6_Vw_vdmpy_VhVh_sat(vweights, vup), k[h] < 31 ? k[h] : 31);
            vbytes[h] = bytes_of(shifted(vw[h], Q6_Vh_vsub_VhVh_sat(units[h].vkey, Q6_Vh_vsplat_R(n[h]))));
        }
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            bytes[h] = vbytes[h];
        }
        logits += 2 * R;
        bytes += R;
        least++;
    }
    gathered->vleast = vleast;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        gathered->vweights[h] = vsums[h];
    }
}

/* --- Products --- */

/* Returns the weight bytes of 4 tokens. */
HVX_INLINE int32_t word_of(const uint64_t *weights, int i) {
    return (int32_t)(weights[i / 2] >> (i % 2 * 32));
}

/* Accumulates two sums: high by high bytes, and high by low bytes. The order gives the shortest loops. */
HVX_INLINE void multiply(const int R, const HVX_Vector *values, const uint64_t *weights, HVX_Vector *vhigh,
                         HVX_Vector *vlow) {
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vhigh[h] = vlow[h] = Q6_V_vzero();
    }
    HVX_UNROLL
    for (int i = 0; i < 16; i++) {
        HVX_Vector vcodes_high = values[2 * i], vcodes_low = values[2 * i + 1];
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            vlow[h] = Q6_Vuw_vrmpyacc_VuwVubRub(vlow[h], vcodes_low, (uint32_t)word_of(weights + 16 * h + 8, i));
        }
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            vhigh[h] = Q6_Vuw_vrmpyacc_VuwVubRub(vhigh[h], vcodes_high, (uint32_t)word_of(weights + 16 * h + 8, i));
        }
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            vlow[h] = Q6_Vw_vrmpyacc_VwVubRb(vlow[h], vcodes_high, word_of(weights + 16 * h, i));
        }
    }
}

HVX_INLINE void products(const int R, const struct tiles *tiles, uint32_t block, const int32_t *restrict reference,
                         const HVX_Vector *restrict bytes, const struct least *restrict least, HVX_Vector *vtotals) {
    uint32_t codes = (1 + PHX_BLOCK * block) * HVX_BYTES;
    for (uint32_t tile = 0; tile < tiles->n; tile++) {
        const HVX_Vector *values = (const HVX_Vector *)(tiles->values + tiles->pages[tile] + codes);
        HVX_Vector vhigh[MAX_HEADS], vlow[MAX_HEADS];
        multiply(R, values, (const uint64_t *)bytes, vhigh, vlow);
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int32_t shift = least[tile].n[8 * h] - reference[h];
            HVX_Vector vsum = Q6_Vw_vaslacc_VwVwR(vlow[h], vhigh[h], 8);
            vtotals[h] = Q6_Vw_vasracc_VwVwR(vtotals[h], vsum, shift < 31 ? shift : 31);
        }
        bytes += R;
    }
}

/* Computes the offset of unsigned codes, which is the same for all dims: 16 sums, twice. */
HVX_INLINE void biases(const int R, const struct tiles *tiles, const int32_t *restrict reference,
                       const HVX_Vector *restrict bytes, const struct least *restrict least, HVX_Vector *vbiases) {
    HVX_VectorPred qlow = Q6_Q_vsetq_R(HVX_BYTES / 2);
    HVX_Vector vfactors_low = Q6_V_vand_QV(qlow, Q6_V_vsplat_R(-1));
    HVX_Vector vfactors_high = Q6_V_vand_QnV(qlow, Q6_V_vsplat_R(0x01010101));
    HVX_Vector vup = Q6_V_vmux_QVV(qlow, Q6_V_vsplat_R(3), Q6_V_vsplat_R(19));
    for (uint32_t tile = 0; tile < tiles->n; tile++) {
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int32_t shift = least[tile].n[8 * h] - reference[h];
            HVX_Vector v = Q6_Vw_vrmpy_VubVb(vfactors_low, bytes[h]);
            v = Q6_Vw_vasl_VwVw(Q6_Vuw_vrmpyacc_VuwVubVub(v, vfactors_high, bytes[h]), vup);
            vbiases[h] = Q6_Vw_vasracc_VwVwR(vbiases[h], v, shift < 31 ? shift : 31);
        }
        bytes += R;
    }
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vbiases[h] = Q6_Vw_vadd_VwVw(vbiases[h], Q6_V_vror_VR(vbiases[h], HVX_BYTES / 2));
    }
}

#define OF_HEADS(R)                                                                                                    \
    static __attribute__((noinline)) void prepare_##R(const struct phx_attention *op, const struct phx_heads *heads,   \
                                                      struct query *query) {                                           \
        prepare(R, op, heads, query);                                                                                  \
    }                                                                                                                  \
    static __attribute__((noinline)) void weights_##R(const struct tiles *tiles, const int32_t *largest, uint32_t up,  \
                                                      const HVX_Vector *logits, HVX_Vector *bytes,                     \
                                                      struct least *least, struct gathered *gathered) {                \
        weights(R, tiles, largest, up, logits, bytes, least, gathered);                                                \
    }                                                                                                                  \
    static __attribute__((noinline)) void products_##R(const struct tiles *tiles, uint32_t block,                      \
                                                       const int32_t *reference, const HVX_Vector *bytes,              \
                                                       const struct least *least, HVX_Vector *sums, uint32_t step) {   \
        HVX_Vector vtotals[MAX_HEADS];                                                                                 \
        HVX_UNROLL                                                                                                     \
        for (int h = 0; h < R; h++) {                                                                                  \
            vtotals[h] = Q6_V_vzero();                                                                                 \
        }                                                                                                              \
        products(R, tiles, block, reference, bytes, least, vtotals);                                                   \
        HVX_UNROLL                                                                                                     \
        for (int h = 0; h < R; h++) {                                                                                  \
            sums[(uint32_t)h * step] = vtotals[h];                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    static __attribute__((noinline)) void biases_##R(const struct tiles *tiles, const int32_t *reference,              \
                                                     const HVX_Vector *bytes, const struct least *least,               \
                                                     HVX_Vector *to, uint32_t step) {                                  \
        HVX_Vector vbiases[MAX_HEADS];                                                                                 \
        HVX_UNROLL                                                                                                     \
        for (int h = 0; h < R; h++) {                                                                                  \
            vbiases[h] = Q6_V_vzero();                                                                                 \
        }                                                                                                              \
        biases(R, tiles, reference, bytes, least, vbiases);                                                            \
        for (uint32_t i = 0; i < step; i++) {                                                                          \
            HVX_UNROLL                                                                                                 \
            for (int h = 0; h < R; h++) {                                                                              \
                to[(uint32_t)h * step + i] = vbiases[h];                                                               \
            }                                                                                                          \
        }                                                                                                              \
    }
OF_HEADS(1)
OF_HEADS(2)
OF_HEADS(3)
OF_HEADS(4)

void hvx_prepare_halves(const struct phx_attention *op, const struct phx_heads *heads, struct query *query) {
    static void (*const functions[MAX_HEADS])(const struct phx_attention *, const struct phx_heads *,
                                              struct query *) = {prepare_1, prepare_2, prepare_3, prepare_4};
    functions[heads->n_heads - 1](op, heads, query);
}

void hvx_weights_halves(uint32_t n_heads, const struct tiles *tiles, const int32_t *largest, uint32_t up,
                        const HVX_Vector *logits, HVX_Vector *bytes, struct least *least, struct gathered *gathered) {
    static void (*const functions[MAX_HEADS])(const struct tiles *, const int32_t *, uint32_t, const HVX_Vector *,
                                              HVX_Vector *, struct least *,
                                              struct gathered *) = {weights_1, weights_2, weights_3, weights_4};
    functions[n_heads - 1](tiles, largest, up, logits, bytes, least, gathered);
}

void hvx_products_halves(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles,
                         const int32_t *reference, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                         HVX_Vector *to_biases) {
    static void (*const functions[MAX_HEADS])(const struct tiles *, uint32_t, const int32_t *, const HVX_Vector *,
                                              const struct least *, HVX_Vector *,
                                              uint32_t) = {products_1, products_2, products_3, products_4};
    static void (*const of_biases[MAX_HEADS])(const struct tiles *, const int32_t *, const HVX_Vector *,
                                              const struct least *, HVX_Vector *,
                                              uint32_t) = {biases_1, biases_2, biases_3, biases_4};
    uint32_t n_blocks = op->cache.n_blocks;
    for (uint32_t block = 0; block < n_blocks; block++) {
        functions[n_heads - 1](tiles, block, reference, bytes, least, sums + block, n_blocks);
    }
    of_biases[n_heads - 1](tiles, reference, bytes, least, to_biases, (n_blocks + 1) / 2);
}
