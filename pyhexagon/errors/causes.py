# SPDX-License-Identifier: MIT
"""The causes of error codes: for each code of FastRPC's library, driver and DSP side, why it happens and one command.

The codes are those that the sources of libcdsprpc, the kernel's driver and the DSP's own software return. A command
repairs the fault, or shows which of the named causes it is. ``doctor`` replaces ``UPGRADE``, ``DSP_FILES`` and ``PIP``
by the command for the board, its system and this Python.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from pyhexagon.errors import aee

KERNEL_LOG: Final = "sudo dmesg | grep -iE 'fastrpc|remoteproc|cdsp|smmu' | tail -30"
JOURNAL: Final = "journalctl -b | grep -iE 'fastrpc|dynamic loading failed' | tail -30"
NODES: Final = "ls -l /dev/fastrpc-* /dev/dma_heap/system"
HEAP: Final = "ls -l /dev/dma_heap/system"
STATE: Final = "grep . /sys/class/remoteproc/*/state"
USERS: Final = "sudo fuser -v /dev/fastrpc-*"
MEMORY: Final = "free -h"
PIP: Final = "python3 -m pip install --force-reinstall pyhexagon-*.whl"
PATHS: Final = "printenv DSP_LIBRARY_PATH ADSP_LIBRARY_PATH"
VERSIONS: Final = "pyhexagon doctor --report doctor.json"
UPGRADE: Final = "sudo apt update && sudo apt full-upgrade && sudo reboot"
DSP_FILES: Final = "pyhexagon doctor"
DSP_LIBRARY: Final = "ldconfig -p | grep cdsprpc"


class Cause(NamedTuple):
    """Why a code is returned, as a sentence without a capital and a full stop, and a command."""

    text: str
    command: str


_DIED = Cause("the DSP process or the whole DSP died: a program or the firmware failed", KERNEL_LOG)
_SHELL = Cause(
    "the DSP did not create the process: its shell is missing or of another build than the firmware, or the device "
    "tree reserves no memory for it",
    KERNEL_LOG,
)
_RESOURCES = Cause(
    "the DSP could not make the process or a thread of it: shell and firmware are of different builds, or other "
    "programs use up its threads and memory",
    DSP_FILES,
)
_DIFFERENT = Cause("the library and the DSP's software disagree: they are of different versions", UPGRADE)
_SKEL = Cause("the host side and the skel are of different versions", PIP)
_STALE = Cause("the handle was closed, or belongs to an earlier DSP process: open the device again", KERNEL_LOG)
_FULL = Cause("the memory of the DSP process is exhausted: use fewer or smaller buffers", MEMORY)
_SIGNED = Cause("the DSP asks for a signature, which only a signed process needs: the process must be unsigned", NODES)
_FILES = Cause("the DSP could not read or write a file of the host: its path or its permissions are wrong", JOURNAL)
_BUG = Cause("the library was called wrongly; this is a bug of pyhexagon or of the program that calls it", VERSIONS)
_LOST = Cause("the kernel refused, and only its log has the reason", KERNEL_LOG)
_REFUSED = Cause("the DSP's software refused the call; its log has the reason", JOURNAL)

HOST: Final[Mapping[str, Cause]] = MappingProxyType({
    "AEE_EUNKNOWN": _LOST,
    "AEE_EFAILED": Cause("a step within the library failed, which only the system log names", JOURNAL),
    "AEE_ENOMEMORY": Cause("the host has no memory left that the DSP can reach", MEMORY),
    "AEE_EALREADYLOADED": Cause("the domain has a session of the other kind, signed or unsigned", USERS),
    "AEE_EEXPIRED": Cause("the DSP did not answer in time: it is busy with other programs, or hangs", KERNEL_LOG),
    "AEE_EBADSTATE": Cause("the process ends, or the library's part for signals was not set up", JOURNAL),
    "AEE_EBADPARM": Cause(
        "an argument is wrong, the kernel refused it, or another FastRPC library than the board's was loaded",
        DSP_LIBRARY,
    ),
    "AEE_EBADITEM": Cause("the header of a queue's packet is damaged", KERNEL_LOG),
    "AEE_EUNSUPPORTED": Cause("this library, kernel or DSP does not have the function", UPGRADE),
    "AEE_ERESOURCENOTFOUND": Cause("the library's record of a process, queue or setting is missing", JOURNAL),
    "AEE_EALREADY": Cause("the memory is already mapped in this session", VERSIONS),
    "AEE_EMEMPTR": _BUG,
    "AEE_EBUFFERTOOSMALL": _BUG,
    "AEE_ENOSUCH": Cause("the library does not know the name: it is older than the program expects", UPGRADE),
    "AEE_EINVALIDITEM": Cause("the library's tables do not fit its own domains: it is damaged", DSP_LIBRARY),
    "AEE_EINVHANDLE": _STALE,
    "AEE_EBADHANDLE": _STALE,
    "AEE_EINTERRUPTED": Cause("a wait ended early: the DSP process died, or the queue was closed", KERNEL_LOG),
    "AEE_EINVALIDDOMAIN": Cause("the library does not know this DSP: it is older than the board", UPGRADE),
    "AEE_EBADDOMAIN": Cause("the library does not know this DSP: it is older than the board", UPGRADE),
    "AEE_EINVALIDFD": Cause("the file descriptor of a buffer is closed or no shared memory", HEAP),
    "AEE_EINVALIDDEVICE": Cause("the library finds no device node for this DSP", NODES),
    "AEE_EINVALIDPROCNAME": Cause("the name of a static DSP process is wrong", JOURNAL),
    "AEE_ENOSUCHMOD": Cause("the listener's module is not loaded, or the handle is stale", JOURNAL),
    "AEE_ENOSUCHSYMBOL": Cause("a library on the host lacks a function that it must export", DSP_LIBRARY),
    "AEE_ENOSUCHDEVICE": Cause("the DSP is off, or no driver is bound to it", STATE),
    "AEE_ENOSUCHFILE": Cause("the library does not find a file in its search path", PATHS),
    "AEE_ENOSUCHMAP": Cause("the memory is not mapped in this session", VERSIONS),
    "AEE_EBADSIZE": Cause("a name or a buffer is too long, or too short for the answer", VERSIONS),
    "AEE_EBADPERMS": Cause("the kernel's or the system's security policy refused the call", NODES),
    "AEE_EBADFD": Cause("a buffer for the DSP's heap is no shared memory of this process", HEAP),
    "AEE_EBADCONTEXT": Cause("the library's record of a session is gone", VERSIONS),
    "AEE_EGETENV": Cause("an environment variable that the library needs is not set", PATHS),
    "AEE_ESETENV": Cause("the library could not set an environment variable", PATHS),
    "AEE_ECONNRESET": Cause(
        "the DSP process or the whole DSP died, or at a first open, there is no shared memory for the session", HEAP
    ),
    "AEE_ENORPCMEMORY": Cause("there is no shared memory: the heap refused it, or the CMA region is full", HEAP),
    "AEE_ENOTINITIALIZED": Cause("no session of this DSP is open, or its open failed", JOURNAL),
    "AEE_EUNSUPPORTEDAPI": Cause("this library does not have the function", UPGRADE),
    "AEE_EPOLL": Cause("the library could not wait for the DSP's files", JOURNAL),
    "AEE_EEVENTREAD": Cause("the library could not read an event of the DSP's log", JOURNAL),
    "AEE_ECONNREFUSED": Cause(
        "no /dev/fastrpc-* node can be used: it is missing, your user may not open it, or the DSP refused an untrusted "
        "program a signed process",
        NODES,
    ),
    "AEE_ENOSESSION": Cause("this process has used up its four sessions of the DSP", USERS),
    "AEE_ERPC": Cause("the kernel's driver refused an ioctl: it is too old for the library, or out of sessions", USERS),
    "AEE_EFILE": Cause("the DSP's shell file is unreadable, truncated or too large", DSP_FILES),
    "AEE_EWOULDBLOCK": Cause("the queue is empty or full at the moment", VERSIONS),
})
"""Codes of the library, by name."""

DSP: Final[Mapping[str, Cause]] = MappingProxyType({
    "AEE_EFAILED": Cause("the DSP's software failed; its log has the reason", JOURNAL),
    "AEE_ENOMEMORY": _FULL,
    "AEE_ECLASSNOTSUPPORT": _DIFFERENT,
    "AEE_EVERSIONNOTSUPPORT": _SKEL,
    "AEE_EUNABLETOLOAD": Cause("the DSP's loader refused the skel; the journal has the file or symbol", JOURNAL),
    "AEE_EEXPIRED": Cause("a wait within the DSP ran out", KERNEL_LOG),
    "AEE_EBADSTATE": _DIED,
    "AEE_EBADPARM": _SKEL,
    "AEE_EBADITEM": Cause("the header of a queue's packet is damaged", KERNEL_LOG),
    "AEE_EUNSUPPORTED": Cause("the skel or the firmware does not know this call", UPGRADE),
    "AEE_EPRIVLEVEL": _SIGNED,
    "AEE_ERESOURCENOTFOUND": Cause(
        "the firmware refuses processes of users: it is older than the kernel expects", UPGRADE
    ),
    "AEE_EINVALIDFORMAT": Cause("the shell or the skel is damaged", DSP_FILES),
    "AEE_EBADELF": Cause("the shell or the skel is damaged, or built for another DSP", DSP_FILES),
    "AEE_EINVHANDLE": _STALE,
    "AEE_EBADHANDLE": _STALE,
    "AEE_EINVALIDFD": Cause("the DSP has no mapping for a buffer", VERSIONS),
    "AEE_EINVALIDSEGS": Cause("the segments of the shell or the skel are damaged", DSP_FILES),
    "AEE_EINVALIDDIGESTSIZE": _SIGNED,
    "AEE_EINVALIDSIGNATURE": _SIGNED,
    "AEE_EUNSIGNEDMOD": _SIGNED,
    "AEE_ENOROOTOFTRUST": _SIGNED,
    "AEE_EINVALIDHASH": Cause(
        "the firmware compares the DSP's files with hashes: the shell or the skel is not the one that it knows",
        DSP_FILES,
    ),
    "AEE_EINVALIDPROCESS": _DIED,
    "AEE_ENOSUCHPROCESS": _DIED,
    "AEE_EBADPID": _DIED,
    "AEE_ENOSUCHMOD": _STALE,
    "AEE_ENOSUCHSYMBOL": Cause("another skel of the same name was found in ADSP_LIBRARY_PATH", PIP),
    "AEE_ENOSUCHFILE": Cause("the DSP's loader does not find the skel or a library of it", PATHS),
    "AEE_ENOSUCHMAP": Cause("the DSP has no mapping for a buffer", VERSIONS),
    "AEE_EBADMAPREFCNT": Cause("a mapping is still in use on the DSP", VERSIONS),
    "AEE_EMAPALREADYPRESENT": Cause("the memory is already mapped on the DSP", VERSIONS),
    "AEE_EBADSIZE": Cause("the name of the skel or of its folder is too long for the DSP", PATHS),
    "AEE_EBADPERMS": _SIGNED,
    "AEE_ENOTALLOWED": _SIGNED,
    "AEE_EBADFD": Cause(
        "the library handed the DSP no shell: no shell is installed, or no file in conf.d names this machine", DSP_FILES
    ),
    "AEE_EBADASID": _RESOURCES,
    "AEE_EBADVA": Cause("the DSP cannot reach an address: a buffer is not mapped", VERSIONS),
    "AEE_EMMAP": _FULL,
    "AEE_EMAXBUFS": _FULL,
    "AEE_EHEAP": _FULL,
    "AEE_ENORPCMEMORY": _FULL,
    "AEE_ENOFREESECTION": _RESOURCES,
    "E_NO_MORE_FREE_SECTIONS": _RESOURCES,
    "E_DPOOL_CAP_REACHED": _RESOURCES,
    "E_HLOS_CAP_REACHED": _RESOURCES,
    "E_APPS_BUSY_RETRY_LATER": Cause("other programs keep the DSP busy", USERS),
    "AEE_EBUSY": Cause("other programs keep the DSP busy", USERS),
    "AEE_EOUTOFHANDLES": _RESOURCES,
    "AEE_ENOSESSION": _RESOURCES,
    "AEE_ENOTINITIALIZED": Cause("a service of the DSP does not run yet, or no longer", STATE),
    "AEE_ECPUEXCEPTION": _DIED,
    "AEE_ESTUBSKELVERMISMATCH": _SKEL,
    "AEE_ERPC": _SHELL,
    "AEE_EFILE": Cause("the DSP's shell file is truncated or damaged", DSP_FILES),
})
"""Codes of the DSP's software, by name; ``_DSP_RANGES`` has groups of others."""

_DSP_RANGES: Final = (
    (0x57, 0x64, _FILES),  # stdio and the environment, which the host does for the DSP
    (0x140, 0x163, _RESOURCES),  # QuRT, the DSP's operating system
    (0x170, 0x178, Cause("the DSP's power manager refused a vote for clocks", KERNEL_LOG)),
    (0x100, 0x126, Cause("the link between the CPU and the DSP failed", KERNEL_LOG)),
)

KERNEL: Final[Mapping[str, Cause]] = MappingProxyType({
    "EPERM": Cause("the kernel allows this call to nobody but itself, or a security policy forbids it", NODES),
    "EACCES": Cause("your user may not open the device node", NODES),
    "ENOENT": Cause("the kernel has no record of a buffer or of the device", KERNEL_LOG),
    "EINTR": Cause("a signal ended the wait", VERSIONS),
    "EIO": Cause("the DSP did not create the process, or its link to the CPU failed", KERNEL_LOG),
    "ENXIO": Cause("the DSP is off, or no driver is bound to it", STATE),
    "ENODEV": Cause("the DSP is off, or no driver is bound to it", STATE),
    "EBADF": Cause("the file descriptor of a buffer is no shared memory", HEAP),
    "EAGAIN": Cause("the link to the DSP is busy", USERS),
    "ENOMEM": Cause("the kernel has no memory left that the DSP can reach: its CMA region or IOMMU is full", MEMORY),
    "EFAULT": _BUG,
    "EBUSY": Cause("all sessions of the device tree are in use by other programs", USERS),
    "EEXIST": Cause("the memory is already mapped", VERSIONS),
    "EINVAL": Cause("the kernel's driver does not take the arguments: it is too old for the library", UPGRADE),
    "EMFILE": Cause("this process has too many open files", "ulimit -n 65536"),
    "ENOTTY": Cause("the kernel's driver does not have the ioctl: it is too old for the library", UPGRADE),
    "ENOSPC": Cause("too many calls are in flight on the DSP, or it has too many sessions", USERS),
    "EPIPE": _DIED,
    "EDEADLK": _BUG,
    "ETIME": Cause("the DSP did not answer the kernel in time", KERNEL_LOG),
    "ECHRNG": Cause("the kernel does not know this DSP: it is older than the library", UPGRADE),
    "EBADRQC": Cause("the kernel's driver does not have the request: it is too old for the library", UPGRADE),
    "EOVERFLOW": Cause("the kernel does not know a property of the DSP: it is older than the library", UPGRADE),
    "EOPNOTSUPP": Cause("the firmware does not report its properties: it is old", UPGRADE),
    "EADDRNOTAVAIL": Cause("the DSP has no address left for a buffer", MEMORY),
    "ECONNRESET": _DIED,
    "ESTALE": _DIED,
    "ESRCH": _DIED,
    "ENOTCONN": Cause("the DSP is off, or restarts", STATE),
    "ESHUTDOWN": Cause("the DSP is off, or restarts", STATE),
    "ETIMEDOUT": Cause("the DSP did not answer the kernel within ten seconds: it hangs, or did not start", KERNEL_LOG),
    "ECONNREFUSED": Cause("the kernel refuses an untrusted program a signed process", NODES),
    "EPROTO": Cause("the DSP's answer makes no sense to the kernel: firmware and kernel do not fit", UPGRADE),
})
"""Kernel errors that the library passes on, by the names of errno."""


# By number, because some names are aliases.
_BY_ERRNO: Final = MappingProxyType({getattr(errno, name): cause for name, cause in KERNEL.items()})


def of(code: int) -> Cause | None:
    """Return the cause of a code, or None for a code that no part of FastRPC returns."""
    code = aee.normalise(code)
    if code == aee.normalise(-1):
        return _LOST
    origin = aee.origin(code)
    if origin == "kernel":
        number = -aee.signed(code)
        return _BY_ERRNO.get(number, _LOST if number in errno.errorcode else None)
    table = DSP if origin == "dsp" else HOST
    names = aee.name(code).split(" or ")
    found = next((table[name] for name in names if name in table), None)
    if found or origin == "host" or not set(names) & set(aee.CODES):
        return found
    number = code - aee.DSP_BASE
    return next((cause for first, last, cause in _DSP_RANGES if first <= number <= last), _REFUSED)


def hint(code: int) -> str:
    """Return cause and command of a code for an exception, or an empty string."""
    cause = of(code)
    return f"{cause.text}: {cause.command}" if cause else ""
