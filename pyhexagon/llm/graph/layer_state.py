# SPDX-License-Identifier: MIT
"""The recurrent state of one layer in a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.step_inputs import StepInputs
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor


def without_kv_heads(keys: HeaderKeys, n_kv_heads: Sequence[int]) -> list[bool]:
    """Return which layers have a recurrent state: those without KV heads."""
    recurrent = [not n for n in n_kv_heads]
    if all(recurrent):
        keys.problems.append("attention.head_count_kv is 0 in all layers: none has attention")
    return recurrent


class LayerState:
    """The recurrent state of one layer in a program: an update reads it, and writes it at one or two checkpoints.

    Args:
        p: the program under construction.
        tables: of the layer, as ``Recurrence.tables`` says.
        inputs: T tokens of each of S sequences.

    Attributes:
        p: the program.
    """

    def __init__(self, p: Builder, tables: Sequence[Tensor], inputs: StepInputs) -> None:
        self.p, self._tables, self._ids = p, tables, inputs.state_ids
        self._n_sequences, self._n_tokens = inputs.n_sequences, inputs.tokens.shape[0] // inputs.n_sequences
        self._ends = (self._n_tokens - inputs.n_draft, self._n_tokens) if inputs.n_draft else (self._n_tokens,)

    def table(self, number: int, *shape: int) -> Value:
        """Return a table as (slots, *shape)."""
        return self.p.value(self._tables[number]).reshape(-1, *shape)

    def slots(self, checkpoint: int) -> tuple[Value, Value]:
        """Return the slots that an update up to a checkpoint reads and writes: (S,) int32 each."""
        return self._ids[checkpoint], self._ids[checkpoint + 1]

    def by_sequence(self, x: Value) -> Value:
        """Reshape (S * T, ...) to (S, T, ...)."""
        return x.reshape(self._n_sequences, self._n_tokens, *x.shape[1:])

    def by_checkpoint(self, update: Callable[[int, slice], Value]) -> Value:
        """Return the results of an update that runs up to each checkpoint, (S, T, ...).

        Args:
            update: returns the results of the tokens up to a checkpoint, given its number and these tokens.
        """
        starts = 0, *self._ends
        parts = [update(number, slice(starts[number], end)) for number, end in enumerate(self._ends)]
        return parts[0] if len(parts) == 1 else self.p.concat(parts, axis=1)

    def convolve(self, x: Value, kernel: Value) -> Value:
        """Return the causal convolution of the rows and those before, from the first table: (S * T, channels) to the
        same shape.

        Args:
            kernel: (taps, channels).
        """
        by_sequence, table = self.by_sequence(x), self.table(0, kernel.shape[0] - 1, kernel.shape[1])

        def update(checkpoint: int, tokens: slice) -> Value:
            return self.p.ssm_conv(by_sequence[:, tokens], kernel, state=table, slots=self.slots(checkpoint))

        return self.by_checkpoint(update).reshape(x.shape)
