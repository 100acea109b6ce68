# SPDX-License-Identifier: MIT
"""The cases of norms, sums and orders of rows: recorded ones, and the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any, Final

import numpy as np

from pyhexagon.op_cases.case import ROWS, VOCABULARY, Array, CaseList, K, normal, sizes
from pyhexagon.ops.hadamard import SIZES

_NORMS: Final = ((3, 4, 5, 64), (3, 4, 5, 1025), (1, 1, 7, 4096))
_EPS: Final = (0.0, 1e-6, 1e-4, 1e-1)


def rms_norm(cases: CaseList) -> None:
    cases.record("5 rows of 130", lambda g: g.p.rms_norm(g.floats(5, 130)))
    cases.record("with a weight", lambda g: g.p.rms_norm(g.floats(3, 1024), g.floats(1024), eps=2.0**-20))
    cases.record_bits("a weight for each row, any bits", lambda g: g.p.rms_norm(g.bits(6, 64), g.floats(6, 64)))
    cases.record_bits(
        "rows of 96 and of 200, weights of any bits",
        lambda g: [g.p.rms_norm(g.floats(4, n), g.bits(n)) for n in (96, 200)],
    )
    cases.record_bits(
        "5 rows of 2052, of which threads share one", lambda g: g.p.rms_norm(g.floats(5, 2052), g.bits(2052))
    )
    cases.record("2 rows of 4100, which threads share step by step", lambda g: g.p.rms_norm(g.floats(2, 4100)))
    _norms_of_ggml(cases, has_weight=True)
    for k in (K, 2048):
        cases.measure(f"{ROWS}x{k}, a weight", partial(_weighted, k))
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.rms_norm(g.floats(ROWS, K)))
    cases.measure("1x64", lambda g: g.p.rms_norm(g.floats(1, 64)))  # the fixed cost of an op


def _weighted(k: int, g: Any) -> Any:
    return g.p.rms_norm(g.floats(ROWS, k), g.floats(k))


def norm(cases: CaseList) -> None:
    cases.record("5 rows of 130", lambda g: g.p.norm(g.floats(5, 130)))
    cases.record("with weight and bias", lambda g: g.p.norm(g.floats(3, 1024), g.floats(1024), g.floats(1024)))
    cases.record_bits("of any bits", lambda g: g.p.norm(g.bits(6, 64), g.floats(6, 64), g.bits(6, 64)))
    cases.record(
        "rows at any address, with weight and bias",
        lambda g: g.p.norm(g.floats(3, 131)[:, 1:], g.floats(130), g.floats(130)),
    )
    cases.record_bits(
        "5 rows of 2052, of which two threads decide one",
        lambda g: g.p.norm(g.floats(5, 2052), g.floats(2052), g.bits(2052)),
    )
    cases.record_bits(
        "7 rows of 1100, of which three threads decide one each",
        lambda g: g.p.norm(g.floats(7, 1100), g.floats(1100), g.bits(1100)),
    )
    cases.record("2 rows of 4100, which two threads decide each", lambda g: g.p.norm(g.floats(2, 4100)))
    cases.record("3 rows of 4100, which threads share step by step", lambda g: g.p.norm(g.floats(3, 4100)))
    cases.record_bits("without a variance", lambda g: g.p.norm(g.array(np.full((2, 64), 3, np.float32)), eps=0))
    _norms_of_ggml(cases, has_weight=True)
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.norm(g.floats(ROWS, K)))
    cases.measure(f"{ROWS}x{K}, a weight", lambda g: g.p.norm(g.floats(ROWS, K), g.floats(K)))
    cases.measure(f"{ROWS}x{K}, a weight, a bias", lambda g: g.p.norm(g.floats(ROWS, K), g.floats(K), g.floats(K)))


def l2_norm(cases: CaseList) -> None:
    cases.record("5 rows of 130", lambda g: g.p.l2_norm(g.floats(5, 130)))
    cases.record_bits("any bits", lambda g: g.p.l2_norm(g.bits(6, 64), eps=2.0**-20))
    cases.record("5 rows of 2052, of which threads share one", lambda g: g.p.l2_norm(g.floats(5, 2052)))
    cases.record("2 rows of 4100, which threads share step by step", lambda g: g.p.l2_norm(g.floats(2, 4100)))
    _norms_of_ggml(cases, has_weight=False)
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.l2_norm(g.floats(ROWS, K)))


def _norms_of_ggml(cases: CaseList, *, has_weight: bool) -> None:
    def build(shape: tuple[int, ...], eps: float, factor: int, weighted: bool, g: Any) -> Any:
        weight = [g.normal(shape[-1], seed=1)] if weighted else []
        return getattr(g.p, cases.op)(g.array(_outliers(factor, *shape)), *weight, eps=eps)

    for shape, eps in product(_NORMS, _EPS):
        cases.compare(f"{sizes(shape)}, eps {eps:g}", partial(build, shape, eps, 1, False))
        cases.compare(f"{sizes(shape)}, outliers of 3000x, eps {eps:g}", partial(build, shape, eps, 3000, False))
        if has_weight:
            cases.compare(f"{sizes(shape)}, a weight, eps {eps:g}", partial(build, shape, eps, 1, True))


def _outliers(factor: int, *shape: int) -> Array:
    """Return normal numbers; one of each row is multiplied by the factor."""
    x = normal(*shape)
    x[..., 7] *= factor
    return x


def hadamard(cases: CaseList) -> None:
    def build(n: int, factor: int, g: Any) -> Any:
        return g.p.hadamard(g.array(_outliers(factor, 3, 2, 256)), n)

    cases.record("blocks of 64, 5 rows of 192", lambda g: g.p.hadamard(g.floats(5, 192), 64))
    cases.record("blocks of 32, 128 and 256", lambda g: [g.p.hadamard(g.floats(3, 256), n) for n in (32, 128, 256)])
    cases.record_bits("any bits", lambda g: g.p.hadamard(g.bits(6, 64)))
    cases.record(
        "one block of 32, of 64 and of 128", lambda g: [g.p.hadamard(g.floats(1, n), n) for n in (32, 64, 128)]
    )
    for n in SIZES:
        cases.compare(f"3x2x256, blocks of {n}", partial(build, n, 1))
        cases.compare(f"3x2x256, outliers of 3000x, blocks of {n}", partial(build, n, 3000))
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.hadamard(g.floats(ROWS, K)))


def _record_rows(cases: CaseList, call: Any) -> None:
    cases.record("5 rows of 130", lambda g: call(g, g.floats(5, 130)))
    cases.record_bits("rows of 1 and of 2000", lambda g: [call(g, g.floats(7, 1)), call(g, g.floats(2000))])
    cases.record_bits("any bits", lambda g: call(g, g.bits(6, 64)))


def sums(cases: CaseList) -> None:
    def call(g: Any, x: Any) -> Any:
        return getattr(g.p, cases.op)(x)

    def build(shape: tuple[int, ...], part: Any, g: Any) -> Any:
        return call(g, g.array(normal(*shape) + np.float32(0.25))[part])

    _record_rows(cases, call)
    for shape in ((3, 4, 5, 10), (33,), (1024, 33), (256, 33), (32769,), (32,), (256, 32), (32768,), (3, 6, 5, 11)):
        cases.compare(sizes(shape), partial(build, shape, np.s_[...]))
    cases.compare("3x6x5x16, a part of each row", partial(build, (3, 6, 5, 16), np.s_[:, 1:, ::2, 3:]))
    cases.measure(f"{ROWS}x{K}", lambda g: call(g, g.floats(ROWS, K)))


def argmax(cases: CaseList) -> None:
    _record_rows(cases, lambda g, x: g.p.argmax(x))
    for shape in ((1, 32), (513, 32), (10, 100), (10, 1024), (12, 1024), (10, 2000), (3, 5438), (1, 128256)):
        _order(cases, shape)
    cases.measure(f"{VOCABULARY}", lambda g: g.p.argmax(g.floats(1, VOCABULARY)))


def argsort(cases: CaseList) -> None:
    cases.record("5 rows of 130", lambda g: g.p.argsort(g.floats(5, 130)))
    cases.record_bits("any 2000 bits, descending", lambda g: g.p.argsort(g.bits(3, 2000), descending=True))
    for n in (1, 7, 8, 31, 64, 1023, 4097):
        _order(cases, (n,))
    for shape in ((10, 10, 10, 16), (10, 10, 10, 60), *((3, 1, 2, n) for n in (1023, 1024, 1025)), (1, 1, 16, 2049)):
        _order(cases, shape, ", ascending")
        _order(cases, shape, ", descending", descending=True)
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.argsort(g.floats(ROWS, K)))


def top_k(cases: CaseList) -> None:
    cases.record("8 of 128, 5 rows", lambda g: g.p.top_k(g.floats(5, 128), 8))
    cases.record("40 of 20000", lambda g: g.p.top_k(g.floats(20000), 40))
    cases.record_bits("300 of any 2000 bits", lambda g: g.p.top_k(g.bits(3, 2000), 300))
    cases.record("40 of 20000, at any address", lambda g: g.p.top_k(g.floats(20001)[1:], 40))
    cases.record_bits("40 of 20000 negative ones", lambda g: g.p.top_k(g.p.neg(g.p.sqr(g.floats(20000))), 40))
    for n, k in ((1, 1), (2, 2), (3, 1), (4, 3), (16, 7), (64, 15), (1023, 3), (1024, 7), (2049, 100), (16384, 40)):
        _order(cases, (3, 2, n), f", k {k}", k=k)
    for k in (1, 2, 7, 15):
        _order(cases, (10, 10, 10, 60), f", k {k}", k=k)
    _order(cases, (1, 128256), ", k 40", k=40)
    cases.measure(f"{VOCABULARY}, k 40", lambda g: g.p.top_k(g.floats(1, VOCABULARY), 40))
    cases.measure(f"{ROWS}x128, k 8", lambda g: g.p.top_k(g.floats(ROWS, 128), 8))


def _order(cases: CaseList, shape: tuple[int, ...], words: str = "", **params: Any) -> None:
    """Add a case of indices, which must be identical."""
    cases.compare(sizes(shape) + words, lambda g: getattr(g.p, cases.op)(g.normal(*shape), **params))
