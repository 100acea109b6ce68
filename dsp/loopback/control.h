/* SPDX-License-Identifier: MIT
 *
 * The requests of remote_session_control, remote_handle_control and remote_handle64_control.
 */
#ifndef LOOPBACK_CONTROL_H
#define LOOPBACK_CONTROL_H

#include <stdint.h>

int control_session(uint32_t request, void *data, uint32_t size);

/* `domain` is the effective domain id of the call. */
int control_handle(int domain, uint32_t request, void *data, uint32_t size);

#endif
