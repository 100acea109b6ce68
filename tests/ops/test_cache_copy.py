# SPDX-License-Identifier: MIT
"""CACHE_COPY, and page operations of a cache: fork, copy-on-write, rollback, sliding window, save and load."""

from __future__ import annotations

import io

import numpy as np
import pytest

from ops.attention import KINDS, Tokens, tokens
from ops.rows import F32
from pyhexagon import ArgumentError, Builder, Device, DspMemoryError, Program, ProgramError
from pyhexagon.cache import Cache, CachedSequence, new_pages
from pyhexagon.saved import pack

LAYERS, HEADS, DIMS = 2, 2, 64
TABLE = 4


@pytest.fixture(scope="module")
def device(engine: Device) -> Device:
    """Open each engine."""
    return engine


class Model:
    """A minimal model: each layer appends tokens and attends to them, one at a time."""

    def __init__(self, device: Device, cache: Cache) -> None:
        self.cache = cache
        self.program = self._built(device.program())

    def _built(self, p: Builder) -> Program:
        q, k, v = p.input((1, 4, DIMS)), p.input((1, HEADS, DIMS)), p.input((1, HEADS, DIMS))
        pages, positions = p.input((TABLE,), np.int32), p.input((1,), np.int32)
        for layer in self.cache.layers:
            cache = p.cache_append(k, v, layer, pages=pages, positions=positions)
            q = p.flash_attn_ext(q, cache, pages=pages, positions=positions, window=100)
        p.output(q)
        return p.compile()

    def step(self, sequence: CachedSequence, given: Tokens, first: int, end: int) -> F32:
        """Return the result of the last of these tokens."""
        result = np.zeros(0, np.float32)
        for token in range(first, end):
            positions = sequence.append(1)
            pages = self.cache.tables([sequence], TABLE)[0]
            rows = (x[token : token + 1] for x in given)
            result = self.program(*rows, pages, positions).numpy().copy()
        return result.view(np.uint32)


@pytest.fixture(params=KINDS)
def cache(device: Device, request: pytest.FixtureRequest) -> Cache:
    return Cache(device, n_layers=LAYERS, n_pages=8, n_kv_heads=HEADS, head_size=DIMS, kind=request.param)


def test_forks_share_pages_and_copy_what_they_write_to(device: Device, cache: Cache) -> None:
    given, other = tokens(140, 4, HEADS, DIMS), tokens(140, 4, HEADS, DIMS, seed=1)
    model = Model(device, cache)
    with_other = Tokens(*(np.concatenate([a[:100], b[100:]]) for a, b in zip(given, other, strict=True)))
    one, two = cache.sequence(), cache.sequence()
    wanted, wanted_of_other = model.step(one, given, 0, 120), model.step(two, with_other, 0, 110)
    one.close()
    two.close()
    assert cache.free_pages == 8
    one = cache.sequence()
    model.step(one, given, 0, 100)
    two = one.fork()
    assert cache.free_pages == 6
    np.testing.assert_array_equal(model.step(two, with_other, 100, 110), wanted_of_other)
    assert cache.free_pages == 5
    assert one.pages[0] == two.pages[0]
    assert one.pages[1] != two.pages[1]
    np.testing.assert_array_equal(model.step(one, given, 100, 120), wanted)
    two.truncate(70)
    two.truncate(64)
    assert (len(two), cache.free_pages) == (64, 6)
    np.testing.assert_array_equal(model.step(two, given, 64, 120), wanted)


def test_a_window_drops_pages_and_what_is_saved_can_be_loaded(device: Device, cache: Cache) -> None:
    given = tokens(190, 4, HEADS, DIMS)
    model = Model(device, cache)
    one = cache.sequence()
    model.step(one, given, 0, 180)
    one.drop(80)
    assert (one.pages[0], cache.free_pages) == (-1, 6)
    file = io.BytesIO()
    np.savez(file, **one.save())  # type: ignore[arg-type]
    file.seek(0)
    wanted = model.step(one, given, 180, 190)
    two = cache.sequence()
    two.load(dict(np.load(file)))
    assert len(two) == 180
    np.testing.assert_array_equal(model.step(two, given, 180, 190), wanted)
    with pytest.raises(ArgumentError, match="dropped"):
        two.truncate(50)
    saved = two.save()
    for key, bad in (("content", saved["content"][:1]), ("kept", saved["kept"][::-1]), ("length", np.array(10))):
        with pytest.raises(ArgumentError):
            two.load({**saved, key: bad})
    with pytest.raises(ArgumentError, match="is incomplete"):
        two.load({})


def test_bytes_of_a_sequence_can_be_loaded_and_are_checked(device: Device, cache: Cache) -> None:
    given, other = tokens(140, 4, HEADS, DIMS), tokens(140, 4, HEADS, DIMS, seed=1)
    model = Model(device, cache)
    one, two = cache.sequence(), cache.sequence()
    model.step(two, other, 0, 140)
    two.truncate(70)
    model.step(one, given, 0, 70)
    model.step(two, given, 70, 75)
    saved = one.to_bytes()
    two.close()
    three = cache.sequence()
    model.step(three, given, 0, 70)
    assert three.to_bytes() == saved  # on pages that other sequences wrote before
    wanted = model.step(one, given, 70, 80)
    three.from_bytes(saved)
    np.testing.assert_array_equal(model.step(three, given, 70, 80), wanted)
    free, length = cache.free_pages, len(three)
    for bad in (
        b"",
        saved[:9],
        saved[:100],
        saved[:-1],
        saved + b"x",
        b"GGUF" + saved,
        saved[:500] + b"x" + saved[501:],
    ):
        with pytest.raises(ArgumentError, match="saved sequence"):
            three.from_bytes(bad)
    if cache.kind == "f16":  # whose values had another layout in an earlier version
        once = pack({**three._belongs_to(), "kind": "f16"}, three.save())
        with pytest.raises(ArgumentError, match="of another cache"):
            three.from_bytes(once)
    other_kind = next(kind for kind in KINDS if kind != cache.kind)
    for kind, n_layers, head_size in ((cache.kind, 1, DIMS), (cache.kind, LAYERS, 32), (other_kind, LAYERS, DIMS)):
        elsewhere = Cache(device, n_layers=n_layers, n_pages=2, n_kv_heads=HEADS, head_size=head_size, kind=kind)
        with pytest.raises(ArgumentError, match="of another cache"):
            elsewhere.sequence().from_bytes(saved)
    assert (cache.free_pages, len(three)) == (free, length)


def test_a_window_that_is_shifted_gives_the_same_bits(device: Device, cache: Cache) -> None:
    given = tokens(260, 4, HEADS, DIMS)
    model = Model(device, cache)
    one = cache.sequence()
    model.step(one, given, 0, 230)
    two = one.fork()
    assert two.shift() == 0
    two.drop(130)
    assert (two.shift(), two.shifted, len(two), len(two.pages)) == (128, 128, 102, 2)
    three = cache.sequence()
    three.from_bytes(two.to_bytes())
    wanted = model.step(one, given, 230, 250)
    np.testing.assert_array_equal(model.step(two, given, 230, 250), wanted)
    np.testing.assert_array_equal(model.step(three, given, 230, 250), wanted)
    assert three.shifted == two.fork().shifted == 128


def test_too_few_pages_change_nothing(device: Device, cache: Cache) -> None:
    one = cache.sequence()
    one.append(500)
    with pytest.raises(DspMemoryError):
        one.append(13)
    assert (len(one), len(one.pages)) == (500, 8)
    two = one.fork()
    with pytest.raises(DspMemoryError):
        two.append(1)
    with pytest.raises(ArgumentError):
        cache.tables([one], 7)
    one.close()
    two.append(12)
    assert cache.free_pages == 0


def test_pages_are_copied_in_order_and_checked_first(device: Device) -> None:
    caches = [new_pages(device, 3, 1, 32) for _ in range(2)]
    size = caches[0].nbytes // 3
    rng = np.random.default_rng(0)
    contents = []
    for cache in caches:
        cache.is_staging = True
        content = cache.buffer.bytes[: cache.nbytes].reshape(3, size)
        content[:] = rng.integers(0, 256, content.shape, np.uint8)
        contents.append(content)
    before = [content.copy() for content in contents]
    p = device.program()
    pairs = p.input((3, 2), np.int32)
    p.cache_copy(caches[0], caches[1], pairs)
    between = p.compile()
    p = device.program()
    p.cache_copy(caches[1], caches[1], p.input((2, 2), np.int32))
    within = p.compile()
    for bad in ([3, 0], [0, 3], [0, -1]):
        with pytest.raises(ProgramError):
            between.run(np.array([[0, 1], bad, [-1, 9]], np.int32))
    np.testing.assert_array_equal(contents[1], before[1])
    between.run(np.array([[0, 1], [2, 0], [-1, 9]], np.int32))
    np.testing.assert_array_equal(contents[1], [before[0][2], before[0][0], before[1][2]])
    within.run(np.array([[0, 1], [1, 2]], np.int32))
    np.testing.assert_array_equal(contents[1], [before[0][2]] * 3)
    with pytest.raises(ArgumentError):
        p.cache_copy(caches[0], new_pages(device, 1, 2, 32), pairs)
