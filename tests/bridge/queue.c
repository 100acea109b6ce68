/* SPDX-License-Identifier: MIT
 *
 * The dspqueue service: a skel built into the DSP's shell, to which the library announces its queues and with which it
 * exchanges signals. First generation, like the firmware of the Dragon Q6A: creating a queue does not check its
 * version, and each packet and each release of space costs a signal, an RPC without arguments, for all queues at once.
 *
 * The DSP's end itself serves the queues' memory (loopback_attach_queue). It sleeps on futexes there, which a signal of
 * the CPU wakes; two threads per queue sleep on the DSP's counters and convert their changes to signals.
 */
#include "bridge.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../../dsp/loopback/shell/deadline.h"
#include "../../dsp/loopback/shell/futex.h"
#include "../../dsp/loopback/shell/ring.h"

#define INIT_PROCESS_STATE 2
#define CREATE_QUEUE 3
#define DESTROY_QUEUE 4
#define IS_IMPORTED 5
#define WAIT_SIGNAL 6
#define CANCEL_WAIT 7
#define SIGNAL 8

#define MAX_QUEUES DSPQUEUE_MAX_PROCESS_QUEUES
#define TICK_US 20000 /* interval at which a watcher checks that its queue still exists */

/* Counters of CPU and DSP beside the queues, by the library's number of the queue. */
struct state {
    _Atomic uint32_t request_packets[MAX_QUEUES];
    _Atomic uint32_t request_space[MAX_QUEUES];
    _Atomic uint32_t response_packets[MAX_QUEUES];
    _Atomic uint32_t response_space[MAX_QUEUES];
};

struct watcher {
    struct queue *queue;
    const _Atomic uint32_t *counted; /* the DSP's counter, in the queue's memory */
    _Atomic uint32_t *told;          /* the value last signalled to the CPU, in the state */
    pthread_t thread;
};

struct queue {
    struct queues *all;
    uint64_t id;  /* 0: free */
    void *memory; /* mapped here for the DSP: after a death the library may unmap it at any time */
    uint32_t size;
    struct ring requests;
    struct ring responses;
    _Atomic bool closing;
    struct watcher packets;
    struct watcher space;
};

struct queues {
    struct state *state;
    bool signalled;
    bool cancelled;
    struct queue queues[MAX_QUEUES];
};

static void *watch(void *argument) {
    struct watcher *watcher = argument;
    uint32_t seen = atomic_load(watcher->counted);
    while (!atomic_load(&watcher->queue->closing)) {
        struct timespec soon = deadline_after(TICK_US);
        futex_wait(watcher->counted, seen, &soon);
        uint32_t now = atomic_load(watcher->counted);
        if (now != seen) {
            seen = now;
            pthread_mutex_lock(&lock);
            atomic_fetch_add(watcher->told, 1);
            watcher->queue->all->signalled = true;
            pthread_cond_broadcast(&changed);
            pthread_mutex_unlock(&lock);
        }
    }
    return NULL;
}

static void start(struct watcher *watcher, struct queue *queue, const _Atomic uint32_t *counted,
                  _Atomic uint32_t *told) {
    *watcher = (struct watcher){.queue = queue, .counted = counted, .told = told};
    if (pthread_create(&watcher->thread, NULL, watch, watcher) != 0) {
        abort();
    }
}

static void *share(int fd, uint32_t size) {
    void *memory = size != 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    return memory != MAP_FAILED ? memory : NULL;
}

static void unshare(void *memory, uint32_t size) {
    if (memory != NULL) {
        munmap(memory, size);
    }
}

static int create(struct process *process, uint32_t number, int fd, uint64_t *id) {
    struct queues *all = process->queues;
    int refused = request(REQUEST_create_queue);
    if (refused != 0) {
        return refused;
    }
    struct queue *queue = number < MAX_QUEUES ? &all->queues[number] : NULL;
    uint32_t size = process_mapped(process, fd);
    struct ring_block *block = share(fd, size);
    if (queue == NULL || queue->id != 0 || block == NULL || all->state == NULL ||
        !ring_open(&queue->requests, block, size, &block->request) ||
        !ring_open(&queue->responses, block, size, &block->response)) {
        unshare(block, size);
        return AEE_DSP(AEE_EBADPARM);
    }
    int code = dsp()->attach_queue(process->effective, fd, size, id);
    if (code != 0) {
        unshare(block, size);
        return code;
    }
    queue->all = all;
    queue->id = *id;
    queue->memory = block;
    queue->size = size;
    atomic_store(&queue->closing, false);
    start(&queue->packets, queue, &queue->responses.write_state->packet_count, &all->state->response_packets[number]);
    start(&queue->space, queue, &queue->requests.read_state->packet_count, &all->state->request_space[number]);
    return 0;
}

static struct queue *find(struct process *process, uint64_t id) {
    for (int i = 0; i < MAX_QUEUES; i++) {
        if (process->queues->queues[i].id == id && id != 0) {
            return &process->queues->queues[i];
        }
    }
    return NULL;
}

static void destroy(struct process *process, struct queue *queue) {
    atomic_store(&queue->closing, true);
    pthread_join(queue->packets.thread, NULL);
    pthread_join(queue->space.thread, NULL);
    dsp()->detach_queue(process->effective, queue->id);
    unshare(queue->memory, queue->size);
    queue->id = 0;
}

/* Detaching reports it; a queue that is not imported is closed next by the caller. */
static bool is_imported(struct process *process, const struct queue *queue) {
    return dsp()->detach_queue(process->effective, queue->id) == AEE_EBADPARM;
}

static int wait_signal(struct process *process, int32_t *cancelled) {
    struct queues *all = process->queues;
    pthread_mutex_lock(&lock);
    while (!all->signalled && !all->cancelled && process->ended == 0) {
        pthread_cond_wait(&changed, &lock);
    }
    int ended = process->ended;
    *cancelled = all->cancelled ? -1 : 0;
    all->signalled = false;
    pthread_mutex_unlock(&lock);
    return ended != 0 ? failed(ended) : 0;
}

static void cancel(struct queues *all) {
    pthread_mutex_lock(&lock);
    all->cancelled = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void signal_dsp(struct queues *all) {
    for (int i = 0; i < MAX_QUEUES; i++) {
        if (all->queues[i].id != 0) {
            futex_wake_all(&all->queues[i].requests.write_state->packet_count);
            futex_wake_all(&all->queues[i].responses.read_state->packet_count);
        }
    }
}

static int set_state(struct process *process, int fd) {
    bool fits = process_mapped(process, fd) >= sizeof(struct state);
    process->queues->state = fits ? share(fd, sizeof(struct state)) : NULL;
    return process->queues->state != NULL ? 0 : AEE_DSP(AEE_ENOSUCHMAP);
}

int queues_invoke(struct process *process, uint32_t method, const struct fastrpc_invoke_args *args) {
    uint32_t *in = method == CANCEL_WAIT || method == SIGNAL ? NULL : (void *)(uintptr_t)args[0].ptr;
    if (process->queues == NULL) {
        return AEE_DSP(AEE_EINVHANDLE);
    }
    struct queue *queue = method == DESTROY_QUEUE || method == IS_IMPORTED
                              ? find(process, (uint64_t)in[1] << 32 | in[0])
                              : NULL;
    switch (method) {
    case INIT_PROCESS_STATE:
        return set_state(process, (int)in[0]);
    case CREATE_QUEUE:
        return create(process, in[0], (int)in[1], (void *)(uintptr_t)args[1].ptr);
    case DESTROY_QUEUE:
        if (queue != NULL) {
            destroy(process, queue);
        }
        return queue != NULL ? 0 : AEE_DSP(AEE_EBADPARM);
    case IS_IMPORTED:
        *(int32_t *)(uintptr_t)args[1].ptr = queue != NULL && is_imported(process, queue);
        return 0;
    case WAIT_SIGNAL:
        return wait_signal(process, (int32_t *)in);
    case CANCEL_WAIT:
        cancel(process->queues);
        return 0;
    case SIGNAL:
        signal_dsp(process->queues);
        return 0;
    default:
        return AEE_DSP(AEE_EUNSUPPORTED);
    }
}

void queues_open(struct process *process) {
    if (process->queues == NULL) {
        process->queues = calloc(1, sizeof *process->queues);
    }
    if (process->queues == NULL) {
        abort();
    }
    process->queues->cancelled = false;
}

void queues_close(struct process *process) {
    for (int i = 0; process->queues != NULL && i < MAX_QUEUES; i++) {
        if (process->queues->queues[i].id != 0) {
            destroy(process, &process->queues->queues[i]);
        }
    }
    if (process->queues != NULL) {
        unshare(process->queues->state, sizeof(struct state));
        process->queues->state = NULL;
    }
}
