# SPDX-License-Identifier: MIT
"""Multi-token prediction (MTP): a block after the last layer, which drafts the tokens after the next one.

The block's row at a position is made of the model's output there, after the last norm, and of the embedding of the next
token. It goes through one layer with a KV cache of its own, in the pages of the others, and gives the logits of the
token after the next one. To draft further tokens, its own output takes the place of the model's.

A step of the model appends the keys and values of its rows, because it knows their next tokens, except the one after
the last row: there it takes the row's own token, until a draft overwrites the entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pyhexagon.llm.files.weights import EMBEDDING, OUTPUT
from pyhexagon.llm.graph.layer import Layer, normalize
from pyhexagon.llm.graph.rotation import Rotation
from pyhexagon.llm.graph.step_inputs import StepInputs
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.llm.engine.model import Model

_EMBEDDING, _NORM, _HEAD = "nextn.embed_tokens.weight", "nextn.shared_head_norm", "nextn.shared_head_head"

I32 = npt.NDArray[np.int32]


def mtp_layer(b: Layer, model: Model, h: Value, next_tokens: Value) -> Value:
    """Return the output of the block before its norm, (M, width).

    Args:
        b: the block.
        model: it belongs to.
        h: (M, width), the output of the model or of the block itself, after the norm.
        next_tokens: (M,) int32.
    """
    embedding = b.matrix(_EMBEDDING) if b.has(_EMBEDDING) else model.weights.matrix(EMBEDDING)
    e = b.norm(b.p.get_rows(embedding, next_tokens), "nextn.enorm")
    x = b.linear(b.p.concat([e, b.norm(h, "nextn.hnorm")]), "nextn.eh_proj")
    return model.architecture.layer(b, x)


class DraftStep:
    """The graph that drafts several tokens of one or several sequences, one after the other, in one program.

    Its inputs are those of a step with a row for each draft token, first those of the first token of all sequences: of
    tokens, only the first S count. The second input has the rows of the model at their positions, (S, width) float32.
    It returns the draft tokens, (S,) int32 each.

    Args:
        p: the program under construction.
        model: the model.
        rotations: the RoPE tables of layers without and with a sliding window.
        cache: the KV cache of the block.
        shape: number of draft tokens N, number of sequences S, and the largest number of pages of a sequence.
    """

    def __init__(
        self, p: Builder, model: Model, rotations: Mapping[bool, Rotation], cache: Tensor, shape: tuple[int, int, int]
    ) -> None:
        self._p, self._model, self._rotations, self._cache = p, model, rotations, cache
        self._n_draft, self._n_sequences, n_pages = shape
        self._inputs = StepInputs(
            p,
            replace(model.config, recurrence=None, has_mtp=False),
            (self._n_draft * self._n_sequences, self._n_sequences, n_pages),
            n_wanted=self._n_sequences,
            is_bidirectional=False,
            n_draft=0,
            n_adapters=0,
        )

    def build(self) -> None:
        """Build the graph."""
        p, n, weights = self._p, self._n_sequences, self._model.weights
        tokens, h = self._inputs.tokens[:n], p.input((n, self._model.config.width))
        for first in range(0, n * self._n_draft, n):
            b = self._block(self._inputs.of_rows(first, first + n))
            x = mtp_layer(b, self._model, h, tokens)
            has_norm = b.has(f"{_NORM}.weight")
            h = b.norm(x, _NORM) if has_norm else normalize(p, self._model, x, self._model.architecture.last_norm)
            if b.has(f"{_HEAD}.weight"):
                logits = b.linear(h, _HEAD)
            else:
                logits = weights.matmul(p, h, OUTPUT if OUTPUT in weights else EMBEDDING)
            tokens = p.argmax(logits)
            p.output(tokens)

    def _block(self, inputs: StepInputs) -> Layer:
        return Layer(
            self._p,
            self._model,
            inputs,
            self._rotations,
            index=self._model.config.n_layers,
            cache=self._cache,
            appended={},
        )


def draft_numbers(tokens: I32, positions: I32, pages: I32) -> I32:
    """Return the first input of the program of ``DraftStep``.

    Args:
        tokens: (S,), the last token of each sequence.
        positions: (N, S) of the rows; negative ones have no effect.
        pages: the page tables, (S, pages).
    """
    n_draft, n = positions.shape
    ids = np.zeros(n_draft * n, np.int32)
    ids[:n] = tokens
    numbers = [ids, positions.reshape(-1), pages.reshape(-1)]
    if n > 1:
        numbers += [np.tile(np.arange(n, dtype=np.int32), n_draft), np.zeros(n, np.int32)]
    return np.concatenate(numbers)
