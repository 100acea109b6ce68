/* SPDX-License-Identifier: MIT */
#ifndef PD_FILES_H
#define PD_FILES_H

#include <stdio.h>

/* fopen for a skel. The board's shell asks the CPU to open files; here all files are in the folder that the
 * application's variable PYHEXAGON_DSP_FILES names, under the last component of their names. Without it every open
 * fails. */
FILE *skel_fopen(const char *name, const char *mode);

#endif
