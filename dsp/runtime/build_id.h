/* SPDX-License-Identifier: MIT
 *
 * The skel's build id.
 */
#ifndef PHX_BUILD_ID_H
#define PHX_BUILD_ID_H

#include <stdint.h>

/* A hash of the skel's sources. CMake writes the file that defines it. */
extern const uint64_t phx_build_id;

#endif
