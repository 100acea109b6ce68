/* SPDX-License-Identifier: MIT
 *
 * The common loop of UNARY and BINARY kernels. An op supplies a function over a few vectors at a time, since the steps
 * of a single vector depend on each other and would stall. HVX_ELEMENTWISE generates the kernel from it.
 *
 * The function may return anything for NaN and infinity, but it reports the largest magnitude that it has seen. After a
 * slice that contains NaN or infinity, the reference function recomputes the elements with such a source. If dst
 * aliases a source that would be too late, so such a slice is scanned first.
 *
 * Reads and writes whole vectors within a row, and at its end only aligned vectors that contain elements of it.
 */
#ifndef PHX_HVX_ELEMENTWISE_H
#define PHX_HVX_ELEMENTWISE_H

#include "math/hvx/hvx.h"
#include "math/hvx/float32.h"
#include "ref/elementwise.h"

#define HVX_MOST_UNROLLED 4

/* Computes v[0..n-1] from va and vb (equal to va in an op of one source). Updates vseen with the largest magnitude, or
 * exponent, of each lane. n is a compile-time constant. */
typedef void (*hvx_function)(HVX_Vector *v, const HVX_Vector *va, const HVX_Vector *vb, uint32_t n, const void *params,
                             HVX_Vector *vseen);

HVX_INLINE HVX_Vector hvx_track_largest(HVX_Vector vseen, HVX_Vector v) {
    return Q6_Vw_vmax_VwVw(vseen, math_mask(v, MATH_MAGNITUDE));
}

/* Addresses of the next elements. A step is HVX_BYTES, or 0 for a vector full of one broadcast element. */
struct hvx_row {
    uint8_t *dst;
    const uint8_t *src[2];
    uint32_t step[2];
};

HVX_INLINE void hvx_advance(struct hvx_row *row, uint32_t n) {
    row->dst += n * HVX_BYTES;
    row->src[0] += n * row->step[0];
    row->src[1] += n * row->step[1];
}

/* Loops over the elements of a row: one for aligned operands without broadcasts, one for all others. Return the largest
 * magnitude seen. */
typedef HVX_Vector (*hvx_loop)(struct hvx_row row, uint32_t n_elements, const void *params, HVX_Vector vseen);

struct hvx_loops {
    hvx_loop aligned;
    hvx_loop any;
};

HVX_INLINE HVX_Vector hvx_load_in_row(const uint8_t *p, bool aligned) {
    return aligned ? *(const HVX_Vector *)p : hvx_load_u(p);
}

HVX_INLINE HVX_Vector hvx_groups(struct hvx_row *at, uint32_t n_groups, uint32_t n_src, uint32_t group, bool aligned,
                                 hvx_function function, const void *params, HVX_Vector vseen) {
    struct hvx_row row = *at;
    if (aligned) {
        row.step[0] = row.step[1] = HVX_BYTES;
    }
    for (; n_groups > 0; n_groups--) {
        HVX_Vector v[HVX_MOST_UNROLLED], va[HVX_MOST_UNROLLED], vb[HVX_MOST_UNROLLED];
        HVX_UNROLL
        for (uint32_t i = 0; i < group; i++) {
            va[i] = hvx_load_in_row(row.src[0] + i * row.step[0], aligned);
            vb[i] = n_src > 1 ? hvx_load_in_row(row.src[1] + i * row.step[1], aligned) : va[i];
        }
        function(v, va, vb, group, params, &vseen);
        HVX_UNROLL
        for (uint32_t i = 0; i < group; i++) {
            if (aligned) {
                ((HVX_Vector *)row.dst)[i] = v[i];
            } else {
                hvx_store_u(row.dst + i * HVX_BYTES, v[i]);
            }
        }
        hvx_advance(&row, group);
    }
    *at = row;
    return vseen;
}

HVX_INLINE HVX_Vector hvx_load_remainder(const uint8_t *p, uint32_t n_bytes) {
    return n_bytes < HVX_BYTES ? hvx_load_partial_u(p, n_bytes) : hvx_load_u(p);
}

HVX_INLINE void hvx_store_remainder(uint8_t *p, HVX_Vector v, uint32_t n_bytes) {
    if (n_bytes < HVX_BYTES) {
        hvx_store_partial_u(p, v, n_bytes);
    } else {
        hvx_store_u(p, v);
    }
}

/* Processes the remainder, two vectors at a time. The last vector may be partial, or there may be only one. */
HVX_INLINE HVX_Vector hvx_remainder(struct hvx_row row, uint32_t n_bytes, uint32_t n_src, hvx_function function,
                                    const void *params, HVX_Vector vseen) {
    for (;;) {
        HVX_Vector v[2], va[2], vb[2];
        va[0] = va[1] = hvx_load_remainder(row.src[0], n_bytes);
        vb[0] = vb[1] = n_src > 1 ? hvx_load_remainder(row.src[1], n_bytes) : va[0];
        if (n_bytes > HVX_BYTES) {
            va[1] = hvx_load_remainder(row.src[0] + row.step[0], n_bytes - HVX_BYTES);
            vb[1] = n_src > 1 ? hvx_load_remainder(row.src[1] + row.step[1], n_bytes - HVX_BYTES) : va[1];
        }
        function(v, va, vb, 2, params, &vseen);
        hvx_store_remainder(row.dst, v[0], n_bytes);
        if (n_bytes > HVX_BYTES) {
            hvx_store_remainder(row.dst + HVX_BYTES, v[1], n_bytes - HVX_BYTES);
        }
        if (n_bytes <= 2 * HVX_BYTES) {
            return vseen;
        }
        hvx_advance(&row, 2);
        n_bytes -= 2 * HVX_BYTES;
    }
}

uint32_t hvx_run_elements(const struct phx_call *call, const struct phx_slice *slice, const struct hvx_loops *loops,
                          ref_function reference);

/* Generates the loops of an op with `n_src` sources, `n` vectors at a time: <name>_loops. */
#define HVX_LOOPS(name, n_src, n, function)                                                                            \
    static __attribute__((noinline)) HVX_Vector name##_remainder(struct hvx_row row, uint32_t n_elements,              \
                                                                 const void *params, HVX_Vector vseen) {               \
        return hvx_remainder(row, n_elements * sizeof(float), n_src, function, params, vseen);                         \
    }                                                                                                                  \
    static HVX_Vector name##_aligned(struct hvx_row row, uint32_t n_elements, const void *params, HVX_Vector vseen) {  \
        uint32_t n_groups = n_elements / ((n) * HVX_LANES_I32), n_remaining = n_elements % ((n) * HVX_LANES_I32);      \
        vseen = hvx_groups(&row, n_groups, n_src, n, true, function, params, vseen);                                   \
        return n_remaining ? name##_remainder(row, n_remaining, params, vseen) : vseen;                                \
    }                                                                                                                  \
    static HVX_Vector name##_unaligned(struct hvx_row row, uint32_t n_elements, const void *params,                    \
                                       HVX_Vector vseen) {                                                             \
        uint32_t n_groups = n_elements / ((n) * HVX_LANES_I32), n_remaining = n_elements % ((n) * HVX_LANES_I32);      \
        vseen = hvx_groups(&row, n_groups, n_src, n, false, function, params, vseen);                                  \
        return n_remaining ? name##_remainder(row, n_remaining, params, vseen) : vseen;                                \
    }                                                                                                                  \
    static const struct hvx_loops name##_loops = {name##_aligned, name##_unaligned};

/* Generates phx_<name>_hvx() from them. */
#define HVX_ELEMENTWISE(name, n_src, n, function)                                                                      \
    REF_DECLARE(name)                                                                                                  \
    PHX_DECLARE_KERNELS(name)                                                                                          \
    HVX_LOOPS(name, n_src, n, function)                                                                                \
    uint32_t phx_##name##_hvx(const struct phx_call *call, const struct phx_slice *slice, void *work) {                \
        (void)work;                                                                                                    \
        return hvx_run_elements(call, slice, &name##_loops, ref_##name);                                               \
    }

#endif
