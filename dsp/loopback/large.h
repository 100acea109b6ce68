/* SPDX-License-Identifier: MIT
 *
 * Large buffers in huge pages. Linux gives a memfd none by default (shmem_enabled), and with pages of 4 KiB a matmul
 * that reads its weights from memory spends much of its time on address translation. Therefore a large buffer is
 * anonymous memory, which the CPU and the PDs of the host engine use at one address, until a PD in another process
 * needs it: then it moves into its memfd.
 */
#ifndef LOOPBACK_LARGE_H
#define LOOPBACK_LARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns anonymous memory in place of a memfd's, with one user, or NULL: it is too small, or there is none. */
uint8_t *large_create(int fd, size_t size);

/* Returns the address of the first `size` bytes for one more user, or NULL if the memory is the memfd's. */
uint8_t *large_use(int fd, size_t size);

/* One user less; the last one frees it. Returns whether it is the address of a large buffer. */
bool large_drop(const uint8_t *base);

/* The memfd is about to be closed: its number may come back for another one. */
void large_forget_fd(int fd);

/* Moves the content into the memfd, at the same address, if it is not there yet; nobody may write to it meanwhile.
 * Returns false if that failed. */
bool large_share(int fd);

#endif
