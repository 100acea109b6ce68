# SPDX-License-Identifier: MIT
"""Operands from seeds, by splitmix64 and integer operations only, so that they do not depend on NumPy's version.

Word i of seed s is mix(2^32 * s + i), where mix is the output function of splitmix64 for the counter
(i + 1) * 0x9e3779b97f4a7c15.
"""

from __future__ import annotations

import hashlib
from math import prod
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon.quants.layouts import F16_SCALES

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]


def words(seed: int, n: int) -> npt.NDArray[np.uint32]:
    """Return the first n words of a seed: the upper halves of splitmix64's outputs."""
    counter = np.arange(1, n + 1, dtype=np.uint64) + np.uint64(seed << 32)
    z = counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return np.asarray((z ^ z >> np.uint64(31)) >> np.uint64(32), np.uint32)


def weight_bytes(dtype: Q, n: int, k: int, seed: int) -> U8:
    """Return GGUF bytes (n, row bytes): any codes; scales and floats of 2^-7 to 2^-4, of either sign."""
    block, size = gguf.GGML_QUANT_SIZES[dtype]
    n_bytes = n * (k // block) * size
    raw = words(seed, -(-n_bytes // 4)).astype("<u4").view(np.uint8)[:n_bytes].reshape(n, -1)
    if dtype == Q.F32:
        bits = raw.view("<u4")
        bits[...] = bits & 0x807FFFFF | (120 + (bits >> 23 & 3)) << 23
    elif dtype == Q.F16:
        _limit_exponents(raw.view("<u2"))
    elif dtype == Q.BF16:
        halves = raw.view("<u2")
        halves[...] = halves & 0x807F | (120 + (halves >> 7 & 3)) << 7
    elif dtype == Q.MXFP4:
        scales = raw.reshape(n, -1, size)[:, :, 0]
        scales[...] = 120 + (scales & 3)
    elif dtype == Q.NVFP4:
        scales = raw.reshape(n, -1, size)[:, :, :4]
        scales[...] = 0x18 | scales & 31
    elif dtype == Q.IQ1_M:
        last = raw.reshape(n, -1, size)[:, :, -1]
        last[...] = 0x20 | last & 0x8F
    else:
        blocks = raw.reshape(n, -1, size)
        for at in F16_SCALES[dtype]:
            half = np.ascontiguousarray(blocks[:, :, at : at + 2])
            _limit_exponents(half.view("<u2"))
            blocks[:, :, at : at + 2] = half
    return raw


def _limit_exponents(halves: npt.NDArray[np.uint16]) -> None:
    halves[...] = halves & 0x83FF | (8 + (halves >> 10 & 3)) << 10


def floats(shape: tuple[int, ...], seed: int) -> F32:
    """Return float32 of 2^-8 to 2^8, of either sign."""
    bits = words(seed, prod(shape)).reshape(shape)
    bits[...] = bits & 0x807FFFFF | (119 + (bits >> 23 & 15)) << 23
    return bits.view(np.float32)


def activations(m: int, k: int, seed: int) -> F32:
    """Return (m, k) floats. With four rows or more, row 2 is zero, and row 3 has a NaN."""
    x = floats((m, k), seed)
    if m >= 4:
        x[2] = 0
        x[3, k // 2] = np.uint32(0x7FC00000).view(np.float32)
    return x


def digest(*arrays: npt.NDArray[Any]) -> str:
    """Return the first 128 bits of the SHA-256 over the arrays' bytes, in hexadecimal."""
    together = hashlib.sha256()
    for array in arrays:
        together.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
    return together.hexdigest()[:32]
