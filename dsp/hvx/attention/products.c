/* SPDX-License-Identifier: MIT
 *
 * Pass 3: weights as bytes times values. Processes two blocks of dims over all tiles at a time, so that sums stay in
 * registers.
 */
#include "attention.h"

/* Codes of eight lanes: one vector, or two of 4 bits. */
struct codes {
    HVX_Vector v0, v1;
};

/* values: the eighth of every 16 vectors, so that the offsets of all fit into instructions. */
HVX_INLINE struct codes load_codes(const bool is_q4, const HVX_Vector *const *values, int i) {
    const HVX_Vector *at = values[i / 16] + i % 16 - 8;
    if (is_q4) {
        return (struct codes){Q6_V_vand_VV(at[0], Q6_V_vsplat_R(0x0f0f0f0f)), Q6_Vub_vlsr_VubR(at[0], 4)};
    }
    return (struct codes){at[0], at[1]};
}

/* Returns the vectors of 32 dims. */
HVX_INLINE int value_vectors(const bool is_q4) {
    return is_q4 ? 8 : 16;
}

/* Computes the sums of a tile's products over NB (1 or 2) blocks. */
HVX_INLINE void multiply(const int R, const int NB, const bool is_q4, const HVX_Vector *const *values,
                         const uint64_t *bytes, uint32_t step, HVX_Vector (*vsums)[2]) {
    const int each = is_q4 ? 1 : 2;
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vsums[h][0] = vsums[h][1] = Q6_V_vzero();
    }
    HVX_UNROLL
    for (int i = 0; i < 8; i++) {
        struct codes first = load_codes(is_q4, values, each * i);
        struct codes second = NB > 1 ? load_codes(is_q4, values, value_vectors(is_q4) + each * i) : first;
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            uint64_t two = bytes[(uint32_t)h * step + i], next = NB > 1 ? bytes[(uint32_t)h * step + 8 + i] : 0;
            vsums[h][0] = Q6_Vuw_vrmpyacc_VuwVubRub(vsums[h][0], first.v0, (uint32_t)two);
            if (NB > 1) {
                vsums[h][1] = Q6_Vuw_vrmpyacc_VuwVubRub(vsums[h][1], second.v0, (uint32_t)next);
                vsums[h][1] = Q6_Vuw_vrmpyacc_VuwVubRub(vsums[h][1], second.v1, (uint32_t)(next >> 32));
            }
            vsums[h][0] = Q6_Vuw_vrmpyacc_VuwVubRub(vsums[h][0], first.v1, (uint32_t)(two >> 32));
        }
    }
}

/* Returns the offsets of 4-bit codes of two blocks: 7 where the last bit of the scale is set, else 8. */
HVX_INLINE HVX_Vector centres_of(HVX_Vector vscales0, HVX_Vector vscales1) {
    HVX_Vector vlast = Q6_V_vand_VV(Q6_Vb_vpacke_VhVh(vscales1, vscales0), Q6_V_vsplat_R(0x01010101));
    return Q6_Vb_vsub_VbVb(Q6_V_vsplat_R(0x08080808), vlast);
}

/* n_pairs: pairs of blocks of a head. */
HVX_INLINE void products(const int R, const int NB, const bool is_q4, uint32_t n_pairs, const struct tiles *tiles,
                         uint32_t block, uint32_t n_blocks, const int32_t *restrict reference,
                         const struct steps *restrict steps, const HVX_Vector *restrict bytes,
                         const struct least *restrict least, HVX_Vector *restrict sums, HVX_Vector *restrict biases) {
    HVX_Vector vtotals[MAX_HEADS][2], vbiases[MAX_HEADS];
    uint32_t eight; /* hidden from the optimizer, which would otherwise compute 32 addresses */
    HVX_UNKNOWN(eight, 8);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        vtotals[h][0] = vtotals[h][1] = vbiases[h] = Q6_V_vzero();
    }
    const uint8_t *all_values = tiles->values;
    const uint8_t *codes = all_values + (1 + n_blocks + (uint32_t)value_vectors(is_q4) * block) * HVX_BYTES;
    const uint32_t *pages = tiles->pages, n_tiles = tiles->n, *last = pages + n_tiles - 1;
    /* where tiles need no prefetching, the loop touches a vector of each */
    const uint64_t box = phx_box(HVX_BYTES, tiles->fetches ? (uint32_t)(NB * value_vectors(is_q4)) : 1, HVX_BYTES);
    const uint32_t *ahead = R > 1 ? hvx_fetch_first(codes, box, pages, last) : NULL;
    for (uint32_t tile = 0; tile < n_tiles; tile++) {
        const HVX_Vector *all = (const HVX_Vector *)(codes + pages[tile]);
        if (R > 1) { /* a single head would take 3 % more packets */
            ahead = is_q4 && R > 2 && NB > 1 ? phx_fetch_in_order(codes + *ahead, box, ahead, last)
                                             : phx_fetch_next(codes + *ahead, box, ahead, last);
        }
        HVX_Vector vproducts[MAX_HEADS][2];
        const HVX_Vector *values[] = {all + eight, all + eight + 2 * eight};
        multiply(R, NB, is_q4, values, (const uint64_t *)bytes, n_pairs * HVX_BYTES / sizeof(uint64_t), vproducts);
        HVX_Vector vcentres = Q6_V_vzero();
        if (is_q4) {
            const HVX_Vector *scales = (const HVX_Vector *)(all_values + pages[tile]) + 1 + block;
            vcentres = centres_of(scales[0], scales[NB - 1]);
        }
        HVX_UNROLL
        for (int h = 0; h < R; h++) {
            int32_t n = least[tile].n[8 * h], shift = (n >> 8) - reference[h];
            shift = shift < 31 ? shift : 31;
            HVX_Vector vfactor = Q6_V_vsplat_R(2 * steps->at[n & 255]);
            if (is_q4) {
                vproducts[h][0] = Q6_Vw_vasl_VwR(vproducts[h][0], 4);
                vproducts[h][1] = Q6_Vw_vasl_VwR(vproducts[h][1], 4);
            }
            vtotals[h][0] = Q6_Vw_vasracc_VwVwR(vtotals[h][0], Q6_Vw_vmpye_VwVuh(vproducts[h][0], vfactor), shift);
            if (NB > 1) {
                vtotals[h][1] = Q6_Vw_vasracc_VwVwR(vtotals[h][1], Q6_Vw_vmpye_VwVuh(vproducts[h][1], vfactor), shift);
            }
            HVX_Vector vbytes = bytes[(uint32_t)h * n_pairs];
            HVX_Vector vsum = is_q4 ? Q6_Vuw_vrmpy_VubVub(vbytes, vcentres) : Q6_Vuw_vrmpy_VubRub(vbytes, 0x01010101);
            vsum = Q6_Vw_vmpye_VwVuh(Q6_Vw_vasl_VwR(vsum, is_q4 ? 8 : 11), vfactor);
            vbiases[h] = Q6_Vw_vasracc_VwVwR(vbiases[h], vsum, shift);
        }
        bytes += (uint32_t)R * n_pairs;
    }
    phx_fetch_end(ahead);
    HVX_UNROLL
    for (int h = 0; h < R; h++) {
        sums[(uint32_t)h * n_blocks + block] = vtotals[h][0];
        if (NB > 1) {
            sums[(uint32_t)h * n_blocks + block + 1] = vtotals[h][1];
        }
        biases[(uint32_t)h * n_pairs + block / 2] = vbiases[h];
    }
}

#define SIGNATURE(name)                                                                                                \
    static __attribute__((noinline)) void name(const struct tiles *tiles, uint32_t block, uint32_t n_pairs,            \
                                               uint32_t n_blocks, const int32_t *reference, const struct steps *steps, \
                                               const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,   \
                                               HVX_Vector *biases)
#define PRODUCTS_OF_PAIRS(R, NB, is_q4, name, pairs)                                                                   \
    SIGNATURE(products_##R##_##name) {                                                                                 \
        (void)n_pairs;                                                                                                 \
        products(R, NB, is_q4, pairs, tiles, block, n_blocks, reference, steps, bytes, least, sums, biases);           \
    }
#define PRODUCTS(R)                                                                                                    \
    PRODUCTS_OF_PAIRS(R, 1, false, q8_1, n_pairs)                                                                      \
    PRODUCTS_OF_PAIRS(R, 2, false, q8_2, n_pairs)                                                                      \
    PRODUCTS_OF_PAIRS(R, 1, true, q4_1, n_pairs)                                                                       \
    PRODUCTS_OF_PAIRS(R, 2, true, q4_2, n_pairs)
PRODUCTS(1)
PRODUCTS(2)
PRODUCTS(3)
PRODUCTS(4)
PRODUCTS_OF_PAIRS(3, 2, false, q8_64, 1) /* 4 to 9 % fewer packets */
PRODUCTS_OF_PAIRS(4, 2, false, q8_64, 1)
PRODUCTS_OF_PAIRS(4, 2, false, q8_128, 2)
PRODUCTS_OF_PAIRS(4, 2, true, q4_128, 2)

typedef void (*products_function)(const struct tiles *tiles, uint32_t block, uint32_t n_pairs, uint32_t n_blocks,
                                  const int32_t *reference, const struct steps *steps, const HVX_Vector *bytes,
                                  const struct least *least, HVX_Vector *sums, HVX_Vector *biases);

void hvx_products(const struct phx_attention *op, uint32_t n_heads, const struct tiles *tiles, const int32_t *reference,
                  const struct steps *steps, const HVX_Vector *bytes, const struct least *least, HVX_Vector *sums,
                  HVX_Vector *biases) {
    static const products_function of_one[MAX_HEADS][2] = {{products_1_q8_1, products_1_q4_1},
                                                           {products_2_q8_1, products_2_q4_1},
                                                           {products_3_q8_1, products_3_q4_1},
                                                           {products_4_q8_1, products_4_q4_1}};
    /* heads of any size, of 64, of 128 */
    static const products_function of_two[MAX_HEADS][2][3] = {
        {{products_1_q8_2, products_1_q8_2, products_1_q8_2}, {products_1_q4_2, products_1_q4_2, products_1_q4_2}},
        {{products_2_q8_2, products_2_q8_2, products_2_q8_2}, {products_2_q4_2, products_2_q4_2, products_2_q4_2}},
        {{products_3_q8_2, products_3_q8_64, products_3_q8_2}, {products_3_q4_2, products_3_q4_2, products_3_q4_2}},
        {{products_4_q8_2, products_4_q8_64, products_4_q8_128}, {products_4_q4_2, products_4_q4_2, products_4_q4_128}},
    };
    uint32_t n_blocks = op->cache.n_blocks, n_pairs = (n_blocks + 1) / 2;
    bool is_q4 = op->cache.dtype == PHX_Q4_0;
    if (op->cache.dtype == PHX_F16) {
        hvx_products_halves(op, n_heads, tiles, reference, bytes, least, sums, biases);
        return;
    }
    products_function two = of_two[n_heads - 1][is_q4][n_blocks == 2 ? 1 : n_blocks == 4 ? 2 : 0];
    for (uint32_t block = 0; block < n_blocks; block += 2) {
        products_function function = block + 1 < n_blocks ? two : of_one[n_heads - 1][is_q4];
        function(tiles, block, n_pairs, n_blocks, reference, steps, bytes + block / 2, least, sums, biases);
    }
}
