# SPDX-License-Identifier: MIT
"""The reference model of every architecture: its graph, interpreted in float64 over dequantized weights.

It shares the graph and the reading of keys with the package, and no op. llama.cpp's results are the second witness: a
mistake in a graph makes them diverge from this reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type

from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.files.weights import ALIBI, FACTORS, NO_ROW, PER_LAYER_EMBEDDING
from pyhexagon.llm.graph.step import Step


class Array(np.ndarray[Any, Any]):
    """An array with the methods of a program's values."""

    def broadcast_to(self, *shape: int) -> Array:
        return _array(np.broadcast_to(self, shape))


def _array(values: Any) -> Array:
    return np.asarray(values).view(Array)


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


class Float64:
    """A program whose ops compute at once, in float64.

    Args:
        inputs: in the order in which the program declares them.
    """

    def __init__(self, inputs: Sequence[Any]) -> None:
        self._inputs, self.outputs = [_array(one) for one in inputs], list[Any]()

    def input(self, shape: tuple[int, ...], _: Any = None) -> Any:
        return self._inputs.pop(0).reshape(shape)

    def output(self, *values: Any) -> None:
        self.outputs += values

    add, sub, mul, div = (staticmethod(one) for one in (np.add, np.subtract, np.multiply, np.divide))
    tanh, exp = staticmethod(np.tanh), staticmethod(np.exp)
    repeat = staticmethod(lambda x, shape: np.tile(x, np.floor_divide(shape, x.shape)))
    sigmoid = staticmethod(_sigmoid)
    silu = staticmethod(lambda x: x * _sigmoid(x))
    softplus = staticmethod(lambda x: np.logaddexp(x, 0))
    gelu = staticmethod(lambda x: 0.5 * x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))
    swiglu = staticmethod(lambda gate, up: gate * _sigmoid(gate) * up)
    scale = staticmethod(lambda x, factor, bias=0.0: x * factor + bias)
    clamp = staticmethod(np.clip)
    sqr, sqrt = staticmethod(np.square), staticmethod(np.sqrt)
    mean = staticmethod(lambda x: x.mean(-1, keepdims=True))
    cpy = staticmethod(np.copy)
    value = staticmethod(lambda x: x)
    sum_rows = staticmethod(lambda x: x.sum(-1, keepdims=True))
    matmul = staticmethod(lambda x, w: x @ np.swapaxes(w, -1, -2))
    add_id = staticmethod(lambda x, table, ids: x + table[ids])

    def concat(self, values: Sequence[Array], axis: int = -1) -> Any:
        return _array(np.concatenate(values, axis))

    def geglu(self, gate: Any, up: Any) -> Any:
        return _array(self.gelu(gate) * up)

    def swiglu_oai(self, gate: Any, up: Any) -> Any:
        gate = np.minimum(gate, 7)
        return _array(gate * _sigmoid(1.702 * gate) * (1 + np.clip(up, -7, 7)))

    def soft_max(self, x: Array) -> Any:
        e = np.exp(x - x.max(-1, keepdims=True))
        return _array(e / e.sum(-1, keepdims=True))

    def rms_norm(self, x: Array, weight: Array | None = None, *, eps: float) -> Any:
        return _array(x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * (1.0 if weight is None else weight))

    def norm(self, x: Array, weight: Array, bias: Array | None, *, eps: float) -> Any:
        return self.rms_norm(x - x.mean(-1, keepdims=True), weight, eps=eps) + (0.0 if bias is None else bias)

    def l2_norm(self, x: Array, *, eps: float = 1e-6) -> Any:
        return _array(x / np.maximum(np.sqrt((x**2).sum(-1, keepdims=True)), eps))

    def top_k(self, x: Array, k: int) -> Any:
        return _array(np.argsort(-x, axis=-1, kind="stable")[..., :k])

    def get_rows(self, table: Array, ids: Array) -> Any:
        return table[ids] if table.ndim == 2 else _array(np.take_along_axis(table, ids[..., None], axis=1))

    def set_rows(self, table: Array, content: Array, ids: Array) -> None:
        table[ids] = content

    def mul_mat_id(self, x: Any, experts: Any, ids: Any) -> Any:
        x = x if x.ndim == 3 else x[:, None].broadcast_to(*ids.shape, x.shape[-1])
        result = np.empty((*ids.shape, experts.shape[1]))
        for number, expert in enumerate(experts):
            chosen = ids == number
            result[chosen] = x[chosen] @ expert.T
        return _array(result)

    def rope(self, x: Array, positions: Array, turns: Array, *, mode: str, scale: float) -> Any:
        words = turns.astype(np.uint32).astype(np.float64)
        angles = 2 * np.pi * positions[:, None, None] * ((words[0] * 2.0**31 + words[1]) * 2.0**-63)
        n, result = turns.shape[1], x.copy()
        one, other = (x[..., :n], x[..., n : 2 * n]) if mode == "neox" else (x[..., : 2 * n : 2], x[..., 1 : 2 * n : 2])
        turned = (one + 1j * other) * scale * np.exp(1j * angles)
        if mode == "neox":
            result[..., :n], result[..., n : 2 * n] = turned.real, turned.imag
        else:
            result[..., : 2 * n : 2], result[..., 1 : 2 * n : 2] = turned.real, turned.imag
        return result

    def cache_append(self, k: Array, v: Array, *_: Any, **__: Any) -> tuple[Array, Array]:
        return k, v

    def flash_attn_ext(
        self, q: Array, cache: tuple[Array, Array], *, positions: Array, lengths: Array | None, sinks: Array | None,
        slopes: Array | None, scale: float, window: int, softcap: float, **_: Any,
    ) -> Any:  # fmt: skip
        k, v = (np.repeat(one, q.shape[1] // one.shape[1], axis=1) for one in cache)
        distance = positions[:, None] - positions
        seen = distance >= 0 if lengths is None else np.ones_like(distance, bool)
        if window:
            seen &= distance < window if lengths is None else abs(distance) <= window // 2
        scores = np.einsum("qhd,khd->hqk", q, k) * scale
        scores = np.where(seen, softcap * np.tanh(scores / softcap) if softcap else scores, -np.inf)
        scores -= 0.0 if slopes is None else slopes[:, None, None] * abs(distance)
        weights = np.exp(scores)
        sums = weights.sum(-1) + (0.0 if sinks is None else np.exp(sinks)[:, None])
        return _array(np.einsum("hqk,khd->qhd", weights / sums[..., None], v))

    def ssm_conv(self, x: Array, kernel: Array, *, state: Array, slots: tuple[Array, Array]) -> Any:
        n, (reads, writes) = x.shape[1], slots
        x = _array(np.concatenate([state[reads], x], axis=1))
        state[writes] = x[:, n:]
        return _array(np.sum([x[:, at : at + n] * tap for at, tap in enumerate(kernel)], axis=0))

    def gated_delta_net(
        self, q: Array, k: Array, v: Array, *, g: Array, beta: Array, state: Array, slots: tuple[Array, Array],
        scale: float | None = None, delta_rule: bool = True,
    ) -> Any:  # fmt: skip
        reads, writes = slots
        n_keys = q.shape[-1]  # rows behind these are scales, which float64 does not need
        table, state = state, _array(state[reads][:, :, :n_keys])
        result, scale = [], scale or q.shape[-1] ** -0.5
        for at in range(q.shape[1]):
            state = state * np.exp(g[:, at])[..., None, None]
            known = np.einsum("bhs,bhsd->bhd", k[:, at], state) if delta_rule else 0.0
            delta = (v[:, at] - known) * beta[:, at][..., None]
            state = state + k[:, at][..., None] * delta[:, :, None]
            result.append(np.einsum("bhs,bhsd->bhd", q[:, at], state) * scale)
        table[writes, :, :n_keys] = state
        return _array(np.stack(result, axis=1)), table


def _dequantized(tensor: gguf.ReaderTensor) -> Array:
    blocks = np.array(tensor.data).reshape(1, -1)  # one row, since each call of gguf takes a few rows
    return _array(gguf.dequantize(blocks, tensor.tensor_type).astype(np.float64).reshape(tensor.shape[::-1]))


class GraphReference:
    """A model of a GGUF file."""

    def __init__(self, path: Path) -> None:
        with GGUFFile(path) as file:
            self.config, names = checked(file)
        self.architecture = ARCHITECTURES[self.config.architecture]
        self.layers = self.blocks = range(self.config.n_layers)
        tensors = {one.name: one for one in gguf.GGUFReader(path).tensors if one.name in names}
        self._w = {name: _dequantized(one) for name, one in tensors.items()}
        if self.architecture.max_bias:  # as the paper has it, for a power of two of heads
            n_heads = self.config.n_heads[0]
            self._w[ALIBI] = _array(2.0 ** (-self.architecture.max_bias / n_heads * np.arange(1, n_heads + 1)))
        self._w[NO_ROW] = _array(np.zeros(self.config.width))
        self.weights = self

    def __contains__(self, name: str) -> bool:
        return name in self._w

    def matrix(self, name: str) -> Array:
        """Return a matrix."""
        return self._w[name]

    def matmul(self, p: Any, x: Any, name: str, adapters: None = None) -> Any:
        """Return ``x @ w.T``; models have no adapters here."""
        return p.matmul(x, self.matrix(name))

    def vector(self, _: Any, name: str) -> Array:
        """Return another tensor; kernels of convolutions are transposed."""
        return self._w[name].T if name.endswith(("conv1d.weight", "conv.weight")) else self._w[name]

    def _run(self, tokens: Sequence[int], result: Any) -> Any:
        config, positions = self.config, np.arange(len(tokens), dtype=np.int32)
        is_encoder = config.is_encoder
        parts: list[Any] = [tokens, positions, [0]]
        if config.has_window_layers and not is_encoder:
            parts.append([0])  # window pages
        states: Any = {}
        if config.recurrence is not None and is_encoder:
            n_taps = config.recurrence.tables[0][0] + 1
            taken = positions + np.arange(n_taps)[:, None] - n_taps // 2
            parts.append(np.where((taken < 0) | (taken >= len(tokens)), len(tokens), taken).reshape(-1))
        elif config.recurrence is not None:
            parts += [[0], [0]]  # slot 0
            states = {
                layer: [_array(np.zeros(shape)) for shape in config.recurrence.tables]
                for layer in self.layers
                if config.is_recurrent(layer)
            }
        inputs = [np.concatenate(parts), *([[len(tokens)]] if is_encoder else []), positions]
        if PER_LAYER_EMBEDDING in self._w:
            inputs[1] = self._w[PER_LAYER_EMBEDDING][tokens]
        p: Any = Float64(inputs)
        host = SimpleNamespace(tensor=_array)
        factors = {name: one for name, one in self._w.items() if name in FACTORS}
        fake: Any = SimpleNamespace(config=config, architecture=self.architecture, device=host, _factors=factors)
        caches: Any = [SimpleNamespace(gguf_type=Type.F16)] * sum(map(config.has_cache, self.layers))
        model: Any = self
        Step(
            p, model, Model.rotations(fake, len(tokens)), caches, (len(tokens), 1, 1), is_bidirectional=is_encoder,
            states=states,
        ).build(result)  # fmt: skip
        return p.outputs[0]

    def logits(self, tokens: Sequence[int]) -> Array:
        """Return the logits at every position, shape (T, V)."""
        return _array(self._run(tokens, "every"))

    def rows(self, tokens: Sequence[int]) -> Array:
        """Return an encoder's output at every position, shape (T, width)."""
        return _array(self._run(tokens, "hidden"))
