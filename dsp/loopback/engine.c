/* SPDX-License-Identifier: MIT
 *
 * Selects the engine that runs a skel by the skel's ELF class and machine.
 */
#include "engine.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

/* Register an engine by adding a line here. */
static const struct engine *const engines[] = {&engine_host, &engine_qemu};

const struct engine *engine_for_skel(const char *path) {
    Elf32_Ehdr header; /* both classes have the same layout of the fields read here */
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        log_line("loader: cannot open %s", path);
        return NULL;
    }
    ssize_t n = read(fd, &header, sizeof header);
    close(fd);
    if (n != (ssize_t)sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN) {
        log_line("loader: %s is not a little-endian ELF shared object", path);
        return NULL;
    }
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (engines[i]->elf_machine == header.e_machine && engines[i]->elf_class == header.e_ident[EI_CLASS]) {
            return engines[i];
        }
    }
    log_line("loader: %s is for ELF machine %u, which no engine of this loopback runs", path,
             (unsigned)header.e_machine);
    return NULL;
}
