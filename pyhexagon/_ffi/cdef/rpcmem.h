/* SPDX-License-Identifier: MIT
 *
 * Shared memory of FastRPC: what a client needs of upstream's rpcmem.h, in its order and with its names.
 *
 * Plain enough that cffi parses it and a C compiler accepts it after <stddef.h> and <stdint.h>; no guard, no includes.
 * The loopback is compiled against the same file. tests/abi holds it against the recorded ABI.
 */

#define RPCMEM_DEFAULT_HEAP -1
#define RPCMEM_DEFAULT_FLAGS 1
#define RPCMEM_FLAG_UNCACHED 0
#define RPCMEM_FLAG_CACHED 1
#define ION_SECURE_FLAGS -2146959360
#define RPCMEM_HEAP_DEFAULT 0x80000000
#define RPCMEM_HEAP_NOREG 0x40000000
#define RPCMEM_HEAP_UNCACHED 0x20000000
#define RPCMEM_HEAP_NOVA 0x10000000
#define RPCMEM_HEAP_NONCOHERENT 0x08000000
#define RPCMEM_TRY_MAP_STATIC 0x04000000
#define RPCMEM_FORCE_NOFLUSH 0x01000000
#define RPCMEM_FORCE_NOINVALIDATE 0x02000000

enum rpc_heap_ids {
    RPCMEM_HEAP_ID_SECURE = 9,
    RPCMEM_HEAP_ID_CONTIG = 22,
    RPCMEM_HEAP_ID_SYSTEM = 25
};

/* The library's constructor has called init; a second call forgets every live buffer. Never call either. */
void rpcmem_init(void);
void rpcmem_deinit(void);

/* NULL on failure. On Linux heapid and flags are ignored. */
void *rpcmem_alloc(int heapid, uint32_t flags, int size);
/* Newer libraries only. */
void *rpcmem_alloc2(int heapid, uint32_t flags, size_t size);
void rpcmem_free(void *po);
/* Exact base pointers only; -1 otherwise. */
int rpcmem_to_fd(void *po);
