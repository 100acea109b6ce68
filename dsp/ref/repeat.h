/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_REPEAT_H
#define PHX_REF_REPEAT_H

#include "convert.h"
#include "ops/op.h"

/* Computes REPEAT with ref_convert() or its HVX counterpart. */
void ref_repeat(const struct phx_call *call, const struct phx_slice *slice, phx_converter *convert);

#endif
