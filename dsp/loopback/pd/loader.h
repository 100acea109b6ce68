/* SPDX-License-Identifier: MIT
 *
 * Loads Hexagon shared objects into the PD, like the rtld in the board's shell.
 */
#ifndef PD_LOADER_H
#define PD_LOADER_H

#include <stdint.h>

struct module;

/* Sets the search path of bare file names: directories separated by ;, in each its subdirectory `domain` first. Copies
 * the texts; NULL leaves one unchanged. */
void loader_search_in(const char *directories, const char *domain);

/* Sets the version of this DSP, 0x68 for v68. Skels built for a later version are refused. */
void loader_set_arch(uint32_t version);

/* Loads the file, or finds it loaded. Returns NULL after logging what the board's loader would refuse. */
struct module *loader_open(const char *path);

/* Loads a file in memory, as a module of its own under this name, which faults are reported under. */
struct module *loader_open_buffer(const char *name, const void *data, uint32_t size);

/* loader_open() for a bare file name, as from dlopen and DT_NEEDED. */
struct module *loader_search(const char *name);

/* Returns the address of a dynamic symbol that the module itself defines, or NULL. */
void *loader_symbol(const struct module *module, const char *name);

/* Returns the name of the module that contains an address, and the offset in it, for fault messages; NULL if there is
 * none. */
const char *loader_where(uint32_t address, uint32_t *offset);

/* exports.c: returns the shell's symbol of that name, or NULL. */
void *shell_symbol(const char *name);

#endif
