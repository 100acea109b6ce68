/* SPDX-License-Identifier: MIT
 *
 * A replacement for the kernel's FastRPC driver and DMA heap, preloaded into a process that runs Qualcomm's libcdsprpc.
 * It implements the requests of that library to /dev/fastrpc-cdsp and /dev/dma_heap/system, and lets the loopback run
 * the skel: in QEMU, the same bytes as on a board. The real library's own code is thus between the caller and the skel.
 *
 *     device.c   the system calls: open, close, ioctl; which file descriptors are devices; failures on demand
 *     process.c  one DSP process: the static handles of its shell, skels, mapped memory
 *     queue.c    the dspqueue service of that shell: memory and signals of the queues
 *
 * Not implemented: calls from the DSP to the CPU (the loopback finds skels itself), and the ioctls of the heap that
 * grows for them.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel's header and the library's both declare these. */
#define fastrpc_map_flags kernel_fastrpc_map_flags
#define FASTRPC_MAP_STATIC kernel_FASTRPC_MAP_STATIC
#define FASTRPC_MAP_RESERVED kernel_FASTRPC_MAP_RESERVED
#define FASTRPC_MAP_FD kernel_FASTRPC_MAP_FD
#define FASTRPC_MAP_FD_DELAYED kernel_FASTRPC_MAP_FD_DELAYED
#define FASTRPC_MAP_FD_NOMAP kernel_FASTRPC_MAP_FD_NOMAP
#define FASTRPC_MAP_MAX kernel_FASTRPC_MAP_MAX
#include <misc/fastrpc.h>
#undef fastrpc_map_flags
#undef FASTRPC_MAP_STATIC
#undef FASTRPC_MAP_RESERVED
#undef FASTRPC_MAP_FD
#undef FASTRPC_MAP_FD_DELAYED
#undef FASTRPC_MAP_FD_NOMAP
#undef FASTRPC_MAP_MAX

#include "../../dsp/loopback/abi.h"

#define PUBLIC __attribute__((visibility("default")))

/* --- Requests that can fail, and are counted --- */

#define REQUESTS(X)                                                                                                    \
    X(open)   /* of the node; errno, like all but the last */                                                          \
    X(heap)   /* opening the DMA heap */                                                                               \
    X(alloc)  /* of memory, from the heap or from the node */                                                          \
    X(create) /* of the DSP process */                                                                                 \
    X(invoke) /* of a skel */                                                                                          \
    X(map)                                                                                                             \
    X(unmap)                                                                                                           \
    X(create_queue) /* an AEE code of the DSP */

#define REQUEST_ENUM(name) REQUEST_##name,
enum request {
    REQUESTS(REQUEST_ENUM) N_REQUESTS
};

/* Counts the request. Returns the code with which it must fail, or 0. */
int request(enum request request);

/* Returns -1, with errno set. */
int failed(int number);

/* --- A DSP process: one open device node --- */

#define MAX_MODULES 8
#define MAX_MAPPINGS 256

struct module {
    uint32_t id; /* the library's id of it; 0: free */
    uint64_t handle;
};

struct mapping {
    int fd;
    uint32_t size; /* 0: free */
};

struct queues;

struct process {
    int effective; /* domain + 8 * session; -1 until the URI of a skel tells it */
    bool is_unsigned;
    int stack_size; /* of the threads that serve calls, as the library asked; 0 if it did not */
    int ended;      /* errno of every later request; 0 while it is alive */
    bool has_exited;
    uint32_t last_id;
    struct module modules[MAX_MODULES];
    struct mapping mappings[MAX_MAPPINGS];
    struct queues *queues; /* of the dspqueue service, while it is open */
};

/* Protect all of the above; `changed` is broadcast when something ended or was signalled. */
extern pthread_mutex_t lock;
extern pthread_cond_t changed;

/* Return what the ioctls return: a result of the DSP, or -1 with errno. */
int process_create(struct process *process, bool is_unsigned);
int process_invoke(struct process *process, const struct fastrpc_invoke *invoke);
int process_map(struct process *process, struct fastrpc_mem_map *map);
int process_unmap(struct process *process, const struct fastrpc_mem_unmap *unmap);
int process_capability(uint32_t attribute, uint32_t *value);

/* Simulates a restart of the DSP: every request fails from now on, also those that wait. */
void process_die(struct process *process);

/* Releases the remaining resources. Idempotent. */
void process_destroy(struct process *process);

/* Returns the bytes mapped under an fd, or 0. */
uint32_t process_mapped(struct process *process, int fd);

/* --- The dspqueue service --- */

int queues_invoke(struct process *process, uint32_t method, const struct fastrpc_invoke_args *args);
void queues_open(struct process *process);
void queues_close(struct process *process);

/* --- The loopback --- */

struct dsp {
    __typeof__(&remote_handle64_open) open;
    __typeof__(&remote_handle64_close) close;
    __typeof__(&remote_handle64_invoke) invoke;
    __typeof__(&remote_session_control) session_control;
    __typeof__(&remote_handle_control) handle_control;
    __typeof__(&fastrpc_mmap) mmap;
    __typeof__(&fastrpc_munmap) munmap;
    int (*kill)(int effective_domain);
    int (*stall)(int effective_domain, int on);
    int (*attach_queue)(int effective_domain, int fd, uint32_t size, uint64_t *id);
    int (*detach_queue)(int effective_domain, uint64_t id);
};

/* Loads the library named by BRIDGE_LOOPBACK at the first call: after the real library, which has the same SONAME. */
const struct dsp *dsp(void);

#endif
