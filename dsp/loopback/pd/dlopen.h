/* SPDX-License-Identifier: MIT
 *
 * dlopen and related functions for skels, on top of loader.h.
 */
#ifndef PD_DLOPEN_H
#define PD_DLOPEN_H

void *skel_dlopen(const char *name, int mode);
void *skel_dlopenbuf(const char *name, const char *data, int size, int mode);
void *skel_dlsym(void *module, const char *name);
int skel_dlclose(void *module);
const char *skel_dlerror(void);

#endif
