# SPDX-License-Identifier: MIT
"""The client side of idl/pyhexagon.idl: its methods, marshalled as Qualcomm's IDL compiler (qaic) lays them out.

A method's in scalars form a C struct in the first in buffer, with 64-bit scalars aligned to 8. A sequence puts its
length there and has a buffer of its own, also if it is an output. All out scalars share the first out buffer. Methods 0
and 1 (open, close) belong to remote_handle64_open and _close.

Every method blocks until the DSP answers; the session calls them on its call thread.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract
from pyhexagon._ffi.invoke import PreparedCall, handle64_invoke
from pyhexagon._ffi.library import Handle64, Library

if TYPE_CHECKING:
    from typing_extensions import Buffer

# No memoryview: CPython (3.11) crashes when it collects a memoryview that C still exports.
Bytes = npt.NDArray[np.uint8] | bytearray | bytes

INFO: Final = 2
START: Final = 3
STOP: Final = 4
MAP_BUFFER: Final = 5
UNMAP_BUFFER: Final = 6
RUN: Final = 7
ECHO: Final = 8
SET_LOG: Final = 9
SET_POWER: Final = 10
ADD_WORKSPACE: Final = 11
TRY_HEAP: Final = 12
PROBE: Final = 13
LOAD_KERNEL: Final = 14

_INFO_OUT: Final = struct.Struct("<6IQ")
_START_IN: Final = struct.Struct("<QI4x")
_MAP_IN: Final = struct.Struct("<iI")
_UNMAP_IN: Final = struct.Struct("<i")
_SET_LOG_IN: Final = struct.Struct("<iII")
_SET_POWER_IN: Final = struct.Struct("<I")
_TRY_HEAP_IN: Final = struct.Struct("<I")
_PROBE_IN: Final = struct.Struct("<4IiI")
_LOAD_KERNEL_IN: Final = struct.Struct("<4I")
_LENGTHS_IN: Final = struct.Struct("<II")  # the length of an in sequence, and the capacity of an out sequence


@dataclass(frozen=True)
class SkelInfo:
    """The answer of the skel's ``info`` method."""

    contract_version: int
    arch: int
    n_threads: int
    hvx_units: int
    vtcm_bytes: int
    build_id: int


class ProbeRecord(NamedTuple):
    """What one thread of a probe measured: ``phx_probe_record`` of idl/contract.h.

    Attributes:
        ticks: of the DSP's qtimer, 19.2 MHz.
        cycles: of the DSP's clock; 0 without a counter.
        packets: 0 without a counter.
        work: the unit depends on the probe.
    """

    ticks: int
    cycles: int
    packets: int
    work: int


class Stub:
    """The methods of one open handle."""

    def __init__(self, library: Library, handle: Handle64) -> None:
        self._library = library
        self._handle = handle

    def info(self) -> SkelInfo:
        out = bytearray(_INFO_OUT.size)
        handle64_invoke(self._library, self._handle, INFO, [], [out])
        version, arch, n_threads, hvx_units, vtcm_bytes, _, build_id = _INFO_OUT.unpack(out)
        return SkelInfo(version, arch, n_threads, hvx_units, vtcm_bytes, build_id)

    def start(self, queue_id: int, n_threads: int) -> None:
        handle64_invoke(self._library, self._handle, START, [_START_IN.pack(queue_id, n_threads)], [])

    def stop(self) -> None:
        handle64_invoke(self._library, self._handle, STOP, [], [])

    def map_buffer(self, fd: int, size: int) -> None:
        handle64_invoke(self._library, self._handle, MAP_BUFFER, [_MAP_IN.pack(fd, size)], [])

    def unmap_buffer(self, fd: int) -> None:
        handle64_invoke(self._library, self._handle, UNMAP_BUFFER, [_UNMAP_IN.pack(fd)], [])

    def set_log(self, fd: int, size: int, level: int) -> None:
        handle64_invoke(self._library, self._handle, SET_LOG, [_SET_LOG_IN.pack(fd, size, level)], [])

    def set_power(self, power: int) -> None:
        handle64_invoke(self._library, self._handle, SET_POWER, [_SET_POWER_IN.pack(power)], [])

    def add_workspace(self, fd: int, size: int) -> None:
        handle64_invoke(self._library, self._handle, ADD_WORKSPACE, [_MAP_IN.pack(fd, size)], [])

    def try_heap(self, size: int) -> None:
        handle64_invoke(self._library, self._handle, TRY_HEAP, [_TRY_HEAP_IN.pack(size)], [])

    def probe(self, kind: int, n_threads: int, n_repeats: int, size: int, fd: int) -> list[ProbeRecord]:
        out = bytearray(contract.PROBE_RECORD.size * n_threads)
        scalars = _PROBE_IN.pack(kind, n_threads, n_repeats, size, fd, len(out))
        handle64_invoke(self._library, self._handle, PROBE, [scalars], [out])
        return [ProbeRecord(*record) for record in contract.PROBE_RECORD.iter_unpack(out)]

    def load_kernel(self, number: int, name: str, image: bytes, *, is_path: bool = False) -> None:
        """Load a user kernel, or unload it with an empty image; ``is_path``: from a file that the DSP opens."""
        text = name.encode() + b"\0"
        scalars = _LOAD_KERNEL_IN.pack(number, is_path, len(text), len(image))
        handle64_invoke(self._library, self._handle, LOAD_KERNEL, [scalars, text, image], [])

    def prepare_run(self, request: Bytes, response: Bytes) -> PreparedCall:
        """Return a ``run`` call to be made repeatedly over the same request and response memory."""
        return self._sequences(RUN, request, response)

    def prepare_echo(self, request: Bytes, reply: Bytes) -> PreparedCall:
        """Return an ``echo`` call to be made repeatedly over the same two buffers."""
        return self._sequences(ECHO, request, reply)

    def _sequences(self, method: int, request: Bytes, reply: Bytes) -> PreparedCall:
        lengths = _LENGTHS_IN.pack(len(request), len(reply))
        buffers = cast("tuple[Buffer, Buffer]", (request, reply))  # NumPy's types know no Buffer before Python 3.12
        return PreparedCall(self._library, self._handle, method, [lengths, buffers[0]], [buffers[1]])
