# SPDX-License-Identifier: MIT
"""Rows in place of the embeddings of tokens: images in a prompt.

Each row stands in a prompt as a token with a negative id. The id is a hash of what the row was made of, so that prefix
caching compares images as it compares text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Embeddings:
    """Rows by their negative ids.

    Attributes:
        rows: (width,) float32 each.
        blocks: for each row of those that attend to each other in both directions, in one message: how many there are
            from it to their end.
    """

    rows: Mapping[int, F32] = field(default_factory=dict, repr=False)
    blocks: Mapping[int, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __contains__(self, token: int) -> bool:
        return token in self.rows


NO_EMBEDDINGS: Final = Embeddings()


class EmbeddingTable:
    """Collects the rows of a prompt, and gives them ids."""

    def __init__(self) -> None:
        self._rows: dict[int, F32] = {}
        self._blocks: dict[int, int] = {}

    def add(self, rows: F32, digest: bytes, *, is_causal: bool) -> list[int]:
        """Return the ids of rows, (N, width).

        Args:
            digest: a hash of what they were made of.
            is_causal: each row attends to the rows before it only.
        """
        ids = [self._id(digest, number, row) for number, row in enumerate(rows)]
        if not is_causal:
            self._blocks |= {token: len(ids) - at for at, token in enumerate(ids)}
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
        return Embeddings(dict(self._rows), dict(self._blocks))


def embedding_numbers(tokens: Sequence[int], given: Sequence[Embeddings], n_rows: int, width: int) -> tuple[I32, I32]:
    """Return the input that tells rows from tokens, (n_rows,), and the bits of the rows, (n_rows * width,).

    Args:
        tokens: of a message.
        given: the rows that each token may stand for.
        n_rows: of the program; the last ones may be unused.
        width: of a row.
    """
    choice = np.arange(n_rows, dtype=np.int32)
    rows = np.zeros((n_rows, width), np.float32)
    for at, (token, embeddings) in enumerate(zip(tokens, given, strict=True)):
        if token < 0:
            choice[at] = n_rows + at
            rows[at] = embeddings.rows[token]
    return choice, rows.reshape(-1).view(np.int32)
