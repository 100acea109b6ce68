# SPDX-License-Identifier: MIT
"""ROPE through programs: the same bits on every kernel, close to float64, at any position."""

from __future__ import annotations

from math import ceil, floor, log, pi
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from accuracy import nmse
from hypothesis import given, settings
from hypothesis import strategies as st

from ops.elementwise import Devices, results
from ops.rows import F32, numbers, run
from pyhexagon import Device, Value
from pyhexagon.errors import ArgumentError
from pyhexagon.op_cases.reference import rotate
from pyhexagon.ops.rope import Mode, RopeTable, rope_table

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


def frequencies(n_dims: int, base: float = 10000.0) -> F64:
    return np.asarray(float(base) ** (-np.arange(n_dims // 2) / (n_dims // 2)))


def rotated(device: Device, x: F32, positions: I32, table: RopeTable, mode: Mode, **how: Any) -> F32:
    scale = np.float32(table.scale).item()
    return run(device, lambda p, *a: p.rope(*a, mode=mode, scale=scale, **how), x, positions, table.turns)


@pytest.mark.parametrize("mode", ["normal", "neox"])
@pytest.mark.parametrize(
    ("shape", "n_dims"),
    [((5, 9, 64), 64), ((2, 32, 128), 128), ((3, 2, 96), 80), ((2, 3, 2, 33), 6), ((1, 1, 2), 2), ((4, 1, 300), 256)],
    ids=str,
)
def test_positions_of_any_size(device: Device, shape: tuple[int, ...], n_dims: int, mode: Mode) -> None:
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    positions = np.array([131071, 0, 1, 77, 5000, -3], np.int32)[: shape[-3]]
    got = rotated(device, x, positions, rope_table(n_dims, freq_base=500000.0), mode)
    angles = positions[:, None, None] * frequencies(n_dims, 500000.0)
    assert nmse(got.astype(np.float64), rotate(x, angles, mode)) < 1e-14
    np.testing.assert_array_equal(got[..., n_dims:], x[..., n_dims:])


def test_random_cases(engines: Devices) -> None:
    @settings(max_examples=8)
    @given(
        st.tuples(st.integers(1, 5), st.integers(1, 5)),
        st.integers(1, 70),
        st.integers(0, 40),
        st.sampled_from(["normal", "neox"]),
        st.integers(0, 2**32 - 1),
    )
    def check(rows: tuple[int, int], n_pairs: int, rest: int, mode: Mode, seed: int) -> None:
        n_tokens, n_heads = rows
        rng, n_dims = np.random.default_rng(seed), 2 * n_pairs
        x = rng.standard_normal((n_tokens, n_heads, n_dims + rest), dtype=np.float32)
        positions = rng.integers(0, 131072, n_tokens).astype(np.int32)
        (got,) = results(engines, lambda p, *a: [p.rope(*a, mode=mode)], x, positions, rope_table(n_dims).turns)
        want = rotate(x, positions[:, None, None] * frequencies(n_dims), mode)
        assert nmse(got.astype(np.float64), want) < 1e-14

    check()


def test_each_sequence_has_its_positions(device: Device) -> None:
    x, table = numbers(2, 3, 4, 64), rope_table(64)
    positions = np.array([[5, 6, 7], [100, 3, 0]], np.int32)
    got = rotated(device, x, positions, table, "neox")
    for i in range(2):
        np.testing.assert_array_equal(rotated(device, x[i], positions[i], table, "neox"), got[i])


def test_frequency_factors(device: Device) -> None:
    factors = np.linspace(1, 32, 32)
    x, positions = numbers(3, 2, 64), np.array([9, 4000, 131071], np.int32)
    got = rotated(device, x, positions, rope_table(64, factors=factors), "normal")
    angles = positions[:, None, None] * (frequencies(64) / factors)
    assert nmse(got.astype(np.float64), rotate(x, angles, "normal")) < 1e-14


@pytest.mark.parametrize("attn_factor", [1.0, 1.19])
def test_yarn(device: Device, attn_factor: float) -> None:
    """As in ggml_rope_yarn, in float64, with gpt-oss's parameters."""
    n_dims, base, factor, n_ctx = 64, 150000.0, 32.0, 4096
    table = rope_table(
        n_dims, freq_base=base, freq_scale=1 / factor, ext_factor=1.0, attn_factor=attn_factor, n_ctx_orig=n_ctx
    )

    def bound(n_turns: float) -> float:
        return n_dims * log(n_ctx / (n_turns * 2 * pi)) / (2 * log(base))

    low, high = max(0, floor(bound(32.0))), min(n_dims - 1, ceil(bound(1.0)))
    x, positions = numbers(3, 2, n_dims), np.array([1, 4000, 131071], np.int32)
    angles = np.empty((3, 1, n_dims // 2))
    for i in range(n_dims // 2):
        extrapolated = positions * base ** (-2 * i / n_dims)
        mix = 1 - min(1.0, max(0.0, (i - low) / max(0.001, high - low)))
        angles[:, 0, i] = extrapolated / factor * (1 - mix) + extrapolated * mix
    scale = attn_factor * (1 + 0.1 * log(factor))
    assert table.scale == pytest.approx(scale)
    got = rotated(device, x, positions, table, "neox")
    assert nmse(got.astype(np.float64), rotate(x, angles, "neox", np.float32(scale).item())) < 1e-14


@pytest.mark.parametrize(("interleaved", "owner"), [(False, "000111122233333000111"), (True, "012012012313333012012")])
def test_sections_have_positions_of_their_own(device: Device, interleaved: bool, owner: str) -> None:
    n_dims = 2 * len(owner)
    which = np.array([*map(int, owner)])
    x = numbers(3, 2, n_dims)
    positions = np.array([[1, 20, 131071], [4, 5, 6], [700, 8, 9], [10, 11, 12]], np.int32)
    table = rope_table(n_dims, sections=(3, 4, 3, 5), interleaved=interleaved)
    got = rotated(device, x, positions, table, "neox")
    angles = (positions[which].T * frequencies(n_dims))[:, None]
    assert nmse(got.astype(np.float64), rotate(x, angles, "neox")) < 1e-14


def test_what_is_special_stays_within_its_pair(device: Device) -> None:
    x = numbers(1, 6, 64)
    clean = rotated(device, x, np.array([1], np.int32), rope_table(64), "normal")
    x[0, 0, 5], x[0, 1, 8], x[0, 2, 2:4] = np.nan, np.inf, (np.inf, -np.inf)
    x[0, 4], x[0, 5] = 0.0, 1e-40
    got = rotated(device, x, np.array([1], np.int32), rope_table(64), "normal")
    assert np.isnan(got[0, 0, 4:6]).all()
    assert (got[0, 1, 8:10] == [np.inf, np.inf]).all()
    assert got[0, 2, 2] == np.inf
    assert np.isnan(got[0, 2, 3]) or got[0, 2, 3] == np.inf
    assert (got[0, 4:] == 0).all()
    touched = np.zeros(x.shape, bool)
    touched[0, 0, 4:6] = touched[0, 1, 8:10] = touched[0, 2, 2:4] = touched[0, 4:] = True
    np.testing.assert_array_equal(got[~touched].view(np.uint32), clean[~touched].view(np.uint32))


def test_a_row_depends_on_its_own_position_only(device: Device) -> None:
    x, table = numbers(7, 5, 128), rope_table(128)
    positions = np.arange(40, 47, dtype=np.int32)
    whole = rotated(device, x, positions, table, "normal")
    for i in range(0, 7, 3):
        np.testing.assert_array_equal(rotated(device, x[i : i + 1], positions[i : i + 1], table, "normal")[0], whole[i])


def test_views_and_heads_cut_out_of_wider_rows(device: Device) -> None:
    wide, table, positions = numbers(3, 5 * 64), rope_table(64), np.array([2, 3, 4], np.int32)
    whole = rotated(device, wide.reshape(3, 5, 64), positions, table, "neox")
    part = run(
        device,
        lambda p, a, b, c: p.rope(a[:, 64:256].reshape(3, 3, 64), b, c, mode="neox"),
        wide, positions, table.turns,
    )  # fmt: skip
    np.testing.assert_array_equal(part, whole[:, 1:4])


def test_what_does_not_fit() -> None:
    with Device("loopback") as device:
        _refuse_what_does_not_fit(device)


def _refuse_what_does_not_fit(device: Device) -> None:
    p = device.program()
    x, at, turns = p.input((3, 2, 64)), p.input((3,), np.int32), p.input((2, 32), np.int32)
    misfits: list[tuple[tuple[Value, Value, Value], dict[str, Any], str]] = [
        ((x[0], at, turns), {}, "expected (..., T, H, K)"),
        ((x, at, p.input((3, 32), np.int32)), {}, "rope_table's"),
        ((x, at, p.input((2, 33), np.int32)), {}, "K at least 66"),
        ((x, p.input((4,), np.int32), turns), {}, "cannot be broadcast"),
        ((x, at, p.input((8, 32), np.int32)), {}, "expected (4, ..., T)"),
        ((x, x, turns), {}, "int32"),
        ((x, at, turns), {"scale": 1000.0}, "scale 1000.0"),
    ]
    for operands, how, words in misfits:
        with pytest.raises(ArgumentError) as caught:
            p.rope(*operands, **{"mode": "neox", **how})
        assert words in str(caught.value)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"factors": np.ones(3)}, "(32,)"),
        ({"factors": np.zeros(32)}, "not finite"),
        ({"ext_factor": 1.0}, "n_ctx_orig"),
        ({"sections": (1, 2)}, "sections"),
        ({"n_dims": 63}, "n_dims is 63"),
    ],
    ids=str,
)
def test_numbers_that_make_no_table(how: dict[str, Any], words: str) -> None:
    with np.errstate(divide="ignore"), pytest.raises(ArgumentError) as caught:
        rope_table(**{"n_dims": 64, **how})
    assert words in str(caught.value)
