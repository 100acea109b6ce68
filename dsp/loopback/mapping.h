/* SPDX-License-Identifier: MIT
 *
 * The CPU's mappings in a session's process: fastrpc_mmap and remote_mem_map.
 */
#ifndef LOOPBACK_MAPPING_H
#define LOOPBACK_MAPPING_H

#include "session.h"

int mapping_add(int domain, int fd, void *address, int offset, size_t length, uint32_t flags);
int mapping_remove(int domain, int fd);
int mapping_add_remote(int domain, int fd, int flags, uint64_t address, size_t length, uint64_t *remote_address);
int mapping_remove_remote(int domain, uint64_t remote_address, size_t length);

/* Checks a packet's buffers against the mappings and applies REF and DEREF, all or none; when reading, sets ptr and
 * size. */
int mapping_use(struct session *session, struct dspqueue_buffer *buffers, uint32_t n_buffers, bool reading);

/* session.c calls these to give earlier mappings to a new process, and to drop all mappings at the session's end. */
void mappings_hand_over(struct session *session, struct process *process);
void mappings_clear(struct session *session);

#endif
