/* SPDX-License-Identifier: MIT */
#include "meeting.h"

#include "formats/tiles.h"
#include "ops/codes.h"
#include "ops/rolled.h"
#include "runtime/clock.h"
#include "runtime/libc.h"
#include "runtime/pause.h"
#include "runtime/qurt.h"

#define HEADS_BYTES (2 * PHX_MEETING_HEAD_BYTES)
/* Of the quantized rows of one form, so that the forms of a fused product fit in one chunk: mul_mat.c, mul_mat_id.c. */
#define MOST_ROW_BYTES (3u << 20)
#define MOST_EXPERT_ROW_BYTES (2u << 20)
#define IS_FIXED 0x80000000u /* in phx_meetings.n_left: the CPU has begun the last of the tiles that are left to it */

_Static_assert(PHX_MEETING_ROW_BYTES == PHX_TILE_ROWS * sizeof(float), "phx_meeting_tile");

/* --- The parts of a meeting --- */

static bool is_by_ids(const struct phx_call *call) {
    return call->type->code == PHX_OP_MUL_MAT_ID;
}

/* Returns the meeting of a product; NULL: the DSP computes all its tiles. */
static const struct phx_operand *meeting_of(const struct phx_call *call) {
    return call->src[is_by_ids(call) ? 3 : 2];
}

static uint32_t tile_bytes(uint32_t n_rows) {
    return PHX_MEETING_HEAD_BYTES + n_rows * PHX_MEETING_ROW_BYTES;
}

static uint32_t n_tiles_of(const struct phx_call *call) {
    uint32_t n_bytes = meeting_of(call)->view.ne[0] * (uint32_t)sizeof(uint32_t);
    return (n_bytes - HEADS_BYTES) / tile_bytes(phx_n_rows(&call->dst[0]->view));
}

static struct phx_meeting_host *host_of(const struct phx_call *call) {
    return (void *)meeting_of(call)->data;
}

static struct phx_meeting_dsp *dsp_of(const struct phx_call *call) {
    return (void *)(meeting_of(call)->data + PHX_MEETING_HEAD_BYTES);
}

static const struct phx_meeting_tile *tile_of(const struct phx_call *call, uint32_t number) {
    size_t each = tile_bytes(phx_n_rows(&call->dst[0]->view));
    return (const void *)(meeting_of(call)->data + HEADS_BYTES + number * each);
}

/* --- Caches --- */

static void clean(const void *data, size_t n_bytes) {
    qurt_mem_cache_clean((uintptr_t)data, n_bytes, QURT_MEM_CACHE_FLUSH, QURT_MEM_DCACHE);
}

static void invalidate(const void *data, size_t n_bytes) {
    qurt_mem_cache_clean((uintptr_t)data, n_bytes, QURT_MEM_CACHE_FLUSH_INVALIDATE, QURT_MEM_DCACHE);
}

/* --- Checking --- */

struct phx_mismatch phx_meeting_check(const struct phx_call *call) {
    struct phx_weight_plan *plan = (void *)call->plan;
    const struct phx_operand *meeting = meeting_of(call);
    const struct phx_tensor *w = &call->src[0]->view;
    struct phx_mismatch mismatch = phx_require_rows(meeting, PHX_I32);
    uint32_t n_rows = phx_n_rows(&call->dst[0]->view), n_x = phx_n_rows(&call->src[1]->view);
    uint32_t most_bytes = is_by_ids(call) ? MOST_EXPERT_ROW_BYTES : MOST_ROW_BYTES;
    if (mismatch.status) {
        return mismatch;
    }
    if (phx_n_rows(&meeting->view) != 1 || (w->ne[2] != 1 && !is_by_ids(call)) || w->ne[3] != 1 || n_rows == 0 ||
        n_rows > PHX_MEETING_MOST_ROWS || n_x * (uint64_t)plan->row_bytes > most_bytes) {
        return (struct phx_mismatch){PHX_E_SHAPE, meeting};
    }
    if ((uintptr_t)meeting->data % PHX_MEETING_HEAD_BYTES) {
        return (struct phx_mismatch){PHX_E_ALIGN, meeting};
    }
    uint64_t n_bytes = (uint64_t)meeting->view.ne[0] * sizeof(uint32_t), each = tile_bytes(n_rows);
    uint64_t n_tiles = n_bytes > HEADS_BYTES ? (n_bytes - HEADS_BYTES) / each : 0;
    if (n_tiles == 0 || n_tiles >= plan->n_tiles || n_bytes != HEADS_BYTES + n_tiles * each) {
        return (struct phx_mismatch){PHX_E_SHAPE, meeting};
    }
    plan->n_tiles -= (uint32_t)n_tiles;
    plan->mm.n = plan->n_tiles * PHX_TILE_ROWS;
    return PHX_MATCH;
}

bool phx_meeting_is_of(const struct phx_call *calls, uint32_t n_calls) {
    bool is_shared = false;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_calls; i++) {
        is_shared |= meeting_of(&calls[i]) != NULL;
    }
    return is_shared;
}

/* --- Running --- */

/* Cleans the ids of a MUL_MAT_ID, which an op before it may have written. */
static void clean_ids(const struct phx_call *call) {
    const struct phx_tensor *ids = &call->src[2]->view;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < ids->ne[1]; i++) {
        clean(call->src[2]->data + (size_t)i * ids->nb[1], ids->ne[0] * sizeof(uint32_t));
    }
}

void phx_meeting_open(struct phx_product *product) {
    const struct phx_call *calls = product->calls;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->plan.n_x; i++) {
        clean(product->x + product->x_offsets[i], (size_t)calls->src[1]->view.ne[0] * sizeof(float));
    }
    if (is_by_ids(calls)) {
        clean_ids(calls);
    }
    memset(&product->meetings, 0, sizeof(product->meetings));
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->plan.n_factors; i++) {
        if (!meeting_of(&calls[i])) {
            continue;
        }
        struct phx_meeting_host *host = host_of(&calls[i]);
        struct phx_meeting_dsp *dsp = dsp_of(&calls[i]);
        invalidate(host, sizeof(*host));
        product->meetings.run[i] = __atomic_load_n(&host->run, __ATOMIC_RELAXED);
        uint64_t patience_us = __atomic_load_n(&host->patience_us, __ATOMIC_RELAXED);
        uint64_t grace_us = __atomic_load_n(&host->grace_us, __ATOMIC_RELAXED);
        patience_us = patience_us < PHX_MEETING_MOST_PATIENCE_US ? patience_us : PHX_MEETING_MOST_PATIENCE_US;
        product->meetings.patience_ns = patience_us * 1000;
        product->meetings.grace_ns = (grace_us < patience_us ? grace_us : patience_us) * 1000;
        product->meetings.n_left[i] = n_tiles_of(&calls[i]);
        dsp->n_left = product->meetings.n_left[i];
        __atomic_store_n(&dsp->reached, product->meetings.run[i], __ATOMIC_RELEASE);
        clean(dsp, sizeof(*dsp));
    }
}

/* Returns the time until which threads wait. It starts to run when the first thread has to wait. */
static uint64_t end_of(uint64_t *end_ns, uint64_t now, uint64_t wait_ns) {
    uint64_t end = __atomic_load_n(end_ns, __ATOMIC_RELAXED);
    if (end == 0) {
        bool is_first = __atomic_compare_exchange_n(end_ns, &end, now + wait_ns, false, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED);
        return is_first ? now + wait_ns : end;
    }
    return end;
}

/* Returns whether the CPU has stored the run's number in a flag of a tile. */
static bool is_set(const struct phx_meeting_tile *tile, const uint32_t *flag, uint32_t run) {
    invalidate(tile, sizeof(*tile));
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) == run;
}

/* Waits until the CPU has set a flag of a tile. Returns false if it has not done so until the end of the wait. */
static bool await_flag(struct phx_meetings *meetings, uint32_t thread, const struct phx_meeting_tile *tile,
                       const uint32_t *flag, uint32_t run, uint64_t *end_ns, uint64_t most_ns) {
    if (is_set(tile, flag, run)) {
        return true;
    }
    uint64_t start = phx_now_ns(), end = end_of(end_ns, start, most_ns), now = start;
    bool done = false;
    PHX_KEEP_ROLLED
    for (uint32_t i = 1; !done && now < end; i++) {
        if (i % PHX_POLLS_PER_YIELD == 0) {
            qurt_yield();
        } else {
            phx_pause();
        }
        done = is_set(tile, flag, run);
        now = phx_now_ns();
    }
    uint64_t wait_ns = meetings->wait_ns[thread] + (now - start);
    meetings->wait_ns[thread] = wait_ns < UINT32_MAX ? (uint32_t)wait_ns : UINT32_MAX;
    return done;
}

/* Returns the first column of a tile of the CPU, and their number. */
static uint32_t columns_of(const struct phx_product *product, uint32_t i, uint32_t number, uint32_t *n_columns) {
    uint32_t first = (product->plan.weights[i]->n_tiles + number) * PHX_TILE_ROWS;
    uint32_t n_left = product->calls[i].dst[0]->view.ne[0] - first;
    *n_columns = n_left < PHX_TILE_ROWS ? n_left : PHX_TILE_ROWS;
    return first;
}

/* Copies the results of a tile of the CPU. */
static void copy_tile(const struct phx_product *product, uint32_t i, uint32_t number,
                      const struct phx_meeting_tile *tile) {
    const struct phx_factor *factor = &product->factors[i];
    const uint8_t *results = (const uint8_t *)tile + PHX_MEETING_HEAD_BYTES;
    uint32_t n_columns, first = columns_of(product, i, number, &n_columns), n_rows = product->plan.n_places;
    bool is_sorted = is_by_ids(product->calls);
    invalidate(results, n_rows * PHX_MEETING_ROW_BYTES);
    PHX_KEEP_ROLLED
    for (uint32_t place = 0; place < n_rows; place++) {
        uint32_t row = is_sorted ? product->place_rows[place] : place;
        memcpy(factor->dst + factor->dst_offsets[place] + first * sizeof(float), results + row * PHX_MEETING_ROW_BYTES,
               n_columns * sizeof(float));
    }
}

/* Computes a tile in the CPU's place. */
static void take_back(struct phx_product *product, uint32_t thread, uint32_t i, uint32_t number, void *work) {
    const struct phx_factor *factor = &product->factors[i];
    const struct phx_form *form = &product->forms[product->plan.forms[i]];
    const struct phx_weight_plan *weight = product->plan.weights[i];
    struct phx_matmul mm = weight->mm;
    uint32_t first = columns_of(product, i, number, &mm.n);
    const uint8_t *tile = mm.tiles + (size_t)(weight->n_tiles + number) * mm.tile_bytes;
    PHX_KEEP_ROLLED
    for (uint32_t j = 0; j < product->n_runs; j++) {
        const struct phx_run *run = &product->runs[j];
        struct phx_rows rows = {.n = run->n_rows,
                                .x = form->rows,
                                .x_offsets = form->row_offsets + run->first,
                                .dst = factor->dst + first * sizeof(float),
                                .dst_offsets = factor->dst_offsets + run->first};
        mm.tiles = tile + run->matrix * weight->matrix_bytes;
        weight->kernel->multiply(&mm, &rows, 0, 1, work);
    }
    product->meetings.n_taken[thread][i] += mm.n;
}

/* Takes tiles from the last one on, until the CPU has begun the last that is left. */
static void take_unbegun(struct phx_product *product, uint32_t thread, uint32_t i, void *work) {
    const struct phx_call *call = &product->calls[i];
    struct phx_meetings *meetings = &product->meetings;
    uint32_t n = __atomic_load_n(&meetings->n_left[i], __ATOMIC_RELAXED);
    PHX_KEEP_ROLLED
    while (n && !(n & IS_FIXED)) {
        const struct phx_meeting_tile *tile = tile_of(call, n - 1);
        bool is_begun = await_flag(meetings, thread, tile, &tile->begun, meetings->run[i], &meetings->grace_end_ns,
                                   meetings->grace_ns);
        uint32_t next = is_begun ? n | IS_FIXED : n - 1;
        if (!__atomic_compare_exchange_n(&meetings->n_left[i], &n, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            continue; /* with the number that another thread has stored */
        }
        if (!is_begun) {
            struct phx_meeting_dsp *dsp = dsp_of(call);
            __atomic_store_n(&dsp->n_left, next, __ATOMIC_RELAXED);
            clean(dsp, sizeof(*dsp));
            take_back(product, thread, i, next, work);
        }
        n = next;
    }
}

void phx_meeting_collect(struct phx_product *product, uint32_t thread, uint32_t n_threads, void *work) {
    struct phx_meetings *meetings = &product->meetings;
    uint32_t n_factors = product->plan.n_factors;
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        take_unbegun(product, thread, i, work);
    }
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < n_factors; i++) {
        uint32_t n_left = __atomic_load_n(&meetings->n_left[i], __ATOMIC_RELAXED) & ~IS_FIXED;
        PHX_KEEP_ROLLED
        for (uint32_t j = thread; j < n_left; j += n_threads) {
            const struct phx_meeting_tile *tile = tile_of(&product->calls[i], j);
            if (await_flag(meetings, thread, tile, &tile->done, meetings->run[i], &meetings->patience_end_ns,
                           meetings->patience_ns)) {
                copy_tile(product, i, j, tile);
            } else {
                take_back(product, thread, i, j, work);
            }
        }
    }
}

void phx_meeting_close(struct phx_product *product) {
    PHX_KEEP_ROLLED
    for (uint32_t i = 0; i < product->plan.n_factors; i++) {
        const struct phx_call *call = &product->calls[i];
        if (!meeting_of(call)) {
            continue;
        }
        struct phx_meeting_dsp *dsp = dsp_of(call);
        uint32_t n_taken = 0, wait_ns = 0;
        PHX_KEEP_ROLLED
        for (uint32_t j = 0; j < PHX_MAX_THREADS; j++) {
            n_taken += product->meetings.n_taken[j][i];
            wait_ns = product->meetings.wait_ns[j] > wait_ns ? product->meetings.wait_ns[j] : wait_ns;
        }
        dsp->n_taken = n_taken;
        dsp->wait_ns = wait_ns;
        __atomic_store_n(&dsp->closed, product->meetings.run[i], __ATOMIC_RELEASE);
        clean(dsp, sizeof(*dsp));
    }
}
