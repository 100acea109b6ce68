/* SPDX-License-Identifier: MIT */
#ifndef PHX_REF_ADD_H
#define PHX_REF_ADD_H

#include "ops/op.h"

/* The elements of a slice where one of the sources is NaN or infinite; no other is written. */
uint32_t ref_add_specials(const struct phx_call *call, const struct phx_slice *slice);

#endif
