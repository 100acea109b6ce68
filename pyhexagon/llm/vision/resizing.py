# SPDX-License-Identifier: MIT
"""Resizing of pictures with Pillow, whose filters the models were trained with and llama.cpp's mtmd reproduces."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from pyhexagon import extras

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
Filter = Literal["BILINEAR", "BICUBIC", "LANCZOS"]


def stretched(picture: U8, width: int, height: int, resample: Filter) -> U8:
    """Return a picture (H, W, 3) resized to (height, width, 3), whatever its aspect ratio.

    Rows are resized first, then columns: Pillow 13 chooses the order, llama.cpp and older versions do not.

    Raises:
        UnsupportedError: Pillow is not installed.
    """
    if picture.shape[:2] == (height, width):
        return picture
    with extras.needed("images", "vision"):
        from PIL import Image
    image = Image.fromarray(np.ascontiguousarray(picture))
    for size in ((width, image.height), (width, height)):
        image = image.resize(size, Image.Resampling[resample])
    return np.asarray(image)


def fitted(picture: U8, width: int, height: int, resample: Filter, padding: tuple[int, int, int]) -> U8:
    """Return a picture resized to fit into (height, width, 3), with its aspect ratio, in the middle of a colour."""
    if picture.shape[:2] == (height, width):
        return picture
    n_rows, n_columns = picture.shape[:2]
    scale = min(np.float32(width) / np.float32(n_columns), np.float32(height) / np.float32(n_rows))
    new_width = min(int(np.ceil(np.float32(n_columns) * scale)), width)
    new_height = min(int(np.ceil(np.float32(n_rows) * scale)), height)
    result = np.empty((height, width, 3), np.uint8)
    result[:] = padding
    top, left = (height - new_height) // 2, (width - new_width) // 2
    result[top : top + new_height, left : left + new_width] = stretched(picture, new_width, new_height, resample)
    return result
