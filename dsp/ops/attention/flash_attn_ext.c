/* SPDX-License-Identifier: MIT
 *
 * FLASH_ATTN_EXT: rows of queries over a cache of keys and values. A block is up to 4 heads of one row that share a KV
 * head. Blocks are dealt to the threads one by one: the later a row, the more it sees.
 */
#include "attention.h"
#include "ops/executor.h"
#include "pages.h"

#define MAX_BYTES (1u << 30) /* of scratch memory */

struct phx_flash_attn_plan {
    struct phx_attention op;
    struct phx_paged paged;
    const struct phx_operand *lengths, *sinks, *slopes, *mask;
    const struct phx_attention_kernel *kernel;
    uint32_t window; /* 0: none */
    uint32_t group;  /* query heads of a KV head */
};
_Static_assert(sizeof(struct phx_flash_attn_plan) <= sizeof(((struct phx_call *)0)->plan), "phx_call.plan");

/* What a row sees: positions first..end-1 of a sequence; none if end is 0. */
struct row {
    uint32_t sequence;
    uint32_t first, end;
    uint32_t position;
};

/* Pages of a sequence that have been looked up: from the first that a row needs to the last. */
struct looked_up {
    uint32_t first, end;
    bool has_gaps;
};

struct job {
    const struct phx_call *call;
    const struct phx_flash_attn_plan *plan;
    uint32_t *pages; /* of each sequence, as many as the table has */
    struct looked_up *looked_up;
    struct row *rows;
    uint8_t *work;
    size_t work_bytes;
};

static bool is_one_row(const struct phx_operand *operand, uint32_t n) {
    const uint32_t *ne = operand->view.ne;
    return ne[0] == n && ne[1] == 1 && ne[2] == 1 && ne[3] == 1;
}

/* Lengths of sequences, sinks or slopes of heads, a mask: those that there are. */
static struct phx_misfit check_others(const struct phx_flash_attn_plan *plan, const struct phx_call *call) {
    const struct phx_operand *lengths = call->src[5], *of_heads = call->src[6], *mask = call->src[7];
    const uint32_t *q = call->src[0]->view.ne;
    struct phx_misfit misfit = PHX_FITS;
    if (lengths) {
        misfit = phx_want_rows(lengths, PHX_I32);
        if (!misfit.status && !is_one_row(lengths, plan->paged.table->view.ne[1])) {
            misfit.status = PHX_E_SHAPE;
        }
    }
    if (!misfit.status && of_heads) {
        misfit = phx_want_rows(of_heads, PHX_F32);
        if (!misfit.status && !is_one_row(of_heads, q[1])) {
            misfit.status = PHX_E_SHAPE;
        }
    }
    if (!misfit.status && mask) {
        misfit = phx_want_rows(mask, mask->view.dtype == PHX_F16 ? PHX_F16 : PHX_F32);
        const uint32_t *ne = mask->view.ne;
        if (!misfit.status && (ne[0] == 0 || ne[1] != q[2] || ne[2] != 1 || ne[3] != 1)) {
            misfit.status = PHX_E_SHAPE;
        }
    }
    return misfit.status ? misfit : PHX_FITS;
}

static bool are_params_right(const struct phx_flash_attn_ext_params *params) {
    return params->scale >= 0 && params->scale < __builtin_inff() && params->window <= INT32_MAX &&
           params->slopes <= 1 &&
           (params->softcap == 0 || (params->softcap >= PHX_SOFTCAP_LEAST && params->softcap <= PHX_SOFTCAP_MOST));
}

struct phx_misfit phx_flash_attn_ext_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_flash_attn_plan *plan = (void *)call->plan;
    const struct phx_flash_attn_ext_params *params = call->params;
    const struct phx_operand *q = call->src[0];
    struct phx_misfit misfit = phx_want_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!misfit.status) {
        misfit = phx_want_rows(q, PHX_F32);
    }
    if (!misfit.status) {
        misfit = phx_want_cache(call->src[1]);
    }
    if (misfit.status) {
        return misfit;
    }
    plan->op.cache = phx_cache_of(call->src[1]);
    const uint32_t *ne = q->view.ne, n_heads = plan->op.cache.n_heads;
    if (!phx_cache_takes(&plan->op.cache, ne[0]) || ne[1] == 0 || ne[1] % n_heads || ne[3] != 1) {
        return (struct phx_misfit){PHX_E_SHAPE, q};
    }
    if (!phx_same_shape(&q->view, &call->dst[0]->view)) {
        return (struct phx_misfit){PHX_E_SHAPE, call->dst[0]};
    }
    plan->paged = (struct phx_paged){call->src[2], call->src[3], call->src[4]};
    misfit = phx_paged_check(&plan->paged, ne[2]);
    if (!misfit.status) {
        misfit = check_others(plan, call);
    }
    if (misfit.status) {
        return misfit;
    }
    if (!are_params_right(params)) {
        return (struct phx_misfit){PHX_E_PARAM, NULL};
    }
    plan->lengths = call->src[5];
    plan->sinks = params->slopes ? NULL : call->src[6];
    plan->slopes = params->slopes ? call->src[6] : NULL;
    plan->mask = call->src[7];
    plan->kernel = phx_attention_kernel(call->kernels);
    plan->window = params->window;
    plan->group = ne[1] / n_heads;
    plan->op.width = ne[0];
    phx_attention_set_scale(&plan->op, params->scale);
    phx_attention_set_softcap(&plan->op, params->softcap);
    return PHX_FITS;
}

/* --- What rows see --- */

static uint32_t see(const struct phx_flash_attn_plan *plan, uint32_t number, struct row *row) {
    int64_t position = phx_number(plan->paged.positions, number), first = 0, end = position + 1;
    *row = (struct row){0, 0, 0, (uint32_t)position};
    if (position < 0) {
        return PHX_OK;
    }
    if (!phx_sequence_of(&plan->paged, number, &row->sequence)) {
        return PHX_E_INDEX;
    }
    if (plan->lengths) {
        int64_t length = phx_number(plan->lengths, row->sequence), half = plan->window / 2;
        first = plan->window && position > half ? position - half : 0;
        end = plan->window && position + half + 1 < length ? position + half + 1 : length;
    } else if (plan->window && end > plan->window) {
        first = end - plan->window;
    }
    if (end > (int64_t)plan->paged.table->view.ne[0] * PHX_TILE_ROWS ||
        (plan->mask && end > (int64_t)plan->mask->view.ne[0])) {
        return PHX_E_INDEX;
    }
    if (first < end) {
        row->first = (uint32_t)first;
        row->end = (uint32_t)end;
    }
    return PHX_OK;
}

/* Looks up pages first..end-1 of a sequence. Only rows say which are needed, so a missing one is a gap here. */
static void look_up(const struct job *job, uint32_t sequence, uint32_t first, uint32_t end) {
    uint32_t *pages = job->pages + sequence * job->plan->paged.table->view.ne[0];
    for (uint32_t i = first; i < end; i++) {
        pages[i] = phx_page_offset(&job->plan->paged, &job->plan->op.cache, sequence, i);
        job->looked_up[sequence].has_gaps |= pages[i] == PHX_NO_PAGE;
    }
}

static uint32_t find_pages(const struct job *job, const struct row *row) {
    struct looked_up *known = &job->looked_up[row->sequence];
    uint32_t first = row->first / PHX_TILE_ROWS, end = (row->end - 1) / PHX_TILE_ROWS + 1;
    if (known->first == known->end) {
        known->first = known->end = first;
    }
    if (first < known->first) {
        look_up(job, row->sequence, first, known->first);
        known->first = first;
    }
    if (end > known->end) {
        look_up(job, row->sequence, known->end, end);
        known->end = end;
    }
    const uint32_t *pages = job->pages + row->sequence * job->plan->paged.table->view.ne[0];
    for (uint32_t i = first; known->has_gaps && i < end; i++) {
        if (pages[i] == PHX_NO_PAGE) {
            return PHX_E_INDEX;
        }
    }
    return PHX_OK;
}

/* --- Running --- */

static void clear_row(const struct phx_operand *dst, uint32_t head, uint32_t n_heads, uint32_t row) {
    for (uint32_t i = head; i < head + n_heads; i++) {
        memset(dst->data + i * dst->view.nb[1] + row * dst->view.nb[2], 0, dst->view.ne[0] * sizeof(float));
    }
}

static void attend_block(const struct job *job, uint32_t kv_head, uint32_t number, uint32_t first_head, void *work) {
    const struct phx_flash_attn_plan *plan = job->plan;
    const struct phx_operand *q = job->call->src[0], *dst = job->call->dst[0];
    const struct row *row = &job->rows[number];
    uint32_t left = plan->group - first_head, head = kv_head * plan->group + first_head;
    struct phx_heads heads = {
        .q = q->data + head * q->view.nb[1] + number * q->view.nb[2],
        .q_step = q->view.nb[1],
        .dst = dst->data + head * dst->view.nb[1] + number * dst->view.nb[2],
        .dst_step = dst->view.nb[1],
        .n_heads = left < PHX_HEADS_AT_ONCE ? left : PHX_HEADS_AT_ONCE,
        .tiles = plan->op.cache.data + kv_head * 2 * plan->op.cache.tile_bytes,
        .pages = job->pages + row->sequence * plan->paged.table->view.ne[0],
        .first = row->first,
        .end = row->end,
        .position = row->position,
        .mask = plan->mask ? plan->mask->data + number * plan->mask->view.nb[1] : NULL,
        .mask_is_f16 = plan->mask && plan->mask->view.dtype == PHX_F16,
    };
    int32_t sinks[PHX_HEADS_AT_ONCE];
    uint32_t slopes[PHX_HEADS_AT_ONCE];
    if (plan->sinks) {
        for (uint32_t i = 0; i < heads.n_heads; i++) {
            uint32_t bits = (uint32_t)phx_number(plan->sinks, head + i);
            sinks[i] = phx_logit_of(bits);
            heads.special |= (uint32_t)((bits << 1) > 0xff000000u) << i; /* NaN */
        }
        heads.sinks = sinks;
    }
    if (plan->slopes) {
        for (uint32_t i = 0; i < heads.n_heads; i++) {
            slopes[i] = (uint32_t)phx_number(plan->slopes, head + i);
            heads.special |= (uint32_t)((slopes[i] << 1) >= 0xff000000u) << i; /* NaN or infinite */
        }
        heads.slopes = slopes;
    }
    if (row->end == 0) {
        clear_row(dst, head, heads.n_heads, number);
    } else {
        plan->kernel->attend(&plan->op, &heads, work);
    }
}

static void attend_blocks(void *argument, uint32_t thread, uint32_t n_threads) {
    const struct job *job = argument;
    const struct phx_flash_attn_plan *plan = job->plan;
    uint32_t n_rows = job->call->src[0]->view.ne[2], turn = 0;
    void *work = job->work + thread * job->work_bytes;
    for (uint32_t kv_head = 0; kv_head < plan->op.cache.n_heads; kv_head++) {
        for (uint32_t row = 0; row < n_rows; row++) {
            for (uint32_t head = 0; head < plan->group; head += PHX_HEADS_AT_ONCE) {
                if (turn == thread) {
                    attend_block(job, kv_head, row, head, work);
                }
                turn = turn + 1 == n_threads ? 0 : turn + 1;
            }
        }
    }
}

/* Reads all numbers; the most tiles that a row sees. */
static uint32_t find_rows(const struct job *job, uint32_t n_rows, uint32_t *most) {
    *most = 0;
    for (uint32_t i = 0; i < n_rows; i++) {
        struct row *row = &job->rows[i];
        uint32_t status = see(job->plan, i, row);
        if (!status && row->end) {
            status = find_pages(job, row);
            uint32_t n_tiles = (row->end - 1) / PHX_TILE_ROWS + 1 - row->first / PHX_TILE_ROWS;
            *most = n_tiles > *most ? n_tiles : *most;
        }
        if (status) {
            return status;
        }
    }
    return PHX_OK;
}

static size_t round_up(size_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

uint32_t phx_flash_attn_ext_run(struct phx_executor *executor, const struct phx_call *call,
                                struct phx_op_record *record) {
    const struct phx_flash_attn_plan *plan = (const void *)call->plan;
    const uint32_t *table = plan->paged.table->view.ne, n_rows = call->src[0]->view.ne[2];
    record->kernels = plan->kernel->kernels;
    record->n_threads = 1;
    if (call->dst[0]->n_bytes == 0) {
        return PHX_OK;
    }
    uint64_t n_blocks = (uint64_t)n_rows * plan->op.cache.n_heads * ((plan->group + 3) / 4);
    uint32_t n_threads = n_blocks < executor->pool->n_threads ? (uint32_t)n_blocks : executor->pool->n_threads;
    struct job job = {.call = call, .plan = plan};
    job.work_bytes = round_up(plan->kernel->work_bytes(&plan->op.cache, table[0]));
    uint64_t n_bytes = (uint64_t)n_threads * job.work_bytes + (uint64_t)table[1] * sizeof(struct looked_up) +
                       (uint64_t)table[0] * table[1] * sizeof(uint32_t) + (uint64_t)n_rows * sizeof(struct row);
    uint8_t *memory = n_bytes <= MAX_BYTES ? phx_area_reserve(executor->scratch, (size_t)n_bytes) : NULL;
    if (!memory) {
        return PHX_E_NO_MEMORY;
    }
    job.work = memory;
    job.pages = (void *)(memory + n_threads * job.work_bytes);
    job.looked_up = (void *)(job.pages + table[0] * table[1]);
    job.rows = (void *)(job.looked_up + table[1]);
    memset(job.looked_up, 0, table[1] * sizeof(*job.looked_up));
    uint32_t most, status = find_rows(&job, n_rows, &most);
    if (status) {
        return status;
    }
    record->n_threads = n_threads;
    phx_pool_run(executor->pool, n_threads, attend_blocks, &job);
    return PHX_OK;
}
