# SPDX-License-Identifier: MIT
"""Attention in float64 with NumPy, and programs that append tokens to a cache and attend to them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ops.checks import kernels_of
from ops.rows import F32
from pyhexagon import Device, Program
from pyhexagon.cache import PAGE_TOKENS, new_pages

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


class Tokens(NamedTuple):
    """q (n, heads, dims), k and v (n, KV heads, dims) for n tokens."""

    q: F32
    k: F32
    v: F32


def tokens(n: int, heads: int, kv_heads: int, dims: int, seed: int = 0, *, sigma: float = 1.0) -> Tokens:
    """Return normal numbers; logits have a standard deviation of sigma."""
    rng = np.random.default_rng(seed)
    q, k, v = (rng.standard_normal((n, h, dims), dtype=np.float32) for h in (heads, kv_heads, kv_heads))
    return Tokens(q * np.float32(sigma), k, v)


def as_f16(x: npt.NDArray[Any]) -> F64:
    """Round-trip through llama.cpp's F16."""
    return x.astype(np.float16).astype(np.float64)


def as_q8_0(x: npt.NDArray[Any]) -> F64:
    """Round-trip through llama.cpp's Q8_0."""
    blocks = x.astype(np.float32).reshape(-1, 32)
    d = abs(blocks).max(-1, keepdims=True) / np.float32(127)
    with np.errstate(divide="ignore", invalid="ignore"):
        codes = np.where(d > 0, np.round(blocks / d), 0)
    return np.asarray((codes * d.astype(np.float16).astype(np.float64)).reshape(x.shape))


def as_q4_0(x: npt.NDArray[Any]) -> F64:
    """Round-trip through llama.cpp's Q4_0."""
    blocks = x.astype(np.float32).reshape(-1, 32)
    extreme = np.take_along_axis(blocks, abs(blocks).argmax(-1)[:, None], -1)
    d = extreme / np.float32(-8)
    with np.errstate(divide="ignore", invalid="ignore"):
        codes = np.where(d != 0, np.minimum(np.floor(blocks / d + np.float32(8.5)), 15) - 8, 0)
    return np.asarray((codes * d.astype(np.float16).astype(np.float64)).reshape(x.shape))


KINDS = {"q8_0": as_q8_0, "q4_0": as_q4_0, "f16": as_f16}  # cache kinds, with llama.cpp's round trip


class Cached:
    """A KV cache, and programs over it by number of rows; each runs on every set of kernels."""

    def __init__(
        self, device: Device, kv_heads: int, dims: int, n_pages: int, *, garbage: int | None = None, kind: str = "q8_0"
    ) -> None:
        self.device = device
        self.cache = new_pages(device, n_pages, kv_heads, dims, kind=kind)
        content = self.cache.buffer.bytes[: self.cache.nbytes]
        content[:] = 0 if garbage is None else np.random.default_rng(garbage).integers(0, 256, content.size, np.uint8)
        self._programs: dict[tuple[Any, ...], Program] = {}

    def _program(self, name: str, given: tuple[npt.NDArray[Any] | None, ...], **options: Any) -> Program:
        shapes = tuple(None if x is None else (x.shape, x.dtype.str) for x in given)
        key = (name, shapes, tuple(options.items()))
        if key not in self._programs:
            p = self.device.program()
            values: list[Any] = [None if one is None else p.input(*one) for one in shapes]
            if name == "append":
                k, v, pages, positions, sequences = values
                p.cache_append(k, v, self.cache, pages=pages, positions=positions, sequences=sequences)
            else:
                q, pages, positions, sequences, lengths, sinks, slopes, mask = values
                p.output(p.flash_attn_ext(
                    q, self.cache, pages=pages, positions=positions, sequences=sequences, lengths=lengths, sinks=sinks,
                    slopes=slopes, mask=mask, **options,
                ))  # fmt: skip
            self._programs[key] = p.compile()
        return self._programs[key]

    def append(self, k: F32, v: F32, pages: I32, positions: I32, sequences: I32 | None = None) -> None:
        """Append with the device's current kernels."""
        given = k, v, pages, positions, sequences
        program = self._program("append", given)
        program.run(*(x for x in given if x is not None))

    def attend(self, q: F32, pages: I32, positions: I32, sequences: I32 | None = None, lengths: I32 | None = None,
               *, sinks: F32 | None = None, slopes: F32 | None = None, mask: npt.NDArray[Any] | None = None,
               kernels: str | None = None, **options: Any) -> F32:  # fmt: skip
        """Attend with every set of kernels, or only with one, and check that the bits are the same."""
        numbers = (q, pages, positions, sequences, lengths, sinks, slopes, mask)
        program = self._program("attend", numbers, **options)
        given = [x for x in numbers if x is not None]
        results = []
        for kind in [kernels] if kernels else kernels_of(self.device):
            self.device.kernels = kind
            results.append(program(*given).numpy().copy())
        self.device.kernels = "hvx"
        for result in results[1:]:
            np.testing.assert_array_equal(result.view(np.uint32), results[0].view(np.uint32))
        first: F32 = results[0]
        return first

    def bytes(self) -> npt.NDArray[np.uint8]:
        """Return a copy of the cache's content."""
        content: npt.NDArray[np.uint8] = self.cache.buffer.bytes[: self.cache.nbytes].copy()
        return content


def scattered(n_tokens: int, seed: int = 0, spare: int = 2) -> tuple[I32, int]:
    """Return a page table in random order, and the number of pages that the cache must have."""
    n = -(-n_tokens // PAGE_TOKENS) + spare
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    return order[: n - spare], n
