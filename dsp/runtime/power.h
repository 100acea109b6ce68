/* SPDX-License-Identifier: MIT
 *
 * Votes for clocks. They are wishes: firmware may refuse some, and all works without.
 */
#ifndef PHX_POWER_H
#define PHX_POWER_H

#include "log.h"

/* Votes as enum phx_power says, in the name of `client`, any address of this process domain. Every vote is tried, each
 * refusal logged. Returns 0 or the first refusal as an AEE code of the DSP. */
int phx_power_vote(const void *client, uint32_t power, struct phx_log *log);

/* Takes the client's votes back. */
void phx_power_release(const void *client);

#endif
