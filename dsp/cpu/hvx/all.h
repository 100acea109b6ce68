/* SPDX-License-Identifier: MIT
 *
 * All integer vector intrinsics of v68, for a user's kernel on a CPU: the intrinsics of dsp/hvx, and the others. Each
 * has the bits that the DSP's instruction gives. Compile with -fwrapv.
 */
#ifndef PHX_CPU_ALL_H
#define PHX_CPU_ALL_H

#include "hexagon_protos.h"
#include "hvx_hexagon_protos.h"

#include "arithmetic.h"
#include "gather.h"
#include "multiply.h"
#include "narrowing.h"
#include "permute.h"
#include "predicates.h"
#include "reduce.h"

/* A vector at any address. */
typedef HVX_Vector HVX_UVector __attribute__((aligned(1)));

#endif
