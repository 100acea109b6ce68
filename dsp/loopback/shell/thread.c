/* SPDX-License-Identifier: MIT */
#include "pd.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "deadline.h"
#include "shell.h"

#define FIRST_THREAD_ID 0x1001
#define QURT_EOK 0
#define QURT_EFAILED -1
#define QURT_ENOTHREAD 30

static pthread_key_t self_key;
static pthread_once_t self_once = PTHREAD_ONCE_INIT;

static void make_self_key(void) {
    pthread_key_create(&self_key, NULL);
}

struct shell_thread *shell_self(void) {
    pthread_once(&self_once, make_self_key);
    return pthread_getspecific(self_key);
}

void shell_pd_init(struct shell_pd *pd, uint32_t hardware_threads, void *vtcm, uint32_t vtcm_size) {
    memset(pd, 0, sizeof *pd);
    pthread_mutex_init(&pd->lock, NULL);
    pthread_mutex_init(&pd->heap_lock, NULL);
    pthread_cond_init(&pd->ended, NULL);
    pthread_cond_init(&pd->resumed, NULL);
    pthread_cond_init(&pd->vtcm_released, NULL);
    pd->last_thread_id = FIRST_THREAD_ID - 1;
    pd->hardware_threads = hardware_threads;
    pd->vtcm = vtcm;
    pd->vtcm_size = vtcm_size < SHELL_VTCM_MAX ? vtcm_size : SHELL_VTCM_MAX;
}

static void forget(struct shell_pd *pd, struct shell_thread *thread) {
    struct shell_thread **link = &pd->threads;
    while (*link != thread) {
        link = &(*link)->next;
    }
    *link = thread->next;
    pthread_cond_destroy(&thread->wake);
    free(thread);
}

void shell_pd_destroy(struct shell_pd *pd) {
    while (pd->threads != NULL) {
        forget(pd, pd->threads);
    }
    shell_heap_destroy(pd);
    pthread_cond_destroy(&pd->ended);
    pthread_cond_destroy(&pd->resumed);
    pthread_cond_destroy(&pd->vtcm_released);
    pthread_mutex_destroy(&pd->heap_lock);
    pthread_mutex_destroy(&pd->lock);
}

void shell_pd_kill(struct shell_pd *pd) {
    pthread_mutex_lock(&pd->lock);
    bool empty = !atomic_exchange(&pd->dead, true) && pd->n_running == 0;
    for (struct shell_thread *t = pd->threads; t != NULL; t = t->next) {
        pthread_cond_signal(&t->wake);
    }
    pthread_cond_broadcast(&pd->ended);
    pthread_cond_broadcast(&pd->resumed);
    pthread_cond_broadcast(&pd->vtcm_released);
    pthread_mutex_unlock(&pd->lock);
    if (empty) {
        shell_pd_is_empty(pd);
    }
}

void shell_pd_stall(struct shell_pd *pd, bool on) {
    pthread_mutex_lock(&pd->lock);
    pd->stalled = on;
    atomic_store(&pd->stall_in, 0);
    pthread_cond_broadcast(&pd->resumed);
    pthread_mutex_unlock(&pd->lock);
}

void shell_pd_stall_at(struct shell_pd *pd, uint32_t nth) {
    pthread_mutex_lock(&pd->lock);
    atomic_store(&pd->stall_in, nth);
    pthread_mutex_unlock(&pd->lock);
}

bool shell_pd_is_stalled(struct shell_pd *pd) {
    pthread_mutex_lock(&pd->lock);
    bool stalled = pd->stalled;
    pthread_mutex_unlock(&pd->lock);
    return stalled;
}

/* --- Life of a thread --- */

static _Noreturn void leave(struct shell_thread *self) {
    longjmp(self->leave, 1);
}

static void *run(void *argument) {
    struct shell_thread *self = argument;
    struct shell_pd *pd = self->pd;
    pthread_setspecific(self_key, self);
    shell_stack_paint(self);
    if (setjmp(self->leave) == 0) {
        self->entry(self->argument);
    }
    shell_stack_check(self);
    /* code that runs from here on, such as a module's destructors, is not on a PD thread */
    pthread_setspecific(self_key, NULL);

    pthread_mutex_lock(&pd->lock);
    self->ended = true;
    if (!self->joinable) {
        forget(pd, self);
    }
    pthread_cond_broadcast(&pd->ended);
    bool last = --pd->n_running == 0 && atomic_load(&pd->dead);
    pthread_mutex_unlock(&pd->lock);
    if (last) {
        shell_pd_is_empty(pd);
    }
    return NULL;
}

static bool spawn(struct shell_thread *thread) {
    pthread_t pthread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    bool ok = pthread_attr_setstacksize(&attr, shell_stack_size(thread->stack_requested)) == 0 &&
              pthread_create(&pthread, &attr, run, thread) == 0;
    pthread_attr_destroy(&attr);
    return ok;
}

struct shell_thread *shell_thread_start(struct shell_pd *pd, const struct shell_thread_attr *attr,
                                        void (*entry)(void *), void *argument) {
    shell_self(); /* creates the key */
    struct shell_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        return NULL;
    }
    thread->pd = pd;
    thread->priority = attr->priority;
    thread->timetest_id = attr->timetest_id;
    strncpy(thread->name, attr->name, SHELL_NAME_SIZE - 1);
    thread->entry = entry;
    thread->argument = argument;
    thread->joinable = attr->joinable;
    thread->stack_requested = attr->stack;
    pthread_cond_init(&thread->wake, NULL);

    pthread_mutex_lock(&pd->lock);
    thread->id = ++pd->last_thread_id;
    thread->next = pd->threads;
    pd->threads = thread;
    pd->n_running++;
    bool ok = !atomic_load(&pd->dead) && spawn(thread);
    if (!ok) {
        pd->n_running--;
        forget(pd, thread);
    }
    pthread_mutex_unlock(&pd->lock);
    return ok ? thread : NULL;
}

/* --- Waiting --- */

void shell_leave_if_dead(void) {
    struct shell_thread *self = shell_self();
    if (self != NULL && atomic_load(&self->pd->dead)) {
        leave(self);
    }
}

/* Requires the PD's lock. Stalls the PD if this is its moment to stall, and returns whether it is. */
static bool count_moment(struct shell_pd *pd) {
    uint32_t left = atomic_load(&pd->stall_in);
    if (left != 0) {
        atomic_store(&pd->stall_in, left - 1);
        pd->stalled = pd->stalled || left == 1;
    }
    return left == 1;
}

void shell_gate(void) {
    struct shell_thread *self = shell_self();
    if (self == NULL) {
        return;
    }
    struct shell_pd *pd = self->pd;
    pthread_mutex_lock(&pd->lock);
    count_moment(pd);
    while (pd->stalled && !atomic_load(&pd->dead)) {
        pthread_cond_wait(&pd->resumed, &pd->lock);
    }
    pthread_mutex_unlock(&pd->lock);
    shell_leave_if_dead();
}

void shell_moment(void) {
    struct shell_thread *self = shell_self();
    if (self == NULL || atomic_load_explicit(&self->pd->stall_in, memory_order_relaxed) == 0) {
        return;
    }
    pthread_mutex_lock(&self->pd->lock);
    bool stalls = count_moment(self->pd);
    pthread_mutex_unlock(&self->pd->lock);
    if (stalls) {
        shell_gate();
    }
}

void shell_block(struct shell_thread *self, const void *object) {
    struct shell_pd *pd = self->pd;
    self->waits_for = object;
    self->wait_order = pd->wait_order++;
    pthread_cond_broadcast(&pd->ended); /* for let_run */
    while (self->waits_for != NULL && !atomic_load(&pd->dead)) {
        pthread_cond_wait(&self->wake, &pd->lock);
    }
    if (atomic_load(&pd->dead)) {
        pthread_mutex_unlock(&pd->lock);
        leave(self);
    }
}

struct shell_thread *shell_next_waiter(struct shell_pd *pd, const void *object) {
    struct shell_thread *best = NULL;
    for (struct shell_thread *t = pd->threads; t != NULL; t = t->next) {
        if (t->waits_for == object && (best == NULL || t->priority < best->priority ||
                                       (t->priority == best->priority && t->wait_order < best->wait_order))) {
            best = t;
        }
    }
    return best;
}

void shell_wake(struct shell_thread *thread) {
    thread->waits_for = NULL;
    pthread_cond_signal(&thread->wake);
}

/* --- qurt_thread_* --- */

/* The part of qurt_thread_attr_t that has the same layout with 32-bit and 64-bit pointers. The stack pointer that
 * follows it is not used: a pthread brings its own stack. */
struct qurt_attr {
    char name[SHELL_NAME_SIZE];
    uint8_t tcb_partition;
    uint8_t stid;
    uint16_t priority;
    uint8_t bits;
    uint8_t bus_priority;
    uint16_t timetest_id;
    uint32_t stack_size;
};
_Static_assert(sizeof(struct qurt_attr) == 0x1c, "qurt_thread_attr_t up to its stack address");

static struct shell_thread *find(struct shell_pd *pd, unsigned int id) {
    struct shell_thread *t = pd->threads;
    while (t != NULL && t->id != id) {
        t = t->next;
    }
    return t;
}

/* QuRT runs a thread of higher priority before its creator continues, until it waits or ends; here for at most 20
 * ms. */
static void let_run(struct shell_pd *pd, unsigned int id) {
    struct timespec limit = deadline_after(20000);
    pthread_mutex_lock(&pd->lock);
    int code = 0;
    for (struct shell_thread *t = find(pd, id); t != NULL && !t->ended && t->waits_for == NULL; t = find(pd, id)) {
        if (code == ETIMEDOUT || atomic_load(&pd->dead)) {
            break;
        }
        code = pthread_cond_timedwait(&pd->ended, &pd->lock, &limit);
    }
    pthread_mutex_unlock(&pd->lock);
}

int qurt_thread_create(unsigned int *id, const void *attr, void (*entry)(void *), void *argument) {
    struct shell_thread *self = shell_self();
    struct qurt_attr wanted;
    if (self == NULL || entry == NULL) {
        return QURT_EFAILED;
    }
    shell_leave_if_dead();
    memcpy(&wanted, attr, sizeof wanted);
    wanted.name[SHELL_NAME_SIZE - 1] = '\0';
    if (wanted.priority < 1 || wanted.priority > 254 || wanted.stack_size == 0) {
        shell_log("qurt_thread_create: priority outside 1..254 or no stack");
        return QURT_EFAILED;
    }
    const struct shell_thread_attr ours = {wanted.name, wanted.priority, wanted.timetest_id, wanted.stack_size, true};
    struct shell_thread *thread = shell_thread_start(self->pd, &ours, entry, argument);
    if (thread == NULL) {
        return QURT_EFAILED;
    }
    *id = thread->id; /* joinable: its record stays */
    if (wanted.priority < self->priority) {
        let_run(self->pd, *id);
    }
    return QURT_EOK;
}

void qurt_thread_exit(int status) {
    struct shell_thread *self = shell_self();
    if (self == NULL) {
        abort(); /* not a thread of a PD: it cannot leave */
    }
    self->status = status;
    leave(self);
}

int qurt_thread_join(unsigned int id, int *status) {
    struct shell_thread *self = shell_self();
    if (self == NULL) {
        return QURT_ENOTHREAD;
    }
    struct shell_pd *pd = self->pd;
    pthread_mutex_lock(&pd->lock);
    struct shell_thread *thread = find(pd, id);
    if (thread == NULL || !thread->joinable || thread == self) {
        pthread_mutex_unlock(&pd->lock);
        return QURT_ENOTHREAD;
    }
    while (!thread->ended && !atomic_load(&pd->dead)) {
        pthread_cond_wait(&pd->ended, &pd->lock);
    }
    if (thread->ended) {
        if (status != NULL) {
            *status = thread->status;
        }
        forget(pd, thread);
    }
    pthread_mutex_unlock(&pd->lock);
    shell_leave_if_dead();
    return QURT_EOK;
}

unsigned int qurt_thread_get_id(void) {
    struct shell_thread *self = shell_self();
    return self != NULL ? self->id : 0;
}

void qurt_thread_get_name(char *name, unsigned char size) {
    struct shell_thread *self = shell_self();
    if (size != 0) {
        strncpy(name, self != NULL ? self->name : "", size);
        name[size - 1] = '\0';
    }
}

unsigned short qurt_thread_get_timetest_id(void) {
    struct shell_thread *self = shell_self();
    return self != NULL ? self->timetest_id : SHELL_TIMETEST_ID;
}

/* A thread that waits for another one of a dead PD would yield for ever. */
void qurt_yield(void) {
    sched_yield();
    shell_leave_if_dead();
}

int qurt_thread_get_priority(unsigned int id) {
    struct shell_thread *self = shell_self();
    int priority = -1;
    if (self != NULL) {
        pthread_mutex_lock(&self->pd->lock);
        struct shell_thread *thread = find(self->pd, id);
        priority = thread != NULL ? thread->priority : -1;
        pthread_mutex_unlock(&self->pd->lock);
    }
    return priority;
}

int qurt_thread_set_priority(unsigned int id, unsigned short priority) {
    struct shell_thread *self = shell_self();
    int code = QURT_ENOTHREAD;
    if (self != NULL) {
        pthread_mutex_lock(&self->pd->lock);
        struct shell_thread *thread = find(self->pd, id);
        if (thread != NULL) {
            thread->priority = priority;
            code = QURT_EOK;
        }
        pthread_mutex_unlock(&self->pd->lock);
    }
    return code;
}
