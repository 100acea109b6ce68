/* SPDX-License-Identifier: MIT
 *
 * <hvx_hexagon_protos.h> of user kernels that are compiled for a CPU: all integer intrinsics. The skel's own kernels
 * include the smaller header of the same name in dsp/cpu/hvx.
 */
#include "../all.h"
