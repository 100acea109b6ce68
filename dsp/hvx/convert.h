/* SPDX-License-Identifier: MIT */
#ifndef PHX_HVX_CONVERT_H
#define PHX_HVX_CONVERT_H

#include "math/hvx/hvx.h"
#include "ref/convert.h"

/* ref_convert() of dsp/ref/convert.h in HVX. Reads and writes whole vectors within a row, and at its end only aligned
 * vectors that contain elements of it. */
void hvx_convert(uint32_t from_dtype, const uint8_t *from, uint32_t to_dtype, uint8_t *to, uint32_t n);

void hvx_copy_bytes(uint8_t *to, const uint8_t *from, uint32_t n_bytes);

/* --- convert_blocks.c: quantized types; n is a multiple of 32 --- */

void hvx_pack_q8_0(uint8_t *to, const uint8_t *from, uint32_t n);
void hvx_pack_q4_0(uint8_t *to, const uint8_t *from, uint32_t n);
void hvx_unpack_q8_0(uint8_t *to, const uint8_t *from, uint32_t n);
void hvx_unpack_q4_0(uint8_t *to, const uint8_t *from, uint32_t n);

#endif
