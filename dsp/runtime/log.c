/* SPDX-License-Identifier: MIT */
#include "log.h"

#include <stdarg.h>
#include <stdbool.h>

#include "clock.h"
#include "libc.h"

_Static_assert(PHX_LOG_SLOT_BYTES == sizeof(struct phx_log_entry) + PHX_LOG_TEXT_BYTES, "slot of a log ring");
_Static_assert(sizeof(struct phx_log_header) <= PHX_LOG_NOTE_OFFSET &&
                   PHX_LOG_NOTE_OFFSET + sizeof(struct phx_log_note) <= PHX_LOG_SLOT_BYTES,
               "header and note take one slot");

void phx_log_init(struct phx_log *log) {
    *log = (struct phx_log){.level = PHX_LOG_OFF, .fd = -1};
    qurt_mutex_init(&log->mutex);
}

void phx_log_destroy(struct phx_log *log) {
    qurt_mutex_destroy(&log->mutex);
}

int phx_log_open(struct phx_log *log, const struct phx_map *map, uint32_t n_bytes, uint32_t level) {
    if (n_bytes > map->size || n_bytes % PHX_LOG_SLOT_BYTES || n_bytes < 2 * PHX_LOG_SLOT_BYTES ||
        (uintptr_t)map->data % PHX_VECTOR || level < PHX_LOG_DEBUG || level > PHX_LOG_OFF) {
        return DSP_EBADPARM;
    }
    qurt_mutex_lock(&log->mutex);
    log->fd = map->fd;
    log->ring = map->data;
    log->note = (void *)(map->data + PHX_LOG_NOTE_OFFSET);
    log->n_slots = n_bytes / PHX_LOG_SLOT_BYTES - 1;
    log->n_written = 0;
    __atomic_store_n(&log->level, level, __ATOMIC_RELAXED);
    qurt_mutex_unlock(&log->mutex);
    return AEE_SUCCESS;
}

void phx_log_close(struct phx_log *log) {
    qurt_mutex_lock(&log->mutex);
    __atomic_store_n(&log->level, PHX_LOG_OFF, __ATOMIC_RELAXED);
    log->fd = -1;
    log->ring = NULL;
    log->note = NULL;
    qurt_mutex_unlock(&log->mutex);
}

static void clean_results(void *data, uint32_t n_bytes) {
    qurt_mem_cache_clean((uintptr_t)data, n_bytes, QURT_MEM_CACHE_FLUSH, QURT_MEM_DCACHE);
}

/* Writes the slot before the counter that publishes it. */
static void put(struct phx_log *log, const struct phx_log_entry *entry, const char *text) {
    uint8_t *slot = log->ring + PHX_LOG_SLOT_BYTES * (1 + (uint32_t)(log->n_written % log->n_slots));
    memcpy(slot, entry, sizeof(*entry));
    memcpy(slot + sizeof(*entry), text, entry->n_text);
    clean_results(slot, PHX_LOG_SLOT_BYTES);
    log->n_written++;
    __atomic_store_n(&((struct phx_log_header *)(void *)log->ring)->n_written, log->n_written, __ATOMIC_RELEASE);
    clean_results(log->ring, sizeof(struct phx_log_header));
}

void phx_log_write(struct phx_log *log, uint32_t level, const char *format, ...) {
    bool is_wanted = level >= __atomic_load_n(&log->level, __ATOMIC_RELAXED);
    if (!is_wanted && level < PHX_LOG_ERROR) {
        return;
    }
    char text[PHX_LOG_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int n_text = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n_text < 0) {
        return;
    }
    struct phx_log_entry entry = {
        .time_ns = phx_now_ns(),
        .level = level,
        .thread = qurt_thread_get_id(),
        .n_text = (uint32_t)n_text < sizeof(text) ? (uint32_t)n_text : (uint32_t)sizeof(text) - 1,
    };
    if (level >= PHX_LOG_ERROR) {
        HAP_debug_v2(HAP_LEVEL_ERROR, "pyhexagon", 0, "%s", text);
    }
    qurt_mutex_lock(&log->mutex);
    if (log->ring && is_wanted) {
        entry.number = log->n_written;
        put(log, &entry, text);
    }
    qurt_mutex_unlock(&log->mutex);
}

void phx_log_note_failure(struct phx_log *log, int32_t result, const char *message) {
    if (log->note) {
        log->note->result = result;
        uint32_t i = 0;
        for (; i + 1 < PHX_KERNEL_MESSAGE_BYTES && message[i]; i++) {
            log->note->message[i] = (uint8_t)message[i];
        }
        log->note->message[i] = 0;
        clean_results(log->note, sizeof(*log->note));
    }
}
