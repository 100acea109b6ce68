# SPDX-License-Identifier: MIT
"""Weights and activations of the op tests, with the golden outputs of tests/oracle.py.

With PYHEXAGON_TEST_SHAPES=small, which tests/wheels sets on emulated processors, weights have at most MOST_N rows, the
longest rows are an eighth as long, every tenth random case is used, and accuracy is measured for up to 7 rows of
activations. All types, transports, special values and other sizes stay.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

import numpy as np
import oracle
import weights
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Q

from ops.placed import F32, U8, Product, Weight, pack
from pyhexagon.quants import MAX_K

FLOATS = weights.FLOATS
SMALL = os.environ.get("PYHEXAGON_TEST_SHAPES") == "small"
MOST_N = 130 if SMALL else 1200
ODD_N = tuple(n for n in (1, 31, 33, 64, 65, 127, 1000) if n <= MOST_N)
ODD_M = (0, 1, 2, 3, 4, 5, 32, 33)
ODD_K = {
    **dict.fromkeys(FLOATS, (1, 31, 32, 33, 300)),
    **{dtype: (32, 160) for dtype in weights.TYPES if GGML_QUANT_SIZES[dtype][0] == 32},  # a group of four and one more
    **{dtype: (256, 768) for dtype in weights.TYPES if GGML_QUANT_SIZES[dtype][0] == 256},
    Q.NVFP4: (64, 320),
    Q.Q8_0: (32, 288),
    Q.Q6_K: (256, 1280),
}
RANDOM_SEEDS = tuple(range(0, 200, 10 if SMALL else 1))


@dataclass(frozen=True)
class Case:
    """A weight, activations, and their specified product."""

    name: str
    weight: Weight
    x: F32
    want: F32
    padding: int = 0

    def rows(self, m: int) -> Product:
        """Return the product of the first m rows."""
        return Product(self.weight, self.x[:m], self.padding)


def make(name: str, dtype: Q, raw: U8, x: F32, padding: int = 0) -> Case:
    n, k = len(raw), x.shape[1]
    with np.errstate(all="ignore"):
        weight = pack(dtype, raw, n, k)
        want = oracle.matmul_exact(dtype, raw, n, k, x)
    return Case(f"{dtype.name} N={n} K={k} M={len(x)} {name}", weight, x, want, padding)


def mixed_bytes(dtype: Q, n: int, k: int, rng: np.random.Generator) -> U8:
    """Return rows of quantized normal numbers and rows of random bits in turn."""
    raw: U8 = weights.quantize(rng.standard_normal((n, k), dtype=np.float32), dtype).copy()
    raw[1::2] = weights.random_bytes(dtype, n, k, rng)[1::2]
    return raw


def mixed_activations(m: int, k: int, rng: np.random.Generator) -> F32:
    """Return normal numbers, 1% of them 30 times larger, in blocks of 32 of different magnitudes."""
    x = rng.standard_normal((m, k), dtype=np.float32)
    x[rng.random((m, k)) < 0.01] *= 30
    scale = np.ldexp(np.float32(1), rng.integers(-12, 4, (m, -(-k // 32))))
    return np.asarray(x * scale.repeat(32, axis=1)[:, :k], np.float32)


@cache
def odd_size(dtype: Q, n: int, k: int) -> Case:
    rng = np.random.default_rng([int(dtype), n, k])
    return make("odd size", dtype, mixed_bytes(dtype, n, k, rng), mixed_activations(ODD_M[-1], k, rng))


@cache
def random_case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    dtype = weights.TYPES[rng.integers(len(weights.TYPES))]
    block = GGML_QUANT_SIZES[dtype][0]
    k = int(rng.integers(1, 700)) if dtype in FLOATS else block * int(rng.integers(1, 1 + 2048 // block))
    n, m = (1200, 8) if seed % 8 == 0 else (260, 41)  # at most
    n, m = int(rng.integers(1, min(n, MOST_N))), int(rng.integers(1, m))
    raw, x = mixed_bytes(dtype, n, k, rng), mixed_activations(m, k, rng)
    return make(f"seed {seed}", dtype, raw, x, padding=int(rng.integers(0, 4)))


@cache
def long_rows(dtype: Q) -> Case:
    """Return a case with rows so long that sums are scaled down the most; larger types would need too large tiles."""
    rng = np.random.default_rng(int(dtype))
    k = MAX_K if dtype in (Q.Q4_0, Q.Q4_K) and not SMALL else MAX_K // 8
    return make("long rows", dtype, mixed_bytes(dtype, 2, k, rng), mixed_activations(2, k, rng))


@cache
def adversarial(dtype: Q) -> tuple[Case, ...]:
    """Return cases with special values in weights and activations."""
    rng = np.random.default_rng(int(dtype))
    block, size = GGML_QUANT_SIZES[dtype]
    n, k = 70, 3 * block if block > 1 else 96
    good, x = weights.quantize(rng.standard_normal((n, k), dtype=np.float32), dtype), mixed_activations(7, k, rng)
    any_bits = rng.integers(0, 256, (n, k // block * size), np.uint8)  # NaN and infinity among the scales
    zeros = np.zeros_like(good)
    special = x.copy()
    special[1, 0], special[2, k - 1], special[3, k // 2] = np.nan, np.inf, -np.inf
    special[4], special[5, :32] = 0, -0.0
    exponents = rng.integers(0, 256, (12, -(-k // 32)), np.uint32).repeat(32, axis=1)[:, :k]  # a block has its own
    bits = rng.integers(0, 1 << 32, (12, k), np.uint32)
    extreme = (bits & 0x807FFFFF | exponents << 23).view(np.float32)
    patterns = [np.full_like(good, fill) for fill in (0x0F, 0x7F, 0x80, 0xFF)]
    largest = np.full((3, k), 3.9999998, np.float32)
    largest[1] *= -1
    largest[2, ::2] *= -1
    return (
        make("NaN, infinity and zeros in x", dtype, good, special),
        make("any exponents in x", dtype, good, extreme),
        make("subnormal x", dtype, good, (bits & 0x807FFFFF).view(np.float32)),
        make("any bits in x", dtype, good, bits.view(np.float32)),
        make("any bits in the weights", dtype, any_bits, x),
        make("any bits in both", dtype, any_bits, bits.view(np.float32)),
        make("zero weights", dtype, zeros, special),
        make("finite random bits in the weights", dtype, weights.random_bytes(dtype, n, k, rng), extreme),
        *(make(f"weights of {fill[0, 0]:#04x}", dtype, fill, largest) for fill in patterns),
    )
