/* SPDX-License-Identifier: MIT
 *
 * The AEE codes that the loopback and its shell return. Codes from the DSP include AEE_DSP, except for the unshifted
 * ones.
 */
#ifndef LOOPBACK_AEE_H
#define LOOPBACK_AEE_H

#define AEE_DSP(code) ((int)(0x80000400u + (code)))

enum {
    AEE_SUCCESS = 0,
    AEE_EUNKNOWN = -1,
    AEE_EFAILED = 0x1,
    AEE_ENOMEMORY = 0x2,
    AEE_EALREADYLOADED = 0x5,
    AEE_EUNABLETOLOAD = 0x6,
    AEE_EEXPIRED = 0xc,
    AEE_EBADSTATE = 0xd,
    AEE_EBADPARM = 0xe,
    AEE_EBADITEM = 0x10,
    AEE_EUNSUPPORTED = 0x14,
    AEE_EALREADY = 0x1a,
    AEE_EINVHANDLE = 0x2c,
    AEE_EINTERRUPTED = 0x2e, /* never shifted */
    AEE_ENOSUCHMOD = 0x3e,
    AEE_ENOSUCHSYMBOL = 0x42,
    AEE_ENOSUCHMAP = 0x48,
    AEE_EBADSIZE = 0x4d,
    AEE_ECONNRESET = 0x68, /* never shifted */
    AEE_ENOTINITIALIZED = 0x6b,
    AEE_EUNSUPPORTEDAPI = 0x6c,
    AEE_ECONNREFUSED = 0x72,
    AEE_ENOSESSION = 0x8a,
    AEE_EQURTTHREADCREATE = 0x14b,
    AEE_ERPC = 0x200,
    AEE_EWOULDBLOCK = 0x204 /* never shifted */
};

#endif
