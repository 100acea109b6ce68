/* SPDX-License-Identifier: MIT
 *
 * Runs a matmul micro-kernel of dsp/cpu once: neon_loops LOOP ROWS GROUPS. Prints the MACs that it computed.
 * neon_table.py counts the instructions. All operands are zeros, since no loop branches on them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/matmul/loops.h"
#include "cpu/matmul/scales.h"

#define GROUPS 16u /* at most */
#define WEIGHT_ROWS 64
#define BLOCK_VECTORS 36 /* at most, scales included */

static const struct {
    const char *name;
    uint32_t dtype;
    hvx_sum_groups *sum[CPU_ROWS];
} loops[] = {
#define CASE(name, dtype)                                                                                              \
    {#name, dtype, {cpu_sum_##name##_tile, cpu_sum_##name##_rows2, cpu_sum_##name##_rows3, cpu_sum_##name##_rows}},
    CPU_LOOPS(CASE)};

static HVX_Vector weight[2 * PHX_SPREAD_VECTORS + GROUPS * 8 * BLOCK_VECTORS], totals[2 * CPU_ROWS];
static struct hvx_block blocks[GROUPS * 16];
static int32_t activations[GROUPS * 8 * PHX_BLOCK];

int main(int argc, char **argv) {
    if (argc != 4) {
        return 2;
    }
    const uint32_t rows = (uint32_t)atoi(argv[2]), n_groups = (uint32_t)atoi(argv[3]);
    if (rows < 1 || rows > CPU_ROWS || n_groups < 1 || n_groups > GROUPS) {
        return 2;
    }
    struct hvx_groups groups = {.w = {weight + 2 * PHX_SPREAD_VECTORS}, .n_groups = n_groups, .totals = totals};
    for (uint32_t r = 0; r < rows; r++) {
        groups.q[r] = activations;
        groups.blocks[r] = blocks;
    }
    for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
        if (strcmp(loops[i].name, argv[1]) == 0) {
            loops[i].sum[rows - 1](&groups);
            uint32_t n_blocks = n_groups << cpu_lying_shift(&CPU_WEIGHT_TYPES[loops[i].dtype]);
            printf("%u\n", n_blocks * PHX_BLOCK * WEIGHT_ROWS * rows);
            return 0;
        }
    }
    return 2;
}
