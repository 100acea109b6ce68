/* SPDX-License-Identifier: MIT
 *
 * QuRT's synchronization objects. Each is 16 bytes of the skel's memory; the PD's lock protects them all (pd.h). A
 * caller that is no thread of a PD (a module's destructor, run after the PD's end) passes through without waiting.
 */
#include "shell.h"

#include <string.h>

#include "pd.h"

struct object {
    uint32_t value; /* mutex: owner; signal: bits; barrier: missing; semaphore: count */
    uint32_t count; /* mutex: depth; barrier: threads */
    uint32_t unused[2];
};
_Static_assert(sizeof(struct object) == 16, "QuRT objects take 16 bytes");

#define SIGNAL_WAIT_ALL 1

static void clear(void *object) {
    memset(object, 0, sizeof(struct object));
}

/* Returns the calling PD thread with its PD's lock held, or NULL (and no lock) when it is not a PD's. Leaves when the
 * PD is dead. */
static struct shell_thread *enter(void) {
    struct shell_thread *self = shell_self();
    if (self != NULL) {
        shell_leave_if_dead();
        pthread_mutex_lock(&self->pd->lock);
    }
    return self;
}

static void done(struct shell_thread *self) {
    pthread_mutex_unlock(&self->pd->lock);
}

/* --- Mutexes: ownership passes by priority --- */

static void acquire(struct shell_thread *self, struct object *mutex) {
    if (mutex->value == 0) {
        mutex->value = self->id;
    } else {
        shell_block(self, mutex); /* release makes this thread the owner */
    }
    mutex->count = 1;
}

static void release(struct shell_thread *self, struct object *mutex) {
    struct shell_thread *next = shell_next_waiter(self->pd, mutex);
    mutex->value = next != NULL ? next->id : 0;
    if (next != NULL) {
        shell_wake(next);
    }
}

static int try_lock(void *object, bool recursive) {
    struct object *mutex = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    int code = 0;
    if (mutex->value == 0) {
        acquire(self, mutex);
    } else if (recursive && mutex->value == self->id) {
        mutex->count++;
    } else {
        code = -1;
    }
    done(self);
    return code;
}

static void lock(void *object, bool recursive) {
    struct object *mutex = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return;
    }
    if (recursive && mutex->value == self->id) {
        mutex->count++;
    } else {
        if (mutex->value == self->id) {
            shell_log("qurt_mutex_lock: deadlock, the thread owns the mutex already");
        }
        acquire(self, mutex);
    }
    done(self);
}

static void unlock(void *object) {
    struct object *mutex = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return;
    }
    if (--mutex->count == 0) {
        release(self, mutex);
    }
    done(self);
}

void qurt_mutex_init(void *mutex) {
    clear(mutex);
}

void qurt_mutex_destroy(void *mutex) {
    clear(mutex);
}

void qurt_mutex_lock(void *mutex) {
    lock(mutex, false);
}

int qurt_mutex_try_lock(void *mutex) {
    return try_lock(mutex, false);
}

void qurt_mutex_unlock(void *mutex) {
    unlock(mutex);
}

void qurt_rmutex_init(void *mutex) {
    clear(mutex);
}

void qurt_rmutex_destroy(void *mutex) {
    clear(mutex);
}

void qurt_rmutex_lock(void *mutex) {
    lock(mutex, true);
}

int qurt_rmutex_try_lock(void *mutex) {
    return try_lock(mutex, true);
}

void qurt_rmutex_unlock(void *mutex) {
    unlock(mutex);
}

/* --- Signals --- */

static bool satisfied(const struct object *signal, uint32_t mask, bool all) {
    return all ? (signal->value & mask) == mask : (signal->value & mask) != 0;
}

void qurt_signal_init(void *signal) {
    clear(signal);
}

void qurt_signal_destroy(void *signal) {
    clear(signal);
}

unsigned int qurt_signal_wait(void *object, unsigned int mask, unsigned int attribute) {
    struct object *signal = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    self->wait_mask = mask;
    self->wait_all = attribute == SIGNAL_WAIT_ALL;
    while (!satisfied(signal, mask, self->wait_all)) {
        shell_block(self, signal);
    }
    unsigned int bits = signal->value;
    done(self);
    return bits;
}

unsigned int qurt_anysignal_set(void *object, unsigned int mask) {
    struct object *signal = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    unsigned int before = signal->value;
    signal->value |= mask;
    for (struct shell_thread *t = self->pd->threads; t != NULL; t = t->next) {
        if (t->waits_for == signal && satisfied(signal, t->wait_mask, t->wait_all)) {
            shell_wake(t);
        }
    }
    done(self);
    return before;
}

unsigned int qurt_anysignal_clear(void *object, unsigned int mask) {
    struct object *signal = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    unsigned int before = signal->value;
    signal->value &= ~mask;
    done(self);
    return before;
}

void qurt_signal_set(void *signal, unsigned int mask) {
    qurt_anysignal_set(signal, mask);
}

void qurt_signal_clear(void *signal, unsigned int mask) {
    qurt_anysignal_clear(signal, mask);
}

unsigned int qurt_signal_get(void *signal) {
    return qurt_anysignal_clear(signal, 0);
}

/* --- Barriers, semaphores, conditions, futexes --- */

static void wake_all(struct shell_pd *pd, const void *object) {
    struct shell_thread *thread;
    while ((thread = shell_next_waiter(pd, object)) != NULL) {
        shell_wake(thread);
    }
}

int qurt_barrier_init(void *object, unsigned int n_threads) {
    struct object *barrier = object;
    clear(barrier);
    barrier->value = barrier->count = n_threads;
    return 0;
}

int qurt_barrier_destroy(void *barrier) {
    clear(barrier);
    return 0;
}

int qurt_barrier_wait(void *object) {
    struct object *barrier = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    int is_last = --barrier->value == 0;
    if (is_last) {
        barrier->value = barrier->count;
        wake_all(self->pd, barrier);
    } else {
        shell_block(self, barrier);
    }
    done(self);
    return is_last;
}

void qurt_sem_init_val(void *object, unsigned short value) {
    struct object *semaphore = object;
    clear(semaphore);
    semaphore->value = value;
}

void qurt_sem_init(void *semaphore) {
    qurt_sem_init_val(semaphore, 1);
}

void qurt_sem_destroy(void *semaphore) {
    clear(semaphore);
}

int qurt_sem_down(void *object) {
    struct object *semaphore = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    while (semaphore->value == 0) {
        shell_block(self, semaphore);
    }
    semaphore->value--;
    done(self);
    return 0;
}

int qurt_sem_try_down(void *object) {
    struct object *semaphore = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    int code = semaphore->value == 0 ? -1 : 0;
    semaphore->value -= code == 0;
    done(self);
    return code;
}

int qurt_sem_add(void *object, unsigned int amount) {
    struct object *semaphore = object;
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    semaphore->value += amount;
    wake_all(self->pd, semaphore);
    done(self);
    return 0;
}

void qurt_cond_init(void *condition) {
    clear(condition);
}

void qurt_cond_destroy(void *condition) {
    clear(condition);
}

void qurt_cond_wait(void *condition, void *mutex) {
    struct shell_thread *self = enter();
    if (self == NULL) {
        return;
    }
    release(self, mutex);
    shell_block(self, condition);
    acquire(self, mutex);
    done(self);
}

void qurt_cond_signal(void *condition) {
    qurt_futex_wake(condition, 1);
}

void qurt_cond_broadcast(void *condition) {
    qurt_futex_wake(condition, INT32_MAX);
}

int qurt_futex_wait(void *word, int value) {
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 1;
    }
    bool wait = __atomic_load_n((int *)word, __ATOMIC_SEQ_CST) == value;
    if (wait) {
        shell_block(self, word);
    }
    done(self);
    return wait ? 0 : 1;
}

int qurt_futex_wake(void *word, int n_threads) {
    struct shell_thread *self = enter();
    if (self == NULL) {
        return 0;
    }
    int n = 0;
    struct shell_thread *thread;
    while (n < n_threads && (thread = shell_next_waiter(self->pd, word)) != NULL) {
        shell_wake(thread);
        n++;
    }
    done(self);
    return n;
}
