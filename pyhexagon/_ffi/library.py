# SPDX-License-Identifier: MIT
"""Load a libcdsprpc and resolve its names.

What the real library does to a process, and how this file deals with it:

- It exports hundreds of internals under generic names, and plugins re-export FastRPC names as NULL forwarders: it is
  opened with RTLD_LOCAL.
- Its threads and its exit handler outlive our references: it is opened with RTLD_NODELETE.
- A second copy, or a twin for another DSP, ends the process with exit(1) at the first open: ``load`` refuses to load a
  second one, even if other code loaded the first.
- Its constructor has set up rpcmem; rpcmem_init and rpcmem_deinit would break it and are not even resolved.
- A session does not survive fork(): in a forked child every function raises ClosedError.
- Versions export different names: names are looked up once, here. A missing name turns its feature off, and calling it
  raises UnsupportedError.
- Invoking a closed handle returns 0 and does nothing, and closing one twice destroys the session: ``handles`` records
  the live handles, and the functions of remote.py check it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import re
import threading
import weakref
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NewType

from pyhexagon._ffi._generated import ffi
from pyhexagon.errors import (
    ArgumentError,
    ClosedError,
    DeviceNotFoundError,
    HexagonError,
    LibraryError,
    UnsupportedError,
)

Handle64 = NewType("Handle64", int)
CData = Any  # a cffi object: cffi has no types for them

_LAST_STANDARD_FD: Final = 2
SYSTEM_NAMES: Final = ("libcdsprpc.so.1", "libcdsprpc.so")
_TWINS: Final = re.compile(r"lib(c|a|s|m)dsprpc\.so(\.|$)")

REQUIRED: Final = (
    "remote_handle64_open",
    "remote_handle64_invoke",
    "remote_handle64_close",
    "remote_handle_control",
    "remote_session_control",
    "rpcmem_alloc",
    "rpcmem_free",
    "rpcmem_to_fd",
    "fastrpc_mmap",
    "fastrpc_munmap",
)
FEATURES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "handle64_control": ("remote_handle64_control",),
    "rpcmem_alloc2": ("rpcmem_alloc2",),
    "register_buf": ("remote_register_buf", "remote_register_buf_attr", "remote_register_buf_attr2"),
    "mem_map": ("remote_mem_map", "remote_mem_unmap"),
    "async": (
        "remote_handle64_invoke_async",
        "fastrpc_async_get_status",
        "fastrpc_release_async_job",
    ),
    "dspqueue": (
        "dspqueue_create",
        "dspqueue_close",
        "dspqueue_export",
        "dspqueue_write",
        "dspqueue_write_noblock",
        "dspqueue_read",
        "dspqueue_read_noblock",
        "dspqueue_peek",
        "dspqueue_peek_noblock",
        "dspqueue_write_early_wakeup_noblock",
        "dspqueue_get_stat",
    ),
    "loopback": (
        "loopback_fail",
        "loopback_kill",
        "loopback_stall",
        "loopback_stall_at",
        "loopback_is_stalled",
        "loopback_count",
        "loopback_calls",
        "loopback_log",
        "loopback_is_incoherent",
        "loopback_has_rates",
        "loopback_sync",
        "loopback_set",
        "loopback_reset",
    ),
})


class Library:
    """An opened libcdsprpc: its functions as attributes, its features, and its live handles.

    Only ``load`` creates one. The functions release the GIL and return raw codes; only remote.py, rpcmem.py,
    dspqueue.py and loopback.py call them, everything else calls the wrappers in those modules.

    Attributes:
        path: the library's file.
        features: the available keys of ``FEATURES``.
        handles: the live handles, each with the domain part of its URI.
        invoke_address: the address of remote_handle64_invoke, for the C thread that makes calls.
        usable: False in a forked child, where every function raises and nothing can or need be closed.
        registered: sizes in bytes of the buffers registered with remote_register_buf, by address.
        allocated: the pointers of rpcmem_alloc that free their memory when they are garbage.
    """

    remote_handle64_open: Callable[[bytes, CData], int]
    remote_handle64_invoke: Callable[[int, int, CData], int]
    remote_handle64_close: Callable[[int], int]
    remote_handle_control: Callable[[int, CData, int], int]
    remote_handle64_control: Callable[[int, int, CData, int], int]
    remote_session_control: Callable[[int, CData, int], int]
    remote_mem_map: Callable[[int, int, int, int, int, CData], int]
    remote_mem_unmap: Callable[[int, int, int], int]
    fastrpc_mmap: Callable[[int, int, CData, int, int, int], int]
    fastrpc_munmap: Callable[[int, int, CData, int], int]
    remote_register_buf: Callable[[CData, int, int], None]
    remote_register_buf_attr: Callable[[CData, int, int, int], None]
    remote_register_buf_attr2: Callable[[CData, int, int, int], None]
    rpcmem_alloc: Callable[[int, int, int], CData]
    rpcmem_alloc2: Callable[[int, int, int], CData]
    rpcmem_free: Callable[[CData], None]
    rpcmem_to_fd: Callable[[CData], int]
    dspqueue_create: Callable[[int, int, int, int, CData, CData, CData, CData], int]
    dspqueue_close: Callable[[CData], int]
    dspqueue_export: Callable[[CData, CData], int]
    dspqueue_write: Callable[[CData, int, int, CData, int, CData, int], int]
    dspqueue_write_noblock: Callable[[CData, int, int, CData, int, CData], int]
    dspqueue_read: Callable[[CData, CData, int, CData, CData, int, CData, CData, int], int]
    dspqueue_read_noblock: Callable[[CData, CData, int, CData, CData, int, CData, CData], int]
    dspqueue_peek: Callable[[CData, CData, CData, CData, int], int]
    dspqueue_peek_noblock: Callable[[CData, CData, CData, CData], int]
    dspqueue_write_early_wakeup_noblock: Callable[[CData, int, int], int]
    dspqueue_get_stat: Callable[[CData, int, CData], int]
    loopback_fail: Callable[[bytes, int, int], int]
    loopback_kill: Callable[[int], int]
    loopback_stall: Callable[[int, int], int]
    loopback_stall_at: Callable[[int, int], int]
    loopback_is_stalled: Callable[[int], int]
    loopback_count: Callable[[bytes], int]
    loopback_calls: Callable[[CData, int], int]
    loopback_log: Callable[[CData, int], int]
    loopback_is_incoherent: Callable[[], int]
    loopback_has_rates: Callable[[], int]
    loopback_sync: Callable[[int, int], int]
    loopback_set: Callable[[bytes, int], int]
    loopback_reset: Callable[[], None]

    def __init__(self, path: str, c_library: CData) -> None:
        self.path = path
        self.handles: dict[Handle64, str] = {}
        self.registered: dict[int, int] = {}
        self.allocated: set[weakref.ref[CData]] = set()
        self._c_library = c_library  # keeps the functions alive
        self._names: list[str] = []
        self.usable = True
        self._skips_exit = False
        missing = [name for name in REQUIRED if not self._resolve(name)]
        if missing:
            raise LibraryError(f"{path} is not a usable libcdsprpc: it lacks {', '.join(missing)}")
        features = set()
        for feature, names in FEATURES.items():
            if all([self._resolve(name) for name in names]):  # a list: every name is resolved
                features.add(feature)
        self.features: frozenset[str] = frozenset(features)
        self.invoke_address = ffi.cast("void *", ffi.addressof(c_library, "remote_handle64_invoke"))
        os.register_at_fork(after_in_child=self._after_fork)
        atexit.register(self._abandon_memory)  # the exit of the process frees it

    def _resolve(self, name: str) -> bool:
        self._names.append(name)
        try:
            function = getattr(self._c_library, name)
        except (AttributeError, ffi.error):
            setattr(self, name, _raiser(UnsupportedError(f"{self.path} does not have it", call=name)))
            return False
        setattr(self, name, function)
        return True

    def _after_fork(self) -> None:
        self.usable = False
        detail = "the DSP does not follow a fork: use the 'spawn' start method and open the device in the child"
        for name in self._names:
            setattr(self, name, _raiser(ClosedError(detail, call=name)))
        self._abandon_memory()

    def _abandon_memory(self) -> None:
        for pointer in [reference() for reference in self.allocated]:
            if pointer is not None:
                ffi.gc(pointer, None)

    def skip_exit(self) -> None:
        """Make the process exit before the library's exit handler runs, because that handler may wait for ever.

        C runs exit handlers in reverse order of registration and passes the exit status to ``on_exit`` handlers.
        """
        if not self._skips_exit:
            self._skips_exit = True
            c = ctypes.CDLL(None)
            c.on_exit(c._exit, None)

    @property
    def is_loopback(self) -> bool:
        """Whether this is our loopback."""
        return "loopback" in self.features

    def __repr__(self) -> str:
        return f"<Library {self.path}{' (loopback)' if self.is_loopback else ''}>"


def _raiser(error: HexagonError) -> Callable[..., Any]:
    def function(*_: object) -> None:
        raise type(error)(error.detail, call=error.call)

    return function


_lock = threading.Lock()
_loaded: Library | None = None


def load(path: str | os.PathLike[str] | None = None) -> Library:
    """Open a libcdsprpc; a process can hold one.

    Args:
        path: the file; None takes the system's libcdsprpc.so.1 or libcdsprpc.so.
    Returns:
        The library; the same object for the same file.
    Raises:
        DeviceNotFoundError: the file does not exist.
        LibraryError: it cannot be loaded, lacks required names, or another one is in this process.
    """
    global _loaded  # noqa: PLW0603 - the library is one per process by its own rule
    with _lock:
        wanted = None if path is None else os.path.realpath(path)
        if _loaded is not None:
            if not _loaded.usable:
                raise ClosedError(f"this process was forked from one that had loaded {_loaded.path}: use 'spawn'")
            if wanted == _loaded.path or (wanted is None and not _loaded.is_loopback):
                return _loaded
            raise LibraryError(
                f"{_loaded.path} is in this process, and a process can have one libcdsprpc",
                hint=f"use another process for {wanted or 'the real device'}",
            )
        if wanted is not None and not Path(wanted).exists():
            raise DeviceNotFoundError(f"{wanted} does not exist")
        others = [twin for twin in _mapped_twins() if twin != wanted and (wanted or "libcdsprpc" not in twin)]
        if others:
            raise LibraryError(f"{others[0]} is in this process, and a process can have one FastRPC library")
        _fill_standard_fds()
        c_library, name = _open_system() if wanted is None else (_open(wanted), wanted)
        _loaded = Library(name, c_library)
        return _loaded


def _fill_standard_fds() -> None:
    """Open /dev/null as each of the fds 0 to 2 that is closed: no shared memory may get one of them.

    FastRPC's kernel driver treats an argument with fd 0 as memory without a mapping, and a program that prints to a
    closed stdout would write into a buffer of the DSP. A daemon may start its process with these fds closed.
    """
    fd = os.open(os.devnull, os.O_RDWR)
    while fd <= _LAST_STANDARD_FD:
        fd = os.open(os.devnull, os.O_RDWR)
    os.close(fd)


def _open(name: str) -> CData:
    try:
        return ffi.dlopen(name, ffi.RTLD_LOCAL | ffi.RTLD_NOW | ffi.RTLD_NODELETE)
    except OSError as problem:
        raise LibraryError(str(problem)) from None


def _open_system() -> tuple[CData, str]:
    for name in SYSTEM_NAMES:
        try:
            c_library = _open(name)
        except LibraryError as problem:
            if f"{name}: cannot open shared object file" not in problem.detail:
                raise
            continue
        return c_library, next((twin for twin in _mapped_twins() if "libcdsprpc" in twin), name)
    raise DeviceNotFoundError(f"the system has no {' or '.join(SYSTEM_NAMES)}")


def package_folders() -> list[Path]:
    """Return the folders of ``pyhexagon.__path__``; this module is part of that package and does not import it.

    An editable install has two: the checkout and the folder of the built files.
    """
    spec = find_spec("pyhexagon")
    return [Path(entry) for entry in spec.submodule_search_locations or ()] if spec else []


def lib_folders() -> list[Path]:
    """Return the folders of the built libraries; ``PYHEXAGON_LIB`` replaces them."""
    override = os.environ.get("PYHEXAGON_LIB")
    if override and not os.path.isdir(override):
        raise ArgumentError(f"PYHEXAGON_LIB of the environment is {override!r}: expected a folder")
    return [Path(override)] if override else [folder / "lib" for folder in package_folders()]


def _mapped_twins() -> list[str]:
    """Return the paths of the FastRPC libraries mapped into this process."""
    files = {}
    for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and _TWINS.match(os.path.basename(fields[5])):
            files[fields[5]] = True
    return list(files)
