/* SPDX-License-Identifier: MIT
 *
 * The interface between the FastRPC ABI (session.c and everything above it) and the simulated DSP below it.
 *
 * An engine runs process domains (PDs). Above the interface are handles, sessions, error injection, the registry of
 * rpcmem buffers and the CPU end of every dspqueue; below it are the loaded skels, the threads that run them, the PD's
 * own mappings of shared memory and the DSP end of every dspqueue. Only the functions here, memory shared by file
 * descriptor and futexes in that memory cross the interface, so a PD may be a set of threads (engine_host.c) or a
 * process of another architecture (engine_qemu.c).
 *
 * Life of a PD: create, then any mix of load / invoke / map / unmap / attach_queue / detach_queue / stall, then kill,
 * then destroy. The session layer calls load and invoke from many threads at once, and kill at any time, also while
 * they run; it calls destroy once, after kill, when no other call is in progress. It serializes map, unmap, forget,
 * attach_queue and detach_queue. A PD that ends by itself reports that through engine_config.died.
 *
 * Every function that returns int returns 0, the AEE code for the caller of the FastRPC API (codes of the DSP include
 * the base 0x80000400), or ENGINE_DEAD when the PD no longer exists.
 */
#ifndef LOOPBACK_ENGINE_H
#define LOOPBACK_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENGINE_DEAD (-2) /* the PD died before or during the call; the session layer returns 0x8000040d or 0x68 */

struct engine_pd; /* defined by each engine */

/* A block of memory that both sides can map. The fd is open only during the call to which it is passed: an engine that
 * needs the memory later maps or duplicates it at once. Ids are never reused; fd numbers are. */
struct engine_memory {
    uint64_t id;
    int fd;
    size_t size;
};

struct engine_config {
    int effective_domain; /* domain + 8 * session */
    bool is_unsigned;
    uint32_t thread_priority; /* of the threads that serve invokes: FASTRPC_THREAD_PARAMS */
    uint32_t thread_stack;
    uint32_t arch; /* 0x68 for v68 */
    uint32_t hardware_threads;
    uint32_t vtcm_bytes;
    uint32_t dma; /* this and the fields below: the options of the same names */
    int32_t power;
    int32_t dspqueue_import;
    uint32_t map_sizes;
    uint32_t heap_bytes;
    bool incoherent;
    uint32_t skip_maintenance;
    uint32_t stall_at;
    uint64_t map_limit; /* bytes of shared memory that a PD can map; beyond: 0x80000402 */

    /* Called when the PD ends without a kill: at most once, from any thread, without locks of the engine held, and not
     * after destroy has returned. */
    void (*died)(void *context);
    void *context;
};

enum engine_arg_kind {
    ENGINE_IN,        /* buffer the DSP reads */
    ENGINE_OUT,       /* buffer the DSP writes */
    ENGINE_IN_HANDLE, /* 64-bit value */
    ENGINE_OUT_HANDLE /* 64-bit value set by the skel */
};

/* One remote_arg, classified by the session layer. `memory` is the registered rpcmem buffer that contains the argument,
 * and the PD uses its own mapping at `offset` (zero copy). For any other buffer memory is NULL: the engine copies the
 * caller's bytes in before the call, or out after it, both on the calling thread, so that a dead PD that still runs
 * cannot access the caller's memory. */
struct engine_arg {
    enum engine_arg_kind kind;
    void *data;
    size_t size;
    const struct engine_memory *memory;
    uint64_t offset;
    uint64_t handle;
};

struct engine_call {
    uint64_t caller; /* the calling CPU thread: each has a DSP thread of its own in the PD, created on first use */
    uint32_t module; /* from load */
    uint64_t handle; /* result of the skel's open; 0 for methods 0 and 1 */
    uint32_t scalars;
    uint32_t n_args;
    struct engine_arg *args; /* in buffers, out buffers, in handles, out handles */
};

/* The shared block of a dspqueue: shell/ring.h has its layout. */
struct engine_queue {
    uint64_t id; /* result of dspqueue_export, argument of dspqueue_import */
    struct engine_memory memory;
};

struct engine {
    const char *name;
    uint16_t elf_machine; /* e_machine of the skels that it runs */
    uint8_t elf_class;    /* EI_CLASS */

    int (*create)(const struct engine_config *config, struct engine_pd **pd);

    /* Loads the skel at `path` and looks up `entry`. Errors: 0x80000406, 0x80000442. A path is loaded once per PD; each
     * (path, entry) has one module number. Runs on the caller's DSP thread, since constructors may call the shell. */
    int (*load)(struct engine_pd *pd, uint64_t caller, const char *path, const char *entry, uint32_t *module);

    /* Calls a loaded skel's entry and waits; *result is its return value. */
    int (*invoke)(struct engine_pd *pd, const struct engine_call *call, int *result);

    /* The CPU thread has ended; ends its DSP thread. */
    void (*caller_gone)(struct engine_pd *pd, uint64_t caller);

    /* fastrpc_mmap and fastrpc_munmap: memory->fd is the number that the skel passes to HAP_mmap_get and that packets
     * carry. `address` is the address in the PD. */
    int (*map)(struct engine_pd *pd, const struct engine_memory *memory, uint64_t *address);
    int (*unmap)(struct engine_pd *pd, uint64_t memory_id);

    /* The buffer was freed or deregistered: removes the mapping kept for invokes (not one made by map). */
    void (*forget)(struct engine_pd *pd, uint64_t memory_id);

    /* Registers a queue with the PD, so that the skel can import it. detach returns 0xe while it is imported. */
    int (*attach_queue)(struct engine_pd *pd, const struct engine_queue *queue);
    int (*detach_queue)(struct engine_pd *pd, uint64_t queue_id);

    /* On: the PD stops answering; invokes and queue packets wait. Off: it resumes. */
    void (*stall)(struct engine_pd *pd, bool on);

    /* Stalls it at the nth moment from now on (loopback.h); 0: at none. */
    void (*stall_at)(struct engine_pd *pd, uint32_t nth);
    bool (*is_stalled)(struct engine_pd *pd);

    /* Kills the PD: calls in progress return ENGINE_DEAD, and shortly afterwards the PD no longer accesses shared
     * memory. Idempotent; does not call died. */
    void (*kill)(struct engine_pd *pd);

    /* Releases the pd. It may free itself later, when its last thread has ended. */
    void (*destroy)(struct engine_pd *pd);
};

/* Returns the engine for the ELF file at `path`, or NULL after logging the reason. engine.c lists the engines. */
const struct engine *engine_for_skel(const char *path);

extern const struct engine engine_host;
extern const struct engine engine_qemu;

#endif
