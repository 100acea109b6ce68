/* SPDX-License-Identifier: MIT
 *
 * The loopback's options: loopback_set(), and PYHEXAGON_LOOPBACK in the environment. loopback.h describes each.
 */
#ifndef LOOPBACK_OPTIONS_H
#define LOOPBACK_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* name, value after loading */
#define OPTIONS(X)                                                                                                     \
    X(memory_limit, 0)                                                                                                 \
    X(map_limit, 3758096384)                                                                                           \
    X(device, 1)                                                                                                       \
    X(heap, 0)                                                                                                         \
    X(incoherent, 0)                                                                                                   \
    X(skip_maintenance, 0)                                                                                             \
    X(stall_at, 0)                                                                                                     \
    X(map_sizes, 1)                                                                                                    \
    X(dspqueue, 1)                                                                                                     \
    X(dspqueue_import, 0)                                                                                              \
    X(dspqueue_echo, 1)                                                                                                \
    X(unsigned, 1)                                                                                                     \
    X(arch, 0x68)                                                                                                      \
    X(threads, 4)                                                                                                      \
    X(vtcm, 4194304)                                                                                                   \
    X(dma, 1)                                                                                                          \
    X(power, 0)                                                                                                        \
    X(poll, 1)                                                                                                         \
    X(log, 0)

#define OPTION_ENUM(name, value) OPTION_##name,
enum option {
    OPTIONS(OPTION_ENUM) N_OPTIONS
};

int64_t option_get(enum option option);

/* Returns false for an unknown name. */
bool option_set(const char *name, int64_t value);

/* Loads the initial values: the defaults, then the environment. */
void options_load(void);

#endif
