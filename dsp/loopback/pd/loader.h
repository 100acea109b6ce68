/* SPDX-License-Identifier: MIT
 *
 * Loads Hexagon shared objects into the PD, as the rtld in the board's shell does.
 */
#ifndef PD_LOADER_H
#define PD_LOADER_H

#include <stdint.h>

struct module;

/* Where bare file names are looked for from now on: directories separated by ;, in each its subdirectory `domain`
 * first. The texts are copied; NULL leaves one as it is. */
void loader_search_in(const char *directories, const char *domain);

/* The version of this DSP, 0x68 for v68; what is built for a later one is refused. */
void loader_set_arch(uint32_t version);

/* Loads the file or finds it loaded; NULL with a log line that says what the board's loader would not take. */
struct module *loader_open(const char *path);

/* The same for a bare file name, as dlopen and DT_NEEDED give. */
struct module *loader_search(const char *name);

/* Address of a dynamic symbol that the module itself defines; NULL when there is none. */
void *loader_symbol(const struct module *module, const char *name);

/* Name and offset of the module that holds an address, for fault messages; NULL outside of all. */
const char *loader_where(uint32_t address, uint32_t *offset);

/* exports.c: what the shell offers to skels; NULL when it does not have the name. */
void *shell_symbol(const char *name);

#endif
