/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/pool.h"

#define PAGE 4096

struct guarded guarded_alloc(size_t n_bytes, bool at_end) {
    size_t inside = (n_bytes + PAGE - 1) / PAGE * PAGE;
    struct guarded area = {NULL, n_bytes, NULL, inside + 2 * PAGE};
    area.map = mmap(NULL, area.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area.map == MAP_FAILED || mprotect(area.map + PAGE, inside, PROT_READ | PROT_WRITE) != 0) {
        fprintf(stderr, "no memory for %zu bytes\n", n_bytes);
        exit(2);
    }
    area.data = area.map + PAGE + (at_end ? inside - n_bytes : 0);
    return area;
}

/* Harnesses run on one thread, without a pool. */
void phx_pool_barrier(struct phx_pool *pool, uint32_t thread) {
    (void)pool, (void)thread;
}

void guarded_free(struct guarded *area) {
    munmap(area->map, area->map_bytes);
}

const char *dump_directory;

void dump(const char *name, const void *data, size_t n_bytes) {
    char path[512];
    if (!dump_directory) {
        return;
    }
    snprintf(path, sizeof(path), "%s/%s.bin", dump_directory, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, n_bytes, file) != n_bytes || fclose(file) != 0) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(2);
    }
    printf("%s: %zu bytes\n", path, n_bytes);
}

struct phx_matmul matmul_of(struct shape shape, const uint8_t *tiles) {
    const struct phx_weight_type *type = phx_weight_type(shape.dtype);
    return (struct phx_matmul){.dtype = shape.dtype,
                               .reads_groups = phx_n_blocks(shape.k) % PHX_BLOCKS_OF_GROUP == 0,
                               .k = shape.k,
                               .n = shape.n,
                               .n_blocks = phx_n_blocks(shape.k),
                               .ds = (uint16_t)phx_ds(type, shape.k),
                               .dm = (uint16_t)phx_dm(type, shape.k),
                               .tile_bytes = phx_tile_bytes(type, shape.k),
                               .tiles = tiles,
                               .last_block = phx_n_blocks(shape.k),
                               .first_byte = PHX_TABLE_BYTES};
}

const char *dtype_name(uint32_t dtype) {
    switch (dtype) {
#define TYPE(name, ...)                                                                                                \
    case PHX_##name:                                                                                                   \
        return #name;
#include "../../idl/types.h"
#undef TYPE
    default:
        return "?";
    }
}

/* Returns words with extreme 16-bit and 8-bit fields. */
static uint32_t extreme_word(void) {
    static const uint32_t words[] = {0,          0xffffffff, 0x80008000, 0x7fff7fff,
                                     0x7fff8000, 0x80808080, 0x7f7f7f7f, 0x0f0ff0f0};
    return words[random_below(sizeof(words) / sizeof(*words))];
}

void fill_tiles(const struct phx_matmul *mm, uint8_t *tiles, enum weights kind) {
    for (uint32_t tile = 0; tile < (mm->n + 63) / 64; tile++) {
        uint32_t *word = (uint32_t *)(tiles + (size_t)tile * mm->tile_bytes);
        uint32_t repeated = extreme_word();
        for (uint32_t i = 0; i < mm->tile_bytes / 4; i++) {
            uint32_t extreme = random_below(8) ? repeated : extreme_word();
            word[i] = kind == WEIGHTS_EXTREME ? extreme : random_u32();
        }
        for (uint32_t row = 0; row < 64 && kind != WEIGHTS_ANY_BYTES; row++) {
            /* exponents that give finite results with likely activations, some that overflow, some NaN rows */
            int32_t exponent = random_below(32) == 0 ? PHX_ROW_NAN : (int32_t)random_below(300) - 250;
            word[row] = (uint32_t)(exponent & 0xffff) | (1 + random_below(12)) << 16 | (1 + random_below(12)) << 24;
        }
    }
}

static uint32_t float_bits(uint32_t sign, uint32_t exponent, uint32_t mantissa) {
    return sign << 31 | exponent << 23 | (mantissa & 0x7fffff);
}

void fill_x(uint32_t *x, uint32_t k, enum activations kind) {
    static const uint32_t special[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x00000001,
                                       0x807fffff, 0x80000000, 0x7f7fffff};
    uint32_t base = 100;
    for (uint32_t i = 0; i < k; i++) {
        if (i % 32 == 0) {
            base = random_below(240);
        }
        switch (kind) {
        case X_ANY_BITS:
            x[i] = random_u32();
            break;
        case X_ZERO:
            x[i] = 0;
            break;
        case X_UNEVEN: /* each block of another magnitude, also below 2^-95 */
            x[i] = float_bits(random_u32() & 1, base + random_below(14), random_u32());
            break;
        case X_EXTREME: /* all of one magnitude: the largest sums */
            x[i] = float_bits(k & 1, 127, 0x7fffff);
            break;
        default:
            x[i] = float_bits(random_u32() & 1, 127 - random_below(8), random_u32());
        }
    }
    if (kind == X_SPECIAL) {
        x[random_below(k)] = special[random_below(sizeof(special) / sizeof(*special))];
    }
}
