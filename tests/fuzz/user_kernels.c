/* SPDX-License-Identifier: MIT
 *
 * FUZZ_KERNEL names the image of kernel/fuzzed.c; without it no kernel is loaded, and every CALL is refused.
 */
#include "user_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../idl/pyhexagon_kernel.h"

#define ROW_COST 0x13579bdfu /* finds the descriptor in the image: its last word */
#define N_WORDS 10u          /* from n_src on */
#define MAX_IMAGE_BYTES 65536u
#define DSP_EUNABLETOLOAD ((int)0x80000406u)
#define DSP_EBADPARM ((int)0x8000040eu)
#define DSP_EALREADY ((int)0x8000041au)

_Static_assert(sizeof(struct fuzz_kernel) == N_WORDS * sizeof(uint32_t), "the end of struct phx_kernel");

static uint8_t original[MAX_IMAGE_BYTES], image[MAX_IMAGE_BYTES];
static uint32_t n_image, descriptor; /* the offset of n_src */
static struct fuzz_kernel kernels[PHX_MAX_USER_KERNELS];

/* Reads the image once. Returns false if there is none. */
static bool has_image(void) {
    const char *path = getenv("FUZZ_KERNEL");
    if (n_image || !path) {
        return n_image;
    }
    FILE *file = fopen(path, "rb");
    n_image = file ? (uint32_t)fread(original, 1, sizeof original, file) : 0;
    uint32_t cost = ROW_COST;
    for (uint32_t at = 0; at + sizeof cost <= n_image; at += sizeof cost) {
        descriptor = memcmp(original + at, &cost, sizeof cost) == 0 ? at + 4 - sizeof(struct fuzz_kernel) : descriptor;
    }
    if (!file || fclose(file) != 0 || !descriptor || n_image == sizeof original) {
        fprintf(stderr, "FUZZ_KERNEL is not the image of kernel/fuzzed.c\n");
        abort();
    }
    return true;
}

static struct fuzz_kernel any_kernel(struct random *random) {
    static const uint32_t slacks[] = {0, 128, 128, 1, 4096}, flags[] = {0, 0, PHX_KERNEL_WHOLE, PHX_KERNEL_LOADS};
    struct fuzz_kernel kernel = {.n_src = 1 + random_below(random, random_below(random, 4) ? 3 : PHX_MAX_SRC)};
    kernel.n_dst = 1 + random_below(random, random_below(random, 2) ? 1 : PHX_MAX_DST);
    if (kernel.n_src + kernel.n_dst > MAX_OPERANDS) {
        kernel.n_dst = 1;
    }
    kernel.n_params = random_below(random, PHX_MAX_PARAMS);
    kernel.flags = flags[random_below(random, 4)];
    kernel.in_place = random_below(random, 1u << kernel.n_src);
    kernel.slack = slacks[random_below(random, 5)];
    kernel.work_bytes = random_below(random, 2) ? 0 : random_below(random, random_below(random, 8) ? 5000 : 0x100001);
    kernel.vtcm_bytes = random_below(random, 2) ? 0 : random_below(random, 70000);
    kernel.stack_bytes = random_below(random, 2) ? 0 : random_below(random, 24577);
    kernel.row_cost = random_below(random, 2) ? 0 : random_below(random, 3) ? 10000 : random_word(random);
    return kernel;
}

/* What the skel must accept. */
static bool is_acceptable(const struct fuzz_kernel *kernel) {
    return kernel->n_src >= 1 && kernel->n_src <= 8 && kernel->n_dst >= 1 && kernel->n_dst <= 4 &&
           kernel->n_params <= 15 && kernel->flags <= 2 && kernel->in_place < 1u << kernel->n_src &&
           kernel->slack <= 4096 && kernel->work_bytes <= 1 << 20 && kernel->vtcm_bytes <= 1 << 20 &&
           kernel->stack_bytes <= 24576;
}

/* Gives a word of the descriptor a value at a limit or beyond it. */
static void spoil(struct random *random, struct fuzz_kernel *kernel) {
    static const uint32_t limits[] = {0,          1,          2,    3,      4,     5,          8,          9,
                                      15,         16,         4096, 4097,   24576, 24577,      0x100000,   0x100001,
                                      0x7fffffff, 0x80000000, 255,  0xff00, 0x100, 0xffffffff, 0xfffffffe, 0xffff0000};
    uint32_t words[N_WORDS];
    memcpy(words, kernel, sizeof words);
    words[random_below(random, N_WORDS)] = limits[random_below(random, sizeof limits / sizeof *limits)];
    memcpy(kernel, words, sizeof words);
}

static int send(fuzz_load load, uint32_t number, uint32_t n_bytes) {
    uint32_t in[4] = {number, 0, 7, n_bytes};
    return load(in, "fuzzed", image);
}

static const char *load_one(struct random *random, fuzz_load load) {
    uint32_t number = random_below(random, random_below(random, 8) ? 8 : PHX_MAX_USER_KERNELS + 4);
    struct fuzz_kernel kernel = any_kernel(random);
    if (random_below(random, 3) == 0) {
        spoil(random, &kernel);
    }
    memcpy(image, original, n_image);
    memcpy(image + descriptor, &kernel, sizeof kernel);
    int expected = number >= PHX_MAX_USER_KERNELS ? DSP_EBADPARM
                   : kernels[number].n_src        ? DSP_EALREADY
                   : is_acceptable(&kernel)       ? 0
                                                  : DSP_EBADPARM;
    int result = send(load, number, n_image);
    if (result != expected) {
        fprintf(stderr, "load_kernel: 0x%x, not 0x%x\n", (unsigned)result, (unsigned)expected);
        return "another answer to a kernel's descriptor";
    }
    if (result == 0) {
        kernels[number] = kernel;
    }
    return NULL;
}

/* Loads what is no kernel: other versions, no function, no ELF file, a file that is not there, names without an end. */
static const char *load_wrong(struct random *random, fuzz_load load) {
    uint32_t number = PHX_MAX_USER_KERNELS - 1, word = random_below(random, 3) + 2, in[4] = {number, 0, 7, n_image};
    int expected = DSP_EBADPARM, result;
    if (kernels[number].n_src) {
        return NULL;
    }
    memcpy(image, original, n_image);
    switch (random_below(random, 6)) {
    case 0: /* abi or size, before the pointer of the function: another version, or a shorter struct */
        memcpy(image + descriptor - (image[4] == 2 ? 16 : 12) + 4 * random_below(random, 2), &word, sizeof word);
        result = send(load, number, n_image);
        break;
    case 1:
        memset(image, 0, 4);
        expected = DSP_EUNABLETOLOAD;
        result = send(load, number, n_image);
        break;
    case 2:
        expected = DSP_EUNABLETOLOAD;
        result = send(load, number, 1 + random_below(random, 63));
        break;
    case 3:
        in[1] = 1;
        in[3] = 12;
        memcpy(image, "/none/at/al", 12);
        expected = DSP_EUNABLETOLOAD;
        result = load(in, "fuzzed", image);
        break;
    case 4:
        in[2] = random_below(random, 7); /* without the 0 at its end */
        result = load(in, "fuzzed", image);
        break;
    default:
        in[1] = 2 + random_word(random) % 1000;
        result = load(in, "fuzzed", image);
    }
    return result == expected ? NULL : "another answer to an image that is no kernel";
}

static const char *unload_one(struct random *random, fuzz_load load) {
    uint32_t number = random_below(random, 8);
    kernels[number] = (struct fuzz_kernel){0};
    return send(load, number, 0) == 0 ? NULL : "a kernel cannot be unloaded";
}

const char *begin_kernels(struct random *random, fuzz_load load) {
    const char *problem = NULL;
    memset(kernels, 0, sizeof kernels);
    for (int i = 0; i < 6 && !problem && has_image(); i++) {
        problem = load_one(random, load);
    }
    return problem;
}

const char *change_kernels(struct random *random, fuzz_load load) {
    if (!has_image()) {
        return NULL;
    }
    uint32_t what = random_below(random, 4);
    return what == 0 ? unload_one(random, load) : what == 1 ? load_wrong(random, load) : load_one(random, load);
}

/* --- Calls --- */

static bool add_operand(struct maker *maker, uint32_t slack, const uint32_t n[4]) {
    static const struct {
        uint32_t dtype, n_bytes;
    } types[] = {{PHX_F32, 4}, {PHX_I32, 4}, {PHX_F16, 2}, {PHX_I16, 2}, {PHX_U16, 2}, {PHX_I8, 1}, {PHX_U8, 1}};
    uint32_t type = random_below(maker->random, sizeof types / sizeof *types), element = types[type].n_bytes;
    struct phx_tensor *tensor = &maker->tensors[maker->n_tensors++];
    *tensor = rows(maker->random, types[type].dtype, element, n);
    return place(maker->random, maker->memory, tensor, rows_bytes(tensor) + slack, 4);
}

static void any_lengths(struct random *random, uint32_t n[4]) {
    n[0] = 1 + random_below(random, random_below(random, 4) ? 40 : 400);
    for (int i = 1; i < 4; i++) {
        n[i] = random_below(random, 2) ? 1 : random_below(random, 6);
    }
}

bool make_call(struct maker *maker) {
    struct random *random = maker->random;
    uint32_t number = random_below(random, random_below(random, 8) ? 8 : PHX_MAX_USER_KERNELS), n[4];
    struct fuzz_kernel kernel = kernels[number];
    maker->is_valid = kernel.n_src != 0;
    if (!kernel.n_src || kernel.n_src + kernel.n_dst > MAX_OPERANDS) {
        kernel = (struct fuzz_kernel){.n_src = 1, .n_dst = 1};
        maker->is_valid = false;
    }
    memset(maker->op->params, 0, sizeof maker->op->params);
    maker->op->params[0] = number;
    for (uint32_t i = 0; i < kernel.n_params; i++) {
        maker->op->params[1 + i] = random_word(random) | 1u << 31;
    }
    if (kernel.n_params && random_below(random, 16) == 0) {
        maker->op->params[1] = 0xfa11; /* the kernel returns an error */
        maker->is_valid = false;
    }
    any_lengths(random, n);
    for (uint32_t i = 0; i < kernel.n_src + kernel.n_dst; i++) {
        if (random_below(random, 4) == 0) {
            any_lengths(random, n);
        }
        if (!add_operand(maker, kernel.slack, n)) {
            return false;
        }
        *(i < kernel.n_src ? &maker->op->src[i] : &maker->op->dst[i - kernel.n_src]) = i;
    }
    uint32_t first = random_below(random, kernel.n_src);
    if (random_below(random, 4) == 0) {
        maker->tensors[kernel.n_src] = maker->tensors[first];
        maker->is_valid = maker->is_valid && kernel.in_place >> first & 1;
    }
    return true;
}
