/* SPDX-License-Identifier: MIT */
#include "tiles.h"

#define SUPER_BLOCK 256

static const struct phx_weight_type types[] = {
    {PHX_F32, 1, 33, 1, 0, 0},    {PHX_F16, 1, 33, 1, 0, 0},    {PHX_BF16, 1, 33, 1, 0, 0},
    {PHX_Q4_0, 32, 9, 1, 0, 0},   {PHX_Q4_1, 32, 10, 1, 0, 0},  {PHX_Q5_0, 32, 11, 1, 0, 0},
    {PHX_Q5_1, 32, 12, 1, 0, 0},  {PHX_Q8_0, 32, 17, 1, 0, 0},  {PHX_Q2_K, 256, 5, 2, 2, 2},
    {PHX_Q3_K, 256, 7, 2, 1, 2},  {PHX_Q4_K, 256, 9, 1, 5, 0},  {PHX_Q5_K, 256, 11, 1, 5, 0},
    {PHX_Q6_K, 256, 14, 2, 0, 0}, {PHX_IQ4_NL, 32, 9, 1, 0, 0}, {PHX_IQ4_XS, 256, 9, 1, 0, 0},
    {PHX_MXFP4, 32, 9, 1, 0, 0},
};

const struct phx_weight_type *phx_weight_type(uint32_t dtype) {
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].dtype == dtype) {
            return &types[i];
        }
    }
    return NULL;
}

static uint32_t divide_up(uint32_t a, uint32_t b) {
    return (a + b - 1) / b;
}

static uint32_t clog2(uint32_t n) {
    uint32_t c = 0;
    while (1u << c < n) {
        c++;
    }
    return c;
}

uint32_t phx_n_blocks(uint32_t k) {
    return divide_up(k, PHX_BLOCK);
}

uint32_t phx_n_tiles(uint32_t n) {
    return n / PHX_TILE_ROWS + (n % PHX_TILE_ROWS != 0);
}

uint32_t phx_tile_bytes(const struct phx_weight_type *type, uint32_t k) {
    return PHX_TABLE_BYTES + PHX_VECTOR * (phx_n_blocks(k) * type->vectors_per_block +
                                           k / SUPER_BLOCK * type->vectors_per_super);
}

uint32_t phx_super_bytes(const struct phx_weight_type *type) {
    return PHX_VECTOR * (SUPER_BLOCK / PHX_BLOCK * type->vectors_per_block + type->vectors_per_super);
}

uint32_t phx_ds(const struct phx_weight_type *type, uint32_t k) {
    uint32_t needed = clog2(divide_up(phx_n_blocks(k) * type->scales_per_block, 4));
    return needed > type->spare_bits ? needed - type->spare_bits : 0;
}

uint32_t phx_dm(const struct phx_weight_type *type, uint32_t k) {
    return type->vectors_per_super ? clog2(k / SUPER_BLOCK) : 0;
}
