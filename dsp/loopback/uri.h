/* SPDX-License-Identifier: MIT
 *
 * Module URIs, domain names and the search for a skel file.
 */
#ifndef LOOPBACK_URI_H
#define LOOPBACK_URI_H

#include <stdbool.h>
#include <stddef.h>

#define N_DOMAINS 7
#define N_SESSIONS 4
#define N_EFFECTIVE (8 * N_SESSIONS)
#define URI_NAME_SIZE 256

struct module_uri {
    char file[URI_NAME_SIZE];
    char entry[URI_NAME_SIZE];
    int effective; /* domain + 8 * session */
};

/* Returns 0, or the AEE code of an invalid URI. */
int uri_parse(const char *text, struct module_uri *uri);

/* Returns NULL for an unknown domain. */
const char *domain_name(int domain);
/* Finds a domain by its name of `length` bytes; -1 for an unknown one. */
int domain_by_name(const char *name, size_t length);

/* Returns the search directories, separated by ;, for the caller to free. NULL when memory is exhausted. */
char *skel_directories(void);

/* Searches for a skel, or for a library that it needs, like the host side of FastRPC. */
bool skel_find(int domain, const char *file, char *path, size_t path_size);

#endif
