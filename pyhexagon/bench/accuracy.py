# SPDX-License-Identifier: MIT
"""How far a product is from the float64 one, beside llama.cpp's CPU scheme on the same data.

llama.cpp multiplies quantized weights with quantized activations too: in blocks of 32 as Q8_0, with K-quants in blocks
of 256 as Q8_K. Its error comes from that rounding alone, so here the sums are float64.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

_SUPER_BLOCK: Final = 256  # types in blocks of that size go with Q8_K


def normal(m: int, k: int, seed: int) -> F32:
    """Standard normal activations."""
    return np.random.default_rng(seed).standard_normal((m, k), dtype=np.float32)


def outliers(m: int, k: int, seed: int) -> F32:
    """Standard normal activations, 1% of them 30 times larger."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((m, k), dtype=np.float32)
    x[rng.random((m, k)) < 0.01] *= 30
    return x


def nmse(got: npt.NDArray[np.floating], want: F64) -> float:
    """Squared error over squared length."""
    return float(np.sum((got.astype(np.float64) - want) ** 2) / np.sum(want**2))


def q8_0_round_trip(x: F32) -> F64:
    """Activations through llama.cpp's Q8_0: amax / 127 as float16, rounded half away from zero."""
    b = x.reshape(len(x), -1, 32)
    d = np.abs(b).max(axis=2, keepdims=True) / np.float32(127)
    scaled = b * np.where(d == 0, np.float32(0), 1 / np.where(d == 0, np.float32(1), d))
    q = np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled)
    return np.asarray(d.astype(np.float16).astype(np.float64) * q).reshape(x.shape)


def q8_k_round_trip(x: F32) -> F64:
    """Activations through llama.cpp's Q8_K: -127 over the signed extreme of 256, rounded half to even."""
    b = x.reshape(len(x), -1, 256)
    extreme = np.take_along_axis(b, np.abs(b).argmax(axis=2)[..., None], axis=2)
    zero = extreme == 0
    inverse = np.where(zero, np.float32(0), np.float32(-127) / np.where(zero, np.float32(1), extreme))
    q = np.minimum(np.rint(b * inverse), 127)
    d = np.where(zero, np.float32(0), 1 / np.where(zero, np.float32(1), inverse))
    return np.asarray(d.astype(np.float64) * q).reshape(x.shape)


def llama_product(dtype: GGMLQuantizationType, w: F64, x: F32) -> F64:
    """The product in llama.cpp's scheme, summed in float64. `w` is the dequantized weight matrix (N, K)."""
    in_super_blocks = GGML_QUANT_SIZES[dtype][0] == _SUPER_BLOCK
    rounded = q8_k_round_trip(x) if in_super_blocks else q8_0_round_trip(x)
    return np.asarray(rounded @ w.T)


def has_llama_product(dtype: GGMLQuantizationType) -> bool:
    """Whether llama.cpp quantizes the activations for weights of this type: not for float weights."""
    return GGML_QUANT_SIZES[dtype][0] > 1
