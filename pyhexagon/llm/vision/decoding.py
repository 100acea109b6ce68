# SPDX-License-Identifier: MIT
"""Decodes an image file in a worker process: Pillow's decoders read what strangers send. See ``pictures.py``."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError


def prepare(max_pixels: int, formats: Sequence[str]) -> Callable[[str], str]:
    """Return a function from a file in base64 to its width, its height, and its pixels (red, green, blue) in base64.

    Args:
        max_pixels: of an image.
        formats: the decoders that are tried.
    """
    Image.MAX_IMAGE_PIXELS = None  # the check below says more

    def decode(text: str) -> str:
        data = base64.b64decode(text)
        try:
            image = Image.open(io.BytesIO(data), formats=list(formats))
        except UnidentifiedImageError:
            raise ValueError(f"it is no image of a known format: expected {', '.join(formats)}") from None
        width, height = image.size
        if not 0 < width * height <= max_pixels:
            raise ValueError(f"it has {width} x {height} pixels: at most {max_pixels:,} are decoded")
        try:
            image.load()  # the first frame
        except (OSError, SyntaxError, EOFError, IndexError) as problem:
            raise ValueError(f"it is damaged: {problem}") from None
        image = _eight_bits(ImageOps.exif_transpose(image)).convert("RGB")
        return f"{image.width} {image.height} {base64.b64encode(image.tobytes()).decode()}"

    return decode


def _eight_bits(image: Any) -> Any:
    """Return an image of 8 bits per channel: of 16, the upper ones."""
    if not image.mode.startswith("I"):
        return image
    return image.convert("I").point(lambda level: level * (1 / 256)).convert("L")
