/* SPDX-License-Identifier: MIT
 *
 * Runs the kernels of ops of rows inside one qemu-hexagon process, below the runtime.
 *
 *     ops check OP FIRST COUNT      random cases FIRST..FIRST+COUNT-1, every bit of hvx compared with ref
 *     ops packets                   what each kernel costs: one JSON record a line
 *     ops run OP KERNELS N EPS      raw float32 of src[0] and src[1], n each, from stdin; the result to stdout
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/counters.h"
#include "ops.h"

static int check(const char *name, uint32_t first, uint32_t count) {
    void (*one)(uint32_t) = strcmp(name, "add") == 0        ? check_add
                            : strcmp(name, "rms_norm") == 0 ? check_rms_norm
                            : strcmp(name, "get_rows") == 0 ? check_get_rows
                                                            : NULL;
    if (!one) {
        return 2;
    }
    for (uint32_t seed = first; seed < first + count; seed++) {
        random_seed(seed);
        one(seed);
    }
    printf("%s: %u cases equal\n", name, count);
    return 0;
}

/* Twice: the first time fills what is filled once. */
static uint32_t packets_of(phx_row_kernel kernel, const struct phx_call *call) {
    const struct phx_tensor *view = &call->dst[0]->view;
    struct phx_slice all = {0, phx_n_rows(view), 0, view->ne[0]};
    uint32_t packets = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t start = count_packets();
        kernel(call, &all, NULL);
        packets = count_packets() - start;
    }
    return packets;
}

static void print_packets(const char *op, uint32_t n, uint32_t n_rows, bool aligned, uint32_t packets) {
    printf("{\"op\": \"%s\", \"n\": %u, \"rows\": %u, \"aligned\": %d, \"packets\": %u, \"per_32\": %.2f}\n", op, n, n_rows,
           aligned, packets, packets * 32.0 / ((double)n * n_rows));
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
    struct phx_call call = {.src = {&x.operand, &weight.operand}, .dst = {&dst.operand}, .params = &eps};
    print_packets("add", n, n_rows, aligned, packets_of(phx_add_hvx, &call));
    call.src[1] = &one.operand;
    print_packets("add one", n, n_rows, aligned, packets_of(phx_add_hvx, &call));
    call.src[1] = &row.operand;
    print_packets("rms_norm", n, n_rows, aligned, packets_of(phx_rms_norm_hvx, &call));
    call.src[1] = NULL;
    print_packets("rms_norm without weight", n, n_rows, aligned, packets_of(phx_rms_norm_hvx, &call));
}

static int print_all_packets(void) {
    static const uint32_t sizes[][2] = {{4096, 1}, {2048, 1}, {1024, 16}, {64, 1}, {64, 64}, {4095, 1}};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        packets_of_floats(sizes[i][0], sizes[i][1], true);
        packets_of_floats(sizes[i][0], sizes[i][1], false);
    }
    return 0;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 5 && strcmp(argv[1], "check") == 0) {
        return check(argv[2], (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    }
    if (argc == 2 && strcmp(argv[1], "packets") == 0) {
        return print_all_packets();
    }
    fprintf(stderr, "usage: ops check OP FIRST COUNT | ops packets\n");
    return 2;
}
