/* SPDX-License-Identifier: MIT
 *
 * What several ops require of their operands.
 */
#include "executor.h"

struct phx_mismatch phx_require_shape(const struct phx_operand *operand, uint32_t dtype,
                                      const uint64_t ne[PHX_MAX_DIMS]) {
    struct phx_mismatch mismatch = phx_require_rows(operand, dtype);
    for (uint32_t i = 0; i < PHX_MAX_DIMS && !mismatch.status; i++) {
        if (operand->view.ne[i] != ne[i]) {
            mismatch = (struct phx_mismatch){PHX_E_SHAPE, operand};
        }
    }
    return mismatch;
}

struct phx_mismatch phx_require_slots(const struct phx_operand *table, const struct phx_operand *reads,
                                      const struct phx_operand *writes, const uint64_t slot_ne[2],
                                      uint32_t n_sequences) {
    if (!table || !reads || !writes) {
        return (struct phx_mismatch){PHX_E_INDEX, NULL}; /* they come together */
    }
    const uint64_t ids_ne[PHX_MAX_DIMS] = {n_sequences, 1, 1, 1};
    const uint64_t table_ne[PHX_MAX_DIMS] = {slot_ne[0], slot_ne[1], table->view.ne[2], 1};
    struct phx_mismatch mismatch = phx_require_shape(table, PHX_F32, table_ne);
    if (!mismatch.status) {
        mismatch = phx_require_shape(reads, PHX_I32, ids_ne);
    }
    return mismatch.status ? mismatch : phx_require_shape(writes, PHX_I32, ids_ne);
}
