# SPDX-License-Identifier: MIT
"""Damaged saves raise ArgumentError, also with a checksum that is right."""

from __future__ import annotations

import json
import random
import struct
import zlib
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.saved import MARK, pack, unpack

BELONGS = {"model": "m", "n": 3, "scale": 0.5}
DEEP = "[" * 800 + "]" * 800


def saved(header: str, content: bytes = b"") -> bytes:
    """Return bytes with this header and a right checksum."""
    data = b"".join([MARK, struct.pack("<I", len(header.encode())), header.encode(), content])
    return data + struct.pack("<I", zlib.crc32(data))


def headers() -> list[str]:
    hostile = [
        "null", "true", '""', "[]", "{}", "-1", "1e400", "NaN", "Infinity", "-Infinity", "0.5", "1" * 5000, DEEP,
        "[" * 100_000, '{"a":' * 800 + "1" + "}" * 800, "18446744073709551616", '"\\ud800"',
    ]  # fmt: skip
    shapes = [f"[{one}]" for one in (*hostile, "0,-1", "-1,0", "-2,-3", ",".join("1" * 65), "0," * 70 + "1", "1e3")]
    arrays = [f'[["a","uint8",{shape}]]' for shape in (*shapes, *hostile)]
    arrays += [f'[["a",{one},[1]]]' for one in (*hostile, '"object"', '"float64"', '"V9"')]
    arrays += [f"[[{one},\"uint8\",[0]]]" for one in hostile] + [*hostile, '[["a"]]', "[[]]", '{"a": 1}']
    good = json.dumps(BELONGS)
    made = [f'{{"belongs_to":{good},"arrays":{one}}}' for one in arrays]
    made += [f'{{"belongs_to":{one},"arrays":[]}}' for one in (*hostile, f'{{"a":{DEEP}}}', '{"model": null}')]
    return [*made, *hostile, "", "{", '{"arrays":[]}']


@pytest.mark.parametrize("header", headers(), ids=range(len(headers())))
def test_no_header_with_a_right_checksum_raises_anything_else(header: str) -> None:
    for content in (b"", b"\0"):
        with suppress(ArgumentError):
            assert all(one.size <= 1 for one in unpack(saved(header, content), BELONGS).values())


def test_changed_bytes_with_a_right_checksum(seed: int) -> None:
    chance = random.Random(seed)
    arrays: dict[str, Any] = {"a": np.arange(6, dtype=np.int32).reshape(2, 3), "b": np.zeros((0, 4), np.uint8)}
    data = pack(BELONGS, arrays)
    for name, array in unpack(data, BELONGS).items():
        assert np.array_equal(array, arrays[name])
        assert array.shape == arrays[name].shape
    for _ in range(3000):
        changed = bytearray(data[:-4])
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.choice(b'0123456789-[]{}",.eE:\xff\0IN')
        with suppress(ArgumentError):
            unpack(bytes(changed) + struct.pack("<I", zlib.crc32(changed)), BELONGS)
