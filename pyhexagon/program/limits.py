# SPDX-License-Identifier: MIT
"""What an op may visit, so that a request ends: PHX_MAX_ELEMENTS, _ROWS and _PRODUCTS of idl/contract.h."""

from __future__ import annotations

from math import prod

from pyhexagon._ffi.contract import MAX_ELEMENTS, MAX_PRODUCTS, MAX_ROWS
from pyhexagon.errors import ArgumentError

_HINT = "cut it into several ops, each of a part of the rows"


def check_view(op: str, shape: tuple[int, ...]) -> None:
    """Refuses rows of an operand or result that are too many for one op, however little memory they take.

    Raises:
        ArgumentError: it has too many elements or rows.
    """
    for what, n, most in (("elements", prod(shape), MAX_ELEMENTS), ("rows", prod(shape[:-1]), MAX_ROWS)):
        if n > most and 0 not in shape:
            raise ArgumentError(f"{op} of {shape}: {n:,} {what}, an op takes {most:,} at most", hint=_HINT)


def check_products(op: str, shape: tuple[int, ...], each: int) -> None:
    """Refuses a result whose elements take so many multiplications each that one op would take minutes.

    Raises:
        ArgumentError: they are too many.
    """
    n = prod(shape) * each
    if n > MAX_PRODUCTS:
        raise ArgumentError(f"{op} to {shape}: {n:,} products, an op takes {MAX_PRODUCTS:,} at most", hint=_HINT)
