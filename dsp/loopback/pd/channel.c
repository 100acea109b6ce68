/* SPDX-License-Identifier: MIT
 *
 * A channel serves the calls of one CPU thread: a PD thread sleeps on the channel's request word, loads a module or
 * calls a skel's entry, and answers. The arguments are already in the form that the entry takes.
 */
#include <stdlib.h>
#include <string.h>

#include "../aee.h"
#include "../shell/futex.h"
#include "loader.h"
#include "program.h"

#define CLOSING 0xffffffffu /* in the request word; the host's tickets are smaller */
#define MAX_ENTRIES 256

typedef int (*skel_entry)(uint64_t handle, uint32_t scalars, union pd_arg *args);

struct channel {
    struct channel *next;
    uint64_t id;
    struct pd_channel *head;
    int fd; /* our duplicate, to map a larger argument area */
    uint32_t room;
    uint32_t room_size;
    _Atomic uint32_t ended;
};

static struct channel *channels; /* used by main only: no lock */
static uint32_t priority, stack;

/* Entries found by LOAD, indexed by module number. */
static pthread_mutex_t entries_lock = PTHREAD_MUTEX_INITIALIZER;
static skel_entry entries[MAX_ENTRIES];
static uint32_t n_entries;

void channels_configure(uint32_t thread_priority, uint32_t thread_stack) {
    priority = thread_priority;
    stack = thread_stack;
}

static uint32_t load(struct channel *channel) {
    const char *path = (const char *)(uintptr_t)channel->room;
    const char *name = path + strlen(path) + 1;
    const char *directories = name + strlen(name) + 1;
    loader_search_in(directories, NULL);
    struct module *module = loader_open(path);
    if (!module) {
        return (uint32_t)AEE_DSP(AEE_EUNABLETOLOAD);
    }
    skel_entry entry = (skel_entry)(uintptr_t)loader_symbol(module, name);
    if (!entry) {
        pd_log("%s has no symbol %s", path, name);
        return (uint32_t)AEE_DSP(AEE_ENOSUCHSYMBOL);
    }
    pthread_mutex_lock(&entries_lock);
    uint32_t i = 0;
    while (i < n_entries && entries[i] != entry) {
        i++;
    }
    bool room = i < MAX_ENTRIES;
    if (room && i == n_entries) {
        entries[n_entries++] = entry;
    }
    pthread_mutex_unlock(&entries_lock);
    channel->head->module = i;
    return room ? 0 : (uint32_t)AEE_DSP(AEE_ENOMEMORY);
}

/* Cleans and invalidates the DSP's caches of arguments in shared memory around a call: before it all of them, after it
 * the outputs. */
static void maintain(const struct pd_channel *head, bool after) {
    uint32_t n_in = head->scalars >> 16 & 0xff, n_out = head->scalars >> 8 & 0xff;
    for (uint32_t i = after ? n_in : 0; i < n_in + n_out; i++) {
        shell_maintain(&the_pd, (const void *)(uintptr_t)head->args[i].buffer.address, head->args[i].buffer.size,
                       after);
    }
}

static void serve(void *argument) {
    struct channel *channel = argument;
    struct pd_channel *head = channel->head;
    for (uint32_t seen = 0;;) {
        uint32_t ticket;
        while ((ticket = atomic_load(&head->request)) == seen) {
            futex_wait(&head->request, seen, NULL);
        }
        if (ticket == CLOSING) {
            break;
        }
        seen = ticket;
        shell_gate();
        head->status = 0;
        if (head->command == PD_LOAD) {
            head->status = load(channel);
        } else {
            maintain(head, false);
            head->result = entries[head->module](head->handle, head->scalars, head->args);
            maintain(head, true);
        }
        shell_gate();
        head->log_bytes = pd_log_bytes();
        atomic_store(&head->response, ticket);
        futex_wake_all(&head->response);
    }
    atomic_store(&channel->ended, 1);
    futex_wake_all(&channel->ended);
}

static int map_room(struct channel *channel, uint64_t size) {
    uint32_t room = memory_place(channel->fd, PD_CHANNEL_ROOM, size - PD_CHANNEL_ROOM);
    if (!room) {
        return AEE_DSP(AEE_ENOMEMORY); /* the old area stays */
    }
    if (channel->room) {
        memory_remove(channel->room, channel->room_size);
    }
    channel->room = room;
    channel->room_size = (uint32_t)(size - PD_CHANNEL_ROOM);
    return 0;
}

static void dispose(struct channel *channel) {
    if (channel->room) {
        memory_remove(channel->room, channel->room_size);
    }
    if (channel->head) {
        memory_remove((uint32_t)(uintptr_t)channel->head, PD_CHANNEL_ROOM);
    }
    if (channel->fd >= 0) {
        close(channel->fd);
    }
    free(channel);
}

int channel_open(const struct pd_request *request, int fd, uint32_t *room) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (!channel) {
        return AEE_DSP(AEE_ENOMEMORY);
    }
    channel->id = request->id;
    channel->fd = dup(fd);
    channel->head = (struct pd_channel *)(uintptr_t)memory_place(fd, 0, PD_CHANNEL_ROOM);
    int rc = channel->fd >= 0 && channel->head ? map_room(channel, request->size) : AEE_DSP(AEE_ENOMEMORY);
    const struct shell_thread_attr attr = {"fastrpc", (uint16_t)priority, SHELL_TIMETEST_ID, stack, false};
    if (rc == 0 && !shell_thread_start(&the_pd, &attr, serve, channel)) {
        rc = AEE_DSP(AEE_EQURTTHREADCREATE);
    }
    if (rc != 0) {
        dispose(channel);
        return rc;
    }
    channel->next = channels;
    channels = channel;
    *room = channel->room;
    return 0;
}

static struct channel **channel_with_id(uint64_t id) {
    struct channel **link = &channels;
    while (*link && (*link)->id != id) {
        link = &(*link)->next;
    }
    return link;
}

/* The host does this between calls, when the channel's thread does not use the argument area. */
int channel_grow(const struct pd_request *request, uint32_t *room) {
    struct channel *channel = *channel_with_id(request->id);
    if (!channel) {
        return AEE_EBADPARM;
    }
    int rc = map_room(channel, request->size);
    *room = channel->room;
    return rc;
}

int channel_close(uint64_t id) {
    struct channel **link = channel_with_id(id), *channel = *link;
    if (channel) {
        *link = channel->next;
        atomic_store(&channel->head->request, CLOSING);
        futex_wake_all(&channel->head->request);
        while (atomic_load(&channel->ended) == 0) {
            futex_wait(&channel->ended, 0, NULL);
        }
        dispose(channel);
    }
    return 0;
}
