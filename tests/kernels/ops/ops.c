/* SPDX-License-Identifier: MIT */
#include "ops.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/counters.h"
#include "ops/elements.h"

_Alignas(PHX_VECTOR) uint8_t work[WORK_BYTES];

#define STEP 128 /* elements; rows are split at multiples of it */

static uint32_t float_of(uint32_t exponent) {
    return (random_u32() & 0x80000000) | exponent << 23 | (random_u32() & 0x7fffff);
}

void fill_values(uint32_t *to, uint32_t n, enum values kind) {
    static const uint32_t special[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffffffff, 0x7f800001};
    for (uint32_t i = 0; i < n; i++) {
        switch (kind) {
        case VALUES_ANY_BITS:
            to[i] = random_u32();
            break;
        case VALUES_ZERO:
            to[i] = random_below(4) ? 0 : 0x80000000;
            break;
        case VALUES_TINY:
            to[i] = float_of(random_below(40));
            break;
        case VALUES_HUGE:
            to[i] = float_of(215 + random_below(40));
            break;
        default:
            to[i] = float_of(127 - random_below(8));
        }
    }
    if (kind == VALUES_OUTLIER) {
        to[random_below(n)] = 0x453b8000; /* 3000 */
    }
    if (kind == VALUES_SPECIAL) {
        to[random_below(n)] = special[random_below(sizeof(special) / sizeof(*special))];
    }
}

struct placed place(uint32_t dtype, const uint32_t ne[4], uint32_t repeated, bool aligned) {
    struct phx_grain grain = phx_grain_of(dtype);
    uint32_t element = grain.n_bytes, n[4] = {ne[0] / grain.n_elements, ne[1], ne[2], ne[3]};
    struct placed placed = {.operand.view = {.dtype = dtype, .layout = PHX_LAYOUT_ROWS}};
    struct phx_tensor *view = &placed.operand.view;
    uint32_t step = element, n_bytes = element;
    for (uint32_t i = 0; i < 4; i++) {
        view->ne[i] = ne[i];
        view->nb[i] = repeated >> i & 1 ? 0 : step;
        n_bytes += (n[i] - 1) * view->nb[i];
        if (view->nb[i]) {
            step = step * n[i] + (i == 0 && aligned ? -step * n[i] % PHX_VECTOR
                                  : aligned         ? 0
                                                    : element * random_below(4));
        }
    }
    bool at_end = !aligned && random_below(2);
    uint32_t skipped = aligned || at_end ? 0 : element * (1 + random_below(40));
    placed.memory = guarded_alloc(skipped + n_bytes, at_end);
    placed.operand.data = placed.memory.data + skipped;
    placed.operand.n_bytes = n_bytes;
    return placed;
}

static void keep(uint32_t *status, uint32_t next) {
    *status = *status ? *status : next;
}

uint32_t run_cut(phx_row_kernel kernel, const struct phx_call *call, bool by_element) {
    bool is_scatter = call->type && call->type->is_scatter, is_pick = call->type && call->type->merge;
    const struct phx_tensor *view = is_scatter || is_pick ? &call->src[0]->view : &call->dst[0]->view;
    uint32_t n_rows = phx_n_rows(view), n = view->ne[0], status = PHX_OK;
    uint32_t row = random_below(n_rows + 1), element = random_below(n / STEP + 1) * STEP;
    if (by_element && element > 0 && element < n) {
        keep(&status, kernel(call, &(struct phx_slice){0, n_rows, 0, element}, work));
        keep(&status, kernel(call, &(struct phx_slice){0, n_rows, element, n}, work + call->work_bytes));
        if (is_pick) {
            call->type->merge(call, work, 2);
        }
    } else if (is_scatter) {
        keep(&status, kernel(call, &(struct phx_slice){0, n_rows, 0, n}, work));
    } else {
        keep(&status, kernel(call, &(struct phx_slice){0, row, 0, n}, work));
        keep(&status, kernel(call, &(struct phx_slice){row, n_rows, 0, n}, work));
    }
    return status;
}

uint32_t packets_of_case;

/* Dumps the operands of a call before it runs. */
static void dump_sources(const struct phx_call *call) {
    for (uint32_t i = 0; i < PHX_MAX_SRC; i++) {
        if (call->src[i]) {
            char name[8] = {'s', 'r', 'c', (char)('0' + i), 0};
            dump(name, call->src[i]->data, call->src[i]->n_bytes);
        }
    }
}

static uint32_t word_at(const uint8_t *p, uint32_t n_bytes) {
    uint32_t word = 0;
    memcpy(&word, p, n_bytes);
    return word;
}

/* Prints the first element of dst in which two results differ, and both values. `at` is its byte offset from dst's
 * first element. */
static void print_place(const struct phx_tensor *view, ptrdiff_t at, const uint8_t *ref, const uint8_t *hvx) {
    uint32_t element = view->nb[0] ? view->nb[0] : sizeof(float);
    for (uint32_t row = 0; row < phx_n_rows(view); row++) {
        struct phx_at place = phx_at(view, row);
        ptrdiff_t column = at - (ptrdiff_t)(place.i1 * view->nb[1] + place.i2 * view->nb[2] + place.i3 * view->nb[3]);
        if (column >= 0 && column < (ptrdiff_t)(view->ne[0] * element)) {
            uint32_t skipped = (uint32_t)column % element;
            printf("row %u (%u, %u, %u) column %u: ref %0*x, hvx %0*x\n", row, place.i3, place.i2, place.i1,
                   (uint32_t)column / element, 2 * (int)element, word_at(ref - skipped, element), 2 * (int)element,
                   word_at(hvx - skipped, element));
            return;
        }
    }
    printf("byte %td of dst, which is no element's: ref %02x, hvx %02x\n", at, *ref, *hvx);
}

void compare_kernels(const char *what, uint32_t seed, phx_row_kernel ref, phx_row_kernel hvx,
                     const struct phx_call *call, const struct guarded *dst, bool by_element) {
    uint8_t *before = malloc(dst->n_bytes), *expected = malloc(dst->n_bytes);
    dump_sources(call);
    memcpy(before, dst->data, dst->n_bytes);
    uint32_t status = run_cut(ref, call, by_element);
    memcpy(expected, dst->data, dst->n_bytes);
    memcpy(dst->data, before, dst->n_bytes);
    uint32_t start = count_packets();
    uint32_t hvx_status = run_cut(hvx, call, by_element);
    packets_of_case = count_packets() - start;
    dump("dst.ref", expected, dst->n_bytes);
    dump("dst.hvx", dst->data, dst->n_bytes);
    if (status != hvx_status) {
        printf("%s, case %u: status %u of ref, %u of hvx\n", what, seed, status, hvx_status);
        exit(1);
    }
    for (size_t i = 0; i < dst->n_bytes && status == PHX_OK; i++) {
        if (expected[i] != dst->data[i]) {
            const struct phx_tensor *view = &call->dst[0]->view;
            printf("%s, case %u, dst %u x %u x %u x %u, %u packets: ", what, seed, view->ne[3], view->ne[2],
                   view->ne[1], view->ne[0], packets_of_case);
            print_place(view, dst->data + i - call->dst[0]->data, expected + i, dst->data + i);
            exit(1);
        }
    }
    free(before);
    free(expected);
}
