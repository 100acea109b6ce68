/* SPDX-License-Identifier: MIT
 *
 * The public FastRPC ABI, for C. It is declared once, in the headers that cffi parses; what this library defines of it,
 * it exports.
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
