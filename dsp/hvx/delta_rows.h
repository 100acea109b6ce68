/* SPDX-License-Identifier: MIT
 *
 * GATED_DELTA_NET's passes over the rows of a state: the sum of their products with k, and their update.
 */
#ifndef PHX_HVX_DELTA_ROWS_H
#define PHX_HVX_DELTA_ROWS_H

#include "math/hvx/fixed.h"
#include "math/hvx/hvx.h"
#include "ops/rolled.h"

#define UNROLL 4 /* rows of the state per iteration */
#define PAIR 2   /* vectors that are computed together */

/* Columns of a state and of its successor, which may be the same memory. */
struct columns {
    const uint8_t *old, *old_scales;
    uint8_t *state, *scales;
    uint32_t step;            /* bytes between rows, and between the two rows of scales */
    uint32_t n_keys, n_bytes; /* n_bytes: of the row from here on */
};

/* k and q of a token. */
struct keys {
    int32_t *k, *shifted_k, *q; /* shifted_k: right by the headroom */
};

/* The next rows of a state, and their keys; vk and vq have these of up to 32 rows. */
struct key_rows {
    const int32_t *k, *q;
    const uint8_t *old;
    uint8_t *state;
    HVX_Vector vk, vq, vspread;
};

/* One vector of columns of a token. */
struct vector {
    HVX_Vector vexponent, vshift; /* of the old state */
    HVX_Vector vdelta, vseen;     /* vseen: the largest exponent of each lane, which detects NaN and infinity */
    HVX_Vector vunit;
    HVX_Vector vdecay, vkept_shift, vby, vadded_shift; /* factors with which pass 2 computes the new state */
    HVX_Vector vsum, vmost;
    HVX_VectorPred qnan;
};

/* Two vectors are aligned and whole, a single one is neither. */
HVX_INLINE HVX_Vector load_numbers(const uint8_t *p, uint32_t n_bytes, uint32_t n) {
    return n == PAIR ? *(const HVX_Vector *)p : hvx_load_some_u(p, n_bytes);
}

HVX_INLINE void store_numbers(uint8_t *p, HVX_Vector v, uint32_t n_bytes, uint32_t n) {
    if (n == PAIR) {
        *(HVX_Vector *)p = v;
    } else {
        hvx_store_some_u(p, v, n_bytes);
    }
}

/* Returns the first of some numbers in all lanes. v has these numbers; they move on by one. On the DSP vsplat would take
 * the place of a multiplication, which permutations do not. */
HVX_INLINE HVX_Vector splat_next(HVX_Vector *v, const int32_t *numbers, HVX_Vector vspread) {
#ifdef __hexagon__
    HVX_Vector vfirst = Q6_V_vdelta_VV(*v, vspread);
    (void)numbers;
    *v = Q6_V_vror_VR(*v, sizeof(int32_t));
    return vfirst;
#else
    (void)v, (void)vspread;
    return Q6_V_vsplat_R(*numbers);
#endif
}

/* Returns the control with which vdelta copies lane 0 to all lanes. */
HVX_INLINE HVX_Vector spread_control(void) {
    static const int32_t control[HVX_LANES_I32] __attribute__((aligned(HVX_BYTES))) = {
        0x00000000, 0x04040404, 0x08080808, 0x0c0c0c0c, 0x10101010, 0x14141414, 0x18181818, 0x1c1c1c1c,
        0x20202020, 0x24242424, 0x28282828, 0x2c2c2c2c, 0x30303030, 0x34343434, 0x38383838, 0x3c3c3c3c,
        0x40404040, 0x44444444, 0x48484848, 0x4c4c4c4c, 0x50505050, 0x54545454, 0x58585858, 0x5c5c5c5c,
        0x60606060, 0x64646464, 0x68686868, 0x6c6c6c6c, 0x70707070, 0x74747474, 0x78787878, 0x7c7c7c7c,
    };
    return *(const HVX_Vector *)control;
}

HVX_INLINE void sum_rows(const struct columns *columns, struct key_rows *rows, uint32_t n_rows, struct vector *vectors,
                         uint32_t n) {
    HVX_UNROLL
    for (uint32_t i = 0; i < n_rows; i++) {
        HVX_Vector vk = splat_next(&rows->vk, rows->k + i, rows->vspread);
        HVX_UNROLL
        for (uint32_t j = 0; j < n; j++) {
            HVX_Vector v = load_numbers(rows->old + i * columns->step + j * HVX_BYTES, columns->n_bytes, n);
            v = math_multiply_q31(Q6_Vw_vasl_VwVw(v, vectors[j].vshift), vk);
            vectors[j].vsum = Q6_Vw_vadd_VwVw(vectors[j].vsum, v);
        }
    }
}

HVX_INLINE void update_rows(const struct columns *columns, struct key_rows *rows, uint32_t n_rows,
                            struct vector *vectors, uint32_t n) {
    HVX_Vector v[UNROLL][PAIR];
    HVX_UNROLL
    for (uint32_t i = 0; i < n_rows; i++) {
        HVX_Vector vk = splat_next(&rows->vk, rows->k + i, rows->vspread);
        HVX_Vector vq = splat_next(&rows->vq, rows->q + i, rows->vspread);
        HVX_UNROLL
        for (uint32_t j = 0; j < n; j++) {
            struct vector *one = &vectors[j];
            HVX_Vector vold = load_numbers(rows->old + i * columns->step + j * HVX_BYTES, columns->n_bytes, n);
            HVX_Vector vkept = Q6_Vw_vasr_VwVw(math_multiply_q31(vold, one->vdecay), one->vkept_shift);
            HVX_Vector vadded = Q6_Vw_vasr_VwVw(math_multiply_q31(vk, one->vby), one->vadded_shift);
            v[i][j] = Q6_Vw_vadd_VwVw(vkept, vadded);
            one->vmost = Q6_Vw_vmax_VwVw(one->vmost, Q6_Vw_vabs_Vw_sat(v[i][j]));
            one->vsum = Q6_Vw_vadd_VwVw(one->vsum, math_multiply_q31(v[i][j], vq));
        }
    }
    HVX_UNROLL
    for (uint32_t i = 0; i < n_rows; i++) { /* after all loads, since the state may be the old one */
        HVX_UNROLL
        for (uint32_t j = 0; j < n; j++) {
            store_numbers(rows->state + i * columns->step + j * HVX_BYTES, v[i][j], columns->n_bytes, n);
        }
    }
}

HVX_INLINE void load_keys(struct key_rows *rows) {
    rows->vk = *(const HVX_Vector *)rows->k;
    rows->vq = *(const HVX_Vector *)rows->q;
}

HVX_INLINE void for_rows(const struct columns *columns, struct key_rows *rows, uint32_t n_rows, struct vector *vectors,
                         uint32_t n, bool is_update) {
    if (is_update) {
        update_rows(columns, rows, n_rows, vectors, n);
        rows->q += n_rows;
        rows->state += n_rows * columns->step;
    } else {
        sum_rows(columns, rows, n_rows, vectors, n);
    }
    rows->k += n_rows;
    rows->old += n_rows * columns->step;
}

/* Sums the products of all rows with k, or updates all rows. */
HVX_INLINE void for_all_rows(const struct columns *columns, const struct keys *keys, struct vector *vectors, uint32_t n,
                             bool is_update) {
    struct key_rows rows = {.k = is_update ? keys->k : keys->shifted_k,
                            .q = keys->q,
                            .old = columns->old,
                            .state = columns->state,
                            .vspread = spread_control()};
    const uint32_t n_together = n == PAIR ? UNROLL : UNROLL / 2;
    uint32_t left = columns->n_keys;
    for (; left >= HVX_LANES_I32; left -= HVX_LANES_I32) {
        load_keys(&rows);
        for (uint32_t i = HVX_LANES_I32 / n_together; i > 0; i--) {
            for_rows(columns, &rows, n_together, vectors, n, is_update);
        }
    }
    load_keys(&rows); /* perhaps the vector behind the keys */
    PHX_KEEP_ROLLED
    for (; left > 0; left--) {
        for_rows(columns, &rows, 1, vectors, n, is_update);
    }
}

#endif
