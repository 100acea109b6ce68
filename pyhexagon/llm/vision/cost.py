# SPDX-License-Identifier: MIT
"""Roughly how long a picture takes on a board, from the sizes of its tiles alone: nothing is computed.

The rates are those of four threads, counted under QEMU with published shapes (docs/benchmarks.md, "Images"); no board
has confirmed the clock. ``pyhexagon bench model --mmproj FILE --estimate`` counts the encoder of a file instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.llm.files.weight_types import FLOATS
from pyhexagon.llm.vision.attention import window_side
from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.grid import Grid

_FLOAT_MACS: Final = 209.0  # a packet of the busiest thread, in products with matrices of floats
_QUANTIZED_MACS: Final = 800.0
_CACHE_MACS: Final = {"f16": 127.0, "q8_0": 236.0}  # in attention over these pages
_PACKETS: Final = 5.5e8  # a second


def encoding_seconds(
    config: VisionConfig, matrices: Sequence[TensorInfo], grids: Sequence[Grid], cache: str
) -> float:
    """Return the seconds for the tiles of a picture on a board, by a model that no board has confirmed.

    Args:
        matrices: of the encoder on the device.
        grids: the patches of each tile.
        cache: the kind of the pages of keys and values.
    """
    macs = {True: 0, False: 0}  # of matrices of floats, and of others
    attention = 0
    n_whole = config.n_layers if not config.window_pattern else config.n_layers // config.window_pattern
    for grid in grids:
        n_merged = grid.n_patches // config.merge**2
        for info in matrices:
            n_rows = grid.n_patches if info.name.startswith(("v.patch_embd", "v.blk.")) else n_merged
            macs[info.gguf_type in FLOATS] += n_rows * prod(info.shape)
        seen = n_whole * grid.n_patches + (config.n_layers - n_whole) * min(grid.n_patches, window_side(config) ** 2)
        attention += 2 * grid.n_patches * seen * config.n_heads * config.head_size
    packets = macs[True] / _FLOAT_MACS + macs[False] / _QUANTIZED_MACS + attention / _CACHE_MACS[cache]
    return packets / _PACKETS
