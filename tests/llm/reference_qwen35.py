# SPDX-License-Identifier: MIT
"""The reference model of Qwen 3.5: a forward pass in float64 over dequantized weights, token by token."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from llm.reference import Array, Reference


class Qwen35Reference(Reference):
    """A language model of a GGUF file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        names = "conv_kernel", "group_count", "time_step_rank", "state_size"
        self.n_taps, self.n_keys, self.n_values, self.size = (int(self._key(f"ssm.{name}", 0)) for name in names)
        self.interval = int(self._key("full_attention_interval", 4))
        self.n_layers -= int(self._key("nextn_predict_layers", 0))

    def draft(self, tokens: Sequence[int], n: int) -> Array:
        """Return the logits of n tokens that the MTP block drafts after some tokens, (n, V), each the most likely."""
        w = {name.split(".nextn.")[1]: one for name, one in self._w.items() if ".nextn." in name}
        h, all_tokens, logits = self._w["token_embd.weight"][list(tokens)[:-1]], list(tokens), list[Array]()
        for index in range(self.n_layers):
            h = self._layer(h, index)
        h = self._norm(h, self._w["output_norm.weight"])
        embedding = w.get("embed_tokens.weight", self._w["token_embd.weight"])
        output = self._w.get("output.weight", self._w["token_embd.weight"])
        for _ in range(n):
            e = self._norm(embedding[all_tokens[1:]], w["enorm.weight"])
            x = np.hstack([e, self._norm(h, w["hnorm.weight"])]) @ w["eh_proj.weight"].T
            last = self._layer(x, self.n_layers)[-1:]
            last = self._norm(last, w.get("shared_head_norm.weight", self._w["output_norm.weight"]))
            logits.append((last @ w.get("shared_head_head.weight", output).T)[0])
            all_tokens.append(int(np.argmax(logits[-1])))
            h = np.vstack([h, last])
        return np.stack(logits)

    def _layer(self, x: Array, index: int) -> Array:
        w = {name.split(".", 2)[2]: one for name, one in self._w.items() if name.startswith(f"blk.{index}.")}
        h = self._norm(x, w["attn_norm.weight"])
        is_recurrent = index < self.n_layers and (index + 1) % self.interval > 0
        x = x + (self._recalled(h, w) if is_recurrent else self._attended(h, w))
        h = self._norm(x, w["post_attention_norm.weight"])
        if "ffn_gate_inp.weight" in w:
            shared = (_silu(h @ w["ffn_gate_shexp.weight"].T) * (h @ w["ffn_up_shexp.weight"].T)) @ w[
                "ffn_down_shexp.weight"
            ].T
            gate = _sigmoid(h @ w["ffn_gate_inp_shexp.weight"])[:, None]
            return np.asarray(x + self._experts(h, w) + shared * gate)
        return np.asarray(x + (_silu(h @ w["ffn_gate.weight"].T) * (h @ w["ffn_up.weight"].T)) @ w["ffn_down.weight"].T)

    def _attended(self, h: Array, w: dict[str, Array]) -> Array:
        q, gate = np.split((h @ w["attn_q.weight"].T).reshape(len(h), self.n_heads, 2 * self.head), 2, axis=-1)
        k, v = ((h @ w[f"attn_{name}.weight"].T).reshape(len(h), -1, self.head) for name in "kv")
        q, k = (self._norm(one, w[f"attn_{name}_norm.weight"]) for one, name in ((q, "q"), (k, "k")))
        q, k = (self._rotate(one, self._key("rope.freq_base", 10000.0)) for one in (q, k))
        y = self._attend(q, k, v, 0, np.full(self.n_heads, -np.inf))
        return np.asarray((y * _sigmoid(gate).reshape(y.shape)) @ w["attn_output.weight"].T)

    def _recalled(self, h: Array, w: dict[str, Array]) -> Array:
        inputs = h @ w["attn_qkv.weight"].T
        padded = np.vstack([np.zeros((self.n_taps - 1, inputs.shape[1])), inputs])
        taps = w["ssm_conv1d.weight"]
        mixed = _silu(np.sum([padded[at : at + len(h)] * taps[:, at] for at in range(self.n_taps)], axis=0))
        ends = self.n_keys * self.size, 2 * self.n_keys * self.size
        q, k, v = (one.reshape(len(h), -1, self.size) for one in np.split(mixed, ends, axis=1))
        q, k = (one / np.maximum(np.linalg.norm(one, axis=-1, keepdims=True), self.eps) for one in (q, k))
        q, k = (np.tile(one, (1, self.n_values // self.n_keys, 1)) for one in (q, k))
        decay = np.exp(np.log1p(np.exp(h @ w["ssm_alpha.weight"].T + w["ssm_dt.bias"])) * w["ssm_a"])
        beta = _sigmoid(h @ w["ssm_beta.weight"].T)
        state, y = np.zeros((self.n_values, self.size, self.size)), np.empty_like(v)
        for t in range(len(h)):
            state *= decay[t][:, None, None]
            news = beta[t][:, None] * (v[t] - np.einsum("hk,hkv->hv", k[t], state))
            state += np.einsum("hk,hv->hkv", k[t], news)
            y[t] = np.einsum("hk,hkv->hv", q[t], state) * self.size**-0.5
        y = self._norm(y, w["ssm_norm.weight"]).reshape(len(h), -1) * _silu(h @ w["attn_gate.weight"].T)
        return np.asarray(y @ w["ssm_out.weight"].T)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _silu(x: Array) -> Array:
    return np.asarray(x * _sigmoid(x))
