# SPDX-License-Identifier: MIT
"""The reference model: a forward pass in float64 over dequantized weights, independent of the package's code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import gguf
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
_SEES_ALL = {"gemma3": 6, "gpt-oss": 2}  # every how manieth layer


class Reference:
    """A language model of a GGUF file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        reader = gguf.GGUFReader(path)
        self._fields = reader.fields
        self.architecture = str(self._fields["general.architecture"].contents())
        self._w = {
            one.name: np.asarray(gguf.dequantize(one.data, one.tensor_type), np.float64).reshape(one.shape[::-1])
            for one in reader.tensors
        }
        self.n_layers, self.n_heads = int(self._key("block_count", 0)), int(self._key("attention.head_count", 0))
        self.n_kv_heads = int(self._key("attention.head_count_kv", self.n_heads))
        width = int(self._key("embedding_length", 0))
        self.head = int(self._key("attention.key_length", width // self.n_heads))
        self.eps = self._key("attention.layer_norm_rms_epsilon", 0)
        self.window = int(self._key("attention.sliding_window", 0)) if self.architecture in _SEES_ALL else 0

    def _key(self, name: str, default: float) -> float:
        field = self._fields.get(f"{self.architecture}.{name}")
        return default if field is None else float(np.max(field.contents()))

    def logits(self, tokens: Sequence[int]) -> Array:
        """Return the logits at every position, shape (T, V)."""
        x = self._w["token_embd.weight"][list(tokens)]
        if self.architecture == "gemma3":
            x = x * np.float64(x.shape[1]) ** 0.5
        for index in range(self.n_layers):
            x = self._layer(x, index)
        output = self._w.get("output.weight", self._w["token_embd.weight"])
        return np.asarray(self._norm(x, self._w["output_norm.weight"]) @ output.T)

    def _layer(self, x: Array, index: int) -> Array:
        w = {name.split(".", 2)[2]: one for name, one in self._w.items() if name.startswith(f"blk.{index}.")}

        def linear(h: Array, name: str) -> Array:
            return np.asarray(h @ w[f"{name}.weight"].T + w.get(f"{name}.bias", 0.0))

        def after(h: Array, name: str) -> Array:
            return self._norm(h, w[name]) if name in w else h

        h, kv = self._norm(x, w["attn_norm.weight"]), self.n_kv_heads * self.head
        if "attn_qkv.weight" in w:
            q, k, v = np.split(linear(h, "attn_qkv"), [self.n_heads * self.head, self.n_heads * self.head + kv], axis=1)
        else:
            q, k, v = (linear(h, f"attn_{one}") for one in "qkv")
        q, k, v = (one.reshape(len(x), -1, self.head) for one in (q, k, v))
        q, k = after(q, "attn_q_norm.weight"), after(k, "attn_k_norm.weight")
        sees_all = not self.window or (index + 1) % _SEES_ALL[self.architecture] == 0
        if not (self.architecture == "smollm3" and index % 4 == 3):
            base = 10000.0 if self.architecture == "gemma3" and not sees_all else self._key("rope.freq_base", 10000.0)
            q, k = (self._rotate(one, base) for one in (q, k))
        sinks = w.get("attn_sinks.weight", np.full(self.n_heads, -np.inf))
        y = linear(self._attend(q, k, v, 0 if sees_all else self.window, sinks), "attn_output")
        if self.architecture == "gpt-oss":
            x = x + y
            return x + self._experts(self._norm(x, w["post_attention_norm.weight"]), w)
        x = x + after(y, "post_attention_norm.weight")
        if "ffn_gate_inp.weight" in w:
            return x + self._experts(self._norm(x, w["ffn_norm.weight"]), w)
        h = self._norm(x, w["ffn_norm.weight"])
        up = linear(h, "ffn_up")
        gate, up = np.split(up, 2, axis=1) if "ffn_gate.weight" not in w else (linear(h, "ffn_gate"), up)
        if self.architecture == "gemma3":  # GELU, by tanh
            gate = 0.5 * gate * (1 + np.tanh((2 / np.pi) ** 0.5 * (gate + 0.044715 * gate**3)))
        else:
            gate = gate / (1 + np.exp(-gate))
        return np.asarray(x + after(linear(gate * up, "ffn_down"), "post_ffw_norm.weight"))

    def _experts(self, x: Array, w: Mapping[str, Array]) -> Array:
        liked = x @ w["ffn_gate_inp.weight"].T + w.get("ffn_gate_inp.bias", 0.0)
        result = np.zeros_like(x)
        for row, (one, likes) in enumerate(zip(x, liked, strict=True)):
            chosen = np.argsort(-likes)[: int(self._key("expert_used_count", 0))]
            for number, share in zip(chosen, np.exp(likes[chosen]) / np.exp(likes[chosen]).sum(), strict=True):

                def linear(h: Array, name: str, number: int = number) -> Array:
                    bias = w[f"ffn_{name}_exps.bias"][number] if f"ffn_{name}_exps.bias" in w else 0.0
                    return np.asarray(w[f"ffn_{name}_exps.weight"][number] @ h + bias)

                gate, up = linear(one, "gate"), linear(one, "up")
                if self.architecture == "gpt-oss":
                    gate, up = np.minimum(gate, 7), np.clip(up, -7, 7) + 1
                    gate = gate / (1 + np.exp(-1.702 * gate))
                else:
                    gate = gate / (1 + np.exp(-gate))
                result[row] += share * linear(gate * up, "down")
        return result

    def _norm(self, x: Array, weight: Array) -> Array:
        return np.asarray(x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + self.eps) * weight)

    def _rotate(self, x: Array, base: float) -> Array:
        n = int(self._key("rope.dimension_count", self.head))
        speeds, scale = base ** (-np.arange(0, n, 2) / n) / self._w.get("rope_freqs.weight", 1.0), 1.0
        if factor := self._key("rope.scaling.factor", 0):  # YaRN: fast pairs as they were, slow ones stretched
            turns = self._key("rope.scaling.original_context_length", 0) / (2 * np.pi)
            first, last = (n / 2 * np.log(turns / beta) / np.log(base) for beta in (32, 1))
            first, last = max(np.floor(first), 0), min(np.ceil(last), n - 1)
            slow = np.clip((np.arange(n // 2) - first) / max(last - first, 0.001), 0, 1)
            speeds, scale = speeds * (1 - slow) + speeds / factor * slow, 1 + 0.1 * np.log(factor)
        turn = scale * np.exp(1j * np.arange(len(x))[:, None] * speeds)[:, None]
        result = x.copy()
        if self.architecture in ("llama", "smollm3"):  # neighbours are a pair
            turned = (x[..., 0:n:2] + 1j * x[..., 1:n:2]) * turn
            result[..., 0:n:2], result[..., 1:n:2] = turned.real, turned.imag
        else:
            turned = (x[..., : n // 2] + 1j * x[..., n // 2 : n]) * turn
            result[..., : n // 2], result[..., n // 2 : n] = turned.real, turned.imag
        return np.asarray(result)

    def _sees(self, n: int, window: int) -> npt.NDArray[np.bool_]:
        """Return which positions each position attends to, (n, n)."""
        at = np.arange(n)
        seen = at[:, None] >= at
        return seen & (at[:, None] - at < window) if window else seen

    def _attend(self, q: Array, k: Array, v: Array, window: int, sinks: Array) -> Array:
        group = self.n_heads // self.n_kv_heads
        k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
        weights = np.where(self._sees(len(q), window), np.einsum("qhd,khd->hqk", q, k) * self.head**-0.5, -np.inf)
        weights = np.exp(weights) / (np.exp(weights).sum(axis=-1) + np.exp(sinks)[:, None])[..., None]
        return np.asarray(np.einsum("hqk,khd->qhd", weights, v).reshape(len(q), -1))


class EncoderReference(Reference):
    """An encoder of BERT's kind."""

    def rows(self, tokens: Sequence[int]) -> Array:
        """Return the hidden state at every position, shape (T, width)."""
        self.eps = self._key("attention.layer_norm_epsilon", 0)
        x = self._w["token_embd.weight"][list(tokens)]
        if "token_types.weight" in self._w:
            x = x + self._w["token_types.weight"][0]
        if "position_embd.weight" in self._w:
            x = x + self._w["position_embd.weight"][: len(x)]
        x = self._centred(x, "token_embd_norm")
        for index in range(self.n_layers):
            x = self._encoded(x, f"blk.{index}.")
        return x

    def scores(self, tokens: Sequence[int]) -> Array:
        """Return the scores of a ranker, shape (labels,)."""
        h = np.tanh(self._w["cls.weight"] @ self.rows(tokens)[0] + self._w["cls.bias"])
        return np.asarray(self._w["cls.output.weight"] @ h + self._w["cls.output.bias"])

    def _encoded(self, x: Array, at: str) -> Array:
        def linear(h: Array, name: str) -> Array:
            return np.asarray(h @ self._w[f"{at}{name}.weight"].T + self._w.get(f"{at}{name}.bias", 0.0))

        if f"{at}attn_qkv.weight" in self._w:
            q, k, v = np.split(linear(x, "attn_qkv"), 3, axis=1)
        else:
            q, k, v = (linear(x, f"attn_{one}") for one in "qkv")
        q, k, v = (one.reshape(len(x), self.n_heads, self.head) for one in (q, k, v))
        if self.architecture == "nomic-bert":
            q, k = (self._rotate(one, self._key("rope.freq_base", 10000.0)) for one in (q, k))
        likes = np.exp(np.einsum("qhd,khd->hqk", q, k) * self.head**-0.5)
        y = np.einsum("hqk,khd->qhd", likes / likes.sum(axis=-1, keepdims=True), v).reshape(len(x), -1)
        x = self._centred(x + linear(y, "attn_output"), f"{at}attn_output_norm")
        up = linear(x, "ffn_up")
        if f"{at}ffn_gate.weight" in self._w:
            gate = linear(x, "ffn_gate")
            up = up * gate / (1 + np.exp(-gate))
        else:
            up = 0.5 * up * (1 + np.tanh((2 / np.pi) ** 0.5 * (up + 0.044715 * up**3)))
        return self._centred(x + linear(up, "ffn_down"), f"{at}layer_output_norm")

    def _centred(self, x: Array, name: str) -> Array:
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + self.eps)
        return np.asarray(x * self._w[f"{name}.weight"] + self._w[f"{name}.bias"])
