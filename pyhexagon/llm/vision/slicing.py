# SPDX-License-Identifier: MIT
"""From a picture to slices, as LLaVA-UHD and LLaVA 1.6 cut it: parts of the enlarged picture, and the whole one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.preprocessing import BLACK, CLIP_MEAN, Tiles, normalised, squares
from pyhexagon.llm.vision.resizing import U8, fitted, stretched

_MOST_SLICES: Final = 9


def sliced(picture: U8, config: VisionConfig) -> Tiles:
    """MiniCPM-V: a picture that exceeds a tile is cut into up to 9 slices near its aspect ratio."""
    side, patch = config.image_size, config.patch_size * config.merge
    height, width = picture.shape[:2]
    if max(height, width) <= side:
        return Tiles([], normalised(stretched(picture, side, side, "BICUBIC"), config), is_whole_first=True)
    whole = stretched(picture, *_near(width, height, side, patch, enlarge=False), "BICUBIC")
    n_columns, n_rows = _grid(width, height, side)
    part = _divisible(width, n_columns) // n_columns, _divisible(height, n_rows) // n_rows
    part_width, part_height = _near(*part, side, patch, enlarge=True)
    large = fitted(picture, part_width * n_columns, part_height * n_rows, "BICUBIC", BLACK)
    parts = [
        normalised(large[y : y + part_height, x : x + part_width], config)
        for y in range(0, large.shape[0], part_height)
        for x in range(0, large.shape[1], part_width)
    ]
    return Tiles(parts, normalised(whole, config), (n_columns, n_rows), is_whole_first=True)


def _near(width: int, height: int, side: int, patch: int, *, enlarge: bool) -> tuple[int, int]:
    """Return a size of about the same aspect ratio, and the area of a tile or less, in whole patches."""
    if enlarge or width * height > side**2:
        ratio = np.float32(width) / np.float32(height)
        height = int(np.float32(side) / np.sqrt(ratio))
        width = int(np.float32(height) * ratio)
    return _divisible(width, patch), _divisible(height, patch)


def _divisible(length: int, unit: int) -> int:
    """Return the nearest multiple, at least one unit; halves round up."""
    return max(unit, int(np.floor(np.float32(length) / np.float32(unit) + np.float32(0.5))) * unit)


def _grid(width: int, height: int, side: int) -> tuple[int, int]:
    """Return columns and rows of slices: about as many as tiles cover, and near the picture's aspect ratio."""
    ratio = np.float32(np.log(np.float32(width) / np.float32(height)))
    n = min(int(np.ceil(np.float32(width) * np.float32(height) / np.float32(side**2))), _MOST_SLICES)
    best, least = (1, 1), np.float32(np.inf)
    for n_columns, n_rows in _grids(n):
        distance = np.float32(abs(ratio - np.log(n_columns / n_rows)))
        if distance < least:
            best, least = (n_columns, n_rows), distance
    return best


def _grids(n: int) -> Iterator[tuple[int, int]]:
    for count in (n - 1, n, n + 1):
        if 1 < count <= _MOST_SLICES:
            yield from ((m, count // m) for m in range(1, count + 1) if count % m == 0)


def of_best_size(picture: U8, config: VisionConfig) -> Tiles:
    """LLaVA 1.6: a picture that exceeds a tile is enlarged to the best of some sizes; LLaVA 1.5 has none."""
    side, (height, width) = config.image_size, picture.shape[:2]
    if not config.sizes:
        return Tiles([], normalised(fitted(picture, side, side, "BICUBIC", CLIP_MEAN), config))
    whole = normalised(stretched(picture, side, side, "BICUBIC"), config)
    if max(height, width) <= side:
        return Tiles([], whole)
    best, best_key = config.sizes[0], (0, 0)
    for size in config.sizes:
        scale = min(np.float32(size[0]) / np.float32(width), np.float32(size[1]) / np.float32(height))
        n_pixels = int(np.float32(width) * scale) * int(np.float32(height) * scale)
        n_kept = min(n_pixels, width * height)
        key = n_kept, n_kept - size[0] * size[1]  # the second: minus the wasted pixels
        if key > best_key:
            best, best_key = size, key
    large = fitted(picture, *best, "BICUBIC", BLACK)
    return Tiles([normalised(one, config) for one in squares(large, side)], whole)
