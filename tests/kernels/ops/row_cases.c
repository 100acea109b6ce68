/* SPDX-License-Identifier: MIT
 *
 * Random cases of the ops that compute whole rows: shapes, strides, alignment, values.
 */

#include <string.h>

#include "ops.h"
#include "ops/executor.h"
#include "ref/pick.h"

/* Heads and tokens in any order; one position per token for all of its heads, or one per row. */
void check_rope(uint32_t seed) {
    static const uint32_t likely[] = {1, 2, 16, 31, 32, 33, 48, 64, 65, 96};
    static const float scales[] = {1.0f, 1.1902381f, 0x1p-8f, 0x1p8f, 1.9999f, 0.3f};
    uint32_t n_pairs = random_below(2) ? likely[random_below(10)] : 1 + random_below(140);
    uint32_t rest = random_below(2) ? 0 : random_below(70), n_positions = random_below(3) ? 1 : 1 + random_below(4);
    uint32_t ne[4] = {2 * n_pairs + rest, 1 + random_below(7), 1 + random_below(3), 1 + random_below(2)};
    bool aligned = random_below(3) == 0, in_place = random_below(2);
    uint32_t repeated = random_below(4) ? 2 : random_below(16) & 14;
    struct placed x = place(PHX_F32, ne, 0, aligned);
    struct placed positions = place(PHX_I32, (uint32_t[4]){n_positions, ne[1], ne[2], ne[3]}, repeated, aligned);
    struct placed turns = place(PHX_I32, (uint32_t[4]){n_pairs, 2 * n_positions, 1, 1}, 0, aligned);
    struct placed dst = in_place ? x : place(PHX_F32, ne, 0, aligned);
    struct phx_rope_params params = {random_below(2), scales[random_below(2) ? 0 : random_below(6)]};
    fill_placed(&x, random_kind());
    fill_placed(&turns, VALUES_ANY_BITS);
    fill_placed(&positions, VALUES_ANY_BITS);
    for (uint32_t i = 0; i < positions.operand.n_bytes / 4 && random_below(8); i++) {
        ((uint32_t *)positions.operand.data)[i] %= 131072;
    }
    struct phx_call call = {
        .src = {&x.operand, &positions.operand, &turns.operand}, .dst = {&dst.operand}, .params = &params};
    compare_kernels("rope", seed, phx_rope_ref, phx_rope_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    guarded_free(&positions.memory);
    guarded_free(&turns.memory);
    if (!in_place) {
        guarded_free(&dst.memory);
    }
}

/* Fills in a mask: 0, -infinity, and occasionally other numbers. */
static void fill_mask(const struct placed *mask, bool is_f16) {
    uint32_t masked = random_below(3), odd = random_below(3) ? 0 : random_below(40);
    for (uint32_t i = 0; i < mask->operand.n_bytes / (is_f16 ? 2 : 4); i++) {
        uint32_t word = random_below(3) < masked ? 0xff800000 : 0;
        if (odd && random_below(odd) == 0) {
            fill_values(&word, 1, random_kind());
        }
        if (is_f16) {
            ((uint16_t *)mask->operand.data)[i] = word == 0xff800000 ? 0xfc00 : (uint16_t)(word >> 14);
        } else {
            ((uint32_t *)mask->operand.data)[i] = word;
        }
    }
}

void check_soft_max(uint32_t seed) {
    static const float scales[] = {1.0f, 0.125f, 8.0f, -1.0f, 0.0f, 1e-30f, 1000.0f, 0x1p64f};
    uint32_t ne[4];
    random_shape(ne);
    if (random_below(64) == 0) {
        ne[0] = 4096 + random_below(1000);
    }
    bool aligned = random_below(2), is_f16 = random_below(2);
    uint32_t a_row[4] = {1, ne[1], ne[2], ne[3]};
    struct placed x = place(PHX_F32, ne, 0, aligned), dst = place(PHX_F32, ne, 0, aligned);
    struct placed mask = place(is_f16 ? PHX_F16 : PHX_F32, ne, random_below(16) & 14, aligned);
    struct placed sinks = place(PHX_F32, a_row, random_below(16) & 14, false);
    struct placed slopes = place(PHX_F32, a_row, random_below(16) & 14, false);
    struct phx_soft_max_params params = {scales[random_below(2) ? 0 : random_below(8)]};
    fill_placed(&x, random_kind());
    fill_placed(&sinks, random_kind());
    fill_placed(&slopes, random_kind());
    fill_mask(&mask, is_f16);
    for (uint32_t i = 0; i < slopes.operand.n_bytes / 4 && random_below(8); i++) {
        ((uint32_t *)slopes.operand.data)[i] &= 0x7fffffff;
    }
    struct phx_call call = {.src = {&x.operand, random_below(3) ? &mask.operand : NULL,
                                    random_below(3) ? NULL : &sinks.operand, random_below(3) ? NULL : &slopes.operand},
                            .dst = {&dst.operand},
                            .params = &params};
    compare_kernels("soft_max", seed, phx_soft_max_ref, phx_soft_max_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    guarded_free(&dst.memory);
    guarded_free(&mask.memory);
    guarded_free(&sinks.memory);
    guarded_free(&slopes.memory);
}

void check_l2_norm(uint32_t seed) {
    static const uint32_t epsilons[] = {0x358637bd, 0, 0x3f800000, 0x00000001, 0x7f000000, 0x0a000000}; /* 1e-6 first */
    uint32_t ne[4];
    random_shape(ne);
    bool aligned = random_below(3) == 0, in_place = random_below(2);
    struct placed x = place(PHX_F32, ne, 0, aligned), dst = in_place ? x : place(PHX_F32, ne, 0, aligned);
    fill_placed(&x, random_kind());
    uint32_t eps = epsilons[random_below(2) ? 0 : random_below(sizeof(epsilons) / sizeof(*epsilons))];
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}, .params = &eps};
    compare_kernels("l2_norm", seed, phx_l2_norm_ref, phx_l2_norm_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    if (!in_place) {
        guarded_free(&dst.memory);
    }
}

void check_hadamard(uint32_t seed) {
    struct phx_hadamard_params params = {32u << random_below(4)};
    uint32_t ne[4];
    random_shape(ne);
    ne[0] = params.n * (1 + ne[0] % 4);
    bool aligned = random_below(3) == 0, in_place = random_below(2);
    struct placed x = place(PHX_F32, ne, 0, aligned), dst = in_place ? x : place(PHX_F32, ne, 0, aligned);
    fill_placed(&x, random_kind());
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}, .params = &params};
    compare_kernels("hadamard", seed, phx_hadamard_ref, phx_hadamard_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    if (!in_place) {
        guarded_free(&dst.memory);
    }
}

/* Also checks MEAN. */
void check_sum_rows(uint32_t seed) {
    uint32_t ne[4];
    random_shape(ne);
    bool aligned = random_below(2);
    struct placed x = place(PHX_F32, ne, 0, aligned);
    struct placed dst = place(PHX_F32, (uint32_t[4]){1, ne[1], ne[2], ne[3]}, 0, aligned);
    fill_placed(&x, random_kind());
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}};
    compare_kernels("sum_rows", seed, phx_sum_rows_ref, phx_sum_rows_hvx, &call, &dst.memory, false);
    compare_kernels("mean", seed, phx_mean_ref, phx_mean_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    guarded_free(&dst.memory);
}

/* Places an operand that broadcasts along some dimensions. */
static struct placed place_repeated(const uint32_t ne[4], bool aligned) {
    struct placed p = place(PHX_F32, ne, random_below(2) ? 14 : random_below(16), aligned);
    fill_placed(&p, random_kind());
    return p;
}

void check_norm(uint32_t seed) {
    static const uint32_t epsilons[] = {0x3727c5ac, 0, 0x3f800000, 0x00000001, 0x7f000000, 0x0a000000}; /* 1e-5 first */
    uint32_t ne[4];
    random_shape(ne);
    if (random_below(200) == 0) {
        ne[0] = 66000 + random_below(1000);
    }
    bool aligned = random_below(3) == 0, in_place = random_below(2);
    uint32_t n_src = 1 + random_below(3);
    struct placed x = place(PHX_F32, ne, 0, aligned), weight = place_repeated(ne, aligned),
                  bias = place_repeated(ne, aligned);
    struct placed dst = in_place ? x : place(PHX_F32, ne, 0, aligned);
    fill_placed(&x, random_kind());
    if (random_below(4) == 0) { /* far from 0 */
        uint32_t base = random_u32() & 0xbf800000;
        for (uint32_t i = 0; i < x.operand.n_bytes / 4; i++) {
            ((uint32_t *)x.operand.data)[i] = base | (random_u32() & 0xff);
        }
    }
    uint32_t eps = epsilons[random_below(2) ? 0 : random_below(6)];
    struct phx_call call = {.src = {&x.operand, n_src > 1 ? &weight.operand : NULL, n_src > 2 ? &bias.operand : NULL},
                            .dst = {&dst.operand},
                            .params = &eps};
    compare_kernels("norm", seed, phx_norm_ref, phx_norm_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    guarded_free(&weight.memory);
    guarded_free(&bias.memory);
    if (!in_place) {
        guarded_free(&dst.memory);
    }
}

/* Returns a contiguous view of float32 rows. */
static struct phx_tensor rows_view(const uint32_t ne[4]) {
    struct phx_tensor view = {.dtype = PHX_F32, .layout = PHX_LAYOUT_ROWS};
    for (uint32_t i = 0, step = sizeof(float); i < 4; i++) {
        view.ne[i] = ne[i];
        view.nb[i] = step;
        step *= ne[i];
    }
    return view;
}

/* Two tensors in one memory: results, then a table of states in slots. */
struct placed_table {
    struct placed memory;
    struct phx_operand results, table;
};

static struct placed_table place_table(const uint32_t results_ne[4], const uint32_t table_ne[4], enum values kind) {
    uint32_t n_results = results_ne[0] * results_ne[1] * results_ne[2] * results_ne[3];
    uint32_t n_table = table_ne[0] * table_ne[1] * table_ne[2];
    struct placed_table both;
    both.memory = place(PHX_F32, (uint32_t[4]){n_results + n_table, 1, 1, 1}, 0, true);
    fill_placed(&both.memory, kind);
    both.results = both.table = both.memory.operand;
    both.results.view = rows_view(results_ne);
    both.table.view = rows_view(table_ne);
    both.table.data += n_results * sizeof(float);
    return both;
}

/* Fills ids of slots; sometimes one more than there are, and -1. */
static struct placed place_slots(uint32_t n_sequences, uint32_t n_slots) {
    struct placed ids = place(PHX_I32, (uint32_t[4]){n_sequences, 1, 1, 1}, 0, false);
    for (uint32_t i = 0; i < n_sequences; i++) {
        ((uint32_t *)ids.operand.data)[i] = random_below(n_slots + (random_below(16) == 0)) - (random_below(9) == 0);
    }
    return ids;
}

void check_ssm_conv(uint32_t seed) {
    uint32_t ne[4], n_taps = 1 + random_below(4);
    bool aligned = random_below(3) == 0, has_table = n_taps > 1 && random_below(2);
    random_shape(ne);
    struct placed x = place(PHX_F32, (uint32_t[4]){ne[0], ne[1], ne[2] + (has_table ? 0 : n_taps - 1), ne[3]}, 0,
                            aligned);
    struct placed weight = place(PHX_F32, (uint32_t[4]){ne[0], ne[1], n_taps, 1}, 0, aligned);
    fill_placed(&x, random_kind());
    fill_placed(&weight, random_kind());
    struct phx_call call = {.src = {&x.operand, &weight.operand}};
    if (has_table) {
        uint32_t n_slots = 2 * ne[3] + random_below(3);
        struct placed reads = place_slots(ne[3], n_slots), writes = place_slots(ne[3], n_slots);
        struct placed_table both = place_table(ne, (uint32_t[4]){ne[0] * ne[1], n_taps - 1, n_slots, 1}, random_kind());
        call.src[2] = &reads.operand, call.src[3] = &writes.operand;
        call.dst[0] = &both.results, call.dst[1] = &both.table;
        compare_kernels("ssm_conv", seed, phx_ssm_conv_ref, phx_ssm_conv_hvx, &call, &both.memory.memory, false);
        guarded_free(&reads.memory);
        guarded_free(&writes.memory);
        guarded_free(&both.memory.memory);
    } else {
        struct placed dst = place(PHX_F32, ne, 0, aligned);
        call.dst[0] = &dst.operand;
        compare_kernels("ssm_conv", seed, phx_ssm_conv_ref, phx_ssm_conv_hvx, &call, &dst.memory, false);
        guarded_free(&dst.memory);
    }
    guarded_free(&x.memory);
    guarded_free(&weight.memory);
}

void check_gated_delta_net(uint32_t seed) {
    static const uint32_t likely[] = {1, 2, 16, 31, 32, 33, 64};
    uint32_t n_keys = random_below(2) ? likely[random_below(7)] : 1 + random_below(70);
    uint32_t n_values = random_below(2) ? likely[random_below(7)] : 1 + random_below(70);
    uint32_t n_tokens = 1 + random_below(3), n_heads = 1 + random_below(3), n_sequences = 1 + random_below(2);
    const uint32_t shapes[6][4] = {{n_values, n_keys, n_heads, n_sequences}, {n_keys, n_tokens, n_heads, n_sequences},
                                   {n_keys, n_tokens, n_heads, n_sequences}, {n_values, n_tokens, n_heads, n_sequences},
                                   {1, n_tokens, n_heads, n_sequences},      {1, n_tokens, n_heads, n_sequences}};
    const uint32_t ne[4] = {n_values * (n_tokens + n_keys), n_heads, n_sequences, 1};
    struct phx_gated_delta_net_params params = {random_below(2) ? 0.125f : 1.0f, 0};
    params.delta_rule = random_below(2);
    struct placed src[6], dst, writes;
    struct placed_table both;
    struct phx_call call = {.params = &params};
    bool usual = random_below(2), has_table = random_below(2);
    for (uint32_t i = has_table; i < 6; i++) {
        src[i] = place(PHX_F32, shapes[i], i > 0 && random_below(4) == 0 ? random_below(16) & 14 : 0, random_below(2));
        fill_placed(&src[i], usual ? VALUES_NORMAL : random_kind());
    }
    if (has_table) {
        uint32_t n_slots = n_sequences + random_below(3);
        src[0] = place_slots(n_sequences, n_slots);
        writes = place_slots(n_sequences, n_slots);
        both = place_table((uint32_t[4]){n_values * n_tokens, n_heads, n_sequences, 1},
                           (uint32_t[4]){n_values * (n_keys + 2), n_heads, n_slots, 1},
                           usual ? VALUES_NORMAL : random_kind());
        call.src[6] = &writes.operand;
        call.dst[0] = &both.results, call.dst[1] = &both.table;
        dst = both.memory;
    } else {
        dst = place(PHX_F32, ne, 0, random_below(2));
        call.dst[0] = &dst.operand;
    }
    for (uint32_t i = 0; i < 6; i++) {
        call.src[i] = &src[i].operand;
    }
    compare_kernels("gated_delta_net", seed, phx_gated_delta_net_ref, phx_gated_delta_net_hvx, &call, &dst.memory,
                    false);
    for (uint32_t i = 0; i < 6; i++) {
        guarded_free(&src[i].memory);
    }
    if (has_table) {
        guarded_free(&writes.memory);
    }
    guarded_free(&dst.memory);
}

/* Fills in numbers of a few values, so that many are equal. */
static void fill_with_ties(const struct placed *x) {
    static const uint32_t values[] = {0x80000000, 0, 0x3f800000, 0xbf800000, 0x40000000, 0x7f800000, 0xff800000};
    uint32_t n_values = 2 + random_below(6);
    for (uint32_t i = 0; i < x->operand.n_bytes / 4; i++) {
        ((uint32_t *)x->operand.data)[i] = values[random_below(n_values)];
    }
}

static struct placed place_ties_or_not(uint32_t ne[4], bool negative) {
    struct placed x = place(PHX_F32, ne, 0, random_below(2));
    if (random_below(3) == 0) {
        fill_with_ties(&x);
    } else {
        fill_placed(&x, random_kind());
    }
    for (uint32_t i = 0; negative && i < x.operand.n_bytes / 4; i++) {
        ((uint32_t *)x.operand.data)[i] |= 0x80000000;
    }
    return x;
}

static void check_picks(const char *name, uint32_t seed, phx_row_kernel ref, phx_row_kernel hvx, uint32_t most) {
    uint32_t ne[4], k_ne[4];
    random_shape(ne);
    if (random_below(4) == 0) {
        ne[0] = 1024 + random_below(6000);
    }
    memcpy(k_ne, ne, sizeof(ne));
    k_ne[0] = 1 + random_below(ne[0] < most ? ne[0] : most);
    struct placed x = place_ties_or_not(ne, random_below(4) == 0);
    struct placed dst = place(PHX_I32, k_ne, 0, random_below(2));
    struct phx_op_type type = {.by_element = true, .merge = phx_pick_merge};
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}, .type = &type};
    bool cut = phx_n_rows(&dst.operand.view) < PHX_MAX_THREADS && random_below(2);
    call.work_bytes = phx_candidate_bytes(&call) + ref_picks_bytes(k_ne[0]) + REF_KEYS_BYTES;
    call.work_bytes = (call.work_bytes + PHX_VECTOR - 1) / PHX_VECTOR * PHX_VECTOR;
    compare_kernels(name, seed, ref, hvx, &call, &dst.memory, cut);
    guarded_free(&x.memory);
    guarded_free(&dst.memory);
}

void check_argmax(uint32_t seed) {
    check_picks("argmax", seed, phx_argmax_ref, phx_argmax_hvx, 1);
}

void check_top_k(uint32_t seed) {
    check_picks("top_k", seed, phx_top_k_ref, phx_top_k_hvx, random_below(2) ? 10 : 300);
}

void check_argsort(uint32_t seed) {
    uint32_t ne[4];
    random_shape(ne);
    struct placed x = place_ties_or_not(ne, false), dst = place(PHX_I32, ne, 0, false);
    struct phx_argsort_params params = {random_below(2)};
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}, .params = &params};
    compare_kernels("argsort", seed, phx_argsort_ref, phx_argsort_hvx, &call, &dst.memory, false);
    guarded_free(&x.memory);
    guarded_free(&dst.memory);
}
