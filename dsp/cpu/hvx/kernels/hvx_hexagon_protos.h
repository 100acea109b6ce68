/* SPDX-License-Identifier: MIT
 *
 * What user kernels for a CPU include as <hvx_hexagon_protos.h>: all intrinsics, not only those of dsp/hvx.
 */
#include "../all.h"
