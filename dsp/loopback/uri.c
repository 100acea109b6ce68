/* SPDX-License-Identifier: MIT */
#include "uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "aee.h"
#include "log.h"

#define FILE_PREFIX "file:///"
#define TRANSPORT_PREFIX "'\":;./\\" /* names that start with these are the library's own pseudo-modules */
#define DEFAULT_PATH ";/usr/lib/rfsa/adsp;/usr/lib/dsp;"

static const char *const domains[N_DOMAINS] = {"adsp", "mdsp", "sdsp", "cdsp", "cdsp1", "gdsp0", "gdsp1"};

const char *domain_name(int domain) {
    return domain >= 0 && domain < N_DOMAINS ? domains[domain] : NULL;
}

int domain_by_name(const char *name, size_t length) {
    for (int i = 0; name != NULL && i < N_DOMAINS; i++) {
        if (strlen(domains[i]) == length && memcmp(domains[i], name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Returns the value after `key` up to the next '&', or NULL. */
static const char *value_of(const char *text, const char *key, size_t *length) {
    const char *at = strstr(text, key);
    if (at == NULL) {
        return NULL;
    }
    at += strlen(key);
    *length = strcspn(at, "&");
    return at;
}

static bool copy(char *to, const char *from, size_t length) {
    if (length == 0 || length >= URI_NAME_SIZE) {
        return false;
    }
    memcpy(to, from, length);
    to[length] = '\0';
    return true;
}

int uri_parse(const char *text, struct module_uri *uri) {
    size_t length;
    if (text == NULL || strncmp(text, TRANSPORT_PREFIX, 5) == 0) {
        return AEE_EBADPARM;
    }
    const char *value = value_of(text, "&_dom=", &length);
    int domain = domain_by_name(value, value != NULL ? length : 0);
    if (domain < 0) {
        return AEE_EBADPARM;
    }
    long session = 0;
    value = value_of(text, "&_session=", &length);
    if (value != NULL) {
        char *end;
        session = strtol(value, &end, 10);
        if (end != value + length || length == 0 || session < 0 || session >= N_SESSIONS) {
            return AEE_EBADPARM;
        }
    }
    uri->effective = domain + 8 * (int)session;

    const char *name = strncmp(text, FILE_PREFIX, strlen(FILE_PREFIX)) == 0 ? text + strlen(FILE_PREFIX) : NULL;
    const char *entry = name != NULL ? strchr(name, '?') : NULL;
    if (entry == NULL || !copy(uri->file, name, (size_t)(entry - name)) ||
        !copy(uri->entry, entry + 1, strcspn(entry + 1, "&"))) {
        log_line("loader: '%s' is not file:///<file>?<entry>&...", text);
        return AEE_DSP(AEE_EUNABLETOLOAD);
    }
    value = value_of(text, "&_modver=", &length);
    if (value == NULL || length != 3 || memcmp(value, "1.0", 3) != 0) {
        log_line("loader: '%s' lacks &_modver=1.0: the older entry is looked for", text);
        return AEE_DSP(AEE_ENOSUCHSYMBOL);
    }
    return AEE_SUCCESS;
}

static bool is_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *skel_directories(void) {
    const char *variable = getenv("DSP_LIBRARY_PATH");
    variable = variable != NULL ? variable : getenv("ADSP_LIBRARY_PATH");
    variable = variable != NULL ? variable : "";
    size_t size = strlen(variable) + strlen(DEFAULT_PATH) + 1;
    char *list = malloc(size);
    if (list != NULL) {
        snprintf(list, size, "%s%s", variable, DEFAULT_PATH);
    }
    return list;
}

bool skel_find(int domain, const char *file, char *path, size_t path_size) {
    char *list = skel_directories();
    if (list == NULL) {
        return false;
    }
    const char *name = domain_name(domain);
    bool found = false;
    for (char *element = list; element != NULL && !found;) {
        char *end = strchr(element, ';');
        if (end != NULL) {
            *end = '\0';
        }
        if (*element == '\0') {
            found = (size_t)snprintf(path, path_size, "%s", file) < path_size && is_file(path);
        } else {
            found = ((size_t)snprintf(path, path_size, "%s/%s/%s", element, name, file) < path_size && is_file(path)) ||
                    ((size_t)snprintf(path, path_size, "%s/%s", element, file) < path_size && is_file(path));
        }
        element = end != NULL ? end + 1 : NULL;
    }
    free(list);
    if (!found) {
        list = skel_directories(); /* the loop has modified the first list */
        log_line("loader: %s is in no directory of '%s'", file, list != NULL ? list : "");
        free(list);
    }
    return found;
}
