/* SPDX-License-Identifier: MIT
 *
 * The layout of a power request was taken from public headers; enums are one byte there, as the DSP's compilers pack
 * them.
 */
#include "power.h"

#include <stdbool.h>

#include "hap.h"

enum {
    TYPE_HVX = 2,
    TYPE_CLASS = 3,
    TYPE_DCVS_V3 = 12
};
enum {
    CLASS_COMPUTE = 4
};
enum {
    MODE_ADJUST = 1, /* up and down with the load */
    MODE_POWER_SAVER = 4,
    MODE_PERFORMANCE = 16
};
enum {
    CORNER_LOWEST = 1,
    CORNER_LOW = 2,
    CORNER_NOMINAL = 4,
    CORNER_HIGHEST = 255
};

#define WAKE_UP_US 100

struct corners {
    uint8_t target;
    uint8_t lowest;
    uint8_t highest;
    uint32_t reserved[3];
};

/* Each set_ field says whether the field behind it is valid. */
struct dcvs_v3 {
    uint8_t set_enable;
    uint8_t enable;
    uint8_t mode;
    uint8_t set_latency;
    uint32_t latency_us;
    uint8_t set_core;
    struct corners core;
    uint8_t set_bus;
    struct corners bus;
    uint8_t set_reserved;
    uint32_t reserved[6];
    uint8_t set_sleep_disable;
    uint8_t sleep_disable;
};

struct request {
    uint8_t type;
    union {
        uint8_t application_class;
        uint8_t hvx_on;
        struct dcvs_v3 dcvs;
        uint64_t room[14]; /* padding to the largest payload of the union */
    };
};

_Static_assert(sizeof(struct dcvs_v3) == 80, "dcvs_v3");
_Static_assert(offsetof(struct dcvs_v3, core) == 12 && offsetof(struct dcvs_v3, bus) == 32, "dcvs_v3's corners");
_Static_assert(offsetof(struct dcvs_v3, set_sleep_disable) == 76, "dcvs_v3.set_sleep_disable");
_Static_assert(sizeof(struct request) == 120 && offsetof(struct request, dcvs) == 8, "power request");

int HAP_power_set(void *client, void *request);
extern int HAP_power_destroy_client(void *client) __attribute__((weak)); /* only newer firmware exports it */

/* Converts a result of HAP_power_set: an AEE code with or without the DSP's base, or -1 failed, -2 bad parameter, -3
 * unsupported. */
static int as_code(int result) {
    static const int negatives[] = {[1] = DSP_EFAILED, [2] = DSP_EBADPARM, [3] = DSP_EUNSUPPORTED};
    if (result < 0 && result >= -3) {
        return negatives[-result];
    }
    return result > 0 ? (int)(AEE_DSP_BASE + (uint32_t)result) : result;
}

static int vote(const void *client, struct request *request, const char *what, struct phx_log *log) {
    int error = as_code(HAP_power_set((void *)(uintptr_t)client, request));
    phx_log_write(log, error ? PHX_LOG_WARNING : PHX_LOG_INFO, "vote for %s: 0x%x", what, (unsigned)error);
    return error;
}

/* Clocks of the core and of the bus. `is_fixed` switches DCVS, which follows the load, and sleep off. */
struct mode {
    uint8_t dcvs;
    uint8_t lowest;
    uint8_t target;
    uint8_t highest;
    bool is_fast;
    bool is_fixed;
};

static const struct mode modes[] = {
    [PHX_POWER_LOW] = {MODE_POWER_SAVER, CORNER_LOWEST, CORNER_LOW, CORNER_NOMINAL, false, false},
    [PHX_POWER_BALANCED] = {MODE_ADJUST, CORNER_LOW, CORNER_NOMINAL, CORNER_HIGHEST, true, false},
    [PHX_POWER_PERFORMANCE] = {MODE_PERFORMANCE, CORNER_NOMINAL, CORNER_HIGHEST, CORNER_HIGHEST, true, false},
    [PHX_POWER_BURST] = {MODE_PERFORMANCE, CORNER_HIGHEST, CORNER_HIGHEST, CORNER_HIGHEST, true, true},
};

/* Every vote decides on sleep: an earlier one may have switched it off. */
static struct dcvs_v3 clocks(const struct mode *mode) {
    struct corners corners = {.target = mode->target, .lowest = mode->lowest, .highest = mode->highest};
    return (struct dcvs_v3){.set_enable = 1,
                            .enable = !mode->is_fixed,
                            .mode = mode->dcvs,
                            .set_latency = mode->is_fast,
                            .latency_us = mode->is_fast ? WAKE_UP_US : 0,
                            .set_core = 1,
                            .core = corners,
                            .set_bus = 1,
                            .bus = corners,
                            .set_sleep_disable = 1,
                            .sleep_disable = mode->is_fixed};
}

int phx_power_vote(const void *client, uint32_t power, struct phx_log *log) {
    if (power > PHX_POWER_BURST) {
        return DSP_EBADPARM;
    }
    if (power == PHX_POWER_SYSTEM) {
        return AEE_SUCCESS;
    }
    struct request class = {.type = TYPE_CLASS, .application_class = CLASS_COMPUTE};
    struct request dcvs = {.type = TYPE_DCVS_V3, .dcvs = clocks(&modes[power])};
    struct request hvx = {.type = TYPE_HVX, .hvx_on = 1};
    int errors[] = {
        vote(client, &class, "the compute class", log),
        vote(client, &dcvs, "clocks", log),
        vote(client, &hvx, "HVX", log),
    };
    return errors[0] ? errors[0] : errors[1] ? errors[1] : errors[2];
}

void phx_power_release(const void *client) {
    if (HAP_power_destroy_client) {
        HAP_power_destroy_client((void *)(uintptr_t)client);
    }
}
