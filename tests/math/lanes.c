/* SPDX-License-Identifier: MIT
 *
 * Compares dsp/math/hvx with dsp/math/ref, lane by lane, inside qemu-hexagon: every exponent (every pair for two
 * arguments), special values, and random mantissas. Exits with code 1 at the first difference.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/random.h"
#include "functions.h"

#define GROUP 64 /* numbers that share an exponent argument */
#define N_AT_ONCE 16384

static const char *const names[] = {
#define X(name, a, b) #name,
    MATH_FUNCTIONS(X)
#undef X
};
static const enum argument arguments[][2] = {
#define X(name, a, b) {a, b},
    MATH_FUNCTIONS(X)
#undef X
};

static _Alignas(128) uint32_t a[N_AT_ONCE], b[N_AT_ONCE], expected[N_AT_ONCE], got[N_AT_ONCE];

static uint32_t any_word(void) {
    static const uint32_t special[] = {0,          0x80000000, 1,          0xffffffff, 0x7fffffff, 0x80000001,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x7f7fffff, 0x00800000,
                                       0x007fffff, 0x8000,     0x7fff,     0x40000000, 0xc0000000, 0x20000000};
    switch (random_below(4)) {
    case 0:
        return special[random_below(sizeof(special) / sizeof(*special))];
    case 1:
        return random_u32() >> random_below(32);
    case 2:
        return 0u - (random_u32() >> random_below(32));
    default:
        return random_u32();
    }
}

/* Returns a float with random sign and mantissa; in one of four cases with few ones or few zeros. */
static uint32_t float_of(uint32_t exponent) {
    uint32_t mantissa = random_u32();
    switch (random_below(8)) {
    case 0:
        mantissa = 0;
        break;
    case 1:
        mantissa = 0x7fffff;
        break;
    case 2:
        mantissa = 1u << random_below(23);
        break;
    case 3:
        mantissa = ~(1u << random_below(23));
    }
    return (random_u32() & 0x80000000) | exponent << 23 | (mantissa & 0x7fffff);
}

/* Returns number i of a sequence that enumerates all exponents; `round` selects what a group shares. */
static uint32_t argument(enum argument kind, uint32_t i, uint32_t round) {
    switch (kind) {
    case ANY_I16:
        return (uint32_t)((int32_t)(any_word() << 16) >> 16);
    case ANY_U16:
        return i & 0xffff;
    case FLOAT:
        return float_of(i % 255);
    case UNIT:
        return (round % 512 - 256) << 23;
    case ROW_EXPONENT:
        return (31 + round % 224) << 23;
    case FRACTION_Q15:
        return i & 0x7fff;
    case FRACTION_Q31:
        return any_word() & 0x7fffffff;
    case T_Q15:
        return any_word() & 0x7fffff;
    case ONE_TO_TWO_Q14:
        return 16384 + i % 16384;
    case ONE_TO_TWO_Q30:
        return 0x40000000 | (any_word() & 0x3fffffff);
    case ONE_TO_FOUR_Q29:
        return 0x20000000 + (any_word() % 0x60000000);
    default:
        return any_word();
    }
}

static void fill(uint32_t function, uint32_t first) {
    for (uint32_t i = 0; i < N_AT_ONCE; i++) {
        uint32_t round = (first + i) / GROUP;
        a[i] = argument(arguments[function][0], first + i, round);
        /* 255 exponents of a by 255 of b: all pairs, in 65025 numbers */
        b[i] = argument(arguments[function][1], (first + i) / 255, round);
        if (arguments[function][1] == ROW_EXPONENT) { /* exponents of a from 0 up to it, in turn */
            a[i] = float_of((first + i) % ((b[i] >> 23) + 1));
        }
    }
}

int main(int argc, char **argv) {
    uint32_t n = argc == 2 ? (uint32_t)atoi(argv[1]) : 0;
    random_seed(1);
    for (uint32_t function = 0; function < N_FUNCTIONS; function++) {
        for (uint32_t first = 0; first < n; first += N_AT_ONCE) {
            fill(function, first);
            apply_ref(function, a, b, expected, N_AT_ONCE);
            apply_hvx(function, a, b, got, N_AT_ONCE);
            for (uint32_t i = 0; i < N_AT_ONCE; i++) {
                if (expected[i] != got[i]) {
                    printf("%s(%08x, %08x), lane %u: ref %08x, hvx %08x\n", names[function], a[i], b[i], i % 32,
                           expected[i], got[i]);
                    return 1;
                }
            }
        }
        printf("%s: %u lanes equal\n", names[function], n);
    }
    return 0;
}
