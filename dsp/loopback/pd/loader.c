/* SPDX-License-Identifier: MIT
 *
 * The board's loader is old and strict. This loader refuses the same files, so that a skel which runs here also loads
 * on a board:
 *  - the program headers are in the first 4096 bytes; DT_HASH, never DT_GNU_HASH; fixed entry sizes; RELA only;
 *  - dynamic tags above 0x17 are unknown, so constructors run only through DT_INIT;
 *  - six kinds of relocation, at 4-byte aligned addresses; all symbols are bound before anything runs;
 *  - an undefined weak symbol is 0, an undefined strong one aborts the load; importing mmap, munmap or mprotect, too.
 * Thread-local storage (two of the six kinds) is not supported here. A loaded module stays until the PD ends.
 *
 * A damaged file must not crash the PD, so every offset from the file is checked against the module's pages.
 */
#define _GNU_SOURCE
#include "loader.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

#define MAX_SEGMENTS 64
#define HEADERS_END 4096
#define PAGE 4096u

enum {
    MAX_NEEDED = 16
};

struct module {
    struct module *next;
    char *path;
    const char *name; /* last component of path */
    uint8_t *base;
    uint32_t span;
    const uint32_t *hash;
    const Elf32_Sym *symbols;
    uint32_t n_symbols;
    const char *strings;
    uint32_t strings_size;
    bool symbolic;
    struct module *needed[MAX_NEEDED];
    uint32_t n_needed;
};

/* The entries of PT_DYNAMIC that the board's loader evaluates. */
struct dynamic {
    uint32_t value[0x18];
    bool has[0x18];
    uint32_t needed[MAX_NEEDED];
    uint32_t n_needed;
};

static pthread_mutex_t lock; /* recursive: a constructor may call dlopen */
static struct module *modules;
static char *directories;
static char subdirectory[16];
static uint32_t arch;

__attribute__((constructor)) static void make_lock(void) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

static bool refuse(const struct module *module, const char *why) {
    pd_log("dynamic loading failed: %s: %s", module->path, why);
    return false;
}

static bool inside(const struct module *module, uint32_t offset, uint32_t size) {
    return offset <= module->span && size <= module->span - offset;
}

static const char *string_at(const struct module *module, uint32_t offset) {
    bool good = offset < module->strings_size &&
                memchr(module->strings + offset, 0, module->strings_size - offset) != NULL;
    return good ? module->strings + offset : NULL;
}

static uint32_t elf_hash(const char *name) {
    uint32_t h = 0;
    for (; *name; name++) {
        h = (h << 4) + (uint8_t)*name;
        h ^= (h >> 24) & 0xf0;
        h &= 0x0fffffff;
    }
    return h;
}

void *loader_symbol(const struct module *module, const char *name) {
    uint32_t n_buckets = module->hash[0];
    const uint32_t *buckets = module->hash + 2, *chain = buckets + n_buckets;
    uint32_t steps = module->n_symbols; /* a damaged chain may be circular */
    uint32_t i = buckets[elf_hash(name) % n_buckets];
    for (; i != 0 && i < module->n_symbols && steps > 0; i = chain[i], steps--) {
        const Elf32_Sym *symbol = &module->symbols[i];
        const char *its_name = string_at(module, symbol->st_name);
        if (symbol->st_shndx != SHN_UNDEF && its_name && strcmp(its_name, name) == 0) {
            return inside(module, symbol->st_value, 0) ? module->base + symbol->st_value : NULL;
        }
    }
    return NULL;
}

static void *needed_symbol(const struct module *module, const char *name) {
    for (uint32_t i = 0; i < module->n_needed; i++) {
        void *found = loader_symbol(module->needed[i], name);
        if (!found) {
            found = needed_symbol(module->needed[i], name);
        }
        if (found) {
            return found;
        }
    }
    return NULL;
}

static bool blacklisted(const char *name) {
    return strcmp(name, "mmap") == 0 || strcmp(name, "munmap") == 0 || strcmp(name, "mprotect") == 0;
}

/* Sets *value to the symbol's address, 0 for an undefined weak symbol. */
static bool resolve(const struct module *module, uint32_t index, uint32_t *value) {
    *value = 0;
    if (index == 0) {
        return true;
    }
    if (index >= module->n_symbols) {
        return refuse(module, "a relocation names a symbol past the table");
    }
    const Elf32_Sym *symbol = &module->symbols[index];
    const char *name = string_at(module, symbol->st_name);
    if (!name) {
        return refuse(module, "a symbol name lies outside the string table");
    }
    bool own = symbol->st_shndx != SHN_UNDEF;
    if (own && module->symbolic) {
        *value = (uint32_t)(uintptr_t)module->base + symbol->st_value;
        return true;
    }
    if (!own && blacklisted(name)) {
        pd_log("dynamic loading failed: %s: blacklisted symbol %s", module->path, name);
        return false;
    }
    void *found = shell_symbol(name);
    if (!found && own) {
        found = module->base + symbol->st_value;
    }
    if (!found) {
        found = needed_symbol(module, name);
    }
    *value = (uint32_t)(uintptr_t)found;
    if (!found && ELF32_ST_BIND(symbol->st_info) != STB_WEAK) {
        pd_log("dynamic loading failed: %s: undefined symbol %s", module->path, name);
        return false;
    }
    return true;
}

/* Continues after an undefined symbol, so that the log lists all of them. */
static bool relocate(const struct module *module, uint32_t table, uint32_t size) {
    if (size % sizeof(Elf32_Rela) != 0 || !inside(module, table, size) || table % 4 != 0) {
        return refuse(module, "the relocation table lies outside the file");
    }
    bool good = true;
    const Elf32_Rela *entries = (const Elf32_Rela *)(module->base + table);
    for (uint32_t i = 0; i < size / sizeof *entries; i++) {
        const Elf32_Rela *entry = &entries[i];
        uint32_t kind = ELF32_R_TYPE(entry->r_info), value;
        if (entry->r_offset % 4 != 0) {
            return refuse(module, "a relocation is not 4-byte aligned");
        }
        if (!inside(module, entry->r_offset, 4)) {
            return refuse(module, "a relocation lies outside the file");
        }
        if (kind == R_HEX_RELATIVE) {
            value = (uint32_t)(uintptr_t)module->base;
        } else if (kind != R_HEX_32 && kind != R_HEX_GLOB_DAT && kind != R_HEX_JMP_SLOT) {
            pd_log("dynamic loading failed: %s: relocation type %u", module->path, (unsigned)kind);
            return false;
        } else if (!resolve(module, ELF32_R_SYM(entry->r_info), &value)) {
            good = false;
            continue;
        }
        *(uint32_t *)(module->base + entry->r_offset) = value + (uint32_t)entry->r_addend;
    }
    return good;
}

static bool read_dynamic(struct module *module, uint32_t table, uint32_t size, struct dynamic *dynamic) {
    if (!inside(module, table, size) || table % 4 != 0) {
        return refuse(module, "PT_DYNAMIC lies outside the file");
    }
    const Elf32_Dyn *entry = (const Elf32_Dyn *)(module->base + table);
    for (uint32_t n = size / sizeof *entry; n > 0 && entry->d_tag != DT_NULL; n--, entry++) {
        uint32_t tag = (uint32_t)entry->d_tag;
        if (tag == DT_NEEDED) {
            if (dynamic->n_needed == MAX_NEEDED) {
                return refuse(module, "too many needed libraries");
            }
            dynamic->needed[dynamic->n_needed++] = entry->d_un.d_val;
        } else if (tag < 0x18) {
            dynamic->value[tag] = entry->d_un.d_val;
            dynamic->has[tag] = true;
        }
    }
    const uint32_t *value = dynamic->value;
    if (!dynamic->has[DT_HASH] || !inside(module, value[DT_HASH], 8) || value[DT_HASH] % 4 != 0) {
        return refuse(module, "no DT_HASH (link with --hash-style=sysv)");
    }
    module->hash = (const uint32_t *)(module->base + value[DT_HASH]);
    uint32_t n_buckets = module->hash[0];
    module->n_symbols = module->hash[1];
    if (n_buckets == 0 || n_buckets > module->span / 4 || module->n_symbols > module->span / 16 ||
        !inside(module, value[DT_HASH], 8 + 4 * (n_buckets + module->n_symbols))) {
        return refuse(module, "DT_HASH is empty or damaged");
    }
    if (!dynamic->has[DT_SYMTAB] || value[DT_SYMENT] != 16 || value[DT_SYMTAB] % 4 != 0 ||
        !inside(module, value[DT_SYMTAB], 16 * module->n_symbols)) {
        return refuse(module, "no symbol table, or one with entries of another size");
    }
    if (!dynamic->has[DT_STRTAB] || !inside(module, value[DT_STRTAB], value[DT_STRSZ])) {
        return refuse(module, "no string table");
    }
    if ((dynamic->has[DT_RELA] && value[DT_RELAENT] != 12) || dynamic->has[DT_REL] ||
        (dynamic->has[DT_JMPREL] && value[DT_PLTREL] != DT_RELA)) {
        return refuse(module, "relocations in a form other than RELA");
    }
    module->symbols = (const Elf32_Sym *)(module->base + value[DT_SYMTAB]);
    module->strings = (const char *)module->base + value[DT_STRTAB];
    module->strings_size = value[DT_STRSZ];
    module->symbolic = dynamic->has[DT_SYMBOLIC];
    return true;
}

static bool open_needed(struct module *module, const struct dynamic *dynamic) {
    for (uint32_t i = 0; i < dynamic->n_needed; i++) {
        const char *name = string_at(module, dynamic->needed[i]);
        if (!name) {
            return refuse(module, "a DT_NEEDED name lies outside the string table");
        }
        if (strcmp(name, "libc.so") == 0 || strcmp(name, "libgcc.so") == 0) {
            continue; /* the shell itself */
        }
        struct module *needed = loader_search(name);
        if (!needed) {
            pd_log("dynamic loading failed: %s: needs %s", module->path, name);
            return false;
        }
        module->needed[module->n_needed++] = needed;
    }
    return true;
}

static bool map_segments(struct module *module, int fd, const Elf32_Phdr *segments, uint32_t n) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (segments[i].p_type == PT_LOAD) {
            if (segments[i].p_memsz < segments[i].p_filesz || segments[i].p_vaddr > 0x20000000 ||
                segments[i].p_memsz > 0x20000000) {
                return refuse(module, "a segment is damaged or too large");
            }
            uint32_t its_end = segments[i].p_vaddr + segments[i].p_memsz;
            end = its_end > end ? its_end : end;
        }
    }
    if (end == 0) {
        return refuse(module, "nothing to load");
    }
    uint32_t span = (end + PAGE - 1) & ~(PAGE - 1);
    void *base = mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
        return refuse(module, "no memory");
    }
    module->base = base;
    module->span = span;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *place = module->base + segments[i].p_vaddr;
        if (segments[i].p_type == PT_LOAD && segments[i].p_filesz > 0 &&
            pread(fd, place, segments[i].p_filesz, (off_t)segments[i].p_offset) != (ssize_t)segments[i].p_filesz) {
            return refuse(module, "the file is cut short");
        }
    }
    return true;
}

static void protect_segments(const struct module *module, const Elf32_Phdr *segments, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (segments[i].p_type == PT_LOAD) {
            uint32_t begin = segments[i].p_vaddr & ~(PAGE - 1);
            uint32_t end = (segments[i].p_vaddr + segments[i].p_memsz + PAGE - 1) & ~(PAGE - 1);
            uint32_t flags = segments[i].p_flags;
            mprotect(module->base + begin, end - begin,
                     (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) | (flags & PF_X ? PROT_EXEC : 0));
        }
    }
}

static bool read_headers(const struct module *module, int fd, Elf32_Phdr *segments, uint32_t *n) {
    Elf32_Ehdr header;
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS32 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN || header.e_machine != EM_QDSP6) {
        return refuse(module, "not a Hexagon shared object");
    }
    if ((header.e_flags & 0xff) > arch) {
        pd_log("dynamic loading failed: %s: built for v%x, this DSP is v%x", module->path,
               (unsigned)(header.e_flags & 0xff), (unsigned)arch);
        return false;
    }
    if (header.e_phentsize != sizeof(Elf32_Phdr) || header.e_phnum > MAX_SEGMENTS || header.e_phoff > HEADERS_END ||
        header.e_phnum * sizeof(Elf32_Phdr) > HEADERS_END - header.e_phoff) {
        return refuse(module, "the program headers do not lie in the first 4096 bytes");
    }
    *n = header.e_phnum;
    ssize_t size = (ssize_t)(header.e_phnum * sizeof(Elf32_Phdr));
    return pread(fd, segments, (size_t)size, (off_t)header.e_phoff) == size || refuse(module, "the file is cut short");
}

static bool load(struct module *module, int fd) {
    Elf32_Phdr segments[MAX_SEGMENTS];
    uint32_t n;
    if (!read_headers(module, fd, segments, &n) || !map_segments(module, fd, segments, n)) {
        return false;
    }
    const Elf32_Phdr *table = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (segments[i].p_type == PT_DYNAMIC) {
            table = &segments[i];
        }
    }
    if (!table) {
        return refuse(module, "no PT_DYNAMIC");
    }
    struct dynamic dynamic = {0};
    if (!read_dynamic(module, table->p_vaddr, table->p_memsz, &dynamic) || !open_needed(module, &dynamic)) {
        return false;
    }
    bool data = !dynamic.has[DT_RELA] || relocate(module, dynamic.value[DT_RELA], dynamic.value[DT_RELASZ]);
    bool calls = !dynamic.has[DT_JMPREL] || relocate(module, dynamic.value[DT_JMPREL], dynamic.value[DT_PLTRELSZ]);
    if (!data || !calls) {
        return false;
    }
    protect_segments(module, segments, n);
    if (dynamic.has[DT_INIT]) {
        if (!inside(module, dynamic.value[DT_INIT], 4)) {
            return refuse(module, "DT_INIT lies outside the file");
        }
        void *init = module->base + dynamic.value[DT_INIT];
        ((void (*)(void))init)();
    }
    return true;
}

/* Loads a file under this path, and closes it. The caller holds the lock. */
static struct module *load_file(const char *path, int fd) {
    struct module *module = calloc(1, sizeof *module);
    char *copy = strdup(path);
    if (module && copy) {
        module->path = copy;
        const char *slash = strrchr(copy, '/');
        module->name = slash ? slash + 1 : copy;
    }
    if (module && copy && load(module, fd)) {
        module->next = modules;
        modules = module;
    } else {
        if (module && module->base) {
            munmap(module->base, module->span);
        }
        free(copy);
        free(module);
        module = NULL;
    }
    close(fd);
    return module;
}

struct module *loader_open(const char *path) {
    pthread_mutex_lock(&lock);
    struct module *module = modules;
    while (module && strcmp(module->path, path) != 0) {
        module = module->next;
    }
    if (!module) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) {
            pd_log("dynamic loading failed: cannot open %s", path);
        } else {
            module = load_file(path, fd);
        }
    }
    pthread_mutex_unlock(&lock);
    return module;
}

struct module *loader_open_buffer(const char *name, const void *data, uint32_t size) {
    struct module *module = NULL;
    int fd = (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */);
    pthread_mutex_lock(&lock);
    if (fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size) {
        module = load_file(name, fd);
    } else if (fd >= 0) {
        close(fd);
    }
    pthread_mutex_unlock(&lock);
    return module;
}

void loader_search_in(const char *list, const char *domain) {
    pthread_mutex_lock(&lock);
    if (list) {
        free(directories);
        directories = strdup(list);
    }
    if (domain) {
        snprintf(subdirectory, sizeof subdirectory, "%s", domain);
    }
    pthread_mutex_unlock(&lock);
}

void loader_set_arch(uint32_t version) {
    arch = version;
}

static struct module *search(const char *name) {
    char path[4096];
    for (const char *directory = directories ? directories : "";; directory += *directory == ';') {
        int length = (int)strcspn(directory, ";");
        for (int plain = 0; plain < 2; plain++) {
            if (length == 0) {
                snprintf(path, sizeof path, "%s", name); /* an empty element means the bare name */
            } else if (plain) {
                snprintf(path, sizeof path, "%.*s/%s", length, directory, name);
            } else {
                snprintf(path, sizeof path, "%.*s/%s/%s", length, directory, subdirectory, name);
            }
            if (access(path, R_OK) == 0) {
                return loader_open(path);
            }
        }
        directory += length;
        if (*directory == 0) {
            pd_log("dynamic loading failed: %s is in none of the directories %s", name, directories ? directories : "");
            return NULL;
        }
    }
}

struct module *loader_search(const char *name) {
    pthread_mutex_lock(&lock);
    struct module *module = search(name);
    pthread_mutex_unlock(&lock);
    return module;
}

const char *loader_where(uint32_t address, uint32_t *offset) {
    for (const struct module *module = modules; module; module = module->next) { /* no lock: runs in a fault handler */
        *offset = address - (uint32_t)(uintptr_t)module->base;
        if (*offset < module->span) {
            return module->name;
        }
    }
    return NULL;
}
