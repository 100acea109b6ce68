# SPDX-License-Identifier: MIT
"""Multiplications of Hexagon instructions, from QEMU's disassembly."""

from __future__ import annotations

import re
from typing import Final

_MULTIPLY: Final = re.compile(r"(?:\bv\d+(:\d+)?\S* [+-]?= ?)?\b([a-z]*mp(?:y|a)\w*)\((.*)")
_VECTOR: Final = re.compile(r"v\d+(:\d+)?\.u?([bhw])")
_ELEMENT_BYTES: Final = {"b": 1, "u": 1, "h": 2, "w": 4}


def macs(instruction: str) -> int:
    """Return how many elements an instruction multiplies, which with their additions are its MACs.

    A vector instruction multiplies each element of its first source: 128 bytes, or 256 of a pair. A scalar one
    multiplies once, or for names such as ``vmpyh`` each element of its first source.
    """
    found = _MULTIPLY.search(instruction.lower())
    if found is None:
        return 0
    to_pair, name, sources = found.groups()
    vector = _VECTOR.match(sources)
    if vector is not None:
        n = (256 if vector[1] else 128) // _ELEMENT_BYTES[vector[2]]
        return n // 2 if name == "vdmpy" and vector[1] and not to_pair else n  # it takes two neighbours of 96 halves
    if not name.startswith("v"):
        return 1
    kind = re.search(r"mpy([bhuw])", name)
    is_pair = ":" in sources.partition(",")[0]
    return (8 if is_pair else 4) // (_ELEMENT_BYTES[kind[1]] if kind else 2)
