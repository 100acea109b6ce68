# SPDX-License-Identifier: MIT
"""Whisper's encoder: one program, from the log-mel spectrum of 30 s to the keys and values for cross-attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.cache import new_pages
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.model import Model
from pyhexagon.llm.files.config import EncoderConfig
from pyhexagon.llm.files.weights import LAST_NORM
from pyhexagon.llm.graph.layer import normalize
from pyhexagon.ops.builder import Builder
from pyhexagon.ops.hadamard import size_for
from pyhexagon.program.graph import Value
from pyhexagon.program.program import Program
from pyhexagon.program.views import View
from pyhexagon.speech.source import ENCODER, ENCODER_POSITIONS
from pyhexagon.tensor import Tensor

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]

_KERNEL: Final = 3  # frames of a convolution's kernel
_ROWS_PER_BLOCK: Final = 4  # the attention kernels compute so many heads together, which have the same keys


class AudioEncoder:
    """The encoder's program. Not thread-safe.

    Args:
        model: its weights.
        caches: receive keys and values, one tensor per layer of the decoder.
        kind: of the keys and values of its own attention, see ``pyhexagon.cache``.
        key_layers: layers of the decoder whose keys inputs may keep.

    Raises:
        DspMemoryError: it does not fit.
    """

    def __init__(
        self, model: Model, caches: list[Tensor], *, kind: str = "q8_0", key_layers: Sequence[int] = ()
    ) -> None:
        if model.config.encoder is None:
            raise ArgumentError(f"{model.config.architecture} has no encoder")
        self.model, self.sizes, self._caches = model, model.config.encoder, caches
        width, n_heads = model.config.width, self.sizes.n_heads
        device = model.device
        self._pages = new_pages(device, self.sizes.n_pages, n_heads, width // n_heads, kind=kind)
        self._table = device.tensor(np.arange(self.sizes.n_pages, dtype=np.int32))
        self._positions = device.tensor(np.arange(self.sizes.n_ctx, dtype=np.int32))
        self._lengths = device.tensor(np.array([self.sizes.n_ctx], np.int32))
        self._edge = device.tensor(np.zeros((1, width), np.float32))
        self._key_layers = tuple(key_layers)
        self._n_features = model.weights.matrix(f"{ENCODER}.conv1.weight").shape[1] // _KERNEL  # with padding
        self._programs: dict[tuple[bool, bool], Program] = {}

    def tensors(self) -> list[Tensor]:
        """Return all tensors in DSP memory."""
        return [self._pages, self._table, self._positions, self._lengths, self._edge]

    def encode(self, spectrum: F32, pages: I32) -> None:
        """Write the keys and values of a window to pages of the caches.

        Args:
            spectrum: (2 n_ctx, n_mels) float32.
            pages: (n_pages,) int32.

        Raises:
            HexagonError: the device fails.
        """
        self._run(self.program(), spectrum, pages)

    def hidden(self, spectrum: F32, pages: I32) -> F32:
        """As ``encode``, and return the encoder's output, (n_ctx, width) float32."""
        (rows,) = self._run(self.program(has_output=True), spectrum, pages)
        return np.asarray(rows)

    def keys(self, spectrum: F32, pages: I32) -> dict[int, F32]:
        """As ``encode``, and return the keys of ``key_layers`` by their numbers, (n_ctx, width) float32."""
        rows = self._run(self.program(has_keys=True), spectrum, pages)
        return dict(zip(self._key_layers, rows, strict=True))

    def _run(self, program: Program, spectrum: F32, pages: I32) -> list[F32]:
        n_zeros = self._n_features - self.sizes.n_features
        return program.run_numpy(np.pad(spectrum, ((1, 1), (0, n_zeros))), pages)

    def program(self, *, has_output: bool = False, has_keys: bool = False) -> Program:
        """Return the program, compiled at its first use.

        Args:
            has_output: it returns the encoder's output.
            has_keys: it returns the keys of ``key_layers``.
        """
        if (has_output, has_keys) not in self._programs:
            with self.model.device.program() as p:
                graph = _Graph(p, self.model, self.sizes)
                frames, pages = (
                    p.input((2 * self.sizes.n_ctx + 2, self._n_features)),
                    p.input((self.sizes.n_pages,), np.int32),
                )
                x = graph.stem(frames, self._edge)
                for index in range(self.sizes.n_layers):
                    x = graph.layer(x, index, self._pages, (self._table, self._positions, self._lengths))
                x = normalize(p, self.model, x, f"{ENCODER}.{LAST_NORM}")
                keys = [
                    graph.cross(x, index, cache, pages, self._positions) for index, cache in enumerate(self._caches)
                ]
                if has_keys:
                    p.output(*(keys[index] for index in self._key_layers))
                if has_output:
                    p.output(x)
            # Of so many rows, elementwise ops take fewer packets alone than on a thread's 64 columns of a product.
            self._programs[has_output, has_keys] = p.compile(without=("elementwise",))
        return self._programs[has_output, has_keys]

    def close(self) -> None:
        """Free the memory."""
        self._programs.clear()
        for tensor in self.tensors():
            tensor.let_go()


class _Graph:
    """The parts of the encoder's graph."""

    def __init__(self, p: Builder, model: Model, sizes: EncoderConfig) -> None:
        self._p, self._model, self._sizes = p, model, sizes
        self._weights = model.weights

    def stem(self, frames: Value, edge: Tensor) -> Value:
        """Return (n_ctx, width): two convolutions over time, the second one with stride 2, and the positions.

        Args:
            frames: (2 n_ctx + 2, n_mels), with a row of zeros at either end.
            edge: (1, width), a row of zeros.
        """
        p, n_ctx = self._p, self._sizes.n_ctx
        x = p.gelu(self._linear(_windows(frames, 2 * n_ctx, 1), f"{ENCODER}.conv1"))
        zeros = p.value(edge)
        x = p.concat([zeros, x, zeros], axis=0)
        x = p.gelu(self._linear(_windows(x, n_ctx, 2), f"{ENCODER}.conv2"))
        return p.add(x, self._weights.vector(p, ENCODER_POSITIONS))

    def layer(self, x: Value, index: int, pages: Tensor, numbers: tuple[Tensor, Tensor, Tensor]) -> Value:
        """Return (n_ctx, width) after a layer."""
        p, name = self._p, f"{ENCODER}.blk.{index}"
        y = normalize(p, self._model, x, f"{name}.attn_norm")
        q, k, v = (self._heads(self._linear(y, f"{name}.attn_{which}")) for which in "qkv")
        x = p.add(x, self._linear(self._attention(q, k, v, pages, numbers), f"{name}.attn_output"))
        y = self._linear(normalize(p, self._model, x, f"{name}.ffn_norm"), f"{name}.ffn_up")
        return p.add(x, self._linear(p.gelu(y), f"{name}.ffn_down"))

    def _attention(self, q: Value, k: Value, v: Value, pages: Tensor, numbers: tuple[Tensor, Tensor, Tensor]) -> Value:
        """Return (n_ctx, width): each row attends to all rows.

        Every row of a head has the same keys. So the heads of several rows pass for heads of one row that share a KV
        head, which the kernels compute together.
        """
        p, (table, positions, lengths) = self._p, numbers
        n_rows, n_heads, size = q.shape
        cache = self._append(k, v, pages, table, positions)
        q = self._rotated(q, pages)
        n = _ROWS_PER_BLOCK if n_rows % _ROWS_PER_BLOCK == 0 else 1
        if n > 1:
            q = p.cpy(q.reshape(n_rows // n, n, n_heads, size).transpose(0, 2, 1, 3))
        y = p.flash_attn_ext(
            q.reshape(n_rows // n, n_heads * n, size), cache, pages=table, positions=p.value(positions)[: n_rows // n],
            lengths=lengths, scale=size**-0.5,
        )  # fmt: skip
        y = self._rotated(y, pages)
        if n > 1:
            y = p.cpy(y.reshape(n_rows // n, n_heads, n, size).transpose(0, 2, 1, 3))
        return y.reshape(n_rows, n_heads * size)

    def cross(self, x: Value, index: int, cache: Tensor, pages: Value, positions: Tensor) -> Value:
        """Write the keys and values of the encoder's output for a layer of the decoder; return the keys."""
        k, v = (self._linear(x, f"blk.{index}.cross_attn_{which}") for which in "kv")
        size = self._model.config.head_size
        shape = x.shape[0], -1, size
        self._append(k.reshape(shape), v.reshape(shape), cache, pages, positions)
        return k

    def _append(self, k: Value, v: Value, cache: Tensor, pages: Value | Tensor, positions: Tensor) -> Value:
        return self._p.cache_append(self._rotated(k, cache), self._rotated(v, cache), cache, pages=pages,
                                    positions=positions)  # fmt: skip

    def _rotated(self, x: Value, cache: Tensor) -> Value:
        """Return heads rotated for a quantised cache, as ``Layer.attention`` rotates them."""
        n = None if cache.gguf_type == Type.F16 else size_for(x.shape[-1])
        return x if n is None else self._p.hadamard(x, n)

    def _heads(self, x: Value) -> Value:
        return x.reshape(x.shape[0], self._sizes.n_heads, -1)

    def _linear(self, x: Value, name: str) -> Value:
        y, bias = self._weights.matmul(self._p, x, f"{name}.weight"), f"{name}.bias"
        return self._p.add(y, self._weights.vector(self._p, bias)) if bias in self._weights else y


def _windows(x: Value, n: int, stride: int) -> Value:
    """Return n windows of three rows of (M, C), ``stride`` rows apart, (n, 3 C): a view, whose rows overlap."""
    step, item = x.view.strides
    return Value(x.storage, View((n, _KERNEL * x.shape[1]), (stride * step, item), x.view.offset))
