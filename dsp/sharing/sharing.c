/* SPDX-License-Identifier: MIT
 *
 * Each thread quantizes the activations of a group of products for itself, which costs less than synchronizing the
 * threads, and takes tiles from a common counter. It stores a tile's results in the meeting, never in the product's
 * result, and then the run's number in the tile's flag. The DSP reads a tile only after it has seen that number, and
 * looks at no tile after it has closed the product. So it never reads results that came too late, or that were computed
 * from activations which it has overwritten meanwhile.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats/tiles.h"
#include "ops/matmul/plan.h"
#include "runtime/contract.h"
#include "runtime/pause.h"

#pragma GCC visibility push(default)
#include "sharing.h"
#pragma GCC visibility pop

#define MOST_THREADS 16
#define SPIN_NS 1000000u /* the ops that the DSP runs between two products usually take less */
#define NAP_NS 50000

struct team;

struct area {
    uint8_t *data;
    size_t size;
};

/* Rows first..first + n_rows - 1 of the tables meet this matrix. */
struct run {
    uint32_t matrix, first, n_rows;
};

/* The rows of a product's results, sorted by the matrix that they meet. */
struct tables {
    uint32_t n_rows, n_runs;
    struct run runs[PHX_MEETING_MOST_ROWS];
    uint32_t x_offsets[PHX_MEETING_MOST_ROWS];   /* in the quantized rows */
    uint32_t dst_offsets[PHX_MEETING_MOST_ROWS]; /* in a tile's results */
    uint32_t experts[PHX_MEETING_MOST_ROWS];     /* of each row of results */
    uint32_t next[PHX_MAX_EXPERTS + 1];          /* place for each expert */
};

struct worker {
    struct team *team;
    struct tables tables;
    pthread_t thread;
    struct sharing_counts counts;
    struct area work;                       /* of the kernel */
    struct area rows;                       /* quantized, of `group` */
    uint32_t group;                         /* valid in this run if the rows have a kernel */
    const struct phx_matmul_kernel *kernel; /* that quantized the rows; NULL: there are none */
};

struct team {
    pid_t process;
    uint32_t n_threads;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t generation; /* of the run; the rest of the run is written before it changes */
    uint32_t n_busy;
    bool is_stopping;
    uint32_t is_ending; /* atomic: the threads give up the run */

    const struct sharing_product *products;
    uint32_t n_products;
    const uint64_t *buffers;
    uint32_t run;
    uint32_t *next_tile; /* atomic: of each product */
    size_t n_next_tile;
    struct worker workers[MOST_THREADS];
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- Meetings --- */

static uint8_t *buffer_of(const struct team *team, uint32_t number) {
    return (uint8_t *)(uintptr_t)team->buffers[number];
}

static uint8_t *meeting_of(const struct team *team, const struct sharing_product *product) {
    return buffer_of(team, product->meeting) + product->meeting_offset;
}

static const struct phx_meeting_dsp *dsp_of(const uint8_t *meeting) {
    return (const void *)(meeting + PHX_MEETING_HEAD_BYTES);
}

static bool is_wanted(const struct team *team, const uint8_t *meeting) {
    return __atomic_load_n(&dsp_of(meeting)->closed, __ATOMIC_ACQUIRE) != team->run &&
           !__atomic_load_n(&team->is_ending, __ATOMIC_RELAXED);
}

/* Waits until the DSP has reached a product. Returns false if the DSP has closed it already, or the run ends. */
static bool await_product(const struct team *team, const uint8_t *meeting) {
    uint64_t asleep = 0;
    for (uint32_t i = 1; is_wanted(team, meeting); i++) {
        if (__atomic_load_n(&dsp_of(meeting)->reached, __ATOMIC_ACQUIRE) == team->run) {
            return true;
        }
        if (i % PHX_POLLS_PER_YIELD) {
            phx_pause();
            continue;
        }
        uint64_t now = now_ns();
        asleep = asleep ? asleep : now + SPIN_NS;
        if (now < asleep) {
            sched_yield();
        } else {
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        }
    }
    return false;
}

/* --- Computing --- */

static const struct phx_matmul_kernel *kernel_of(uint32_t dtype) {
#ifdef PHX_HVX
    const struct phx_matmul_kernel *kernel = phx_matmul_hvx(dtype);
    return kernel ? kernel : phx_matmul_ref(dtype);
#else
    return phx_matmul_ref(dtype);
#endif
}

/* Makes an area of n_bytes or more, aligned to PHX_VECTOR; its contents stay unless it grows. False: no memory. */
static bool reserve(struct area *area, size_t n_bytes) {
    if (!area->data || area->size < n_bytes) {
        free(area->data);
        area->size = (n_bytes / 4096 + 1) * 4096;
        area->data = aligned_alloc(4096, area->size);
        area->size = area->data ? area->size : 0;
    }
    return area->data;
}

/* Quantizes all rows of activations, one after the other, unless the thread has them. False: no memory. */
static bool quantize(struct worker *worker, const struct sharing_product *product, const struct phx_weight_plan *plan,
                     uint32_t n_rows) {
    const struct phx_matmul_kernel *kernel = plan->kernel, *before = worker->kernel;
    if (before && worker->group == product->group && before->kernels == kernel->kernels &&
        before->form == kernel->form) {
        return true;
    }
    worker->kernel = NULL;
    if (!reserve(&worker->rows, (size_t)n_rows * plan->row_bytes)) {
        return false;
    }
    const uint8_t *x = buffer_of(worker->team, product->activations);
    const uint32_t *ne = product->ne, *nb = product->nb;
    uint8_t *row = worker->rows.data;
    x += product->activations_offset;
    for (uint32_t i3 = 0; i3 < ne[2]; i3++) {
        for (uint32_t i2 = 0; i2 < ne[1]; i2++) {
            for (uint32_t i1 = 0; i1 < ne[0]; i1++) {
                kernel->quantise(&plan->mm, x + i1 * nb[0] + i2 * nb[1] + i3 * nb[2], 0, phx_row_parts(&plan->mm), row);
                row += plan->row_bytes;
            }
        }
    }
    worker->kernel = kernel;
    worker->group = product->group;
    worker->counts.n_quantized++;
    return true;
}

/* Reads the ids of a MUL_MAT_ID, each once, and counts the rows of each expert. False: an id names none. */
static bool read_ids(struct tables *tables, const struct team *team, const struct sharing_product *product) {
    const uint8_t *ids = buffer_of(team, product->ids) + product->ids_offset;
    tables->n_rows = 0;
    memset(tables->next, 0, (product->n_experts + 1) * sizeof(*tables->next));
    for (uint32_t t = 0; t < product->ne[1]; t++) {
        const volatile uint32_t *of_token = (const void *)(ids + (size_t)t * product->ids_stride);
        for (uint32_t u = 0; u < product->n_used; u++) {
            uint32_t id = of_token[u];
            if (id >= product->n_experts) {
                return false;
            }
            tables->experts[tables->n_rows++] = id;
            tables->next[id + 1]++;
        }
    }
    return true;
}

/* Sorts the results of a MUL_MAT_ID by expert, so that the rows of an expert's tile follow each other. */
static bool sort_by_expert(struct tables *tables, const struct team *team, const struct sharing_product *product,
                           uint32_t row_bytes) {
    if (!read_ids(tables, team, product)) {
        return false;
    }
    uint32_t n_used = product->n_used, n_each = product->ne[0]; /* rows of activations of a token */
    tables->n_runs = 0;
    for (uint32_t e = 0; e < product->n_experts; e++) {
        uint32_t n_rows = tables->next[e + 1];
        if (n_rows) {
            tables->runs[tables->n_runs++] = (struct run){e, tables->next[e], n_rows};
        }
        tables->next[e + 1] += tables->next[e];
    }
    for (uint32_t row = 0; row < tables->n_rows; row++) {
        uint32_t place = tables->next[tables->experts[row]]++;
        tables->x_offsets[place] = (row / n_used * n_each + row % n_used % n_each) * row_bytes;
        tables->dst_offsets[place] = row * PHX_MEETING_ROW_BYTES;
    }
    return true;
}

/* Fills in the tables of a product. False: it has no results, because the DSP refuses its ids. */
static bool make_tables(struct tables *tables, const struct team *team, const struct sharing_product *product,
                        uint32_t n_x, uint32_t row_bytes) {
    if (product->n_experts) {
        return sort_by_expert(tables, team, product, row_bytes);
    }
    tables->n_rows = n_x;
    tables->n_runs = 1;
    tables->runs[0] = (struct run){.n_rows = n_x};
    for (uint32_t i = 0; i < n_x; i++) {
        tables->x_offsets[i] = i * row_bytes;
        tables->dst_offsets[i] = i * PHX_MEETING_ROW_BYTES;
    }
    return true;
}

/* Multiplies a tile of each matrix with the rows that meet it. */
static void multiply(struct worker *worker, const struct sharing_product *product, const struct phx_weight_plan *plan,
                     uint32_t tile, uint8_t *results) {
    const struct tables *tables = &worker->tables;
    const uint8_t *tiles = buffer_of(worker->team, product->weights) + (size_t)tile * plan->mm.tile_bytes;
    uint32_t n_left = product->n - tile * PHX_TILE_ROWS;
    struct phx_matmul mm = plan->mm;
    mm.n = n_left < PHX_TILE_ROWS ? n_left : PHX_TILE_ROWS;
    for (uint32_t i = 0; i < tables->n_runs; i++) {
        const struct run *run = &tables->runs[i];
        struct phx_rows rows = {.n = run->n_rows,
                                .x = worker->rows.data,
                                .x_offsets = tables->x_offsets + run->first,
                                .dst = results,
                                .dst_offsets = tables->dst_offsets + run->first};
        mm.tiles = tiles + run->matrix * plan->matrix_bytes;
        plan->kernel->multiply(&mm, &rows, 0, 1, worker->work.data);
    }
}

/* Computes tiles of a product until none is left to the CPU or the DSP has closed the product. */
static void compute(struct worker *worker, const struct sharing_product *product, uint32_t *next_tile,
                    uint8_t *meeting) {
    const struct team *team = worker->team;
    const struct phx_matmul_kernel *kernel = kernel_of(product->dtype);
    struct tables *tables = &worker->tables;
    struct phx_weight_plan plan;
    uint32_t n_x = product->ne[0] * product->ne[1] * product->ne[2], n_taken = 0;
    phx_weight_plan_make(&plan, kernel, product->dtype, product->k, product->n, 0, 1);
    uint64_t start = now_ns();
    if (!make_tables(tables, team, product, n_x, plan.row_bytes) ||
        !reserve(&worker->work, kernel->work_bytes + (size_t)tables->n_rows * kernel->work_row_bytes) ||
        !quantize(worker, product, &plan, n_x)) {
        return;
    }
    while (is_wanted(team, meeting)) {
        uint32_t number = __atomic_fetch_add(next_tile, 1, __ATOMIC_RELAXED);
        uint32_t tile = product->first_tile + number;
        if (tile >= plan.n_tiles || number >= __atomic_load_n(&dsp_of(meeting)->n_left, __ATOMIC_RELAXED)) {
            break;
        }
        uint8_t *to = meeting + 2 * PHX_MEETING_HEAD_BYTES +
                      (size_t)number * (PHX_MEETING_HEAD_BYTES + tables->n_rows * PHX_MEETING_ROW_BYTES);
        struct phx_meeting_tile *flags = (void *)to;
        __atomic_store_n(&flags->begun, team->run, __ATOMIC_RELAXED);
        multiply(worker, product, &plan, tile, to + PHX_MEETING_HEAD_BYTES);
        __atomic_store_n(&flags->done, team->run, __ATOMIC_RELEASE);
        n_taken++;
    }
    worker->counts.n_meetings += n_taken > 0;
    worker->counts.n_tiles += n_taken;
    worker->counts.busy_ns += now_ns() - start;
}

static void run_all(struct worker *worker) {
    struct team *team = worker->team;
    worker->kernel = NULL;
    for (uint32_t i = 0; i < team->n_products; i++) {
        uint8_t *meeting = meeting_of(team, &team->products[i]);
        uint64_t start = now_ns();
        bool is_reached = await_product(team, meeting);
        worker->counts.wait_ns += now_ns() - start;
        if (is_reached) {
            compute(worker, &team->products[i], &team->next_tile[i], meeting);
        }
    }
}

/* --- Threads --- */

static void *serve(void *argument) {
    struct worker *worker = argument;
    struct team *team = worker->team;
    uint32_t generation = 0;
    pthread_setname_np(pthread_self(), "phx-sharing");
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        while (team->generation == generation && !team->is_stopping) {
            pthread_cond_wait(&team->changed, &team->mutex);
        }
        if (team->is_stopping) {
            break;
        }
        generation = team->generation;
        pthread_mutex_unlock(&team->mutex);
        run_all(worker);
        pthread_mutex_lock(&team->mutex);
        if (--team->n_busy == 0) {
            pthread_cond_broadcast(&team->changed);
        }
    }
    pthread_mutex_unlock(&team->mutex);
    free(worker->rows.data);
    free(worker->work.data);
    return NULL;
}

void *phx_sharing_start(uint32_t n_threads) {
    struct team *team = calloc(1, sizeof(*team));
    if (!team || n_threads > MOST_THREADS) {
        free(team);
        return NULL;
    }
    team->process = getpid();
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->changed, NULL);
    sigset_t all, before; /* signals are for Python's threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; team->n_threads < n_threads; team->n_threads++) {
        struct worker *worker = &team->workers[team->n_threads];
        worker->team = team;
        if (pthread_create(&worker->thread, NULL, serve, worker)) {
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (team->n_threads == 0) {
        free(team);
        return NULL;
    }
    return team;
}

void phx_sharing_begin(void *given, const struct sharing_product *products, uint32_t n_products,
                       const uint64_t *buffers, uint32_t run, uint32_t patience_us, uint32_t grace_us) {
    struct team *team = given;
    if (team->n_next_tile < n_products) {
        free(team->next_tile);
        team->next_tile = malloc(n_products * sizeof(*team->next_tile));
        team->n_next_tile = team->next_tile ? n_products : 0;
    }
    team->products = products;
    team->n_products = n_products < team->n_next_tile ? n_products : (uint32_t)team->n_next_tile;
    team->buffers = buffers;
    team->run = run;
    for (uint32_t i = 0; i < n_products; i++) {
        struct phx_meeting_host *host = (void *)meeting_of(team, &products[i]);
        __atomic_store_n(&host->patience_us, patience_us, __ATOMIC_RELAXED);
        __atomic_store_n(&host->grace_us, grace_us, __ATOMIC_RELAXED);
        __atomic_store_n(&host->run, run, __ATOMIC_RELEASE);
    }
    if (team->n_products) {
        memset(team->next_tile, 0, team->n_products * sizeof(*team->next_tile));
    }
    for (uint32_t i = 0; i < team->n_threads; i++) {
        team->workers[i].counts = (struct sharing_counts){0};
    }
    __atomic_store_n(&team->is_ending, 0, __ATOMIC_RELAXED);
    pthread_mutex_lock(&team->mutex);
    team->n_busy = team->n_threads;
    team->generation++;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
}

void phx_sharing_finish(void *given, struct sharing_counts *counts) {
    struct team *team = given;
    *counts = (struct sharing_counts){0};
    if (team->process != getpid()) {
        return;
    }
    __atomic_store_n(&team->is_ending, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&team->mutex);
    while (team->n_busy) {
        pthread_cond_wait(&team->changed, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
    for (uint32_t i = 0; i < team->n_threads; i++) {
        const struct sharing_counts *one = &team->workers[i].counts;
        counts->n_meetings = one->n_meetings > counts->n_meetings ? one->n_meetings : counts->n_meetings;
        counts->n_tiles += one->n_tiles;
        counts->n_quantized += one->n_quantized;
        counts->busy_ns += one->busy_ns;
        counts->wait_ns += one->wait_ns;
    }
}

void phx_sharing_stop(void *given) {
    struct team *team = given;
    struct sharing_counts counts;
    if (!team || team->process != getpid()) {
        return;
    }
    phx_sharing_finish(team, &counts);
    pthread_mutex_lock(&team->mutex);
    team->is_stopping = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->mutex);
    for (uint32_t i = 0; i < team->n_threads; i++) {
        pthread_join(team->workers[i].thread, NULL);
    }
    pthread_mutex_destroy(&team->mutex);
    pthread_cond_destroy(&team->changed);
    free(team->next_tile);
    free(team);
}
