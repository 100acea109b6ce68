# SPDX-License-Identifier: MIT
"""FLASH_ATTN_EXT: the same bits on every kernel and for every partition of the work, close to the float64 result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from accuracy import nmse

from ops.attention import I32, KINDS, Cached, Tokens, scattered, tokens
from pyhexagon import ArgumentError, Device, ProgramError
from pyhexagon.op_cases.reference import attend, visible
from pyhexagon.ops.soft_max import alibi_slopes


@pytest.fixture(scope="module")
def device(engine: Device) -> Device:
    """Open each engine."""
    return engine


def filled(
    device: Device, given: Tokens, garbage: int | None = None, seed: int = 0, kind: str = "q8_0"
) -> tuple[Cached, I32]:
    """Return a cache with all tokens of one sequence, and its page table."""
    pages, n_pages = scattered(len(given.k), seed)
    cached = Cached(device, given.k.shape[1], -(-given.k.shape[2] // 32) * 32, n_pages, garbage=garbage, kind=kind)
    cached.append(given.k, given.v, pages, np.arange(len(given.k), dtype=np.int32))
    return cached, pages


SHAPES = [
    (4, 1, 64), (7, 1, 64), (2, 2, 64), (6, 2, 128), (3, 1, 32), (5, 1, 96), (2, 1, 256), (3, 1, 512), (4, 1, 270),
]  # fmt: skip


NEAR = {"q8_0": 2e-4, "q4_0": 8e-2, "f16": 3e-7}  # NMSE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("heads", "kv_heads", "dims"), SHAPES)
def test_rows_are_near_the_exact_ones(device: Device, heads: int, kv_heads: int, dims: int, kind: str) -> None:
    given = tokens(150, heads, kv_heads, dims)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([0, 1, 63, 64, 100, 149], np.int32)
    q = given.q[positions]
    got = cached.attend(q, pages, positions)
    assert nmse(got, attend(q, given.k, given.v, visible(positions, 150))) < NEAR[kind]
    got = cached.attend(q, pages, positions, window=70)
    assert nmse(got, attend(q, given.k, given.v, visible(positions, 150, 70))) < NEAR[kind]
    length = np.array([140], np.int32)
    for window in (0, 41):
        got = cached.attend(q, pages, positions, None, length, window=window)
        seen = visible(positions, 150, window, 140)
        some = seen.any(-1)
        assert nmse(got[some], attend(q[some], given.k, given.v, seen[some])) < NEAR[kind]
        assert (got[~some] == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_heads_may_be_narrower_than_the_cache(device: Device, kind: str) -> None:
    given = tokens(70, 2, 1, 80)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([69, 3], np.int32)
    got = cached.attend(given.q[positions], pages, positions)
    assert nmse(got, attend(given.q[positions], given.k, given.v, visible(positions, 70))) < NEAR[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_wide_heads_that_threads_share(device: Device, kind: str) -> None:
    """The scales of four heads of 512 take two vectors; one head has NaN, and one row has large logits."""
    given = tokens(600, 4, 1, 512)
    given.q[599, 2, 300] = np.nan
    given.q[598] *= 64
    cached, pages = filled(device, given, kind=kind)
    for position in (599, 598):
        got = cached.attend(given.q[[position]], pages, np.array([position], np.int32), softcap=30.0)
        nan = np.isnan(got).any(-1), np.isnan(got).all(-1)
        np.testing.assert_array_equal(nan, [[[position == 599 and head == 2 for head in range(4)]]] * 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("power", [-40, 8])
def test_logits_of_any_size(device: Device, power: int, kind: str) -> None:
    """Tiny logits, and logits so large that one token gets all weight."""
    given = tokens(100, 3, 1, 64)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([99, 40], np.int32)
    q = given.q[positions] * np.float32(2.0**power)
    got = cached.attend(q, pages, positions)
    assert nmse(got, attend(q, given.k, given.v, visible(positions, 100))) < (
        NEAR[kind] if power < 0 else 100 * NEAR[kind]
    )


@pytest.mark.parametrize("kind", KINDS)
def test_sinks_take_their_part_of_the_weights(device: Device, kind: str) -> None:
    given = tokens(130, 6, 1, 64)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([129, 5], np.int32)
    q, seen = given.q[positions], visible(positions, 130)
    sinks = np.array([0.5, -2, 30, 6, 0, -1e9], np.float32)
    got = cached.attend(q, pages, positions, sinks=sinks)
    wanted = attend(q, given.k, given.v, seen, sinks)
    for head in range(6):
        assert nmse(got[:, head], wanted[:, head]) < 2 * NEAR[kind], head
    without = cached.attend(q, pages, positions)
    np.testing.assert_array_equal(got[:, 5].view(np.uint32), without[:, 5].view(np.uint32))
    sinks[1], sinks[2], sinks[3] = np.nan, np.inf, -np.inf
    got = cached.attend(q, pages, positions, sinks=sinks)
    assert np.isnan(got[:, 1]).all()
    assert abs(got[:, 2]).max() < 1e-30
    np.testing.assert_array_equal(got[:, 3].view(np.uint32), without[:, 3].view(np.uint32))


@pytest.mark.parametrize("kind", KINDS)
def test_caps_slopes_and_masks(device: Device, kind: str) -> None:
    """Each, and combined: close to the exact result, and a row's bits equal those of the row alone."""
    given = tokens(150, 5, 1, 64, sigma=3)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([149, 70, 3], np.int32)
    q, seen, at = given.q[positions], visible(positions, 150), np.arange(150)
    slopes = alibi_slopes(5, 8.0)
    distances = -slopes[:, None, None].astype(np.float64) * abs(positions[:, None] - at)
    rng = np.random.default_rng(1)
    mask = rng.standard_normal((3, 160)).astype(np.float32) - 1
    mask[:, ::3] = -np.inf
    mask[0, 64:128] = -np.inf  # a whole tile
    halves = mask.astype(np.float16)
    sinks = np.array([0.5, -2, 3, 6, 0], np.float32)
    with np.errstate(invalid="ignore"):
        biases: list[tuple[dict[str, Any], Any]] = [
            ({}, None),
            ({"slopes": slopes}, distances),
            ({"mask": mask}, mask[None, :, :150]),
            ({"mask": halves, "slopes": slopes}, slopes[:, None, None] * halves[None, :, :150].astype(np.float64)),
            ({"sinks": sinks, "slopes": slopes}, distances),
        ]
    for softcap in (0.0, 2.5):
        for options, bias in biases:
            got = cached.attend(q, pages, positions, softcap=softcap, **options)
            wanted = attend(q, given.k, given.v, seen, options.get("sinks"), softcap=softcap, bias=bias)
            assert nmse(got, wanted) < 2 * NEAR[kind], (softcap, options.keys())
            alone = {name: x[1:2] if name == "mask" else x for name, x in options.items()}
            one = cached.attend(q[1:2], pages, positions[1:2], softcap=softcap, **alone)
            np.testing.assert_array_equal(one[0].view(np.uint32), got[1].view(np.uint32))


def test_distances_beyond_the_farthest_count_as_that(device: Device) -> None:
    """In bidirectional attention a row may have any position; far away, all distances are equal: no weight changes."""
    given = tokens(70, 2, 1, 64)
    cached, pages = filled(device, given)
    q, lengths = given.q[68:70], np.array([70], np.int32)
    positions = np.array([2**21 + 100, 2**31 - 1], np.int32)
    got = cached.attend(q, pages, positions, None, lengths, slopes=np.array([2.0**-20, 2.0**-24], np.float32))
    assert nmse(got, attend(q, given.k, given.v, np.ones((2, 70), bool))) < 2 * NEAR["q8_0"]


def test_what_a_mask_hides_is_not_seen(device: Device) -> None:
    given = tokens(130, 2, 1, 64)
    given.v[70, 0, 3] = np.nan
    positions = np.array([129, 129, 129, 129], np.int32)
    q, mask = given.q[positions], np.zeros((4, 130), np.float32)
    mask[1:, 70], mask[2, 5], mask[3] = -np.inf, np.inf, -np.inf
    for kind in KINDS:
        cached, pages = filled(device, given, kind=kind, garbage=3)
        got = cached.attend(q, pages, positions, mask=mask)
        assert np.isnan(got[[0, 2]]).all()
        assert np.isfinite(got[1]).all()
        assert (got[3] == 0).all()


def test_options_that_do_not_fit_are_refused(device: Device) -> None:
    given = tokens(70, 2, 1, 32)
    cached, pages = filled(device, given)
    q, positions = given.q[69:], np.array([69], np.int32)
    for options in ({"softcap": -1.0}, {"softcap": 1e-9}, {"softcap": np.nan}, {"mask": np.zeros((2, 70), np.float32)},
                    {"slopes": np.ones(3, np.float32)}):  # fmt: skip
        with pytest.raises(ArgumentError):
            cached.attend(q, pages, positions, **options)
    with pytest.raises(ProgramError):
        cached.attend(q, pages, positions, mask=np.zeros((1, 69), np.float32))
    for bad in (np.nan, np.inf):
        got = cached.attend(q, pages, positions, slopes=np.array([bad, 1], np.float32))
        assert np.isnan(got[:, 0]).all()
        assert np.isfinite(got[:, 1]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_more_tiles_than_sums_take_at_full_size(device: Device, kind: str) -> None:
    """Beyond 256 tiles, sums lose bits."""
    n = 64 * 260
    given = tokens(n, 1, 1, 32, sigma=0.1)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([n - 1], np.int32)
    got = cached.attend(given.q[positions], pages, positions)
    assert nmse(got, attend(given.q[positions], given.k, given.v, visible(positions, n))) < 5 * NEAR[kind]


def test_sequences_share_pages(device: Device) -> None:
    """Two sequences with a common prefix in one call, against each alone."""
    given, other = tokens(130, 4, 2, 64), tokens(130, 4, 2, 64, seed=9)
    cached = Cached(device, 2, 64, 6)
    pages = np.array([[5, 0, 2], [5, 3, 4]], np.int32)
    cached.append(given.k, given.v, pages[0], np.arange(130, dtype=np.int32))
    cached.append(other.k[64:], other.v[64:], pages, np.arange(64, 130, dtype=np.int32), np.full(66, 1, np.int32))
    positions, sequences = np.array([129, 129, 70, 20], np.int32), np.array([0, 1, 1, 0], np.int32)
    got = cached.attend(given.q[positions], pages, positions, sequences)
    for i, (position, sequence) in enumerate(zip(positions, sequences, strict=True)):
        alone = cached.attend(given.q[position : position + 1], pages[sequence], positions[i : i + 1])
        np.testing.assert_array_equal(got[i].view(np.uint32), alone[0].view(np.uint32))


@pytest.mark.parametrize("kind", KINDS)
def test_nan_stays_with_the_rows_that_see_it(device: Device, kind: str) -> None:
    given = tokens(100, 4, 1, 64)
    cached, pages = filled(device, given, kind=kind)
    positions = np.array([20, 49, 50, 99], np.int32)
    clean = cached.attend(given.q[positions], pages, positions)
    q = given.q[positions].copy()
    q[3, 2, 5] = np.inf
    with_nan = np.where(np.arange(100)[:, None, None] == 50, np.float32(np.nan), given.v)
    spoilt, _ = filled(device, Tokens(given.q, given.k, with_nan), kind=kind)
    got = spoilt.attend(q, pages, positions)
    np.testing.assert_array_equal(got[:2].view(np.uint32), clean[:2].view(np.uint32))
    assert np.isnan(got[2:]).all()
    got = cached.attend(q, pages, positions)
    assert np.isnan(got[3, 2]).all()
    assert np.isfinite(got[3, [0, 1, 3]]).all()
    np.testing.assert_array_equal(got[:3].view(np.uint32), clean[:3].view(np.uint32))


def test_numbers_out_of_range_are_refused(device: Device) -> None:
    given = tokens(70, 1, 1, 32)
    cached, pages = filled(device, given)
    q, one = given.q[:1], np.zeros(1, np.int32)
    for bad in (-1, 99, 1 << 30):
        with pytest.raises(ProgramError):
            cached.attend(q, np.array([pages[0], bad], np.int32), np.array([64], np.int32))
        cached.attend(q, np.array([pages[0], bad], np.int32), np.array([63], np.int32))  # it does not see that page
        with pytest.raises(ProgramError):
            cached.attend(q, pages[None], one, np.array([bad], np.int32))
    with pytest.raises(ProgramError):
        cached.attend(q, pages, np.array([64 * len(pages)], np.int32))
    with pytest.raises(ProgramError):
        cached.attend(q, pages, one, None, np.array([64 * len(pages) + 1], np.int32))
    p = device.program()
    table = p.input((2,), np.int32)
    with pytest.raises(ArgumentError, match="scale"):
        p.flash_attn_ext(p.input(q.shape), cached.cache, pages=table, positions=p.input((1,), np.int32), scale=-1.0)
    with pytest.raises(ArgumentError, match="expected a KV cache"):
        p.flash_attn_ext(p.input(q.shape), p.input((2, 1, 32)), pages=table, positions=p.input((1,), np.int32))


@pytest.fixture(scope="module")
def host() -> Iterator[Device]:
    """Open the host engine: the bits are the same everywhere."""
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("outliers", [False, True])
@pytest.mark.parametrize("dims", [64, 128])
def test_accuracy_beside_llama_cpp(host: Device, dims: int, outliers: bool, kind: str) -> None:
    """Over seeds, against llama.cpp's cache of the same kind with q quantised alike, computed exactly from there on."""
    kept, kept_of_q = KINDS[kind], KINDS["q8_0" if kind == "q4_0" else kind]
    ours, theirs = [], []
    positions = np.arange(248, 256, dtype=np.int32)
    pages, n_pages = scattered(256)
    cached = Cached(host, 1, dims, n_pages, kind=kind)
    for seed in range(24):
        given = tokens(256, 4, 1, dims, seed, sigma=1.5)
        if outliers:
            given.k[:, :, 5] *= 20
            given.q[:, :, 5] /= 20
        cached.append(given.k, given.v, pages, np.arange(256, dtype=np.int32))
        q, seen = given.q[positions], visible(positions, 256)
        wanted = attend(q, given.k, given.v, seen)
        ours.append(nmse(cached.attend(q, pages, positions), wanted))
        theirs.append(nmse(attend(kept_of_q(q), kept(given.k), kept(given.v), seen), wanted))
    ratios = np.array(ours) / np.array(theirs)
    means = np.mean(ours), np.mean(theirs)
    print(f"{kind}, dims {dims}, outliers {outliers}: {means[0]:.2e} / {means[1]:.2e}, at most {ratios.max():.2f}")
    assert means[0] <= 1.8 * means[1]
    assert ratios.max() <= 3, ratios
