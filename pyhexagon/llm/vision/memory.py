# SPDX-License-Identifier: MIT
"""What an image encoder takes, and what a picture takes of the context, without loading the encoder."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType as Type

from pyhexagon import quants
from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.cache import PAGE_TOKENS
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.pages import page_bytes
from pyhexagon.llm.files.weights import is_vector
from pyhexagon.llm.memory import SessionMemory
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.attention import cache_kind
from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.grid import Grid
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.limits import LIMITS
from pyhexagon.memory.memory import allocation_size
from pyhexagon.memory.placement import spare_bytes
from pyhexagon.process.resources import WORKSPACE_BYTES

PICTURE: Final = 1024, 768  # width and height of the picture that plans assume
_WINDOW: Final = 112  # pixels on a side of a window
_WORKSPACE: Final = 2  # of the DSP: regions that each hold the quantized activations of a product, or attention's rows
_ON_HOST: Final = frozenset({mmproj.NEXT_PATCHES, mmproj.PATCH_BIAS, mmproj.CLASS, mmproj.POSITIONS})


class EncoderPlan(NamedTuple):
    """What an image encoder will take.

    Attributes:
        config: of the encoder.
        n_parameters: of its tensors.
        n_tiles, n_patches, n_tokens: of a picture of ``PICTURE``: tiles that are encoded, patches of the largest one,
            and embeddings in the context. Texts around tiles take tokens as well.
        memory: the encoder's part of ``pyhexagon.llm.memory``. Keys and values of a tile are "compute", because they
            do not outlive it.
    """

    config: VisionConfig
    n_parameters: int
    n_tiles: int
    n_patches: int
    n_tokens: int
    memory: SessionMemory

    def facts(self) -> dict[str, Any]:
        """Return it as a dict that JSON can represent."""
        return {
            "projector": self.config.kind, "image_size": self.config.image_size, "patch_size": self.config.patch_size,
            "layers": self.config.n_layers, "width": self.config.width, "parameters": self.n_parameters,
            "picture": list(PICTURE), "tiles": self.n_tiles, "tokens": self.n_tokens, "memory": self.memory._asdict(),
        }  # fmt: skip


def planned(file: GGUFFile) -> EncoderPlan:
    """Return what the encoder of an mmproj file will take, with a picture of ``PICTURE``. Reads no weight.

    Raises:
        UnsupportedError: the file cannot be run.
    """
    config, names = mmproj.read(file, KINDS)
    kind = KINDS[config.kind]
    grids = _grids(config)
    largest = max(grids, key=lambda grid: grid.n_patches)
    return EncoderPlan(
        config,
        sum(prod(file.info(name).shape) for name in names),
        len(grids),
        largest.n_patches,
        sum(file.info(kind.hidden).shape[0] if kind.n_tokens is None else kind.n_tokens(grid) for grid in grids),
        SessionMemory(_weight_bytes(file, names, config), 0, _tile_bytes(file, config, largest)),
    )


def _grids(config: VisionConfig) -> list[Grid]:
    """Return the patches of each tile of a picture of ``PICTURE``."""
    width, height = PICTURE
    tiles = KINDS[config.kind].preprocess(np.zeros((height, width, 3), np.uint8), config)
    size = config.patch_size
    return [Grid(one.shape[0] // size, one.shape[1] // size, config.merge) for one in (*tiles.parts, tiles.whole)]


def _weight_bytes(file: GGUFFile, names: Sequence[str], config: VisionConfig) -> int:
    """Return the bytes of the weights on the device."""
    output, axis = KINDS[config.kind].output
    small = matrices = 0
    for name in names:
        info = file.info(name)
        if name in _ON_HOST or name.endswith(LIMITS):
            continue
        if is_vector(name, info.shape) or info.shape[1:] == (1, 3, 3) or name == mmproj.QUERIES:
            small += -(-prod(info.shape) // 32) * 128
            continue
        shape, gguf_type = info.shape, info.gguf_type
        if len(shape) == 4 or (name, axis) == (output, 1):  # the host changes their shapes
            is_exact = gguf_type == Type.F16 and not (name == mmproj.PATCHES and mmproj.NEXT_PATCHES in file)
            gguf_type = Type.F16 if is_exact else Type.F32
            shape = (shape[0], prod(shape[1:])) if len(shape) == 4 else shape[::-1]
        matrices += _pages(quants.tile_bytes(gguf_type, *shape))
    return matrices + allocation_size(small)


def _tile_bytes(file: GGUFFile, config: VisionConfig, grid: Grid) -> int:
    """Return roughly the bytes of keys, values, positions and activations of a tile."""
    n_rows = grid.n_patches + config.has_class
    n_pages = -(-n_rows // PAGE_TOKENS)
    if config.window_pattern:
        side = _WINDOW // config.patch_size // config.merge * config.merge
        n_windows = -(-grid.n_rows // side) * -(-grid.n_columns // side)
        n_pages = max(n_pages, n_windows * -(-(side**2) // PAGE_TOKENS))
    cache = cache_kind(file, KINDS[config.kind])
    kept = allocation_size(n_pages * page_bytes(config.n_heads, config.head_size, cache))
    kept += allocation_size(4 * n_rows * config.width)  # position embeddings
    heads = config.n_heads * config.head_size
    n_ffn = config.n_ffn * (1 + ("v.blk.0.ffn_gate.weight" in file))
    arena = allocation_size(4 * n_rows * (2 * config.width + max(4 * heads, n_ffn)))
    patches = allocation_size(4 * n_rows * 3 * config.patch_size**2)
    workspace = max(0, _WORKSPACE * 4 * n_rows * max(config.n_ffn, 3 * heads) - WORKSPACE_BYTES)
    return kept + arena + patches + spare_bytes(arena) + workspace


def _pages(n_bytes: int) -> int:
    return -(-n_bytes // PAGE) * PAGE
