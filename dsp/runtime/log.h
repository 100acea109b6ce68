/* SPDX-License-Identifier: MIT
 *
 * Log messages for people. They go into a ring buffer that the CPU has mapped and that survives this process domain;
 * the CPU reads it after each call and after a crash. Errors also go to FARF.
 *
 * The skel writes the ring (contract.h) and never reads it: its address, size and message count are kept here, so the
 * CPU can corrupt only the text.
 */
#ifndef PHX_LOG_H
#define PHX_LOG_H

#include "maps.h"
#include "qurt.h"

struct phx_log {
    qurt_mutex_t mutex; /* protects all fields but the level */
    uint32_t level;     /* atomic: the lowest level that is written; PHX_LOG_OFF without a ring */
    int32_t fd;         /* the ring's buffer, or -1 */
    uint8_t *ring;
    uint32_t n_slots;
    uint64_t n_written;
    struct phx_log_note *note; /* in the ring, or NULL */
};

void phx_log_init(struct phx_log *log);
void phx_log_destroy(struct phx_log *log);

/* Writes messages of `level` and above to the first n_bytes of the buffer, which must stay mapped until
 * phx_log_close(). Returns 0, or DSP_EBADPARM for an invalid ring or level. */
int phx_log_open(struct phx_log *log, const struct phx_map *map, uint32_t n_bytes, uint32_t level);
void phx_log_close(struct phx_log *log);

/* Writes a message: an enum phx_log_level and a printf format for 32-bit arguments. Callable from any thread. */
void phx_log_write(struct phx_log *log, uint32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Notes which user kernel runs in the ring, 1 + its number, or 0. Only while nothing else runs in this context. Cleans
 * the cache line with dccleana: qurt_mem_cache_clean() would take longer than a small op. */
static inline void phx_log_note_running(const struct phx_log *log, uint32_t running) {
    if (log->note) {
        log->note->running = running;
#ifdef __hexagon__
        __asm__ volatile("dccleana(%0)" : : "r"(log->note) : "memory");
#endif
    }
}

/* Notes why a user kernel failed, under the same condition. */
void phx_log_note_failure(struct phx_log *log, int32_t result, const char *message);

#endif
