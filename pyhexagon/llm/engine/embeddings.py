# SPDX-License-Identifier: MIT
"""Rows in place of the embeddings of tokens: images in a prompt.

Each row stands in a prompt as a token with a negative id. The id is a hash of what the row was made of, so that prefix
caching compares images as it compares text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


class GridPlace(NamedTuple):
    """The place of a row in an image: its number, row by row, and the size of the image."""

    number: int
    n_rows: int
    n_columns: int


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Rows by their negative ids.

    Attributes:
        rows: (width,) float32 each.
        blocks: for each row of those that attend to each other in both directions, in one message: how many there are
            from it to their end.
        grids: the place of each row in an image, for models that place images in rows and columns.
    """

    rows: Mapping[int, F32] = field(default_factory=dict, repr=False)
    blocks: Mapping[int, int] = field(default_factory=dict)
    grids: Mapping[int, GridPlace] = field(default_factory=dict)

    def __contains__(self, token: int) -> bool:
        return token in self.rows

    def positions(self, tokens: Sequence[int]) -> I32:
        """Return the positions of a sequence's tokens for RoPE: time, row, column, and time again, (4, n).

        The rows of an image have one time. After it, positions go on behind its larger side.
        """
        result = np.empty((4, len(tokens)), np.int32)
        after = base = 0
        last: GridPlace | None = None
        for at, token in enumerate(tokens):
            place = self.grids.get(token) if token < 0 else None
            if place is None:
                result[:, at] = base = after
                after += 1
            else:
                if last is None or place.number != last.number + 1:  # another image
                    base = after
                row, column = divmod(place.number, place.n_columns)
                result[:, at] = base, base + row, base + column, base
                after = base + max(place.n_rows, place.n_columns)
            last = place
        return result


NO_EMBEDDINGS: Final = Embeddings()


class EmbeddingTable:
    """Collects the rows of a prompt, and gives them ids."""

    def __init__(self) -> None:
        self._rows: dict[int, F32] = {}
        self._blocks: dict[int, int] = {}
        self._grids: dict[int, GridPlace] = {}

    def add(
        self, rows: F32, digest: bytes, *, is_causal: bool, grid: tuple[int, int] | None = None
    ) -> list[int]:
        """Return the ids of rows, (N, width).

        Args:
            digest: a hash of what they were made of.
            is_causal: each row attends to the rows before it only.
            grid: rows and columns that they have in the image, for models that place them so.
        """
        ids = [self._id(digest, number, row) for number, row in enumerate(rows)]
        if not is_causal:
            self._blocks |= {token: len(ids) - at for at, token in enumerate(ids)}
        if grid is not None:
            self._grids |= {token: GridPlace(at, *grid) for at, token in enumerate(ids)}
        return ids

    def _id(self, digest: bytes, number: int, row: F32) -> int:
        """Return a row's id, of 31 bits. Rows that differ have different ones."""
        attempt = 0
        while True:
            hashed = hashlib.sha256(b"%b %d %d" % (digest, number, attempt)).digest()
            token = -1 - (int.from_bytes(hashed[:4], "little") >> 1)
            if token not in self._rows or np.array_equal(self._rows[token], row):
                self._rows[token] = row
                return token
            attempt += 1

    def embeddings(self) -> Embeddings:
        """Return the rows so far."""
        return Embeddings(dict(self._rows), dict(self._blocks), dict(self._grids))


def embedding_numbers(tokens: Sequence[int], given: Sequence[Embeddings], n_rows: int) -> tuple[I32, I32]:
    """Return the input that tells rows from tokens, (n_rows,), and the bits of the rows, one after the other.

    Args:
        tokens: of a message.
        given: the rows that each token may stand for.
        n_rows: of the program; the last ones may be unused.
    """
    width = next(len(embeddings.rows[token]) for token, embeddings in zip(tokens, given, strict=True) if token < 0)
    choice = np.arange(n_rows, dtype=np.int32)
    rows = np.zeros((n_rows, width), np.float32)
    for at, (token, embeddings) in enumerate(zip(tokens, given, strict=True)):
        if token < 0:
            choice[at] = n_rows + at
            rows[at] = embeddings.rows[token]
    return choice, rows.reshape(-1).view(np.int32)
