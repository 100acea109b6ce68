# SPDX-License-Identifier: MIT
"""Batch invariance of attention: prefill chunks, pages, garbage, threads and neighbours do not change a row's bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ops.attention import I32, KINDS, Cached, Tokens, scattered, tokens
from pyhexagon import Device

N, FIRST = 612, 100  # tokens; the first 100 are in the cache before
DECODED = np.array([100, 127, 128, 129, 191, 192, 300, 447, 448, 611], np.int32)
U32 = npt.NDArray[np.uint32]


@pytest.fixture(scope="module")
def device(engine: Device) -> Device:
    """Open each engine."""
    return engine


def given_tokens(group: int, dims: int = 32) -> Tokens:
    """Return values of very different sizes."""
    given = tokens(N, group, 1, dims, seed=3, sigma=1.5)
    given.v[:] *= 2.0 ** np.random.default_rng(1).integers(-12, 12, (N, 1, 1))
    return given


def decoded(device: Device, given: Tokens, kind: str, window: int) -> U32:
    """Decode one token at a time over a zeroed cache, which has nothing beyond the row."""
    pages, n_pages = scattered(N, seed=5)
    cached = Cached(device, 1, given.k.shape[2], n_pages, kind=kind)
    order, rows, done = np.arange(N, dtype=np.int32), [], 0
    for i in DECODED:
        cached.append(given.k[done : i + 1], given.v[done : i + 1], pages, order[done : i + 1])
        rows.append(cached.attend(given.q[i : i + 1], pages, order[i : i + 1], window=window, kernels="hvx"))
        done = i + 1
    return np.concatenate(rows).view(np.uint32)


def in_pieces(cached: Cached, given: Tokens, pages: I32, piece: int, window: int) -> U32:
    rows = np.arange(FIRST, N, dtype=np.int32)
    got = [
        cached.attend(given.q[some], pages, some, window=window, kernels="hvx")
        for some in np.split(rows, range(piece, len(rows), piece))
    ]
    return np.concatenate(got)[DECODED - FIRST].view(np.uint32)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("group", "window", "dims"), [(5, 0, 32), (1, 50, 32), (4, 71, 64)])
def test_pieces_pages_and_garbage(device: Device, kind: str, group: int, window: int, dims: int) -> None:
    given = given_tokens(group, dims)
    wanted = decoded(device, given, kind, window)
    pieces = (7, 64, 100, 512) if group == 4 else (64, 512)
    for seed, piece in enumerate(pieces):
        pages, n_pages = scattered(N, seed)
        cached = Cached(device, 1, dims, n_pages, garbage=seed, kind=kind)
        cached.append(given.k, given.v, pages, np.arange(N, dtype=np.int32))
        if window:
            pages[: (FIRST - window) // 64] = -1  # dropped
        np.testing.assert_array_equal(in_pieces(cached, given, pages, piece, window), wanted, str(piece))


def test_threads(qemu: str) -> None:
    given = given_tokens(4)
    results = []
    for threads in (1, 3, 4):
        with Device("loopback:qemu", transport="invoke", threads=threads) as device:
            pages, n_pages = scattered(N)
            cached = Cached(device, 1, 32, n_pages)
            cached.append(given.k, given.v, pages, np.arange(N, dtype=np.int32))
            results.append(in_pieces(cached, given, pages, 64, 0))
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


def _all_ways(device: Device, kind: str) -> list[U32]:
    """Attend with every number of heads per block, split or not, and with all data that threads exchange."""
    n, results = 1100, []
    mask = np.random.default_rng(2).standard_normal((1, n)).astype(np.float32)
    mask[0, :400] = -np.inf  # the whole share of the first thread
    hidden = np.full((1, n), -np.inf, np.float32)
    last = np.array([n - 1], np.int32)
    for group, kv_heads, dims in ((4, 1, 64), (7, 3, 64), (1, 2, 128), (6, 1, 32)):
        given = tokens(n, group * kv_heads, kv_heads, dims, seed=group, sigma=3)
        given.v[:] *= 2.0 ** np.random.default_rng(1).integers(-12, 12, (n, 1, 1))
        pages, n_pages = scattered(n)
        cached = Cached(device, kv_heads, dims, n_pages, kind=kind)
        cached.append(given.k, given.v, pages, np.arange(n, dtype=np.int32))
        sinks = np.linspace(-3, 9, group * kv_heads, dtype=np.float32)
        options: list[dict[str, Any]] = [
            {}, {"window": 700}, {"sinks": sinks}, {"mask": mask, "sinks": sinks}, {"mask": hidden}, {"softcap": 5.0},
        ]  # fmt: skip
        results += [cached.attend(given.q[-1:], pages, last, kernels="hvx", **some) for some in options]
        rows = np.array([n - 1, 70, 900], np.int32)  # some long, one short
        results.append(cached.attend(given.q[rows], pages, rows, kernels="hvx"))
        large = given.q[-1:] * np.float32(64)  # logits too large for the fast path
        results.append(cached.attend(large, pages, last, kernels="hvx"))
        large[0, 0, 3] = np.nan
        results.append(cached.attend(large, pages, last, kernels="hvx"))
    return [result.view(np.uint32) for result in results]


@pytest.mark.parametrize("kind", ["q8_0", *(pytest.param(kind, marks=pytest.mark.long) for kind in ("q4_0", "f16"))])
def test_threads_that_share_blocks(qemu: str, host_bits: Callable[[str], list[U32]], kind: str) -> None:
    """The bits equal those of the reference, which does not split blocks."""
    for threads in (1, 2, 3, 4):
        with Device("loopback:qemu", transport="invoke", threads=threads) as device:
            for got, wanted in zip(_all_ways(device, kind), host_bits(kind), strict=True):
                np.testing.assert_array_equal(got, wanted)


@pytest.fixture(scope="module")
def host_bits() -> Iterator[Callable[[str], list[U32]]]:
    """Return the reference's results."""
    with Device("loopback", threads=1) as device:
        yield cache(lambda kind: _all_ways(device, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_256_pages(device: Device, kind: str) -> None:
    """A row that sees 3 pages next to one that sees 260, whose sums have fewer bits."""
    n = 64 * 260
    given = tokens(n, 1, 1, 32, sigma=0.5)
    pages, n_pages = scattered(n)
    cached = Cached(device, 1, 32, n_pages, garbage=2, kind=kind)
    cached.append(given.k, given.v, pages, np.arange(n, dtype=np.int32))
    positions = np.array([150, n - 1, 64 * 256, 64 * 256 - 1], np.int32)
    got = cached.attend(given.q[positions], pages, positions, kernels="hvx")
    for i in range(len(positions)):
        alone = cached.attend(given.q[positions[i : i + 1]], pages, positions[i : i + 1], kernels="hvx")
        np.testing.assert_array_equal(alone[0].view(np.uint32), got[i].view(np.uint32))
