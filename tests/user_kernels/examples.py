# SPDX-License-Identifier: MIT
"""The kernels of docs/kernels, random arguments for them, and what NumPy computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from pyhexagon import Device, Kernel

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs/kernels"
Array = Any  # of NumPy
Shape = tuple[int, ...]


class Example(NamedTuple):
    """A kernel.

    Attributes:
        options: of ``Device.kernel``.
        make: returns the sources of a call, given a generator and the rows and columns of the result.
        params: of that call.
        reference: what NumPy computes: one result, or several.
        is_image: whether the columns must be even.
    """

    options: Mapping[str, Any]
    make: Callable[[np.random.Generator, int, int], list[Array]]
    params: Mapping[str, Any]
    reference: Callable[..., Any]


def load(device: Device, name: str, *, isolated: bool = False) -> Kernel:
    """Load a kernel of docs/kernels."""
    return device.kernel(FOLDER / f"{name}.c", isolated=isolated, **EXAMPLES[name].options)


def _bytes(rng: np.random.Generator, *shape: int) -> Array:
    return rng.integers(0, 256, shape, dtype=np.uint8)


def _shorts(rng: np.random.Generator, *shape: int) -> Array:
    return rng.integers(-32768, 32768, shape, dtype=np.int16)


def _halved(x: Array) -> Array:
    four = x.astype(np.int32)[: x.shape[0] // 2 * 2, : x.shape[1] // 2 * 2]
    four = four.reshape(x.shape[0] // 2, 2, x.shape[1] // 2, 2)
    return ((four.sum((1, 3)) + 2) >> 2).astype(np.uint8)


def _rgb(y: Array, uv: Array) -> list[Array]:
    luma = 64 * y.astype(np.int32) + 32
    each = uv.astype(np.int32).reshape(uv.shape[0], -1, 2) - 128
    u, v = (np.repeat(np.repeat(each[..., i], 2, 0), 2, 1)[: y.shape[0]] for i in range(2))
    planes = luma + 90 * v, luma - 22 * u - 46 * v, luma + 113 * u
    return [np.clip(plane >> 6, 0, 255).astype(np.uint8) for plane in planes]


def _filtered(x: Array, taps: Array) -> Array:
    n = x.shape[1] - taps.shape[1] + 1
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.int64), taps.shape[1], 1)[:, :n]
    return np.clip((windows @ taps[0].astype(np.int64) + (1 << 14)) >> 15, -32768, 32767).astype(np.int16)


def _gemv(w: Array, x: Array, shift: int) -> Array:
    total = (w.astype(np.int64) * x.astype(np.int64)).sum(1, keepdims=True)
    return np.where(total < 0, total >> shift, total).astype(np.int32)


def _quantized(x: Array) -> list[Array]:
    exponent = np.frexp(np.abs(x).max(1, keepdims=True))[1] - 1 - 5
    scaled = x * np.ldexp(np.float32(1), -exponent)
    half = np.where(scaled < 0, -0.5, 0.5).astype(np.float32)
    return [np.trunc(scaled + half).astype(np.int8), exponent.astype(np.int32)]


def _saxpy(x: Array, y: Array, a: int) -> Array:
    return np.clip(((x.astype(np.int64) * a + (1 << 14)) >> 15) + y, -32768, 32767).astype(np.int16)


EXAMPLES: Final[Mapping[str, Example]] = {
    "threshold": Example(
        {"params": {"limit": np.float32}},
        lambda rng, m, n: [rng.standard_normal((m, n), dtype=np.float32)],
        {"limit": 0.5},
        lambda x, limit: np.where(x > np.float32(limit), x, 0).astype(np.float32),
    ),
    "blend": Example(
        {"params": {"w": np.int32}},
        lambda rng, m, n: [_bytes(rng, m, n), _bytes(rng, m, n)],
        {"w": 77},
        lambda a, b, w: ((a.astype(np.int32) * w + b.astype(np.int32) * (256 - w) + 128) >> 8).astype(np.uint8),
    ),
    "saxpy": Example(
        {"params": {"a": np.int32}},
        lambda rng, m, n: [_shorts(rng, m, n), _shorts(rng, m, n)],
        {"a": -12345},
        _saxpy,
    ),
    "resize": Example(
        {"shape": lambda x: (x[0] // 2, x[1] // 2)},
        lambda rng, m, n: [_bytes(rng, 2 * m + 1, 2 * n + 1)],
        {},
        _halved,
    ),
    "nv12": Example(
        {},
        lambda rng, m, n: [_bytes(rng, m, 2 * (n // 2 + 1)), _bytes(rng, -(-m // 2), 2 * (n // 2 + 1))],
        {},
        _rgb,
    ),
    "fir": Example(
        {"shape": lambda x, taps: (x[0], x[1] - taps[1] + 1)},
        lambda rng, m, n: [_shorts(rng, m, n + 14), rng.integers(-4000, 4000, (1, 15), dtype=np.int16)],
        {},
        _filtered,
    ),
    "gemv": Example(
        {"params": {"shift": np.int32}, "shape": lambda w, x, shift: (w[0], 1), "dtype": np.int32},
        lambda rng, m, n: [_bytes(rng, m, n).view(np.int8), _bytes(rng, m, n).view(np.int8)],
        {"shift": 3},
        _gemv,
    ),
    "quantize": Example(
        {"shape": lambda x: [x, (x[0], 1)], "dtype": [np.int8, np.int32]},
        lambda rng, m, n: [rng.standard_normal((m, n), dtype=np.float32)],
        {},
        _quantized,
    ),
}


def arrays(made: Any) -> list[Array]:
    """Return one result or several as arrays."""
    return [np.array(one) for one in (made if isinstance(made, (tuple, list)) else (made,))]
