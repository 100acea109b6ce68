/* SPDX-License-Identifier: MIT
 *
 * The scalar intrinsics that dsp/hvx uses.
 */
#ifndef PHX_CPU_HEXAGON_PROTOS_H
#define PHX_CPU_HEXAGON_PROTOS_H

#include <stdint.h>

static inline int32_t Q6_R_combine_RlRl(int32_t high, int32_t low) {
    return (int32_t)((uint32_t)high << 16 | (uint16_t)low);
}

static inline int32_t Q6_R_combine_RhRh(int32_t high, int32_t low) {
    return (int32_t)(((uint32_t)high & 0xffff0000u) | (uint32_t)low >> 16);
}

#endif
