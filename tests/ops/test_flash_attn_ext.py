# SPDX-License-Identifier: MIT
"""FLASH_ATTN_EXT: the same bits on every kernel and for every way to cut the work, near the float64 result."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from accuracy import nmse

from ops.attention import I32, Cached, Tokens, as_q8_0, exact, scattered, tokens, visible
from pyhexagon import ArgumentError, BatchError, Device


def filled(device: Device, given: Tokens, garbage: int | None = None, seed: int = 0) -> tuple[Cached, I32]:
    """A cache with all tokens of one sequence, and its pages."""
    pages, n_pages = scattered(len(given.k), seed)
    cached = Cached(device, given.k.shape[1], -(-given.k.shape[2] // 32) * 32, n_pages, garbage)
    cached.append(given.k, given.v, pages, np.arange(len(given.k), dtype=np.int32))
    return cached, pages


SHAPES = [(4, 1, 64), (7, 1, 64), (2, 2, 64), (6, 2, 128), (3, 1, 32), (5, 1, 96), (2, 1, 256)]


@pytest.mark.parametrize(("heads", "kv_heads", "dims"), SHAPES)
def test_rows_are_near_the_exact_ones(device: Device, heads: int, kv_heads: int, dims: int) -> None:
    given = tokens(150, heads, kv_heads, dims)
    cached, pages = filled(device, given)
    positions = np.array([0, 1, 63, 64, 100, 149], np.int32)
    q = given.q[positions]
    got = cached.attend(q, pages, positions)
    assert nmse(got, exact(q, given.k, given.v, visible(positions, 150))) < 2e-4
    got = cached.attend(q, pages, positions, window=70)
    assert nmse(got, exact(q, given.k, given.v, visible(positions, 150, 70))) < 2e-4
    length = np.array([140], np.int32)
    for window in (0, 41):
        got = cached.attend(q, pages, positions, None, length, window=window)
        seen = visible(positions, 150, window, 140)
        some = seen.any(-1)
        assert nmse(got[some], exact(q[some], given.k, given.v, seen[some])) < 2e-4
        assert (got[~some] == 0).all()


def test_heads_may_be_narrower_than_the_cache(device: Device) -> None:
    given = tokens(70, 2, 1, 80)
    cached, pages = filled(device, given)
    positions = np.array([69, 3], np.int32)
    got = cached.attend(given.q[positions], pages, positions)
    assert nmse(got, exact(given.q[positions], given.k, given.v, visible(positions, 70))) < 2e-4


def test_rows_do_not_depend_on_pieces_pages_or_what_else_is_there(device: Device) -> None:
    """Decoded one by one over zeros, against pieces: later tokens there, garbage elsewhere, a window's dead pages."""
    n, first = 200, 100
    given = tokens(n, 5, 1, 64, seed=3, sigma=1.5)
    given.v[:] *= 2.0 ** np.random.default_rng(1).integers(-12, 12, (n, 1, 1))
    order = np.arange(n, dtype=np.int32)
    for window in (0, 71):
        pages, n_pages = scattered(n, seed=5)
        alone = Cached(device, 1, 64, n_pages)
        one_by_one = []
        for i in order:
            alone.append(given.k[i : i + 1], given.v[i : i + 1], pages, order[i : i + 1])
            if i >= first and i % 9 == 0:
                one_by_one.append(alone.attend(given.q[i : i + 1], pages, order[i : i + 1], window=window))
        wanted = np.concatenate(one_by_one).view(np.uint32)
        for piece, seed in ((7, 1), (100, 2)):
            cached, others = filled(device, given, garbage=seed, seed=seed)
            if window:
                dead = (first - window) // 64
                others[:dead] = -1
            rows = order[first:]
            got = np.concatenate([
                cached.attend(given.q[rows[i : i + piece]], others, rows[i : i + piece], window=window)
                for i in range(0, len(rows), piece)
            ])  # fmt: skip
            picked = got[rows % 9 == 0].view(np.uint32)
            np.testing.assert_array_equal(picked, wanted)


def test_sinks_take_their_part_of_the_weights(device: Device) -> None:
    given = tokens(130, 6, 1, 64)
    cached, pages = filled(device, given)
    positions = np.array([129, 5], np.int32)
    q, seen = given.q[positions], visible(positions, 130)
    sinks = np.array([0.5, -2, 30, 6, 0, -1e9], np.float32)
    got = cached.attend(q, pages, positions, sinks=sinks)
    wanted = exact(q, given.k, given.v, seen, sinks)
    for head in range(6):
        assert nmse(got[:, head], wanted[:, head]) < 3e-4, head
    without = cached.attend(q, pages, positions)
    np.testing.assert_array_equal(got[:, 5].view(np.uint32), without[:, 5].view(np.uint32))
    sinks[1], sinks[2], sinks[3] = np.nan, np.inf, -np.inf
    got = cached.attend(q, pages, positions, sinks=sinks)
    assert np.isnan(got[:, 1]).all()
    assert abs(got[:, 2]).max() < 1e-30
    np.testing.assert_array_equal(got[:, 3].view(np.uint32), without[:, 3].view(np.uint32))


def test_more_tiles_than_sums_take_at_full_size(device: Device) -> None:
    """Beyond 256 tiles sums give up bits."""
    n = 64 * 260
    given = tokens(n, 1, 1, 32, sigma=0.1)
    cached, pages = filled(device, given)
    positions = np.array([n - 1], np.int32)
    got = cached.attend(given.q[positions], pages, positions)
    assert nmse(got, exact(given.q[positions], given.k, given.v, visible(positions, n))) < 1e-3


def test_sequences_share_pages(device: Device) -> None:
    """Two sequences that begin alike, in one call, against each alone."""
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


def test_nan_stays_with_the_rows_that_see_it(device: Device) -> None:
    given = tokens(100, 4, 1, 64)
    cached, pages = filled(device, given)
    positions = np.array([20, 49, 50, 99], np.int32)
    clean = cached.attend(given.q[positions], pages, positions)
    q = given.q[positions].copy()
    q[3, 2, 5] = np.inf
    spoilt, _ = filled(device, Tokens(given.q, given.k, np.where(np.arange(100)[:, None, None] == 50, np.nan, given.v)))
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
        with pytest.raises(BatchError):
            cached.attend(q, np.array([pages[0], bad], np.int32), np.array([64], np.int32))
        cached.attend(q, np.array([pages[0], bad], np.int32), np.array([63], np.int32))  # it does not see that page
        with pytest.raises(BatchError):
            cached.attend(q, pages[None], one, np.array([bad], np.int32))
    with pytest.raises(BatchError):
        cached.attend(q, pages, np.array([64 * len(pages)], np.int32))
    with pytest.raises(BatchError):
        cached.attend(q, pages, one, None, np.array([64 * len(pages) + 1], np.int32))
    p = device.program()
    table = p.input((2,), np.int32)
    with pytest.raises(ArgumentError, match="scale"):
        p.flash_attn_ext(p.input(q.shape), cached.cache, pages=table, positions=p.input((1,), np.int32), scale=-1.0)
    with pytest.raises(ArgumentError, match="expected one of keys"):
        p.flash_attn_ext(p.input(q.shape), p.input((2, 1, 32)), pages=table, positions=p.input((1,), np.int32))


@pytest.fixture(scope="module")
def host() -> Iterator[Device]:
    """The bits are the same everywhere."""
    with Device("loopback") as device:
        yield device


@pytest.mark.parametrize("outliers", [False, True])
@pytest.mark.parametrize("dims", [64, 128])
def test_accuracy_beside_llama_cpp(host: Device, dims: int, outliers: bool) -> None:
    """Over seeds, against its Q8_0 cache with q as Q8_0, computed exactly from there on."""
    ours, theirs = [], []
    positions = np.array([255], np.int32)
    pages, n_pages = scattered(256)
    cached = Cached(host, 1, dims, n_pages)
    for seed in range(24):
        given = tokens(256, 4, 1, dims, seed, sigma=1.5)
        if outliers:
            given.k[:, :, 5] *= 20
            given.q[:, :, 5] /= 20
        cached.append(given.k, given.v, pages, np.arange(256, dtype=np.int32))
        q, seen = given.q[255:], visible(positions, 256)
        wanted = exact(q, given.k, given.v, seen)
        ours.append(nmse(cached.attend(q, pages, positions), wanted))
        theirs.append(nmse(exact(as_q8_0(q), as_q8_0(given.k), as_q8_0(given.v), seen), wanted))
    ratios = np.array(ours) / np.array(theirs)
    means = np.mean(ours), np.mean(theirs)
    print(f"dims {dims}, outliers {outliers}: {means[0]:.2e} / {means[1]:.2e}, at most {ratios.max():.2f}")
    assert means[0] <= 1.8 * means[1]
    assert ratios.max() <= 3, ratios
