/* SPDX-License-Identifier: MIT
 *
 * Runs the kernels of ops on rows inside one qemu-hexagon process, without the runtime.
 *
 *     ops check OP FIRST COUNT      random cases FIRST..FIRST+COUNT-1, every bit of hvx compared with ref
 *     ops case OP NUMBER [DIRECTORY] one of these, with its packets; dumps operands and results to files there
 *     ops packets                   cost of each kernel: one JSON record per line
 *     ops rows DTYPE N K            reads tiles of a matrix of N rows from stdin; writes its rows, by hvx, as float32
 *     ops add N, ops rms_norm N EPS read two rows of float32 from stdin; write the result by hvx to stdout
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/counters.h"
#include "ops.h"

static const struct {
    const char *name;
    void (*check)(uint32_t seed);
} checks[] = {
    {"elementwise", check_elementwise},
    {"rms_norm", check_rms_norm},
    {"get_rows", check_get_rows},
    {"cpy", check_cpy},
    {"set_rows", check_set_rows},
    {"rope", check_rope},
    {"wrong", check_wrong},
    {"soft_max", check_soft_max},
    {"l2_norm", check_l2_norm},
    {"hadamard", check_hadamard},
    {"sum_rows", check_sum_rows},
    {"norm", check_norm},
    {"concat", check_concat},
    {"repeat", check_repeat},
    {"ssm_conv", check_ssm_conv},
    {"gated_delta_net", check_gated_delta_net},
    {"argmax", check_argmax},
    {"top_k", check_top_k},
    {"argsort", check_argsort},
};
static const uint32_t n_checks = sizeof(checks) / sizeof(*checks);

static int check(const char *name, uint32_t first, uint32_t count) {
    void (*one)(uint32_t) = NULL;
    uint32_t step = 1, offset = 0;
    for (uint32_t i = 0; i < n_checks; i++) {
        one = strcmp(name, checks[i].name) == 0 ? checks[i].check : one;
    }
    for (uint32_t i = 0; i < n_elementwise; i++) {
        if (strcmp(name, elementwise[i].name) == 0) {
            one = check_elementwise, step = n_elementwise, offset = i; /* the seeds that choose this op */
        }
    }
    if (!one) {
        fprintf(stderr, "no cases of %s, only of", name);
        for (uint32_t i = 0; i < n_checks + n_elementwise; i++) {
            fprintf(stderr, " %s", i < n_checks ? checks[i].name : elementwise[i - n_checks].name);
        }
        fprintf(stderr, "\n");
        return 2;
    }
    for (uint32_t i = first; i < first + count; i++) {
        random_seed(i * step + offset);
        one(i * step + offset);
    }
    if (count == 1) {
        printf("%s, case %u: equal; packets of hvx: %u\n", name, first, packets_of_case);
    } else {
        printf("%s: %u cases equal\n", name, count);
    }
    return 0;
}

/* Returns the packets of the second run, since the first one fills caches and tables. */
static uint32_t packets_of(phx_row_kernel kernel, const struct phx_call *call) {
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice all = {0, phx_n_rows(view), 0, view->ne[0]};
    uint32_t packets = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t start = count_packets();
        kernel(call, &all, work);
        packets = count_packets() - start;
    }
    return packets;
}

static void print_packets(const char *op, uint32_t n, uint32_t n_rows, bool aligned, uint32_t packets) {
    printf("{\"op\": \"%s\", \"n\": %u, \"rows\": %u, \"aligned\": %d, \"packets\": %u, \"per_32\": %.2f}\n", op, n,
           n_rows, aligned, packets, packets * 32.0 / ((double)n * n_rows));
}

static void packets_of_floats(uint32_t n, uint32_t n_rows, bool aligned) {
    uint32_t ne[4] = {n, n_rows, 1, 1}, eps = 0x3727c5ac;
    struct placed x = place(PHX_F32, ne, 0, aligned), weight = place(PHX_F32, ne, 0, aligned);
    struct placed row = place(PHX_F32, ne, 14, aligned), one = place(PHX_F32, ne, 15, aligned);
    struct placed dst = place(PHX_F32, ne, 0, aligned);
    const struct placed *all[] = {&x, &weight, &row, &one};
    for (int i = 0; i < 4; i++) {
        fill_values((uint32_t *)all[i]->operand.data, (uint32_t)all[i]->operand.n_bytes / 4, VALUES_NORMAL);
    }
    uint32_t params[PHX_MAX_PARAMS] = {0x3f000000}; /* 0.5 */
    struct phx_call call = {.src = {&x.operand, &weight.operand}, .dst = {&dst.operand}};
    for (uint32_t i = 0; i < n_elementwise; i++) {
        call.src[1] = elementwise[i].n_src > 1 ? &weight.operand : NULL;
        params[1] = strcmp(elementwise[i].name, "scale") == 0 ? 0 : 0x40e00000; /* 7.0 */
        call.params = params;
        print_packets(elementwise[i].name, n, n_rows, aligned, packets_of(elementwise[i].hvx, &call));
    }
    call.params = &eps;
    call.src[1] = &one.operand;
    print_packets("add one", n, n_rows, aligned, packets_of(phx_add_hvx, &call));
    call.src[1] = &row.operand;
    print_packets("rms_norm", n, n_rows, aligned, packets_of(phx_rms_norm_hvx, &call));
    print_packets("norm with weight", n, n_rows, aligned, packets_of(phx_norm_hvx, &call));
    call.src[2] = &row.operand;
    print_packets("norm with weight, bias", n, n_rows, aligned, packets_of(phx_norm_hvx, &call));
    call.src[1] = call.src[2] = NULL;
    print_packets("norm", n, n_rows, aligned, packets_of(phx_norm_hvx, &call));
    print_packets("rms_norm without weight", n, n_rows, aligned, packets_of(phx_rms_norm_hvx, &call));
    print_packets("l2_norm", n, n_rows, aligned, packets_of(phx_l2_norm_hvx, &call));
}

/* Measures one row per n, by hvx. */
static void packets_of_rows(const char *name, const struct placed *from, uint32_t k) {
    uint32_t ids_ne[4] = {8, 1, 1, 1}, ne[4] = {k, 8, 1, 1};
    struct placed ids = place(PHX_I32, ids_ne, 0, true), dst = place(PHX_F32, ne, 0, true);
    for (uint32_t i = 0; i < 8; i++) {
        ((uint32_t *)ids.operand.data)[i] = i * 9 % from->operand.view.ne[1];
    }
    struct phx_call call = {.src = {&from->operand, &ids.operand}, .dst = {&dst.operand}};
    print_packets(name, k, 8, true, packets_of(phx_get_rows_hvx, &call));
}

static void print_packets_of_rows(void) {
    static const uint32_t row_types[] = {PHX_F32, PHX_F16, PHX_BF16};
    char name[32];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t ne[4] = {4096, 64, 1, 1};
        struct placed from = place(row_types[i], ne, 0, true);
        snprintf(name, sizeof(name), "get_rows %s", dtype_name(row_types[i]));
        packets_of_rows(name, &from, 4096);
    }
    for (uint32_t i = 0; i < n_tile_types; i++) {
        struct placed from = place_tiles(tile_types[i], (uint32_t[4]){4096, 128, 1, 1});
        snprintf(name, sizeof(name), "get_rows %s tiles", dtype_name(tile_types[i]));
        packets_of_rows(name, &from, 4096);
    }
}

/* Measures one token's heads, 4096 numbers in total. */
static void packets_of_rope(enum phx_rope_mode mode, uint32_t n, bool aligned) {
    uint32_t ne[4] = {n, 4096 / n, 1, 1};
    struct placed x = place(PHX_F32, ne, 0, aligned), dst = place(PHX_F32, ne, 0, aligned);
    struct placed position = place(PHX_I32, (uint32_t[4]){1, ne[1], 1, 1}, 2, aligned);
    struct placed turns = place(PHX_I32, (uint32_t[4]){n / 2, 2, 1, 1}, 0, aligned);
    struct phx_rope_params params = {mode, 1.0f};
    fill_placed(&x, VALUES_NORMAL);
    fill_placed(&turns, VALUES_ANY_BITS);
    struct phx_call call = {
        .src = {&x.operand, &position.operand, &turns.operand}, .dst = {&dst.operand}, .params = &params};
    print_packets(mode == PHX_ROPE_NEOX ? "rope neox" : "rope normal", n, ne[1], aligned,
                  packets_of(phx_rope_hvx, &call));
}

static void packets_of_soft_max(uint32_t n, uint32_t mask_type) {
    uint32_t ne[4] = {n, 1, 1, 1};
    struct placed x = place(PHX_F32, ne, 0, true), dst = place(PHX_F32, ne, 0, true);
    struct placed mask = place(mask_type, ne, 0, true);
    struct phx_soft_max_params params = {0.125f};
    fill_placed(&x, VALUES_NORMAL);
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}, .params = &params};
    print_packets("soft_max", n, 1, true, packets_of(phx_soft_max_hvx, &call));
    call.src[1] = &mask.operand;
    print_packets(mask_type == PHX_F16 ? "soft_max f16 mask" : "soft_max f32 mask", n, 1, true,
                  packets_of(phx_soft_max_hvx, &call));
    memset(mask.operand.data, 0x38, mask.operand.n_bytes);
    print_packets(mask_type == PHX_F16 ? "soft_max f16 bias" : "soft_max f32 bias", n, 1, true,
                  packets_of(phx_soft_max_hvx, &call));
}

static void packets_of_sums(uint32_t n, bool aligned) {
    struct placed x = place(PHX_F32, (uint32_t[4]){n, 1, 1, 1}, 0, aligned);
    struct placed dst = place(PHX_F32, (uint32_t[4]){1, 1, 1, 1}, 0, aligned);
    fill_placed(&x, VALUES_NORMAL);
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}};
    uint32_t packets = packets_of(phx_sum_rows_hvx, &call);
    printf("{\"op\": \"sum_rows\", \"n\": %u, \"rows\": 1, \"aligned\": %d, \"packets\": %u, \"per_32\": %.2f}\n", n,
           aligned, packets, packets * 32.0 / n);
}

static void packets_of_copies(void) {
    struct placed x = place(PHX_F32, (uint32_t[4]){1024, 16, 1, 1}, 0, true);
    struct placed wide = place(PHX_F32, (uint32_t[4]){2048, 16, 1, 1}, 0, true);
    struct phx_concat_params params = {0};
    struct phx_call call = {.src = {&x.operand}, .dst = {&wide.operand}, .params = &params};
    print_packets("repeat", 2048, 16, true, packets_of(phx_repeat_hvx, &call));
    call.src[1] = &x.operand;
    print_packets("concat", 2048, 16, true, packets_of(phx_concat_hvx, &call));
    call.src[0] = call.dst[0] = &x.operand;
    print_packets("cpy", 1024, 16, true, packets_of(phx_cpy_hvx, &call));
}

static void packets_of_ssm_conv(uint32_t n, uint32_t n_taps) {
    struct placed x = place(PHX_F32, (uint32_t[4]){n, 1, n_taps, 1}, 0, true);
    struct placed weight = place(PHX_F32, (uint32_t[4]){n, 1, n_taps, 1}, 0, true);
    struct placed dst = place(PHX_F32, (uint32_t[4]){n, 1, 1, 1}, 0, true);
    fill_placed(&x, VALUES_NORMAL);
    fill_placed(&weight, VALUES_NORMAL);
    struct phx_call call = {.src = {&x.operand, &weight.operand}, .dst = {&dst.operand}};
    print_packets("ssm_conv, 4 taps", n, 1, true, packets_of(phx_ssm_conv_hvx, &call));
}

/* Measures selecting k indices of a row. */
static void packets_of_picks(const char *name, phx_row_kernel kernel, uint32_t n, uint32_t k, enum values kind) {
    struct placed x = place(PHX_F32, (uint32_t[4]){n, 1, 1, 1}, 0, true);
    struct placed dst = place(PHX_I32, (uint32_t[4]){k, 1, 1, 1}, 0, true);
    struct phx_slice all = {0, 1, 0, n};
    struct phx_argsort_params params = {1};
    struct phx_call call = {.src = {&x.operand}, .dst = {&dst.operand}, .params = &params};
    fill_placed(&x, kind);
    uint32_t start = count_packets();
    kernel(&call, &all, work);
    print_packets(name, n, 1, true, count_packets() - start);
}

static int print_all_packets(void) {
    packets_of_picks("argmax", phx_argmax_hvx, 128256, 1, VALUES_NORMAL);
    packets_of_picks("argmax with NaN", phx_argmax_hvx, 128256, 1, VALUES_SPECIAL);
    packets_of_picks("top_k 40", phx_top_k_hvx, 128256, 40, VALUES_NORMAL);
    packets_of_picks("top_k 40 with NaN", phx_top_k_hvx, 128256, 40, VALUES_SPECIAL);
    packets_of_picks("top_k 8", phx_top_k_hvx, 128, 8, VALUES_NORMAL);
    packets_of_picks("argsort", phx_argsort_hvx, 128, 128, VALUES_NORMAL);
    packets_of_copies();
    packets_of_ssm_conv(4096, 4);
    packets_of_sums(4096, true);
    packets_of_sums(4096, false);
    packets_of_soft_max(4096, PHX_F32);
    packets_of_soft_max(4096, PHX_F16);
    packets_of_soft_max(512, PHX_F16);
    packets_of_soft_max(128, PHX_F16);
    for (uint32_t i = 0; i < 8; i++) {
        packets_of_rope(i & 1, i & 2 ? 64 : 128, i < 4);
    }
    static const uint32_t sizes[][2] = {{4096, 1}, {2048, 1}, {1024, 16}, {64, 1}, {64, 64}, {4095, 1}};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        packets_of_floats(sizes[i][0], sizes[i][1], true);
        packets_of_floats(sizes[i][0], sizes[i][1], false);
    }
    print_packets_of_rows();
    return 0;
}

static bool read_all(const struct placed *placed) {
    return fread(placed->operand.data, 1, placed->operand.n_bytes, stdin) == placed->operand.n_bytes;
}

static int finish(const struct phx_call *call) {
    struct phx_slice all = {0, phx_n_rows(&call->dst[0]->view), 0, call->dst[0]->view.ne[0]};
    phx_row_kernel kernel = call->type->hvx;
    if (kernel(call, &all, work) != PHX_OK) {
        return 1;
    }
    fwrite(call->dst[0]->data, 1, call->dst[0]->n_bytes, stdout);
    return fflush(stdout);
}

static int run_rows(uint32_t dtype, uint32_t n, uint32_t k) {
    struct placed from = place_tiles(dtype, (uint32_t[4]){k, n, 1, 1});
    struct placed ids = place(PHX_I32, (uint32_t[4]){n, 1, 1, 1}, 0, true);
    struct placed dst = place(PHX_F32, (uint32_t[4]){k, n, 1, 1}, 0, true);
    for (uint32_t i = 0; i < n; i++) {
        ((uint32_t *)ids.operand.data)[i] = i;
    }
    struct phx_op_type type = {.hvx = phx_get_rows_hvx};
    struct phx_call call = {.src = {&from.operand, &ids.operand}, .dst = {&dst.operand}, .type = &type};
    return read_all(&from) ? finish(&call) : 2;
}

static int run_row(phx_row_kernel kernel, uint32_t n, float eps) {
    uint32_t ne[4] = {n, 1, 1, 1};
    struct placed a = place(PHX_F32, ne, 0, true), b = place(PHX_F32, ne, 0, true), dst = place(PHX_F32, ne, 0, true);
    struct phx_op_type type = {.hvx = kernel};
    struct phx_call call = {.src = {&a.operand, &b.operand}, .dst = {&dst.operand}, .params = &eps, .type = &type};
    return read_all(&a) && read_all(&b) ? finish(&call) : 2;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "check") == 0) {
        return check(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    }
    if ((argc == 4 || argc == 5) && strcmp(argv[1], "case") == 0) {
        dump_directory = argv[4];
        return check(argv[2], (uint32_t)atoi(argv[3]), 1);
    }
    if (argc == 2 && strcmp(argv[1], "packets") == 0) {
        return print_all_packets();
    }
    if (argc == 5 && strcmp(argv[1], "rows") == 0) {
        return run_rows((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    }
    if (argc == 3 && strcmp(argv[1], "add") == 0) {
        return run_row(phx_add_hvx, (uint32_t)atoi(argv[2]), 0);
    }
    if (argc == 4 && strcmp(argv[1], "rms_norm") == 0) {
        return run_row(phx_rms_norm_hvx, (uint32_t)atoi(argv[2]), strtof(argv[3], NULL));
    }
    fprintf(stderr, "usage: ops check OP FIRST COUNT | case OP NUMBER [DIRECTORY] | packets | rows DTYPE N K | add N | "
                    "rms_norm N EPS\n");
    return 2;
}
