/* SPDX-License-Identifier: MIT
 *
 * The common loop of the reference kernels of kinds UNARY and BINARY. Each op defines one function of one element.
 */
#ifndef PHX_REF_ELEMENTWISE_H
#define PHX_REF_ELEMENTWISE_H

#include "ops/op.h"

/* Returns an element of the result, as the bits of a float32, from those of the sources. params: the op's struct. Ops
 * of one source ignore b. */
typedef uint32_t (*ref_function)(uint32_t a, uint32_t b, const void *params);

/* Declares an op's function of one element, ref_<name>(). */
#define REF_DECLARE(name) uint32_t ref_##name(uint32_t a, uint32_t b, const void *params);

/* Computes the elements of a slice; with specials_only, only those with a NaN or infinite source, and leaves all others
 * unchanged. */
void ref_elements(const struct phx_call *call, const struct phx_slice *slice, ref_function function,
                  bool specials_only);

/* Generates phx_<name>_ref() from the function of one element. */
#define REF_ELEMENTWISE(name)                                                                                          \
    REF_DECLARE(name)                                                                                                  \
    PHX_DECLARE_KERNELS(name)                                                                                          \
    uint32_t phx_##name##_ref(const struct phx_call *call, const struct phx_slice *slice, void *work) {                \
        (void)work;                                                                                                    \
        ref_elements(call, slice, ref_##name, false);                                                                  \
        return PHX_OK;                                                                                                 \
    }

/* Returns the bytes between elements of a row: 0 for a broadcast. */
static inline uint32_t ref_step(const struct phx_tensor *view) {
    return view->ne[0] > 1 ? view->nb[0] : 4;
}

#endif
