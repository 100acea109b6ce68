# SPDX-License-Identifier: MIT
"""The error of a matmul against float64, next to llama.cpp's CPU scheme on the same data.

llama.cpp also quantizes the activations: in blocks of 32 as Q8_0, with K-quants in blocks of 256 as Q8_K. That rounding
is its only error worth counting, so its sums are computed in float64 here.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_SUPER_BLOCK: Final = 256  # types with this block size use Q8_K


def normal(m: int, k: int, seed: int) -> F32:
    """Return standard normal activations, (m, k)."""
    return np.random.default_rng(seed).standard_normal((m, k), dtype=np.float32)


def outliers(m: int, k: int, seed: int) -> F32:
    """Return standard normal activations, (m, k), 1% of them 30 times larger."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((m, k), dtype=np.float32)
    x[rng.random((m, k)) < 0.01] *= 30
    return x


def nmse(got: npt.NDArray[np.floating], want: F64) -> float:
    """Return the normalised mean squared error: squared error over squared length."""
    return float(np.sum((got.astype(np.float64) - want) ** 2) / np.sum(want**2))


def q8_0_round_trip(x: F32) -> F64:
    """Quantize and dequantize activations as llama.cpp's Q8_0: amax / 127 as float16, rounded half away from zero."""
    b = x.reshape(len(x), -1, 32)
    d = np.abs(b).max(axis=2, keepdims=True) / np.float32(127)
    scaled = b * np.where(d == 0, np.float32(0), 1 / np.where(d == 0, np.float32(1), d))
    q = np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled)
    return np.asarray(d.astype(np.float16).astype(np.float64) * q).reshape(x.shape)


def q8_k_round_trip(x: F32) -> F64:
    """Quantize and dequantize activations as llama.cpp's Q8_K: -127 / signed extreme of 256, rounded half to even."""
    b = x.reshape(len(x), -1, 256)
    extreme = np.take_along_axis(b, np.abs(b).argmax(axis=2)[..., None], axis=2)
    zero = extreme == 0
    inverse = np.where(zero, np.float32(0), np.float32(-127) / np.where(zero, np.float32(1), extreme))
    q = np.minimum(np.rint(b * inverse), 127)
    d = np.where(zero, np.float32(0), 1 / np.where(zero, np.float32(1), inverse))
    return np.asarray(d.astype(np.float64) * q).reshape(x.shape)


def llama_product(dtype: GGMLQuantizationType, w: F64, x: F32) -> F64:
    """Return the product in llama.cpp's scheme, summed in float64. `w` is the dequantized weight matrix (N, K)."""
    in_super_blocks = GGML_QUANT_SIZES[dtype][0] == _SUPER_BLOCK
    rounded = q8_k_round_trip(x) if in_super_blocks else q8_0_round_trip(x)
    return np.asarray(rounded @ w.T)


def has_llama_product(dtype: GGMLQuantizationType) -> bool:
    """Return whether llama.cpp quantizes the activations for this weight type: not for float weights."""
    return GGML_QUANT_SIZES[dtype][0] > 1
