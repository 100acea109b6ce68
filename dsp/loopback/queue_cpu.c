/* SPDX-License-Identifier: MIT
 *
 * The CPU's end of a dspqueue: creation, death, closing, and the two kinds of callback threads.
 *
 * The list lock protects the list of queues and their error_thread marks. On a death one thread calls the error
 * callbacks of all queues of the session; a queue cannot be closed from that thread (0x200), and closing from another
 * thread waits for it.
 */
#include "queue_cpu.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "buffer.h"
#include "log.h"
#include "mapping.h"
#include "options.h"
#include "rates.h"

#define MAX_SIZE DSPQUEUE_MAX_QUEUE_SIZE
#define QUEUE_ID_PID 1u /* upper half of an exported id: the DSP's process id */

struct cpu_queue {
    struct dspqueue queue;
    struct cpu_queue *next;
    struct session *session;
    uint64_t epoch;
    struct engine_queue shared;
    bool dead;          /* list lock */
    bool error_pending; /* list lock: its error callback is pending or running */
    bool has_thread;    /* packet callback */
    _Atomic bool left;  /* that thread has left its loop */
    pthread_t thread;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t error_done = PTHREAD_COND_INITIALIZER;
static struct cpu_queue *queues;
static uint32_t last_slot;
static pthread_key_t in_error_callback;

__attribute__((constructor)) static void init(void) {
    pthread_key_create(&in_error_callback, NULL);
}

static int use_buffers(struct dspqueue *queue, struct dspqueue_buffer *buffers, uint32_t n_buffers, bool reading) {
    struct cpu_queue *cpu = queue->owner;
    return mapping_use(cpu->session, buffers, n_buffers, reading);
}

static const struct queue_side cpu_side = {.buffers = use_buffers, .is_cpu = true};

/* --- Creation --- */

static bool session_is_full(const struct session *session) {
    uint32_t n = 0;
    pthread_mutex_lock(&list_lock);
    for (struct cpu_queue *q = queues; q != NULL; q = q->next) {
        n += q->session == session;
    }
    pthread_mutex_unlock(&list_lock);
    return n >= DSPQUEUE_MAX_PROCESS_QUEUES;
}

static void *callback_thread(void *argument) {
    struct cpu_queue *cpu = argument;
    queue_callback_loop(&cpu->queue);
    atomic_store(&cpu->left, true);
    return NULL;
}

static void release(struct cpu_queue *cpu) {
    if (cpu->queue.block != NULL) {
        munmap(cpu->queue.block, cpu->shared.memory.size);
    }
    if (cpu->shared.memory.fd >= 0) {
        close(cpu->shared.memory.fd);
    }
    free(cpu);
}

static struct cpu_queue *make(uint32_t request_size, uint32_t response_size) {
    struct cpu_queue *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL) {
        return NULL;
    }
    uint32_t size = ring_block_size(request_size, response_size);
    int fd = memory_create("dspqueue", size);
    void *block = fd >= 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    cpu->shared.memory = (struct engine_memory){memory_new_id(), fd, size};
    if (block == MAP_FAILED) {
        release(cpu);
        return NULL;
    }
    ring_block_init(block, request_size, response_size);
    queue_init(&cpu->queue, &cpu_side, cpu, block, size);
    return cpu;
}

/* Requires the session's lock. Registers the queue with the process, if there is one, and adds it to the list. */
static int announce(struct session *session, struct cpu_queue *cpu) {
    struct process *process = session_use(session);
    int code = AEE_SUCCESS;
    if (process != NULL) {
        code = session_result(process, process->engine->attach_queue(process->pd, &cpu->shared));
        process_put(process);
    }
    if (code == AEE_SUCCESS) {
        pthread_mutex_lock(&list_lock);
        cpu->next = queues;
        queues = cpu;
        pthread_mutex_unlock(&list_lock);
    }
    return code;
}

static int bad_sizes(uint32_t request_size, uint32_t response_size) {
    if (request_size % 8 != 0 || response_size % 8 != 0) {
        log_line("dspqueue_create: a size is no multiple of 8; the real library aborts the process at the first use");
        return AEE_EBADPARM;
    }
    return request_size > MAX_SIZE || response_size > MAX_SIZE ? AEE_EBADPARM : AEE_SUCCESS;
}

int queue_create(int domain, uint32_t flags, uint32_t request_size, uint32_t response_size,
                 dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback, void *context,
                 dspqueue_t *queue) {
    struct session *session = session_get(domain);
    uint64_t epoch;
    if (queue == NULL) {
        return AEE_EBADPARM;
    }
    *queue = NULL;
    int kind = session != NULL ? session->effective % 8 : -1;
    if ((kind != ADSP_DOMAIN_ID && kind != CDSP_DOMAIN_ID && kind != CDSP1_DOMAIN_ID) ||
        option_get(OPTION_dspqueue) == 0) {
        return AEE_EUNSUPPORTED;
    }
    int code = flags != 0 ? AEE_EBADPARM : bad_sizes(request_size, response_size);
    if (code != AEE_SUCCESS) {
        return code;
    }
    code = session_add_queue(session, &epoch);
    if (code != AEE_SUCCESS) {
        return code == AEE_ECONNRESET ? code : AEE_EUNSUPPORTED;
    }
    struct cpu_queue *cpu = NULL;
    if (session_is_full(session)) {
        code = AEE_ENOMEMORY;
    } else {
        cpu = make(request_size != 0 ? request_size : DSPQUEUE_DEFAULT_REQ_SIZE,
                   response_size != 0 ? response_size : DSPQUEUE_DEFAULT_RESP_SIZE);
        code = cpu != NULL ? AEE_SUCCESS : AEE_ENOMEMORY;
    }
    if (code == AEE_SUCCESS) {
        cpu->session = session;
        cpu->epoch = epoch;
        cpu->queue.packet_callback = packet_callback;
        cpu->queue.error_callback = error_callback;
        cpu->queue.callback_context = context;
        pthread_mutex_lock(&session->lock);
        pthread_mutex_lock(&list_lock);
        cpu->shared.id = (uint64_t)QUEUE_ID_PID << 32 | ++last_slot;
        pthread_mutex_unlock(&list_lock);
        code = announce(session, cpu);
        pthread_mutex_unlock(&session->lock);
    }
    if (code == AEE_SUCCESS && packet_callback != NULL) {
        cpu->has_thread = pthread_create(&cpu->thread, NULL, callback_thread, cpu) == 0;
        if (!cpu->has_thread) {
            queue_close(&cpu->queue);
            return AEE_EFAILED;
        }
    }
    if (code != AEE_SUCCESS) {
        if (cpu != NULL) {
            queue_destroy(&cpu->queue);
            release(cpu);
        }
        session_remove_queue(session, epoch);
        return code;
    }
    *queue = &cpu->queue;
    return AEE_SUCCESS;
}

int queue_export(dspqueue_t queue, uint64_t *id) {
    struct cpu_queue *cpu = queue->owner;
    if (id == NULL) {
        return AEE_EBADPARM;
    }
    *id = cpu->shared.id;
    return AEE_SUCCESS;
}

void queues_hand_over(struct session *session, struct process *process) {
    /* Attaches without the list lock: the process may die during the call, and handling a death takes that lock. */
    struct cpu_queue *own[DSPQUEUE_MAX_PROCESS_QUEUES];
    size_t n = 0;
    pthread_mutex_lock(&list_lock);
    for (struct cpu_queue *q = queues; q != NULL && n < DSPQUEUE_MAX_PROCESS_QUEUES; q = q->next) {
        if (q->session == session && !q->dead) {
            own[n++] = q;
        }
    }
    pthread_mutex_unlock(&list_lock);
    for (size_t i = 0; i < n; i++) {
        process->engine->attach_queue(process->pd, &own[i]->shared);
    }
}

void queues_forked(void) {
    pthread_mutex_init(&list_lock, NULL);
    for (struct cpu_queue *q = queues; q != NULL; q = q->next) {
        q->dead = true;
        q->error_pending = false;
        q->has_thread = false;
    }
    queues = NULL;
}

/* --- Writing --- */

int queue_write_checked(dspqueue_t queue, const struct queue_write *what, const uint32_t *timeout_us) {
    if (option_get(OPTION_dspqueue_echo) == 0) {
        return AEE_SUCCESS; /* drop the packet, as the option dspqueue_echo asks */
    }
    rates_wait(RATES_QUEUE, 1);
    return timeout_us != NULL ? queue_write_wait(queue, what, *timeout_us) : queue_write_noblock(queue, what);
}

/* --- Death and closing --- */

static struct cpu_queue *next_pending(struct session *session) {
    struct cpu_queue *q = queues;
    while (q != NULL && !(q->session == session && q->error_pending)) {
        q = q->next;
    }
    return q;
}

static void *error_thread(void *argument) {
    struct session *session = argument;
    struct cpu_queue *cpu;
    pthread_setspecific(in_error_callback, session);
    pthread_mutex_lock(&list_lock);
    while ((cpu = next_pending(session)) != NULL) {
        pthread_mutex_unlock(&list_lock);
        cpu->queue.error_callback(&cpu->queue, AEE_ECONNRESET, cpu->queue.callback_context);
        pthread_mutex_lock(&list_lock);
        cpu->error_pending = false;
        pthread_cond_broadcast(&error_done);
    }
    pthread_mutex_unlock(&list_lock);
    return NULL;
}

void queues_died(struct session *session) {
    bool pending = false;
    pthread_mutex_lock(&list_lock);
    for (struct cpu_queue *q = queues; q != NULL; q = q->next) {
        if (q->session == session && !q->dead) {
            q->dead = true;
            q->error_pending = q->queue.error_callback != NULL;
            pending = pending || q->error_pending;
            ring_poison(q->queue.block, q->queue.block_size, AEE_ECONNRESET);
        }
    }
    pthread_t thread;
    if (pending) {
        if (pthread_create(&thread, NULL, error_thread, session) == 0) {
            pthread_detach(thread);
        } else {
            for (struct cpu_queue *q = queues; q != NULL; q = q->next) {
                q->error_pending = q->error_pending && q->session != session;
            }
            log_line("dspqueue: no thread for the error callbacks");
        }
    }
    pthread_mutex_unlock(&list_lock);
}

/* Detaches from the process. Returns 0xe while the DSP has it imported. */
static int detach(struct session *session, struct cpu_queue *cpu) {
    pthread_mutex_lock(&session->lock);
    struct process *process = session_use(session);
    int code = AEE_SUCCESS;
    if (process != NULL) {
        code = process->engine->detach_queue(process->pd, cpu->shared.id);
        process_put(process);
    }
    pthread_mutex_unlock(&session->lock);
    return code == AEE_SUCCESS || code == ENGINE_DEAD ? AEE_SUCCESS : AEE_EBADPARM;
}

/* Removes the queue from the list, after waiting for its error callback. Must not hold the session's lock, which the
 * callback may take. */
static void unlist(struct session *session, struct cpu_queue *cpu) {
    for (bool done = false; !done;) {
        pthread_mutex_lock(&session->lock);
        pthread_mutex_lock(&list_lock);
        struct cpu_queue **link = &queues;
        while (*link != NULL && *link != cpu) {
            link = &(*link)->next;
        }
        done = !cpu->error_pending;
        if (done && *link != NULL) {
            *link = cpu->next;
        }
        pthread_mutex_unlock(&session->lock);
        while (cpu->error_pending) {
            pthread_cond_wait(&error_done, &list_lock);
        }
        pthread_mutex_unlock(&list_lock);
    }
}

static void stop_callbacks(struct cpu_queue *cpu) {
    while (!atomic_load(&cpu->left)) {
        struct timespec moment = {0, 1000000};
        queue_callback_stop(&cpu->queue);
        nanosleep(&moment, NULL);
    }
    pthread_join(cpu->thread, NULL);
}

int queue_close(dspqueue_t queue) {
    if (queue == NULL) {
        return AEE_EBADPARM;
    }
    struct cpu_queue *cpu = queue->owner;
    struct session *session = cpu->session;
    if (pthread_getspecific(in_error_callback) == session) {
        return AEE_ERPC;
    }
    int code = detach(session, cpu);
    if (code != AEE_SUCCESS) {
        return code;
    }
    unlist(session, cpu);
    if (cpu->has_thread) {
        stop_callbacks(cpu);
    }
    uint64_t epoch = cpu->epoch;
    queue_destroy(queue);
    release(cpu);
    session_remove_queue(session, epoch);
    return AEE_SUCCESS;
}
