# SPDX-License-Identifier: MIT
"""The limits of every op's float parameters, with operands of all magnitudes, against float64.

The kernels agree with each other even if their specification is wrong, so only float64 decides here. Denormals count as
0 in parameters, operands and results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ops.attention import Cached, scattered, tokens
from ops.elementwise import F32, SPECIALS, Devices, numbers, results
from pyhexagon._ffi import contract
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases import reference
from pyhexagon.op_cases.elementwise import F64, TINY, flushed, sigmoid

DENORMAL = float(TINY / 8)
MOST = float(np.finfo(np.float32).max)
ANY = (0.0, -0.0, DENORMAL, -DENORMAL, float(TINY), 1e-30, -1e-10, 1.0, -1.702, 30.0, 1e20, -1e20, MOST, -MOST)
SPECIAL = (np.inf, -np.inf, np.nan)
NOT_NEGATIVE = (0.0, -0.0, DENORMAL, float(TINY), 1e-20, 1e-6, 1.0, 1e20, MOST)

WITHOUT_FLOATS = {"concat", "hadamard", "argsort"}
WITH_FLOATS = {"scale", "clamp", "swiglu_oai", "rms_norm", "norm", "l2_norm", "soft_max", "rope",
               "gated_delta_net", "flash_attn_ext"}  # fmt: skip


def magnitudes() -> F32:
    """Return numbers of all magnitudes and both signs, and special ones."""
    sizes = np.logspace(-37.5, 38.5, 77, dtype=np.float64)
    return np.concatenate([np.array(SPECIALS, np.float32), sizes, -sizes, numbers(90, spread=3)]).astype(np.float32)


def as_read(x: Any) -> F64:
    """Return what an op reads: float32 without denormals."""
    return flushed(np.asarray(x, np.float32)).astype(np.float64)


def near(got: F32, want: F64, rtol: float, what: object) -> None:
    """Compare NaN, infinities and, relative to `want`, numbers; numbers near float32's limits may be flushed."""
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want), str(what))
    got, want = got[~np.isnan(want)], want[~np.isnan(want)]
    size = np.abs(want)
    normal = (size >= 4 * TINY) & (size <= MOST * (1 - 2 * rtol))
    np.testing.assert_allclose(got[normal], want[normal], rtol=rtol, err_msg=str(what))
    huge = size > MOST * (1 + 2 * rtol)
    np.testing.assert_array_equal(got[huge], np.copysign(np.inf, want[huge]), str(what))
    assert (np.abs(got[size < 4 * TINY]) <= 6 * TINY).all(), what


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def test_every_op_with_float_parameters_has_its_edges_here() -> None:
    names = {name for name, op in contract.OPS.items() if op.fields}
    assert names == WITH_FLOATS | WITHOUT_FLOATS


@pytest.mark.parametrize("scale", ANY + SPECIAL, ids=str)
def test_scale(engines: Devices, scale: float) -> None:
    x = magnitudes()
    biases = (0.0, -0.0, DENORMAL, 1.0, -1e20, MOST, np.inf, np.nan)
    got = results(engines, lambda p, v: [p.scale(v, scale, bias) for bias in biases], x)
    for one, bias in zip(got, biases, strict=True):
        product = flushed(as_read(x) * as_read(scale)).astype(np.float64)
        want = product + as_read(bias)
        whole = np.abs(want) >= np.abs(product) / 2  # of the rest, rounding the product decides
        near(one[whole | np.isnan(want)], want[whole | np.isnan(want)], 2e-7, (scale, bias))


@pytest.mark.parametrize("least", ANY + SPECIAL, ids=str)
def test_clamp(engines: Devices, least: float) -> None:
    x, mosts = magnitudes(), ANY + SPECIAL
    got = results(engines, lambda p, v: [p.clamp(v, least, most) for most in mosts], x)
    for one, most in zip(got, mosts, strict=True):
        want = np.maximum(np.minimum(flushed(x), flushed(np.float32(most))), flushed(np.float32(least)))
        np.testing.assert_array_equal(one, want, f"{least}, {most}")


@pytest.mark.parametrize("alpha", ANY, ids=str)
def test_swiglu_oai(engines: Devices, alpha: float) -> None:
    gate, up = (np.ascontiguousarray(one.ravel()) for one in np.meshgrid(magnitudes(), [0.5, -3.0, 1e30, -1e38]))
    up = up.astype(np.float32)
    limits = (np.inf, MOST, 7.0, DENORMAL, 0.0, -1.0, -MOST)
    got = results(engines, lambda p, x, y: [p.swiglu_oai(x, y, alpha=alpha, limit=limit) for limit in limits], gate, up)
    for one, limit in zip(got, limits, strict=True):
        most = as_read(limit)
        x, y = np.minimum(as_read(gate), most), np.maximum(np.minimum(as_read(up), most), -most)
        factor = as_read(y + 1)
        rising = sigmoid(as_read(alpha) * x)
        want = x * rising * factor
        seen = (rising >= 2.0**-250) | np.isnan(want)  # a sigmoid ends at 2^-256
        near(one[seen], want[seen], 1e-3, (alpha, limit))
        assert (np.abs(one[~seen]) <= np.abs(x * factor)[~seen] * 2.0**-249 + TINY).all()


def rows_of_all_sizes() -> F32:
    """Return rows of 70: zeros, and normal numbers times powers of 2."""
    x = np.random.default_rng(5).uniform(0.5, 2, (14, 70)) * np.random.default_rng(6).choice([-1, 1], (14, 70))
    powers = np.array([-90, -60, -40, -20, -5, -1, 0, 1, 5, 20, 40, 60, 125])
    x[1:] *= 2.0 ** powers[:, None]
    x[0] = 0
    return np.asarray(x, np.float32)


@pytest.mark.parametrize("eps", NOT_NEGATIVE, ids=str)
def test_norms(engines: Devices, eps: float) -> None:
    x, least = rows_of_all_sizes(), as_read(eps)
    names = ("rms_norm", "l2_norm", "norm")
    got = results(engines, lambda p, v: [getattr(p, name)(v, eps=eps) for name in names], x)
    for name, one in zip(names, got, strict=True):
        near(one, getattr(reference, name)(as_read(x), eps=least), 2e-3, (name, eps))


@pytest.mark.parametrize("scale", [*ANY[:10], 2.0**64, -(2.0**64)], ids=str)
def test_soft_max(engines: Devices, scale: float) -> None:
    x = rows_of_all_sizes()
    mask = np.where(np.arange(70) % 3, 0, -np.inf).astype(np.float32)
    got = results(engines, lambda p, v, m: [p.soft_max(v, scale=scale), p.soft_max(v, m, scale=scale)], x, mask)
    product = as_read(x) * as_read(scale)
    small = (np.abs(product) < 5000).all(-1)
    for one, masked in zip(got, (np.zeros_like(mask), mask), strict=True):
        logits = np.clip(product, -5678, 5678) + masked
        near(one[small], reference.soft_max(logits)[small], 1e-3, scale)
        assert np.isfinite(one).all()
        np.testing.assert_allclose(one.sum(-1), 1, rtol=1e-3)


@pytest.mark.parametrize("scale", [2.0**-8, 1.0, 2.0**8], ids=str)
def test_rope(engines: Devices, scale: float) -> None:
    x = rows_of_all_sizes()[:, None, :64]
    turns = np.zeros((2, 32), np.int32)  # nothing is rotated: the scale alone
    positions = np.arange(14, dtype=np.int32)
    (got,) = results(engines, lambda p, *v: [p.rope(*v, mode="neox", scale=scale)], x, positions, turns)
    wide, most = as_read(x) * scale, np.abs(as_read(x)).max(-1, keepdims=True) * scale
    fine = (np.abs(wide) < MOST) & (np.abs(wide) > 4 * TINY) & (most < MOST)
    np.testing.assert_allclose(got[fine], wide[fine], rtol=1e-6)


@pytest.mark.parametrize("scale", [2.0**-64, 2.0**-20, 1.0, 2.0**64], ids=str)
@pytest.mark.parametrize("power", [-60, 0, 20])
def test_gated_delta_net(engines: Devices, scale: float, power: int) -> None:
    rng = np.random.default_rng(3)
    q, k, v = (rng.uniform(0.5, 1, (1, 2, 32)).astype(np.float32) for _ in range(3))
    v, g, beta = (v * 2.0**power).astype(np.float32), np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32)
    state = np.zeros((2, 32, 32), np.float32)

    def build(p: Any, *values: Any) -> list[Any]:
        a, b, c, d, e, f = values
        return [p.cpy(p.gated_delta_net(a, b, c, g=d, beta=e, state=f, scale=scale)[0])]

    (got,) = results(engines, build, q, k, v, g, beta, state)
    want = np.einsum("ths,ths->th", q, k, dtype=np.float64)[..., None] * v * scale
    near(got, np.asarray(want), 1e-4, (scale, power))


@pytest.mark.parametrize("scale", [0.0, -0.0, DENORMAL, float(TINY), 1e-6, 0.3, 30.0, 1e20, MOST], ids=str)
@pytest.mark.parametrize("softcap", [0.0, 2.0**-10, 4096.0], ids=str)
def test_flash_attn_ext(engines: Devices, scale: float, softcap: float) -> None:
    given = tokens(70, 2, 1, 32, seed=4)
    pages, n_pages = scattered(70)
    positions = np.array([0, 1, 63, 69], np.int32)
    q = given.q[positions]
    rows = []
    for device in engines:
        cached = Cached(device, 1, 32, n_pages, kind="f16")
        cached.append(given.k, given.v, pages, np.arange(70, dtype=np.int32))
        rows.append(cached.attend(q, pages, positions, scale=scale, softcap=softcap))
    for got in rows:
        np.testing.assert_array_equal(got.view(np.uint32), rows[0].view(np.uint32))
    wide = q.astype(np.float64) * as_read(scale) * 32**0.5
    k, v = (x.astype(np.float16).astype(np.float64) for x in (given.k, given.v))
    cap = 5678.0 if scale >= 1e20 and not softcap else softcap  # logits beyond count as that: docs/attention.md, 3
    want = reference.attend(wide, k, v, reference.visible(positions, 70), softcap=cap)
    np.testing.assert_allclose(rows[0], want, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("value", [1e39, -1e300, 10**400, 1 << 200], ids=["1e39", "-1e300", "10**400", "2**200"])
def test_what_is_no_float32_is_told(engines: Devices, value: float) -> None:
    p = engines[0].program()
    x = p.input((2, 8))
    with pytest.raises(ArgumentError, match="scale with"):
        p.scale(x, value)
    with pytest.raises(ArgumentError, match="scale with"):
        p.scale(x, 1.0, value)
    with pytest.raises(ArgumentError, match="clamp with"):
        p.clamp(x, value, value)
