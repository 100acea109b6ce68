# SPDX-License-Identifier: MIT
"""Limits of the operands and of the results of matrices: Gemma 4's encoder was trained with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isnan
from typing import Final, NamedTuple

from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.weights import Shapes, as_float32

LIMITS: Final = ".input_min", ".input_max", ".output_min", ".output_max"


class MatrixLimits(NamedTuple):
    """The least and the largest value of a matrix's operands, and of its results."""

    operands: tuple[float, float]
    results: tuple[float, float]


def limit_shapes(matrices: Sequence[str]) -> Shapes:
    """Return the tensors that limit matrices, with the names of their dimensions.

    Args:
        matrices: names without ``.weight``.
    """
    return {f"{name}{end}": ("one",) for name in matrices for end in LIMITS}


def limits_of(file: GGUFFile, names: Iterable[str]) -> dict[str, MatrixLimits]:
    """Return the limits of each matrix that has some, by its name without ``.weight``; one that is missing is infinite.

    Args:
        names: of the tensors that the encoder uses.

    Raises:
        UnsupportedError: a limit is NaN, or the least value is above the largest.
    """
    known = set(names)
    result: dict[str, MatrixLimits] = {}
    for stem in sorted({name.rpartition(".")[0] for name in known if name.endswith(LIMITS)}):
        values = [
            float(as_float32(file, f"{stem}{end}").item()) if f"{stem}{end}" in known else (-inf, inf)[at % 2]
            for at, end in enumerate(LIMITS)
        ]
        one = MatrixLimits((values[0], values[1]), (values[2], values[3]))
        for least, largest in one:
            if isnan(least) or isnan(largest) or least > largest:
                raise UnsupportedError(f"{file.path}: the limits of {stem} are {least} and {largest}")
        result[stem] = one
    return result
