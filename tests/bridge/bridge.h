/* SPDX-License-Identifier: MIT
 *
 * A stand-in for the kernel's FastRPC driver and DMA heap, preloaded into a process that runs Qualcomm's libcdsprpc. It
 * answers what that library asks of /dev/fastrpc-cdsp and /dev/dma_heap/system, and has the loopback run the skel: in
 * QEMU, the same bytes as on a board. So the real library's own code is between the caller and the skel.
 *
 *     device.c   the system calls: open, close, ioctl; which file descriptors are devices; failures on demand
 *     process.c  one DSP process: what its shell does for the library (static handles), skels, mapped memory
 *     queue.c    the dspqueue service of that shell: memory and signals of the queues
 *
 * What it does not do: calls from the DSP to the CPU (the loopback finds skels itself), and the ioctls of the heap that
 * grows for them.
 */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel's header and the library's declare these alike. */
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

/* --- What can fail, and is counted --- */

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

/* Counts it. Returns the code with which it is to fail, or 0. */
int request(enum request request);

/* -1, with errno set. */
int failed(int number);

/* --- A DSP process: what one open device node stands for --- */

#define MAX_MODULES 8
#define MAX_MAPPINGS 256

struct module {
    uint32_t id; /* what the library calls it; 0: free */
    uint64_t handle;
};

struct mapping {
    int fd;
    uint32_t size; /* 0: free */
};

struct queues;

struct process {
    int effective; /* domain + 8 * session; -1 before a skel is open: its URI tells */
    bool is_unsigned;
    int ended; /* errno of every request from then on: 0 while it lives */
    bool has_exited;
    uint32_t last_id;
    struct module modules[MAX_MODULES];
    struct mapping mappings[MAX_MAPPINGS];
    struct queues *queues; /* of the dspqueue service, while that is open */
};

/* Guard all of the above; changed is broadcast when something ended or was signalled. */
extern pthread_mutex_t lock;
extern pthread_cond_t changed;

/* These answer as the ioctls do: a result of the DSP, or -1 with errno. */
int process_create(struct process *process, bool is_unsigned);
int process_invoke(struct process *process, const struct fastrpc_invoke *invoke);
int process_map(struct process *process, struct fastrpc_mem_map *map);
int process_unmap(struct process *process, const struct fastrpc_mem_unmap *unmap);
int process_capability(uint32_t attribute, uint32_t *value);

/* The DSP restarts: every request fails from now on, those that wait too. */
void process_die(struct process *process);

/* Ends what is left of it. Again is a no-op. */
void process_destroy(struct process *process);

/* Bytes that are mapped under an fd; 0: it is not. */
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

/* Loaded at the first call from the file that BRIDGE_LOOPBACK names: not before the real library, which has the same
 * SONAME. */
const struct dsp *dsp(void);

#endif
