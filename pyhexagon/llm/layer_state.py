# SPDX-License-Identifier: MIT
"""The recurrent state of one layer in a program."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from pyhexagon.llm.config import Recurrence
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor


class LayerState:
    """The recurrent state of one layer in a program: an update reads it, and writes it at one or two checkpoints.

    Args:
        p: the program under construction.
        recurrence: of the layer.
        tables: of the layer, as ``recurrence.tables`` says.
        rows: int32 row numbers: of the slots to read, then of the slots to write at each checkpoint; for each, the rows
            of all sequences in the first table, then those in the next one.
        n_tokens: number T of tokens of each sequence.
        n_sequences: number S of sequences.
        n_draft: number of draft tokens at the end: there is a checkpoint before them.

    Attributes:
        recurrence: of the layer.
        before: the content of each table, (S, rows, columns) float32.
        ends: number of tokens at each checkpoint.
    """

    def __init__(
        self,
        p: Builder,
        recurrence: Recurrence,
        tables: Sequence[Tensor],
        rows: Sequence[Value],
        *,
        n_tokens: int,
        n_sequences: int,
        n_draft: int,
    ) -> None:
        self._p, self._tables, self._n_tokens, self._n_sequences = p, tables, n_tokens, n_sequences
        self.recurrence = recurrence
        self.ends = (n_tokens - n_draft, n_tokens) if n_draft else (n_tokens,)
        lengths = [n_sequences * n_rows for n_rows, _ in recurrence.tables]
        parts = [slice(end - length, end) for end, length in zip(accumulate(lengths), lengths, strict=True)]
        read, *self._written = [[ids[part] for part in parts] for ids in rows]
        self.before = [
            p.get_rows(table, ids).reshape(n_sequences, *shape)
            for table, ids, shape in zip(tables, read, recurrence.tables, strict=True)
        ]
        self._inputs: Value | None = None

    def by_sequence(self, x: Value) -> Value:
        """Reshape (S * T, ...) to (S, T, ...)."""
        return x.reshape(self._n_sequences, self._n_tokens, *x.shape[1:])

    def convolve(self, x: Value, kernel: Value) -> Value:
        """Return the causal convolution of the rows with the first table's: (S * T, channels) to the same shape.

        Args:
            kernel: (taps, channels).
        """
        self._inputs = self._p.concat([self.before[0], self.by_sequence(x)], axis=1)
        return self._p.ssm_conv(self._inputs, kernel).reshape(x.shape)

    def write(self, checkpoint: int, *others: Value) -> None:
        """Write the state at a checkpoint: the last inputs of the convolution, and the content of the other tables.

        Args:
            checkpoint: index into ``ends``.
            others: (S, rows, ...) each.
        """
        assert self._inputs is not None, "convolve first"
        end = self.ends[checkpoint]
        last = self._inputs[:, end : end + self.before[0].shape[1]]
        last = self._p.cpy(last) if self._n_sequences > 1 else last
        for table, ids, content in zip(self._tables, self._written[checkpoint], (last, *others), strict=True):
            self._p.set_rows(table, content.reshape(ids.shape[0], -1), ids)
