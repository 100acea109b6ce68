/* SPDX-License-Identifier: MIT
 *
 * Declarations of every op's functions, from the rows of idl/ops.h: for the dispatch table and for tests.
 */
#ifndef PHX_ALL_H
#define PHX_ALL_H

#include "op.h"

#define PHX_DECLARE_UNARY(name) PHX_DECLARE_KERNELS(name)
#define PHX_DECLARE_BINARY(name) PHX_DECLARE_KERNELS(name)
#define PHX_DECLARE_ROWS(name) PHX_DECLARE_KERNELS(name) PHX_DECLARE_CHECK(name)
#define PHX_DECLARE_SHARED(name) PHX_DECLARE_ROWS(name) extern const struct phx_shared phx_##name##_shared;
#define PHX_DECLARE_SCATTER(name) PHX_DECLARE_ROWS(name)
#define PHX_DECLARE_PICK(name) PHX_DECLARE_ROWS(name)
#define PHX_DECLARE_OWN(name) PHX_DECLARE_CHECK(name) PHX_DECLARE_RUN(name)
#define OP(code, NAME, name, KIND, ...) PHX_DECLARE_##KIND(name)
#include "../../idl/ops.h"
#undef OP

#endif
