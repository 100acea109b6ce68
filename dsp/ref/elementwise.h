/* SPDX-License-Identifier: MIT
 *
 * What the references of ops of the kinds UNARY and BINARY share: each defines one function, of one element.
 */
#ifndef PHX_REF_ELEMENTWISE_H
#define PHX_REF_ELEMENTWISE_H

#include "ops/op.h"

/* An element of the result, as the bits of a float32, from those of the sources. params: the op's struct. An op of one
 * source ignores b. */
typedef uint32_t (*ref_function)(uint32_t a, uint32_t b, const void *params);

/* ref_add() and so on. */
#define REF_DECLARE_UNARY(name) uint32_t ref_##name(uint32_t a, uint32_t b, const void *params);
#define REF_DECLARE_BINARY(name) REF_DECLARE_UNARY(name)
#define REF_DECLARE_ROWS(name)
#define REF_DECLARE_SHARED(name)
#define REF_DECLARE_SCATTER(name)
#define REF_DECLARE_PICK(name)
#define REF_DECLARE_OWN(name)
#define OP(code, NAME, name, KIND, ...) REF_DECLARE_##KIND(name)
#include "../../idl/ops.h"
#undef OP

/* The elements of a slice; or only those of which a source is NaN or infinite, while all others stay as they are. */
void ref_elements(const struct phx_call *call, const struct phx_slice *slice, ref_function function,
                  bool specials_only);

/* Bytes from an element of a row to the next: 0 where one is repeated. */
static inline uint32_t ref_step(const struct phx_tensor *view) {
    return view->ne[0] > 1 ? view->nb[0] : 4;
}

#endif
