# SPDX-License-Identifier: MIT
"""Which products of a program CPU and DSP share, and the memory in which they meet for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pyhexagon._ffi import contract
from pyhexagon.program.assign import Op, S
from pyhexagon.quants import TILE_ROWS

_PART: Final = 1024  # elements of a row that a matmul quantizes at a time, to 2,304 bytes at most
# Parts of all rows of activations of a shared product; MOST_ROW_BYTES and more in dsp/ops/matmul/meeting.c
MOST_SHARED: Final = {"mul_mat": 1280, "mul_mat_id": 848}
MOST_MEETING_BYTES: Final = 64 << 20  # of a program


class Meeting(NamedTuple):
    """Where CPU and DSP meet for a product whose rows they share (idl/contract.h).

    Attributes:
        op: the index of the product in its piece, or in the plan.
        first_tile: the CPU computes the tiles of the weight from this one on.
        offset: in the memory of the program's meetings.
        nbytes: of the meeting.
    """

    op: int
    first_tile: int
    offset: int
    nbytes: int


class _Shared(NamedTuple):
    op: int  # the product's index in the plan
    n_tiles: int
    n_cpu: int  # tiles that the CPU may compute
    tile_bytes: int  # in the meeting, for each tile of the CPU


def plan(ops: Sequence[Op[S]], cpu_tiles: Callable[[int, int], int]) -> dict[int, Meeting]:
    """Leave the last tiles of products to the CPU, fewer if the meetings would be too large.

    Args:
        cpu_tiles: returns how many of a product's tiles the CPU computes, given its number and its tiles.

    Returns:
        the meetings by the index of their op; they follow each other in memory without gaps.
    """
    wanted: list[_Shared] = []
    for index, op in enumerate(ops):
        if not _may_share(op):
            continue
        n = op.result.shape[-1]
        n_tiles = -(-n // TILE_ROWS)
        each = meeting_tile_bytes(op.result.size // n)
        wanted.append(_Shared(index, n_tiles, cpu_tiles(op.number, n_tiles), each))
    meetings: dict[int, Meeting] = {}
    offset = 0
    bounded = bounded_tiles([(shared.n_cpu, shared.tile_bytes) for shared in wanted])
    for shared, n_cpu in zip(wanted, bounded, strict=True):
        if n_cpu:
            nbytes = meeting_bytes(n_cpu, shared.tile_bytes)
            meetings[shared.op] = Meeting(shared.op, shared.n_tiles - n_cpu, offset, nbytes)
            offset += nbytes
    return meetings


def _may_share(op: Op[S]) -> bool:
    """Return whether the CPU may compute tiles of an op: a product whose rows the DSP takes at once."""
    name = op.node.row.name
    if name not in MOST_SHARED or op.sources[0] is None or op.sources[1] is None:
        return False
    *matrices, _, k = op.sources[0][0].storage.shape
    n_rows, n_x = op.result.size // op.result.shape[-1], op.sources[1][0].size // k
    return (name == "mul_mat_id" or not matrices) and may_share(name, n_rows, n_x, k)


def may_share(name: str, n_rows: int, n_x: int, k: int) -> bool:
    """Return whether the DSP takes the rows of a product at once, so that the CPU may compute tiles of it.

    Args:
        name: of the op.
        n_rows: rows of results.
        n_x: rows of activations, of K elements each.
    """
    return n_rows <= contract.MEETING_MOST_ROWS and n_x * -(-k // _PART) <= MOST_SHARED[name]


def meeting_tile_bytes(n_rows: int) -> int:
    """Return the bytes in a meeting for each tile of the CPU, of a product with n_rows rows of results."""
    return contract.MEETING_HEAD_BYTES + n_rows * contract.MEETING_ROW_BYTES


def meeting_bytes(n_tiles: int, tile_bytes: int) -> int:
    """Return the size of a meeting for n_tiles tiles of the CPU."""
    return 2 * contract.MEETING_HEAD_BYTES + n_tiles * tile_bytes


def bounded_tiles(wanted: Sequence[tuple[int, int]]) -> list[int]:
    """Return how many tiles the CPU computes of each product of a program: fewer if the meetings would be too large.

    Args:
        wanted: for each product, the tiles that the CPU may compute, and their bytes in the meeting.
    """
    n_bytes = max(sum(n_tiles * tile_bytes for n_tiles, tile_bytes in wanted), MOST_MEETING_BYTES)
    return [n_tiles * MOST_MEETING_BYTES // n_bytes for n_tiles, _ in wanted]
