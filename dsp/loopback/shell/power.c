/* SPDX-License-Identifier: MIT
 *
 * Votes for clocks and HVX. There are no clocks here, so votes are logged, and answered as the option `power` says. A
 * request is 120 bytes: its type in byte 0 (the DSP's compiler packs enums), the payload from byte 8.
 */
#include <stdio.h>
#include <string.h>

#include "pd.h"
#include "shell.h"

#define TYPE_HVX 2
#define TYPE_CLASS 3
#define TYPE_DCVS_V3 12
#define LINE_SIZE 256

static uint32_t word(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Corners are stored as target, lowest, highest, behind the byte that says whether they are valid. */
static void describe(char *line, const uint8_t *request) {
    const uint8_t *payload = request + 8;
    const uint8_t *core = payload + 12;
    const uint8_t *bus = payload + 32;
    switch (request[0]) {
    case TYPE_HVX:
        snprintf(line, LINE_SIZE, "power: hvx %u", payload[0]);
        break;
    case TYPE_CLASS:
        snprintf(line, LINE_SIZE, "power: class %u", payload[0]);
        break;
    case TYPE_DCVS_V3:
        snprintf(line, LINE_SIZE,
                 "power: dcvs set %u on %u mode %u, latency set %u %u us, core set %u %u-%u target %u, "
                 "bus set %u %u-%u target %u, sleep set %u off %u",
                 payload[0], payload[1], payload[2], payload[3], (unsigned)word(payload + 4), payload[8], core[1],
                 core[2], core[0], payload[28], bus[1], bus[2], bus[0], payload[76], payload[77]);
        break;
    default:
        snprintf(line, LINE_SIZE, "power: type %u", request[0]);
    }
}

int HAP_power_set(void *context, void *request) {
    char line[LINE_SIZE];
    struct shell_thread *self = shell_self();
    (void)context;
    if (request == NULL) {
        return AEE_DSP(AEE_EBADPARM);
    }
    describe(line, request);
    shell_log(line);
    if (self == NULL) {
        return AEE_SUCCESS;
    }
    if (self->pd->power == AEE_SUCCESS && *(const uint8_t *)request == TYPE_DCVS_V3) {
        self->pd->bus_corner = ((const uint8_t *)request)[8 + 32 + 1];
    }
    return self->pd->power;
}

int HAP_power_get(void *context, void *response) {
    (void)context;
    return response != NULL ? AEE_SUCCESS : AEE_DSP(AEE_EBADPARM);
}

int HAP_power_destroy_client(void *context) {
    (void)context;
    shell_log("power: votes taken back");
    return AEE_SUCCESS;
}
