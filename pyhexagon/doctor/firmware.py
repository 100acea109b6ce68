# SPDX-License-Identifier: MIT
"""The contents of the DSP's firmware: its build, and the hashes of the DSP's files that it accepts."""

from __future__ import annotations

import hashlib
import importlib
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

# The firmware stores its build under this key; the shell only has it in paths of its sources.
_BUILD_TAG: Final = re.compile(rb"QC_IMAGE_VERSION_STRING=([!-~]+)")
_BUILD_PATH: Final = re.compile(rb"CDSP\.[A-Za-z0-9.]+-\d+-[A-Z0-9]+-\d+")
# The firmware lists the DSP's files by these names; elsewhere it has the SHA-256 of each of their segments.
_HASHED: Final = re.compile(rb"/statichashes/([A-Za-z0-9_.+-]+)\0")
_HEADER: Final = struct.Struct("<16sHHIIIIIHHH")  # of a 32-bit ELF file, up to the number of segments
_SEGMENT: Final = struct.Struct("<8I")
_SECONDS: Final = 60.0
_ZSTD_MODULES: Final = ("compression.zstd", "backports.zstd")


class UnreadableError(Exception):
    """A file cannot be read or decompressed; the message says why, and what helps."""


def read(file: Path) -> bytes:
    """Return the contents of a shell or firmware, in one file or split into .mdt and .b00, ..., decompressed.

    Raises:
        UnreadableError: it cannot be read, or nothing here can decompress it.
    """
    suffix = next((end for end in (".zst", ".xz") if file.suffix == end), "")
    whole = file.name.removesuffix(suffix)
    parts = [file]
    if whole.endswith(".mdt"):
        parts += sorted(file.parent.glob(f"{whole.removesuffix('.mdt')}.b[0-9][0-9]{suffix}"))
    try:
        return b"".join(_decompressed(part, suffix) for part in parts)
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from None


def _decompressed(file: Path, suffix: str) -> bytes:
    data = file.read_bytes()
    if suffix == ".zst":
        return _zstd(data)
    if suffix == ".xz":
        try:
            lzma = importlib.import_module("lzma")
        except ImportError:
            raise UnreadableError("this Python has no module lzma: python3-compression or liblzma brings it") from None
        try:
            return bytes(lzma.decompress(data))
        except (lzma.LZMAError, EOFError):
            raise UnreadableError("its xz data is damaged") from None
    return data


def _zstd(data: bytes) -> bytes:
    for name in _ZSTD_MODULES:
        with suppress(ImportError):
            module = importlib.import_module(name)
            try:
                return bytes(module.decompress(data))
            except (module.ZstdError, EOFError):
                raise UnreadableError("its zstd data is damaged") from None
    program = shutil.which("zstd")
    if program is None:
        raise UnreadableError("it is compressed, and there is no zstd here: sudo apt install zstd")
    try:
        done = subprocess.run([program, "-dc"], input=data, capture_output=True, check=False, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"zstd did not end within {_SECONDS:g} s") from None
    if done.returncode:
        raise UnreadableError("its zstd data is damaged")
    return done.stdout


def build(data: bytes) -> str:
    """Return the build string of a shell or firmware, or an empty string."""
    found = _BUILD_TAG.search(data)
    return found[1].decode() if found else next(iter(_BUILD_PATH.findall(data)), b"").decode()


def hashed_names(firmware: bytes) -> list[str]:
    """Return the names of the DSP's files of which the firmware has hashes; none for an older firmware."""
    return list(dict.fromkeys(name.decode() for name in _HASHED.findall(firmware)))


def accepts(firmware: bytes, file: bytes) -> bool:
    """Return whether the firmware has the SHA-256 of every loaded segment of one of the DSP's files."""
    hashes = [hashlib.sha256(segment).digest() for segment in _segments(file)]
    return bool(hashes) and all(digest in firmware for digest in hashes)


def _segments(data: bytes) -> Iterator[bytes]:
    """Yield the bytes of each segment of type PT_LOAD; of one that is cut short, those that there are."""
    if len(data) < _HEADER.size or data[:5] != b"\x7fELF\x01":
        return
    header = _HEADER.unpack_from(data)
    start, size, count = header[5], header[9], header[10]
    last = min(count, (len(data) - start) // size if size >= _SEGMENT.size else 0)
    for kind, offset, _, _, length, *_ in (_SEGMENT.unpack_from(data, start + at * size) for at in range(last)):
        if kind == 1 and length:
            yield data[offset : offset + length]


def differing(firmware: bytes, folder: Path) -> Iterator[str]:
    """Yield the names of the folder's files that the firmware lists with other hashes."""
    for name in hashed_names(firmware):
        with suppress(OSError):
            if not accepts(firmware, (folder / name).read_bytes()):
                yield name
