# SPDX-License-Identifier: MIT
"""Small ELF files in place of the DSP's, and firmware with their hashes, as cdsp.mbn has them."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence

from . import boards

_HEADER, _SEGMENT = struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<8I")
PT_LOAD, PT_DYNAMIC = 1, 2


def elf(segments: Sequence[bytes], rest: bytes = b"") -> bytes:
    """Return a 32-bit ELF file with these PT_LOAD segments, and bytes that no segment covers."""
    at = _HEADER.size + _SEGMENT.size * len(segments)
    table, data = b"", b""
    for segment in segments:
        table += _SEGMENT.pack(PT_LOAD, at + len(data), 0, 0, len(segment), len(segment), 5, 4096)
        data += segment
    magic = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    header = _HEADER.pack(
        magic, 3, 164, 1, 0, _HEADER.size, 0, 0x68, _HEADER.size, _SEGMENT.size, len(segments), 0, 0, 0
    )
    return header + table + data + rest


def shell(build: str = boards.BUILD, code: bytes = b"code") -> bytes:
    return elf([boards.shell_bytes(build) + code, b"data"], b"debug")


def firmware(files: Mapping[str, Sequence[bytes]], build: str = boards.BUILD) -> bytes:
    """Return firmware that accepts files of these segments, by name."""
    names = b"".join(b"/statichashes/%s\0" % name.encode() for name in files)
    hashes = b"".join(b"\x14\0\0\0" + hashlib.sha256(one).digest() for segments in files.values() for one in segments)
    return b"\x7fELF" + hashes + names + b"/statichashes/%s\0" + boards.firmware_bytes(build)


def matching(build: str = boards.BUILD, code: bytes = b"code") -> bytes:
    """Return firmware that accepts ``shell(build, code)``."""
    return firmware({"fastrpc_shell_unsigned_3": [boards.shell_bytes(build) + code, b"data"]}, build)
