/* SPDX-License-Identifier: MIT
 *
 * VTCM, the DSP's tightly coupled memory. The chip has one, shared by all processes and by all handles of this one. The
 * first handle to start holds it until it stops; the others work without it.
 */
#ifndef PHX_VTCM_H
#define PHX_VTCM_H

#include "contract.h"

struct phx_vtcm {
    uint8_t *data; /* aligned to PHX_VECTOR; NULL: none was granted */
    uint32_t n_bytes;
    uint32_t context; /* of the resource manager; 0: none */
};

/* Acquires as much VTCM as is free. */
void phx_vtcm_acquire(struct phx_vtcm *vtcm);
void phx_vtcm_release(struct phx_vtcm *vtcm);

#endif
