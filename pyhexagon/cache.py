# SPDX-License-Identifier: MIT
"""Caches of keys and values: pages of 64 tokens, which sequences may share. docs/attention.md has their layout."""

from __future__ import annotations

from typing import Final, NoReturn

from gguf import GGMLQuantizationType

from pyhexagon.errors import ArgumentError
from pyhexagon.tensor import Home, Tensor

PAGE_TOKENS: Final = 64
MAX_HEAD_SIZE: Final = 256

_CODE_VECTORS: Final = {"q8_0": 16}  # for each 32 dims of 64 tokens
_VECTOR: Final = 128


class CacheTensor(Tensor):
    """Pages of keys and values: (pages, KV heads, dims of a head). Only ops read and write it."""

    @property
    def is_cache(self) -> bool:
        """True."""
        return True

    def numpy(self) -> NoReturn:
        """Raises ArgumentError."""
        raise ArgumentError(f"{self!r} is a cache of keys and values, which only attention reads")


def page_bytes(n_kv_heads: int, head_size: int, kind: str = "q8_0") -> int:
    """What 64 tokens take: keys and values of one layer.

    Args:
        n_kv_heads: 1 or more.
        head_size: 1 to 256; it is rounded up to a multiple of 32.
        kind: "q8_0".

    Raises:
        ArgumentError: one of them is out of range.
    """
    if kind not in _CODE_VECTORS:
        raise ArgumentError(f"a cache of kind {kind!r}: expected one of {', '.join(_CODE_VECTORS)}")
    if n_kv_heads < 1 or not 0 < head_size <= MAX_HEAD_SIZE:
        raise ArgumentError(
            f"a cache of {n_kv_heads} KV heads of {head_size}: expected 1 or more, of 1 to {MAX_HEAD_SIZE}"
        )
    return n_kv_heads * 2 * (1 + _padded(head_size) // 32 * (_CODE_VECTORS[kind] + 1)) * _VECTOR


def new_pages(device: Home, n_pages: int, n_kv_heads: int, head_size: int, *, kind: str = "q8_0") -> Tensor:
    """Room for so many pages of one layer's keys and values. What is in them is undefined until it is written.

    Raises:
        ArgumentError: as ``page_bytes``; or there is not one page.
        DspMemoryError: it does not fit.
    """
    n_bytes = page_bytes(n_kv_heads, head_size, kind)
    if n_pages < 1:
        raise ArgumentError(f"a cache of {n_pages} pages: expected 1 or more")
    gguf_type = GGMLQuantizationType[kind.upper()]
    buffer = device.memory.allocate(n_pages * n_bytes)
    return CacheTensor(device, buffer, gguf_type, (n_pages, n_kv_heads, _padded(head_size)), n_pages * n_bytes)


def _padded(head_size: int) -> int:
    return -(-head_size // 32) * 32
