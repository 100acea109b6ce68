/* SPDX-License-Identifier: MIT
 *
 * The DSP's tightly coupled memory. There is one on the chip, for all processes and all handles of this one: whoever
 * starts first has it until it stops, the others work without.
 */
#ifndef PHX_VTCM_H
#define PHX_VTCM_H

#include "contract.h"

struct phx_vtcm {
    uint8_t *data; /* aligned to PHX_VECTOR; NULL: none was granted */
    uint32_t n_bytes;
    uint32_t context; /* of the resource manager; 0: none */
};

/* As much as is free. */
void phx_vtcm_acquire(struct phx_vtcm *vtcm);
void phx_vtcm_release(struct phx_vtcm *vtcm);

#endif
