# SPDX-License-Identifier: MIT
"""What a model computes: a pass in float64 over its dequantised weights, written on its own."""

from __future__ import annotations

import os
from collections.abc import Sequence

import gguf
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


class Reference:
    """A model of a GGUF file."""

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
        self.window = int(self._key("attention.sliding_window", 0)) if self.architecture == "gemma3" else 0

    def _key(self, name: str, default: float) -> float:
        field = self._fields.get(f"{self.architecture}.{name}")
        return default if field is None else float(field.contents())

    def logits(self, tokens: Sequence[int]) -> Array:
        """(T, V)."""
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
        sees_all = not self.window or index % 6 == 5
        if not (self.architecture == "smollm3" and index % 4 == 3):
            base = 10000.0 if not sees_all else self._key("rope.freq_base", 10000.0)
            q, k = (self._rotate(one, base) for one in (q, k))
        y = linear(self._attend(q, k, v, 0 if sees_all else self.window), "attn_output")
        x = x + after(y, "post_attention_norm.weight")
        h = self._norm(x, w["ffn_norm.weight"])
        up = linear(h, "ffn_up")
        gate, up = np.split(up, 2, axis=1) if "ffn_gate.weight" not in w else (linear(h, "ffn_gate"), up)
        if self.architecture == "gemma3":  # GELU, by tanh
            gate = 0.5 * gate * (1 + np.tanh((2 / np.pi) ** 0.5 * (gate + 0.044715 * gate**3)))
        else:
            gate = gate / (1 + np.exp(-gate))
        return np.asarray(x + after(linear(gate * up, "ffn_down"), "post_ffw_norm.weight"))

    def _norm(self, x: Array, weight: Array) -> Array:
        return np.asarray(x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + self.eps) * weight)

    def _rotate(self, x: Array, base: float) -> Array:
        n = int(self._key("rope.dimension_count", self.head))
        angles = np.arange(len(x))[:, None] * base ** (-np.arange(0, n, 2) / n)
        angles = angles / self._w.get("rope_freqs.weight", 1.0)
        turn = np.exp(1j * angles)[:, None]
        result = x.copy()
        if self.architecture in ("llama", "smollm3"):  # neighbours are a pair
            turned = (x[..., 0:n:2] + 1j * x[..., 1:n:2]) * turn
            result[..., 0:n:2], result[..., 1:n:2] = turned.real, turned.imag
        else:
            turned = (x[..., : n // 2] + 1j * x[..., n // 2 : n]) * turn
            result[..., : n // 2], result[..., n // 2 : n] = turned.real, turned.imag
        return np.asarray(result)

    def _attend(self, q: Array, k: Array, v: Array, window: int) -> Array:
        group = self.n_heads // self.n_kv_heads
        k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
        at = np.arange(len(q))
        seen = at[:, None] >= at
        if window:
            seen &= at[:, None] - at < window
        weights = np.where(seen, np.einsum("qhd,khd->hqk", q, k) * self.head**-0.5, -np.inf)
        weights = np.exp(weights - weights.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return np.asarray(np.einsum("hqk,khd->qhd", weights, v).reshape(len(q), -1))
