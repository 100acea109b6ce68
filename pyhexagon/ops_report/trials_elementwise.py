# SPDX-License-Identifier: MIT
"""Trials of elementwise ops and of ops that copy, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi import contract
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import elementwise, reference
from pyhexagon.ops_report.trial import Array, Rows, Trial, Weight
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

    def trial(words: str, *operands: Array, build: Any = op, exact: Any = entry.exact) -> Trial:
        name = f"{words}, {entry}" if entry.params else words
        return Trial(row.name, "F32", name, operands, build, exact, entry.nmse)

    def part(p: Any, value: Any) -> Any:
        return op(p, value[..., 1:])

    if row.kind == "UNARY":
        for shape in SHAPES:
            x = normal(*shape) * 4
            yield trial(_named(shape), x)
            yield trial(_named(shape, "a part of each row"), x, build=part, exact=lambda x: entry.exact(x[..., 1:]))
    elif row.name in elementwise.GATED:
        for shape in SHAPES:
            yield trial(_named(shape, "two operands"), normal(*shape) * 3, normal(*shape, seed=1))
            both = (*shape[:-1], 2 * shape[-1])
            halves = normal(*both) * 3
            yield trial(_named(both, "two halves"), halves, exact=lambda x: entry.exact(*np.split(x, 2, -1)))
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
                yield Trial(
                    "add_id", "F32", f"{n_tokens} tokens, {n_used} of {n_mats}, {n_embd} wide", operands,
                    lambda p, x, table, ids: p.add_id(x, table, ids),
                    lambda x, table, ids: reference.wide(x) + table[ids], 1e-14,
                )  # fmt: skip


# --- Rows of all types ---


def quantised(dtype: Q, x: Array) -> Array:
    """Convert float32 to the host format of a row type: its dtype, or GGUF's bytes."""
    if dtype in (Q.F32, Q.F16):
        return x.astype(ELEMENTS[dtype].dtype)
    return gguf.quantize(x.reshape(-1, x.shape[-1]), dtype).reshape(*x.shape[:-1], -1)


def numbers(dtype: Q, rows: Array) -> Array:
    """Convert rows back to float32."""
    if dtype in (Q.F32, Q.F16):
        return rows.astype(np.float32)
    return gguf.dequantize(rows.reshape(-1, rows.shape[-1]), dtype).reshape(*rows.shape[:-1], -1)


def _get_rows() -> Iterator[Trial]:
    def trial(dtype: Q, table: Array | Weight, ids: Array, name: str) -> Trial:
        def exact(table: Array, ids: Array) -> Array:
            return reference.wide(table)[ids] if table.ndim == 2 else np.take_along_axis(table, ids[..., None], -2)

        limit = 0.0 if isinstance(table, np.ndarray) else 1e-7  # tiles store floats and scales in fixed point
        return Trial("get_rows", dtype.name, name, (table, ids), lambda p, *values: p.get_rows(*values), exact, limit)

    rng = np.random.default_rng(0)
    for dtype in (Q.F32, Q.F16):
        for n_rows, k in ((2, 1), (5, 256), (80, 1000)):
            ids = rng.integers(0, n_rows, (1, 8), np.int32)
            yield trial(dtype, quantised(dtype, normal(n_rows, k)), ids, f"{n_rows}x{k}, ids 1x8")
        table = quantised(dtype, normal(3, 7, 5, 64))
        yield trial(dtype, table, rng.integers(0, 5, (3, 7, 4), np.int32), "3x7x5x64, ids 3x7x4")
    for dtype in supported():
        for n_rows, k, n in ((5, 256, 4), (130, 512, 7)):
            ids = rng.integers(0, n_rows, (2, n), np.int32)
            yield trial(dtype, Weight.random(dtype, n_rows, k), ids, f"weight {n_rows}x{k}, ids 2x{n}")


def _set_rows() -> Iterator[Trial]:
    def trial(dtype: Q, leading: tuple[int, ...], shape: tuple[int, int], n: int) -> Trial:
        n_rows, k = shape
        ids = np.stack([np.random.default_rng(n).permutation(n_rows)[:n]] * int(np.prod(leading))).astype(np.int32)
        ids = ids.reshape(*leading, n)
        before, rows = normal(*leading, n_rows, k), normal(*leading, n, k, seed=1)

        def exact(before: Array, rows: Array, ids: Array) -> Array:
            after = before.copy()
            np.put_along_axis(after, ids[..., None].astype(np.int64), rows, -2)
            return quantised(dtype, after)

        def build(p: Any, before: Any, rows: Any, ids: Any) -> Any:
            return p.set_rows(p.cpy(before, dtype), rows, ids)

        name = _named((*leading, *shape), f"{n} rows")
        return Trial("set_rows", dtype.name, name, (before, rows, ids), build, exact, 0.0)

    for dtype in (dtype for dtype in ELEMENTS if dtype != Q.I32):
        yield trial(dtype, (1, 1), (5, 256), 1)
        yield trial(dtype, (7, 3), (11, 256), 1)
        yield trial(dtype, (2, 3), (11, 96), 7)
        yield trial(dtype, (7, 1), (33, 64), 12)


def _cpy() -> Iterator[Trial]:
    def trial(source: Q, target: Q, shape: tuple[int, ...], axes: tuple[int, ...] | None = None) -> Trial:
        def build(p: Any, value: Any) -> Any:
            return p.cpy(value if axes is None else value.transpose(*axes), target)

        def exact(rows: Rows) -> Array:
            x = numbers(source, rows.raw)
            return quantised(target, x if axes is None else np.ascontiguousarray(x.transpose(axes)))

        name = _named(shape, f"as {target.name}", *([] if axes is None else [f"axes {axes}"]))
        rows = Rows(source, shape, quantised(source, normal(*shape)))
        return Trial("cpy", source.name, name, (rows,), build, exact, 0.0)

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
        parts = [Rows(dtype, shape, quantised(dtype, normal(*shape, seed=n))) for n, shape in enumerate(shapes)]

        def exact(*rows: Rows) -> Array:
            return np.concatenate([one.raw for one in rows], axis)

        name = " and ".join("x".join(map(str, shape)) for shape in shapes) + f", axis {axis}{words}"
        return Trial("concat", dtype.name, name, tuple(parts), lambda p, *values: p.concat(values, axis), exact, 0.0)

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
        rows = Rows(dtype, shape, quantised(dtype, normal(*shape)))
        name = _named(shape, f"{'x'.join(map(str, times))} times")
        return Trial(
            "repeat", dtype.name, name, (rows,), lambda p, value: p.repeat(value, whole),
            lambda rows: np.tile(rows.raw, times), 0.0,
        )  # fmt: skip

    for dtype in (Q.F32, Q.F16):
        for times in ((1, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1), (2, 2, 2, 2)):
            yield trial(dtype, (3, 4, 5, 10), times)
    for dtype in (Q.BF16, Q.Q8_0, Q.Q4_0):
        for times in ((1, 1, 1, 3), (2, 3, 1, 1)):
            yield trial(dtype, (3, 4, 5, 64), times)
