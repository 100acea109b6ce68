# SPDX-License-Identifier: MIT
"""The benchmark skel that Qualcomm ships for the board, run unmodified: its pictures equal NumPy's.

It numbers its workers by their timetest id and joins them by barriers, so a shell that drops the id gives half a
picture. Method numbers and the order of the words were read from the skel's own marshalling code, the meaning of
the words from its debug information.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pd
import pytest

from pyhexagon._ffi.library import Library

pytest_plugins = ("qemu_plugin",)

DILATE, CONVOLVE, SOBEL, HISTOGRAM, BOX = 4, 11, 15, 19, 23
SHIFT = 4  # of a convolution's sum

Picture = npt.NDArray[np.uint8]
Sums = npt.NDArray[np.int64]


@pytest.fixture
def skel(library: Library, board_files: Path) -> Iterator[pd.Module]:
    with pd.opened(library, board_files / "libbenchmark_skel.so") as module:
        yield module


# At least 5 rows a worker: with fewer its box filter reads past what the first worker has, the same way every time.
@pytest.fixture(params=[(24, 128), (37, 256), (64, 640)], ids=str)
def picture(request: pytest.FixtureRequest) -> Picture:
    height, width = request.param
    return np.random.default_rng(0).integers(0, 256, (height, width), dtype=np.uint8)


@pytest.fixture(params=[1, 2, 3, 4])
def workers(request: pytest.FixtureRequest) -> int:
    n: int = request.param
    return n


def words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def drawn(skel: pd.Module, method: int, picture: Picture, workers: int, *, mask: bytes = b"") -> Picture:
    """Return a filter's picture. The call writes into the result's buffer and returns the time that it took."""
    height, width = picture.shape
    source = [picture.size, width, width, height]
    target = [picture.size, width, 1, workers << 8]  # size, stride, rounds, workers
    if method == BOX:
        numbers, inputs = words(*source, *target), [picture.tobytes()]
    else:
        of_mask = [len(mask), SHIFT] if mask else []
        numbers = words(*source, *of_mask, picture.size, *target, 0, 0)
        inputs = [picture.tobytes(), *([mask] if mask else []), bytes(picture.size)]
    times, result = bytearray(8), bytearray(picture.size)
    skel.invoke(method, [numbers, *inputs], [times, result])
    return np.frombuffer(result, np.uint8).reshape(picture.shape)


def neighbours(picture: Picture, size: int) -> Sums:
    """The size x size pixels around each pixel that has as many: (rows, columns, size, size)."""
    return np.lib.stride_tricks.sliding_window_view(picture.astype(np.int64), (size, size))


def test_dilate(skel: pd.Module, picture: Picture, workers: int) -> None:
    around = neighbours(picture, 3)
    assert np.array_equal(drawn(skel, DILATE, picture, workers)[1:-1, 1:-1], around.max(axis=(2, 3)))


def test_sobel(skel: pd.Module, picture: Picture, workers: int) -> None:
    around, slope = neighbours(picture, 3), np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    across, down = (around * slope).sum(axis=(2, 3)), (around * slope.T).sum(axis=(2, 3))
    expected = np.minimum(abs(across) + abs(down), 255)
    assert np.array_equal(drawn(skel, SOBEL, picture, workers)[1:-1, 1:-1], expected)


def test_box_filter(skel: pd.Module, picture: Picture, workers: int) -> None:
    sums = neighbours(picture, 11).sum(axis=(2, 3))
    expected = (sums * 271 + (1 << 14)) >> 15  # 271 / 2^15 is its 1 / 121
    assert np.array_equal(drawn(skel, BOX, picture, workers)[5:-5, 5:-5], expected)


def test_convolution(skel: pd.Module, picture: Picture, workers: int) -> None:
    mask = np.array([[1, 2, 1], [2, -5, 2], [-3, 9, 4]], np.int8)
    rows_of_four = np.pad(mask, ((0, 0), (0, 1))).tobytes()
    expected = np.clip((neighbours(picture, 3) * mask).sum(axis=(2, 3)) >> SHIFT, 0, 255)
    assert np.array_equal(drawn(skel, CONVOLVE, picture, workers, mask=rows_of_four)[1:-1, 1:-1], expected)


def test_histogram(skel: pd.Module, picture: Picture, workers: int) -> None:
    height, width = picture.shape
    times, result = bytearray(8), bytearray(256 * 4)
    numbers = words(picture.size, width, width, height, 256, 1, workers << 8)
    skel.invoke(HISTOGRAM, [numbers, picture.tobytes()], [times, result])
    assert np.array_equal(np.frombuffer(result, np.int32), np.bincount(picture.ravel(), minlength=256))
