/* SPDX-License-Identifier: MIT
 *
 * The HAP and FastRPC declarations that the skel needs, under the names that the board's shell exports. remote_arg and
 * the dspqueue structs are the CPU's own declarations with the DSP's pointer size.
 */
#ifndef PHX_HAP_H
#define PHX_HAP_H

#include <stddef.h>
#include <stdint.h>

#include "../../pyhexagon/_ffi/cdef/dspqueue.h"
#include "../../pyhexagon/_ffi/cdef/remote.h"

_Static_assert(sizeof(struct dspqueue_buffer) == 24, "dspqueue_buffer");
_Static_assert(offsetof(struct dspqueue_buffer, ptr) == 16, "dspqueue_buffer.ptr");
#if UINTPTR_MAX == UINT32_MAX
_Static_assert(sizeof(remote_arg) == 8, "remote_arg");
#endif

/* Results of a skel call: 0, or the DSP's base plus an AEE code. */
#define AEE_SUCCESS 0
#define AEE_DSP_BASE 0x80000400u
#define DSP_EFAILED ((int)0x80000401u)
#define DSP_ENOMEMORY ((int)0x80000402u)
#define DSP_EUNABLETOLOAD ((int)0x80000406u)
#define DSP_EBADSTATE ((int)0x8000040du)
#define DSP_EBADPARM ((int)0x8000040eu)
#define DSP_EUNSUPPORTED ((int)0x80000414u)
#define DSP_EALREADY ((int)0x8000041au)
#define DSP_EINVHANDLE ((int)0x8000042cu)
#define DSP_ENOSUCHMAP ((int)0x80000448u)
#define DSP_ETHREADCREATE ((int)0x8000054bu)

/* Results of dspqueue calls on the DSP. Some calls report the timeout with the base, some without. */
#define DSP_EEXPIRED ((int)0x8000040cu)
#define AEE_EEXPIRED 0xc
#define AEE_EWOULDBLOCK 0x204

#define HAP_LEVEL_HIGH 2
#define HAP_LEVEL_ERROR 3

AEEResult dspqueue_import(uint64_t id, dspqueue_callback_t packet_callback, dspqueue_callback_t error_callback,
                          void *context, dspqueue_t *queue);

/* Pins the mapping that the CPU created for fd with fastrpc_mmap. */
int HAP_mmap_get(int fd, void **address, uint64_t *physical);
int HAP_mmap_put(int fd);

uint64_t HAP_perf_get_qtimer_count(void); /* 19.2 MHz */

int HAP_query_avail_VTCM(unsigned int *largest_block, unsigned int *largest_page, unsigned int *n_pages);

void HAP_debug_v2(int level, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
