# SPDX-License-Identifier: MIT
"""What an image encoder takes, and what a picture takes of the context, without loading the encoder.

It also tells roughly how long a picture takes on a board, from the sizes of its tiles alone: nothing is computed. The
MACs per packet were counted under QEMU with four threads, on published model shapes; the packets per second are the
expected case of ``bench model --estimate``. The estimates are within 30 % of the table "Images" in docs/benchmarks.md,
which no board has confirmed. ``pyhexagon bench model --mmproj FILE --estimate`` counts the encoder of a file instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.pages import page_bytes
from pyhexagon.llm.files.weight_types import FLOATS, WeightType, type_of
from pyhexagon.llm.memory import SessionMemory, matrix_bytes, vector_bytes
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.attention import cache_kind, window_side
from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.grid import Grid
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.source import EncoderSource
from pyhexagon.memory.memory import allocation_size
from pyhexagon.memory.placement import spare_bytes
from pyhexagon.process.resources import WORKSPACE_BYTES

PICTURE: Final = 1024, 768  # width and height of the picture that plans assume
_FLOAT_MACS: Final = 213.0  # per packet of the busiest thread, in products with matrices of floats, and beside them
_QUANTIZED_MACS: Final = 530.0
_CACHE_MACS: Final = {"f16": 165.0, "q8_0": 250.0}  # in attention over these pages
_PACKETS: Final = 5.1e8  # per second
_DIMS: Final = 32  # heads are padded to whole blocks of them
_WORKSPACE: Final = 2  # of the DSP: regions that each hold the quantized activations of a product, or attention's rows


class EncoderPlan(NamedTuple):
    """What an image encoder will take.

    Attributes:
        config: of the encoder.
        n_parameters: of its tensors.
        n_tiles, n_patches, n_tokens: of a picture of ``PICTURE``: tiles that are encoded, patches of the largest one,
            and embeddings in the context. Texts around tiles take tokens as well.
        weights: as for ``planned``.
        types: the number of matrices of each type on the device, the most frequent one first.
        n_quantized: the number of matrices of floats that are quantized when they are uploaded.
        seconds, seconds_q8_0: for the picture on a board, and with quantized weights.
        memory: the encoder's part of ``pyhexagon.llm.memory``. Keys and values of a tile are "compute", because they
            do not outlive it.
    """

    config: VisionConfig
    n_parameters: int
    n_tiles: int
    n_patches: int
    n_tokens: int
    weights: WeightType
    types: dict[str, int]
    n_quantized: int
    seconds: float
    seconds_q8_0: float
    memory: SessionMemory

    def facts(self) -> dict[str, Any]:
        """Return it as a dict that JSON can represent."""
        return {
            "projector": self.config.kind, "image_size": self.config.image_size, "patch_size": self.config.patch_size,
            "layers": self.config.n_layers, "width": self.config.width, "parameters": self.n_parameters,
            "weights": self.weights, "types": self.types, "quantized": self.n_quantized, "picture": list(PICTURE),
            "tiles": self.n_tiles, "tokens": self.n_tokens, "seconds": self.seconds, "seconds_q8_0": self.seconds_q8_0,
            "memory": self.memory._asdict(),
        }  # fmt: skip


def planned(file: GGUFFile, weights: WeightType = "file") -> EncoderPlan:
    """Return what the encoder of an mmproj file will take, with a picture of ``PICTURE``. Reads no weight.

    Args:
        weights: as for ``ImageEncoder``.

    Raises:
        UnsupportedError: the file cannot be run.
        ArgumentError: ``weights`` is none of the choices.
    """
    dtype = type_of(weights, "mmproj_weights")
    config, names = mmproj.read(file, KINDS)
    kind = KINDS[config.kind]
    source = EncoderSource(file, config, kind, dtype)
    quantized = EncoderSource(file, config, kind, type_of("q8_0"))
    matrices = source.matrices(names)
    grids = _grids(config)
    largest = max(grids, key=lambda grid: grid.n_patches)
    return EncoderPlan(
        config,
        sum(prod(file.info(name).shape) for name in names),
        len(grids),
        largest.n_patches,
        sum(file.info(kind.hidden).shape[0] if kind.n_tokens is None else kind.n_tokens(grid) for grid in grids),
        weights,
        dict(Counter(info.type_name for info in matrices).most_common()),
        sum(source.is_quantized(info.name) for info in matrices),
        _encoding_seconds(config, matrices, grids, cache_kind(source, kind)),
        _encoding_seconds(config, quantized.matrices(names), grids, cache_kind(quantized, kind)),
        SessionMemory(_weight_bytes(source, names, matrices), 0, _tile_bytes(source, config, largest)),
    )


def _grids(config: VisionConfig) -> list[Grid]:
    """Return the patches of each tile of a picture of ``PICTURE``."""
    width, height = PICTURE
    tiles = KINDS[config.kind].preprocess(np.zeros((height, width, 3), np.uint8), config)
    size = config.patch_size
    return [Grid(tile.shape[0] // size, tile.shape[1] // size, config.merge) for tile in (*tiles.parts, tiles.whole)]


def _weight_bytes(source: EncoderSource, names: Sequence[str], matrices: Sequence[TensorInfo]) -> int:
    """Return the bytes of the weights on the device."""
    beside = {info.name for info in matrices}
    small = (name for name in names if name not in beside and not source.is_on_host(name))
    of_vectors = sum(vector_bytes(prod(source.info(name).shape)) for name in small)
    return sum(map(matrix_bytes, matrices)) + allocation_size(of_vectors)


def _tile_bytes(source: EncoderSource, config: VisionConfig, grid: Grid) -> int:
    """Return roughly the bytes of keys, values, positions and activations of a tile."""
    n_rows = grid.n_patches + config.has_class
    n_pages = -(-n_rows // PAGE_TOKENS)
    if config.window_pattern:
        side = window_side(config)
        n_windows = -(-grid.n_rows // side) * -(-grid.n_columns // side)
        n_pages = max(n_pages, n_windows * -(-(side**2) // PAGE_TOKENS))
    cache = cache_kind(source, KINDS[config.kind])
    kept = allocation_size(n_pages * page_bytes(config.n_heads, config.head_size, cache))
    kept += allocation_size(4 * n_rows * config.width)  # position embeddings
    heads = config.n_heads * config.head_size
    n_ffn = config.n_ffn * (1 + ("v.blk.0.ffn_gate.weight" in source.names()))
    arena = allocation_size(4 * n_rows * (2 * config.width + max(4 * heads, n_ffn)))
    patches = allocation_size(4 * n_rows * 3 * config.patch_size**2)
    workspace = max(0, _WORKSPACE * 4 * n_rows * max(config.n_ffn, 3 * heads) - WORKSPACE_BYTES)
    return kept + arena + patches + spare_bytes(arena) + workspace


def _encoding_seconds(
    config: VisionConfig, matrices: Sequence[TensorInfo], grids: Sequence[Grid], cache: str
) -> float:
    """Return the seconds for the tiles of a picture on a board, by a model that no board has confirmed.

    Args:
        matrices: of the encoder on the device.
        grids: the patches of each tile.
        cache: the kind of the pages of keys and values.
    """
    macs = {True: 0, False: 0}  # of matrices of floats, and of others
    attention, padded = 0, -(-config.head_size // _DIMS) * _DIMS
    n_whole = config.n_layers if not config.window_pattern else config.n_layers // config.window_pattern
    for grid in grids:
        n_merged = grid.n_patches // config.merge**2
        for info in matrices:
            n_rows = grid.n_patches if info.name.startswith(("v.patch_embd", "v.blk.")) else n_merged
            macs[info.gguf_type in FLOATS] += n_rows * prod(info.shape)
        seen = n_whole * grid.n_patches + (config.n_layers - n_whole) * min(grid.n_patches, window_side(config) ** 2)
        attention += 2 * grid.n_patches * seen * config.n_heads * padded
    packets = macs[True] / _FLOAT_MACS + macs[False] / _QUANTIZED_MACS + attention / _CACHE_MACS[cache]
    return packets / _PACKETS
