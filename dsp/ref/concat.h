/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_CONCAT_H
#define PHX_REF_CONCAT_H

#include "convert.h"
#include "ops/op.h"

/* Computes CONCAT with ref_convert() or its HVX counterpart. */
void ref_concat(const struct phx_call *call, const struct phx_slice *slice, phx_converter *convert);

#endif
