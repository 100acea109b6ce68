# SPDX-License-Identifier: MIT
"""From a picture to normalised tiles, as llama.cpp's mtmd cuts it for each kind of encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.resizing import F32, U8, Filter, fitted, stretched

BLACK: Final = 0, 0, 0
GREY: Final = 127, 127, 127
CLIP_MEAN: Final = 122, 116, 104  # the padding of LLaVA's pictures
_TILE: Final = 512  # of LFM2-VL
_LFM2_TILES: Final = 2, 10
_MOST_SLICES: Final = 9  # of LLaVA-UHD


class Tiles(NamedTuple):
    """The tiles of a picture.

    Attributes:
        parts: tiles of the enlarged picture, row by row, (h, w, 3) float32 each; perhaps none.
        whole: the whole picture.
        grid: columns and rows of the parts; (0, 0) if the prompt has no marks around the parts.
        is_whole_first: the whole picture comes before the parts, and not after them.
    """

    parts: list[F32]
    whole: F32
    grid: tuple[int, int] = (0, 0)
    is_whole_first: bool = False

    def in_order(self) -> list[F32]:
        """Return all tiles in the order of the prompt."""
        return [self.whole, *self.parts] if self.is_whole_first else [*self.parts, self.whole]


Preprocess = Callable[[U8, VisionConfig], Tiles]  # of a picture (H, W, 3)


def normalised(tile: U8, config: VisionConfig) -> F32:
    """Return (tile / 255 - mean) / std."""
    mean, std = np.array(config.mean, np.float32), np.array(config.std, np.float32)
    return np.asarray((tile.astype(np.float32) / np.float32(255) - mean) / std)


def square(
    picture: U8, config: VisionConfig, resample: Filter = "BICUBIC", padding: tuple[int, int, int] = BLACK
) -> Tiles:
    """Gemma 3, Janus Pro, LLaVA 1.5 and MobileVLM: one tile, padded with a colour."""
    side = config.image_size
    return Tiles([], normalised(fitted(picture, side, side, resample, padding), config))


def tiled_by_longest_edge(picture: U8, config: VisionConfig) -> Tiles:
    """Idefics 3 and SmolVLM: the longer side becomes ``longest_edge``, then both become multiples of a tile's.

    Files of before October 2025 have no longest edge: the picture fits into the nearest multiples, padded with black.
    """
    side = config.image_size
    height, width = picture.shape[:2]
    if not config.longest_edge:
        n_columns, n_rows = (_rounded(length, side) // side for length in (width, height))
        large = fitted(picture, n_columns * side, n_rows * side, "BICUBIC", BLACK)
        whole = stretched(picture, side, side, "BICUBIC")
    else:
        width, height = _with_longest_edge(width, height, config.longest_edge)
        n_columns, n_rows = -(-width // side), -(-height // side)
        large = stretched(stretched(picture, width, height, "LANCZOS"), n_columns * side, n_rows * side, "LANCZOS")
        whole = stretched(large, side, side, "LANCZOS")
    tiles = [normalised(square, config) for square in squares(large, side)]
    return Tiles(tiles, normalised(whole, config), (n_columns, n_rows))


def _with_longest_edge(width: int, height: int, longest: int) -> tuple[int, int]:
    """Return a size of the same aspect ratio, whose longer side is given and whose shorter one is even."""
    ratio = width / height
    if width >= height:
        short = int(longest / ratio)
        return longest, max(1, short + short % 2)
    short = int(longest * ratio)
    return max(1, short + short % 2), longest


def tiled_by_aspect_ratio(picture: U8, config: VisionConfig) -> Tiles:
    """InternVL: as many tiles as keep most of the picture's pixels and waste the fewest of theirs."""
    side, (least, most) = config.image_size, config.tiles
    height, width = picture.shape[:2]
    if max(height, width) <= side:
        return Tiles([], normalised(stretched(picture, side, side, "BICUBIC"), config))
    numbers = range(least, most + 1)
    sizes = [(x * side, y * side) for x in numbers for y in numbers if x * y <= most]
    large = fitted(picture, *_best_size(sizes, width, height, (side, side)), "BICUBIC", BLACK)
    tiles = [normalised(square, config) for square in squares(large, side)]
    return Tiles(tiles, normalised(stretched(picture, side, side, "BICUBIC"), config))


def _best_size(
    sizes: Iterable[tuple[int, int]], width: int, height: int, best: tuple[int, int]
) -> tuple[int, int]:
    """Return the size that keeps most of a picture's pixels, and of these, wastes the fewest of its own.

    Args:
        best: if none keeps any.
    """
    best_key = (0, 0)
    for size in sizes:
        scale = min(np.float32(size[0]) / np.float32(width), np.float32(size[1]) / np.float32(height))
        n_pixels = int(np.float32(width) * scale) * int(np.float32(height) * scale)
        n_kept = min(n_pixels, width * height)
        key = n_kept, n_kept - size[0] * size[1]  # the second: minus the wasted pixels
        if key > best_key:
            best, best_key = size, key
    return best


def squares(picture: U8, side: int) -> Iterable[U8]:
    """Yield squares row by row."""
    for y in range(0, picture.shape[0], side):
        for x in range(0, picture.shape[1], side):
            yield picture[y : y + side, x : x + side]


def lfm2(picture: U8, config: VisionConfig) -> Tiles:
    """LFM2-VL: tiles of 512 pixels for large pictures, and the whole picture with its aspect ratio."""
    height, width = picture.shape[:2]
    new = smart_size(width, height, config)
    whole = normalised(stretched(picture, *new, "BILINEAR"), config)
    if max(height, width) <= 2 * _TILE:
        return Tiles([], whole)
    grid = _closest_grid(width, height)
    large = fitted(picture, grid[0] * _TILE, grid[1] * _TILE, "BILINEAR", BLACK)
    return Tiles([normalised(square, config) for square in squares(large, _TILE)], whole, grid)


def _closest_grid(width: int, height: int) -> tuple[int, int]:
    """Return the columns and rows of tiles whose aspect ratio is nearest to a picture's; of two, the larger one for a
    picture that covers half of it.
    """
    least, most = _LFM2_TILES
    sides = range(1, most + 1)
    grids = sorted(((x, y) for x in sides for y in sides if least <= x * y <= most), key=lambda grid: grid[0] * grid[1])
    ratio, best, nearest = np.float32(width) / np.float32(height), (1, 1), np.float32(np.inf)
    for grid in grids:
        distance = abs(ratio - np.float32(grid[0]) / np.float32(grid[1]))
        if distance < nearest:
            best, nearest = grid, distance
        elif distance == nearest and width * height > 0.5 * _TILE**2 * grid[0] * grid[1]:
            best = grid
    return best


def of_longest_edge(picture: U8, config: VisionConfig) -> Tiles:
    """LightOnOCR: the longer side becomes ``longest_edge``, and both are multiples of what one embedding covers."""
    unit, (height, width) = config.patch_size * config.merge, picture.shape[:2]
    longest = np.float32(config.longest_edge)
    scale = min(longest / np.float32(width), longest / np.float32(height))
    size = [_multiple(np.ceil(np.float32(n) * scale / np.float32(unit)), unit) for n in (width, height)]
    return Tiles([], normalised(fitted(picture, size[0], size[1], "BICUBIC", BLACK), config))


def of_any_size(picture: U8, config: VisionConfig, resample: Filter = "BICUBIC") -> Tiles:
    """Qwen-VL, Pixtral and others: the picture with about its own size."""
    size = smart_size(picture.shape[1], picture.shape[0], config)
    return Tiles([], normalised(fitted(picture, *size, resample, BLACK), config))


def smart_size(width: int, height: int, config: VisionConfig) -> tuple[int, int]:
    """Return a width and a height near those of a picture: multiples of what one embedding covers."""
    unit, (least, most) = config.patch_size * config.merge, config.pixels
    sizes = [_rounded(n, unit) for n in (width, height)]
    n_pixels = sizes[0] * sizes[1]
    if n_pixels > most:
        factor = np.sqrt(np.float32(width * height) / np.float32(most))
        sizes = [_multiple(np.floor(np.float32(n) / factor / np.float32(unit)), unit) for n in (width, height)]
    elif n_pixels < least:
        factor = np.sqrt(np.float32(least) / np.float32(width * height))
        sizes = [_multiple(np.ceil(np.float32(n) * factor / np.float32(unit)), unit) for n in (width, height)]
    return sizes[0], sizes[1]


def _rounded(length: int, unit: int) -> int:
    """Return the nearest multiple, at least one unit; halves round up."""
    return max(unit, int(np.floor(np.float32(length) / np.float32(unit) + np.float32(0.5))) * unit)


def _multiple(n: np.floating, unit: int) -> int:
    return max(1, int(n)) * unit


def sliced(picture: U8, config: VisionConfig) -> Tiles:
    """MiniCPM-V: a picture that exceeds a tile is cut into up to 9 slices near its aspect ratio."""
    side, patch = config.image_size, config.patch_size * config.merge
    height, width = picture.shape[:2]
    if max(height, width) <= side:
        return Tiles([], normalised(stretched(picture, side, side, "BICUBIC"), config), is_whole_first=True)
    whole = stretched(picture, *_near(width, height, side, patch, enlarge=False), "BICUBIC")
    n_columns, n_rows = _grid(width, height, side)
    part = _rounded(width, n_columns) // n_columns, _rounded(height, n_rows) // n_rows
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
    return _rounded(width, patch), _rounded(height, patch)


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
    large = fitted(picture, *_best_size(config.sizes, width, height, config.sizes[0]), "BICUBIC", BLACK)
    return Tiles([normalised(square, config) for square in squares(large, side)], whole)
