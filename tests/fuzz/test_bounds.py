# SPDX-License-Identifier: MIT
"""The bounds that docs/arithmetic.md states, tried on every value of `a` and at every extreme, in 64-bit integers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

I64 = npt.NDArray[np.int64]

MAX_K = 1048576
A = np.arange(16384, 32768, dtype=np.int64)  # every largest magnitude that a block can have
LARGEST_DA = 16512
INT32_MAX = 2**31 - 1


def sat16(x: I64) -> I64:
    return np.clip(x, -32768, 32767)


def mpyr(a: I64, b: I64 | int) -> I64:
    """vmpy:<<1:rnd:sat, and proof that its operands are 16-bit numbers."""
    for operand in (a, np.asarray(b)):
        assert operand.min() >= -32768
        assert operand.max() <= 32767
    return sat16((2 * a * b + 0x8000) >> 16)


def reciprocal(a: I64) -> I64:
    z = 23130 - mpyr(a - 24576, 30840)
    for _ in range(2):
        z = sat16(z + mpyr(z, 2 * (16384 - mpyr(a, z))))
    return mpyr(z, 32512)


def clog2(n: int) -> int:
    return (n - 1).bit_length()


def test_int8_activations_stay_within_127_and_reach_it() -> None:
    r = reciprocal(A)
    for sign in (-1, 1):
        q = (mpyr(sign * A, r) + 64) >> 7
        assert (q == sign * 127).all()


def test_int8_activations_are_within_one_of_the_exact_quotient() -> None:
    for a in range(16384, 32768, 61):
        xi = np.arange(-a, a + 1, dtype=np.int64)
        q = (mpyr(xi, reciprocal(np.array([a], dtype=np.int64))) + 64) >> 7
        assert np.abs(q - xi * 127 / a).max() < 0.52


def test_block_scales_and_scaled_sums_fit_16_bits() -> None:
    v = mpyr(A, 16513)
    assert v.min() > 0
    assert v.max() == LARGEST_DA
    largest_sum = 32 * 127
    for s in (-largest_sum, largest_sum):
        assert -32768 <= (LARGEST_DA * s + 1024) >> 11 <= 32767


def test_int16_activations_are_within_8192() -> None:
    xi = np.arange(-32767, 32768, dtype=np.int64)
    q = (xi + 2) >> 2
    assert q.min() == -8192
    assert q.max() == 8192


def test_integer_sums_stay_within_int32_for_any_tile() -> None:
    largest_e = int(np.abs(mpyr(np.array([-32768, 32767]), LARGEST_DA)).max())
    assert largest_e == LARGEST_DA
    # Type: largest weight, k per scale block, ps, largest P16 of the page.
    for w, k, ps, stated in ((8, 32, 0, 32512), (128, 32, 4, 32512), (15, 32, 1, 30480), (32, 16, 1, 32512)):
        p16 = (w * 127 * k + ((1 << ps) >> 1)) >> ps
        assert p16 == stated
        pa = 4 * p16 * largest_e
        assert pa <= INT32_MAX
        for n_groups in [*range(1, 130), 255, 256, 257, MAX_K // k // 4]:
            ds = clog2(n_groups)
            assert n_groups * (pa >> ds) <= INT32_MAX
            assert n_groups * (-pa >> ds) >= -INT32_MAX - 1


def test_minimum_sums_stay_within_int32_for_any_tile() -> None:
    assert ((8 * 63 * 32766 + 256) >> 9) <= 32767  # valid minimums do not saturate
    for n_super_blocks in [*range(1, 130), MAX_K // 256]:
        dm = clog2(n_super_blocks)
        for product in (32768 * 32768, -32768 * 32767):
            assert abs(n_super_blocks * (product >> dm)) <= 2**30


def test_float_sums_stay_within_int32_for_valid_tiles() -> None:
    p = 2**17 * 8192  # the magnitudes of a block of weights add up to 2^17 at most
    for n_blocks in [*range(1, 520), MAX_K // 32]:
        ds = clog2(-(-n_blocks // 4))
        assert n_blocks * (p >> (ds + 2)) <= INT32_MAX
        assert n_blocks * (-p >> (ds + 2)) >= -INT32_MAX - 1
        assert 15 + (14 - ds) + ds + 2 <= 31  # the nibble of padding, the activations' distance, DS
