/* SPDX-License-Identifier: MIT
 *
 * Pass 1: logits, and the maximum of each head.
 */
#include "attention.h"

/* Codes of four dims: tokens 0..31, and tokens 32..63. */
struct codes {
    HVX_Vector v0, v1;
};

/* The vectors of keys: pointers 16 vectors apart, so that the offsets of all fit into instructions. */
struct keys {
    const HVX_Vector *bases[1 + (1 + 4 * 17 + 8) / 16];
};

HVX_INLINE struct keys keys_at(const void *at, const int n, uint32_t sixteen) {
    struct keys keys;
    keys.bases[0] = at;
    HVX_UNROLL
    for (int i = 1; i <= (n + 8) / 16; i++) {
        keys.bases[i] = keys.bases[i - 1] + sixteen;
    }
    return keys;
}

HVX_INLINE HVX_Vector load_key(const struct keys *keys, const int i) {
    return keys->bases[(i + 8) / 16][(i + 8) % 16 - 8];
}

/* Loads the codes of dims 4 * i and up from vector `first` on. 4-bit codes with odd i share a byte with the previous
 * ones. */
HVX_INLINE struct codes load_codes(const bool is_q4, const struct keys *keys, const int first, const int i) {
    if (!is_q4) {
        return (struct codes){load_key(keys, first + 2 * i), load_key(keys, first + 2 * i + 1)};
    }
    HVX_Vector v0 = load_key(keys, first + i / 2 * 2), v1 = load_key(keys, first + i / 2 * 2 + 1);
    HVX_Vector vlow = Q6_V_vsplat_R(0x0f0f0f0f);
    return i % 2 ? (struct codes){Q6_Vub_vlsr_VubR(v0, 4), Q6_Vub_vlsr_VubR(v1, 4)}
                 : (struct codes){Q6_V_vand_VV(v0, vlow), Q6_V_vand_VV(v1, vlow)};
}

HVX_INLINE int key_vectors(const bool is_q4) {
    return is_q4 ? 9 : 17;
}

/* Multiplies a block of 32 dims and adds to the words of even and odd lanes, or initializes them. */
HVX_INLINE void add_block(const int R, const bool is_q4, const bool is_first, const struct query *query, uint32_t block,
                          const struct keys *keys, const int first_key, HVX_VectorPair *wsums) {
    const int n_vectors = key_vectors(is_q4);
    const struct chunk *chunk = &query->chunks[block / CHUNK];
    const uint32_t at = block % CHUNK;
    HVX_Vector veven[MAX_HEADS], vodd[MAX_HEADS];
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        veven[h] = vodd[h] = chunk->vbias[at][h];
    }
    HVX_UNROLL
    for (int i = 0; i < 8; i += 2) {
        struct codes first = load_codes(is_q4, keys, first_key, i), second = load_codes(is_q4, keys, first_key, i + 1);
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int64_t two = *(const int64_t *)&chunk->words[at][h][i];
            veven[h] = Q6_Vw_vrmpyacc_VwVubRb(veven[h], first.v0, (int32_t)two);
            vodd[h] = Q6_Vw_vrmpyacc_VwVubRb(vodd[h], first.v1, (int32_t)two);
            veven[h] = Q6_Vw_vrmpyacc_VwVubRb(veven[h], second.v0, (int32_t)(two >> 32));
            vodd[h] = Q6_Vw_vrmpyacc_VwVubRb(vodd[h], second.v1, (int32_t)(two >> 32));
        }
    }
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        HVX_Vector vscale = hvx_mpyr_scalar_i16(load_key(keys, first_key + n_vectors - 1), chunk->scales[at][h]);
        HVX_Vector vsum = is_q4 ? Q6_Vh_vshuffe_VhVh(vodd[h], veven[h]) : Q6_Vh_vasr_VwVwR(vodd[h], veven[h], 4);
        wsums[h] = is_first ? Q6_Ww_vmpy_VhVh(vsum, vscale) : Q6_Ww_vmpyacc_WwVhVh(wsums[h], vsum, vscale);
    }
}

HVX_INLINE HVX_VectorPair shifted_down(HVX_VectorPair w, int32_t down) {
    return Q6_W_vcombine_VV(Q6_Vw_vasr_VwR(Q6_V_hi_W(w), down), Q6_Vw_vasr_VwR(Q6_V_lo_W(w), down));
}

/* Sums over all blocks. NB: the number of blocks, or 0: any number. */
HVX_INLINE void add_blocks(const int R, const int NB, const bool is_q4, uint32_t n_blocks, const struct query *query,
                           const uint8_t *tile, uint32_t sixteen, HVX_VectorPair *wsums) {
    const int n_vectors = key_vectors(is_q4);
    struct keys keys = keys_at(tile, NB * n_vectors, NB ? sixteen : 0);
    HVX_UNROLL
    for (int b = 0; b < NB; b++) {
        add_block(R, is_q4, b == 0, query, (uint32_t)b, &keys, 1 + b * n_vectors, wsums);
    }
    if (NB == 0) {
        HVX_VectorPair wbefore[MAX_HEADS];
        int32_t down = phx_codes_down(n_blocks);
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            wbefore[h] = wsums[h] = hvx_w_zero();
        }
        for (uint32_t b = 0; b < n_blocks; b++) {
            if (b % 4 == 0 && b > 0) {
                HVX_UNROLL
                for (int h = 0; h < R; h++) {
                    wbefore[h] = Q6_Ww_vadd_WwWw(wbefore[h], shifted_down(wsums[h], down));
                    wsums[h] = hvx_w_zero();
                }
            }
            keys = keys_at(tile + HVX_BYTES + b * (uint32_t)n_vectors * HVX_BYTES, n_vectors - 1, sixteen);
            add_block(R, is_q4, false, query, b, &keys, 0, wsums);
        }
        if (n_blocks > 4) {
            HVX_UNROLL
            for (int h = 0; h < R; h++) {
                wsums[h] = Q6_Ww_vadd_WwWw(wbefore[h], shifted_down(wsums[h], down));
            }
        }
    }
}

/* Sums of an F16 cache: tokens 0..31 and 32..63, by high and by low bytes. */
struct halves {
    HVX_Vector vhigh[2], vlow[2];
};

/* Adds two dims. */
HVX_INLINE void add_dims(const HVX_Vector *keys, uint64_t two, struct halves *sums) {
    int32_t high = (int32_t)two, low = (int32_t)(two >> 32);
    HVX_UNROLL
    for (int i = 0; i < 2; i++) {
        sums->vhigh[i] = Q6_Vw_vdmpyacc_VwVhRb(sums->vhigh[i], keys[i], high);
        sums->vlow[i] = Q6_Vw_vdmpyacc_VwVhRb(sums->vlow[i], keys[i], low);
    }
}

/* Values hidden from the optimizer, which would otherwise keep a block's keys in registers for all heads and compute
 * their addresses one by one. */
struct unknown {
    uint32_t zero, eight;
};

/* add_blocks() for F16 caches. The last block processes one head after the other, so that work on the sums of one head
 * overlaps the next; the loop for large logits does not, to save code. */
HVX_INLINE void add_halves(const int R, const bool is_large, uint32_t n_blocks, const struct query *query,
                           const uint8_t *tile, struct unknown unknown, HVX_VectorPair *wsums) {
    const int q_step = (int)MAX_BLOCKS * PHX_BLOCK / 2;
    struct halves sums[MAX_HEADS];
    const HVX_Vector *keys = (const HVX_Vector *)(tile + HVX_BYTES);
    const uint64_t *q = query->halves[0];
    int32_t up = phx_halves_up(n_blocks);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        sums[h] = (struct halves){{Q6_V_vzero(), Q6_V_vzero()}, {Q6_V_vzero(), Q6_V_vzero()}};
    }
    for (uint32_t block = is_large ? 0 : 1; block < n_blocks; block++) {
        HVX_UNROLL
        for (int i = 0; i < PHX_BLOCK / 2; i++) {
            HVX_UNROLL
            for (int h = 0; h < R; h++) {
                add_dims(keys + 2 * i, q[h * q_step + i], &sums[h]);
            }
        }
        keys += PHX_BLOCK;
        q += PHX_BLOCK / 2;
    }
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        const HVX_Vector *own = keys + unknown.eight + (uint32_t)h * unknown.zero, *far = own + 2 * unknown.eight;
        HVX_UNROLL
        for (int i = 0; i < PHX_BLOCK / 2 && !is_large; i++) {
            add_dims((i < 8 ? own : far) + 2 * i - (i < 8 ? 8 : 24), q[h * q_step + i], &sums[h]);
        }
        HVX_Vector v0 = Q6_Vw_vaslacc_VwVwR(Q6_Vw_vasr_VwR(sums[h].vlow[0], 8 - up), sums[h].vhigh[0], up);
        HVX_Vector v1 = Q6_Vw_vaslacc_VwVwR(Q6_Vw_vasr_VwR(sums[h].vlow[1], 8 - up), sums[h].vhigh[1], up);
        wsums[h] = Q6_W_vcombine_VV(v1, v0);
    }
}

/* The shifts that convert products to logits: clamped first if they may have to be shifted left, then shifted right. */
struct shift {
    HVX_Vector vshift, vlimit;
};

HVX_INLINE struct shift shift_of(HVX_Vector vbase, HVX_Vector vleast, HVX_Vector vmost, HVX_Vector vexponents) {
    HVX_Vector vshift = hvx_clamp_i32(Q6_Vw_vsub_VwVw(vbase, vexponents), vleast, vmost);
    /* no left shift precedes a right shift: products are within 2^30 */
    HVX_Vector vleft = Q6_Vw_vmax_VwVw(Q6_Vw_vsub_VwVw(Q6_V_vzero(), vshift), Q6_V_vsplat_R(-1));
    return (struct shift){vshift, Q6_Vw_vasr_VwVw(Q6_V_vsplat_R(PHX_LOGIT_LIMIT), vleft)};
}

HVX_INLINE HVX_Vector shifted(const bool is_large, HVX_Vector v, struct shift shift) {
    if (is_large) {
        v = hvx_clamp_i32(v, Q6_Vw_vsub_VwVw(Q6_V_vzero(), shift.vlimit), shift.vlimit);
    }
    return Q6_Vw_vasr_VwVw(v, shift.vshift);
}

/* NB: blocks of an unrolled loop, or 0: any number. is_fetching: prefetches tiles. */
HVX_INLINE void logits(const int R, const int NB, const uint32_t dtype, const bool is_large, const bool is_fetching,
                       const struct phx_attention *op, const struct query *restrict query,
                       const struct tiles *restrict tiles, HVX_Vector *restrict logits,
                       struct gathered *restrict gathered) {
    const uint8_t *all = tiles->keys;
    struct unknown unknown; /* also prevents loading all of q before the loop and spilling it */
    HVX_UNKNOWN(unknown.zero, 0);
    HVX_UNKNOWN(unknown.eight, 8);
    /* 4 heads of 128 dims of 4 bits would take 3 % more packets with hidden offsets */
    const bool is_hidden = is_fetching && !(R == 4 && NB == 4 && dtype == PHX_Q4_0);
    const uint32_t sixteen = is_hidden ? 2 * unknown.eight : 16;
    const uint32_t *pages = tiles->pages, n_tiles = tiles->n, *last = pages + n_tiles - 1;
    const uint64_t box = phx_box(HVX_BYTES, op->key_vectors, HVX_BYTES);
    HVX_Vector vlargest[MAX_HEADS], vspecial = gathered->vspecial;
    HVX_Vector vmultiplier = Q6_V_vsplat_R(op->multiplier), vbase = Q6_V_vsplat_R(op->logit_shift - query->exponent);
    HVX_Vector vleast = Q6_V_vsplat_R(is_large ? -29 : 1), vmost = Q6_V_vsplat_R(31);
    HVX_OPAQUE(vleast);
    HVX_OPAQUE(vmost);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vlargest[h] = gathered->vlargest[h];
    }
    const uint32_t *ahead = is_fetching ? hvx_fetch_first(all, box, pages, last) : NULL;
    for (uint32_t tile = 0; tile < n_tiles; tile++) {
        const uint8_t *keys = all + pages[tile];
        HVX_VectorPair wsums[MAX_HEADS];
        if (is_fetching) {
            ahead = NB == 2 ? phx_fetch_in_order(all + *ahead, box, ahead, last)
                            : phx_fetch_next(all + *ahead, box, ahead, last);
        }
        if (NB == 4 && !(is_large && R > 2 && dtype == PHX_Q8_0)) {
            __asm__("" : "+r"(query)); /* saves packets in most loops that are too long for software pipelining */
        } else {
            query = (const struct query *)((const uint8_t *)query + unknown.zero);
        }
        if (dtype == PHX_F16) {
            add_halves(R, is_large, op->cache.n_blocks, query, keys, unknown, wsums);
        } else {
            add_blocks(R, NB, dtype == PHX_Q4_0, op->cache.n_blocks, query, keys, sixteen, wsums);
        }
        HVX_VectorPair wexponents = hvx_exponents_of(keys);
        HVX_Vector vlow = Q6_V_lo_W(wexponents), vhigh = Q6_V_hi_W(wexponents);
        vspecial = Q6_Vw_vmax_VwVw(vspecial, Q6_Vw_vmax_VwVw(vlow, vhigh));
        struct shift low = shift_of(vbase, vleast, vmost, vlow), high = shift_of(vbase, vleast, vmost, vhigh);
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            HVX_Vector v0 = shifted(is_large, Q6_Vw_vmpye_VwVuh(Q6_V_lo_W(wsums[h]), vmultiplier), low);
            HVX_Vector v1 = shifted(is_large, Q6_Vw_vmpye_VwVuh(Q6_V_hi_W(wsums[h]), vmultiplier), high);
            logits[2 * h] = v0;
            logits[2 * h + 1] = v1;
            vlargest[h] = Q6_Vw_vmax_VwVw(vlargest[h], Q6_Vw_vmax_VwVw(v0, v1));
        }
        logits += 2 * R;
    }
    phx_fetch_end(ahead);
    gathered->vspecial = vspecial;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        gathered->vlargest[h] = vlargest[h];
    }
}

/* What converts a head's sums to logits. */
struct scale {
    HVX_Vector vmultiplier, vbase, vleast, vmost;
};

HVX_INLINE HVX_Vector *finish_one(const struct scale *scale, HVX_VectorPair wsum, HVX_VectorPair wexponents,
                                  HVX_Vector *restrict logits, HVX_Vector *vlargest, HVX_Vector *vspecial) {
    HVX_Vector vlow = Q6_V_lo_W(wexponents), vhigh = Q6_V_hi_W(wexponents);
    struct shift low = shift_of(scale->vbase, scale->vleast, scale->vmost, vlow),
                 high = shift_of(scale->vbase, scale->vleast, scale->vmost, vhigh);
    HVX_Vector v0 = shifted(false, Q6_Vw_vmpye_VwVuh(Q6_V_lo_W(wsum), scale->vmultiplier), low);
    HVX_Vector v1 = shifted(false, Q6_Vw_vmpye_VwVuh(Q6_V_hi_W(wsum), scale->vmultiplier), high);
    *vspecial = Q6_Vw_vmax_VwVw(*vspecial, Q6_Vw_vmax_VwVw(vlow, vhigh));
    *vlargest = Q6_Vw_vmax_VwVw(*vlargest, Q6_Vw_vmax_VwVw(v0, v1));
    logits[0] = v0;
    logits[1] = v1;
    return logits + 2;
}

/* logits() of small logits for a single head, prefetching, with the last steps of a tile among the loads of the next
 * one: the compiler does not pipeline loops with prefetches. Stores come last, because it moves no load above them. */
HVX_INLINE void logits_of_one(const int NB, const bool is_q4, const struct phx_attention *op,
                              const struct query *restrict query, const struct tiles *restrict tiles,
                              HVX_Vector *restrict logits, struct gathered *restrict gathered) {
    const uint8_t *all = tiles->keys;
    const uint32_t *pages = tiles->pages, n_tiles = tiles->n, *last = pages + n_tiles - 1;
    const uint64_t box = phx_box(HVX_BYTES, op->key_vectors, HVX_BYTES);
    uint32_t zero, sixteen;
    HVX_UNKNOWN(zero, 0);
    HVX_UNKNOWN(sixteen, 16);
    HVX_Vector vlargest = gathered->vlargest[0], vspecial = gathered->vspecial;
    struct scale scale = {Q6_V_vsplat_R(op->multiplier), Q6_V_vsplat_R(op->logit_shift - query->exponent),
                          Q6_V_vsplat_R(1), Q6_V_vsplat_R(31)};
    HVX_OPAQUE(scale.vleast);
    HVX_OPAQUE(scale.vmost);
    const uint32_t *ahead = hvx_fetch_first(all, box, pages, last);
    ahead = phx_fetch_in_order(all + *ahead, box, ahead, last);
    HVX_VectorPair wsum, wexponents = hvx_exponents_of(all + pages[0]);
    add_blocks(1, NB, is_q4, NB, query, all + pages[0], sixteen, &wsum);
    for (uint32_t tile = 1; tile < n_tiles; tile++) {
        const uint8_t *keys = all + pages[tile];
        HVX_VectorPair wbefore = wsum, wof_before = wexponents;
        ahead = phx_fetch_in_order(all + *ahead, box, ahead, last);
        query = (const struct query *)((const uint8_t *)query + zero);
        add_blocks(1, NB, is_q4, NB, query, keys, sixteen, &wsum);
        wexponents = hvx_exponents_of(keys);
        logits = finish_one(&scale, wbefore, wof_before, logits, &vlargest, &vspecial);
    }
    finish_one(&scale, wsum, wexponents, logits, &vlargest, &vspecial);
    gathered->vspecial = vspecial;
    gathered->vlargest[0] = vlargest;
}

#define LOGITS(R, NB, dtype, is_large, is_fetching, name)                                                              \
    static __attribute__((noinline)) void logits_##R##_##name(const struct phx_attention *op,                          \
                                                              const struct query *query, const struct tiles *tiles,    \
                                                              HVX_Vector *to, struct gathered *gathered) {             \
        if (R == 1 && NB == 2 && is_fetching) {                                                                        \
            logits_of_one(NB, dtype == PHX_Q4_0, op, query, tiles, to, gathered);                                      \
        } else {                                                                                                       \
            logits(R, NB, dtype, is_large, is_fetching, op, query, tiles, to, gathered);                               \
        }                                                                                                              \
    }
#define LOGITS_OF_HEADS(NB, dtype, is_large, is_fetching, name)                                                        \
    LOGITS(1, NB, dtype, is_large, is_fetching, name)                                                                  \
    LOGITS(2, NB, dtype, is_large, is_fetching, name)                                                                  \
    LOGITS(3, NB, dtype, is_large, is_fetching, name)                                                                  \
    LOGITS(4, NB, dtype, is_large, is_fetching, name)
#define LOGITS_OF_ANY_SIZE(NB, dtype, name)                                                                            \
    LOGITS_OF_HEADS(NB, dtype, false, false, name) LOGITS_OF_HEADS(NB, dtype, true, false, name##_large)
LOGITS_OF_ANY_SIZE(0, PHX_Q8_0, q8)
LOGITS_OF_ANY_SIZE(0, PHX_Q4_0, q4)
LOGITS_OF_ANY_SIZE(0, PHX_F16, f16)
#ifndef PHX_CPU
LOGITS_OF_ANY_SIZE(2, PHX_Q8_0, q8_64)
LOGITS_OF_ANY_SIZE(4, PHX_Q8_0, q8_128)
LOGITS_OF_ANY_SIZE(2, PHX_Q4_0, q4_64)
LOGITS_OF_ANY_SIZE(4, PHX_Q4_0, q4_128)
LOGITS_OF_HEADS(0, PHX_Q8_0, false, true, q8_fetching)
LOGITS_OF_HEADS(2, PHX_Q8_0, false, true, q8_64_fetching)
LOGITS_OF_HEADS(4, PHX_Q8_0, false, true, q8_128_fetching)
LOGITS_OF_HEADS(0, PHX_Q4_0, false, true, q4_fetching)
LOGITS_OF_HEADS(2, PHX_Q4_0, false, true, q4_64_fetching)
LOGITS_OF_HEADS(4, PHX_Q4_0, false, true, q4_128_fetching)
#endif

typedef void (*logits_function)(const struct phx_attention *op, const struct query *query, const struct tiles *tiles,
                                HVX_Vector *logits, struct gathered *gathered);

#define ALL(name) {logits_1_##name, logits_2_##name, logits_3_##name, logits_4_##name}
#define ALL_SIZES(name) {ALL(name), ALL(name##_large)}
#define ALL_KINDS(name) {ALL(name), ALL(name##_large), ALL(name##_fetching)}

void hvx_logits(const struct phx_attention *op, const struct query *query, uint32_t n_heads, const struct tiles *tiles,
                bool is_large, HVX_Vector *to, struct gathered *gathered) {
    static const logits_function of_halves[2][MAX_HEADS] = ALL_SIZES(f16);
    uint32_t kind = is_large;
#ifdef PHX_CPU /* unrolled loops take half a minute to compile and are not faster */
    static const logits_function of_codes[2][1][2][MAX_HEADS] = {{ALL_SIZES(q8)}, {ALL_SIZES(q4)}};
    const uint32_t unrolled = 0;
#else
    static const logits_function of_codes[2][3][3][MAX_HEADS] = {{ALL_KINDS(q8), ALL_KINDS(q8_64), ALL_KINDS(q8_128)},
                                                                 {ALL_KINDS(q4), ALL_KINDS(q4_64), ALL_KINDS(q4_128)}};
    uint32_t n_blocks = op->cache.n_blocks, unrolled = n_blocks == 2 ? 1 : n_blocks == 4 ? 2 : 0;
    kind = op->key_vectors && !is_large ? 2 : kind;
#endif
    logits_function function = op->cache.dtype == PHX_F16
                                   ? of_halves[is_large][n_heads - 1]
                                   : of_codes[op->cache.dtype == PHX_Q4_0][unrolled][kind][n_heads - 1];
    function(op, query, tiles, to, gathered);
}
