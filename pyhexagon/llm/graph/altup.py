# SPDX-License-Identifier: MIT
"""AltUp: a residual of several streams, of which a layer computes one and predicts and corrects the others.

Source: Baykal et al., "Alternating Updates for Efficient Transformers", 2023, as Gemma 3n has it. Streams are
(N_STREAMS, M, width); the first one is computed.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyhexagon.llm.files.weights import N_STREAMS
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value

if TYPE_CHECKING:
    from pyhexagon.llm.engine.model import Model


def spread(p: Builder, model: Model, x: Value) -> Value:
    """Return the streams of embeddings (M, width): the others are products with as many matrices."""
    others = p.matmul(x.broadcast_to(N_STREAMS - 1, *x.shape), model.weights.matrix("altup_proj.weight"))
    return p.concat([x.reshape(1, *x.shape), _of_length(p, others, x)], axis=0)


def merge(p: Builder, model: Model, streams: Value) -> Value:
    """Return the mean of the streams, (M, width), after products of all but the first with as many matrices."""
    first = streams[0]
    others = _of_length(p, p.matmul(streams[1:], model.weights.matrix("altup_unembd_proj.weight")), first)
    return p.scale(reduce(p.add, [others[number] for number in range(N_STREAMS - 1)], first), 1 / N_STREAMS)


def _of_length(p: Builder, rows: Value, like: Value) -> Value:
    """Scale rows to the lengths that the rows of ``like`` have."""
    return p.mul(p.l2_norm(rows), p.sqrt(p.sum_rows(p.sqr(like))))


def predict(b: Layer, streams: Value) -> Value:
    """Return what the layer expects the streams to become: each plus a weighted sum of all."""
    p, n_rows = b.p, streams.shape[1]
    factors = _factors(b, streams[0], "altup_predict_coef.weight").reshape(N_STREAMS, N_STREAMS, n_rows, 1)
    weighted = (p.mul(streams[number], factors[:, number]) for number in range(N_STREAMS))
    return reduce(p.add, weighted, streams)


def correct(b: Layer, predicted: Value, computed: Value) -> Value:
    """Return predicted streams, to each of which a factor times the first one's error is added.

    Args:
        computed: what the layer computed for the first stream, (M, width).
    """
    p = b.p
    factors = p.scale(_factors(b, computed, "altup_correct_coef.weight"), 1.0, 1.0)
    return p.add(predicted, p.mul(p.sub(computed, predicted[0]), factors))


def _factors(b: Layer, x: Value, name: str) -> Value:
    """Return the router's factors for rows (M, width): (N, M, 1) for coefficients (N, N_STREAMS)."""
    p, coefficients = b.p, b.vector(name)
    routed = p.tanh(b.linear(p.scale(b.norm(x, "altup_router_norm"), 1 / b.config.width), "altup_router"))
    return p.sum_rows(p.mul(coefficients.reshape(-1, 1, N_STREAMS), routed))
