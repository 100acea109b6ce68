# SPDX-License-Identifier: MIT
"""Trials of elementwise ops and of ops that copy, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi import contract
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import elementwise
from pyhexagon.op_cases.reference import NMSE, Array, rows
from pyhexagon.ops_report.trial import Operand, Trial, Weight
from pyhexagon.quants import supported

SHAPES: Final = ((2, 2, 2, 128), (13, 11, 7, 5), (3, 5, 1, 7), (16, 10, 4, 260))
# The shape of the second operand, and how often each of its dimensions is repeated in the first.
REPEATS: Final = (
    ((1, 8, 1, 1), (1, 1, 1, 1)), ((1, 1, 1, 1), (1, 1, 1, 32)), ((320, 32, 1, 1), (1, 1, 1, 1)),
    ((1, 1, 5, 10), (1, 1, 1, 1)), ((1, 4, 5, 10), (1, 1, 1, 1)), ((3, 4, 5, 10), (1, 1, 1, 1)),
    ((3, 4, 5, 10), (1, 1, 1, 2)), ((3, 4, 5, 1), (1, 1, 1, 2)), ((3, 4, 5, 10), (1, 1, 2, 1)),
    ((3, 4, 5, 10), (1, 2, 1, 1)), ((3, 4, 5, 10), (2, 1, 1, 1)), ((3, 4, 5, 10), (2, 2, 1, 1)),
    ((3, 4, 5, 10), (2, 2, 2, 1)), ((1, 1, 1, 16), (1, 1, 10, 1)), ((1, 1, 1, 1280), (1, 1, 1, 1)),
    ((1, 1, 1, 1280), (1, 16, 16, 1)), ((1, 16, 16, 1), (1, 1, 1, 33)), ((1, 1, 1, 4096), (1, 1, 7, 1)),
)  # fmt: skip


def normal(*shape: int, seed: int = 0) -> npt.NDArray[np.float32]:
    """Return standard normal numbers."""
    return np.random.default_rng([seed, *shape]).standard_normal(shape, dtype=np.float32)


def trials() -> Iterator[Trial]:
    """Yield the trials of this module."""
    for row in contract.OPS.values():
        if row.kind in ("UNARY", "BINARY"):
            for entry in elementwise.entries(row):
                yield from _elementwise(row, entry)
    yield from _add_id()
    yield from _get_rows()
    yield from _set_rows()
    yield from _cpy()
    yield from _concat()
    yield from _repeat()


def _named(shape: tuple[int, ...], *more: str) -> str:
    return ", ".join(("x".join(map(str, shape)), *more))


def _elementwise(row: contract.OpRow, entry: elementwise.Elementwise) -> Iterator[Trial]:
    def op(p: Any, *values: Any) -> Any:
        return getattr(p, row.name)(*values, **entry.params)

    def trial(words: str, *operands: Array, build: Callable[..., Any] = op) -> Trial:
        name = f"{words}, {entry}" if entry.params else words
        return Trial(row.name, "F32", name, operands, build, entry.nmse)

    if row.kind == "UNARY":
        for shape in SHAPES:
            x = normal(*shape) * 4
            yield trial(_named(shape), x)
            yield trial(_named(shape, "a part of each row"), x, build=lambda p, value: op(p, value[..., 1:]))
    elif row.name in elementwise.GATED:
        for shape in SHAPES:
            yield trial(_named(shape, "two operands"), normal(*shape) * 3, normal(*shape, seed=1))
            both = (*shape[:-1], 2 * shape[-1])
            yield trial(_named(both, "two halves"), normal(*both) * 3)
    else:
        for shape, repeats in REPEATS:
            whole = tuple(n * times for n, times in zip(shape, repeats, strict=True))
            times = tuple(n if m > 1 else 1 for n, m in zip(whole, repeats, strict=True))
            small = tuple(1 if m > 1 else n for n, m in zip(whole, repeats, strict=True))
            x, y = normal(*whole), normal(*small, seed=1)
            y += np.copysign(np.float32(0.5), y)  # a divisor near 0 would outweigh all others
            yield trial(_named(whole, f"repeated {'x'.join(map(str, times))}"), x, y)


def _add_id() -> Iterator[Trial]:
    for n_mats, n_used in ((4, 1), (4, 2), (8, 4)):
        for n_embd in (32, 129):
            for n_tokens in (1, 32, 129):
                ids = np.random.default_rng(n_tokens).integers(0, n_mats, (n_tokens, n_used), np.int32)
                operands = normal(n_tokens, n_used, n_embd), normal(n_mats, n_embd, seed=1), ids
                name = f"{n_tokens} tokens, {n_used} of {n_mats}, {n_embd} wide"
                yield Trial("add_id", "F32", name, operands, lambda p, *values: p.add_id(*values), NMSE["add_id"])


# --- Rows of all types ---


def _get_rows() -> Iterator[Trial]:
    def trial(dtype: Q, table: Operand, ids: Array, name: str) -> Trial:
        limit = 1e-7 if isinstance(table, Weight) else 0.0  # tiles store floats and scales in fixed point
        return Trial("get_rows", dtype.name, name, (table, ids), lambda p, *values: p.get_rows(*values), limit)

    rng = np.random.default_rng(0)
    for dtype in (Q.F32, Q.F16):
        for n_rows, k in ((2, 1), (5, 256), (80, 1000)):
            ids = rng.integers(0, n_rows, (1, 8), np.int32)
            yield trial(dtype, rows(dtype, normal(n_rows, k)), ids, f"{n_rows}x{k}, ids 1x8")
        table = rows(dtype, normal(3, 7, 5, 64))
        yield trial(dtype, table, rng.integers(0, 5, (3, 7, 4), np.int32), "3x7x5x64, ids 3x7x4")
    for dtype in supported():
        for n_rows, k, n in ((5, 256, 4), (130, 512, 7)):
            ids = rng.integers(0, n_rows, (2, n), np.int32)
            yield trial(dtype, Weight.random(dtype, n_rows, k), ids, f"weight {n_rows}x{k}, ids 2x{n}")


def _set_rows() -> Iterator[Trial]:
    def trial(dtype: Q, leading: tuple[int, ...], shape: tuple[int, int], n: int) -> Trial:
        n_rows, k = shape
        ids = np.stack([np.random.default_rng(n).permutation(n_rows)[:n]] * int(np.prod(leading))).astype(np.int32)
        operands = normal(*leading, n_rows, k), normal(*leading, n, k, seed=1), ids.reshape(*leading, n)

        def build(p: Any, before: Any, x: Any, ids: Any) -> Any:
            return p.set_rows(p.cpy(before, dtype), x, ids)

        return Trial("set_rows", dtype.name, _named((*leading, *shape), f"{n} rows"), operands, build, 0.0)

    for dtype in (dtype for dtype in ELEMENTS if dtype != Q.I32):
        yield trial(dtype, (1, 1), (5, 256), 1)
        yield trial(dtype, (7, 3), (11, 256), 1)
        yield trial(dtype, (2, 3), (11, 96), 7)
        yield trial(dtype, (7, 1), (33, 64), 12)


def _cpy() -> Iterator[Trial]:
    def trial(source: Q, target: Q, shape: tuple[int, ...], axes: tuple[int, ...] | None = None) -> Trial:
        def build(p: Any, value: Any) -> Any:
            return p.cpy(value if axes is None else value.transpose(*axes), target)

        name = _named(shape, f"as {target.name}", *([] if axes is None else [f"axes {axes}"]))
        return Trial("cpy", source.name, name, (rows(source, normal(*shape)),), build, 0.0)

    floats = [dtype for dtype in ELEMENTS if dtype != Q.I32]
    for source in floats:
        for target in floats:
            yield trial(source, target, (4, 4, 4, 256))
            yield trial(source, target, (2, 3, 5, 96))
    for source in (Q.F32, Q.F16):
        for target in (Q.F32, Q.F16):
            for shape in ((1, 1, 1, 2), (5, 3, 1, 2), (5, 4, 3, 10)):
                yield trial(source, target, shape, (0, 2, 1, 3))
                yield trial(source, target, shape, (1, 0, 3, 2))


def _concat() -> Iterator[Trial]:
    def trial(dtype: Q, shapes: tuple[tuple[int, ...], ...], axis: int, words: str) -> Trial:
        parts = tuple(rows(dtype, normal(*shape, seed=n)) for n, shape in enumerate(shapes))
        name = " and ".join("x".join(map(str, shape)) for shape in shapes) + f", axis {axis}{words}"
        return Trial("concat", dtype.name, name, parts, lambda p, *values: p.concat(values, axis), 0.0)

    for dtype in (Q.F32, Q.F16):
        for axis in range(4):
            shape = (14, 13, 12, 11)
            other = (*shape[:axis], 7, *shape[axis + 1 :])
            yield trial(dtype, (shape, other), axis, "")
    for dtype in (Q.BF16, Q.Q8_0, Q.Q4_0):
        for axis in range(4):
            shape = (4, 3, 12, 128)
            other = (*shape[:axis], 256 if axis == 3 else 7, *shape[axis + 1 :])
            yield trial(dtype, (shape, other), axis, "")
    yield trial(Q.F32, ((2, 5, 33), (2, 1, 33), (2, 64, 33), (2, 3, 33)), 1, ", four of them")


def _repeat() -> Iterator[Trial]:
    def trial(dtype: Q, shape: tuple[int, ...], times: tuple[int, ...]) -> Trial:
        whole = tuple(n * m for n, m in zip(shape, times, strict=True))
        name = _named(shape, f"{'x'.join(map(str, times))} times")
        operands = (rows(dtype, normal(*shape)),)
        return Trial("repeat", dtype.name, name, operands, lambda p, value: p.repeat(value, whole), 0.0)

    for dtype in (Q.F32, Q.F16):
        for times in ((1, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1), (2, 2, 2, 2)):
            yield trial(dtype, (3, 4, 5, 10), times)
    for dtype in (Q.BF16, Q.Q8_0, Q.Q4_0):
        for times in ((1, 1, 1, 3), (2, 3, 1, 1)):
            yield trial(dtype, (3, 4, 5, 64), times)
