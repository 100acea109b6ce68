/* SPDX-License-Identifier: MIT
 *
 * What the skel has to say, for people. Messages go into a ring in memory that the CPU has mapped and that survives
 * this process domain; the CPU reads it after each call, and after a death. Errors go to FARF as well.
 *
 * The ring (contract.h) is written and never read back: its place, its size and the number of messages are kept here,
 * so that whatever the CPU scribbles over it only spoils the text.
 */
#ifndef PHX_LOG_H
#define PHX_LOG_H

#include "maps.h"
#include "qurt.h"

struct phx_log {
    qurt_mutex_t mutex; /* of all but the level */
    uint32_t level;     /* atomic: the least that is written; PHX_LOG_OFF without a ring */
    int32_t fd;         /* of the ring's buffer, or -1 */
    uint8_t *ring;
    uint32_t n_slots;
    uint64_t n_written;
};

void phx_log_init(struct phx_log *log);
void phx_log_destroy(struct phx_log *log);

/* Messages of `level` and above go to the first n_bytes of that buffer, which stays mapped until phx_log_close.
 * 0, or DSP_EBADPARM for a ring that is none or a level that is none. */
int phx_log_open(struct phx_log *log, const struct phx_map *map, uint32_t n_bytes, uint32_t level);
void phx_log_close(struct phx_log *log);

/* enum phx_log_level, and a printf format for 32-bit arguments. Any thread. */
void phx_log_write(struct phx_log *log, uint32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
