# SPDX-License-Identifier: MIT
"""The reference model of LFM2, dense and mixtures of experts: a forward pass in float64 over dequantized weights."""

from __future__ import annotations

import os

import numpy as np

from llm.reference import Array, Reference


class Lfm2Reference(Reference):
    """A language model of a GGUF file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        self._w["output_norm.weight"] = self._w["token_embd_norm.weight"]

    def _layer(self, x: Array, index: int) -> Array:
        w = {name.split(".", 2)[2]: one for name, one in self._w.items() if name.startswith(f"blk.{index}.")}
        h = self._norm(x, w["attn_norm.weight"])
        x = x + (self._convolved(h, w) if "shortconv.conv.weight" in w else self._attended(h, w))
        h = self._norm(x, w["ffn_norm.weight"])
        if "ffn_gate_inp.weight" in w:
            return np.asarray(x + np.stack([self._mixed(row, w) for row in h]))
        return np.asarray(x + _feed_forward(h, *(w[f"ffn_{name}.weight"] for name in ("gate", "up", "down"))))

    def _mixed(self, row: Array, w: dict[str, Array]) -> Array:
        scores = 1 / (1 + np.exp(-w["ffn_gate_inp.weight"] @ row))
        chosen = np.argsort(-scores - w["exp_probs_b.bias"])[: int(self._key("expert_used_count", 0))]
        matrices = [w[f"ffn_{name}_exps.weight"] for name in ("gate", "up", "down")]
        rows = [_feed_forward(row, *(one[expert] for one in matrices)) for expert in chosen]
        return np.asarray(scores[chosen] @ rows / scores[chosen].sum())

    def _attended(self, h: Array, w: dict[str, Array]) -> Array:
        q, k, v = ((h @ w[f"attn_{name}.weight"].T).reshape(len(h), -1, self.head) for name in "qkv")
        q, k = (self._norm(one, w[f"attn_{name}_norm.weight"]) for one, name in ((q, "q"), (k, "k")))
        q, k = (self._rotate(one, self._key("rope.freq_base", 10000.0)) for one in (q, k))
        y = self._attend(q, k, v, 0, np.full(self.n_heads, -np.inf))
        return np.asarray(y @ w["attn_output.weight"].T)

    def _convolved(self, h: Array, w: dict[str, Array]) -> Array:
        before, after, inputs = np.split(h @ w["shortconv.in_proj.weight"].T, 3, axis=1)
        taps = w["shortconv.conv.weight"].T
        padded = np.vstack([np.zeros((len(taps) - 1, inputs.shape[1])), before * inputs])
        mixed = np.sum([padded[at : at + len(h)] * tap for at, tap in enumerate(taps)], axis=0)
        return np.asarray((after * mixed) @ w["shortconv.out_proj.weight"].T)


def _feed_forward(h: Array, gate: Array, up: Array, down: Array) -> Array:
    gated = h @ gate.T
    return np.asarray((gated / (1 + np.exp(-gated)) * (h @ up.T)) @ down.T)
