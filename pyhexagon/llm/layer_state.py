# SPDX-License-Identifier: MIT
"""The recurrent state of one layer in a program."""

from __future__ import annotations

from collections.abc import Sequence

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
        ids: what to read, then what to write at each checkpoint: ``StateSlots.ids`` of all sequences.
        n_tokens: number T of tokens of each sequence.
        n_sequences: number S of sequences.
        n_draft: number of draft tokens at the end: there is a checkpoint before them.

    Attributes:
        p: the program.
        recurrence: of the layer.
        ends: number of tokens at each checkpoint.
    """

    def __init__(
        self,
        p: Builder,
        recurrence: Recurrence,
        tables: Sequence[Tensor],
        ids: Sequence[Value],
        *,
        n_tokens: int,
        n_sequences: int,
        n_draft: int,
    ) -> None:
        self.p, self._tables, self._n_tokens, self._n_sequences = p, tables, n_tokens, n_sequences
        self.recurrence = recurrence
        self.ends = (n_tokens - n_draft, n_tokens) if n_draft else (n_tokens,)
        n_rows, n_channels = recurrence.tables[0]
        self._rows = [one[: n_sequences * n_rows] for one in ids]
        self._slots = [one[n_sequences * n_rows :] for one in ids]
        self._before = p.get_rows(tables[0], self._rows[0]).reshape(n_sequences, n_rows, n_channels)
        self._inputs: Value | None = None

    def table(self, *shape: int) -> Value:
        """Return the second table as (slots, *shape)."""
        return self.p.value(self._tables[1]).reshape(-1, *shape)

    def slots(self, checkpoint: int) -> tuple[Value, Value]:
        """Return the slots of the second table that an update up to a checkpoint reads and writes: (S,) int32 each."""
        return self._slots[checkpoint], self._slots[checkpoint + 1]

    def by_sequence(self, x: Value) -> Value:
        """Reshape (S * T, ...) to (S, T, ...)."""
        return x.reshape(self._n_sequences, self._n_tokens, *x.shape[1:])

    def convolve(self, x: Value, kernel: Value) -> Value:
        """Return the causal convolution of the rows with the first table's: (S * T, channels) to the same shape.

        Args:
            kernel: (taps, channels).
        """
        self._inputs = self.p.concat([self._before, self.by_sequence(x)], axis=1)
        return self.p.ssm_conv(self._inputs, kernel).reshape(x.shape)

    def write(self, checkpoint: int) -> None:
        """Write the last inputs of the convolution at a checkpoint, an index into ``ends``."""
        assert self._inputs is not None, "convolve first"
        end, rows = self.ends[checkpoint], self._rows[checkpoint + 1]
        last = self._inputs[:, end : end + self._before.shape[1]]
        last = self.p.cpy(last) if self._n_sequences > 1 else last
        self.p.set_rows(self._tables[0], last.reshape(rows.shape[0], -1), rows)
