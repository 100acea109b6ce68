/* SPDX-License-Identifier: MIT
 *
 * Comparisons, predicates, and what predicates select. A predicate may differ within a lane.
 */
#ifndef PHX_CPU_PREDICATES_H
#define PHX_CPU_PREDICATES_H

#include "lanes.h"

/* --- Comparisons, also joined with a predicate --- */

CPU_COMPARE(gt_VbVb, cpu_i8, >)
CPU_COMPARE(gt_VubVub, cpu_u8, >)
CPU_COMPARE(gt_VuhVuh, cpu_u16, >)

#define CPU_COMPARE_JOINED(name, joins, type, operator)                                                                \
    CPU_INLINE HVX_VectorPred Q6_Q_vcmp_##name(HVX_VectorPred q, HVX_Vector u, HVX_Vector v) {                         \
        return q joins(HVX_VectorPred)((type)u operator(type) v);                                                      \
    }
#define CPU_COMPARE_EACH(name, lanes, type, operator)                                                                  \
    CPU_COMPARE_JOINED(name##and_Q##lanes, &, type, operator)                                                          \
    CPU_COMPARE_JOINED(name##or_Q##lanes, |, type, operator)                                                           \
    CPU_COMPARE_JOINED(name##xacc_Q##lanes, ^, type, operator)
CPU_COMPARE_EACH(eq, VbVb, cpu_i8, ==)
CPU_COMPARE_EACH(eq, VhVh, cpu_i16, ==)
CPU_COMPARE_JOINED(eqand_QVwVw, &, cpu_i32, ==)
CPU_COMPARE_JOINED(eqxacc_QVwVw, ^, cpu_i32, ==)
CPU_COMPARE_EACH(gt, VbVb, cpu_i8, >)
CPU_COMPARE_EACH(gt, VhVh, cpu_i16, >)
CPU_COMPARE_EACH(gt, VwVw, cpu_i32, >)
CPU_COMPARE_EACH(gt, VubVub, cpu_u8, >)
CPU_COMPARE_EACH(gt, VuhVuh, cpu_u16, >)
CPU_COMPARE_EACH(gt, VuwVuw, cpu_u32, >)

/* --- Predicates --- */

CPU_INLINE HVX_VectorPred Q6_Q_and_QQ(HVX_VectorPred q, HVX_VectorPred r) {
    return q & r;
}

CPU_INLINE HVX_VectorPred Q6_Q_or_QQn(HVX_VectorPred q, HVX_VectorPred r) {
    return q | ~r;
}

CPU_INLINE HVX_VectorPred Q6_Q_xor_QQ(HVX_VectorPred q, HVX_VectorPred r) {
    return q ^ r;
}

CPU_EACH_2(Qb_vshuffe_QhQh, Q, (Q, q), (Q, r), b, d.b[i] = i & 1 ? q.b[i - 1] : r.b[i])
CPU_EACH_2(Qh_vshuffe_QwQw, Q, (Q, q), (Q, r), b, d.b[i] = i & 2 ? q.b[i - 2] : r.b[i])

CPU_INLINE HVX_VectorPred Q6_Q_vand_VR(HVX_Vector u, int32_t x) {
    return (HVX_VectorPred)((cpu_i8)(u & Q6_V_vsplat_R(x)) != 0);
}

CPU_INLINE HVX_VectorPred Q6_Q_vandor_QVR(HVX_VectorPred q, HVX_Vector u, int32_t x) {
    return q | Q6_Q_vand_VR(u, x);
}

CPU_INLINE HVX_Vector Q6_V_vand_QnR(HVX_VectorPred q, int32_t x) {
    return Q6_V_vand_QR(~q, x);
}

CPU_INLINE HVX_Vector Q6_V_vandor_VQnR(HVX_Vector v, HVX_VectorPred q, int32_t x) {
    return Q6_V_vandor_VQR(v, ~q, x);
}

/* Return for each lane the number of set predicate bytes up to and including it, in bytes modulo 256. */
CPU_INLINE HVX_Vector Q6_Vb_prefixsum_Q(HVX_VectorPred q) {
    cpu_i8 counts;
    int8_t n = 0;
    for (int i = 0; i < 128; i++) {
        n -= q[i];
        counts[i] = n;
    }
    return (HVX_Vector)counts;
}

CPU_EACH_1(Vh_prefixsum_Q, V, (Q, q), h, d.h[i] = (int16_t)((i > 0 ? d.h[i - 1] : 0) - q.b[2 * i] - q.b[2 * i + 1]))

/* --- What predicates select --- */

CPU_INLINE HVX_VectorPair Q6_W_vswap_QVV(HVX_VectorPred q, HVX_Vector u, HVX_Vector v) {
    return (HVX_VectorPair){CPU_SELECT(q, u, v), CPU_SELECT(q, v, u)};
}

CPU_CONDITIONAL(Vb_condacc_QVbVb, cpu_i8, q, +)
CPU_CONDITIONAL(Vb_condacc_QnVbVb, cpu_i8, ~q, +)
CPU_CONDITIONAL(Vb_condnac_QVbVb, cpu_i8, q, -)
CPU_CONDITIONAL(Vb_condnac_QnVbVb, cpu_i8, ~q, -)
CPU_CONDITIONAL(Vh_condacc_QnVhVh, cpu_i16, ~q, +)
CPU_CONDITIONAL(Vh_condnac_QnVhVh, cpu_i16, ~q, -)
CPU_CONDITIONAL(Vw_condnac_QnVwVw, cpu_i32, ~q, -)

/* A hint about caches on the DSP only. */
CPU_INLINE void Q6_vmem_QRIV_nt(HVX_VectorPred q, void *to, HVX_Vector v) {
    Q6_vmem_QRIV(q, to, v);
}

CPU_INLINE void Q6_vmem_QnRIV_nt(HVX_VectorPred q, void *to, HVX_Vector v) {
    Q6_vmem_QnRIV(q, to, v);
}

#endif
