/* SPDX-License-Identifier: MIT
 *
 * Converts elements of one type to another: docs/math.md, 14. All conversions but copies go through float32, 32 at a
 * time.
 */
#include "convert.h"

#include "math/ref/divide.h"
#include "math/ref/float16.h"
#include "runtime/libc.h"

#define BLOCK 32u
#define MIN_MAGNITUDE                                                                                                  \
    (17 * MATH_EXPONENT_ONE) /* limit of a block's largest magnitude, 2^-110: smaller blocks become zero */

static uint32_t read_16(const uint8_t *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8;
}

static void write_16(uint8_t *to, uint32_t x) {
    to[0] = (uint8_t)x;
    to[1] = (uint8_t)(x >> 8);
}

/* Returns code * d, exactly. d is a float16. */
static uint32_t scaled(int32_t code, uint32_t d) {
    uint32_t magnitude = (uint32_t)(code < 0 ? -code : code), exponent = d >> 10 & 31, mantissa = d & 0x3ff;
    uint32_t sign = (code < 0 ? MATH_SIGN : 0) ^ (d << 16 & MATH_SIGN);
    if (exponent == 31) {
        return mantissa || code == 0 ? MATH_NAN : sign | MATH_INFINITY;
    }
    mantissa |= exponent ? 0x400 : 0;
    exponent = exponent ? exponent : 1;
    return math_pack_parts(magnitude * mantissa, 0, (int64_t)(exponent + 102) * MATH_EXPONENT_ONE, sign, sign);
}

static void unpack_q8_0(const uint8_t *from, uint32_t *to) {
    for (uint32_t i = 0; i < BLOCK; i++) {
        to[i] = scaled((int8_t)from[2 + i], read_16(from));
    }
}

static void unpack_q4_0(const uint8_t *from, uint32_t *to) {
    for (uint32_t i = 0; i < BLOCK; i++) {
        to[i] = scaled((from[2 + i % 16] >> (i < 16 ? 0 : 4) & 15) - 8, read_16(from));
    }
}

/* Returns the first element with the largest magnitude. */
static uint32_t largest_of(const uint32_t *x) {
    uint32_t largest = x[0];
    for (uint32_t i = 1; i < BLOCK; i++) {
        largest = (x[i] & MATH_MAGNITUDE) > (largest & MATH_MAGNITUDE) ? x[i] : largest;
    }
    return largest;
}

static bool is_ordinary(uint32_t magnitude) {
    return magnitude >= MIN_MAGNITUDE && magnitude < MATH_INFINITY;
}

/* Returns |x| * y of 24-bit mantissas in Q29, rounded down, and the left shift of its unit from 2^-28. */
static uint32_t product_q29(uint32_t x, uint32_t y) {
    return (uint32_t)((uint64_t)math_mantissa_24(x) * math_mantissa_24(y) >> 17);
}

static int32_t sum_of_exponents(uint32_t x, uint32_t y) {
    return (int32_t)((x >> 23 & 255) + (y >> 23 & 255)) - 254;
}

/* Returns x * inverse as float32, rounded to the nearest integer, halves away from 0. */
static int32_t q8_code(uint32_t x, uint32_t inverse) {
    uint32_t product = product_q29(x, inverse), half = product >> 30 ? 64 : 32;
    int32_t shift = 28 - sum_of_exponents(x, inverse);
    int32_t code = shift > 31 ? 0 : (int32_t)(((product + half) >> shift) + 1) >> 1;
    return x & MATH_SIGN ? -code : code;
}

static void pack_q8_0(const uint32_t *from, uint8_t *to) {
    uint32_t largest = largest_of(from) & MATH_MAGNITUDE;
    bool ordinary = is_ordinary(largest);
    uint32_t d = ordinary ? math_divide_by_127(largest) : 0, inverse = ordinary ? math_reciprocal_f32(d) : 0;
    write_16(to, largest >= MATH_INFINITY ? 0x7e00 : math_f32_to_f16(d));
    for (uint32_t i = 0; i < BLOCK; i++) {
        to[2 + i] = (uint8_t)(ordinary ? q8_code(from[i], inverse) : 0);
    }
}

/* Returns x * inverse + 8.5 in Q25, with each step rounded to float32, truncated. `negative` is the product's sign. */
static uint32_t q4_code(uint32_t x, uint32_t inverse, bool negative) {
    uint32_t product = product_q29(x, inverse);
    int32_t exponent = sum_of_exponents(x, inverse) + (product >> 30 ? 1 : 0);
    product |= ((uint64_t)math_mantissa_24(x) * math_mantissa_24(inverse) & 0x1ffff) != 0;
    product = product >> 30 ? product : product << 1;
    uint32_t rounded = (product + 63 + (product >> 7 & 1)) >> 7; /* to even, 24 bits */
    uint32_t magnitude = exponent < -28 ? 0 : rounded << 5 >> (3 - exponent);
    uint32_t sum = 17 << 24;
    sum = negative ? sum - magnitude : sum + magnitude;
    uint32_t above = sum >> 24 ? 31u - (uint32_t)__builtin_clz(sum) - 24 : 0; /* half a unit of the sum in float32 */
    uint32_t code = (sum + (sum >> 24 ? 1u << above : 0)) >> 25;
    return code < 15 ? code : 15;
}

static void pack_q4_0(const uint32_t *from, uint8_t *to) {
    uint32_t largest = largest_of(from), magnitude = largest & MATH_MAGNITUDE, sign = ~largest & MATH_SIGN;
    bool ordinary = is_ordinary(magnitude);
    uint32_t d = ordinary ? magnitude - 3 * MATH_EXPONENT_ONE : 0, codes[BLOCK];
    uint32_t inverse = ordinary ? math_reciprocal_f32(d) : 0;
    write_16(to, magnitude >= MATH_INFINITY ? 0x7e00 : math_f32_to_f16(d | sign));
    for (uint32_t i = 0; i < BLOCK; i++) {
        codes[i] = ordinary ? q4_code(from[i], inverse, (from[i] ^ sign) >> 31) : 8;
    }
    for (uint32_t i = 0; i < BLOCK / 2; i++) {
        to[2 + i] = (uint8_t)(codes[i] | codes[i + BLOCK / 2] << 4);
    }
}

static uint32_t f32_to_bf16(uint32_t x) {
    x = math_is_nan(x) ? (x & 0xffff0000) | 0x00400000 : x;
    return (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

static void to_f32(uint32_t dtype, const uint8_t *from, uint32_t *to, uint32_t n) {
    switch (dtype) {
    case PHX_Q8_0:
        unpack_q8_0(from, to);
        break;
    case PHX_Q4_0:
        unpack_q4_0(from, to);
        break;
    case PHX_F32:
        memcpy(to, from, n * sizeof(*to));
        break;
    default:
        for (uint32_t i = 0; i < n; i++) {
            uint32_t half = read_16(from + 2 * i);
            to[i] = dtype == PHX_F16 ? math_f16_to_f32(half) : half << 16;
        }
    }
}

static void from_f32(uint32_t dtype, const uint32_t *from, uint8_t *to, uint32_t n) {
    switch (dtype) {
    case PHX_Q8_0:
        pack_q8_0(from, to);
        break;
    case PHX_Q4_0:
        pack_q4_0(from, to);
        break;
    case PHX_F32:
        memcpy(to, from, n * sizeof(*from));
        break;
    default:
        for (uint32_t i = 0; i < n; i++) {
            write_16(to + 2 * i, dtype == PHX_F16 ? math_f32_to_f16(from[i]) : f32_to_bf16(from[i]));
        }
    }
}

void ref_convert(uint32_t from_dtype, const uint8_t *from, uint32_t to_dtype, uint8_t *to, uint32_t n) {
    struct phx_grain from_grain = phx_grain_of(from_dtype), to_grain = phx_grain_of(to_dtype);
    uint32_t words[BLOCK];
    if (from_dtype == to_dtype) {
        memcpy(to, from, phx_bytes_of(from_grain, n));
        return;
    }
    for (uint32_t i = 0; i < n; i += BLOCK) {
        uint32_t n_now = n - i < BLOCK ? n - i : BLOCK;
        to_f32(from_dtype, from, words, n_now);
        from_f32(to_dtype, words, to, n_now);
        from += phx_bytes_of(from_grain, n_now);
        to += phx_bytes_of(to_grain, n_now);
    }
}

/* --- Elements with strides --- */

#define AT_ONCE 64u

static bool is_dense(const struct phx_run *run) {
    return run->step == phx_grain_of(run->dtype).n_bytes;
}

static void gather(const struct phx_run *from, uint32_t first, uint32_t n, uint8_t *to) {
    const uint8_t *at = from->data + first * from->step;
    for (uint32_t i = 0; i < n; i++, at += from->step) {
        if (phx_grain_of(from->dtype).n_bytes == 4) {
            ((uint32_t *)to)[i] = *(const uint32_t *)at;
        } else {
            ((uint16_t *)to)[i] = *(const uint16_t *)at;
        }
    }
}

static void scatter(const uint8_t *from, const struct phx_run *to, uint32_t first, uint32_t n) {
    uint8_t *at = to->data + first * to->step;
    for (uint32_t i = 0; i < n; i++, at += to->step) {
        if (phx_grain_of(to->dtype).n_bytes == 4) {
            *(uint32_t *)at = ((const uint32_t *)from)[i];
        } else {
            *(uint16_t *)at = ((const uint16_t *)from)[i];
        }
    }
}

void ref_convert_run(phx_converter *convert, const struct phx_run *from, const struct phx_run *to, uint32_t n) {
    uint32_t gathered[AT_ONCE], converted[AT_ONCE];
    struct phx_grain from_grain = phx_grain_of(from->dtype), to_grain = phx_grain_of(to->dtype);
    bool from_is_dense = is_dense(from), to_is_dense = is_dense(to);
    if (from_is_dense && to_is_dense) {
        convert(from->dtype, from->data, to->dtype, to->data, n);
        return;
    }
    for (uint32_t i = 0; i < n; i += AT_ONCE) {
        uint32_t n_now = n - i < AT_ONCE ? n - i : AT_ONCE;
        const uint8_t *source = from_is_dense ? from->data + phx_bytes_of(from_grain, i) : (const uint8_t *)gathered;
        uint8_t *target = to_is_dense ? to->data + phx_bytes_of(to_grain, i) : (uint8_t *)converted;
        if (!from_is_dense) {
            gather(from, i, n_now, (uint8_t *)gathered);
        }
        convert(from->dtype, source, to->dtype, target, n_now);
        if (!to_is_dense) {
            scatter((const uint8_t *)converted, to, i, n_now);
        }
    }
}
