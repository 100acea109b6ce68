/* SPDX-License-Identifier: MIT */
#include "elementwise.h"

/* A slice and its call. b equals a in an op of one source. */
struct work {
    const struct phx_operand *dst, *a, *b;
    uint32_t n_src;
    const void *params;
    uint32_t first_row, n_rows;
    uint32_t first, n_elements;
};

static bool has_no_gaps(const struct phx_tensor *view) {
    uint32_t step = 4;
    for (int i = 0; i < PHX_MAX_DIMS; i++) {
        if (view->ne[i] > 1 && view->nb[i] != step) {
            return false;
        }
        step *= view->ne[i];
    }
    return true;
}

static struct work work_of(const struct phx_call *call, const struct phx_slice *slice) {
    const struct phx_operand *dst = call->dst[0], *a = call->src[0], *b = call->src[1] ? call->src[1] : a;
    struct work work = {.dst = dst,
                        .a = a,
                        .b = b,
                        .n_src = call->src[1] ? 2 : 1,
                        .params = call->params,
                        .first_row = slice->first_row,
                        .n_rows = slice->end_row - slice->first_row,
                        .first = slice->first,
                        .n_elements = slice->end - slice->first};
    if (work.n_rows > 1 && work.n_elements == dst->view.ne[0] && has_no_gaps(&dst->view) && has_no_gaps(&a->view) &&
        has_no_gaps(&b->view)) {
        work.n_elements *= work.n_rows;
        work.n_rows = 1;
    }
    return work;
}

/* The next row. For a source that broadcasts one element, its address points to a vector full of it. */
struct place {
    uint8_t *dst;
    const uint8_t *a, *b;
};

static inline struct place place_at(const struct work *work, struct phx_at at) {
    uint32_t skipped = work->first * sizeof(float);
    return (struct place){phx_row(work->dst, at) + skipped,
                          phx_row(work->a, at) + (ref_step(&work->a->view) ? skipped : 0),
                          phx_row(work->b, at) + (ref_step(&work->b->view) ? skipped : 0)};
}

/* Computes one row. Returns the largest magnitude seen. */
typedef HVX_Vector (*row_function)(const struct work *work, const struct hvx_loops *loops, struct hvx_row row,
                                   HVX_Vector vseen);

HVX_INLINE HVX_Vector of_row(const struct work *work, const struct hvx_loops *loops, const struct place *place,
                             row_function function, HVX_Vector vseen) {
    struct hvx_row row = {place->dst, {place->a, place->b}, {HVX_BYTES, HVX_BYTES}};
    HVX_Vector va, vb;
    if (ref_step(&work->a->view) == 0) {
        va = Q6_V_vsplat_R(*(const int32_t *)place->a);
        row.src[0] = (const uint8_t *)&va;
        row.step[0] = 0;
    }
    if (ref_step(&work->b->view) == 0) {
        vb = Q6_V_vsplat_R(*(const int32_t *)place->b);
        row.src[1] = (const uint8_t *)&vb;
        row.step[1] = 0;
    }
    return function(work, loops, row, vseen);
}

HVX_INLINE HVX_Vector of_all_rows(const struct work *work, const struct hvx_loops *loops, row_function function) {
    const struct phx_tensor *view = &work->dst->view;
    struct phx_at at = phx_at(view, work->first_row);
    HVX_Vector vseen = Q6_V_vzero();
    for (uint32_t n_remaining = work->n_rows; n_remaining > 0;) {
        uint32_t n = view->ne[1] - at.i1;
        struct place place = place_at(work, at);
        n = n < n_remaining ? n : n_remaining;
        n_remaining -= n;
        for (; n > 0; n--) {
            vseen = of_row(work, loops, &place, function, vseen);
            place.dst += view->nb[1];
            place.a += work->a->view.nb[1];
            place.b += work->b->view.nb[1];
        }
        at.i1 = 0;
        if (++at.i2 == view->ne[2]) {
            at.i2 = 0;
            at.i3++;
        }
    }
    return vseen;
}

HVX_INLINE HVX_Vector compute(const struct work *work, const struct hvx_loops *loops, struct hvx_row row,
                              HVX_Vector vseen) {
    uintptr_t addresses = (uintptr_t)row.dst | (uintptr_t)row.src[0] | (uintptr_t)row.src[1];
    bool is_aligned = addresses % HVX_BYTES == 0 && row.step[0] && row.step[1];
    return (is_aligned ? loops->aligned : loops->any)(row, work->n_elements, work->params, vseen);
}

static __attribute__((noinline)) HVX_Vector compute_rows(const struct work *work, const struct hvx_loops *loops) {
    return of_all_rows(work, loops, compute);
}

#define SEEN_AT_ONCE 4

static HVX_Vector track_exponent(const uint8_t *from, uint32_t step, uint32_t n_bytes, HVX_Vector vseen) {
    HVX_Vector v[SEEN_AT_ONCE] = {vseen, vseen, vseen, vseen};
    if (step == 0) {
        return hvx_track_largest(vseen, *(const HVX_Vector *)from);
    }
    for (; n_bytes >= SEEN_AT_ONCE * HVX_BYTES; n_bytes -= SEEN_AT_ONCE * HVX_BYTES) {
        HVX_UNROLL
        for (uint32_t i = 0; i < SEEN_AT_ONCE; i++) {
            v[i] = hvx_track_largest(v[i], hvx_load_u(from + i * HVX_BYTES));
        }
        from += SEEN_AT_ONCE * HVX_BYTES;
    }
    for (; n_bytes >= HVX_BYTES; n_bytes -= HVX_BYTES) {
        v[0] = hvx_track_largest(v[0], hvx_load_u(from));
        from += HVX_BYTES;
    }
    if (n_bytes > 0) {
        v[1] = hvx_track_largest(v[1], hvx_load_partial_u(from, n_bytes));
    }
    return Q6_Vw_vmax_VwVw(Q6_Vw_vmax_VwVw(v[0], v[1]), Q6_Vw_vmax_VwVw(v[2], v[3]));
}

HVX_INLINE HVX_Vector scan(const struct work *work, const struct hvx_loops *loops, struct hvx_row row,
                           HVX_Vector vseen) {
    uint32_t n_bytes = work->n_elements * sizeof(float);
    (void)loops;
    vseen = track_exponent(row.src[0], row.step[0], n_bytes, vseen);
    return work->n_src > 1 ? track_exponent(row.src[1], row.step[1], n_bytes, vseen) : vseen;
}

HVX_INLINE bool has_special(HVX_Vector vseen) {
    return hvx_any(Q6_Q_vcmp_gt_VwVw(vseen, Q6_V_vsplat_R(MATH_INFINITY - 1)));
}

static __attribute__((noinline)) bool has_specials(const struct work *work) {
    return has_special(of_all_rows(work, NULL, scan));
}

/* A single row, as in a decode step, takes a shorter path. */
uint32_t hvx_run_elements(const struct phx_call *call, const struct phx_slice *slice, const struct hvx_loops *loops,
                          ref_function reference) {
    struct work work = work_of(call, slice);
    HVX_Vector vseen;
    if (work.dst->data == work.a->data && has_specials(&work)) {
        ref_elements(call, slice, reference, false);
        return PHX_OK;
    }
    if (work.n_rows == 1) {
        struct place place = place_at(&work, phx_at(&work.dst->view, work.first_row));
        vseen = of_row(&work, loops, &place, compute, Q6_V_vzero());
    } else {
        vseen = compute_rows(&work, loops);
    }
    if (has_special(vseen)) {
        ref_elements(call, slice, reference, true);
    }
    return PHX_OK;
}
