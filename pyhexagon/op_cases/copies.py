# SPDX-License-Identifier: MIT
"""The cases of ops that copy rows of any type: recorded ones, and the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np
from gguf import GGMLQuantizationType as Q

from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases.case import ROWS, CaseList, K, sizes
from pyhexagon.op_cases.products import TYPES

_FLOAT_ROWS: Final = [dtype.name for dtype in ELEMENTS if dtype != Q.I32]
_TABLE: Final = 1024  # rows of the table of measured cases
_OF_WEIGHTS: Final = 1e-7  # tiles store floats and scales in fixed point


def add_id(cases: CaseList) -> None:
    def build(n_mats: int, n_used: int, n_embd: int, n_tokens: int, g: Any) -> Any:
        x, table = g.normal(n_tokens, n_used, n_embd), g.normal(n_mats, n_embd, seed=1)
        return g.p.add_id(x, table, g.ids(n_tokens, n_used, below=n_mats))

    cases.record(
        "3 tokens, 4 of 5 rows", lambda g: g.p.add_id(g.floats(3, 4, 130), g.floats(5, 130), g.ids(3, 4, below=5))
    )
    for (n_mats, n_used), n_embd, n_tokens in product(((4, 1), (4, 2), (8, 4)), (32, 129), (1, 32, 129)):
        name = f"{n_tokens} tokens, {n_used} of {n_mats}, {n_embd} wide"
        cases.compare(name, partial(build, n_mats, n_used, n_embd, n_tokens))
    cases.measure(f"{ROWS}x4x{K}", lambda g: g.p.add_id(g.floats(ROWS, 4, K), g.floats(8, K), g.ids(ROWS, 4, below=8)))


def concat(cases: CaseList) -> None:
    def record(name: str, g: Any) -> Any:
        x = g.rows(name, 5, 160)
        return [g.p.concat([x, g.rows(name, 5, 96), x]), g.p.concat([x, g.rows(name, 2, 160)], 0)]

    def compare(dtype: str, shapes: tuple[tuple[int, ...], ...], axis: int, words: str = "") -> None:
        def build(g: Any) -> Any:
            return g.p.concat([g.rows(dtype, *shape) for shape in shapes], axis)

        cases.compare(f"{' and '.join(map(sizes, shapes))}, axis {axis}{words}", build, dtype)

    for row_type in ELEMENTS:
        cases.record("rows and columns", partial(record, row_type.name), row_type.name)
    for axis in range(4):
        for dtype, shape in [("F32", (14, 13, 12, 11)), ("F16", (14, 13, 12, 11))] + [
            (name, (4, 3, 12, 128)) for name in ("BF16", "Q8_0", "Q4_0")
        ]:
            n = 256 if axis == 3 and shape[3] == 128 else 7
            compare(dtype, (shape, (*shape[:axis], n, *shape[axis + 1 :])), axis)
    compare("F32", ((2, 5, 33), (2, 1, 33), (2, 64, 33), (2, 3, 33)), 1, ", four of them")
    cases.measure(f"{ROWS}x{2 * K}", lambda g: g.p.concat([g.floats(ROWS, K), g.floats(ROWS, K)]))


def repeat(cases: CaseList) -> None:
    def build(dtype: str, shape: tuple[int, ...], whole: tuple[int, ...], g: Any) -> Any:
        return g.p.repeat(g.rows(dtype, *shape), whole)

    def compare(dtype: str, shape: tuple[int, ...], times: tuple[int, ...]) -> None:
        whole = tuple(n * m for n, m in zip(shape, times, strict=True))
        cases.compare(sizes(shape, f"{sizes(times)} times"), partial(build, dtype, shape, whole), dtype)

    for row_type in ELEMENTS:
        cases.record("rows and columns", partial(build, row_type.name, (3, 160), (2, 6, 480)), row_type.name)
    for dtype in ("F32", "F16"):
        for times in ((1, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 1, 1), (2, 1, 1, 1), (2, 2, 2, 2)):
            compare(dtype, (3, 4, 5, 10), times)
    for dtype, times in product(("BF16", "Q8_0", "Q4_0"), ((1, 1, 1, 3), (2, 3, 1, 1))):
        compare(dtype, (3, 4, 5, 64), times)
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.repeat(g.floats(ROWS // 4, K), (ROWS, K)))


def get_rows(cases: CaseList) -> None:
    def of_weight(dtype: str, n_rows: int, k: int, ids: tuple[int, ...], g: Any) -> Any:
        return g.p.get_rows(g.weight(dtype, n_rows, k), g.ids(*ids, below=n_rows))

    def of_rows(dtype: str, shape: tuple[int, ...], ids: tuple[int, ...], g: Any) -> Any:
        return g.p.get_rows(g.rows(dtype, *shape), g.ids(*ids, below=shape[-2]))

    for weight_type in TYPES:
        name, build = weight_type.name, partial(of_weight, weight_type.name, 130, 256, (2, 5))
        cases.record("weight (130, 256)", build, name, limit=_OF_WEIGHTS)
    for dtype in ("F32", "F16"):
        cases.record("rows (20, 130)", partial(of_rows, dtype, (20, 130), (7,)), dtype)
    for dtype in ("F32", "F16"):
        for shape, ids in (((2, 1), (1, 8)), ((5, 256), (1, 8)), ((80, 1000), (1, 8)), ((3, 7, 5, 64), (3, 7, 4))):
            cases.compare(sizes(shape, f"ids {sizes(ids)}"), partial(of_rows, dtype, shape, ids), dtype)
    for weight_type in TYPES:
        for n_rows, k, n in ((5, 256, 4), (130, 512, 7)):
            build = partial(of_weight, weight_type.name, n_rows, k, (2, n))
            cases.compare(f"weight {n_rows}x{k}, ids 2x{n}", build, weight_type.name, limit=_OF_WEIGHTS)
    for dtype in ("F32", "F16"):
        cases.measure(f"{ROWS}x{K}, rows", partial(of_rows, dtype, (_TABLE, K), (ROWS,)), dtype)
    for weight_type in TYPES:
        build = partial(of_weight, weight_type.name, _TABLE, K, (ROWS,))
        cases.measure(f"{ROWS}x{K}, a weight", build, weight_type.name)


def set_rows(cases: CaseList) -> None:
    def record(name: str, g: Any) -> Any:
        return g.p.set_rows(g.p.cpy(g.floats(12, 96), Q[name]), g.floats(20, 96), g.ids(20, below=12))

    def measured(name: str, g: Any) -> Any:
        return g.p.set_rows(g.p.cpy(g.floats(ROWS, K), Q[name]), g.floats(ROWS, K), g.ids(ROWS, below=ROWS))

    def compare(dtype: str, leading: tuple[int, ...], shape: tuple[int, int], n: int) -> None:
        n_rows, k = shape
        ids = np.broadcast_to(np.random.default_rng(n).permutation(n_rows)[:n].astype(np.int32), (*leading, n))

        def build(g: Any) -> Any:
            table = g.p.cpy(g.normal(*leading, n_rows, k), Q[dtype])
            return g.p.set_rows(table, g.normal(*leading, n, k, seed=1), g.array(ids.copy()))

        cases.compare(sizes((*leading, *shape), f"{n} rows"), build, dtype)

    for dtype in _FLOAT_ROWS:
        cases.record("20 rows into 12", partial(record, dtype), dtype)
        compare(dtype, (1, 1), (5, 256), 1)
        compare(dtype, (7, 3), (11, 256), 1)
        compare(dtype, (2, 3), (11, 96), 7)
        compare(dtype, (7, 1), (33, 64), 12)
    for dtype in ("F32", "F16", "Q8_0", "Q4_0"):
        cases.measure(f"{ROWS}x{K}", partial(measured, dtype), dtype)


def cpy(cases: CaseList) -> None:
    def build(source: str, target: str, shape: tuple[int, ...], axes: tuple[int, ...], g: Any) -> Any:
        x = g.rows(source, *shape)
        return g.p.cpy(x.transpose(*axes) if axes else x, Q[target])

    def of_any_bits(target: str, g: Any) -> Any:
        return g.p.cpy(g.bits(30, 32), Q[target])

    for source, target in (*product(_FLOAT_ROWS, _FLOAT_ROWS), ("I32", "I32")):
        cases.record(f"as {target}", partial(build, source, target, (5, 160), ()), source)
    for target in ("F16", "Q8_0", "Q4_0"):
        cases.record_bits(f"any bits, as {target}", partial(of_any_bits, target), "F32")
    cases.record("transposed", lambda g: g.p.cpy(g.floats(7, 33).T), "F32")
    for source, target in product(_FLOAT_ROWS, _FLOAT_ROWS):
        for shape in ((4, 4, 4, 256), (2, 3, 5, 96)):
            cases.compare(sizes(shape, f"as {target}"), partial(build, source, target, shape, ()), source)
    for source, target in product(("F32", "F16"), ("F32", "F16")):
        for shape, axes in product(((1, 1, 1, 2), (5, 3, 1, 2), (5, 4, 3, 10)), ((0, 2, 1, 3), (1, 0, 3, 2))):
            name = sizes(shape, f"as {target}", f"axes {axes}")
            cases.compare(name, partial(build, source, target, shape, axes), source)
    ways = (("F32", "F32"), ("F16", "F32"), ("F32", "F16"), ("F32", "Q8_0"), ("F32", "Q4_0"), ("Q8_0", "F32"))
    for source, target in ways:
        cases.measure(f"{ROWS}x{K}, as {target}", partial(build, source, target, (ROWS, K), ()), source)
