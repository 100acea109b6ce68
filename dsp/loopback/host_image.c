/* SPDX-License-Identifier: MIT
 *
 * Loads skels into a PD of the host engine.
 *
 * Globals must be fresh in every PD, but dlopen returns the same object for the same file. Each PD therefore opens a
 * copy in a memfd, which has an inode of its own. glibc also compares names, and the name is /proc/self/fd/<n>: the
 * memfd stays open as long as the object is loaded, so that no later copy gets the same number.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffer.h"
#include "host.h"
#include "log.h"
#include "shell/shell.h"

#define NAME_SIZE 32

struct host_image {
    struct host_image *next;
    char *path;
    int fd;
    void *object;
};

struct host_module {
    struct host_module *next;
    uint32_t number;
    const struct host_image *image;
    skel_entry *entry;
};

static void private_name(int fd, char *name) {
    snprintf(name, NAME_SIZE, "/proc/self/fd/%d", fd);
}

/* Returns a memfd with the file's content, or -1. */
static int copy_file(const char *path) {
    struct stat status;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0 || fstat(from, &status) != 0) {
        if (from >= 0) {
            close(from);
        }
        return -1;
    }
    const char *slash = strrchr(path, '/');
    int to = memory_create(slash != NULL ? slash + 1 : path, (size_t)status.st_size);
    off_t left = to >= 0 ? status.st_size : 0;
    while (left > 0) {
        ssize_t n = sendfile(to, from, NULL, (size_t)left);
        if (n <= 0) {
            close(to);
            to = -1;
            break;
        }
        left -= n;
    }
    close(from);
    return to;
}

static struct host_image *open_image(const char *path) {
    char name[NAME_SIZE];
    struct host_image *image = calloc(1, sizeof *image);
    if (image == NULL) {
        return NULL;
    }
    image->path = strdup(path);
    image->fd = copy_file(path);
    if (image->path != NULL && image->fd >= 0) {
        private_name(image->fd, name);
        image->object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (image->object == NULL) {
        const char *text = image->fd >= 0 ? dlerror() : "cannot be copied";
        log_line("loader: %s: dynamic loading failed: %s", path, text != NULL ? text : "out of memory");
        if (image->fd >= 0) {
            close(image->fd);
        }
        free(image->path);
        free(image);
        return NULL;
    }
    return image;
}

static void close_image(struct host_image *image) {
    char name[NAME_SIZE];
    dlclose(image->object);
    private_name(image->fd, name);
    void *still = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (still != NULL) {
        dlclose(still);
        log_line("loader: %s does not unload; its copy stays in memory", image->path);
    } else {
        close(image->fd);
    }
    free(image->path);
    free(image);
}

/* Returns the image of a file in this PD, and loads it if needed. Loads of one PD are serialized. */
static struct host_image *image_of(struct engine_pd *pd, const char *path) {
    pthread_mutex_lock(&pd->lock);
    struct host_image *image = pd->images;
    while (image != NULL && strcmp(image->path, path) != 0) {
        image = image->next;
    }
    pthread_mutex_unlock(&pd->lock);
    if (image != NULL) {
        return image;
    }
    image = open_image(path);
    if (image != NULL) {
        pthread_mutex_lock(&pd->lock);
        image->next = pd->images;
        pd->images = image;
        pthread_mutex_unlock(&pd->lock);
    }
    return image;
}

int host_image_load(struct engine_pd *pd, const char *path, const char *entry, uint32_t *module) {
    struct host_image *image = image_of(pd, path);
    if (image == NULL) {
        return AEE_DSP(AEE_EUNABLETOLOAD);
    }
    skel_entry *function = NULL;
    *(void **)&function = dlsym(image->object, entry);
    if (function == NULL) {
        log_line("loader: %s exports no %s", path, entry);
        return AEE_DSP(AEE_ENOSUCHSYMBOL);
    }
    pthread_mutex_lock(&pd->lock);
    struct host_module *found = pd->modules;
    while (found != NULL && (found->image != image || found->entry != function)) {
        found = found->next;
    }
    if (found == NULL && (found = calloc(1, sizeof *found)) != NULL) {
        *found = (struct host_module){pd->modules, pd->modules != NULL ? pd->modules->number + 1 : 1, image, function};
        pd->modules = found;
    }
    pthread_mutex_unlock(&pd->lock);
    if (found == NULL) {
        return AEE_DSP(AEE_ENOMEMORY);
    }
    *module = found->number;
    return AEE_SUCCESS;
}

skel_entry *host_module_entry(struct engine_pd *pd, uint32_t number) {
    pthread_mutex_lock(&pd->lock);
    struct host_module *module = pd->modules;
    while (module != NULL && module->number != number) {
        module = module->next;
    }
    skel_entry *entry = module != NULL ? module->entry : NULL;
    pthread_mutex_unlock(&pd->lock);
    return entry;
}

void host_images_unload(struct engine_pd *pd) {
    while (pd->modules != NULL) {
        struct host_module *module = pd->modules;
        pd->modules = module->next;
        free(module);
    }
    while (pd->images != NULL) {
        struct host_image *image = pd->images;
        pd->images = image->next;
        close_image(image);
    }
}

/* The shell's dlopenbuf for skels of this machine. Each call loads a copy of its own. glibc compares names, so each is
 * opened under another name of its memfd, with the bits of a number as "/." and "//". */
void *dlopenbuf(const char *name, const char *data, int size, int mode) {
    static _Atomic uint32_t last_number;
    char path[128];
    int fd = size > 0 ? memory_create(name, (size_t)size) : -1;
    if (fd < 0 || pwrite(fd, data, (size_t)size, 0) != size) {
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    char *end = stpcpy(path, "/proc/self/fd");
    for (uint32_t number = ++last_number, bit = 0; bit < 32; bit++) {
        end = stpcpy(end, number >> bit & 1 ? "/." : "//");
    }
    snprintf(end, sizeof path - (size_t)(end - path), "/%d", fd);
    void *object = dlopen(path, mode | RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        const char *text = dlerror();
        log_line("loader: %s: dynamic loading failed: %s", name, text != NULL ? text : "out of memory");
    }
    close(fd);
    return object;
}
