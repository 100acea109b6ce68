/* SPDX-License-Identifier: MIT */
#ifndef PD_FILES_H
#define PD_FILES_H

#include <stdio.h>

/* fopen for a skel. The board's shell asks the CPU to open files; here they all lie in one folder, which the variable
 * PYHEXAGON_DSP_FILES of the application names, under the last part of their name. Without it there are no files. */
FILE *skel_fopen(const char *name, const char *mode);

#endif
