# SPDX-License-Identifier: MIT
"""A step of a model: one program. It takes M tokens of one or several sequences from their ids to logits, and appends
their keys and values to the KV cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from pyhexagon.llm.files.weights import (
    EMBEDDING,
    EMBEDDING_NORM,
    OUTPUT,
    OUTPUT_BIAS,
    PER_LAYER_EMBEDDING,
    POSITION_EMBEDDING,
    SUPPRESSION,
    TYPE_EMBEDDING,
)
from pyhexagon.llm.graph.layer import Layer, normalize
from pyhexagon.llm.graph.mtp import mtp_layer
from pyhexagon.llm.graph.rotation import Rotation
from pyhexagon.llm.graph.step_inputs import StepInputs
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.program.unused import drop_unused
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.llm.engine.model import Model

# Logits of the wanted rows, or of every row; the rows before the output matrix; the top-k tokens of the wanted rows
# only; or no result, just keys and values.
Result = Literal["wanted", "every", "hidden", "top", "nothing"]

_NO_STATES: Final[Mapping[int, Sequence[Tensor]]] = MappingProxyType({})


class Step:
    """The graph of one step.

    Args:
        p: the program under construction.
        model: the model.
        rotations: the RoPE tables of layers without and with a sliding window.
        caches: one KV cache tensor per layer with keys and values of its own. Sliding-window layers have a page table
            of their own, unless attention is bidirectional.
        shape: number of rows M, number of sequences S, and the largest number of pages of a sequence.
        n_wanted: number W of rows with a result: the last rows of one sequence, or those named by an input for several;
            None means one per sequence.
        is_bidirectional: whether attention is bidirectional; for several sequences.
        states: the tables of the other layers' recurrent state, by their numbers.
        n_draft: the number of draft tokens at the end: a checkpoint of the recurrent state before them is kept.
        n_adapters: the largest number of LoRA adapters of a sequence.
        cross_caches: keys and values of an encoder's output, one tensor per layer.
        has_cross_queries: the first results are the queries of each layer's cross-attention, (M, heads, head size).
        has_embeddings: some rows have embeddings of their own, which are an input, in place of a token's.
        is_block: the rows, of one sequence, attend to each other in both directions.
        has_places: each row has 4 positions for RoPE.
        n_deep: with has_embeddings, number of first layers to whose output rows are added (deepstack).
    """

    def __init__(
        self,
        p: Builder,
        model: Model,
        rotations: Mapping[bool, Rotation],
        caches: Sequence[Tensor],
        shape: tuple[int, int, int],
        *,
        n_wanted: int | None = None,
        is_bidirectional: bool = False,
        states: Mapping[int, Sequence[Tensor]] = _NO_STATES,
        n_draft: int = 0,
        n_adapters: int = 0,
        cross_caches: Sequence[Tensor] = (),
        has_cross_queries: bool = False,
        has_embeddings: bool = False,
        is_block: bool = False,
        has_places: bool = False,
        n_deep: int = 0,
    ) -> None:
        self.cross_caches = cross_caches
        self.cross_queries: list[Value] | None = [] if has_cross_queries else None
        self.p, self.model, self.rotations, self.states = p, model, rotations, states
        self.config, self.architecture, self.weights = model.config, model.architecture, model.weights
        self.layers = model.layers
        attentive = [index for index in model.blocks if self.config.has_cache(index)]
        self.caches = dict(zip(attentive, caches, strict=True))
        self.appended: dict[int, Value] = {}
        self.per_layer: Value | None = None
        self.n_wanted = n_wanted or shape[1]
        self._n_deep, self._deep = n_deep, list[Value]()
        self.inputs = StepInputs(
            p, self.config, shape, n_wanted=self.n_wanted, is_bidirectional=is_bidirectional, n_draft=n_draft,
            n_adapters=n_adapters, has_embeddings=has_embeddings, is_block=is_block, has_places=has_places,
        )  # fmt: skip

    def build(self, result: Result, n_top: int = 0) -> None:
        """Build the graph from ids to the result, or from input rows to output rows for some layers of a model.

        Args:
            n_top: also return the ids of the top n_top tokens of the wanted rows, most likely first, (W, n_top), their
                logits, and the probability of the first (W, 1).

        With an MTP block, the last result of wanted rows are their rows before the output matrix, (W, width).
        """
        is_first, is_last = self.layers.start == 0, self.layers.stop == self.config.n_layers
        x = self._embedded() if is_first else self.p.input((self.inputs.tokens.shape[0], self.config.width))
        self.per_layer = self._per_layer_embedded(x) if self.config.n_per_layer else None
        streams = self.architecture.streams
        x = x if streams is None else streams[0](self.p, self.model, x)
        for index in self.layers:
            if self.config.has_loop_norm and self.config.begins_loop(index):
                x = normalize(self.p, self.model, x, self.architecture.last_norm)
            x = self.architecture.layer(self._layer(index), x)
            x = self.p.add(x, self._deep[index]) if index < len(self._deep) else x
        if self.cross_queries:
            self.p.output(*self.cross_queries)
        x = x if streams is None else streams[1](self.p, self.model, x)
        if not is_last:
            self.p.output(x)
            return
        if self.inputs.next_tokens is not None:
            x = normalize(self.p, self.model, x, self.architecture.last_norm)
            mtp_layer(self._layer(self.config.n_layers), self.model, x, self.inputs.next_tokens)
        self._add_result(x, result, n_top)
        if self.config.has_mtp:
            drop_unused(self.p)  # of the MTP block, all but keys and values

    def _add_result(self, x: Value, result: Result, n_top: int) -> None:
        """Build the rest of the graph after the last layer; with an MTP block, x is normalised."""
        if result == "nothing":
            return
        adapters = self.inputs.adapters
        if result in ("wanted", "top"):
            adapters = self.inputs.wanted_adapters
            x = x[-self.n_wanted :] if self.inputs.wanted_rows is None else self.p.get_rows(x, self.inputs.wanted_rows)
        last_norm = self.architecture.last_norm
        if not self.config.has_mtp and f"{last_norm}.weight" in self.weights:
            x = normalize(self.p, self.model, x, last_norm)
        if result == "hidden":
            name = f"{self.architecture.projection}.weight"
            self.p.output(self.weights.matmul(self.p, x, name, adapters) if name in self.weights else x)
            return
        logits = self.weights.matmul(self.p, x, OUTPUT if OUTPUT in self.weights else EMBEDDING, adapters)
        logits = self.p.add(logits, self.weights.vector(self.p, OUTPUT_BIAS)) if OUTPUT_BIAS in self.weights else logits
        logits = self._scaled(logits)
        if result != "top":
            self.p.output(logits)
        if n_top:
            self._add_top_k(logits, n_top)
        if self.config.has_mtp and result in ("wanted", "top"):
            self.p.output(x if self.n_wanted == self.inputs.tokens.shape[0] else self.p.cpy(x))

    def _scaled(self, logits: Value) -> Value:
        """Return logits after the model's factor, soft cap and suppression of tokens."""
        factor, cap = self.config.factors.logits, self.config.factors.logit_softcap
        logits = logits if factor == 1 else self.p.scale(logits, factor)
        logits = self.p.scale(self.p.tanh(self.p.scale(logits, 1 / cap)), cap) if cap else logits
        is_suppressed = SUPPRESSION in self.weights
        return self.p.add(logits, self.weights.vector(self.p, SUPPRESSION)) if is_suppressed else logits

    def _add_top_k(self, logits: Value, n_top: int) -> None:
        p, rows = self.p, logits.reshape(*logits.shape, 1)
        ids = p.top_k(logits, n_top) if n_top > 1 else p.argmax(logits).reshape(-1, 1)
        share = p.get_rows(p.soft_max(logits).reshape(*logits.shape, 1), ids[:, :1])
        p.output(ids, p.get_rows(rows, ids).reshape(ids.shape), share.reshape(-1, 1))

    def _embedded(self) -> Value:
        """Return the embeddings of the ids, plus type and position embeddings if the file has them."""
        p, weights = self.p, self.weights
        x = p.get_rows(weights.matrix(EMBEDDING), self.inputs.tokens)
        if TYPE_EMBEDDING in weights:  # all tokens are of the first type
            x = p.add(x, weights.vector(p, TYPE_EMBEDDING)[0])
        if POSITION_EMBEDDING in weights:
            positions = self.inputs.learned_positions
            positions = p.input(self.inputs.tokens.shape, np.int32) if positions is None else positions
            x = p.add(x, p.get_rows(weights.matrix(POSITION_EMBEDDING), positions))
        has_norm = f"{EMBEDDING_NORM}.weight" in weights and self.architecture.last_norm != EMBEDDING_NORM
        x = normalize(p, self.model, x, EMBEDDING_NORM) if has_norm else x
        scale = self.architecture.embedding_scale(self.config)
        x = x if scale == 1 else p.scale(x, scale)
        if self.inputs.chosen is None:
            return x
        width = x.shape[1]
        given = p.input((x.shape[0], width * (1 + self._n_deep)))
        self._deep = [given[:, width * at : width * (at + 1)] for at in range(1, 1 + self._n_deep)]
        rows, factor = given[:, :width], self.config.factors.embeddings  # a factor of the file's, and not Gemma's
        rows = rows if factor == 1 else p.scale(rows, factor)
        return p.get_rows(p.concat([x, rows], axis=0), self.inputs.chosen)

    def _per_layer_embedded(self, x: Value) -> Value:
        """Return the per-layer embeddings of the rows, (M, layers, size): a projection of the token embeddings, plus
        rows of the host's table, which are an input, if the model has one.
        """
        p, n = self.p, self.config.n_per_layer
        has_table = PER_LAYER_EMBEDDING in self.architecture.model_of(self.config)[0]
        table_rows = p.input((x.shape[0], self.config.n_layers * n)) if has_table else None
        projected = self.weights.matmul(p, x, "per_layer_model_proj.weight", self.inputs.adapters)
        projected = p.scale(projected, self.config.width**-0.5)
        projected = normalize(p, self.model, projected.reshape(x.shape[0], -1, n), "per_layer_proj_norm")
        if table_rows is None:
            return projected
        return p.scale(p.add(projected, p.scale(table_rows, n**0.5).reshape(projected.shape)), 2**-0.5)

    def _layer(self, index: int) -> Layer:
        return Layer(
            self.p,
            self.model,
            self.inputs,
            self.rotations,
            index=index,
            cache=self.caches.get(self.config.kv_layer(index)),
            states=self.states.get(index, ()),
            appended=self.appended,
            per_layer=self.per_layer,
            cross_cache=self.cross_caches[index] if self.cross_caches else None,
            cross_queries=self.cross_queries,
        )
