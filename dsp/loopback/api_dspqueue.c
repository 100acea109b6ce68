/* SPDX-License-Identifier: MIT
 *
 * The exported functions of dspqueue.h. CPU and DSP have them under the same names; here one symbol serves both, and
 * the queue knows which end it is. Only the CPU's calls are recorded and can be told to fail.
 */
#include "calls.h"
#include "queue_cpu.h"
#include "shell/pd.h"
#include "shell/shell.h"

static uint64_t number(const void *pointer) {
    return (uint64_t)(uintptr_t)pointer;
}

/* A call from a skel: ends the thread here if its PD is dead or died during the call. */
#define ON_DSP(expression)                                                                                             \
    ({                                                                                                                 \
        shell_leave_if_dead();                                                                                         \
        AEEResult result_ = (expression);                                                                              \
        shell_leave_if_dead();                                                                                         \
        result_;                                                                                                       \
    })

AEEResult dspqueue_create(int domain, uint32_t flags, uint32_t req_queue_size, uint32_t resp_queue_size,
                          dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *callback_context, dspqueue_t *queue) {
    return CALL(dspqueue_create, NULL,
                queue_create(domain, flags, req_queue_size, resp_queue_size, packet_callback, error_callback,
                             callback_context, queue),
                (uint64_t)domain, flags, req_queue_size, resp_queue_size);
}

AEEResult dspqueue_close(dspqueue_t queue) {
    if (queue != NULL && !queue->side->is_cpu) {
        return ON_DSP(shell_dspqueue_close(queue));
    }
    return CALL(dspqueue_close, NULL, queue_close(queue), number(queue));
}

AEEResult dspqueue_export(dspqueue_t queue, uint64_t *queue_id) {
    return CALL(dspqueue_export, NULL, queue_export(queue, queue_id), number(queue));
}

/* Multi-domain queues do not exist here, as in upstream builds. */
int dspqueue_request(dspqueue_request_payload *req) {
    return CALL(dspqueue_request, NULL, AEE_EUNSUPPORTED, number(req));
}

AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message) {
    struct queue_write what = {flags, num_buffers, buffers, message_length, message};
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_write_noblock(queue, &what));
    }
    return CALL(dspqueue_write_noblock, NULL, queue_write_checked(queue, &what, NULL), number(queue), num_buffers,
                message_length);
}

AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers, struct dspqueue_buffer *buffers,
                         uint32_t message_length, const uint8_t *message, uint32_t timeout_us) {
    struct queue_write what = {flags, num_buffers, buffers, message_length, message};
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_write_wait(queue, &what, timeout_us));
    }
    return CALL(dspqueue_write, NULL, queue_write_checked(queue, &what, &timeout_us), number(queue), num_buffers,
                message_length, timeout_us);
}

AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message) {
    struct queue_read want = {false,          flags,  max_buffers, num_buffers, buffers, max_message_length,
                              message_length, message};
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_read_noblock(queue, &want));
    }
    return CALL(dspqueue_read_noblock, NULL, queue_read_noblock(queue, &want), number(queue), max_buffers,
                max_message_length);
}

AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                        struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                        uint8_t *message, uint32_t timeout_us) {
    struct queue_read want = {false,          flags,  max_buffers, num_buffers, buffers, max_message_length,
                              message_length, message};
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_read_wait(queue, &want, timeout_us));
    }
    return CALL(dspqueue_read, NULL, queue_read_wait(queue, &want, timeout_us), number(queue), max_buffers,
                max_message_length, timeout_us);
}

AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length) {
    struct queue_read want = {
        .peek = true, .flags = flags, .num_buffers = num_buffers, .message_length = message_length};
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_read_noblock(queue, &want));
    }
    return CALL(dspqueue_peek_noblock, NULL, queue_read_noblock(queue, &want), number(queue));
}

AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                        uint32_t timeout_us) {
    struct queue_read want = {
        .peek = true, .flags = flags, .num_buffers = num_buffers, .message_length = message_length};
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_read_wait(queue, &want, timeout_us));
    }
    return CALL(dspqueue_peek, NULL, queue_read_wait(queue, &want, timeout_us), number(queue), timeout_us);
}

AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay, uint32_t packet_flags) {
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_early_wakeup(queue, wakeup_delay, packet_flags));
    }
    return CALL(dspqueue_write_early_wakeup_noblock, NULL, queue_early_wakeup(queue, wakeup_delay, packet_flags),
                number(queue), wakeup_delay);
}

AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value) {
    if (!queue->side->is_cpu) {
        return ON_DSP(queue_stat(queue, stat, value));
    }
    return CALL(dspqueue_get_stat, NULL, queue_stat(queue, stat, value), number(queue), (uint64_t)stat);
}
