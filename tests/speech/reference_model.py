# SPDX-License-Identifier: MIT
"""Whisper's encoder and decoder in float64, from OpenAI's description, independently of pyhexagon's graphs."""

from __future__ import annotations

from collections.abc import Sequence

import gguf
import numpy as np
import numpy.typing as npt

from pyhexagon.speech.ggml_file import WhisperFile

F64 = npt.NDArray[np.float64]


class ReferenceModel:
    """A model of a file."""

    def __init__(self, file: WhisperFile) -> None:
        self._sizes = file.hyper_parameters
        self.attention: dict[str, F64] = {}  # the last weights (heads, rows, others) of each attention
        self._tensors: dict[str, F64] = {
            name: gguf.dequantize(file.tensor(name), file.info(name).gguf_type)
            .astype(np.float64)
            .reshape(file.info(name).shape)
            for name in file.names()
        }

    def encode(self, spectrum: npt.NDArray[np.float32]) -> F64:
        """Return the encoder's output (n_ctx, width) for frames (2 n_ctx, n_mels)."""
        x = _gelu(self._convolution(spectrum.astype(np.float64), "encoder.conv1", 1))
        x = _gelu(self._convolution(x, "encoder.conv2", 2)) + self._tensors["encoder.positional_embedding"]
        for layer in range(self._sizes.n_audio_layer):
            at = f"encoder.blocks.{layer}"
            normal = self._norm(x, f"{at}.attn_ln")
            x = x + self._attention(normal, normal, f"{at}.attn", self._sizes.n_audio_head)
            x = x + self._feed_forward(x, at)
        return self._norm(x, "encoder.ln_post")

    def decode(self, tokens: Sequence[int], encoded: F64) -> F64:
        """Return the logits (T, n_vocab) of tokens."""
        x = self._tensors["decoder.token_embedding.weight"][list(tokens)]
        x = x + self._tensors["decoder.positional_embedding"][: len(tokens)]
        for layer in range(self._sizes.n_text_layer):
            at, n_heads = f"decoder.blocks.{layer}", self._sizes.n_text_head
            normal = self._norm(x, f"{at}.attn_ln")
            x = x + self._attention(normal, normal, f"{at}.attn", n_heads, is_causal=True)
            x = x + self._attention(self._norm(x, f"{at}.cross_attn_ln"), encoded, f"{at}.cross_attn", n_heads)
            x = x + self._feed_forward(x, at)
        return np.asarray(self._norm(x, "decoder.ln") @ self._tensors["decoder.token_embedding.weight"].T)

    def _convolution(self, x: F64, name: str, stride: int) -> F64:
        kernel, padded = self._tensors[f"{name}.weight"], np.pad(x, ((1, 1), (0, 0)))
        starts = range(0, len(x), stride)
        sums = [np.einsum("kc,ock->o", padded[start : start + 3], kernel, optimize=True) for start in starts]
        return np.stack(sums) + self._tensors[f"{name}.bias"][:, 0]

    def _norm(self, x: F64, name: str) -> F64:
        normal = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return np.asarray(normal * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"])

    def _linear(self, x: F64, name: str) -> F64:
        return np.asarray(x @ self._tensors[f"{name}.weight"].T + self._tensors.get(f"{name}.bias", 0.0))

    def _feed_forward(self, x: F64, at: str) -> F64:
        return self._linear(_gelu(self._linear(self._norm(x, f"{at}.mlp_ln"), f"{at}.mlp.0")), f"{at}.mlp.2")

    def _attention(self, x: F64, others: F64, name: str, n_heads: int, *, is_causal: bool = False) -> F64:
        queries, keys, values = (
            self._linear(rows, f"{name}.{part}").reshape(len(rows), n_heads, -1).transpose(1, 0, 2)
            for rows, part in ((x, "query"), (others, "key"), (others, "value"))
        )
        logits = queries @ keys.transpose(0, 2, 1) * queries.shape[-1] ** -0.5
        if is_causal:
            logits = np.where(np.tril(np.ones(logits.shape[1:])) > 0, logits, -np.inf)
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        self.attention[name] = weights / weights.sum(-1, keepdims=True)
        attended = self.attention[name] @ values
        return self._linear(attended.transpose(1, 0, 2).reshape(len(x), -1), f"{name}.out")


def _gelu(x: F64) -> F64:
    """Return GELU in its tanh approximation, which whisper.cpp uses."""
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))
