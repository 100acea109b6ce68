# SPDX-License-Identifier: MIT
"""The inputs of a step's program, and the numbers that a message has for them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.files.config import Config
from pyhexagon.llm.graph.lora import Adapters
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value

I32 = npt.NDArray[np.int32]


class RowAdapters(NamedTuple):
    """The LoRA adapters of each row, U at most.

    Attributes:
        places: (M, U) int32 in the stacks; 0 for a row with fewer adapters.
        scales: (M, U) float32, factors on the products.
    """

    places: Value
    scales: Value


class StepInputs:
    """The inputs of a program for M rows of S sequences.

    Args:
        p: the program under construction.
        config: of the model.
        shape: M, S, and the largest number of pages of a sequence.
        n_wanted: number W of rows with a result.
        is_bidirectional: whether attention is bidirectional; for several sequences.
        n_draft: the number of draft tokens at the end: a checkpoint of the recurrent state before them is kept.
        n_adapters: the largest number of LoRA adapters of a sequence.
        has_embeddings: some rows have embeddings of their own in place of a token's.
        is_block: the rows, of one sequence, attend to each other in both directions, in addition to those before.
        has_places: each row has 4 positions.

    Attributes:
        tokens, positions: (M,) int32 ids and positions of the rows.
        pages: the page tables, (S, pages), or (pages,) for one sequence.
        window_pages: likewise those of sliding-window layers; None if they have none of their own.
        sequences: (M,) int32 sequence of each row; None for one sequence.
        wanted_rows: (W,) int32 rows with a result; None for one sequence.
        lengths: (S,) int32 tokens of each sequence, for bidirectional attention; None for causal attention.
        neighbours: of an encoder with convolutions, for each tap the (M,) int32 row that it takes for each row, M for a
            row of zeros; None for other models.
        state_ids: (S,) int32 ids of the slots to read, and to write at each checkpoint; see ``LayerState``.
        adapters, wanted_adapters: of the rows, and of the rows with a result; None if no sequence has adapters.
        cross_pages, cross_lengths: the page tables, (S, pages) or (pages,), and the numbers of positions, (S,), of the
            encoder's output that each sequence attends to; None without an encoder.
        learned_positions: (M,) int32 rows of the table of learned positions; None without one.
        places: (4, M) int32 positions of the rows for RoPE, of images with rows and columns; None: ``positions``.
        seen: (M,) int32 last position that each row attends to.
        chosen: (M,) int32, for each row its number if its embedding is a token's, else M more; None: all are tokens'.
        next_tokens: (M,) int32 tokens after the rows, for an MTP block; None without one.
    """

    def __init__(
        self,
        p: Builder,
        config: Config,
        shape: tuple[int, int, int],
        *,
        n_wanted: int,
        is_bidirectional: bool,
        n_draft: int,
        n_adapters: int,
        has_embeddings: bool = False,
        is_block: bool = False,
        has_places: bool = False,
    ) -> None:
        n_rows, n_sequences, n_pages = shape
        self.n_sequences, self.n_draft = n_sequences, n_draft
        has_window_pages = config.has_window_layers and not is_bidirectional
        lengths = [n_rows, n_rows, *[n_sequences * n_pages] * (1 + has_window_pages)]
        lengths += [n_rows, n_wanted] if n_sequences > 1 else []
        n_cross_pages = 0 if config.encoder is None else config.encoder.n_pages
        lengths += [n_sequences * n_cross_pages, n_sequences] if n_cross_pages else []
        lengths += [n_rows] * config.has_learned_positions
        n_taps = 0 if config.recurrence is None else config.recurrence.tables[0][0] + 1
        if is_bidirectional:
            lengths += [n_rows] * n_taps
        elif n_taps:
            lengths += [n_sequences] * (3 if n_draft else 2)
        lengths += [n_rows] * (has_embeddings + is_block) + [4 * n_rows] * has_places
        n_adapted = n_rows + n_wanted
        lengths += [n_adapted * n_adapters] if n_adapters else []
        lengths += [n_rows] * config.has_mtp
        numbers = p.input((sum(lengths),), np.int32)
        ends = accumulate(lengths)
        parts = [numbers[end - length : end] for end, length in zip(ends, lengths, strict=True)]
        self.tokens, self.positions, self.pages, *others = parts
        self.sequences = self.wanted_rows = self.lengths = self.window_pages = None
        if has_window_pages:
            self.window_pages, *others = others
        if n_sequences > 1:
            self.pages = self.pages.reshape(n_sequences, n_pages)
            if self.window_pages is not None:
                self.window_pages = self.window_pages.reshape(n_sequences, n_pages)
            self.sequences, self.wanted_rows, *others = others
        self.cross_pages = self.cross_lengths = self.learned_positions = None
        if n_cross_pages:
            self.cross_pages, self.cross_lengths, *others = others
            if n_sequences > 1:
                self.cross_pages = self.cross_pages.reshape(n_sequences, n_cross_pages)
        if config.has_learned_positions:
            self.learned_positions, *others = others
        self.next_tokens = others.pop() if config.has_mtp else None
        self.adapters = self.wanted_adapters = None
        if n_adapters:
            *others, places = others
            places, scales = places.reshape(n_adapted, n_adapters), p.input((n_adapted, n_adapters))
            self.adapters = RowAdapters(places[:n_rows], scales[:n_rows])
            self.wanted_adapters = RowAdapters(places[n_rows:], scales[n_rows:])
        self.places = others.pop().reshape(4, n_rows) if has_places else None
        self.seen = others.pop() if is_block else self.positions
        self.chosen = others.pop() if has_embeddings else None
        self.neighbours = others if is_bidirectional and n_taps else None
        self.state_ids = others
        if is_bidirectional:
            self.lengths = p.input((n_sequences,), np.int32)

    def of_rows(self, first: int, end: int) -> StepInputs:
        """Return the inputs of some rows."""
        part, rows = copy(self), slice(first, end)
        part.tokens, part.positions, part.seen = self.tokens[rows], self.positions[rows], self.seen[rows]
        part.places = None if self.places is None else self.places[:, rows]
        part.sequences = None if self.sequences is None else self.sequences[rows]
        return part


def batch_numbers(
    tokens: Sequence[int],
    positions: I32,
    tables: Sequence[I32],
    lengths: Sequence[int],
    wanted: Sequence[int],
    *,
    shape: tuple[int, int, int],
) -> I32:
    """Return the input of a program for several sequences; unused rows and sequences have no effect.

    Args:
        tokens, positions: of the sequences one after the other.
        tables: the page tables, (sequences, pages) each: of layers without a window, and of sliding-window layers if
            these have their own.
        lengths: the number of tokens of each sequence.
        wanted: the rows with a result.
        shape: the program's numbers of rows, sequences and wanted rows.
    """
    n_rows, n_sequences, n_wanted = shape
    ids, places, owners = np.zeros(n_rows, np.int32), np.full(n_rows, -1, np.int32), np.zeros(n_rows, np.int32)
    ids[: len(tokens)], places[: len(tokens)] = tokens, positions
    owners[: len(tokens)] = np.repeat(np.arange(len(lengths)), lengths)
    pages, rows = np.full((len(tables), n_sequences, tables[0].shape[1]), -1, np.int32), np.zeros(n_wanted, np.int32)
    pages[:, : len(lengths)], rows[: len(wanted)] = tables, wanted
    return np.concatenate([ids, places, pages.reshape(-1), owners, rows])


def neighbour_numbers(lengths: Sequence[int], n_taps: int, n_rows: int) -> I32:
    """Return the rows that each tap of a centred convolution takes: (n_taps, n_rows), n_rows for a row of zeros.

    Args:
        lengths: the number of tokens of each sequence, one after the other.
    """
    result, first = np.full((n_taps, n_rows), n_rows, np.int32), 0
    for length in lengths:
        for tap in range(n_taps):
            distance = tap - n_taps // 2
            rows = np.arange(max(0, -distance), length - max(0, distance), dtype=np.int32) + first
            result[tap, rows] = rows + distance
        first += length
    return result


def adapter_numbers(adapters: Sequence[Adapters], n_adapters: int, rows: Sequence[int], wanted: Sequence[int]) -> I32:
    """Return the places of each row's adapters in the stacks, and the bits of their float32 factors.

    Args:
        adapters: of each sequence.
        n_adapters: the program's number of adapters.
        rows, wanted: the sequence of each row, and of each row with a result; -1 for unused rows.
    """
    places = np.zeros((len(adapters) + 1, n_adapters), np.int32)
    # Places without an adapter have the product 0. Times -1 it is -0, to which the sum of any number is that number.
    scales = np.full(places.shape, -1, np.float32)
    for number, choice in enumerate(adapters):
        for column, (place, scale) in enumerate(choice):
            places[number, column], scales[number, column] = place, scale
    owners = [*rows, *wanted]
    return np.concatenate([places[owners].reshape(-1), scales[owners].reshape(-1).view(np.int32)])
