/* SPDX-License-Identifier: MIT
 *
 * Intrinsics as plain loops over lanes, whose bodies read like the formulas of the Hexagon V68 HVX reference.
 */
#ifndef PHX_CPU_LANES_H
#define PHX_CPU_LANES_H

#include "hvx_hexagon_protos.h"

#define CPU_VIEWS(n_bytes)                                                                                             \
    int8_t b[n_bytes];                                                                                                 \
    uint8_t ub[n_bytes];                                                                                               \
    int16_t h[(n_bytes) / 2];                                                                                          \
    uint16_t uh[(n_bytes) / 2];                                                                                        \
    int32_t w[(n_bytes) / 4];                                                                                          \
    uint32_t uw[(n_bytes) / 4];

union cpu_vector {
    HVX_Vector all;
    CPU_VIEWS(128)
};

union cpu_pair {
    HVX_VectorPair all;
    union cpu_vector v[2];
    CPU_VIEWS(256)
};

/* A parameter is written (kind, name). V: vector, W: pair, Q: predicate, with bytes 0 or -1, N: number. R and P: four
 * or eight bytes, read as a vector that repeats them: the reference indexes them modulo their size. */
#define CPU_TYPE_V HVX_Vector
#define CPU_TYPE_W HVX_VectorPair
#define CPU_TYPE_Q HVX_VectorPred
#define CPU_TYPE_N int32_t
#define CPU_TYPE_R int32_t
#define CPU_TYPE_P int64_t
#define CPU_LANES_V union cpu_vector
#define CPU_LANES_W union cpu_pair
#define CPU_LANES_Q union cpu_vector
#define CPU_LANES_N const int32_t
#define CPU_LANES_R union cpu_vector
#define CPU_LANES_P union cpu_vector
#define CPU_UNPACK_V(x) {x}
#define CPU_UNPACK_W(x) {x}
#define CPU_UNPACK_Q(x) {(HVX_Vector)(x)}
#define CPU_UNPACK_N(x) (x)
#define CPU_UNPACK_R(x) {Q6_V_vsplat_R(x)}
#define CPU_UNPACK_P(x) {(HVX_Vector)((cpu_i64){0} + (x))}
#define CPU_PACK_V(lanes) (lanes).all
#define CPU_PACK_W(lanes) (lanes).all
#define CPU_PACK_Q(lanes) ((HVX_VectorPred)(lanes).all)
typedef int64_t cpu_i64 __attribute__((vector_size(128)));

#define CPU_PARAMETER(kind, name) CPU_TYPE_##kind name##_packed
#define CPU_LOCAL(kind, name) CPU_LANES_##kind name = CPU_UNPACK_##kind(name##_packed);

/* Defines Q6_name with 1 to 4 parameters: `statement` sets lane i of the result d, for all lanes of the type `lane`. */
#define CPU_EACH(name, result, parameters, locals, lane, statement)                                                    \
    CPU_INLINE CPU_TYPE_##result Q6_##name parameters {                                                                \
        locals CPU_LANES_##result d;                                                                                   \
        for (int i = 0; i < (int)(sizeof(d.lane) / sizeof(*d.lane)); i++) {                                            \
            statement;                                                                                                 \
        }                                                                                                              \
        return CPU_PACK_##result(d);                                                                                   \
    }
#define CPU_EACH_1(name, result, a, lane, statement)                                                                   \
    CPU_EACH(name, result, (CPU_PARAMETER a), CPU_LOCAL a, lane, statement)
#define CPU_EACH_2(name, result, a, b, lane, statement)                                                                \
    CPU_EACH(name, result, (CPU_PARAMETER a, CPU_PARAMETER b), CPU_LOCAL a CPU_LOCAL b, lane, statement)
#define CPU_EACH_3(name, result, a, b, c, lane, statement)                                                             \
    CPU_EACH(name, result, (CPU_PARAMETER a, CPU_PARAMETER b, CPU_PARAMETER c), CPU_LOCAL a CPU_LOCAL b CPU_LOCAL c,   \
             lane, statement)
#define CPU_EACH_4(name, result, a, b, c, e, lane, statement)                                                          \
    CPU_EACH(name, result, (CPU_PARAMETER a, CPU_PARAMETER b, CPU_PARAMETER c, CPU_PARAMETER e),                       \
             CPU_LOCAL a CPU_LOCAL b CPU_LOCAL c CPU_LOCAL e, lane, statement)

/* The same for a pair of vectors. The low one (half = 0) has the results of the even lanes, k = 2 * i, the high one (half
 * = 1) those of the odd lanes, k = 2 * i + 1. */
#define CPU_HALVES(name, parameters, locals, lane, value)                                                              \
    CPU_INLINE HVX_VectorPair Q6_##name parameters {                                                                   \
        locals union cpu_pair d;                                                                                       \
        for (int half = 0; half < 2; half++) {                                                                         \
            for (int i = 0; i < (int)(sizeof(d.v->lane) / sizeof(*d.v->lane)); i++) {                                  \
                const int k = 2 * i + half;                                                                            \
                (void)k;                                                                                               \
                d.v[half].lane[i] = (value);                                                                           \
            }                                                                                                          \
        }                                                                                                              \
        return d.all;                                                                                                  \
    }
#define CPU_HALVES_1(name, a, lane, value) CPU_HALVES(name, (CPU_PARAMETER a), CPU_LOCAL a, lane, value)
#define CPU_HALVES_2(name, a, b, lane, value)                                                                          \
    CPU_HALVES(name, (CPU_PARAMETER a, CPU_PARAMETER b), CPU_LOCAL a CPU_LOCAL b, lane, value)
#define CPU_HALVES_3(name, a, b, c, lane, value)                                                                       \
    CPU_HALVES(name, (CPU_PARAMETER a, CPU_PARAMETER b, CPU_PARAMETER c), CPU_LOCAL a CPU_LOCAL b CPU_LOCAL c, lane,   \
               value)
#define CPU_HALVES_4(name, a, b, c, e, lane, value)                                                                    \
    CPU_HALVES(name, (CPU_PARAMETER a, CPU_PARAMETER b, CPU_PARAMETER c, CPU_PARAMETER e),                             \
               CPU_LOCAL a CPU_LOCAL b CPU_LOCAL c CPU_LOCAL e, lane, value)

/* Sums to accumulate: Q6_name, and Q6_accumulating, which adds them to lanes of its first parameter, x. */
#define CPU_SUMS_2(name, accumulating, a, b, lane, value)                                                              \
    CPU_EACH_2(name, V, a, b, lane, d.lane[i] = (value))                                                               \
    CPU_EACH_3(accumulating, V, (V, x), a, b, lane, d.lane[i] = x.lane[i] + (value))
#define CPU_HALF_SUMS_2(name, accumulating, a, b, lane, value)                                                         \
    CPU_HALVES_2(name, a, b, lane, value)                                                                              \
    CPU_HALVES_3(accumulating, (W, x), a, b, lane, x.v[half].lane[i] + (value))
#define CPU_HALF_SUMS_3(name, accumulating, a, b, c, lane, value)                                                      \
    CPU_HALVES_3(name, a, b, c, lane, value)                                                                           \
    CPU_HALVES_4(accumulating, (W, x), a, b, c, lane, x.v[half].lane[i] + (value))

/* A function of vectors, applied to both vectors of pairs. */
#define CPU_PAIRS(name, of)                                                                                            \
    CPU_INLINE HVX_VectorPair Q6_##name(HVX_VectorPair u, HVX_VectorPair v) {                                          \
        return (HVX_VectorPair){Q6_##of(u.lo, v.lo), Q6_##of(u.hi, v.hi)};                                             \
    }

CPU_INLINE int64_t cpu_clamp(int64_t x, int64_t least, int64_t most) {
    return x < least ? least : x > most ? most : x;
}

#define CPU_SAT_B(x) ((int8_t)cpu_clamp(x, INT8_MIN, INT8_MAX))
#define CPU_SAT_UB(x) ((uint8_t)cpu_clamp(x, 0, UINT8_MAX))
#define CPU_SAT_H(x) ((int16_t)cpu_clamp(x, INT16_MIN, INT16_MAX))
#define CPU_SAT_UH(x) ((uint16_t)cpu_clamp(x, 0, UINT16_MAX))
#define CPU_SAT_W(x) ((int32_t)cpu_clamp(x, INT32_MIN, INT32_MAX))

#endif
