/* SPDX-License-Identifier: MIT
 *
 * The protocol between engine_qemu*.c (on the host) and the PD program (in qemu-hexagon). Both are little endian and
 * built together, so messages are plain structs of fixed-width fields.
 *
 * Three connections:
 *  - a SOCK_SEQPACKET socket pair, one request and one reply at a time, for everything that passes a file descriptor or
 *    changes the PD. Its end of file tells the PD that the host has exited.
 *  - a channel per calling CPU thread: a memfd that starts with struct pd_channel, followed by the area for copied
 *    arguments. Both sides sleep on futexes in it, so a call costs two wake-ups and no system call that carries data.
 *  - a pipe from the PD's standard output and error: log lines, and messages of QEMU itself.
 */
#ifndef LOOPBACK_PD_PROTOCOL_H
#define LOOPBACK_PD_PROTOCOL_H

#include <stdatomic.h>
#include <stdint.h>

#define PD_SOCKET_FD 3 /* in the PD program */

enum pd_request_kind {
    PD_START = 1,     /* config; answered when the PD is ready for calls */
    PD_MAP,           /* memory id, fd number, size + descriptor; value = address. For fastrpc_mmap */
    PD_UNMAP,         /* memory id */
    PD_KEEP,          /* like PD_MAP, for buffers passed to invokes: invisible to HAP_mmap_get */
    PD_FORGET,        /* memory id of a PD_KEEP */
    PD_OPEN_CHANNEL,  /* channel id, size + descriptor; value = address of the argument area */
    PD_GROW_CHANNEL,  /* channel id, size; value = new address */
    PD_CLOSE_CHANNEL, /* channel id; the thread ends */
    PD_ATTACH_QUEUE,  /* queue id, size + descriptor */
    PD_DETACH_QUEUE,  /* queue id */
    PD_STALL,         /* id: 1 on, 0 off */
    PD_STALL_AT,      /* id: at which moment; 0: at none */
    PD_IS_STALLED,    /* value = 1: it is */
};

struct pd_config {
    uint32_t thread_priority;
    uint32_t thread_stack;
    uint32_t arch;
    uint32_t hardware_threads;
    uint32_t vtcm_bytes;
    uint32_t dma;
    int32_t power;
    int32_t dspqueue_import;
    uint32_t map_sizes;
    uint32_t heap_bytes;
    uint32_t incoherent;
    uint32_t skip_maintenance;
    uint32_t stall_at;
    uint32_t is_unsigned;
    char domain[12]; /* "cdsp": a directory to search for libraries */
};

struct pd_request {
    uint32_t kind;
    int32_t fd; /* the host's number, which the skel uses */
    uint64_t id;
    uint64_t size;
    struct pd_config config;
};

struct pd_reply {
    uint32_t status; /* 0 or an AEE code */
    uint32_t value;
};

enum pd_command {
    PD_LOAD = 1,
    PD_INVOKE
};

#define PD_MAX_ARGS (255 + 255 + 15 + 15)
#define PD_CHANNEL_ROOM 16384 /* offset of the argument area in a channel's memory */
#define PD_DEAD 0xffffffffu   /* the host stores it in `response` when the PD is dead */

/* A remote_arg in the DSP's layout. */
union pd_arg {
    struct {
        uint32_t address;
        uint32_t size;
    } buffer;
    uint64_t handle;
};

struct pd_channel {
    _Atomic uint32_t request;  /* the host increments it and wakes */
    _Atomic uint32_t response; /* the PD sets it to `request` and wakes */
    uint32_t command;
    uint32_t module; /* INVOKE: argument; LOAD: result */
    uint64_t handle;
    uint32_t scalars;
    uint32_t status; /* 0, or the reason why the command failed before the skel ran */
    int32_t result;  /* return value of the skel */
    uint32_t reserved;
    uint64_t log_bytes; /* bytes written to the pipe so far, so that the host can wait for them */
    /* LOAD: the argument area holds path, entry and search directories (separated by ;) as three consecutive
     * strings. */
    union pd_arg args[PD_MAX_ARGS];
};

_Static_assert(sizeof(struct pd_channel) <= PD_CHANNEL_ROOM, "the arguments fit before the room");
_Static_assert(sizeof(struct pd_request) == 96 && sizeof(union pd_arg) == 8, "same layout in both programs");

#endif
