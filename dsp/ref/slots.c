/* SPDX-License-Identifier: MIT */
#include "slots.h"

/* The host may change ids at any time. */
static int32_t id_of(const struct phx_operand *ids, uint32_t sequence) {
    return *(const volatile int32_t *)(ids->data + sequence * ids->view.nb[0]);
}

uint32_t ref_slots_of(const struct phx_operand *reads, const struct phx_operand *writes, uint32_t n_slots,
                      uint32_t sequence, struct ref_slots *slots) {
    int32_t from = id_of(reads, sequence), to = id_of(writes, sequence);
    *slots = (struct ref_slots){(uint32_t)from, (uint32_t)to, from < 0 || to < 0};
    bool is_shared = false;
    for (uint32_t i = 0; i < reads->view.ne[0]; i++) {
        is_shared |= i != sequence && (id_of(reads, i) == to || id_of(writes, i) == to);
    }
    return !slots->is_skipped && (is_shared || slots->from >= n_slots || slots->to >= n_slots) ? PHX_E_INDEX : PHX_OK;
}
