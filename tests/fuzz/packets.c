/* SPDX-License-Identifier: MIT */
#include "packets.h"

#include <stdio.h>
#include <string.h>

#define TIMEOUT_US 600000000u
#define PROGRAM N_PROGRAMS

enum kind {
    DEFINE,
    RUN,
    DROP,
    DEFINE_AND_DROP
};

/* Memory shared with the skel: a request of each kind, then a response for each packet. */
static uint8_t *request_at(uint8_t *bytes, uint32_t kind) {
    return bytes + kind * MAX_REQUEST_BYTES;
}

static uint8_t *response_at(uint8_t *bytes, uint32_t number) {
    return bytes + (N_KINDS + number) * MAX_REQUEST_BYTES;
}

/* Writes the requests. Returns their sizes. */
static void make_requests(struct random *random, const struct fuzz_memory *memory, uint8_t *bytes, uint32_t *sizes) {
    static const uint32_t actions[N_KINDS] = {PHX_DEFINE, PHX_RUN, PHX_DROP, PHX_DEFINE | PHX_DROP};
    static struct fuzz_request definition;
    do {
        make_definition(random, memory, &definition);
    } while (!definition.is_valid);
    for (uint32_t kind = 0; kind < N_KINDS; kind++) {
        struct phx_request header;
        bool defines = actions[kind] & PHX_DEFINE;
        sizes[kind] = defines ? definition.n_bytes : sizeof header;
        memcpy(request_at(bytes, kind), definition.bytes, sizes[kind]);
        memcpy(&header, definition.bytes, sizeof header);
        header.size = sizes[kind];
        header.actions = actions[kind];
        header.program = PROGRAM;
        header.sequence = random_word(random);
        memcpy(request_at(bytes, kind), &header, sizeof header);
    }
}

static const char *read_answer(dspqueue_t queue, uint64_t sequence) {
    struct dspqueue_buffer buffers[DSPQUEUE_MAX_BUFFERS];
    struct phx_message message;
    uint32_t flags, n_buffers, n_message;
    if (dspqueue_read(queue, &flags, DSPQUEUE_MAX_BUFFERS, &n_buffers, buffers, sizeof message, &n_message,
                      (uint8_t *)&message, TIMEOUT_US) != 0) {
        return "no answer to one of several packets";
    }
    if (n_buffers != 2 || n_message != sizeof message || message.sequence != sequence ||
        message.kind != PHX_MESSAGE_RUN || message.result != 0) {
        return "answers in another order";
    }
    return NULL;
}

/* Returns whether a response is what a program in this state makes it, and keeps the state. */
static bool is_expected(const uint8_t *bytes, uint32_t kind, const uint8_t *request, bool *is_defined) {
    struct phx_request header;
    struct phx_response response;
    memcpy(&header, request, sizeof header);
    memcpy(&response, bytes, sizeof response);
    uint32_t status = *is_defined || header.actions & PHX_DEFINE ? PHX_OK : PHX_E_PROGRAM;
    *is_defined = kind == DEFINE || (kind == RUN && *is_defined);
    bool is_right = response.magic == PHX_RESPONSE_MAGIC && response.sequence == header.sequence &&
                    response.status == status;
    if (!is_right) {
        fprintf(stderr, "actions %u: status %u at op %d, not %u\n", header.actions, response.status,
                (int)response.failed_op, status);
    }
    return is_right;
}

const char *send_packets(struct random *random, dspqueue_t queue, const struct fuzz_memory *memory, uint8_t *bytes,
                         int32_t fd) {
    uint32_t sizes[N_KINDS], kinds[MAX_IN_QUEUE], n = 3 + random_below(random, MAX_IN_QUEUE - 2);
    uint64_t first = random_word(random);
    bool is_defined = false;
    make_requests(random, memory, bytes, sizes);
    for (uint32_t i = 0; i < n; i++) {
        /* in an order that no host sends, one of three twice, between what leaves no program */
        kinds[i] = i == 0 || i + 1 == n           ? DEFINE_AND_DROP
                   : random_below(random, 3) == 0 ? kinds[i - 1]
                                                  : random_below(random, N_KINDS);
        struct dspqueue_buffer buffers[2] = {
            {.fd = (uint32_t)fd,
             .offset = kinds[i] * MAX_REQUEST_BYTES,
             .size = sizes[kinds[i]],
             .flags = DSPQUEUE_BUFFER_FLAG_REF},
            {.fd = (uint32_t)fd,
             .offset = (N_KINDS + i) * MAX_REQUEST_BYTES,
             .size = MAX_REQUEST_BYTES,
             .flags = DSPQUEUE_BUFFER_FLAG_REF},
        };
        struct phx_message message = {PHX_MESSAGE_RUN, 0, first - i};
        memset(response_at(bytes, i), 0, sizeof(struct phx_response));
        if (dspqueue_write(queue, 0, 2, buffers, sizeof message, (const uint8_t *)&message, TIMEOUT_US) != 0) {
            return "dspqueue_write of one of several packets";
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *problem = read_answer(queue, first - i);
        if (problem) {
            return problem;
        }
        if (!is_expected(response_at(bytes, i), kinds[i], request_at(bytes, kinds[i]), &is_defined)) {
            return "response that does not follow from the packets before";
        }
    }
    return NULL;
}
