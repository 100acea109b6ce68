# SPDX-License-Identifier: MIT
"""Pages of a KV cache: their size, and the layout of their bytes. docs/attention.md, 1."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError

PAGE_TOKENS: Final = 64
MAX_HEAD_SIZE: Final = 512
KINDS: Final = ("q8_0", "q4_0", "f16")
# The names in saved sequences. Older saved sequences have another layout, and the names "q4_0" and "f16".
SAVED_AS: Final = {"q8_0": "q8_0", "q4_0": "q4_0 with dims of a key side by side", "f16": "f16 with values as bytes"}

_BLOCK_VECTORS: Final = {"q8_0": 17, "q4_0": 9, "f16": 32}  # vectors per 32 dims of 64 tokens
_VECTOR: Final = 128

U8 = npt.NDArray[np.uint8]


def padded(head_size: int) -> int:
    """Return the head size rounded up to a multiple of 32."""
    return -(-head_size // 32) * 32


def page_bytes(n_kv_heads: int, head_size: int, kind: str = "q8_0") -> int:
    """Return the bytes of a page: keys and values of 64 tokens in one layer.

    Args:
        n_kv_heads: 1 or more.
        head_size: 1 to 512; it is rounded up to a multiple of 32.
        kind: "q8_0"; "q4_0", which takes half the memory; or "f16", which is as exact as llama.cpp's F16 cache and
            takes twice the memory and time.

    Raises:
        ArgumentError: an argument is out of range.
    """
    if kind not in KINDS:
        raise ArgumentError(f"a cache of kind {kind!r}: expected one of {', '.join(KINDS)}")
    if n_kv_heads < 1 or not 0 < head_size <= MAX_HEAD_SIZE:
        raise ArgumentError(
            f"a cache of {n_kv_heads} KV heads of {head_size}: expected 1 or more, of 1 to {MAX_HEAD_SIZE}"
        )
    return n_kv_heads * 2 * (1 + padded(head_size) // 32 * _BLOCK_VECTORS[kind]) * _VECTOR


def bits_of_tokens(n_kv_heads: int, head_size: int, kind: str, n_tokens: int) -> U8:
    """Return a mask (bytes of a page) of the bits that belong to its first n_tokens tokens."""
    n_blocks = padded(head_size) // 32
    is_first = np.arange(64) < n_tokens
    lanes = is_first.reshape(2, 32).T  # the order in vectors of halves: token 0, 32, 1, 33, ...
    halves = np.repeat(lanes.ravel(), 2)[None] * np.uint8(255)
    first, second = (np.repeat(is_first.reshape(2, 32), 4, axis=1) * np.uint8(255))[:, None]
    values = np.tile(lanes.reshape(16, 4), (1, 32)) * np.uint8(255)
    if kind == "f16":
        keys, values = np.vstack([first, second] * 16), np.repeat(values, 2, axis=0)  # high bytes, low bytes
        return _tiles(n_kv_heads, [halves, *[keys] * n_blocks], [halves, *[values] * n_blocks])
    keys = np.vstack([first, second] * 8)
    if kind == "q4_0":  # two codes per byte; a key's two belong to one token
        keys, values = keys[:8], (values[::2] & 15 | values[1::2] & 240).astype(np.uint8)
    scales = np.vstack([halves] * n_blocks)
    return _tiles(n_kv_heads, [halves, *[keys, halves] * n_blocks], [halves, scales, *[values] * n_blocks])


def _tiles(n_kv_heads: int, keys: list[U8], values: list[U8]) -> U8:
    return np.tile(np.vstack([*keys, *values]).ravel(), n_kv_heads)
