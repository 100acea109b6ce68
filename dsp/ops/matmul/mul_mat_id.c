/* SPDX-License-Identifier: MIT
 *
 * MUL_MAT_ID, a mixture of experts: dst[t][u][n] = sum over k of src[0][e][n][k] * src[1][t][u % U][k] with e =
 * src[2][t][u], weights in tiles, x and dst float32 rows, U = ne[1] of x: as ggml_mul_mat_id has it.
 *
 * The results of a chunk of tokens are sorted by expert, so that an expert's tiles are read once for all its tokens.
 * The ids lie in memory that the CPU may still write to: each is read once, and checked before it is used.
 */
#include "meeting.h"

PHX_DECLARE_CHECK(mul_mat_id)
PHX_DECLARE_RUN(mul_mat_id)

#define SCRATCH_BYTES (8u << 20) /* of quantized rows in a chunk: an expert's rows stay in the cache */

struct phx_mismatch phx_mul_mat_id_check(const struct phx_executor *executor, struct phx_call *call) {
    const struct phx_tensor *w = &call->src[0]->view, *x = &call->src[1]->view, *ids = &call->src[2]->view;
    const struct phx_tensor *dst = &call->dst[0]->view;
    struct phx_mismatch mismatch = phx_product_check(executor, call);
    if (!mismatch.status) {
        mismatch = phx_require_rows(call->src[2], PHX_I32);
    }
    if (mismatch.status) {
        return mismatch;
    }
    if (w->ne[2] > PHX_MAX_EXPERTS || w->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[0]};
    }
    if (ids->ne[2] != 1 || ids->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[2]};
    }
    if (x->ne[1] == 0 || ids->ne[0] % x->ne[1] || x->ne[2] != ids->ne[1] || x->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->src[1]};
    }
    if (dst->ne[1] != ids->ne[0] || dst->ne[2] != ids->ne[1] || dst->ne[3] != 1) {
        return (struct phx_mismatch){PHX_E_SHAPE, call->dst[0]};
    }
    return call->src[3] ? phx_meeting_check(call) : PHX_MATCH;
}

/* Private copies of the chunk's ids, and the results of each expert. */
struct choice {
    const uint8_t *ids; /* of the chunk's first token */
    size_t stride;
    uint32_t n_tokens;
    uint32_t n_used;
    uint32_t n_experts;
    uint32_t *experts; /* n_used for each token */
    uint32_t *next;    /* n_experts + 1: the next place for each expert */
};

static uint32_t read_ids(const struct choice *choice) {
    uint32_t *expert = choice->experts;
    memset(choice->next, 0, (choice->n_experts + 1) * sizeof(uint32_t));
    for (uint32_t t = 0; t < choice->n_tokens; t++) {
        const volatile uint32_t *ids = (const void *)(choice->ids + t * choice->stride);
        for (uint32_t u = 0; u < choice->n_used; u++) {
            uint32_t id = ids[u];
            if (id >= choice->n_experts) {
                return PHX_E_INDEX;
            }
            *expert++ = id;
            choice->next[id + 1]++;
        }
    }
    return PHX_OK;
}

/* Makes the runs, and turns counts into first places. */
static void make_runs(struct phx_product *product, const struct choice *choice) {
    product->n_runs = 0;
    for (uint32_t e = 0; e < choice->n_experts; e++) {
        uint32_t n_rows = choice->next[e + 1];
        if (n_rows) {
            product->runs[product->n_runs++] = (struct phx_run){e, choice->next[e], n_rows};
        }
        choice->next[e + 1] += choice->next[e];
    }
}

/* Fills in the tables of the tokens from `first` on. All factors have the same ids. */
static void make_rows(struct phx_product *product, const struct choice *choice, const struct phx_tensor *x,
                      uint32_t first) {
    product->plan.n_x = 0;
    for (uint32_t t = 0; t < choice->n_tokens; t++) {
        const uint32_t *experts = choice->experts + (size_t)t * choice->n_used;
        for (uint32_t i = 0; i < x->ne[1]; i++) {
            uint32_t row = product->plan.n_x++;
            product->x_offsets[row] = (first + t) * x->nb[2] + i * x->nb[1];
            for (uint32_t u = i; u < choice->n_used; u += x->ne[1]) {
                uint32_t place = choice->next[experts[u]]++;
                product->place_rows[place] = (first + t) * choice->n_used + u;
                for (uint32_t j = 0; j < product->plan.n_forms; j++) {
                    product->forms[j].row_offsets[place] = row * product->plan.wants[j]->row_bytes;
                }
                for (uint32_t j = 0; j < product->plan.n_factors; j++) {
                    const struct phx_tensor *dst = &product->calls[j].dst[0]->view;
                    product->factors[j].dst_offsets[place] = (first + t) * dst->nb[2] + u * dst->nb[1];
                }
            }
        }
    }
}

/* Allocates a chunk. Returns whether there was memory. */
static bool place_chunk(struct phx_product *product, struct choice *choice, uint32_t chunk, uint32_t x_each) {
    uint32_t n_places = chunk * choice->n_used;
    uint32_t n_runs = choice->n_experts < n_places ? choice->n_experts : n_places;
    uint64_t n_words = 2 * (uint64_t)n_places + choice->n_experts + 1;
    uint64_t n_bytes = phx_product_lay_out(product, NULL, chunk * x_each, n_places, n_runs);
    uint8_t *tables;
    product->scratch_bytes = 0;
    if (!phx_product_place(product, n_bytes + n_words * sizeof(uint32_t), &tables, NULL)) {
        return false;
    }
    phx_product_lay_out(product, tables, chunk * x_each, n_places, n_runs);
    choice->experts = (void *)(tables + n_bytes);
    product->place_rows = choice->experts + n_places;
    choice->next = product->place_rows + n_places;
    return true;
}

uint32_t phx_mul_mat_id_run(struct phx_executor *executor, const struct phx_call *call, struct phx_op_record *record) {
    const struct phx_tensor *x = &call->src[1]->view, *ids = &call->src[2]->view;
    struct phx_product product;
    uint32_t n_tokens = ids->ne[1];
    if (!phx_product_begin(&product, executor, call, record)) {
        return PHX_E_NO_MEMORY;
    }
    if (n_tokens == 0) {
        return PHX_OK;
    }
    struct choice choice = {.stride = ids->nb[1], .n_used = ids->ne[0], .n_experts = call->src[0]->view.ne[2]};
    uint64_t fitting = SCRATCH_BYTES / ((uint64_t)x->ne[1] * product.plan.row_bytes);
    uint32_t chunk = fitting < 1 ? 1 : fitting < n_tokens ? (uint32_t)fitting : n_tokens;
    if (!place_chunk(&product, &choice, chunk, x->ne[1])) {
        return PHX_E_NO_MEMORY;
    }
    uint32_t status = PHX_OK;
    for (uint32_t first = 0; !status && first < n_tokens; first += choice.n_tokens) {
        choice.ids = call->src[2]->data + first * choice.stride;
        product.is_last = n_tokens - first <= chunk;
        choice.n_tokens = product.is_last ? n_tokens - first : chunk;
        status = read_ids(&choice);
        if (!status) {
            make_runs(&product, &choice);
            make_rows(&product, &choice, x, first);
            status = phx_product_plan_and_run(&product, record);
        }
    }
    phx_product_end(&product, NULL);
    return status;
}
