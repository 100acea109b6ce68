/* SPDX-License-Identifier: MIT */
#include "dlopen.h"

#include <string.h>

#include "loader.h"

static __thread const char *last_error;

void *skel_dlopen(const char *name, int mode) {
    (void)mode; /* all symbols are bound immediately in every mode */
    struct module *module = strchr(name, '/') ? loader_open(name) : loader_search(name);
    last_error = module ? NULL : "dlopen failed: the log has the reason";
    return module;
}

/* The module does not use the buffer after the call. */
void *skel_dlopenbuf(const char *name, const char *data, int size, int mode) {
    (void)mode;
    struct module *module = size > 0 ? loader_open_buffer(name, data, (uint32_t)size) : NULL;
    last_error = module ? NULL : "dlopenbuf failed: the log has the reason";
    return module;
}

void *skel_dlsym(void *module, const char *name) {
    void *found = loader_symbol(module, name);
    last_error = found ? NULL : "undefined symbol";
    return found;
}

int skel_dlclose(void *module) {
    (void)module; /* modules stay loaded until the PD ends */
    return 0;
}

const char *skel_dlerror(void) {
    const char *text = last_error;
    last_error = NULL;
    return text;
}
