/* SPDX-License-Identifier: MIT
 *
 * The parts of the PD program. It is one process domain: the shell's PD (shell/pd.h) and the process coincide, so all
 * state here exists once.
 *
 * Threads: main serves the control socket (main.c) and never runs a skel's code, so that it answers regardless of what
 * a skel does. One thread per channel serves a CPU thread's calls (channel.c). The skel creates further threads.
 */
#ifndef PD_PROGRAM_H
#define PD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "../shell/pd.h"
#include "protocol.h"

extern struct shell_pd the_pd;

/* log.c */
void pd_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint64_t pd_log_bytes(void);
void fault_handlers_install(void);

/* memory.c. Addresses are 0 on failure. fd -1: anonymous memory. */
uint32_t memory_place(int fd, uint64_t offset, uint64_t size);
void memory_remove(uint32_t address, uint64_t size);
uint32_t memory_vtcm(uint32_t size);
uint32_t memory_past_cache(uint32_t address); /* where user DMA accesses it: an incoherent PD's memory, not its copy */
int memory_map(const struct pd_request *request, int fd, uint32_t *address);
int memory_unmap(const struct pd_request *request);
int queue_attach(const struct pd_request *request, int fd);
int queue_detach(uint64_t id);

/* channel.c */
int channel_open(const struct pd_request *request, int fd, uint32_t *room);
int channel_grow(const struct pd_request *request, uint32_t *room);
int channel_close(uint64_t id);
void channels_configure(uint32_t priority, uint32_t stack);

/* dma.c: returns true if the packet before `context`'s pc was a user DMA instruction, which it has emulated. */
bool dma_emulate(void *context);

/* Sets when copies are made: the loopback's option. */
void dma_configure(uint32_t when);

#endif
