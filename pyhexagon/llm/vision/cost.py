# SPDX-License-Identifier: MIT
"""Roughly how long a picture takes on a board, from the sizes of its tiles alone: nothing is computed.

The MACs per packet were counted under QEMU with four threads, on published model shapes; the packets per second are the
expected case of ``bench model --estimate``. The estimates are within 30 % of the table "Images" in docs/benchmarks.md,
which no board has confirmed.
``pyhexagon bench model --mmproj FILE --estimate`` counts the encoder of a file instead.
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

_FLOAT_MACS: Final = 213.0  # per packet of the busiest thread, in products with matrices of floats, and beside them
_QUANTIZED_MACS: Final = 530.0
_CACHE_MACS: Final = {"f16": 165.0, "q8_0": 250.0}  # in attention over these pages
_PACKETS: Final = 5.1e8  # per second
_DIMS: Final = 32  # heads are padded to whole blocks of them


def encoding_seconds(config: VisionConfig, matrices: Sequence[TensorInfo], grids: Sequence[Grid], cache: str) -> float:
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
