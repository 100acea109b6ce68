# SPDX-License-Identifier: MIT
"""Limits on an op's work, so that every request ends: PHX_MAX_ELEMENTS, _ROWS and _PRODUCTS of idl/contract.h."""

from __future__ import annotations

from math import prod

from pyhexagon._ffi.contract import MAX_ELEMENTS, MAX_PRODUCTS, MAX_ROWS
from pyhexagon.errors import ArgumentError

_HINT = "split it into several ops, each over a part of the rows"


def check_view(op: str, shape: tuple[int, ...]) -> None:
    """Raise unless one op can process an operand or result of this shape, however little memory it takes.

    Raises:
        ArgumentError: the shape has too many elements or rows.
    """
    for what, n, most in (("elements", prod(shape), MAX_ELEMENTS), ("rows", prod(shape[:-1]), MAX_ROWS)):
        if n > most and 0 not in shape:
            raise ArgumentError(f"{op} of {shape}: {n:,} {what}, an op takes {most:,} at most", hint=_HINT)


def check_products(op: str, shape: tuple[int, ...], each: int) -> None:
    """Raise if a result of this shape, with ``each`` multiplications per element, would take one op minutes.

    Raises:
        ArgumentError: there are too many multiplications.
    """
    n = prod(shape) * each
    if n > MAX_PRODUCTS:
        raise ArgumentError(f"{op} to {shape}: {n:,} products, an op takes {MAX_PRODUCTS:,} at most", hint=_HINT)
