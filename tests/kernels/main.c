/* SPDX-License-Identifier: MIT
 *
 * Compares the kernels of dsp/hvx with the kernels of dsp/ref inside one qemu-hexagon process, without the runtime.
 *
 *     kernels check FIRST COUNT   random cases FIRST..FIRST+COUNT-1, every bit compared
 *     kernels sizes               the odd sizes, every bit compared
 *     kernels rows                every number of activation rows that selects different loops, every bit compared
 *     kernels packets N K M...    cost of each kernel: one JSON record per line
 *     kernels case TYPE N K M SEED [DIRECTORY]   one case, with its packets; dumps its memory to files in the directory
 *
 * Exits with code 1 at the first difference, and prints the case, the row and the column.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "harness.h"

#define CANARY 0xa5

static const uint32_t dtypes[] = {
#define TYPE(name, ...) PHX_##name,
#include "../../idl/types.h"
#undef TYPE
};
#define N_DTYPES (sizeof(dtypes) / sizeof(*dtypes))

struct memory {
    struct guarded tiles, x, dst;
    size_t x_stride, dst_stride;
};

static void *vector_alloc(size_t n_bytes) {
    void *memory = NULL;
    if (posix_memalign(&memory, PHX_VECTOR, n_bytes + PHX_VECTOR) != 0) {
        exit(2);
    }
    return memory;
}

/* Runs a kernel as two threads would, one after the other; the first one quantizes `cut` parts of each row. Returns the
 * packets of the two phases. */
static void run(const struct phx_matmul_kernel *kernel, struct phx_matmul *mm, const struct memory *memory, uint32_t m,
                uint32_t cut, uint32_t packets[2]) {
    mm->form = kernel->form;
    uint32_t n_tiles = (mm->n + 63) / 64;
    uint32_t *offsets = malloc(2 * m * sizeof(*offsets)), *row_offsets = offsets + m;
    size_t rows_bytes = (size_t)m * phx_row_bytes(kernel, mm);
    for (uint32_t row = 0; row < m; row++) {
        offsets[row] = (uint32_t)(row * memory->dst_stride);
        row_offsets[row] = (m - 1 - row) * phx_row_bytes(kernel, mm); /* in reverse order */
    }
    size_t work_bytes = kernel->work_bytes + (size_t)m * kernel->work_row_bytes;
    uint8_t *rows = vector_alloc(rows_bytes), *work = vector_alloc(work_bytes);
    const struct phx_rows all = {
        .n = m, .x = rows, .x_offsets = row_offsets, .dst = memory->dst.data, .dst_offsets = offsets};
    memset(rows, CANARY, rows_bytes + PHX_VECTOR);
    memset(work, CANARY, work_bytes + PHX_VECTOR);
    uint32_t start = count_packets();
    for (uint32_t row = 0; row < m; row++) {
        const uint8_t *x = memory->x.data + row * memory->x_stride;
        uint8_t *to = rows + row_offsets[row];
        if (cut > 0) {
            kernel->quantise(mm, x, 0, cut, to);
        }
        if (cut < phx_row_parts(mm)) {
            kernel->quantise(mm, x, cut, phx_row_parts(mm), to);
        }
    }
    packets[0] = count_packets() - start;
    start = count_packets();
    kernel->multiply(mm, &all, 0, n_tiles / 2, work);
    kernel->multiply(mm, &all, n_tiles / 2, n_tiles, work);
    packets[1] = count_packets() - start;
    dump(kernel->kernels == PHX_KERNELS_HVX ? "rows.hvx" : "rows.ref", rows, rows_bytes);
    for (int i = 0; i < PHX_VECTOR; i++) {
        if (rows[rows_bytes + i] != CANARY || work[work_bytes + i] != CANARY) {
            printf("wrote past its working memory\n");
            exit(1);
        }
    }
    free(rows);
    free(work);
    free(offsets);
}

static struct memory allocate(const struct phx_matmul *mm, uint32_t m, bool at_end, uint32_t gap) {
    struct memory memory;
    memory.x_stride = (mm->k + gap) * sizeof(float);
    memory.dst_stride = (mm->n + gap) * sizeof(float);
    memory.tiles = guarded_alloc((size_t)mm->tile_bytes * ((mm->n + 63) / 64), at_end);
    memory.x = guarded_alloc((m - 1) * memory.x_stride + mm->k * sizeof(float), at_end);
    memory.dst = guarded_alloc((m - 1) * memory.dst_stride + mm->n * sizeof(float), at_end);
    return memory;
}

static void release(struct memory *memory) {
    guarded_free(&memory->tiles);
    guarded_free(&memory->x);
    guarded_free(&memory->dst);
}

/* packets: of the two HVX phases. */
static void compare(struct shape shape, enum weights weights, enum activations activations, bool at_end, uint32_t gap,
                    uint32_t packets[2]) {
    struct phx_matmul mm = matmul_of(shape, NULL);
    struct memory memory = allocate(&mm, shape.m, at_end, gap);
    mm.tiles = memory.tiles.data;
    fill_tiles(&mm, memory.tiles.data, weights);
    memset(memory.x.data, 0xff, memory.x.n_bytes); /* the gaps contain NaN */
    for (uint32_t row = 0; row < shape.m; row++) {
        /* the requested kind in the first row, the others in turn in the other rows */
        fill_x((uint32_t *)(memory.x.data + row * memory.x_stride), shape.k, (activations + row) % X_KINDS);
    }
    dump("tiles", memory.tiles.data, memory.tiles.n_bytes);
    dump("x", memory.x.data, memory.x.n_bytes);
    memset(memory.dst.data, CANARY, memory.dst.n_bytes);
    run(phx_matmul_ref(shape.dtype), &mm, &memory, shape.m, 0, packets);
    uint8_t *expected = malloc(memory.dst.n_bytes);
    memcpy(expected, memory.dst.data, memory.dst.n_bytes);
    memset(memory.dst.data, CANARY, memory.dst.n_bytes);
    run(phx_matmul_hvx(shape.dtype), &mm, &memory, shape.m, random_below(phx_row_parts(&mm) + 1), packets);
    dump("dst.ref", expected, memory.dst.n_bytes);
    dump("dst.hvx", memory.dst.data, memory.dst.n_bytes);
    for (size_t i = 0; i < memory.dst.n_bytes; i += sizeof(uint32_t)) {
        uint32_t want, got;
        memcpy(&want, expected + i, sizeof(want));
        memcpy(&got, memory.dst.data + i, sizeof(got));
        if (want != got) {
            printf("%s n=%u k=%u m=%u weights %d activations %d at_end %d gap %u: "
                   "row %zu column %zu: ref %08x, hvx %08x\n",
                   dtype_name(shape.dtype), shape.n, shape.k, shape.m, weights, activations, at_end, gap,
                   i / memory.dst_stride, i % memory.dst_stride / sizeof(float), want, got);
            exit(1);
        }
    }
    free(expected);
    release(&memory);
}

static bool fits(uint32_t dtype, uint32_t k) {
    return k % phx_weight_type(dtype)->k_step == 0;
}

static int check_sizes(void) {
    static const uint32_t ns[] = {1, 31, 32, 33, 63, 64, 65, 127, 128, 300, 1000};
    static const uint32_t ks[] = {1, 31, 33, 32, 64, 96, 128, 160, 256, 512, 768, 1024, 1056, 1057, 2048};
    static const uint32_t ms[] = {1, 2, 3, 4, 5, 32};
    uint32_t n_cases = 0, packets[2];
    for (uint32_t type = 0; type < N_DTYPES; type++) {
        for (uint32_t i = 0; i < sizeof(ns) / sizeof(*ns); i++) {
            for (uint32_t j = 0; j < sizeof(ks) / sizeof(*ks); j++) {
                uint32_t m = ms[(i + j) % (sizeof(ms) / sizeof(*ms))];
                /* The largest tile counts are only run for a vector; tests/ops/test_matmul.py covers matrices. */
                bool is_short = ns[i] < 300 || (ns[i] < 1000 ? m < 32 : m == 1);
                if (fits(dtypes[type], ks[j]) && is_short) {
                    random_seed(++n_cases);
                    compare((struct shape){dtypes[type], ns[i], ks[j], m}, WEIGHTS_LIKELY, X_NORMAL, n_cases & 1, 0,
                            packets);
                }
            }
        }
    }
    printf("sizes: %u cases equal\n", n_cases);
    return 0;
}

static int check_rows(void) {
    static const uint32_t ks[] = {512, 768};
    uint32_t n_cases = 0, packets[2];
    for (uint32_t type = 0; type < N_DTYPES; type++) {
        /* from 37 rows on, every type that expands tiles does so */
        for (uint32_t m = 1; m < 40; m += m == 17 ? 20 : 1) {
            random_seed(++n_cases);
            compare((struct shape){dtypes[type], 33, ks[m & 1], m}, WEIGHTS_LIKELY, X_NORMAL, m & 2, 0, packets);
        }
    }
    printf("rows: %u cases equal\n", n_cases);
    return 0;
}

static int check_random(uint32_t first, uint32_t count) {
    for (uint32_t seed = first; seed < first + count; seed++) {
        random_seed(seed);
        uint32_t dtype = dtypes[seed % N_DTYPES];
        uint32_t step = phx_weight_type(dtype)->k_step;
        uint32_t k = step * (1 + random_below(step == 1 ? 1200 : step == 32 ? 40 : 6));
        /* One case in three is a GEMV with enough tiles for four at a time in both halves. */
        bool vector = random_below(3) == 0;
        struct shape shape = {dtype, 1 + random_below(vector ? 1100 : 330), k, vector ? 1 : 1 + random_below(9)};
        enum weights weights = random_below(WEIGHTS_KINDS);
        uint32_t packets[2];
        compare(shape, weights, random_below(X_KINDS), random_u32() & 1, random_below(4), packets);
    }
    printf("random: %u cases equal\n", count);
    return 0;
}

/* Seed 0 selects likely weights and normal activations, others any kind. */
static int check_one(const char *type, struct shape shape, uint32_t seed) {
    for (uint32_t i = 0; i < N_DTYPES; i++) {
        if (strcmp(dtype_name(dtypes[i]), type) == 0) {
            shape.dtype = dtypes[i];
        }
    }
    if (shape.dtype == UINT32_MAX || !shape.n || !shape.m || !shape.k || !fits(shape.dtype, shape.k)) {
        fprintf(stderr, "no such type, or its blocks do not fit K\n");
        return 2;
    }
    uint32_t packets[2];
    random_seed(seed);
    enum weights weights = seed ? random_below(WEIGHTS_KINDS) : WEIGHTS_LIKELY;
    compare(shape, weights, seed ? random_below(X_KINDS) : X_NORMAL, true, 0, packets);
    printf("equal; packets of hvx: %u to quantise, %u to multiply\n", packets[0], packets[1]);
    return 0;
}

static int print_packets(uint32_t n, uint32_t k, char **ms) {
    for (uint32_t type = 0; type < N_DTYPES; type++) {
        for (char **arg = ms; *arg; arg++) {
            uint32_t m = (uint32_t)atoi(*arg), packets[2];
            struct phx_matmul mm = matmul_of((struct shape){dtypes[type], n, k, m}, NULL);
            struct memory memory = allocate(&mm, m, true, 0);
            random_seed(1);
            mm.tiles = memory.tiles.data; /* zeros: the count does not depend on the data */
            for (uint32_t row = 0; row < m; row++) {
                fill_x((uint32_t *)(memory.x.data + row * memory.x_stride), k, X_NORMAL);
            }
            run(phx_matmul_hvx(dtypes[type]), &mm, &memory, m, 0, packets);
            printf("{\"type\": \"%s\", \"n\": %u, \"k\": %u, \"m\": %u, \"packets_quantise\": %u, \"packets\": %u, "
                   "\"macs_per_packet\": %.1f}\n",
                   dtype_name(dtypes[type]), n, k, m, packets[0], packets[0] + packets[1],
                   (double)n * k * m / ((double)packets[0] + packets[1]));
            release(&memory);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && strcmp(argv[1], "sizes") == 0) {
        return check_sizes();
    }
    if (argc == 2 && strcmp(argv[1], "rows") == 0) {
        return check_rows();
    }
    if (argc == 4 && strcmp(argv[1], "check") == 0) {
        return check_random((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
    }
    if (argc > 4 && strcmp(argv[1], "packets") == 0) {
        return print_packets((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]), argv + 4);
    }
    if ((argc == 7 || argc == 8) && strcmp(argv[1], "case") == 0) {
        struct shape shape = {UINT32_MAX, (uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]), (uint32_t)atoi(argv[5])};
        dump_directory = argv[7];
        return check_one(argv[2], shape, (uint32_t)atoi(argv[6]));
    }
    fprintf(stderr,
            "usage: kernels sizes | rows | check FIRST COUNT | packets N K M... | case TYPE N K M SEED [DIRECTORY]\n");
    return 2;
}
