# SPDX-License-Identifier: MIT
"""Foreign skels through the QEMU engine, by plain FastRPC calls."""

from __future__ import annotations

import importlib.util
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from pyhexagon import workers
from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.invoke import handle64_invoke
from pyhexagon._ffi.library import Handle64, Library
from pyhexagon._ffi.rpcmem import SharedMemory

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent

CRASH, COUNT, DMA, VTCM, LOG, PEEK, THREADS, WHERE, NUMBERED, SYSTEM, VTCM_LATER, FILES = range(2, 14)
"""Methods of probe_skel.c."""

FAULT, ABORT, ILLEGAL, SPIN, OVERFLOW, DEEP = range(6)
"""Kinds of CRASH."""

Array = bytes | bytearray | memoryview


class Module:
    """An open handle of a skel."""

    def __init__(self, library: Library, handle: Handle64) -> None:
        self.library = library
        self.handle = handle

    def invoke(self, method: int, inputs: Sequence[Array], outputs: Sequence[bytearray | memoryview]) -> None:
        handle64_invoke(self.library, self.handle, method, inputs, outputs)

    def probe(self, method: int, *numbers: int) -> tuple[int, ...]:
        """A method of probe_skel.c that takes numbers and gives 8 words."""
        out = bytearray(32)
        self.invoke(method, [words(*numbers)], [out])
        return struct.unpack("<8I", out)


def words(*numbers: int) -> bytes:
    """The first in argument of a method of probe_skel.c."""
    return struct.pack("<8I", *(number & 0xFFFFFFFF for number in numbers), *[0] * (8 - len(numbers)))


@contextmanager
def opened(library: Library, path: Path, entry: str | None = None, options: str = "") -> Iterator[Module]:
    """Opens the skel at ``path`` in an unsigned session and closes it, also when the PD has died."""
    entry = entry or path.stem.removeprefix("lib") + "_handle_invoke"
    with mock.patch.dict(os.environ, {"DSP_LIBRARY_PATH": str(path.parent)}):
        remote.enable_unsigned(library, remote.CDSP)
        handle = remote.handle64_open(library, f"file:///{path.name}?{entry}&_modver=1.0{options}&_dom=cdsp")
    try:
        yield Module(library, handle)
    finally:
        remote.handle64_close(library, handle)


@contextmanager
def mapped(library: Library, size: int) -> Iterator[tuple[memoryview, int]]:
    """An rpcmem buffer that fastrpc_mmap has mapped: its memory and fd."""
    buffer = SharedMemory(library, size)
    remote.fastrpc_mmap(library, remote.CDSP, buffer.fd, buffer.address, size)
    try:
        yield buffer.view, buffer.fd
    finally:
        remote.fastrpc_munmap(library, remote.CDSP, buffer.fd, buffer.address, size)
        buffer.free()


def children() -> list[int]:
    """Process numbers of this process's children that still run, except idle workers."""
    others = {worker._process.pid for worker in workers._idle}
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue  # it ended meanwhile
            if int(parent) == os.getpid() and state != "Z" and int(entry.name) not in others:
                found.append(int(entry.name))
    return found


def state(pid: int) -> str:
    """Return the state of a process: T, it is stopped; Z, it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def n_threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def all_gone() -> bool:
    """Whether they all end."""
    end = time.monotonic() + 60
    while children():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def log(library: Library) -> str:
    """Return the PD's lines of the loopback's log."""
    return loopback.log(library)


def build_probe(directory: Path, *link_options: str, name: str = "libprobe_skel.so") -> Path:
    """Builds probe_skel.c as dsp/cmake/skel.cmake builds skels."""
    wheel = importlib.util.find_spec("ziglang")
    assert wheel is not None
    assert wheel.origin is not None
    zig = str(Path(wheel.origin).with_name("zig"))
    target = "-target hexagon-freestanding-none -mcpu=hexagonv68+hvxv68+hvx_length128b -ffreestanding -nostdlibinc"
    compile_options = "-std=gnu11 -O2 -fPIC -fvisibility=hidden -fno-asynchronous-unwind-tables -Wall -Wextra -Werror"
    shape = (
        "-m hexagonelf -shared -s -Bsymbolic -z nodelete -z max-page-size=4096 --hash-style=sysv -z norelro "
        "--no-rosegment --no-eh-frame-hdr --build-id=none -z separate-loadable-segments -z nognustack -init probe_init"
    )
    compiled, path = directory / "probe.o", directory / name
    commands = [
        [zig, "cc", *target.split(), *compile_options.split(), "-c", str(HERE / "probe_skel.c"), "-o", str(compiled)],
        [zig, "ld.lld", *shape.split(), *link_options, "-soname", name, "-o", str(path), str(compiled)],
        [sys.executable, str(ROOT / "pyhexagon/kernels/postlink.py"), str(path)],
    ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return path
