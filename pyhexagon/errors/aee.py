# SPDX-License-Identifier: MIT
"""The error codes of FastRPC and of our skel: number, name, the side that produced it, and a hint.

Every FastRPC call returns a C int. Codes from the host library are small positive numbers; codes from the DSP are
0x80000400 + n and arrive as negative ints; a kernel error that the library did not translate is a small negative
number. ``normalise`` makes all of them unsigned, once. Five codes are never shifted (``NOT_SHIFTED``), and some numbers
have two names: 0x68 is both "connection reset" and "out of RPC memory", which only the call can distinguish.

A hint says what to do next. Codes without a known remedy have none: no hint is better than a guess.
"""

from __future__ import annotations

import errno
from types import MappingProxyType
from typing import Final, Literal

Origin = Literal["host", "dsp", "kernel"]

DSP_BASE: Final = 0x80000400
DSP_LAST: Final = DSP_BASE + 0x3FF
MAX_ERRNO: Final = 4095
SKEL_FIRST: Final = 0x1000  # statuses of our skel (idl/contract.h), disjoint from every AEE code
SKEL_LAST: Final = 0x1FFF

# fmt: off
# Host numbers of AEEStdErr.h, in its order; without "success". tests/abi compares them with the recorded list.
CODES: Final = MappingProxyType({
    "AEE_EUNKNOWN": -1, "AEE_EFAILED": 0x1, "AEE_ENOMEMORY": 0x2, "AEE_ECLASSNOTSUPPORT": 0x3,
    "AEE_EVERSIONNOTSUPPORT": 0x4, "AEE_EALREADYLOADED": 0x5, "AEE_EUNABLETOLOAD": 0x6, "AEE_EUNABLETOUNLOAD": 0x7,
    "AEE_EALARMPENDING": 0x8, "AEE_EINVALIDTIME": 0x9, "AEE_EBADCLASS": 0xa, "AEE_EBADMETRIC": 0xb, "AEE_EEXPIRED": 0xc,
    "AEE_EBADSTATE": 0xd, "AEE_EBADPARM": 0xe, "AEE_ESCHEMENOTSUPPORTED": 0xf, "AEE_EBADITEM": 0x10,
    "AEE_EINVALIDFORMAT": 0x11, "AEE_EINCOMPLETEITEM": 0x12, "AEE_ENOPERSISTMEMORY": 0x13, "AEE_EUNSUPPORTED": 0x14,
    "AEE_EPRIVLEVEL": 0x15, "AEE_ERESOURCENOTFOUND": 0x16, "AEE_EREENTERED": 0x17, "AEE_EBADTASK": 0x18,
    "AEE_EALLOCATED": 0x19, "AEE_EALREADY": 0x1a, "AEE_EADSAUTHBAD": 0x1b, "AEE_ENEEDSERVICEPROG": 0x1c,
    "AEE_EMEMPTR": 0x1d, "AEE_EHEAP": 0x1e, "AEE_EIDLE": 0x1f, "AEE_EITEMBUSY": 0x20, "AEE_EBADSID": 0x21,
    "AEE_ENOTYPE": 0x22, "AEE_ENEEDMORE": 0x23, "AEE_EADSCAPS": 0x24, "AEE_EBADSHUTDOWN": 0x25,
    "AEE_EBUFFERTOOSMALL": 0x26, "AEE_EACKPENDING": 0x28, "AEE_ENOTOWNER": 0x29, "AEE_EINVALIDITEM": 0x2a,
    "AEE_ENOTALLOWED": 0x2b, "AEE_EINVHANDLE": 0x2c, "AEE_EOUTOFHANDLES": 0x2d, "AEE_ENOMORE": 0x2f,
    "AEE_ECPUEXCEPTION": 0x30, "AEE_EREADONLY": 0x31, "AEE_ERPC": 0x200, "AEE_EFILE": 0x201, "AEE_ENOSUCH": 0x27,
    "AEE_EINTERRUPTED": 0x2e, "AEE_ECONNRESET": 0x68, "AEE_EWOULDBLOCK": 0x204, "AEE_EINVALIDMSG": 0x32,
    "AEE_EINVALIDTHREAD": 0x33, "AEE_EINVALIDPROCESS": 0x34, "AEE_EINVALIDFILENAME": 0x35,
    "AEE_EINVALIDDIGESTSIZE": 0x36, "AEE_EINVALIDSEGS": 0x37, "AEE_EINVALIDSIGNATURE": 0x38, "AEE_EINVALIDDOMAIN": 0x39,
    "AEE_EINVALIDFD": 0x3a, "AEE_EINVALIDDEVICE": 0x3b, "AEE_EINVALIDMODE": 0x3c, "AEE_EINVALIDPROCNAME": 0x3d,
    "AEE_ENOSUCHMOD": 0x3e, "AEE_ENOSUCHINSTANCE": 0x3f, "AEE_ENOSUCHTHREAD": 0x40, "AEE_ENOSUCHPROCESS": 0x41,
    "AEE_ENOSUCHSYMBOL": 0x42, "AEE_ENOSUCHDEVICE": 0x43, "AEE_ENOSUCHPROP": 0x44, "AEE_ENOSUCHFILE": 0x45,
    "AEE_ENOSUCHHANDLE": 0x46, "AEE_ENOSUCHSTREAM": 0x47, "AEE_ENOSUCHMAP": 0x48, "AEE_ENOSUCHREGISTER": 0x49,
    "AEE_ENOSUCHCLIENT": 0x4a, "AEE_EBADDOMAIN": 0x4b, "AEE_EBADOFFSET": 0x4c, "AEE_EBADSIZE": 0x4d,
    "AEE_EBADPERMS": 0x4e, "AEE_EBADFD": 0x4f, "AEE_EBADPID": 0x50, "AEE_EBADTID": 0x51, "AEE_EBADELF": 0x52,
    "AEE_EBADASID": 0x53, "AEE_EBADCONTEXT": 0x54, "AEE_EBADMEMALIGN": 0x55, "AEE_EIOCTL": 0x56, "AEE_EFOPEN": 0x57,
    "AEE_EFGETS": 0x58, "AEE_EFFLUSH": 0x59, "AEE_EFCLOSE": 0x5a, "AEE_EEOF": 0x5b, "AEE_EFREAD": 0x5c,
    "AEE_EFWRITE": 0x5d, "AEE_EFGETPOS": 0x5e, "AEE_EFSETPOS": 0x5f, "AEE_EFTELL": 0x60, "AEE_EFSEEK": 0x61,
    "AEE_EFLEN": 0x62, "AEE_EGETENV": 0x63, "AEE_ESETENV": 0x64, "AEE_EMMAP": 0x65, "AEE_EIONMAP": 0x66,
    "AEE_EIONALLOC": 0x67, "AEE_ENORPCMEMORY": 0x68, "AEE_ENOROOTOFTRUST": 0x69, "AEE_ENOTLOCKED": 0x6a,
    "AEE_ENOTINITIALIZED": 0x6b, "AEE_EUNSUPPORTEDAPI": 0x6c, "AEE_EUNPACK": 0x6d, "AEE_EPOLL": 0x6e,
    "AEE_EEVENTREAD": 0x6f, "AEE_EMAXBUFS": 0x70, "AEE_EINVARGS": 0x71, "AEE_ECONNREFUSED": 0x72,
    "AEE_EUNSIGNEDMOD": 0x81, "AEE_EINVALIDHASH": 0x82, "AEE_EBADVA": 0x83, "AEE_ENOSUCHJOB": 0x84,
    "AEE_ENOSUCHGROUP": 0x84, "AEE_EBADMAPREFCNT": 0x85, "AEE_EBADPAGECNT": 0x86, "AEE_EMAPALREADYPRESENT": 0x87,
    "AEE_ENOFREESECTION": 0x88, "AEE_U2GCLIENT_OPEN": 0x89, "AEE_ENOSESSION": 0x8a, "AEE_EGLINK_OFFSET": 0x100,
    "AEE_EGLINKBADPACKET": 0x101, "AEE_EGLINKALREADYOPEN": 0x102, "AEE_EGLINKOPENFAILED": 0x103,
    "AEE_EGLINKWRITE": 0x104, "AEE_EGLINKREGISTER": 0x105, "AEE_ESMD_OFFSET": 0x100, "AEE_ESMDBADPACKET": 0x101,
    "AEE_ESMDALREADYOPEN": 0x102, "AEE_ESMDOPENFAILED": 0x103, "AEE_EDAL_OFFSET": 0x120, "AEE_EDALDEVATTACH": 0x121,
    "AEE_EDALINTREGISTER": 0x122, "AEE_EDALINTUNREGISTER": 0x123, "AEE_EDALGETPROP": 0x124, "AEE_EDALGETVAL": 0x125,
    "AEE_EDCVSREQUEST": 0x126, "AEE_EQURT_OFFSET": 0x140, "AEE_EQURTREGIONCREATE": 0x141, "AEE_EQURTCACHECLEAN": 0x142,
    "AEE_EQURTREGIONGETATTR": 0x143, "AEE_EQURTBADREGIONPERMS": 0x144, "AEE_EQURTMEMPOOLADD": 0x145,
    "AEE_EQURTREGISTERDEV": 0x146, "AEE_EQURTMEMPOOLCREATE": 0x147, "AEE_EQURTGETVA": 0x148,
    "AEE_EQURTREGIONDELETE": 0x149, "AEE_EQURTMEMPOOLATTACH": 0x14a, "AEE_EQURTTHREADCREATE": 0x14b,
    "AEE_EQURTCOPYTOUSER": 0x14c, "AEE_EQURTMEMMAPCREATE": 0x14d, "AEE_EQURTINVHANDLE": 0x14e,
    "AEE_EQURTBADASID": 0x14f, "AEE_EQURTOPENFAILED": 0x150, "AEE_EQURTCOPYFROMUSER": 0x151, "AEE_EQURTLINELOCK": 0x152,
    "AEE_EQURTQDIDEFMETHOD": 0x153, "AEE_EQURTCREATEHANDLE": 0x154, "AEE_EQURTWRITABLEMEM": 0x155,
    "AEE_EQURTTHREADCREATEDEF": 0x156, "AEE_EQURTLOOKUPVA": 0x157, "AEE_EQURTLOOKUPPA": 0x158,
    "AEE_EQURTMIGRATESECURE": 0x159, "AEE_EQURTQDIOPEN": 0x160, "AEE_EQURTMAPREMOVE": 0x161, "AEE_EQURTQDICLOSE": 0x162,
    "AEE_EQURTWAIT": 0x163, "AEE_EMMPM_OFFSET": 0x170, "AEE_EMMPMREQUEST": 0x171, "AEE_EMMPMRELEASE": 0x172,
    "AEE_EMMPMSETPARAM": 0x173, "AEE_EMMPMREGISTER": 0x174, "AEE_EMMPMGETINFO": 0x175, "AEE_EMAX_MMPM_CLIENTS": 0x176,
    "AEE_EDCVSREGISTER": 0x177, "AEE_PDRREGFAIL": 0x178, "AEE_DEFAULT_PROCESS": 0x180, "AEE_ENULLCONTEXT": 0x181,
    "AEE_EINVALIDJOB": 0x182, "AEE_EBUSY": 0x183, "E_APPS_BUSY_RETRY_LATER": 0x190, "E_HLOS_CAP_REACHED": 0x191,
    "E_DPOOL_CAP_REACHED": 0x192, "E_NO_MORE_FREE_SECTIONS": 0x193, "AEE_ESTUBSKELVERMISMATCH": 0x194,
    "AEE_EBADHANDLE": 0x2c,
})
# fmt: on

NOT_SHIFTED: Final = frozenset({"AEE_EUNKNOWN", "AEE_ENOSUCH", "AEE_EINTERRUPTED", "AEE_ECONNRESET", "AEE_EWOULDBLOCK"})


def _names_by_number(skip: frozenset[str]) -> dict[int, tuple[str, ...]]:
    names: dict[int, tuple[str, ...]] = {}
    for name, number in CODES.items():
        if name not in skip:
            names[number & 0xFFFFFFFF] = (*names.get(number & 0xFFFFFFFF, ()), name)
    return names


_HOST_NAMES: Final = _names_by_number(frozenset())
_DSP_NAMES: Final = _names_by_number(NOT_SHIFTED)

# Host library codes that callers compare with.
CONNRESET: Final = 0x68
NOSESSION: Final = 0x8A
WOULDBLOCK: Final = 0x204

_REOPEN = "the DSP process is gone: device.reopen() starts another one, and loads weights and kernels into it again"

_HINTS: Final = MappingProxyType({
    0xFFFFFFFF: "the kernel refused and the reason was lost: read the kernel log, check the permissions of the device "
    "nodes and of the DSP's shell file, and use fewer sessions",
    0x2: "use rpcmem buffers, smaller sizes, or free buffers",
    0x5: "choose between signed and unsigned before the first open of the domain",
    0xC: "the DSP is slow or hangs: retry with a longer timeout, or reopen the session",
    0x1A: "map an fd once per session and keep a record",
    0x2C: "the handle was closed, or its session was torn down: open it again",
    0x2E: _REOPEN,
    0x39: "use domain 0 to 4 plus 8 times the session",
    0x43: "no DSP driver is bound: check the DSP's state in /sys/class/remoteproc",
    0x48: "map the fd with fastrpc_mmap in this session first",
    0x4E: "check the security policy and the permissions of /dev/fastrpc-*",
    0x68: _REOPEN,
    0x6B: "open a handle in this domain first",
    0x72: "no usable /dev/fastrpc-* node: check that it exists, that your user may open it (ls -l /dev/fastrpc-*), "
    "that the DSP runs (/sys/class/remoteproc), and ask for an unsigned process",
    0x8A: "a process has four sessions per domain and never gets one back: reuse a session",
    0x200: "look at syslog and at the failing ioctl (strace)",
    0x201: "the DSP's shell file is unreadable or truncated: reinstall the DSP binaries",
    0x80000401: "read the DSP's log in syslog",
    0x80000402: "free DSP memory: unmap buffers, use fewer or smaller ones",
    0x80000404: "rebuild the host side and the skel from the same version",
    0x80000406: "the DSP could not load the skel: set DSP_LIBRARY_PATH (separator ';') to its folder before the first "
    "open, check that it is built for this DSP's architecture, and look for 'dynamic loading failed' in the journal",
    0x8000040D: _REOPEN + "; the DSP's crash dump is in the kernel log",
    0x8000040E: "the stub and the skel disagree on the call: use a skel of the same version",
    0x80000414: "the skel or the firmware does not know this call: use a skel of the same version",
    0x8000042C: "the handle belongs to an earlier DSP process: close everything and open it again",
    0x8000043E: "the handle is stale: open it again",
    0x80000442: "the skel loaded but does not export the entry point named in its URI: check its dynamic symbols and "
    "that the URI has &_modver=1.0",
    0x80000448: "map the fd with fastrpc_mmap before use, and unmap it only after the DSP has finished",
    0x8000044D: "use a shorter file name",
    0x8000044E: "this call needs a signed process",
    0x80000468: "free shared memory",
    0x80000481: "a signed process takes signed skels only: use an unsigned process",
    0x80000482: "a signed process takes signed skels only: use an unsigned process",
    0x8000054B: "use fewer DSP threads",
    0x80000594: "rebuild the host side and the skel from the same version",
    0x80000600: "close the queue and create it again",
})

# Hints for a specific call, which says more than the number.
_HINTS_OF_CALL: Final = MappingProxyType({
    ("remote_handle64_open", 0xE): "the URI must end in &_dom=<name>, with a session below 4",
    ("remote_handle64_open", 0x68): _REOPEN + "; on a first open, check /dev/dma_heap/system",
    ("remote_handle64_invoke", 0xE): "each argument must be shorter than 2 GiB and must not run past its rpcmem buffer",
    ("remote_session_control", 0x4D): "the URI is too long",
    ("fastrpc_munmap", 0x14): "the kernel refused and the mapping stays: close the session to remove it",
    ("fastrpc_munmap", 0xE): "a queued packet still holds a reference to the buffer: read the answers first",
    ("dspqueue_create", 0x14): "open a handle in this domain first, and use a compute DSP; the code of that open tells "
    "the true cause",
    ("dspqueue_close", 0xE): "the skel still has the queue imported: make it close its side first",
    ("dspqueue_close", 0x200): "the queue's shared memory is damaged: close the session",
    ("dspqueue_write", 0xC): "the request queue is full: read answers first, or use a longer timeout",
    ("dspqueue_write", 0xE): "the packet is larger than the queue, or a buffer range is outside its mapping",
    ("dspqueue_write_noblock", 0xE): "the packet is larger than the queue, or a buffer range is outside its mapping",
})

# Statuses of idl/contract.h: name, sentence.
STATUSES: Final = MappingProxyType({
    0: ("PHX_OK", "the program ran"),
    4097: ("PHX_E_SHORT", "the request is shorter than its header or its tables need"),
    4098: ("PHX_E_MAGIC", "this is not a request"),
    4099: ("PHX_E_VERSION", "host and skel have different contract versions"),
    4100: ("PHX_E_LIMIT", "the request has more buffers, tensors, ops or patches than the skel accepts"),
    4101: ("PHX_E_RESERVED", "a reserved field or an unknown flag is set"),
    4102: ("PHX_E_BUFFER", "a buffer is not mapped in this session"),
    4103: ("PHX_E_INDEX", "an index is past its table, an id names no expert, row or slot, or sequences share a slot"),
    4104: ("PHX_E_DTYPE", "the op does not support this element type"),
    4105: ("PHX_E_LAYOUT", "the op does not support this layout"),
    4106: ("PHX_E_SHAPE", "the shapes do not match, are empty, or are too large for one op"),
    4107: ("PHX_E_STRIDE", "the op does not support these strides, or they are not multiples of the element"),
    4108: ("PHX_E_ALIGN", "an offset is not aligned as its type or layout requires"),
    4109: ("PHX_E_RANGE", "a tensor reaches outside its buffer"),
    4110: ("PHX_E_OVERLAP", "a result shares memory with a source or with another result"),
    4111: ("PHX_E_OP", "the skel does not know this op"),
    4112: ("PHX_E_PARAM", "an op parameter is out of range"),
    4113: ("PHX_E_NO_MEMORY", "the DSP's workspace is exhausted"),
    4114: ("PHX_E_NOT_STARTED", "the skel's workers were not started"),
    4115: ("PHX_E_PROGRAM", "the skel keeps no program under this number"),
    4116: ("PHX_E_PATCH", "a patch is of an unknown kind, or refers to something that does not exist"),
    4117: ("PHX_E_KERNEL", "a user kernel returned an error"),
})


def normalise(rc: int) -> int:
    """Return a signed C int as an unsigned 32-bit number."""
    return rc & 0xFFFFFFFF


def signed(code: int) -> int:
    """Return a code as the signed int that C returns."""
    code = normalise(code)
    return code - (1 << 32) if code >= 1 << 31 else code


def name(code: int) -> str:
    """Return the code's name, both names if one number has two, or ``"unknown code"``."""
    code = normalise(code)
    if code == 0:
        return "AEE_SUCCESS"
    if code in STATUSES:
        return STATUSES[code][0]
    names = _DSP_NAMES.get(code - DSP_BASE) if DSP_BASE <= code <= DSP_LAST else _HOST_NAMES.get(code)
    if names:
        return " or ".join(names)
    if origin(code) == "kernel":
        return errno.errorcode.get(0x100000000 - code, "unknown errno")
    return "unknown code"


def origin(code: int) -> Origin:
    """Return the side that produced the code. Small positive results of a skel look like the host's, except our own."""
    code = normalise(code)
    if DSP_BASE <= code <= DSP_LAST or SKEL_FIRST <= code <= SKEL_LAST:
        return "dsp"
    if code >= 0x100000000 - MAX_ERRNO:
        return "kernel"
    return "host"


def hint(call: str, code: int) -> str:
    """Return what to do next, or an empty string."""
    code = normalise(code)
    return _HINTS_OF_CALL.get((call, code)) or _HINTS.get(code, "")


def meaning(status: int) -> str:
    """Return one sentence for a status of idl/contract.h, or an empty string."""
    return STATUSES[status][1] if status in STATUSES else ""
