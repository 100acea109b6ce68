/* SPDX-License-Identifier: MIT
 *
 * Gathers from a region of memory and scatters to it. The DSP wants the region, and what a gather writes, in VTCM; a
 * CPU takes any memory. The region begins at the address, rounded down to the size of an element. Its last byte has
 * the number `last`, with the low bits set. What lies outside is neither read nor written.
 */
#ifndef PHX_CPU_GATHER_H
#define PHX_CPU_GATHER_H

#include "lanes.h"

/* Bytes of `to` whose predicate is not set, or whose offset is outside, keep their values. */
CPU_INLINE void cpu_gather(HVX_Vector *to, HVX_VectorPred q, uintptr_t address, int32_t last, const uint32_t *offsets,
                           const uint32_t size) {
    const uint8_t *region = (const uint8_t *)(address & ~(uintptr_t)(size - 1));
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t at = offsets[i / size];
        if (q[i] && at <= ((uint32_t)last | (size - 1))) {
            ((uint8_t *)to)[i] = region[at + i % size];
        }
    }
}

/* Of elements at the same offset, the last one stays. */
CPU_INLINE void cpu_scatter(HVX_VectorPred q, uintptr_t address, int32_t last, const uint32_t *offsets, HVX_Vector from,
                            const uint32_t size) {
    uint8_t *region = (uint8_t *)(address & ~(uintptr_t)(size - 1));
    for (uint32_t i = 0; i < 128; i++) {
        uint32_t at = offsets[i / size];
        if (q[i] && at <= ((uint32_t)last | (size - 1))) {
            region[at + i % size] = ((const uint8_t *)&from)[i];
        }
    }
}

/* Adds all elements at the same offset. */
CPU_INLINE void cpu_scatter_add(uintptr_t address, int32_t last, const uint32_t *offsets, HVX_Vector from,
                                const uint32_t size) {
    uint8_t *region = (uint8_t *)(address & ~(uintptr_t)(size - 1));
    for (uint32_t i = 0; i < 128; i += size) {
        uint32_t at = offsets[i / size] & ~(size - 1), sum = 0, added = 0;
        if (at <= ((uint32_t)last | (size - 1))) {
            memcpy(&sum, region + at, size);
            memcpy(&added, (const uint8_t *)&from + i, size);
            sum += added;
            memcpy(region + at, &sum, size);
        }
    }
}

/* The intrinsics of one kind of offsets, for elements of `size` bytes: `number` is offset i of the operand u. */
#define CPU_GATHER(lanes, kind, size, number)                                                                          \
    CPU_INLINE void cpu_offsets_##lanes(CPU_TYPE_##kind u_packed, uint32_t *offsets) {                                 \
        CPU_LOCAL(kind, u)                                                                                             \
        for (int i = 0; i < 128 / (size); i++) {                                                                       \
            offsets[i] = (number);                                                                                     \
        }                                                                                                              \
    }                                                                                                                  \
    CPU_INLINE void Q6_vgather_AQRM##lanes(HVX_Vector *to, HVX_VectorPred q, uintptr_t address, int32_t last,          \
                                           CPU_TYPE_##kind u) {                                                        \
        uint32_t offsets[128 / (size)];                                                                                \
        cpu_offsets_##lanes(u, offsets);                                                                               \
        cpu_gather(to, q, address, last, offsets, size);                                                               \
    }                                                                                                                  \
    CPU_INLINE void Q6_vgather_ARM##lanes(HVX_Vector *to, uintptr_t address, int32_t last, CPU_TYPE_##kind u) {        \
        Q6_vgather_AQRM##lanes(to, ~(HVX_VectorPred){0}, address, last, u);                                            \
    }                                                                                                                  \
    CPU_INLINE void Q6_vscatter_QRM##lanes##V(HVX_VectorPred q, uintptr_t address, int32_t last, CPU_TYPE_##kind u,    \
                                              HVX_Vector from) {                                                       \
        uint32_t offsets[128 / (size)];                                                                                \
        cpu_offsets_##lanes(u, offsets);                                                                               \
        cpu_scatter(q, address, last, offsets, from, size);                                                            \
    }                                                                                                                  \
    CPU_INLINE void Q6_vscatter_RM##lanes##V(uintptr_t address, int32_t last, CPU_TYPE_##kind u, HVX_Vector from) {    \
        Q6_vscatter_QRM##lanes##V(~(HVX_VectorPred){0}, address, last, u, from);                                       \
    }                                                                                                                  \
    CPU_INLINE void Q6_vscatteracc_RM##lanes##V(uintptr_t address, int32_t last, CPU_TYPE_##kind u, HVX_Vector from) { \
        uint32_t offsets[128 / (size)];                                                                                \
        cpu_offsets_##lanes(u, offsets);                                                                               \
        cpu_scatter_add(address, last, offsets, from, size);                                                           \
    }
CPU_GATHER(Vh, V, 2, u.uh[i])
CPU_GATHER(Vw, V, 4, u.uw[i])
CPU_GATHER(Ww, W, 2, u.v[i % 2].uw[i / 2])

/* An address is a Word32 on the DSP: (uintptr_t)region is right everywhere, (int32_t)region only there. */
#define CPU_ADDRESS(x)                                                                                                 \
    ((uintptr_t)(x) + 0 * sizeof(struct {                                                                              \
                          _Static_assert(sizeof(x) == sizeof(uintptr_t),                                               \
                                         "vgather, vscatter: write the address as (uintptr_t)region");                 \
                          int unused;                                                                                  \
                      }))
#define Q6_vgather_ARMVh(to, address, last, u) Q6_vgather_ARMVh(to, CPU_ADDRESS(address), last, u)
#define Q6_vgather_ARMVw(to, address, last, u) Q6_vgather_ARMVw(to, CPU_ADDRESS(address), last, u)
#define Q6_vgather_ARMWw(to, address, last, u) Q6_vgather_ARMWw(to, CPU_ADDRESS(address), last, u)
#define Q6_vgather_AQRMVh(to, q, address, last, u) Q6_vgather_AQRMVh(to, q, CPU_ADDRESS(address), last, u)
#define Q6_vgather_AQRMVw(to, q, address, last, u) Q6_vgather_AQRMVw(to, q, CPU_ADDRESS(address), last, u)
#define Q6_vgather_AQRMWw(to, q, address, last, u) Q6_vgather_AQRMWw(to, q, CPU_ADDRESS(address), last, u)
#define Q6_vscatter_RMVhV(address, last, u, v) Q6_vscatter_RMVhV(CPU_ADDRESS(address), last, u, v)
#define Q6_vscatter_RMVwV(address, last, u, v) Q6_vscatter_RMVwV(CPU_ADDRESS(address), last, u, v)
#define Q6_vscatter_RMWwV(address, last, u, v) Q6_vscatter_RMWwV(CPU_ADDRESS(address), last, u, v)
#define Q6_vscatteracc_RMVhV(address, last, u, v) Q6_vscatteracc_RMVhV(CPU_ADDRESS(address), last, u, v)
#define Q6_vscatteracc_RMVwV(address, last, u, v) Q6_vscatteracc_RMVwV(CPU_ADDRESS(address), last, u, v)
#define Q6_vscatteracc_RMWwV(address, last, u, v) Q6_vscatteracc_RMWwV(CPU_ADDRESS(address), last, u, v)
#define Q6_vscatter_QRMVhV(q, address, last, u, v) Q6_vscatter_QRMVhV(q, CPU_ADDRESS(address), last, u, v)
#define Q6_vscatter_QRMVwV(q, address, last, u, v) Q6_vscatter_QRMVwV(q, CPU_ADDRESS(address), last, u, v)
#define Q6_vscatter_QRMWwV(q, address, last, u, v) Q6_vscatter_QRMWwV(q, CPU_ADDRESS(address), last, u, v)

#endif
