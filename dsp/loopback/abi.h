/* SPDX-License-Identifier: MIT
 *
 * The public FastRPC ABI for C. The headers that cffi parses declare it once; this library exports the functions that
 * it defines.
 */
#ifndef LOOPBACK_ABI_H
#define LOOPBACK_ABI_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#include "../../pyhexagon/_ffi/cdef/remote.h"
#include "../../pyhexagon/_ffi/cdef/rpcmem.h"
#include "../../pyhexagon/_ffi/cdef/dspqueue.h"
#pragma GCC visibility pop

#include "aee.h"

#endif
