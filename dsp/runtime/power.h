/* SPDX-License-Identifier: MIT
 *
 * Clock votes. They are requests: the firmware may refuse some, and the skel works without them.
 */
#ifndef PHX_POWER_H
#define PHX_POWER_H

#include "log.h"

/* Votes for the clocks of an enum phx_power on behalf of `client`, any unique address of this process domain. Submits
 * every vote and logs each refusal. Returns 0 or the first refusal as an AEE code of the DSP. */
int phx_power_vote(const void *client, uint32_t power, struct phx_log *log);

/* Withdraws the client's votes. */
void phx_power_release(const void *client);

#endif
