# SPDX-License-Identifier: MIT
"""Sessions, handles and mappings (remote.h) as plain functions over a ``Library``; invoke.py has the invokes.

Domains are *effective* ids: domain + 8 * session. Unsigned or signed mode and thread parameters must be set before the
first open of an effective id. Buffers are any C-contiguous objects with the buffer protocol. All functions raise the
errors of pyhexagon.errors and release the GIL during the C call.

Rules of the real library that callers must keep:

- Close each handle exactly once, and close every handle of a lost session before opening again.
- Closing the last handle ends the DSP process at once, without the skel's own close: call a clean-up method before.
- Unmap memory that was mapped with ``fastrpc_mmap`` before freeing it.
- Each thread that invokes gets a DSP thread of its own, which costs an RPC at its end: keep threads few and long-lived.
"""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Handle64, Library
from pyhexagon._ffi.native_library import native_library
from pyhexagon.errors import ArgumentError, ClosedError, DspMemoryError, HexagonError, aee, check

CDSP: Final = ffi.integer_const("CDSP_DOMAIN_ID")
CDSP1: Final = ffi.integer_const("CDSP1_DOMAIN_ID")
DOMAIN_IDS: Final = MappingProxyType({"cdsp": CDSP, "cdsp1": CDSP1})  # by the names of the compute DSPs
ALL_DOMAINS: Final = -1

# Attributes for dsp_info.
DOMAIN_SUPPORT: Final = ffi.integer_const("DOMAIN_SUPPORT")
UNSIGNED_PD_SUPPORT: Final = ffi.integer_const("UNSIGNED_PD_SUPPORT")
HVX_SUPPORT_128B: Final = ffi.integer_const("HVX_SUPPORT_128B")
VTCM_PAGE: Final = ffi.integer_const("VTCM_PAGE")
VTCM_COUNT: Final = ffi.integer_const("VTCM_COUNT")
ARCH_VER: Final = ffi.integer_const("ARCH_VER")

# Flags for fastrpc_mmap.
MAP_STATIC: Final = ffi.integer_const("FASTRPC_MAP_STATIC")
MAP_FD: Final = ffi.integer_const("FASTRPC_MAP_FD")
MAP_FD_DELAYED: Final = ffi.integer_const("FASTRPC_MAP_FD_DELAYED")
MAP_FD_NOMAP: Final = ffi.integer_const("FASTRPC_MAP_FD_NOMAP")

_MAX_URI: Final = 1024
_DOMAIN_PART: Final = re.compile(r"&_dom=[a-z0-9]+(&_session=\d+)?")


# --- Session control ---


def _session_control(library: Library, request: str, block: CData, **context: object) -> None:
    rc = library.remote_session_control(ffi.integer_const(request), block, ffi.sizeof(block[0]))
    check("remote_session_control", rc, request, **context)


def enable_unsigned(library: Library, domain: int, enable: bool = True) -> None:
    """Make the domain's process unsigned. Call before its first open; ALL_DOMAINS covers every session."""
    block: CData = ffi.new("struct remote_rpc_control_unsigned_module *", {"domain": domain, "enable": int(enable)})
    _session_control(library, "DSPRPC_CONTROL_UNSIGNED_MODULE", block, domain=domain)


def thread_params(library: Library, domain: int, priority: int = -1, stack_size: int = -1) -> None:
    """Set priority (1..255) and stack (16 KiB..8 MiB) of the DSP threads that serve our calls; -1 keeps the value."""
    block: CData = ffi.new("struct remote_rpc_thread_params *", (domain, priority, stack_size))
    _session_control(
        library, "FASTRPC_THREAD_PARAMS", block, domain=domain, priority=priority, stack_size=stack_size
    )


_registered: Final[set[CData]] = set()  # the library keeps a registration for good


@cache
def _status(library: Library, domain: int) -> CData:
    status: CData = native_library().phx_new_status(domain)
    if not status:
        raise MemoryError
    return status


def process_status(library: Library, domain: int) -> CData:
    """Return the ``struct process_status`` of the domain's next DSP process, which the library's thread updates.

    Raises:
        HexagonError: the library has no status notifications.
    """
    status = _status(library, domain)
    if status not in _registered:
        notifier = ffi.cast("fastrpc_notif_fn_t", native_library().phx_store_status)
        block: CData = ffi.new("remote_rpc_notif_register_t *", (status, domain, notifier))
        _session_control(library, "FASTRPC_REGISTER_STATUS_NOTIFICATIONS", block, domain=domain)
        _registered.add(status)
    status.status = 0
    return status


def process_type(library: Library, domain: int) -> int:
    """Return 0 for a signed process, 1 for an unsigned one."""
    block: CData = ffi.new("struct remote_process_type *", (domain, -1))
    _session_control(library, "FASTRPC_REMOTE_PROCESS_TYPE", block, domain=domain)
    return int(block.process_type)


def process_exception(library: Library, domain: int) -> None:
    """Make the domain's DSP process fault: a process that hangs dies, and calls that wait for it return."""
    block = ffi.new("remote_rpc_process_exception *", (domain,))
    _session_control(library, "FASTRPC_REMOTE_PROCESS_EXCEPTION", block, domain=domain)


class Reservation(NamedTuple):
    """The ids of a reserved session."""

    effective_id: int
    session_id: int


def reserve_session(library: Library, domain_name: str, session_name: str) -> Reservation:
    """Reserve one of the three sessions besides session 0. A reservation lasts until the process ends."""
    domain, session = ffi.new("char[]", domain_name.encode()), ffi.new("char[]", session_name.encode())
    block: CData = ffi.new(
        "remote_rpc_reserve_new_session_t *",
        {
            "domain_name": domain,
            "domain_name_len": len(domain) - 1,
            "session_name": session,
            "session_name_len": len(session) - 1,
        },
    )
    _session_control(library, "FASTRPC_RESERVE_NEW_SESSION", block, domain=domain_name)
    return Reservation(block.effective_domain_id, block.session_id)


def effective_domain_id(library: Library, domain_name: str, session_id: int) -> int:
    """Return the effective id of a domain's session."""
    domain = ffi.new("char[]", domain_name.encode())
    block: CData = ffi.new(
        "remote_rpc_effective_domain_id_t *",
        {"domain_name": domain, "domain_name_len": len(domain) - 1, "session_id": session_id},
    )
    _session_control(library, "FASTRPC_GET_EFFECTIVE_DOMAIN_ID", block, domain=domain_name, session=session_id)
    return int(block.effective_domain_id)


def get_uri(library: Library, domain_name: str, session_id: int, module_uri: str) -> str:
    """Return ``module_uri`` with domain and session appended, as ``remote_handle64_open`` expects."""
    domain, module = ffi.new("char[]", domain_name.encode()), ffi.new("char[]", module_uri.encode())
    uri = ffi.new("char[]", len(module) + 64)
    block: CData = ffi.new(
        "remote_rpc_get_uri_t *",
        {
            "domain_name": domain,
            "domain_name_len": len(domain) - 1,
            "session_id": session_id,
            "module_uri": module,
            "module_uri_len": len(module) - 1,
            "uri": uri,
            "uri_len": len(uri),
        },
    )
    _session_control(library, "FASTRPC_GET_URI", block, domain=domain_name, session=session_id)
    return bytes(ffi.buffer(uri)).split(b"\0", 1)[0].decode()


def dsp_info(library: Library, domain: int, attribute: int) -> int:
    """Return a capability of a domain; needs no session. Bits can lie: unsigned processes may work with a 0."""
    block: CData = ffi.new("fastrpc_capability *", (domain, attribute, 0))
    rc = library.remote_handle_control(ffi.integer_const("DSPRPC_GET_DSP_INFO"), block, ffi.sizeof(block[0]))
    check("remote_handle_control", rc, "DSPRPC_GET_DSP_INFO", domain=domain, attribute=attribute)
    return int(block.capability)


def arch(library: Library, domain: int) -> int | None:
    """Return the architecture of a DSP (0x68 for v68), or None if the library does not report it."""
    try:
        return dsp_info(library, domain, ARCH_VER) & 0xFF or None
    except HexagonError:
        return None


# --- Handles ---


def handle64_open(library: Library, uri: str) -> Handle64:
    """Open a module; the first module of a domain also opens the session.

    Args:
        library: the loaded library.
        uri: ``file:///<file>.so?<entry>&_modver=1.0&_dom=<domain>[&_session=<n>]``.

    Raises:
        ArgumentError: the library would refuse or misread the URI.
        DeviceLostError: the DSP process died and some of its handles are still open.
        DspMemoryError: no shared memory for the session, or the DSP is out of memory.
        SkelLoadError: the skel is not found, is not loadable, or lacks its entry.
        DeviceNotFoundError: no device node, or no permission to open it.
    """
    domain = _DOMAIN_PART.search(uri)
    if not uri.startswith("file:///") or domain is None:
        raise ArgumentError(f"a URI is file:///<file>?<entry>&_modver=1.0&_dom=<domain>, not {uri!r}")
    if len(uri) >= _MAX_URI or "\0" in uri:
        raise ArgumentError(f"a URI is shorter than {_MAX_URI} characters and has no NUL, not {uri!r}")
    slot = ffi.new("remote_handle64 *")
    try:
        rc = library.remote_handle64_open(uri.encode(), slot)
        if rc == aee.CONNRESET and domain[0] not in library.handles.values():
            # AEE_ECONNRESET has two meanings; without an earlier session there is no connection to reset.
            raise DspMemoryError(
                f"{uri}: no shared memory for the session",
                call="remote_handle64_open",
                code=rc,
                hint="check that your user may open /dev/dma_heap/system",
            )
        check("remote_handle64_open", rc, uri)
        handle = Handle64(slot[0])
        library.handles[handle] = domain[0]
        return handle
    except KeyboardInterrupt:
        if slot[0]:
            library.handles.pop(Handle64(slot[0]), None)
            library.remote_handle64_close(slot[0])
        raise


def handle64_close(library: Library, handle: Handle64) -> None:
    """Close a handle, never twice, whatever the result: a second close would destroy the session.

    Raises:
        ClosedError: the handle is not open.
    """
    if library.handles.pop(handle, None) is None:
        raise not_open("remote_handle64_close")
    check("remote_handle64_close", library.remote_handle64_close(handle))


def control_latency(library: Library, handle: Handle64, microseconds: int, mode: str = "RPC_PM_QOS") -> None:
    """Request a CPU wake-up latency during calls. This is a hint: callers may ignore UnsupportedError.

    Args:
        microseconds: of RPC_PM_QOS, the latency; of RPC_POLL_QOS, how long the CPU polls in each invoke, below 10,000.
        mode: a name of ``enum remote_rpc_latency_flags``.
    """
    block: CData = ffi.new("struct remote_rpc_control_latency *", (ffi.integer_const(mode), microseconds))
    if handle not in library.handles:
        raise not_open("remote_handle64_control")
    request = ffi.integer_const("DSPRPC_CONTROL_LATENCY")
    rc = library.remote_handle64_control(handle, request, block, ffi.sizeof(block[0]))
    check("remote_handle64_control", rc, "DSPRPC_CONTROL_LATENCY")


def not_open(call: str) -> ClosedError:
    """Return the error of a call with a handle that is not open."""
    return ClosedError("the handle is not open", call=call)


# --- Mapping ---


def fastrpc_mmap(library: Library, domain: int, fd: int, address: int, length: int, *, flags: int = MAP_FD) -> None:
    """Map a buffer into the domain's DSP process, which then knows it by its fd. Call once per fd and domain.

    A dspqueue read reports ``address`` for the buffer. Needs a session.
    """
    rc = library.fastrpc_mmap(domain, fd, ffi.cast("void *", address), 0, length, flags)
    check("fastrpc_mmap", rc, domain=domain, fd=fd, length=length)


def fastrpc_munmap(library: Library, domain: int, fd: int, address: int, length: int) -> None:
    """Unmap a buffer. The library refuses while a queue holds a reference to it."""
    rc = library.fastrpc_munmap(domain, fd, ffi.cast("void *", address), length)
    check("fastrpc_munmap", rc, domain=domain, fd=fd, length=length)


def register_buf(library: Library, address: int, size: int, fd: int, attributes: int = 0) -> None:
    """Register the memory of a dma-buf fd, so that invokes pass it without a copy. rpcmem does this by itself."""
    if fd < 0 or size <= 0 or address in library.registered:
        raise ArgumentError(
            f"expected an fd, a positive size and an address not registered yet, not {fd}, {size}, 0x{address:x}",
            call="remote_register_buf_attr2",
        )
    library.remote_register_buf_attr2(ffi.cast("void *", address), size, fd, attributes)
    library.registered[address] = size


def deregister_buf(library: Library, address: int) -> None:
    """Remove a registration with the size it was made with: the library aborts the process on another size."""
    if address not in library.registered:
        raise ArgumentError(f"nothing is registered at 0x{address:x}", call="remote_register_buf_attr2")
    library.remote_register_buf_attr2(ffi.cast("void *", address), library.registered.pop(address), -1, 0)


def mem_map(library: Library, domain: int, fd: int, address: int, size: int) -> int:
    """Map a buffer statically into the domain's DSP process and return its DSP address."""
    remote_address = ffi.new("uint64_t *")
    rc = library.remote_mem_map(domain, fd, ffi.integer_const("REMOTE_MAP_MEM_STATIC"), address, size, remote_address)
    check("remote_mem_map", rc, domain=domain, fd=fd, size=size)
    return int(remote_address[0])


def mem_unmap(library: Library, domain: int, remote_address: int, size: int) -> None:
    """Undo a ``mem_map``."""
    rc = library.remote_mem_unmap(domain, remote_address, size)
    check("remote_mem_unmap", rc, domain=domain, size=size)
