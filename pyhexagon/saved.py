# SPDX-License-Identifier: MIT
"""The file format of saved sequences: arrays as bytes that are checked when they are read.

An 8-byte mark, the length of a JSON header, the header, the arrays one after the other, and a CRC-32 of all bytes
before it. Numbers are little-endian. The header names the cache's properties, and each array's name, dtype and shape.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping
from operator import index
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError

MARK: Final = b"PHXSEQ\x01\n"
_LENGTH: Final = struct.Struct("<I")
_DTYPES: Final = ("uint8", "int32", "int64")
_MOST_DIMENSIONS: Final = 8


def pack(belongs_to: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Serialize arrays of uint8, int32 or int64. ``unpack`` compares ``belongs_to``, which has strings and numbers."""
    listed = [(name, str(array.dtype), array.shape) for name, array in arrays.items()]
    header = json.dumps({"belongs_to": dict(belongs_to), "arrays": listed}).encode()
    parts = [MARK, _LENGTH.pack(len(header)), header, *(array.tobytes() for array in arrays.values())]
    crc = 0
    for part in parts:
        crc = zlib.crc32(part, crc)
    return b"".join([*parts, _LENGTH.pack(crc)])


def unpack(data: bytes, belongs_to: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays as copies.

    Raises:
        ArgumentError: the bytes are not from ``pack``, are truncated or damaged, or belong to another cache.
    """
    if data[: len(MARK)] != MARK:
        raise ArgumentError("these bytes are not a saved sequence: they begin differently")
    at = len(MARK) + _LENGTH.size
    header_end = at + (_LENGTH.unpack_from(data, len(MARK))[0] if len(data) >= at else 0)
    if len(data) < at or len(data) < header_end:
        raise ArgumentError(f"a saved sequence is truncated: {len(data)} bytes end within its header")
    try:
        header = json.loads(data[at:header_end])
        listed = [(str(name), str(dtype), tuple(map(index, shape))) for name, dtype, shape in header["arrays"]]
        sizes = [np.dtype(dtype).itemsize * math.prod(shape) for _, dtype, shape in listed if dtype in _DTYPES]
        own = {name: _plain(value) for name, value in header["belongs_to"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ArgumentError(f"a saved sequence is damaged: its header is not readable ({problem})") from None
    are_possible = all(len(shape) <= _MOST_DIMENSIONS and all(n >= 0 for n in shape) for _, _, shape in listed)
    if len(sizes) != len(listed) or not are_possible:
        raise ArgumentError("a saved sequence is damaged: its header names impossible arrays")
    n_bytes = header_end + sum(sizes) + _LENGTH.size
    if len(data) != n_bytes:
        state = "truncated" if len(data) < n_bytes else "followed by other bytes"
        raise ArgumentError(f"a saved sequence is {state}: {len(data)} bytes, expected {n_bytes}")
    if zlib.crc32(data[: -_LENGTH.size]) != _LENGTH.unpack_from(data, n_bytes - _LENGTH.size)[0]:
        raise ArgumentError("a saved sequence is damaged: its checksum differs")
    if own != dict(belongs_to):
        raise ArgumentError(f"the saved sequence is of another cache: of {_words(own)}, expected {_words(belongs_to)}")
    arrays = {}
    for (name, dtype, shape), size in zip(listed, sizes, strict=True):
        arrays[name] = np.frombuffer(data, dtype, math.prod(shape), header_end).reshape(shape).copy()
        header_end += size
    return arrays


def _plain(value: object) -> object:
    """Return a string or a number as it is."""
    if not isinstance(value, (str, int, float)):
        raise TypeError(f"{type(value).__name__} is no string and no number")
    return value


def _words(belongs_to: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in belongs_to.items())
