# SPDX-License-Identifier: MIT
"""A plain quantizer for Q4_K and Q6_K, which the gguf package only dequantizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]


def _half(x: F32) -> U8:
    return x.astype(np.float16).view(np.uint8).reshape(-1, 2)


def _over(x: F32, y: F32) -> F32:
    result: F32 = np.divide(x, y, out=np.zeros(np.broadcast_shapes(x.shape, y.shape), np.float32), where=y != 0)
    return result


def _q4_k(x: F32) -> U8:
    x = x.reshape(-1, 8, 32)
    minimum = -np.minimum(x.min(-1), 0)
    scale = (x.max(-1) + minimum) / 15
    d, dmin = (one.max(-1).astype(np.float16).astype(np.float32) / 63 for one in (scale, minimum))
    d, dmin = (one.astype(np.float16).astype(np.float32) for one in (d, dmin))
    sc, m = (np.clip(np.rint(_over(a, b[:, None])), 0, 63).astype(np.uint8) for a, b in ((scale, d), (minimum, dmin)))
    code = np.rint(_over(x + (dmin[:, None] * m)[..., None], (d[:, None] * sc)[..., None]))
    code = np.clip(code, 0, 15).astype(np.uint8)
    low, high = slice(0, 4), slice(4, 8)
    scales = [sc[:, low] | sc[:, high] >> 4 << 6, m[:, low] | m[:, high] >> 4 << 6, sc[:, high] & 15 | m[:, high] << 4]
    return np.concatenate([_half(d), _half(dmin), *scales, (code[:, ::2] | code[:, 1::2] << 4).reshape(-1, 128)], -1)


def _q6_k(x: F32) -> U8:
    x = x.reshape(-1, 16, 16)
    scale = abs(x).max(-1) / 31
    d = (scale.max(-1) / 127).astype(np.float16).astype(np.float32)
    sc = np.clip(np.rint(_over(scale, d[:, None])), 0, 127).astype(np.uint8)
    code = np.clip(np.rint(_over(x, (d[:, None] * sc)[..., None])) + 32, 0, 63).astype(np.uint8).reshape(-1, 2, 4, 32)
    low = (code[:, :, :2] & 15 | code[:, :, 2:] << 4).reshape(-1, 128)
    high = sum(code[:, :, i] >> 4 << 2 * i for i in range(4)).reshape(-1, 64)
    return np.concatenate([low, high, sc, _half(d)], -1)


QUANTISE: Final[Mapping[Type, Callable[[F32], U8]]] = {Type.Q4_K: _q4_k, Type.Q6_K: _q6_k}


def quantise(x: F32, kind: Type) -> U8:
    """Return rows of whole blocks in GGUF's layout."""
    return QUANTISE[kind](x).reshape(*x.shape[:-1], -1)
