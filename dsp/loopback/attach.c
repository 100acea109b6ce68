/* SPDX-License-Identifier: MIT */
#pragma GCC visibility push(default)
#include "attach.h"
#pragma GCC visibility pop

#include "buffer.h"
#include "mapping.h"
#include "queue_cpu.h"

#define QUEUE_ID_PID 2u /* upper half of the id; the loopback's own queues have 1 */

static int in_process(int effective_domain, struct engine_queue *attached, uint64_t detached) {
    struct session *session = session_get(effective_domain);
    struct process *process = session != NULL ? session_use(session) : NULL;
    if (process == NULL) {
        return AEE_ENOTINITIALIZED;
    }
    pthread_mutex_lock(&session->lock);
    int code = attached != NULL ? process->engine->attach_queue(process->pd, attached)
                                : process->engine->detach_queue(process->pd, detached);
    pthread_mutex_unlock(&session->lock);
    code = session_result(process, code);
    process_put(process);
    return code;
}

int loopback_attach_queue(int effective_domain, int fd, uint32_t size, uint64_t *id) {
    uint64_t memory = memory_new_id();
    struct engine_queue queue = {.id = (uint64_t)QUEUE_ID_PID << 32 | (uint32_t)memory, .memory = {memory, fd, size}};
    *id = queue.id;
    return in_process(effective_domain, &queue, 0);
}

int loopback_detach_queue(int effective_domain, uint64_t id) {
    return in_process(effective_domain, NULL, id);
}
