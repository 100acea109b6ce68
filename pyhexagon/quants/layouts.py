# SPDX-License-Identifier: MIT
"""The weight types that the DSP supports, from their rows in idl/types.h."""

from __future__ import annotations

from typing import Final

from gguf import GGMLQuantizationType as Q

from pyhexagon._ffi._types import WEIGHT_TYPES, WeightType
from pyhexagon.quants.tiles import BlockMinimums, Layout, Minimums, SpreadMinimums, SuperMinimums

_SPREAD_VECTORS: Final = 4  # lead vectors with signed small scales and d16 in the upper bits


def _layout(row: WeightType) -> Layout:
    unit_size = max(row.k_step, 32)
    blocks = unit_size // 32
    vectors = blocks * row.vectors_per_block + row.lead_vectors
    if row.minimums == "PHX_MINIMUMS_IN_SUMS":
        return _spread(row)
    if row.lead_vectors == _SPREAD_VECTORS:
        leads = tuple(range(_SPREAD_VECTORS))
        return Layout(vectors, row.exponent, (), None, unit_size, blocks, row.spare_bits, six_bit_scales=leads)
    in_blocks = row.minimums == "PHX_MINIMUMS_OF_BLOCKS"
    first = row.vectors_per_block - row.scales_per_block - in_blocks
    scale_vectors = [block * row.vectors_per_block + first + i for block in range(blocks)
                     for i in range(row.scales_per_block)]  # fmt: skip
    threes: tuple[int, ...] = ()
    if row.group_vectors and row.lead_vectors:
        firsts = [row.lead_vectors + 2 * row.vectors_per_block]
        firsts.append(firsts[0] + 4 * row.vectors_per_block + row.group_vectors)
        threes = tuple(first + i for first in firsts for i in range(row.group_vectors))
        vectors += len(threes)
    elif row.group_vectors:
        scale_vectors = []
    minimums: Minimums | None = None
    if in_blocks:
        minimums = BlockMinimums(vectors - 1, row.centre)
    elif row.minimums:
        # The sum of minimums is in units of 2^(11 + minimum_shift), that of codes in units of 2^15.
        minimums = SuperMinimums(1, row.minimum_shift - 4)
    return Layout(
        vectors,
        row.exponent,
        (0,) if row.lead_vectors else tuple(scale_vectors),
        minimums,
        unit_size,
        blocks * row.scales_per_block,
        row.spare_bits,
        activation_exponent=153 if row.is_float else 147,
        group_vectors=0 if threes else row.group_vectors,
        threes=threes,
    )


def _spread(row: WeightType) -> Layout:
    """Return the layout of two groups of four blocks (scales, then codes), followed by minimums."""
    group = row.group_vectors + 4 * row.vectors_per_block
    scales = tuple(first + i for first in (0, group) for i in range(row.group_vectors))
    minimums = tuple(2 * group + i for i in range(row.trail_vectors))
    vectors = 2 * group + row.trail_vectors
    spread = SpreadMinimums(minimums, 2 + row.sum_shift)
    return Layout(vectors, row.exponent, (), spread, row.k_step, 8, row.spare_bits, six_bit_scales=scales)


_RECODED: Final[dict[Q, Q]] = {
    Q.TQ1_0: Q.Q3_K,
    Q.TQ2_0: Q.Q3_K,
    Q.IQ1_S: Q.IQ2_S,
    Q.IQ3_S: Q.Q4_K,
    Q.IQ1_M: Q.IQ2_S,
    Q.IQ2_XXS: Q.IQ2_S,
    Q.IQ2_XS: Q.IQ2_S,
}
"""The types without a tile of their own, and the types whose tiles hold the same weights."""

TILE_TYPES: Final[dict[Q, Q]] = {Q[name]: Q[name] for name in WEIGHT_TYPES} | _RECODED
"""The type of the tiles that hold each GGUF type: what the DSP is told."""

LAYOUTS: Final[dict[Q, Layout]] = {
    dtype: _layout(WEIGHT_TYPES[tile_type.name]) for dtype, tile_type in TILE_TYPES.items()
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
    Q.TQ1_0: (52,),
    Q.TQ2_0: (64,),
    Q.IQ1_S: (0,),
    Q.IQ1_M: (),
    Q.IQ2_XXS: (0,),
    Q.IQ2_XS: (0,),
    Q.IQ2_S: (0,),
    Q.IQ3_XXS: (0,),
    Q.IQ3_S: (0,),
}
"""The byte offsets of a GGUF block's float16 scale, and of its minimum or the scale of its minimums. IQ1_M spreads its
scale over the upper nibbles of its last four numbers of 16 bits."""
