# SPDX-License-Identifier: MIT
"""The vision transformer: a graph from patches to rows of the encoder, of which projectors make embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import PAGE_TOKENS, new_pages
from pyhexagon.llm.files.weights import Weights
from pyhexagon.llm.vision.config import ProjectorKind, VisionConfig
from pyhexagon.llm.vision.limits import MatrixLimits
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.llm.vision.attention import Attention
    from pyhexagon.llm.vision.grid import Grid


class Tower:
    """The building blocks of an encoder and its projector, for one grid of patches.

    Args:
        limits: of matrices that have some, by their names without ``.weight``.
        attentions: over the grid, and over the one that a merger among the layers leaves.

    Attributes:
        p: the program under construction.
        config, grid: of the encoder, and of the tile; after patches were merged, the grid of squares.
        constants: tensors that the program reads beside weights.
    """

    def __init__(
        self,
        p: Builder,
        config: VisionConfig,
        kind: ProjectorKind,
        weights: Weights,
        *,
        limits: Mapping[str, MatrixLimits],
        attentions: Sequence[Attention],
    ) -> None:
        self.p, self.config, self._kind, (self._attention, *self._others) = p, config, kind, attentions
        self.grid: Grid = self._attention.grid
        self._weights, self._limits = weights, limits
        self._deep: list[Value] = []
        self.constants: list[Tensor] = []

    def build(self, added: npt.NDArray[np.float32]) -> None:
        """Build the graph: its input are patches (M, 3 * patch size ** 2), its output embeddings (N, width of one).

        Args:
            added: (M, width) to the rows of the patches.
        """
        p, config = self.p, self.config
        x = p.matmul(p.input((len(added), 3 * config.patch_size**2)), self.matrix("v.patch_embd.weight"))
        x = p.add(x, self.constant(added))
        x = self.norm(x, "v.pre_ln") if self.has("v.pre_ln.weight") else x
        features, n_layers = [], max(config.features, default=config.n_layers - self._kind.n_skipped)
        for layer in range(n_layers):
            features += [x] if layer in config.features else []
            x = self._layer(x, layer)
            if self._kind.merger is not None and layer == config.merger_layer:
                x = self._kind.merger[0](self, x)
                (self._attention,) = self._others
                self.grid = self._attention.grid
        x = self.norm(x, "v.post_ln") if self.has("v.post_ln.weight") else x
        x = p.concat([*features, x], axis=1) if features else x
        y = self._kind.project(self, x)
        p.output(p.concat([y, *self._deep], axis=1) if self._deep else y)

    def _layer(self, x: Value, layer: int) -> Value:
        p, name = self.p, f"v.blk.{layer}"
        y = self._attend(self.norm(x, f"{name}.ln1"), layer)
        x = p.add(x, self._normalised(self._scaled(y, f"{name}.ls1"), f"{name}.attn_post_norm"))
        y = self.feed_forward(self.norm(x, f"{name}.ln2"), name)
        x = p.add(x, self._scaled(self._normalised(y, f"{name}.ffn_post_norm"), f"{name}.ls2"))
        x = self._scaled(x, f"{name}.out_scale")
        if layer in self.config.deepstack:
            deep = f"v.deepstack.{layer}"
            y = self.norm(self.merged(x), f"{deep}.norm", norm="layer")
            self._deep.append(self.linear(p.gelu(self.linear(y, f"{deep}.fc1")), f"{deep}.fc2"))
        return x

    def attend_across(self, q: Value, k: Value, v: Value) -> Value:
        """Return the attention of other rows over patches, (M, heads, head size), as q; k and v are (patches, ...)."""
        p, n = self.p, k.shape[0]
        pages = new_pages(p.owner, -(-n // PAGE_TOKENS), k.shape[1], k.shape[2], kind=self._attention.cache)
        self.constants.append(pages)
        table = self.constant(np.arange(pages.shape[0], dtype=np.int32))
        positions = self.constant(np.arange(n, dtype=np.int32))
        cache = p.cache_append(k, v, pages, pages=table, positions=positions)
        return p.flash_attn_ext(
            q, cache, pages=table, positions=self.constant(np.zeros(q.shape[0], np.int32)),
            lengths=self.constant(np.array([n], np.int32)),
        )  # fmt: skip

    def _scaled(self, x: Value, name: str) -> Value:
        """Return rows times the layer's scale, if the file has one."""
        return self.p.mul(x, self.vector(f"{name}.weight")) if self.has(f"{name}.weight") else x

    def _normalised(self, x: Value, name: str) -> Value:
        """Return rows after a norm, if the file has it."""
        return self.norm(x, name) if self.has(f"{name}.weight") else x

    def _attend(self, x: Value, layer: int) -> Value:
        name, heads = f"v.blk.{layer}.attn", (x.shape[0], self.config.n_heads, self.config.head_size)
        if self.has(f"{name}_qkv.weight"):
            qkv = self.linear(x, f"{name}_qkv")
            n = heads[1] * heads[2]
            parts = [qkv[:, n * at : n * (at + 1)] for at in range(3)]
        else:
            parts = [self.linear(x, f"{name}_{letter}") for letter in "qkv"]
        q, k, v = (part.reshape(heads) for part in parts)
        q, k = self._normalised(q, f"{name}_q_norm"), self._normalised(k, f"{name}_k_norm")
        v = self.p.rms_norm(v, eps=self.config.eps) if self._kind.has_value_norm else v
        return self.linear(self._attention(self.p, q, k, v, layer).reshape(x.shape[0], -1), f"{name}_out")

    def feed_forward(self, x: Value, name: str) -> Value:
        """Return the feed-forward net of a layer: two matrices with an activation, or three with a gate."""
        up, down = ("ffn_down", "ffn_up") if self.config.is_ffn_swapped else ("ffn_up", "ffn_down")
        h = self.linear(x, f"{name}.{up}")
        if self.has(f"{name}.ffn_gate.weight"):
            gate = self.linear(x, f"{name}.ffn_gate")
            h = self.p.swiglu(gate, h) if self.config.activation == "silu" else self.p.mul(self.activation(gate), h)
        else:
            h = self.activation(h)
        return self.linear(h, f"{name}.{down}")

    def activation(self, x: Value) -> Value:
        """Return the encoder's activation: GELU in its tanh approximation or its quick one, or SiLU."""
        p = self.p
        if self.config.activation == "gelu":
            return p.gelu(x)
        return p.silu(x) if self.config.activation == "silu" else p.mul(x, p.sigmoid(p.scale(x, 1.702)))

    def norm(self, x: Value, name: str, *, norm: str | None = None, eps: float | None = None) -> Value:
        """Return rows after a norm by its name: the encoder's own, or "layer" or "rms"; with a bias if there is one."""
        weight, eps = self.vector(f"{name}.weight"), self.config.eps if eps is None else eps
        bias = self.vector(f"{name}.bias") if self.has(f"{name}.bias") else None
        if (norm or self._kind.norm) == "layer":
            return self.p.norm(x, weight, bias, eps=eps)
        y = self.p.rms_norm(x, weight, eps=eps)
        return y if bias is None else self.p.add(y, bias)

    def linear(self, x: Value, name: str) -> Value:
        """Return ``x @ w.T`` plus the bias if there is one: (M, K) to (M, N). Some files limit operands and results."""
        limits = self._limits.get(name)
        x = x if limits is None else self.p.clamp(x, *limits.operands)
        y = self._weights.matmul(self.p, x, f"{name}.weight")
        y = y if limits is None else self.p.clamp(y, *limits.results)
        return self.p.add(y, self.vector(f"{name}.bias")) if self.has(f"{name}.bias") else y

    def mlp(self, x: Value, up: str, down: str) -> Value:
        """Return two ``linear`` with GELU between them."""
        return self.linear(self.p.gelu(self.linear(x, up)), down)

    def merged(self, x: Value) -> Value:
        """Return the rows of merged patches side by side: (patches, width) to (N, width * merge ** 2)."""
        return x.reshape(-1, self.config.width * self.grid.merge**2)

    def merged_by_channel(self, x: Value) -> Value:
        """Return merged patches channel by channel, as a convolution's kernel has them; shapes as of ``merged``."""
        width, n = x.shape[1], self.grid.merge**2
        return self.p.cpy(x.reshape(-1, n, width).transpose(0, 2, 1)).reshape(-1, n * width)

    def pooled(self, x: Value, n: int) -> Value:
        """Return the mean of each n rows, those of merged patches: (patches, width) to (patches / n, width)."""
        parts = x.reshape(-1, n, x.shape[1])
        return self.p.scale(reduce(self.p.add, [parts[:, at] for at in range(n)]), 1 / n)

    def has(self, name: str) -> bool:
        """Return whether the file has a tensor."""
        return name in self._weights

    def matrix(self, name: str) -> Tensor:
        """Return a matrix."""
        return self._weights.matrix(name)

    def constant(self, array: npt.NDArray[Any]) -> Tensor:
        """Copy an array to the device, for as long as the program lives."""
        self.constants.append(self.p.owner.tensor(array))
        return self.constants[-1]

    def vector(self, name: str) -> Value:
        """Return a tensor that is no matrix."""
        return self._weights.vector(self.p, name)
