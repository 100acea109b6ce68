/* SPDX-License-Identifier: MIT
 *
 * ROPE in HVX (reference: dsp/ref/rope.c): 32 pairs of a row at a time. The sines and cosines are computed once for all
 * rows with the same positions: the heads of a token.
 *
 * If NaN, infinity or a number that could overflow turns up, the reference function recomputes those rows. Work memory
 * therefore keeps a copy of what is rotated in place.
 *
 * Reads and writes whole vectors within a row, and at its end only aligned vectors that contain elements of it.
 */
#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"
#include "math/hvx/sine_cosine.h"
#include "ref/rope.h"

PHX_DECLARE_KERNELS(rope)

#define LANES HVX_LANES_I32

/* Rows with the same positions, a constant step apart. */
struct heads {
    uint8_t *dst;
    const uint8_t *x;
    uint32_t dst_step;
    uint32_t x_step;
    uint32_t n;
};

/* Up to 32 pairs, with the angles common to all rows. */
struct block {
    const HVX_Vector *angles; /* sine, cosine */
    int32_t unit;             /* the exponent of the integers' top bit, relative to that of their row */
    uint32_t n_pairs;
    uint32_t second; /* bytes from the first to the second vector of a pair */
};

struct pair {
    HVX_Vector v0, v1;
};

/* Integers, and in the last 8 bits of vtop the exponent of a number whose top bit is that of a word. */
struct integers {
    HVX_Vector v0, v1, vtop;
};

/* Returns the low 32 bits of a product. */
HVX_INLINE HVX_Vector multiply_low_i32(HVX_Vector va, HVX_Vector vb) {
    return Q6_Vw_vadd_VwVw(Q6_Vw_vmpyie_VwVuh(va, vb), Q6_Vw_vasl_VwR(Q6_Vw_vmpyio_VwVh(va, vb), 16));
}

/* Returns the block that starts at a pair. */
static struct block block_of(const struct ref_rope *rope, uint32_t first_pair, const HVX_Vector *angles) {
    uint32_t n_pairs = rope->n_pairs - first_pair;
    return (struct block){angles + first_pair / LANES * 2, rope->unit + 30 * MATH_EXPONENT_ONE,
                          n_pairs < LANES ? n_pairs : LANES,
                          rope->next == 1 ? rope->n_pairs * sizeof(float) : HVX_BYTES};
}

/* rotation_of() of dsp/ref/rope.c for n (at most 2) blocks from offset `at` of the table's rows: sine, cosine, and the
 * sine of the next block. Two blocks are interleaved, since the steps of one depend on each other. */
HVX_INLINE HVX_Vector *find_angles_of_blocks(const struct ref_rope *rope, const uint8_t *positions, uint32_t at,
                                             uint32_t n, HVX_Vector *angles) {
    const uint8_t *turns = rope->turns->data + at;
    uint32_t step = rope->turns->view.nb[1], n_bytes = rope->n_pairs * sizeof(uint32_t) - at;
    HVX_Vector vphase[2] = {Q6_V_vzero(), Q6_V_vzero()}, vscale = Q6_V_vsplat_R(rope->scale);
    for (uint32_t i = 0; i < rope->n_positions; i++) {
        HVX_Vector vposition = Q6_V_vsplat_R(*(const int32_t *)(positions + i * rope->positions->view.nb[0]));
        HVX_UNROLL
        for (uint32_t j = 0; j < n; j++) {
            uint32_t left = n > 1 ? HVX_BYTES : n_bytes;
            HVX_Vector vhigh = hvx_load_some_u(turns + j * HVX_BYTES, left);
            HVX_Vector vlow = math_mask(hvx_load_some_u(turns + step + j * HVX_BYTES, left), MATH_MAGNITUDE);
            vphase[j] = Q6_Vw_vadd_VwVw(vphase[j], multiply_low_i32(vhigh, vposition));
            vphase[j] = Q6_Vw_vadd_VwVw(vphase[j], math_multiply_q31(vlow, vposition));
        }
        turns += 2 * step;
    }
    HVX_UNROLL
    for (uint32_t j = 0; j < n; j++) {
        HVX_Vector vsine, vcosine;
        math_sine_cosine_q30(vphase[j], &vsine, &vcosine);
        angles[2 * j] = math_multiply_q31(vsine, vscale);
        angles[2 * j + 1] = math_multiply_q31(vcosine, vscale);
    }
    return angles + 2 * n;
}

/* Computes the angles of all blocks. */
static void find_angles(const struct ref_rope *rope, const uint8_t *positions, HVX_Vector *angles) {
    uint32_t n_bytes = rope->n_pairs * sizeof(uint32_t), at = 0;
    for (; n_bytes - at >= 2 * HVX_BYTES; at += 2 * HVX_BYTES) {
        angles = find_angles_of_blocks(rope, positions, at, 2, angles);
    }
    for (; at < n_bytes; at += HVX_BYTES) {
        angles = find_angles_of_blocks(rope, positions, at, 1, angles);
    }
}

/* rotate() of dsp/ref/rope.c, in three steps. vlargest: the largest exponent so far. */
HVX_INLINE struct integers integers_of(struct pair x, int32_t unit, HVX_Vector *vlargest) {
    HVX_Vector vexponent = Q6_Vw_vmax_VwVw(math_exponent(x.v0), math_exponent(x.v1));
    vexponent = Q6_Vw_vmax_VwVw(vexponent, Q6_V_vsplat_R(REF_ROPE_EXPONENT_MIN));
    *vlargest = Q6_Vw_vmax_VwVw(*vlargest, vexponent);
    return (struct integers){math_to_i32(x.v0, vexponent), math_to_i32(x.v1, vexponent),
                             Q6_Vw_vasr_VwR(math_add_constant_i32(vexponent, unit), 23)};
}

HVX_INLINE struct integers rotate(struct integers x, HVX_Vector vsine, HVX_Vector vcosine) {
    HVX_Vector v0 = Q6_Vw_vsub_VwVw(math_multiply_q31(x.v0, vcosine), math_multiply_q31(x.v1, vsine));
    HVX_Vector v1 = Q6_Vw_vadd_VwVw(math_multiply_q31(x.v0, vsine), math_multiply_q31(x.v1, vcosine));
    return (struct integers){v0, v1, x.vtop};
}

/* math_pack() of numbers that become neither infinite nor subnormal. */
HVX_INLINE HVX_Vector pack(HVX_Vector v, HVX_Vector vtop) {
    HVX_Vector vmagnitude = Q6_Vw_vabs_Vw(v), vleading = Q6_Vuw_vcl0_Vuw(vmagnitude);
    HVX_Vector vnormal = Q6_Vw_vasl_VwVw(vmagnitude, vleading), vsign = math_mask(v, MATH_SIGN);
    HVX_Vector vmantissa = Q6_Vuw_vlsr_VuwR(Q6_Vuw_vavg_VuwVuw(vnormal, Q6_V_vsplat_R(128)), 7);
    HVX_Vector vbits = Q6_Vw_vaslacc_VwVwR(vmantissa, Q6_Vw_vsub_VwVw(vtop, vleading), 23);
    HVX_VectorPred qis_0 = Q6_Q_vcmp_eq_VwVw(v, Q6_V_vzero());
    return Q6_V_vor_VV(Q6_V_vand_QnV(qis_0, vbits), vsign);
}

HVX_INLINE struct pair packed(struct integers r) {
    return (struct pair){pack(r.v0, r.vtop), pack(r.v1, r.vtop)};
}

/* Separates adjacent pairs into first and second elements, and back. */
HVX_INLINE struct pair dealt(struct pair x) {
    HVX_VectorPair w = hvx_w_deal_i32(x.v0, x.v1);
    return (struct pair){Q6_V_lo_W(w), Q6_V_hi_W(w)};
}

HVX_INLINE struct pair shuffled(struct pair x) {
    HVX_VectorPair w = Q6_W_vshuff_VVR(x.v1, x.v0, -4);
    return (struct pair){Q6_V_lo_W(w), Q6_V_hi_W(w)};
}

HVX_INLINE struct integers integers_as(struct pair x, int32_t unit, bool neox, HVX_Vector *vlargest) {
    return integers_of(neox ? x : dealt(x), unit, vlargest);
}

HVX_INLINE struct pair packed_as(struct integers r, bool neox) {
    return neox ? packed(r) : shuffled(packed(r));
}

/* Iterates over the rows of a block of 32 pairs with aligned vectors. */
struct walk {
    const uint8_t *x0, *x1;
    uint8_t *dst0, *dst1;
    HVX_Vector *saved;
    uint32_t x_step, dst_step;
};

HVX_INLINE struct pair next_pair(struct walk *walk, bool save) {
    struct pair x = {*(const HVX_Vector *)walk->x0, *(const HVX_Vector *)walk->x1};
    if (save) {
        walk->saved[0] = x.v0;
        walk->saved[1] = x.v1;
        walk->saved += 2;
    }
    walk->x0 += walk->x_step;
    walk->x1 += walk->x_step;
    return x;
}

HVX_INLINE void put_pair(struct walk *walk, struct pair v) {
    *(HVX_Vector *)walk->dst0 = v.v0;
    *(HVX_Vector *)walk->dst1 = v.v1;
    walk->dst0 += walk->dst_step;
    walk->dst1 += walk->dst_step;
}

/* Software pipeline: three rows are in flight, one in each step, since the steps of one row depend on each other. */
HVX_INLINE void rotate_heads(const struct heads *heads, const struct block *block, bool neox, bool save,
                             HVX_Vector *saved, HVX_Vector *vlargest) {
    struct walk walk = {heads->x,      heads->x + block->second, heads->dst, heads->dst + block->second, saved,
                        heads->x_step, heads->dst_step};
    HVX_Vector vmost = *vlargest, vsine = block->angles[0], vcosine = block->angles[1];
    int32_t unit = block->unit;
    struct integers x = integers_as(next_pair(&walk, save), unit, neox, &vmost), rotated;
    uint32_t n = heads->n;
    if (n >= 2) {
        rotated = rotate(x, vsine, vcosine);
        x = integers_as(next_pair(&walk, save), unit, neox, &vmost);
        _Pragma("clang loop unroll_count(2)") for (n -= 2; n > 0; n--) {
            struct pair done = packed_as(rotated, neox);
            rotated = rotate(x, vsine, vcosine);
            x = integers_as(next_pair(&walk, save), unit, neox, &vmost);
            put_pair(&walk, done);
        }
        put_pair(&walk, packed_as(rotated, neox));
    }
    put_pair(&walk, packed_as(rotate(x, vsine, vcosine), neox));
    *vlargest = vmost;
}

static __attribute__((noinline)) void rotate_neox(const struct heads *heads, const struct block *block,
                                                  HVX_Vector *saved, HVX_Vector *vlargest) {
    if (heads->dst == heads->x) {
        rotate_heads(heads, block, true, true, saved, vlargest);
    } else {
        rotate_heads(heads, block, true, false, saved, vlargest);
    }
}

static __attribute__((noinline)) void rotate_normal(const struct heads *heads, const struct block *block,
                                                    HVX_Vector *saved, HVX_Vector *vlargest) {
    if (heads->dst == heads->x) {
        rotate_heads(heads, block, false, true, saved, vlargest);
    } else {
        rotate_heads(heads, block, false, false, saved, vlargest);
    }
}

/* Bytes of the first and of the second vector, for any number of pairs at any address. */
struct lengths {
    uint32_t first, second;
};

static struct lengths lengths_of(const struct block *block, bool neox) {
    uint32_t n_bytes = block->n_pairs * sizeof(float);
    if (neox) {
        return (struct lengths){n_bytes, n_bytes};
    }
    return 2 * n_bytes > HVX_BYTES ? (struct lengths){HVX_BYTES, 2 * n_bytes - HVX_BYTES}
                                   : (struct lengths){2 * n_bytes, 0};
}

static void store_pair(uint8_t *dst, struct pair v, const struct block *block, struct lengths lengths) {
    hvx_store_some_u(dst, v.v0, lengths.first);
    if (lengths.second) {
        hvx_store_some_u(dst + block->second, v.v1, lengths.second);
    }
}

static __attribute__((noinline)) void rotate_unaligned(const struct heads *heads, const struct block *block, bool neox,
                                                       HVX_Vector *saved, HVX_Vector *vlargest) {
    struct lengths lengths = lengths_of(block, neox);
    for (uint32_t i = 0; i < heads->n; i++) {
        const uint8_t *x = heads->x + i * heads->x_step;
        struct pair p = {hvx_load_some_u(x, lengths.first), Q6_V_vzero()};
        if (lengths.second) {
            p.v1 = hvx_load_some_u(x + block->second, lengths.second);
        }
        saved[2 * i] = p.v0;
        saved[2 * i + 1] = p.v1;
        struct integers r = rotate(integers_as(p, block->unit, neox, vlargest), block->angles[0], block->angles[1]);
        store_pair(heads->dst + i * heads->dst_step, packed_as(r, neox), block, lengths);
    }
}

/* Restores rows that were rotated in place. */
static void restore(const struct ref_rope *rope, const struct heads *heads, const HVX_Vector *saved) {
    for (uint32_t pair = 0; pair < rope->n_pairs; pair += LANES) {
        struct block block = block_of(rope, pair, NULL);
        struct lengths lengths = lengths_of(&block, rope->next == 1);
        for (uint32_t i = 0; i < heads->n; i++) {
            uint8_t *dst = heads->dst + i * heads->dst_step + pair * rope->next * sizeof(float);
            store_pair(dst, (struct pair){saved[0], saved[1]}, &block, lengths);
            saved += 2;
        }
    }
}

static void copy(uint8_t *to, const uint8_t *from, uint32_t n_bytes) {
    for (; n_bytes >= HVX_BYTES; n_bytes -= HVX_BYTES) {
        hvx_store_u(to, hvx_load_u(from));
        to += HVX_BYTES;
        from += HVX_BYTES;
    }
    if (n_bytes) {
        hvx_store_partial_u(to, hvx_load_partial_u(from, n_bytes), n_bytes);
    }
}

/* Rotates rows. work: the saved rows, then the angles. */
static void rotate_rows(const struct ref_rope *rope, const struct heads *heads, const uint8_t *positions,
                        HVX_Vector *work) {
    HVX_Vector *saved = work, *angles = work + 2 * REF_ROPE_MAX_PAIRS / LANES;
    bool neox = rope->next == 1;
    uint32_t together = (uintptr_t)heads->x | (uintptr_t)heads->dst | heads->x_step | heads->dst_step;
    struct heads at = *heads;
    HVX_Vector vlargest = Q6_V_vzero(), *at_saved = saved;
    find_angles(rope, positions, angles);
    for (uint32_t pair = 0; pair < rope->n_pairs; pair += LANES) {
        struct block block = block_of(rope, pair, angles);
        if ((together | block.second) % HVX_BYTES || block.n_pairs < LANES) {
            rotate_unaligned(&at, &block, neox, at_saved, &vlargest);
        } else if (neox) {
            rotate_neox(&at, &block, at_saved, &vlargest);
        } else {
            rotate_normal(&at, &block, at_saved, &vlargest);
        }
        at.x += rope->next * HVX_BYTES;
        at.dst += rope->next * HVX_BYTES;
        at_saved += 2 * heads->n;
    }
    if (hvx_max_i32(vlargest) >= rope->limit) {
        if (heads->dst == heads->x) {
            restore(rope, heads, saved);
        }
        for (uint32_t i = 0; i < heads->n; i++) {
            ref_rope_row(rope, (uint32_t *)(heads->dst + i * heads->dst_step),
                         (const uint32_t *)(heads->x + i * heads->x_step), positions);
        }
    }
}

uint32_t phx_rope_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {
    const struct phx_operand *dst = call->dst[0], *x = call->src[0];
    struct ref_rope rope = ref_rope_of(call);
    uint32_t n_rotated = 2 * rope.n_pairs * sizeof(float), n_bytes = dst->view.ne[0] * sizeof(float);
    uint32_t n_blocks = (rope.n_pairs + LANES - 1) / LANES, row = slice->first_row, most = 1;
    struct heads heads = {.dst_step = dst->view.nb[1], .x_step = x->view.nb[1]};
    struct phx_at at = phx_at(&dst->view, row);
    /* the rows along dimension 1 share their positions: as many rows as the work memory can save */
    if (rope.positions->view.nb[1] == 0) {
        most = (REF_ROPE_MAX_PAIRS / LANES) >> (n_blocks > 1 ? 32 - __builtin_clz(n_blocks - 1) : 0);
    }
    while (row < slice->end_row) {
        uint32_t left = slice->end_row - row, to_end = dst->view.ne[1] - at.i1;
        heads.n = most < left ? most : left;
        heads.n = heads.n < to_end ? heads.n : to_end;
        heads.x = phx_row(x, at);
        heads.dst = phx_row(dst, at);
        rotate_rows(&rope, &heads, phx_row(rope.positions, at), work);
        for (uint32_t i = 0; i < heads.n && n_bytes > n_rotated && heads.dst != heads.x; i++) {
            copy(heads.dst + i * heads.dst_step + n_rotated, heads.x + i * heads.x_step + n_rotated,
                 n_bytes - n_rotated);
        }
        row += heads.n;
        at.i1 += heads.n - 1;
        phx_next(&dst->view, &at);
    }
    return PHX_OK;
}
