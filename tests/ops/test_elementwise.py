# SPDX-License-Identifier: MIT
"""The elementwise ops through programs: a class of tests per op of pyhexagon/op_cases/elementwise.py.

Each program holds many cases, and runs on the host, on the v68 skel in QEMU, and there with the reference kernels: the
bits must be the same. They are compared with float64.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import F32, SIZES, SPECIALS, Devices, numbers, results
from pyhexagon import Builder, Value
from pyhexagon._ffi import contract
from pyhexagon.op_cases.elementwise import F64, GATED, TINY, Elementwise, entries, flushed


class Unary:
    """The tests of every elementwise op, for each set of its parameters."""

    row: ClassVar[contract.OpRow]
    entry: Elementwise

    @pytest.fixture(autouse=True)
    def set_entry(self, entry: Elementwise) -> None:
        self.entry = entry

    # --- Building blocks of the tests ---

    def build(self, p: Builder, *values: Value) -> Value:
        result: Value = getattr(p, self.row.name)(*values, **self.entry.params)
        return result

    def sources(self, *shape: int, seed: int = 0) -> list[F32]:
        return [numbers(*shape, seed=seed + i) for i in range(self.row.least)]

    def wanted(self, *sources: F32) -> F64:
        return self.entry.exact(*map(flushed, sources))

    def check_near(self, got: F32, *sources: F32, slack: float = 100, worst: float = np.inf) -> None:
        want = self.wanted(*sources)
        normal = np.isfinite(flushed(want)) & (np.abs(want) >= 4 * TINY)
        if normal.any():
            assert nmse(got[normal].astype(np.float64), want[normal]) <= slack * self.entry.nmse
        apart = np.abs(got[normal] - want[normal]) / np.abs(want[normal])
        assert apart.max(initial=0) <= min(worst, self.entry.worst), (np.argmax(apart), apart.max())

    # --- Tests ---

    def test_accuracy(self, engines: Devices) -> None:
        sources = [numbers(5000, seed=i, spread=0) for i in range(self.row.least)]
        (got,) = results(engines, lambda p, *values: [self.build(p, *values)], *sources)
        self.check_near(got, *sources, slack=1)

    def test_tails_keep_their_digits(self, engines: Devices) -> None:
        x = np.concatenate([np.linspace(-least, -3, 500, dtype=np.float32) for least in (10, 60)])
        sources = [x, np.ones(1000, np.float32)][: self.row.least]
        (got,) = results(engines, lambda p, *values: [self.build(p, *values)], *sources)
        self.check_near(got, *sources, worst=1e-3)

    def test_rows_of_all_lengths_that_begin_anywhere(self, engines: Devices) -> None:
        inputs = self.sources(sum(SIZES) + 1, seed=1)
        starts = np.cumsum((1, *SIZES))

        def build(p: Builder, *values: Value) -> list[Value]:
            parts = [slice(int(start), int(start) + n) for start, n in zip(starts, SIZES, strict=False)]
            return [self.build(p, *(value[part] for value in values)) for part in parts]

        for start, n, got in zip(starts, SIZES, results(engines, build, *inputs), strict=False):
            self.check_near(got, *(source[start : start + n] for source in inputs))

    def test_views_and_many_rows(self, engines: Devices) -> None:
        inputs = self.sources(3, 5, 70, 66, seed=2)
        picks: list[Any] = [
            np.s_[:],
            np.s_[1],
            np.s_[:, 1:4, :6, :40],
            np.s_[::2, :, 3:5, 1:34],
            np.s_[:, :, 0, 7:8],
            np.s_[:, :0],
        ]

        def build(p: Builder, *values: Value) -> list[Value]:
            made = [self.build(p, *(value[pick] for value in values)) for pick in picks]
            return [*made, self.build(p, *(value.transpose(2, 0, 1, 3) for value in values))]

        got = results(engines, build, *inputs)
        whole = got[0]
        self.check_near(whole, *inputs)
        for pick, part in zip(picks, got, strict=False):
            np.testing.assert_array_equal(part, whole[pick])
        np.testing.assert_array_equal(got[-1], whole.transpose(2, 0, 1, 3))

    def test_in_place_or_not_on_many_threads(self, engines: Devices) -> None:
        inputs = self.sources(3, 5000, seed=3)
        inputs[0][1, [7, 4000]] = np.nan, np.inf

        def build(p: Builder, first: Value, *others: Value) -> list[Value]:
            return [self.build(p, p.scale(first, 1.0), *others), self.build(p, first, *others)]

        over, apart = results(engines, build, *inputs)
        np.testing.assert_array_equal(over.view(np.uint32), apart.view(np.uint32))
        self.check_near(np.delete(over, 1, 0), *(np.delete(source, 1, 0) for source in inputs))

    def test_special_values_follow_ieee(self, engines: Devices) -> None:
        grid = np.meshgrid(*[np.array(SPECIALS, np.float32)] * self.row.least)
        sources = [np.ascontiguousarray(axis.ravel()) for axis in grid]
        (got,) = results(engines, lambda p, *values: [self.build(p, *values)], *sources)
        exact = self.wanted(*sources)
        want = flushed(exact)
        odd = ~np.isfinite(want)
        np.testing.assert_array_equal(got[odd], want[odd])
        zero = want == 0
        with np.errstate(invalid="ignore"):  # the smallest may have been rounded up; a sigmoid ends at 2^-256
            most = TINY + 2.0**-255 * np.nan_to_num(np.abs(np.prod(np.array(sources, np.float64), axis=0)))
        assert (np.abs(got[zero]) <= most[zero]).all()
        sign = zero & (got == 0) & (exact == 0)
        np.testing.assert_array_equal(np.signbit(got[sign]), np.signbit(want[sign]))
        self.check_near(got[~odd], *(source[~odd] for source in sources))

    def test_finite_neighbours_of_nan_and_infinity_keep_their_bits(self, engines: Devices) -> None:
        clean = self.sources(3, 300, seed=4)
        dirty = [source.copy() for source in clean]
        at = np.arange(5, 900, 41)
        for i, source in enumerate(dirty):
            source.ravel()[at[i :: self.row.least]] = np.resize([np.nan, np.inf, -np.inf], len(at[i :: self.row.least]))
        spoilt = [p for p in (clean, dirty)]
        (before, after) = (
            results(engines, lambda p, *values: [self.build(p, *values)], *sources)[0].ravel() for sources in spoilt
        )
        np.testing.assert_array_equal(np.delete(after, at), np.delete(before, at))

    def test_random_cases(self, engines: Devices) -> None:
        @settings(max_examples=8)
        @given(
            shape=st.lists(st.integers(1, 5), max_size=3),
            n=st.integers(1, 400),
            first=st.integers(0, 33),
            repeats=st.integers(0, 2 ** (4 * (self.row.least - 1)) - 1),
            seed=st.integers(0, 2**32 - 1),
        )
        def check(shape: list[int], n: int, first: int, repeats: int, seed: int) -> None:
            rng = np.random.default_rng(seed)
            lengths = [*shape, n]
            sources = []
            for i in range(self.row.least):
                mine = [1 if i and repeats >> axis & 1 else length for axis, length in enumerate(lengths)]
                bits = rng.integers(0, 2**32, [*mine[:-1], mine[-1] + first], np.uint32)
                sources.append(np.where(bits & 64, bits, numbers(*bits.shape, seed=seed).view(np.uint32)))
            inputs = [bits.astype(np.uint32).view(np.float32) for bits in sources]
            (got,) = results(
                engines, lambda p, *values: [self.build(p, *(value[..., first:] for value in values))], *inputs
            )
            want = flushed(self.wanted(*np.broadcast_arrays(*(source[..., first:] for source in inputs))))
            np.testing.assert_array_equal(np.isnan(got), np.isnan(want))

        check()


class Binary(Unary):
    """The tests of an op with two operands, which are broadcast."""

    def test_rows_columns_and_elements_repeat(self, engines: Devices) -> None:
        x, y = self.sources(4, 6, 140, seed=5)
        column, one = y[0, :, :1].copy(), y[0, 0, :1].copy()
        smaller = [y[0].copy(), y[0, 0].copy(), column, one]
        pairs = [(x, small) for small in smaller] + [(small, x) for small in smaller]

        def build(p: Builder, *values: Value) -> list[Value]:
            whole, *small = values
            return [self.build(p, whole, one) for one in small] + [self.build(p, one, whole) for one in small]

        for got, (a, b) in zip(results(engines, build, x, *smaller), pairs, strict=True):
            self.check_near(got, *np.broadcast_arrays(a, b))


class Gated(Binary):
    """The tests of an op that also takes one operand, whose rows hold the gate and up."""

    def test_the_halves_of_one_operand(self, engines: Devices) -> None:
        both = numbers(3, 130, seed=7, spread=3)
        apart, halves = results(engines, lambda p, x: [self.build(p, x[:, :65], x[:, 65:]), self.build(p, x)], both)
        np.testing.assert_array_equal(apart, halves)


# One class for each op, so that `scripts/test op NAME` selects its tests by the name of the class.
for row in contract.OPS.values():
    if row.kind in ("UNARY", "BINARY"):
        tests = Gated if row.name in GATED else Binary if row.kind == "BINARY" else Unary
        made = type(f"Test_{row.name}", (tests,), {"row": row, "__module__": __name__})
        ids = [str(entry) or row.name for entry in entries(row)]
        globals()[made.__name__] = pytest.mark.parametrize("entry", entries(row), ids=ids)(made)
