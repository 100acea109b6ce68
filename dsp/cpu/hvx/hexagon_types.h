/* SPDX-License-Identifier: MIT
 *
 * The types of HVX for a CPU, as the compiler's generic vectors, with which dsp/hvx compiles for this machine. A
 * predicate has one byte per byte of a vector, 0 or -1.
 */
#ifndef PHX_CPU_HEXAGON_TYPES_H
#define PHX_CPU_HEXAGON_TYPES_H

#include <stdint.h>

typedef int32_t HVX_Vector __attribute__((vector_size(128)));
typedef int8_t HVX_VectorPred __attribute__((vector_size(128)));

typedef struct {
    HVX_Vector lo, hi;
} HVX_VectorPair;

typedef int8_t cpu_i8 __attribute__((vector_size(128)));
typedef uint8_t cpu_u8 __attribute__((vector_size(128)));
typedef int16_t cpu_i16 __attribute__((vector_size(128)));
typedef uint16_t cpu_u16 __attribute__((vector_size(128)));
typedef int32_t cpu_i32 __attribute__((vector_size(128)));
typedef uint32_t cpu_u32 __attribute__((vector_size(128)));
typedef float cpu_f32 __attribute__((vector_size(128)));

#endif
