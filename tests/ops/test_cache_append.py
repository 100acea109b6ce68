# SPDX-License-Identifier: MIT
"""CACHE_APPEND: each token's bytes depend on it alone, and are the same with every set of kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from ops.attention import KINDS, Cached, tokens
from ops.checks import kernels_of
from pyhexagon import ArgumentError, Device, ProgramError
from pyhexagon.cache import PAGE_TOKENS, new_pages, page_bytes
from pyhexagon.gguf import pages as gguf_pages


@pytest.fixture(scope="module")
def device(engine: Device) -> Device:
    """Open each engine."""
    return engine


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("kv_heads", "dims", "width"),
    [(3, 32, 32), (2, 32, 7), (2, 64, 64), (1, 128, 128), (1, 96, 80), (2, 160, 160), (1, 224, 193), (1, 256, 256),
     (1, 288, 270), (2, 512, 512)],
)
def test_any_order_and_any_kernels_give_the_same_bytes(
    device: Device, kv_heads: int, dims: int, width: int, kind: str
) -> None:
    given = tokens(100, 1, kv_heads, width)
    given.k[7] *= 1e-30
    given.k[8], given.v[9] = 0, 0
    given.k[10, 0, 3], given.v[11, 0, 4] = np.nan, -np.inf
    pages, order = np.array([2, 0], np.int32), np.arange(100, dtype=np.int32)
    contents = []
    for kernels in kernels_of(device):
        device.kernels = kernels
        for pieces in (1, 30):
            cached = Cached(device, kv_heads, dims, 3, garbage=1, kind=kind)
            shuffled = order if pieces == 1 else np.random.default_rng(2).permutation(order)
            for some in np.array_split(shuffled, pieces):
                cached.append(given.k[some], given.v[some], pages, some)
            contents.append(cached.bytes())
    device.kernels = "hvx"
    for content in contents[1:]:
        np.testing.assert_array_equal(content, contents[0])


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_token_s_own_bytes_are_written(device: Device, kind: str) -> None:
    given = tokens(1, 1, 2, 64)
    pages = np.array([[0], [2]], np.int32)
    cached = Cached(device, 2, 64, 3, garbage=4, kind=kind)
    before = cached.bytes()
    cached.append(given.k, given.v, pages, np.array([37], np.int32), np.array([1], np.int32))
    changed = np.flatnonzero(cached.bytes() != before)
    size = page_bytes(2, 64, kind)
    assert changed.min() >= 2 * size
    code_bytes = {"q8_0": 1, "q4_0": 1, "f16": 2}[kind]
    assert len(changed) <= 2 * 2 * (64 * code_bytes + 3 * 2)
    cached.append(given.k, given.v, pages, np.array([-1], np.int32), np.array([0], np.int32))
    np.testing.assert_array_equal(np.flatnonzero(cached.bytes() != before), changed)


@pytest.mark.parametrize("kind", KINDS)
def test_keys_and_values_have_their_own_strides(device: Device, kind: str) -> None:
    """One of them is a view of more heads, as of the result of a fused projection."""
    given = tokens(5, 1, 2, 64)
    pages, positions = np.array([1, 0], np.int32), np.arange(62, 67, dtype=np.int32)
    plain = Cached(device, 2, 64, 2, kind=kind)
    plain.append(given.k, given.v, pages, positions)
    for wide in ("k", "v"):
        cached = Cached(device, 2, 64, 2, kind=kind)
        p = device.program()
        heads = {name: p.input((5, 3 if name == wide else 2, 64))[:, :2] for name in "kv"}
        p.cache_append(heads["k"], heads["v"], cached.cache, pages=p.input(pages.shape, "i4"),
                       positions=p.input(positions.shape, "i4"))  # fmt: skip
        padded = [np.pad(x, ((0, 0), (0, name == wide), (0, 0))) for name, x in (("k", given.k), ("v", given.v))]
        p.compile().run(*padded, pages, positions)
        np.testing.assert_array_equal(cached.bytes(), plain.bytes())


def test_nothing_is_written_if_any_number_is_out_of_range(device: Device) -> None:
    given = tokens(2, 1, 1, 32)
    cached = Cached(device, 1, 32, 3)
    pages = np.array([[0, 1], [2, 3]], np.int32)
    for positions, sequences in (([0, 128], [0, 0]), ([0, 0], [0, 2]), ([0, 0], [0, -1]), ([0, 64], [0, 1])):
        with pytest.raises(ProgramError):
            cached.append(given.k, given.v, pages, np.array(positions, np.int32), np.array(sequences, np.int32))
        assert not cached.bytes().any()


def test_what_does_not_fit_is_refused(device: Device) -> None:
    cached = Cached(device, 2, 64, 1)
    p = device.program()
    table, one = p.input((1,), np.int32), p.input((1,), np.int32)
    for shape in ((1, 2, 32), (1, 2, 65), (1, 1, 64), (2, 64)):
        with pytest.raises(ArgumentError):
            p.cache_append(p.input(shape), p.input(shape), cached.cache, pages=table, positions=one)
    k, v = p.input((1, 2, 64)), p.input((1, 2, 64))
    with pytest.raises(ArgumentError):
        p.cache_append(k, v, cached.cache, pages=table, positions=p.input((2,), np.int32))
    with pytest.raises(ArgumentError, match="cache"):
        cached.cache.numpy()
    for bad in ((0, 64), (1, 513), (1, 0)):
        with pytest.raises(ArgumentError):
            page_bytes(*bad)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("kv_heads", "dims"), [(1, 64), (3, 32), (1, 256)])
def test_threads_that_share_tokens_leave_the_bytes_of_one(
    devices: tuple[Device, Device], kv_heads: int, dims: int, kind: str
) -> None:
    given, rng = tokens(300, 1, kv_heads, dims), np.random.default_rng(5)
    pages = np.array([[2, 0, 5], [2, 4, 1]], np.int32)  # both sequences share page 2
    positions = rng.integers(-3, 192, 300, dtype=np.int32)  # many twice: the later one wins
    positions[100:200] = np.arange(17, 117)
    sequences = rng.integers(0, 2, 300, dtype=np.int32)
    contents = []
    for device in devices:
        cached = Cached(device, kv_heads, dims, 6, garbage=1, kind=kind)
        before = cached.bytes()
        bad = positions.copy()
        bad[-1] = 192
        with pytest.raises(ProgramError):
            cached.append(given.k, given.v, pages, bad, sequences)
        np.testing.assert_array_equal(cached.bytes(), before)
        cached.append(given.k, given.v, pages, positions, sequences)
        contents.append(cached.bytes())
    np.testing.assert_array_equal(contents[1], contents[0])


# Tokens, head size and KV heads: the largest share of the busiest of four threads.
@pytest.mark.parametrize(
    ("shape", "limit"), [((128, 64, 1), 0.3), ((512, 64, 1), 0.3), ((512, 64, 3), 0.28), ((512, 256, 1), 0.27)]
)
def test_the_busiest_of_four(
    devices: tuple[Device, Device], figure: Callable[[str], None], shape: tuple[int, int, int], limit: float
) -> None:
    n, dims, kv_heads = shape
    given, positions = tokens(n, 1, kv_heads, dims), np.arange(n, dtype=np.int32)
    packets = []
    for device in devices:
        cache = new_pages(device, n // PAGE_TOKENS, kv_heads, dims)
        p = device.program()
        k, v, at = p.input(given.k.shape), p.input(given.v.shape), p.input((n,), "int32")
        table = p.input((n // PAGE_TOKENS,), "int32")
        p.cache_append(k, v, cache, pages=table, positions=at)
        program = p.compile()
        values = given.k, given.v, positions, np.arange(n // PAGE_TOKENS, dtype=np.int32)
        program.run(*values)  # allocates the memory
        (op,) = program.run_with_report(*values)[1].ops
        packets.append(op.packets_max_thread or 0)
        cache.close()
    alone, busiest = packets
    figure(f"cache_append of {n} tokens, {kv_heads} KV heads of {dims}: {busiest} of {alone}, {busiest / alone:.3f}")
    assert 0 < busiest <= limit * alone


def test_the_library_refuses_heads_that_have_no_room(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels keep a head of at most 512 in working memory, whatever a client's Python checks."""
    monkeypatch.setattr(gguf_pages, "MAX_HEAD_SIZE", 1024)
    cache = new_pages(device, 1, 1, 544)
    with device.program() as p:
        k = p.input((1, 1, 544))
        p.cache_append(k, k, cache, pages=p.input((1,), np.int32), positions=p.input((1,), np.int32))
    with pytest.raises(ProgramError, match="SHAPE"):
        p.compile().run_numpy(np.zeros((1, 1, 544), np.float32), *[np.zeros(1, np.int32)] * 2)
