/* SPDX-License-Identifier: MIT
 *
 * FLASH_ATTN_EXT: attention of query rows over a KV cache.
 */
#include "blocks.h"
#include "ops/executor.h"
#include "runtime/fetch.h"

PHX_DECLARE_CHECK(flash_attn_ext)
PHX_DECLARE_RUN(flash_attn_ext)

#define MAX_BYTES (1u << 30) /* limit of scratch memory */

static bool is_one_row(const struct phx_operand *operand, uint32_t n) {
    const uint32_t *ne = operand->view.ne;
    return ne[0] == n && ne[1] == 1 && ne[2] == 1 && ne[3] == 1;
}

/* Checks the optional operands: lengths of sequences, sinks or slopes per head, a mask. */
static struct phx_mismatch check_optional(const struct phx_flash_attn_plan *plan, const struct phx_call *call) {
    const struct phx_operand *lengths = call->src[5], *of_heads = call->src[6], *mask = call->src[7];
    const struct phx_flash_attn_ext_params *params = call->params;
    const uint32_t *q = call->src[0]->view.ne;
    struct phx_mismatch mismatch = PHX_MATCH;
    if (lengths) {
        mismatch = phx_require_rows(lengths, PHX_I32);
        if (!mismatch.status && !is_one_row(lengths, plan->paged.table->view.ne[1])) {
            mismatch.status = PHX_E_SHAPE;
        }
    }
    if (!mismatch.status && of_heads) {
        mismatch = phx_require_rows(of_heads, PHX_F32);
        if (!mismatch.status && !is_one_row(of_heads, params->slopes == PHX_SINKS_AND_SLOPES ? 2 * q[1] : q[1])) {
            mismatch.status = PHX_E_SHAPE;
        }
    }
    if (!mismatch.status && mask) {
        mismatch = phx_require_rows(mask, mask->view.dtype == PHX_F16 ? PHX_F16 : PHX_F32);
        const uint32_t *ne = mask->view.ne;
        if (!mismatch.status && (ne[0] == 0 || ne[1] != q[2] || ne[2] != 1 || ne[3] != 1)) {
            mismatch.status = PHX_E_SHAPE;
        }
    }
    return mismatch.status ? mismatch : PHX_MATCH;
}

static bool are_params_valid(const struct phx_flash_attn_ext_params *params) {
    return params->scale >= 0 && params->scale < __builtin_inff() && params->window <= INT32_MAX &&
           params->slopes <= PHX_SINKS_AND_SLOPES &&
           (params->softcap == 0 || (params->softcap >= PHX_SOFTCAP_MIN && params->softcap <= PHX_SOFTCAP_MAX));
}

struct phx_mismatch phx_flash_attn_ext_check(const struct phx_executor *executor, struct phx_call *call) {
    struct phx_flash_attn_plan *plan = (void *)call->plan;
    const struct phx_flash_attn_ext_params *params = call->params;
    const struct phx_operand *q = call->src[0];
    struct phx_mismatch mismatch = phx_require_rows(call->dst[0], PHX_F32);
    (void)executor;
    if (!mismatch.status) {
        mismatch = phx_require_rows(q, PHX_F32);
    }
    if (!mismatch.status) {
        mismatch = phx_require_cache(call->src[1]);
    }
    if (mismatch.status) {
        return mismatch;
    }
    plan->op.cache = phx_cache_of(call->src[1]);
    const uint32_t *ne = q->view.ne, n_heads = plan->op.cache.n_heads;
    if (!phx_cache_takes(&plan->op.cache, ne[0]) || ne[1] == 0 || ne[1] % n_heads || ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, q};
    }
    if (!phx_same_shape(&q->view, &call->dst[0]->view)) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    plan->paged = (struct phx_paged){call->src[2], call->src[3], call->src[4]};
    mismatch = phx_paged_check(&plan->paged, ne[2]);
    if (!mismatch.status) {
        mismatch = check_optional(plan, call);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (!are_params_valid(params)) {
        return (struct phx_mismatch){PHX_E_PARAM, NULL};
    }
    if (phx_exceeds_limit(q, call->src[2]->view.ne[0] * 64)) { /* tokens of a page */
        return (struct phx_mismatch){PHX_E_SHAPE, q};
    }
    plan->lengths = call->src[5];
    plan->sinks = params->slopes == PHX_SLOPES ? NULL : call->src[6];
    plan->slopes = params->slopes == PHX_SINKS ? NULL : call->src[6];
    plan->first_slope = params->slopes == PHX_SINKS_AND_SLOPES ? ne[1] : 0;
    plan->mask = call->src[7];
    plan->kernel = phx_attention_kernel(call->kernels);
    plan->window = params->window;
    plan->group = ne[1] / n_heads;
    plan->op.width = ne[0];
    /* In prefill most blocks read tiles that the L2 cache holds already. F16 caches: docs/attention.md, 13. */
    bool is_decode = ne[2] <= plan->paged.table->view.ne[1];
    phx_attention_set_fetching(&plan->op, PHX_CAN_FETCH && is_decode && plan->op.cache.dtype != PHX_F16);
    plan->fixed = phx_fixed_costs_of(&plan->op.cache);
    phx_attention_set_scale(&plan->op, params->scale);
    phx_attention_set_softcap(&plan->op, params->softcap);
    return PHX_MATCH;
}

/* --- What rows attend to --- */

static uint32_t find_visible(const struct phx_flash_attn_plan *plan, uint32_t number, struct phx_visible_row *row) {
    int64_t position = phx_number(plan->paged.positions, number), first = 0, end = position + 1;
    *row = (struct phx_visible_row){0, 0, 0, (uint32_t)position};
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

/* Translates pages first..end-1 of a sequence. An invalid page is only noted here, because a row may not need it. */
static void translate(const struct phx_attention_job *job, uint32_t sequence, uint32_t first, uint32_t end) {
    const struct phx_paged *paged = &job->plan->paged;
    uint32_t *pages = job->pages + sequence * paged->table->view.ne[0] + first;
    const uint8_t *numbers = phx_page_number(paged, sequence, first);
    job->translated[sequence].has_gaps |= job->plan->kernel->translate(&job->plan->op.cache, numbers, end - first,
                                                                       pages);
}

static uint32_t find_pages(const struct phx_attention_job *job, const struct phx_visible_row *row) {
    struct phx_translated *known = &job->translated[row->sequence];
    uint32_t first = row->first / PHX_TILE_ROWS, end = (row->end - 1) / PHX_TILE_ROWS + 1;
    if (known->first == known->end) {
        known->first = known->end = first;
    }
    if (first < known->first) {
        translate(job, row->sequence, first, known->first);
        known->first = first;
    }
    if (end > known->end) {
        translate(job, row->sequence, known->end, end);
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

/* --- Blocks --- */

static void clear_row(const struct phx_operand *dst, uint32_t head, uint32_t n_heads, uint32_t row) {
    for (uint32_t i = head; i < head + n_heads; i++) {
        memset(dst->data + i * dst->view.nb[1] + row * dst->view.nb[2], 0, dst->view.ne[0] * sizeof(float));
    }
}

static void read_sinks(const struct phx_operand *sinks, uint32_t head, struct phx_block *block) {
    for (uint32_t i = 0; i < block->heads.n_heads; i++) {
        uint32_t bits = (uint32_t)phx_number(sinks, head + i);
        block->sinks[i] = phx_logit_of(bits);
        block->heads.special |= (uint32_t)((bits << 1) > 0xff000000u) << i; /* NaN */
    }
    block->heads.sinks = block->sinks;
}

static void read_slopes(const struct phx_operand *slopes, uint32_t head, struct phx_block *block) {
    for (uint32_t i = 0; i < block->heads.n_heads; i++) {
        block->slopes[i] = (uint32_t)phx_number(slopes, head + i);
        block->heads.special |= (uint32_t)((block->slopes[i] << 1) >= 0xff000000u) << i; /* NaN or infinite */
    }
    block->heads.slopes = block->slopes;
}

void phx_read_block(const struct phx_attention_job *job, uint32_t kv_head, uint32_t number, uint32_t first_head,
                    struct phx_block *block) {
    const struct phx_flash_attn_plan *plan = job->plan;
    const struct phx_operand *q = job->call->src[0], *dst = job->call->dst[0];
    const struct phx_visible_row *row = &job->rows[number];
    uint32_t remaining = plan->group - first_head, head = kv_head * plan->group + first_head;
    block->heads = (struct phx_heads){
        .q = q->data + head * q->view.nb[1] + number * q->view.nb[2],
        .q_step = q->view.nb[1],
        .dst = dst->data + head * dst->view.nb[1] + number * dst->view.nb[2],
        .dst_step = dst->view.nb[1],
        .n_heads = remaining < PHX_HEADS_PER_BLOCK ? remaining : PHX_HEADS_PER_BLOCK,
        .tiles = plan->op.cache.data + kv_head * 2 * plan->op.cache.tile_bytes,
        .pages = job->pages + row->sequence * plan->paged.table->view.ne[0],
        .first = row->first,
        .end = row->end,
        .position = row->position,
        .mask = plan->mask ? plan->mask->data + number * plan->mask->view.nb[1] : NULL,
        .mask_is_f16 = plan->mask && plan->mask->view.dtype == PHX_F16,
    };
    if (plan->sinks) {
        read_sinks(plan->sinks, head, block);
    }
    if (plan->slopes) {
        read_slopes(plan->slopes, plan->first_slope + head, block);
    }
}

static void attend_block(const struct phx_attention_job *job, uint32_t kv_head, uint32_t number, uint32_t first_head,
                         void *work) {
    struct phx_block block;
    phx_read_block(job, kv_head, number, first_head, &block);
    if (job->rows[number].end == 0) {
        clear_row(job->call->dst[0], kv_head * job->plan->group + first_head, block.heads.n_heads, number);
    } else {
        job->plan->kernel->attend(&job->plan->op, &block.heads, work);
    }
}

static void attend_assigned(const struct phx_attention_job *job, uint32_t thread) {
    const struct phx_flash_attn_plan *plan = job->plan;
    uint32_t n_rows = job->call->src[0]->view.ne[2], turns[2] = {0, 0}, n_done[2] = {0, 0};
    void *work = job->work + thread * job->work_bytes;
    for (uint32_t kv_head = 0; kv_head < plan->op.cache.n_heads; kv_head++) {
        for (uint32_t row = 0; row < n_rows; row++) {
            for (uint32_t head = 0; head < plan->group; head += PHX_HEADS_PER_BLOCK) {
                uint32_t is_partial_block = plan->group - head < PHX_HEADS_PER_BLOCK, turn = turns[is_partial_block];
                turns[is_partial_block] = turn + 1 == job->n_threads ? 0 : turn + 1;
                if (turn == thread && n_done[is_partial_block] < job->n_assigned[is_partial_block]) {
                    attend_block(job, kv_head, row, head, work);
                }
                n_done[is_partial_block]++;
            }
        }
    }
}

/* Runs whole blocks of the remainder, then this thread's parts of split blocks, in which all threads meet at
 * barriers. */
static void attend_remainder(const struct phx_attention_job *job, uint32_t thread) {
    const struct phx_flash_attn_plan *plan = job->plan;
    struct phx_part parts[PHX_PARTS_OF_A_THREAD];
    uint32_t n_parts = 0, n_remaining = job->n_remaining[0] + job->n_remaining[1];
    for (uint32_t i = 0; i < n_remaining; i++) {
        const struct phx_remaining_block *remaining = &job->remaining[i];
        uint32_t index = thread - remaining->thread; /* wraps to a value >= n_parts for lower threads */
        if (index >= remaining->n_parts) {
            continue;
        }
        if (remaining->n_parts == 1) {
            attend_block(job, remaining->kv_head, remaining->row, remaining->head, remaining->work);
        } else {
            parts[n_parts++] = (struct phx_part){
                &remaining->block.heads,
                remaining->work,
                index,
                remaining->n_parts,
                {remaining->starts[0] + index, remaining->starts[1] + index, remaining->starts[2] + index},
            };
        }
    }
    if (job->is_split) {
        plan->kernel->attend_parts(&plan->op, parts, n_parts, job->pool, thread);
    }
}

/* Reads positions, sequences and lengths of all rows, but no pages. */
static uint32_t find_rows(const struct phx_attention_job *job, uint32_t n_rows) {
    uint32_t status = PHX_OK;
    for (uint32_t i = 0; i < n_rows && !status; i++) {
        status = find_visible(job->plan, i, &job->rows[i]);
    }
    return status;
}

static uint32_t find_pages_of_rows(const struct phx_attention_job *job) {
    uint32_t status = PHX_OK, n_rows = job->call->src[0]->view.ne[2];
    for (uint32_t i = 0; i < n_rows && !status; i++) {
        if (job->rows[i].end) {
            status = find_pages(job, &job->rows[i]);
        }
    }
    return status;
}

/* Prepares q of a block as thread index of n. */
static void prepare_block(const struct phx_attention_job *job, struct phx_remaining_block *remaining, uint32_t index,
                          uint32_t n) {
    struct phx_block own, *block = index == 0 ? &remaining->block : &own;
    phx_read_block(job, remaining->kv_head, remaining->row, remaining->head, block);
    job->plan->kernel->prepare(&job->plan->op, &block->heads, remaining->work, index, n);
}

/* Thread 0 translates pages, the others prepare q of split blocks, and one of them splits these. */
static void prepare(struct phx_attention_job *job, uint32_t thread, uint32_t n_threads) {
    uint32_t n_remaining = job->n_remaining[0] + job->n_remaining[1];
    if (thread == 0) {
        job->status = find_pages_of_rows(job);
        return;
    }
    if (n_remaining == 1 && job->plan->fixed.shared_query) {
        prepare_block(job, &job->remaining[0], thread - 1, n_threads - 1);
    } else {
        for (uint32_t i = thread - 1; i < n_remaining; i += n_threads - 1) {
            prepare_block(job, &job->remaining[i], 0, 1);
        }
    }
    if (thread == phx_splitting_thread(n_threads)) {
        phx_split_remainder(job, n_threads);
    }
}

static void attend(void *argument, uint32_t thread, uint32_t n_threads) {
    struct phx_attention_job *job = argument;
    if (job->is_split) {
        prepare(job, thread, n_threads);
        phx_pool_barrier(job->pool, thread);
        if (job->status) {
            return;
        }
    }
    if (job->n_assigned[0] + job->n_assigned[1]) {
        attend_assigned(job, thread);
    }
    attend_remainder(job, thread);
}

/* --- Running --- */

static size_t round_up(size_t n) {
    return (n + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
}

/* --- Entry --- */

uint32_t phx_flash_attn_ext_run(struct phx_executor *executor, const struct phx_call *call,
                                struct phx_op_record *record) {
    const struct phx_flash_attn_plan *plan = (const void *)call->plan;
    const uint32_t *table = plan->paged.table->view.ne, n_rows = call->src[0]->view.ne[2];
    record->kernels = plan->kernel->kernels;
    record->n_threads = 1;
    if (call->dst[0]->n_bytes == 0) {
        return PHX_OK;
    }
    struct phx_attention_job job = {
        .call = call, .plan = plan, .pool = executor->pool, .n_threads = executor->pool->n_threads};
    uint32_t n_remaining = phx_assign_blocks(&job), n_assigned = job.n_assigned[0] + job.n_assigned[1];
    job.work_bytes = n_assigned ? round_up(plan->kernel->work_bytes(&plan->op.cache, table[0], 1)) : 0;
    size_t remainder_bytes = n_remaining ? round_up(plan->kernel->work_bytes(&plan->op.cache, table[0], job.n_threads))
                                         : 0;
    uint64_t n_bytes = (uint64_t)job.n_threads * job.work_bytes + (uint64_t)n_remaining * remainder_bytes +
                       n_remaining * sizeof(struct phx_remaining_block) +
                       (uint64_t)table[1] * sizeof(struct phx_translated) +
                       (uint64_t)table[0] * table[1] * sizeof(uint32_t) +
                       (uint64_t)n_rows * sizeof(struct phx_visible_row);
    uint8_t *memory = n_bytes <= MAX_BYTES ? phx_area_reserve(executor->scratch, (size_t)n_bytes) : NULL;
    if (!memory) {
        return PHX_E_NO_MEMORY;
    }
    job.work = memory;
    uint8_t *remainder_work = memory + job.n_threads * job.work_bytes;
    job.remaining = (void *)(remainder_work + n_remaining * remainder_bytes);
    job.pages = (void *)(job.remaining + n_remaining);
    job.translated = (void *)(job.pages + table[0] * table[1]);
    job.rows = (void *)(job.translated + table[1]);
    memset(job.translated, 0, table[1] * sizeof(*job.translated));
    uint32_t status = find_rows(&job, n_rows);
    if (status) {
        return status;
    }
    phx_find_remainder(&job, remainder_work, remainder_bytes);
    uint32_t n_sharing = phx_assign_remainder(&job, n_remaining);
    if (!job.is_split) {
        prepare(&job, 0, 1);
    }
    if (!job.status) {
        record->n_threads = n_assigned ? job.n_threads : n_sharing;
        phx_pool_run(executor->pool, record->n_threads, attend, &job);
    }
    return job.status;
}
