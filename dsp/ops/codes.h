/* SPDX-License-Identifier: MIT
 *
 * The op codes of idl/ops.h: PHX_OP_MUL_MAT and so on. A new row compiles each file again that includes this.
 */
#ifndef PHX_CODES_H
#define PHX_CODES_H

enum phx_op_code {
#define OP(code, NAME, ...) PHX_OP_##NAME = code,
#include "../../idl/ops.h"
#undef OP
};

#endif
