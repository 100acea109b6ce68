# SPDX-License-Identifier: MIT
"""The rows of types.h for Python: for pyhexagon/_ffi/build.py and the generator of assembly, in a checkout."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple


class WeightType(NamedTuple):
    """struct phx_weight_type; types.h says what the fields are."""

    k_step: int
    scales_per_block: int
    vectors_per_block: int
    lead_vectors: int = 0
    trail_vectors: int = 0
    group_vectors: int = 0
    centre: int = 0
    sum_shift: int = 0
    is_unbiased: int = 0
    product_shift: int = 0
    exponent: int = 0
    spare_bits: int = 0
    minimums: str = ""  # the name of C's constant, or nothing
    minimum_shift: int = 0
    is_float: int = 0


def weight_types() -> dict[str, WeightType]:
    """The rows by name, in the order of the file."""
    text = Path(__file__).with_name("types.h").read_text(encoding="utf-8")
    rows = re.findall(r"^TYPE\((\w+),([^)]*)\)$", text, re.MULTILINE)
    types = {}
    for name, row in rows:
        fields: dict[str, Any] = {}
        for field, value in re.findall(r"\.(\w+) = (\w+)", row):
            fields[field] = int(value) if value.isdigit() else value
        types[name] = WeightType(**fields)
    return types
