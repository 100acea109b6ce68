/* SPDX-License-Identifier: MIT
 *
 * pyhexagon-pd: a DSP process domain as a Linux program for qemu-hexagon. The loopback's QEMU engine starts it and
 * controls it over the socket at PD_SOCKET_FD. program.h lists its parts, protocol.h the protocol.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../aee.h"
#include "counters.h"
#include "loader.h"
#include "program.h"

struct shell_pd the_pd;

static int start(const struct pd_config *config) {
    uint32_t vtcm = memory_vtcm(config->vtcm_bytes);
    if (config->vtcm_bytes > 0 && vtcm == 0) {
        pd_log("pd: no room for %u bytes of VTCM", (unsigned)config->vtcm_bytes);
        return AEE_ENOMEMORY;
    }
    shell_pd_init(&the_pd, config->hardware_threads, (void *)(uintptr_t)vtcm, config->vtcm_bytes);
    the_pd.arch = config->arch;
    the_pd.power = config->power;
    the_pd.dspqueue_import = config->dspqueue_import;
    the_pd.map_sizes = config->map_sizes;
    the_pd.heap_bytes = config->heap_bytes;
    the_pd.incoherent = config->incoherent != 0;
    the_pd.skip_maintenance = config->skip_maintenance;
    the_pd.stall_in = config->stall_at;
    loader_set_arch(config->arch);
    dma_configure(config->dma);
    counters_calibrate();
    loader_search_in(NULL, config->domain);
    channels_configure(config->thread_priority, config->thread_stack);
    return 0;
}

static int handle(const struct pd_request *request, int fd, uint32_t *value) {
    switch (request->kind) {
    case PD_START:
        return start(&request->config);
    case PD_MAP:
    case PD_KEEP:
        return memory_map(request, fd, value);
    case PD_UNMAP:
    case PD_FORGET:
        return memory_unmap(request);
    case PD_OPEN_CHANNEL:
        return channel_open(request, fd, value);
    case PD_GROW_CHANNEL:
        return channel_grow(request, value);
    case PD_CLOSE_CHANNEL:
        return channel_close(request->id);
    case PD_ATTACH_QUEUE:
        return queue_attach(request, fd);
    case PD_DETACH_QUEUE:
        return queue_detach(request->id);
    case PD_STALL:
        shell_pd_stall(&the_pd, request->id != 0);
        return 0;
    case PD_STALL_AT:
        shell_pd_stall_at(&the_pd, (uint32_t)request->id);
        return 0;
    case PD_IS_STALLED:
        *value = shell_pd_is_stalled(&the_pd);
        return 0;
    default:
        return AEE_EUNSUPPORTED;
    }
}

/* Returns the descriptor that came with a request, or -1. */
static int received_fd(struct msghdr *message) {
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    int fd = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        memcpy(&fd, CMSG_DATA(header), sizeof fd);
    }
    return fd;
}

int main(void) {
    fault_handlers_install();
    for (;;) {
        struct pd_request request;
        struct iovec vector = {&request, sizeof request};
        union {
            struct cmsghdr align;
            char bytes[CMSG_SPACE(sizeof(int))];
        } rights;
        struct msghdr message = {
            .msg_iov = &vector, .msg_iovlen = 1, .msg_control = rights.bytes, .msg_controllen = sizeof rights.bytes};
        ssize_t n = recvmsg(PD_SOCKET_FD, &message, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n != (ssize_t)sizeof request) {
            _exit(0); /* the host is gone */
        }
        int fd = received_fd(&message);
        struct pd_reply reply = {0};
        reply.status = (uint32_t)handle(&request, fd, &reply.value);
        if (fd >= 0) {
            close(fd);
        }
        send(PD_SOCKET_FD, &reply, sizeof reply, MSG_NOSIGNAL);
    }
}
