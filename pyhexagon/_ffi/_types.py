# SPDX-License-Identifier: MIT
# Made by pyhexagon/_ffi/build.py from idl/types.h, which says what the fields are; do not edit.
from typing import Final, NamedTuple


class WeightType(NamedTuple):
    k_step: int
    scales_per_block: int
    vectors_per_block: int
    lead_vectors: int
    trail_vectors: int
    group_vectors: int
    centre: int
    sum_shift: int
    is_unbiased: int
    product_shift: int
    exponent: int
    spare_bits: int
    minimums: str
    minimum_shift: int
    is_float: int


WEIGHT_TYPES: Final = {
    "F32": WeightType(1, 1, 32, 0, 0, 1, 0, 0, 0, 0, 15, 0, "", 0, 1),
    "F16": WeightType(1, 1, 32, 0, 0, 1, 0, 0, 0, 0, 15, 0, "", 0, 1),
    "BF16": WeightType(1, 1, 32, 0, 0, 1, 0, 0, 0, 0, 15, 0, "", 0, 1),
    "Q4_0": WeightType(32, 1, 9, 0, 0, 0, 8, 0, 0, 0, 0, 0, "", 0, 0),
    "Q4_1": WeightType(32, 1, 10, 0, 0, 0, 8, 0, 0, 0, 0, 0, "PHX_MINIMUMS_OF_BLOCKS", 0, 0),
    "Q5_0": WeightType(32, 1, 11, 0, 0, 0, 16, 1, 0, 0, 1, 0, "", 0, 0),
    "Q5_1": WeightType(32, 1, 12, 0, 0, 0, 16, 1, 1, 0, 1, 0, "PHX_MINIMUMS_OF_BLOCKS", 0, 0),
    "Q8_0": WeightType(32, 1, 17, 0, 0, 0, 128, 4, 0, 0, 4, 0, "", 0, 0),
    "Q2_K": WeightType(256, 2, 5, 2, 0, 0, 0, 0, 0, 0, 4, 2, "PHX_MINIMUMS_OF_SUPER_BLOCKS", 7, 0),
    "Q3_K": WeightType(256, 2, 6, 1, 0, 3, 4, 0, 0, 0, 5, 2, "", 0, 0),
    "Q4_K": WeightType(256, 1, 8, 0, 4, 2, 0, 1, 1, 0, 9, 1, "PHX_MINIMUMS_IN_SUMS", 9, 0),
    "Q5_K": WeightType(256, 1, 10, 0, 4, 2, 0, 2, 1, 0, 10, 1, "PHX_MINIMUMS_IN_SUMS", 9, 0),
    "Q6_K": WeightType(256, 2, 13, 1, 0, 0, 32, 1, 0, 8, 9, 1, "", 0, 0),
    "IQ4_NL": WeightType(32, 1, 9, 0, 0, 0, 0, 4, 0, 0, 4, 0, "", 0, 0),
    "IQ4_XS": WeightType(256, 1, 8, 4, 0, 0, 0, 4, 0, 0, 9, 0, "", 0, 0),
    "MXFP4": WeightType(32, 1, 8, 0, 0, 1, 0, 1, 1, 0, 1, 0, "", 0, 0),
    "IQ3_XXS": WeightType(256, 2, 10, 0, 0, 0, 0, 1, 1, 0, 1, 0, "", 0, 0),
    "IQ2_S": WeightType(256, 2, 10, 0, 0, 0, 0, 2, 1, 0, 2, 0, "", 0, 0),
    "NVFP4": WeightType(64, 2, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", 0, 0),
}
