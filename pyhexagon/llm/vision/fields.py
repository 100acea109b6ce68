# SPDX-License-Identifier: MIT
"""Single keys of mmproj files, each checked to be within its bounds; a bad value is noted as a problem."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final, cast

import numpy as np

from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.header_keys import HeaderKeys, short
from pyhexagon.llm.vision.config import ProjectorKind, TileMarks

MAX_PATCHES: Final = 1 << 14  # of a tile


def count(keys: HeaderKeys, name: str, most: int, default: int | None = None, least: int = 1) -> int:
    """Return an integer of the file; one that is out of range is a problem."""
    if name not in keys.names and default is None:
        keys.problems.append(f"clip.{name} is missing")
    value = keys.value(name, least if default is None else default)
    if not least <= value <= most:
        keys.problems.append(f"clip.{name} is {value}: expected {least} to {most}")
        return least
    return value


def channels(keys: HeaderKeys, file: GGUFFile, name: str, *, is_positive: bool) -> tuple[float, float, float]:
    """Return a number for each colour."""
    value: Any = file.metadata.get(f"clip.{name}")
    numbers = value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind == "f" else []
    if len(numbers) != 3 or not all(isfinite(number) and (number > 0 or not is_positive) for number in numbers):
        wanted = "3 positive numbers" if is_positive else "3 numbers"
        keys.problems.append(f"clip.{name} is {'missing' if value is None else short(value)}: expected {wanted}")
        return (1.0, 1.0, 1.0)
    return cast("tuple[float, float, float]", tuple(numbers))


def pixels(keys: HeaderKeys, kind: ProjectorKind, patch_size: int, merge: int) -> tuple[int, int]:
    """Return the least and the largest number of pixels of a picture of any size: at most those of a tile."""
    if kind.tokens is not None:
        return kind.tokens[0] * (patch_size * merge) ** 2, kind.tokens[1] * (patch_size * merge) ** 2
    largest = MAX_PATCHES * patch_size**2
    least = count(keys, "vision.image_min_pixels", largest)
    most = min(count(keys, "vision.image_max_pixels", 1 << 31), largest)
    if least > most:
        keys.problems.append(f"clip.vision.image_min_pixels is {least}, more than image_max_pixels, {most}")
    return least, most


def marks(keys: HeaderKeys, kind: ProjectorKind) -> TileMarks | None:
    """Return the marks around tiles, those of the file's version if the kind has several."""
    if kind.versions is None:
        return kind.marks
    key, known = kind.versions
    version = keys.value(key, 0)
    if version not in known:
        keys.problems.append(f"clip.{key} is {version}: expected one of {', '.join(map(str, known))}")
    return known.get(version)


def sizes(keys: HeaderKeys, file: GGUFFile, kind: ProjectorKind, image_size: int) -> tuple[tuple[int, int], ...]:
    """Return the sizes of pictures that are cut into tiles: multiples of a tile's, and at most 64 tiles."""
    key = "vision.image_grid_pinpoints"
    value: Any = file.metadata.get(f"clip.{key}")
    if key not in keys.names:
        return ()
    numbers = value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else []
    pairs = tuple(zip(numbers[::2], numbers[1::2], strict=False))
    least, most = max(1, image_size), 64 * image_size**2
    are_valid = all(min(pair) >= least and pair[0] * pair[1] <= most for pair in pairs)
    if not kind.has_sizes:
        keys.problems.append(f"the key clip.{key} is not supported")
    elif not numbers or len(numbers) % 2 or not are_valid or any(number % least for number in numbers):
        keys.problems.append(f"clip.{key} is {short(value)}: expected widths and heights, multiples of {image_size}")
    return pairs


def features(keys: HeaderKeys, file: GGUFFile, kind: ProjectorKind, n_layers: int) -> tuple[int, ...]:
    """Return the layers whose inputs are the encoder's rows, in order."""
    key = "vision.feature_layer"
    value: Any = file.metadata.get(f"clip.{key}")
    if key not in keys.names:
        return ()
    numbers = sorted(set(value.tolist())) if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else []
    if not kind.has_features:
        keys.problems.append(f"the key clip.{key} is not supported")
    elif not numbers or not 0 <= numbers[0] <= numbers[-1] <= n_layers or not numbers[-1]:
        keys.problems.append(f"clip.{key} is {short(value)}: expected numbers of layers, 0 to {n_layers}")
    return tuple(numbers)


def merger_layer(keys: HeaderKeys, file: GGUFFile, n_layers: int) -> int:
    """Return the layer after which patches are merged for the first time."""
    key = "vision.wa_layer_indexes"
    value: Any = file.metadata.get(f"clip.{key}")
    numbers = value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "iu" else []
    if len(numbers) != 1 or not 0 <= numbers[0] < n_layers:
        what = "missing" if value is None else short(value)
        keys.problems.append(f"clip.{key} is {what}: expected the number of one layer, 0 to {n_layers - 1}")
        return 0
    return int(numbers[0])


def longest_edge(keys: HeaderKeys, kind: ProjectorKind, image_size: int, patch_size: int) -> int:
    """Return the longer side of a picture: at most 256 tiles, or the patches of one tile; 0: the kind has none."""
    if kind.longest_edge is None:
        return 0
    if kind.longest_edge == "own":
        return count(keys, "vision.preproc_image_size", 16 * image_size, 0, least=0)
    return count(keys, "vision.preproc_image_size", int(MAX_PATCHES**0.5) * patch_size, max(1, image_size))
