# SPDX-License-Identifier: MIT
"""idl/pyhexagon.idl is marshalled like Qualcomm's qaic does.

QAIC below is what qaic (github qualcomm/QAIC at a66a001, built with GHC 9.0.2) generated for the file: counts, offsets
and the sizes that its skel requires (nLen >=) and its stub sends (an array of u32, or of u64 if it contains one). The
IDL is parsed here by the same rules and must give that table; pyhexagon.process.stub must send it. A new method needs
its row, from qaic; those from set_log on were written by the rules that the others confirm.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, Handle64, Library
from pyhexagon.process import stub
from pyhexagon.process.stub import Stub

IDL = Path(__file__).resolve().parents[2] / "idl" / "pyhexagon.idl"
# The first methods of every interface over remote_handle64 (remote.idl).
INHERITED = "long open(in string uri, rout remote_handle64 h); long close(in remote_handle64 h);"

SCALAR_SIZES = {"long": 4, "unsigned long": 4, "long long": 8, "unsigned long long": 8}
SEQUENCES = ("string", "sequence<octet>")
HANDLE = "remote_handle64"
METHOD = re.compile(r"\blong\s+(\w+)\s*\(([^)]*)\)\s*;")
PARAMETER = re.compile(r"\s*(in|rout)\s+([\w\s]+?|sequence<octet>)\s+(\w+)\s*")


class Scalars(NamedTuple):
    """Scalars that share a buffer: the offset of each, the required size and the sent size."""

    offsets: tuple[int, ...] = ()
    demanded: int = 0
    sent: int = 0


NONE = Scalars()


@dataclass(frozen=True)
class Marshalling:
    """The layout of a method's arguments."""

    number: int
    in_buffers: int
    out_buffers: int
    in_handles: int
    out_handles: int
    into: Scalars = NONE
    out_of: Scalars = NONE

    @property
    def scalars(self) -> int:
        """Return the scalars word of the invoke."""
        return (
            self.number << 24 | self.in_buffers << 16 | self.out_buffers << 8 | self.in_handles << 4 | self.out_handles
        )


QAIC = {
    "open": Marshalling(0, 2, 0, 0, 1, Scalars((0,), 4, 4)),
    "close": Marshalling(1, 0, 0, 1, 0),
    "info": Marshalling(2, 0, 1, 0, 0, out_of=Scalars((0, 4, 8, 12, 16, 20, 24), 32, 32)),
    "start": Marshalling(3, 1, 0, 0, 0, Scalars((0, 8), 12, 16)),
    "stop": Marshalling(4, 0, 0, 0, 0),
    "map_buffer": Marshalling(5, 1, 0, 0, 0, Scalars((0, 4), 8, 8)),
    "unmap_buffer": Marshalling(6, 1, 0, 0, 0, Scalars((0,), 4, 4)),
    "run": Marshalling(7, 2, 1, 0, 0, Scalars((0, 4), 8, 8)),
    "echo": Marshalling(8, 2, 1, 0, 0, Scalars((0, 4), 8, 8)),
    "set_log": Marshalling(9, 1, 0, 0, 0, Scalars((0, 4, 8), 12, 12)),
    "set_power": Marshalling(10, 1, 0, 0, 0, Scalars((0,), 4, 4)),
    "add_workspace": Marshalling(11, 1, 0, 0, 0, Scalars((0, 4), 8, 8)),
    "try_heap": Marshalling(12, 1, 0, 0, 0, Scalars((0,), 4, 4)),
    "probe": Marshalling(13, 1, 1, 0, 0, Scalars((0, 4, 8, 12, 16, 20), 24, 24)),
    "load_kernel": Marshalling(14, 3, 0, 0, 0, Scalars((0, 4, 8, 12), 16, 16)),
}


def _lay_out(sizes: list[int]) -> Scalars:
    """Return a C struct's layout, without its tail padding and with it."""
    offsets: list[int] = []
    end = 0
    for size in sizes:
        end = -(-end // size) * size
        offsets.append(end)
        end += size
    return Scalars(tuple(offsets), end, -(-end // max(sizes)) * max(sizes)) if sizes else NONE


def _marshalling(number: int, parameters: str) -> Marshalling:
    scalars: dict[str, list[int]] = {"in": [], "rout": []}
    sequences = {"in": 0, "rout": 0}
    handles = {"in": 0, "rout": 0}
    for text in filter(None, map(str.strip, parameters.split(","))):
        found = PARAMETER.fullmatch(text)
        assert found, text
        direction, type_name = found[1], " ".join(found[2].split())
        if type_name == HANDLE:
            handles[direction] += 1
        elif type_name in SEQUENCES:
            scalars["in"].append(4)  # its length, or the room for it
            sequences[direction] += 1
        else:
            scalars[direction].append(SCALAR_SIZES[type_name])
    into, out_of = _lay_out(scalars["in"]), _lay_out(scalars["rout"])
    return Marshalling(
        number,
        bool(into.offsets) + sequences["in"],
        bool(out_of.offsets) + sequences["rout"],
        handles["in"],
        handles["rout"],
        into,
        out_of,
    )


def test_idl_is_laid_out_as_qaic_lays_it_out() -> None:
    text = re.sub(r"//.*", "", IDL.read_text(encoding="ascii"))
    assert re.search(r"interface\s+pyhexagon\s*:\s*remote_handle64\b", text)
    methods = METHOD.findall(INHERITED + text)
    derived = {name: _marshalling(number, parameters) for number, (name, parameters) in enumerate(methods)}
    assert derived == QAIC


def test_the_header_that_qaic_makes_finds_its_types() -> None:
    """qaic turns each include of an .idl into one of the .h of that name, and writes ``unsigned long long`` as uint64.

    Among the public headers only AEEStdDef.h has that name, and remote.h does not include it.
    """
    text = IDL.read_text(encoding="ascii")
    assert "unsigned long long" in text
    assert re.findall(r'^#include "(\w+)\.idl"', text, re.MULTILINE) == ["AEEStdDef", "remote"]


class Invoked(NamedTuple):
    """The arguments of a remote_handle64_invoke."""

    handle: int
    scalars: int
    buffers: list[bytes]


class Recorder:
    """A substitute for a library: receives one invoke and answers it."""

    def __init__(self, answer: bytes = b"") -> None:
        self.handles = {Handle64(0x1234): "&_dom=cdsp"}
        self.calls: list[Invoked] = []
        self._answer = answer

    def remote_handle64_invoke(self, handle: int, scalars: int, arguments: CData) -> int:
        n_in, n_out = scalars >> 16 & 0xFF, scalars >> 8 & 0xFF
        buffers = [ffi.buffer(arguments[i].buf.pv, arguments[i].buf.nLen) for i in range(n_in + n_out)]
        self.calls.append(Invoked(handle, scalars, [bytes(buffer) for buffer in buffers]))
        if self._answer:
            buffers[n_in][:] = self._answer
        return 0


def _invoke(method: Callable[[Stub], object], answer: bytes = b"") -> Invoked:
    recorder = Recorder(answer)
    method(Stub(cast(Library, recorder), Handle64(0x1234)))
    (invoked,) = recorder.calls
    assert invoked.handle == 0x1234
    return invoked


QUEUE_ID, N_THREADS, FD, SIZE = 0x1122334455667788, 0x99AABBCC, 0x7FFFFFFE, 0x80000001
REQUEST = bytes(range(5))


@pytest.mark.parametrize(
    ("name", "method", "values", "others"),
    [
        ("start", lambda stub: stub.start(QUEUE_ID, N_THREADS), ("<Q", QUEUE_ID, "<I", N_THREADS), []),
        ("stop", lambda stub: stub.stop(), (), []),
        ("map_buffer", lambda stub: stub.map_buffer(FD, SIZE), ("<i", FD, "<I", SIZE), []),
        ("unmap_buffer", lambda stub: stub.unmap_buffer(-2), ("<i", -2), []),
        ("set_log", lambda stub: stub.set_log(FD, SIZE, 30), ("<i", FD, "<I", SIZE, "<I", 30), []),
        ("set_power", lambda stub: stub.set_power(2), ("<I", 2), []),
        ("add_workspace", lambda stub: stub.add_workspace(FD, SIZE), ("<i", FD, "<I", SIZE), []),
        ("try_heap", lambda stub: stub.try_heap(SIZE), ("<I", SIZE), []),
        (
            "probe", lambda stub: stub.probe(8, 2, 5, SIZE, FD),
            ("<I", 8, "<I", 2, "<I", 5, "<I", SIZE, "<i", FD, "<I", 64), [bytes(64)],
        ),
        (
            "load_kernel", lambda stub: stub.load_kernel(3, "name", b"image", is_path=True),
            ("<I", 3, "<I", 1, "<I", 5, "<I", 5), [b"name\0", b"image"],
        ),
        ("run", lambda stub: stub.prepare_run(REQUEST, bytearray(7))(), ("<I", 5, "<I", 7), [REQUEST, bytes(7)]),
        ("echo", lambda stub: stub.prepare_echo(REQUEST, bytearray(6))(), ("<I", 5, "<I", 6), [REQUEST, bytes(6)]),
    ],
    ids=[
        "start", "stop", "map_buffer", "unmap_buffer", "set_log", "set_power", "add_workspace", "try_heap", "probe",
        "load_kernel", "run", "echo",
    ],
)
def test_stub_sends_what_qaic_s_stub_sends(
    name: str, method: Callable[[Stub], object], values: tuple[str | int, ...], others: list[bytes]
) -> None:
    expected = QAIC[name]
    assert getattr(stub, name.upper()) == expected.number
    into = bytearray(expected.into.sent)
    formats, numbers = values[::2], values[1::2]
    for offset, form, number in zip(expected.into.offsets, formats, numbers, strict=True):
        struct.pack_into(str(form), into, offset, number)
    invoked = _invoke(method)
    assert invoked.scalars == expected.scalars
    assert invoked.buffers == ([bytes(into)] if into else []) + others


def test_stub_reads_info_where_qaic_s_skel_writes_it() -> None:
    expected = QAIC["info"]
    numbers = {"contract_version": 1, "arch": 0x68, "n_threads": 4, "hvx_units": 2, "vtcm_bytes": 1 << 20, "_": 9}
    answer = bytearray(expected.out_of.sent)
    for offset, number in zip(expected.out_of.offsets, numbers.values(), strict=False):
        struct.pack_into("<I", answer, offset, number)
    struct.pack_into("<Q", answer, expected.out_of.offsets[-1], 0x1122334455667788)
    read: list[stub.SkelInfo] = []
    invoked = _invoke(lambda stub: read.append(stub.info()), bytes(answer))
    assert invoked.scalars == expected.scalars
    assert [len(buffer) for buffer in invoked.buffers] == [expected.out_of.sent]
    del numbers["_"]
    assert read == [stub.SkelInfo(**numbers, build_id=0x1122334455667788)]
