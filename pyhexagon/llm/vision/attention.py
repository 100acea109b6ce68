# SPDX-License-Identifier: MIT
"""Bidirectional attention over the patches of a tile, or over windows of them, with rotary positions.

Keys and values are written to pages that all layers use, one after the other: no state outlives a call. A window is a
sequence of its own.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import PAGE_TOKENS, new_pages
from pyhexagon.device import Device
from pyhexagon.gguf.sources import Source
from pyhexagon.llm.files.weight_types import FLOATS
from pyhexagon.llm.vision.config import ProjectorKind, VisionConfig
from pyhexagon.llm.vision.grid import I32, Grid
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.rope import rope_table
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

_PROJECTIONS: Final = "attn_k.weight", "attn_v.weight", "attn_qkv.weight"
_WINDOW: Final = 112  # pixels on a side of a window


class Sequences(NamedTuple):
    """Operands of attention in device memory: see ``Builder.flash_attn_ext``."""

    pages: Tensor
    positions: Tensor
    sequences: Tensor
    lengths: Tensor


class RopeOperands(NamedTuple):
    """Operands of ``rope`` in device memory: the row and the column of each patch, and the table."""

    places: Tensor
    turns: Tensor
    mode: Literal["normal", "neox"]


class Attention:
    """Attention over the patches of a grid; its tensors are in device memory.

    Args:
        device: the device.
        config: of the encoder.
        kind: of the projector.
        grid: of the patches.
        cache: the kind of the pages, see ``pyhexagon.cache``.

    Attributes:
        grid: of the patches.
        cache: the kind of the pages.
        tensors: all of them.

    Raises:
        DspMemoryError: keys and values do not fit.
    """

    def __init__(self, device: Device, config: VisionConfig, kind: ProjectorKind, grid: Grid, cache: str) -> None:
        self._config, self._kind, self.grid, self.cache = config, kind, grid, cache
        n_rows = grid.n_patches + config.has_class
        self.tensors: list[Tensor] = []
        whole = np.zeros(n_rows, np.int32)
        owners = [whole] if not config.window_pattern else [whole, _windows(config, grid)]
        n_pages = max(int(_n_pages(owner).sum()) for owner in owners)
        self._pages = new_pages(device, n_pages, config.n_heads, config.head_size, kind=cache)
        self.tensors.append(self._pages)
        self._sequences = [self._kept(device, owner) for owner in owners]
        self._rotation = self._rotated(device, grid)

    def _kept(self, device: Device, owners: I32) -> Sequences:
        """Return the operands for rows of these sequences."""
        counts = np.bincount(owners).astype(np.int32)
        positions = np.empty(len(owners), np.int32)
        for number, count in enumerate(counts):
            positions[owners == number] = np.arange(count)
        n_pages = _n_pages(owners)
        table = np.full((len(counts), int(n_pages.max())), -1, np.int32)
        for row, n, end in zip(table, n_pages, np.cumsum(n_pages), strict=True):
            row[:n] = range(end - n, end)
        result = Sequences(*(device.tensor(array) for array in (table, positions, owners, counts)))
        self.tensors += result
        return result

    def _rotated(self, device: Device, grid: Grid) -> RopeOperands | None:
        """Return the rotary positions; None for encoders with position embeddings alone."""
        rotation = self._config.rotation
        if rotation is None:
            return None
        n_pairs = self._config.head_size // 2
        exponents = np.arange(n_pairs // 2) / (n_pairs // 2)
        frequencies = rotation.base ** -np.stack([exponents, exponents + rotation.is_shifted / n_pairs])
        table = rope_table(
            2 * n_pairs, freq_base=1.0, factors=1 / frequencies.reshape(-1), sections=(n_pairs // 2, n_pairs // 2, 0, 0)
        )
        places = np.zeros((4, grid.n_patches), np.int32)
        places[:2] = grid.places()[:: -1 if rotation.is_column_first else 1]
        # The halves of a head are interleaved where weights are loaded, see ``source``: then NeoX's pairs are theirs.
        mode: Literal["normal", "neox"] = "normal" if rotation.mode == "normal" else "neox"
        result = RopeOperands(device.tensor(places), device.tensor(table.turns), mode)
        self.tensors += result[:2]
        return result

    def __call__(self, p: Builder, q: Value, k: Value, v: Value, layer: int) -> Value:
        """Return the result of a layer's attention, (M, heads, head size), as q, k and v."""
        if self._rotation is not None:
            places, turns, mode = self._rotation
            q, k = (p.rope(x, places, turns, mode=mode) for x in (q, k))
        pattern = self._config.window_pattern
        of = self._sequences[-1 if pattern and (layer + 1) % pattern else 0]
        cache = p.cache_append(
            k, v, self._pages, pages=of.pages, positions=of.positions, sequences=of.sequences
        )
        return p.flash_attn_ext(
            q, cache, pages=of.pages, positions=of.positions, sequences=of.sequences, lengths=of.lengths,
            scale=self._kind.attention_scale,
        )  # fmt: skip


def cache_kind(source: Source, kind: ProjectorKind) -> str:
    """Return the kind of the pages for an encoder: Q8_0 if all projections to keys and values are quantized.

    Its rounding is then far below that of the weights, and attention takes 0.6 times the packets of float16 pages. A
    kind with a scale of its own (Gemma 4: 1) has large logits, which the rounding of keys changes more: float16.

    Args:
        source: of the encoder's tensors.
    """
    if kind.attention_scale is not None:
        return "f16"
    types = {source.info(name).gguf_type for name in source.names() if name.endswith(_PROJECTIONS)}
    return "f16" if types & FLOATS or not types else "q8_0"


def window_side(config: VisionConfig) -> int:
    """Return the number of patches on a side of a window."""
    return _WINDOW // config.patch_size // config.merge * config.merge


def _windows(config: VisionConfig, grid: Grid) -> I32:
    """Return the window of each patch, as numbers from 0 on."""
    side = window_side(config)
    rows, columns = grid.places()
    numbers = rows // side * grid.n_columns + columns // side
    return np.asarray(np.unique(numbers, return_inverse=True)[1], np.int32)


def _n_pages(owners: I32) -> npt.NDArray[np.int64]:
    """Return the number of pages of each sequence."""
    return -(-np.bincount(owners) // PAGE_TOKENS)
