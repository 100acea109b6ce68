/* SPDX-License-Identifier: MIT
 *
 * The loopback's log: a ring of text that loopback_log() reads, also written to stderr if the option says so.
 */
#ifndef LOOPBACK_LOG_H
#define LOOPBACK_LOG_H

#include <stdint.h>

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
uint32_t log_read(char *text, uint32_t size);
void log_clear(void);

#endif
