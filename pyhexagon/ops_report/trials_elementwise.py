# SPDX-License-Identifier: MIT
"""Trials of elementwise ops and of ops that copy, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi import contract
from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import elementwise
from pyhexagon.op_cases.reference import NMSE, Array
from pyhexagon.ops_report.trial import Trial
from pyhexagon.quants import tile_types

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
    def trial(words: str, *operands: Array, part: Any = np.s_[...]) -> Trial:
        def build(g: Any) -> Any:
            return getattr(g.p, row.name)(*(g.array(x)[part] for x in operands), **entry.params)

        return Trial(row.name, "F32", f"{words}, {entry}" if entry.params else words, build, entry.nmse)

    if row.kind == "UNARY":
        for shape in SHAPES:
            x = normal(*shape) * 4
            yield trial(_named(shape), x)
            yield trial(_named(shape, "a part of each row"), x, part=np.s_[..., 1:])
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
    def trial(n_mats: int, n_used: int, n_embd: int, n_tokens: int) -> Trial:
        def build(g: Any) -> Any:
            x, table = g.array(normal(n_tokens, n_used, n_embd)), g.array(normal(n_mats, n_embd, seed=1))
            return g.p.add_id(x, table, g.ids(n_tokens, n_used, below=n_mats))

        name = f"{n_tokens} tokens, {n_used} of {n_mats}, {n_embd} wide"
        return Trial("add_id", "F32", name, build, NMSE["add_id"])

    for n_mats, n_used in ((4, 1), (4, 2), (8, 4)):
        for n_embd in (32, 129):
            for n_tokens in (1, 32, 129):
                yield trial(n_mats, n_used, n_embd, n_tokens)


# --- Rows of all types ---


def _get_rows() -> Iterator[Trial]:
    def of_rows(dtype: Q, shape: tuple[int, ...], *ids: int) -> Trial:
        def build(g: Any) -> Any:
            return g.p.get_rows(g.rows(dtype.name, *shape), g.ids(*ids, below=shape[-2]))

        return Trial("get_rows", dtype.name, _named(shape, f"ids {'x'.join(map(str, ids))}"), build, 0.0)

    def of_weight(dtype: Q, n_rows: int, k: int, n: int) -> Trial:
        def build(g: Any) -> Any:
            return g.p.get_rows(g.weight(dtype.name, n_rows, k), g.ids(2, n, below=n_rows))

        limit = 1e-7  # tiles store floats and scales in fixed point
        return Trial("get_rows", dtype.name, f"weight {n_rows}x{k}, ids 2x{n}", build, limit)

    for dtype in (Q.F32, Q.F16):
        for n_rows, k in ((2, 1), (5, 256), (80, 1000)):
            yield of_rows(dtype, (n_rows, k), 1, 8)
        yield of_rows(dtype, (3, 7, 5, 64), 3, 7, 4)
    for dtype in tile_types():
        for n_rows, k, n in ((5, 256, 4), (130, 512, 7)):
            yield of_weight(dtype, n_rows, k, n)


def _set_rows() -> Iterator[Trial]:
    def trial(dtype: Q, leading: tuple[int, ...], shape: tuple[int, int], n: int) -> Trial:
        n_rows, k = shape
        ids = np.broadcast_to(np.random.default_rng(n).permutation(n_rows)[:n].astype(np.int32), (*leading, n))

        def build(g: Any) -> Any:
            table = g.p.cpy(g.array(normal(*leading, n_rows, k)), dtype)
            return g.p.set_rows(table, g.array(normal(*leading, n, k, seed=1)), g.array(ids.copy()))

        return Trial("set_rows", dtype.name, _named((*leading, *shape), f"{n} rows"), build, 0.0)

    for dtype in (dtype for dtype in ELEMENTS if dtype != Q.I32):
        yield trial(dtype, (1, 1), (5, 256), 1)
        yield trial(dtype, (7, 3), (11, 256), 1)
        yield trial(dtype, (2, 3), (11, 96), 7)
        yield trial(dtype, (7, 1), (33, 64), 12)


def _cpy() -> Iterator[Trial]:
    def trial(source: Q, target: Q, shape: tuple[int, ...], axes: tuple[int, ...] | None = None) -> Trial:
        def build(g: Any) -> Any:
            x = g.rows(source.name, *shape)
            return g.p.cpy(x if axes is None else x.transpose(*axes), target)

        name = _named(shape, f"as {target.name}", *([] if axes is None else [f"axes {axes}"]))
        return Trial("cpy", source.name, name, build, 0.0)

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
        def build(g: Any) -> Any:
            return g.p.concat([g.rows(dtype.name, *shape) for shape in shapes], axis)

        name = " and ".join("x".join(map(str, shape)) for shape in shapes) + f", axis {axis}{words}"
        return Trial("concat", dtype.name, name, build, 0.0)

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
        return Trial("repeat", dtype.name, name, lambda g: g.p.repeat(g.rows(dtype.name, *shape), whole), 0.0)

    for dtype in (Q.F32, Q.F16):
        for times in ((1, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1), (2, 2, 2, 2)):
            yield trial(dtype, (3, 4, 5, 10), times)
    for dtype in (Q.BF16, Q.Q8_0, Q.Q4_0):
        for times in ((1, 1, 1, 3), (2, 3, 1, 1)):
            yield trial(dtype, (3, 4, 5, 64), times)
