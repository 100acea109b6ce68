/* SPDX-License-Identifier: MIT
 *
 * Internals of the host engine: a PD as a set of threads of this process. Each PD loads a private copy of the skel,
 * maps shared memory a second time at its own addresses, and has its own heap. A dead PD can therefore run on for a
 * moment beside its successor without affecting it.
 */
#ifndef LOOPBACK_HOST_H
#define LOOPBACK_HOST_H

#include "abi.h"
#include "engine.h"
#include "shell/pd.h"

typedef int skel_entry(uint64_t handle, uint32_t scalars, remote_arg *args);

struct host_image; /* a loaded file: host_image.c */
struct host_module;
struct host_mapping; /* host_memory.c */
struct host_queue;
struct host_service; /* engine_host.c */

struct engine_pd {
    struct shell_pd shell; /* first: the shell's hooks receive a pointer to it */
    struct engine_config config;
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t left;  /* signalled when a reference is released */
    struct host_service *services;
    struct host_image *images;
    struct host_module *modules;
    struct host_mapping *mappings;
    struct host_queue *queues;
    uint64_t mapped;
    uint32_t references; /* one of the session layer until destroy, and one per thread */
};

/* Runs on a thread of the PD, since constructors run inside. */
int host_image_load(struct engine_pd *pd, const char *path, const char *entry, uint32_t *module);
skel_entry *host_module_entry(struct engine_pd *pd, uint32_t module);
void host_images_unload(struct engine_pd *pd);

int host_map(struct engine_pd *pd, const struct engine_memory *memory, uint64_t *address);
int host_unmap(struct engine_pd *pd, uint64_t memory_id);
void host_forget(struct engine_pd *pd, uint64_t memory_id);
/* Returns the PD's address of a buffer for the arguments of an invoke. */
int host_map_argument(struct engine_pd *pd, const struct engine_memory *memory, uint8_t **address);
int host_attach_queue(struct engine_pd *pd, const struct engine_queue *queue);
int host_detach_queue(struct engine_pd *pd, uint64_t queue_id);
void host_memory_release(struct engine_pd *pd);

#endif
