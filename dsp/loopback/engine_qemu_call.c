/* SPDX-License-Identifier: MIT
 *
 * Calls into a PD. Each calling thread has a channel, a block of memory shared with a thread of the PD. Arguments that
 * are not in shared memory are copied into and out of it, on the calling thread.
 *
 * A caller sleeps on its channel's response word. When the PD has died, PD_DEAD is stored in every response word before
 * the sleepers are woken, so no wake-up is lost and no timeout is needed.
 */
#define _GNU_SOURCE
#include "engine_qemu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "aee.h"
#include "shell/futex.h"
#include "uri.h"

#define COPY_ALIGN 128u /* the kernel's alignment of copied arguments */
#define COPY_LIMIT 0x70000000u

struct channel {
    struct channel *next;
    uint64_t caller;
    int fd;
    uint8_t *memory; /* struct pd_channel, then the argument area from PD_CHANNEL_ROOM on */
    size_t size;
    uint32_t room_address; /* address of the argument area in the PD */
};

static struct pd_channel *head(struct channel *channel) {
    return (struct pd_channel *)channel->memory;
}

void qemu_channels_kill(struct engine_pd *pd) {
    pthread_mutex_lock(&pd->channels_lock);
    atomic_store(&pd->dead, true);
    for (struct channel *channel = pd->channels; channel; channel = channel->next) {
        atomic_store(&head(channel)->response, PD_DEAD);
        futex_wake_all(&head(channel)->response);
    }
    pthread_mutex_unlock(&pd->channels_lock);
}

static void channel_free(struct channel *channel) {
    munmap(channel->memory, channel->size);
    close(channel->fd);
    free(channel);
}

void qemu_channels_free(struct engine_pd *pd) {
    while (pd->channels) {
        struct channel *channel = pd->channels;
        pd->channels = channel->next;
        channel_free(channel);
    }
}

/* Grows the channel's argument area to at least `room` bytes. If the PD is out of memory, nothing changes. */
static int channel_grow(struct engine_pd *pd, struct channel *channel, size_t room) {
    size_t size = (PD_CHANNEL_ROOM + room + 65535) & ~(size_t)65535;
    if (size <= channel->size) {
        return 0;
    }
    if (ftruncate(channel->fd, (off_t)size) != 0) {
        return AEE_ENOMEMORY;
    }
    struct pd_request request = {.kind = PD_GROW_CHANNEL, .id = channel->caller, .size = size};
    int rc = qemu_ask(pd, &request, -1, &channel->room_address);
    if (rc != 0) {
        return rc;
    }
    pthread_mutex_lock(&pd->channels_lock); /* kill writes to the memory */
    uint8_t *memory = mremap(channel->memory, channel->size, size, MREMAP_MAYMOVE);
    if (memory != MAP_FAILED) {
        channel->memory = memory;
        channel->size = size;
    }
    pthread_mutex_unlock(&pd->channels_lock);
    return memory != MAP_FAILED ? 0 : AEE_ENOMEMORY;
}

static int channel_open(struct engine_pd *pd, uint64_t caller, struct channel **out) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (!channel) {
        return AEE_ENOMEMORY;
    }
    channel->caller = caller;
    channel->size = 65536;
    channel->fd = (int)syscall(SYS_memfd_create, "pyhexagon-channel", 1u /* MFD_CLOEXEC */);
    channel->memory = MAP_FAILED;
    if (channel->fd >= 0 && ftruncate(channel->fd, (off_t)channel->size) == 0) {
        channel->memory = mmap(NULL, channel->size, PROT_READ | PROT_WRITE, MAP_SHARED, channel->fd, 0);
    }
    int rc = AEE_ENOMEMORY;
    if (channel->memory != MAP_FAILED) {
        struct pd_request request = {.kind = PD_OPEN_CHANNEL, .id = caller, .size = channel->size};
        rc = qemu_ask(pd, &request, channel->fd, &channel->room_address);
    }
    if (rc == 0) {
        pthread_mutex_lock(&pd->channels_lock);
        channel->next = pd->channels;
        pd->channels = channel;
        if (atomic_load(&pd->dead)) {
            atomic_store(&head(channel)->response, PD_DEAD);
        }
        pthread_mutex_unlock(&pd->channels_lock);
        *out = channel;
        return 0;
    }
    if (channel->memory != MAP_FAILED) {
        munmap(channel->memory, channel->size);
    }
    if (channel->fd >= 0) {
        close(channel->fd);
    }
    free(channel);
    return rc;
}

static int channel_of(struct engine_pd *pd, uint64_t caller, struct channel **out) {
    pthread_mutex_lock(&pd->channels_lock);
    struct channel *channel = pd->channels;
    while (channel && channel->caller != caller) {
        channel = channel->next;
    }
    pthread_mutex_unlock(&pd->channels_lock);
    if (!channel) {
        return channel_open(pd, caller, out);
    }
    *out = channel;
    return 0;
}

/* Runs the command in the channel's header and waits for the PD. */
static int channel_call(struct engine_pd *pd, struct channel *channel) {
    struct pd_channel *call = head(channel);
    uint64_t log_bytes = call->log_bytes;
    uint32_t ticket = (atomic_load(&call->request) + 1) & 0x7fffffffu, response;
    atomic_store(&call->request, ticket);
    futex_wake_all(&call->request);
    while ((response = atomic_load(&call->response)) != ticket && response != PD_DEAD) {
        futex_wait(&call->response, response, NULL);
    }
    if (response == PD_DEAD || atomic_load(&pd->dead)) {
        return ENGINE_DEAD;
    }
    if (call->log_bytes != log_bytes) {
        qemu_process_sync_log(&pd->process, call->log_bytes);
    }
    return (int)call->status;
}

int qemu_load(struct engine_pd *pd, uint64_t caller, const char *path, const char *entry, uint32_t *module) {
    struct channel *channel;
    int rc = channel_of(pd, caller, &channel);
    char *directories = skel_directories();
    if (rc == 0 && !directories) {
        rc = AEE_ENOMEMORY;
    }
    if (rc == 0) {
        const char *const strings[] = {path, entry, directories};
        size_t room = 0;
        for (size_t i = 0; i < 3; i++) {
            room += strlen(strings[i]) + 1;
        }
        rc = channel_grow(pd, channel, room);
        char *place = (char *)channel->memory + PD_CHANNEL_ROOM;
        for (size_t i = 0; rc == 0 && i < 3; i++) {
            place = stpcpy(place, strings[i]) + 1;
        }
    }
    free(directories);
    if (rc == 0) {
        head(channel)->command = PD_LOAD;
        rc = channel_call(pd, channel);
    }
    if (rc == 0) {
        *module = head(channel)->module;
    }
    return rc;
}

/* Assigns every argument its DSP address, and copies in arguments that are not shared. */
static int place_args(struct engine_pd *pd, struct channel *channel, const struct engine_call *call) {
    uint64_t room = 0;
    for (uint32_t i = 0; i < call->n_args; i++) {
        const struct engine_arg *arg = &call->args[i];
        if (arg->kind <= ENGINE_OUT && !arg->memory) {
            room += (arg->size + COPY_ALIGN - 1) & ~(uint64_t)(COPY_ALIGN - 1);
        }
        if (room > COPY_LIMIT) {
            return AEE_ENOMEMORY;
        }
    }
    int rc = channel_grow(pd, channel, room);
    uint32_t used = 0;
    for (uint32_t i = 0; rc == 0 && i < call->n_args; i++) {
        const struct engine_arg *arg = &call->args[i];
        union pd_arg *remote = &head(channel)->args[i];
        if (arg->kind >= ENGINE_IN_HANDLE) {
            remote->handle = arg->kind == ENGINE_IN_HANDLE ? arg->handle : 0;
            continue;
        }
        remote->buffer.size = (uint32_t)arg->size;
        remote->buffer.address = 0;
        if (arg->memory) {
            rc = qemu_keep(pd, arg->memory, &remote->buffer.address);
            remote->buffer.address += (uint32_t)arg->offset;
        } else if (arg->size > 0) {
            uint8_t *place = channel->memory + PD_CHANNEL_ROOM + used;
            remote->buffer.address = channel->room_address + used;
            used += (remote->buffer.size + COPY_ALIGN - 1) & ~(COPY_ALIGN - 1);
            if (arg->kind == ENGINE_IN) {
                memcpy(place, arg->data, arg->size);
            } else {
                memset(place, 0, arg->size); /* hides data of an earlier call */
            }
        }
    }
    return rc;
}

static void fetch_results(struct channel *channel, const struct engine_call *call) {
    size_t used = 0;
    for (uint32_t i = 0; i < call->n_args; i++) {
        struct engine_arg *arg = &call->args[i];
        if (arg->kind == ENGINE_OUT_HANDLE) {
            arg->handle = head(channel)->args[i].handle;
        } else if (arg->kind <= ENGINE_OUT && !arg->memory) {
            if (arg->kind == ENGINE_OUT && arg->size > 0) {
                memcpy(arg->data, channel->memory + PD_CHANNEL_ROOM + used, arg->size);
            }
            used += (arg->size + COPY_ALIGN - 1) & ~(size_t)(COPY_ALIGN - 1);
        }
    }
}

int qemu_invoke(struct engine_pd *pd, const struct engine_call *call, int *result) {
    struct channel *channel;
    int rc = channel_of(pd, call->caller, &channel);
    if (rc == 0) {
        rc = place_args(pd, channel, call);
    }
    if (rc == 0) {
        struct pd_channel *message = head(channel);
        message->command = PD_INVOKE;
        message->module = call->module;
        message->handle = call->handle;
        message->scalars = call->scalars;
        rc = channel_call(pd, channel);
    }
    if (rc == 0) {
        *result = head(channel)->result;
        if (*result == 0) {
            fetch_results(channel, call);
        }
    }
    return rc;
}

void qemu_caller_gone(struct engine_pd *pd, uint64_t caller) {
    pthread_mutex_lock(&pd->channels_lock);
    struct channel **link = &pd->channels;
    while (*link && (*link)->caller != caller) {
        link = &(*link)->next;
    }
    struct channel *channel = *link;
    if (channel) {
        *link = channel->next;
    }
    pthread_mutex_unlock(&pd->channels_lock);
    if (channel) {
        struct pd_request request = {.kind = PD_CLOSE_CHANNEL, .id = caller};
        qemu_ask(pd, &request, -1, NULL);
        channel_free(channel);
    }
}
