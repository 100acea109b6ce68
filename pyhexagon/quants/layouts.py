# SPDX-License-Identifier: MIT
"""The types that the DSP takes: the tables of docs/arithmetic.md, sections 2 and 4."""

from __future__ import annotations

from typing import Final

from gguf import GGMLQuantizationType as Q

from pyhexagon.quants import codes, scales
from pyhexagon.quants.tiles import BlockMinimums, Layout, SuperMinimums


def _of_8(first: int, step: int) -> tuple[int, ...]:
    """A vector of each of 8 blocks."""
    return tuple(range(first, first + 8 * step, step))


_Q6_K_SCALES: Final = tuple(14 * block + 12 + half for block in range(8) for half in range(2))

LAYOUTS: Final[dict[Q, Layout]] = {
    Q.F32: Layout(33, 15, scales.f32, codes.f32, (32,), activation_exponent=153),
    Q.F16: Layout(33, 15, scales.f16, codes.f16, (32,), activation_exponent=153),
    Q.BF16: Layout(33, 15, scales.bf16, codes.bf16, (32,), activation_exponent=153),
    Q.Q4_0: Layout(9, 0, scales.half_first, codes.nibbles_at(2), (8,)),
    Q.Q4_1: Layout(10, 0, scales.with_minimums_of(8), codes.nibbles_at(4), (8,), BlockMinimums(9, centre=8)),
    Q.Q5_0: Layout(11, 1, scales.half_first, codes.five_bits_at(2), (10,)),
    Q.Q5_1: Layout(12, 1, scales.with_minimums_of(16), codes.five_bits_at(4), (10,), BlockMinimums(11, centre=16)),
    Q.Q8_0: Layout(17, 4, scales.half_first, codes.q8_0, (16,)),
    Q.Q2_K: Layout(42, 4, scales.q2_k, codes.q2_k, (0,), SuperMinimums(1, 3), 256, scale_blocks=16, spare_bits=2),
    Q.Q3_K: Layout(57, 5, scales.q3_k, codes.q3_k, (0,), unit_size=256, scale_blocks=16, spare_bits=2),
    Q.Q4_K: Layout(77, 1, scales.q4_k, codes.q4_k, _of_8(8, 9), SuperMinimums(76, 5), unit_size=256, scale_blocks=8),
    Q.Q5_K: Layout(93, 2, scales.q4_k, codes.q5_k, _of_8(10, 11), SuperMinimums(92, 5), unit_size=256, scale_blocks=8),
    Q.Q6_K: Layout(112, 1, scales.q6_k, codes.q6_k, _Q6_K_SCALES, unit_size=256, scale_blocks=16),
    Q.IQ4_NL: Layout(9, 4, scales.half_first, codes.nibbles_at(2), (8,)),
    Q.IQ4_XS: Layout(72, 4, scales.iq4_xs, codes.iq4_xs, _of_8(8, 9), unit_size=256, scale_blocks=8),
    Q.MXFP4: Layout(9, 1, scales.mxfp4, codes.nibbles_at(1), (8,)),
}

F16_SCALES: Final[dict[Q, tuple[int, ...]]] = {
    Q.Q4_0: (0,),
    Q.Q4_1: (0, 2),
    Q.Q5_0: (0,),
    Q.Q5_1: (0, 2),
    Q.Q8_0: (0,),
    Q.Q2_K: (80, 82),
    Q.Q3_K: (108,),
    Q.Q4_K: (0, 2),
    Q.Q5_K: (0, 2),
    Q.Q6_K: (208,),
    Q.IQ4_NL: (0,),
    Q.IQ4_XS: (0,),
}
"""The bytes of a GGUF block at which its float16 scale lies, and its minimum or the scale of its minimums."""
