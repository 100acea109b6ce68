# SPDX-License-Identifier: MIT
"""Shapes at the limits of int32 and beyond: each is refused with a typed error before memory is allocated."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

from pyhexagon import ArgumentError, Device
from pyhexagon._ffi.contract import MAX_ELEMENTS, MAX_ROWS

M: Final = 2**31 - 1
SHAPES: Final = (
    (M,), (M + 1,), (1, M), (M, 1), (M + 1, 1), (1, M + 1), (1 << 16, 1 << 16), (1 << 16, 1 << 15), (1 << 29, 4),
    (1 << 32,), (1 << 32, 1 << 32), (1 << 63,), (1 << 64, 1), (M, M, M, M), (1, 1, M + 1, 1), (3, 1 << 30), (-1, 4),
    ((1 << 20) + 1, 1 << 11), (0, 1 << 63), (1 << 63, 0),
)  # fmt: skip
MADE: Final = {  # each gets a program and a shape
    "input": lambda p, s: p.input(s),
    "neg": lambda p, s: p.neg(p.input(s)),
    "add": lambda p, s: p.add(p.input(s), p.input((1,))),
    "swiglu": lambda p, s: p.swiglu(p.input(s)),
    "rms_norm": lambda p, s: p.rms_norm(p.input(s)),
    "soft_max": lambda p, s: p.soft_max(p.input(s)),
    "sum_rows": lambda p, s: p.sum_rows(p.input(s)),
    "argsort": lambda p, s: p.argsort(p.input(s)),
    "top_k": lambda p, s: p.top_k(p.input(s), s[-1]),
    "cpy": lambda p, s: p.cpy(p.input(s), "Q8_0"),
    "concat": lambda p, s: p.concat([p.input(s), p.input(s)]),
    "concat of rows": lambda p, s: p.concat([p.input(s), p.input(s)], axis=0),
    "repeat": lambda p, s: p.repeat(p.input((1,) * len(s)), s),
    "repeat of rows": lambda p, s: p.repeat(p.input(s[-1:]), s),
    "get_rows": lambda p, s: p.get_rows(p.input(s), p.input((3,), np.int32)),
    "ids": lambda p, s: p.get_rows(p.input((4, 32)), p.input((s[0],), np.int32)),
    "matmul": lambda p, s: p.matmul(p.input((s[0], 32)), p.input((4, 32))),
    "index": lambda p, s: p.input(s)[..., :2],
    "transpose": lambda p, s: p.input(s).transpose(),
    "broadcast": lambda p, s: p.input((1,) * len(s)).broadcast_to(s),
    "reshape": lambda p, s: p.input((4, 32)).reshape(s),
}


@pytest.fixture(scope="module")
def host() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("name", MADE)
def test_a_program_refuses_them_or_takes_them_as_they_are(host: Device, name: str) -> None:
    make: Callable[[Any, tuple[int, ...]], Any] = MADE[name]
    n_refused = 0
    tracemalloc.start()
    try:
        for shape in SHAPES:
            before = host.info().memory_bytes
            try:
                with host.program() as p:
                    value = make(p, shape)
                    p.output(p.neg(value) if value.dtype == np.float32 else value)
                program = p.compile()
            except ArgumentError:
                n_refused += 1
                assert host.info().memory_bytes == before
            else:  # an op's own limits hold
                assert program is not None
                assert 0 in value.shape or value.size <= MAX_ELEMENTS
                assert 0 in value.shape or value.size // value.shape[-1] <= MAX_ROWS
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert n_refused > len(SHAPES) // 4
    assert peak < 16 << 20


@pytest.mark.parametrize("shape", [one for one in SHAPES if 0 not in one])
def test_a_tensor_of_them_is_refused(host: Device, shape: tuple[int, ...]) -> None:
    for make in (host.empty, lambda one: host.pack("F32", np.zeros(64, np.uint8), one)):
        with pytest.raises(ArgumentError):
            make(shape)
