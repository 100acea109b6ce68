/* SPDX-License-Identifier: MIT
 *
 * The dspqueue calls of a skel. dspqueue_import is the shell's own; the others operate on the DSP's end of
 * shell/queue.h.
 */
#include "../shell/queue.h"
#include "../shell/shell.h"

AEEResult dspqueue_close(dspqueue_t queue) {
    return shell_dspqueue_close(queue);
}

AEEResult dspqueue_write_noblock(dspqueue_t queue, uint32_t flags, uint32_t num_buffers,
                                 struct dspqueue_buffer *buffers, uint32_t message_length, const uint8_t *message) {
    const struct queue_write what = {flags, num_buffers, buffers, message_length, message};
    return queue_write_noblock(queue, &what);
}

AEEResult dspqueue_write(dspqueue_t queue, uint32_t flags, uint32_t num_buffers, struct dspqueue_buffer *buffers,
                         uint32_t message_length, const uint8_t *message, uint32_t timeout_us) {
    const struct queue_write what = {flags, num_buffers, buffers, message_length, message};
    return queue_write_wait(queue, &what, timeout_us);
}

AEEResult dspqueue_read_noblock(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                                struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                                uint8_t *message) {
    const struct queue_read want = {false,          flags,  max_buffers, num_buffers, buffers, max_message_length,
                                    message_length, message};
    return queue_read_noblock(queue, &want);
}

AEEResult dspqueue_read(dspqueue_t queue, uint32_t *flags, uint32_t max_buffers, uint32_t *num_buffers,
                        struct dspqueue_buffer *buffers, uint32_t max_message_length, uint32_t *message_length,
                        uint8_t *message, uint32_t timeout_us) {
    const struct queue_read want = {false,          flags,  max_buffers, num_buffers, buffers, max_message_length,
                                    message_length, message};
    return queue_read_wait(queue, &want, timeout_us);
}

AEEResult dspqueue_peek_noblock(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length) {
    const struct queue_read want = {
        .peek = true, .flags = flags, .num_buffers = num_buffers, .message_length = message_length};
    return queue_read_noblock(queue, &want);
}

AEEResult dspqueue_peek(dspqueue_t queue, uint32_t *flags, uint32_t *num_buffers, uint32_t *message_length,
                        uint32_t timeout_us) {
    const struct queue_read want = {
        .peek = true, .flags = flags, .num_buffers = num_buffers, .message_length = message_length};
    return queue_read_wait(queue, &want, timeout_us);
}

AEEResult dspqueue_write_early_wakeup_noblock(dspqueue_t queue, uint32_t wakeup_delay, uint32_t packet_flags) {
    return queue_early_wakeup(queue, wakeup_delay, packet_flags);
}

AEEResult dspqueue_get_stat(dspqueue_t queue, enum dspqueue_stat stat, uint64_t *value) {
    return queue_stat(queue, stat, value);
}
