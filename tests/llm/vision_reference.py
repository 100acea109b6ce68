# SPDX-License-Identifier: MIT
"""Image encoders and projectors in float64, from the formulae of their papers and llama.cpp's order of rows.

Patches are in the order of the picture here, row by row, and are brought into squares where they are merged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


def gelu(x: F64) -> F64:
    return np.asarray(x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))


def sigmoid(x: F64) -> F64:
    return np.asarray(1 / (1 + np.exp(-x)))


class VisionReference:
    """An mmproj file, dequantized."""

    def __init__(self, path: Path) -> None:
        reader = gguf.GGUFReader(path)
        self.keys: dict[str, Any] = {name: field.contents() for name, field in reader.fields.items()}
        self.weights = {
            one.name: gguf.quants.dequantize(one.data, one.tensor_type).astype(np.float64) for one in reader.tensors
        }
        self.kind: str = self.keys["clip.projector_type"]
        self.patch = int(self._key("patch_size"))
        self.eps = float(self._key("attention.layer_norm_epsilon"))
        self.merge = int(self._key("projector.scale_factor", self._key("spatial_merge_size", 1)))
        if self.kind in ("mlp", "ldp", "ldpv2"):
            self.merge = 1

    def _key(self, name: str, default: Any = None) -> Any:
        return self.keys.get(f"clip.vision.{name}", default)

    def linear(self, x: F64, name: str) -> F64:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights.get(f"{name}.bias", 0.0))

    def norm(self, x: F64, name: str, eps: float | None = None) -> F64:
        """Layer norm; RMS norm where there is no bias."""
        bias = self.weights.get(f"{name}.bias")
        x = x if bias is None else x - x.mean(-1, keepdims=True)
        y = x / np.sqrt((x**2).mean(-1, keepdims=True) + (self.eps if eps is None else eps))
        return np.asarray(y * self.weights[f"{name}.weight"] + (0.0 if bias is None else bias))

    def activation(self, x: F64) -> F64:
        if self.keys.get("clip.use_gelu"):
            return gelu(x)
        return x * sigmoid(x if self.keys.get("clip.use_silu") else 1.702 * x)

    def embeddings(self, tile: npt.NDArray[np.float32]) -> F64:
        """Return the embeddings of a normalised tile (h, w, 3)."""
        n_rows, n_columns = tile.shape[0] // self.patch, tile.shape[1] // self.patch
        pixels = tile[: n_rows * self.patch, : n_columns * self.patch].astype(np.float64)
        kernel = self.weights["v.patch_embd.weight"] + self.weights.get("v.patch_embd.weight.1", 0.0)
        cut = pixels.reshape(n_rows, self.patch, n_columns, self.patch, 3)
        x = np.einsum("aibjc,wcij->abw", cut, kernel).reshape(n_rows * n_columns, -1)
        x = x + self.weights.get("v.patch_embd.bias", 0.0) + self._positions(n_rows, n_columns)
        if "v.class_embd" in self.weights:
            last = self.weights["v.class_embd"] + self.weights["v.position_embd.weight"][-1]
            x = np.concatenate([x, last[None]])
        x = self.norm(x, "v.pre_ln") if "v.pre_ln.weight" in self.weights else x
        deep: list[F64] = []
        n_layers = self._key("block_count") - (self.kind in ("mlp", "ldp", "ldpv2"))
        for layer in range(n_layers):
            x = self._layer(x, layer, n_rows, n_columns)
            name = f"v.deepstack.{layer}"
            if f"{name}.fc1.weight" in self.weights:
                y = self.norm(self._merged(x, n_rows, n_columns), f"{name}.norm")
                deep.append(self.linear(gelu(self.linear(y, f"{name}.fc1")), f"{name}.fc2"))
        x = self.norm(x, "v.post_ln") if "v.post_ln.weight" in self.weights else x
        y = self._project(x, n_rows, n_columns)
        return np.concatenate([y, *deep], axis=1)

    def _positions(self, n_rows: int, n_columns: int) -> F64 | float:
        table = self.weights.get("v.position_embd.weight")
        if table is None:
            return 0.0
        table = table[: len(table) - ("v.class_embd" in self.weights)]
        side = round(len(table) ** 0.5)
        if n_rows == n_columns == side:
            return table
        square = table.reshape(side, side, -1)
        result = np.zeros((n_rows, n_columns, square.shape[2]))
        for row in range(n_rows):
            for column in range(n_columns):
                for y, down in _neighbours(row, n_rows, side, self.kind):
                    for x, across in _neighbours(column, n_columns, side, self.kind):
                        result[row, column] += down * across * square[y, x]
        return result.reshape(n_rows * n_columns, -1)

    def _layer(self, x: F64, layer: int, n_rows: int, n_columns: int) -> F64:
        name = f"v.blk.{layer}"
        h = self.norm(x, f"{name}.ln1")
        if f"{name}.attn_qkv.weight" in self.weights:
            q, k, v = np.split(self.linear(h, f"{name}.attn_qkv"), 3, axis=1)
        else:
            q, k, v = (self.linear(h, f"{name}.attn_{one}") for one in "qkv")
        n_heads = self._key("attention.head_count")
        q, k, v = (one.reshape(len(x), n_heads, -1).transpose(1, 0, 2) for one in (q, k, v))
        q, k = (self._rotated(one, n_columns) for one in (q, k))
        logits = np.einsum("hqd,hkd->hqk", q, k) / q.shape[2] ** 0.5
        pattern = self._key("n_wa_pattern", 0)
        if pattern and (layer + 1) % pattern:
            side = 112 // self.patch // self.merge * self.merge
            windows = np.arange(n_rows)[:, None] // side * n_columns + np.arange(n_columns) // side
            logits = np.where(windows.reshape(-1, 1) == windows.reshape(-1), logits, -np.inf)
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        y = (shares / shares.sum(-1, keepdims=True)) @ v
        y = self.linear(y.transpose(1, 0, 2).reshape(len(x), -1), f"{name}.attn_out")
        x = x + y * self.weights.get(f"{name}.ls1.weight", 1.0)
        h = self.norm(x, f"{name}.ln2")
        up = self.linear(h, f"{name}.ffn_up")
        is_gated = f"{name}.ffn_gate.weight" in self.weights
        inner = self.activation(self.linear(h, f"{name}.ffn_gate")) * up if is_gated else self.activation(up)
        return np.asarray(x + self.linear(inner, f"{name}.ffn_down") * self.weights.get(f"{name}.ls2.weight", 1.0))

    def _rotated(self, x: F64, n_columns: int) -> F64:
        """Return heads (H, T, D) with rotary positions: complex numbers, turned by the row or by the column."""
        if not self.kind.startswith(("qwen", "pixtral")):
            return x
        n = x.shape[2] // 4
        rows, columns = np.divmod(np.arange(x.shape[1]), n_columns)
        steps = np.arange(n) / n
        shift = 1 / (2 * n) if self.kind == "pixtral" else 0.0  # frequencies of columns lie between those of rows
        angles = np.concatenate(
            [np.outer(rows, 10000.0**-steps), np.outer(columns, 10000.0 ** -(steps + shift))], axis=1
        )
        if self.kind == "pixtral":
            turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
            return np.asarray(np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape))
        turned = (x[..., : 2 * n] + 1j * x[..., 2 * n :]) * np.exp(1j * angles)
        return np.concatenate([turned.real, turned.imag], axis=-1)

    def _squares(self, x: F64, n_rows: int, n_columns: int) -> F64:
        """Return patches by the square that they are merged into: (N, merge ** 2, width)."""
        m = self.merge
        split = x.reshape(n_rows // m, m, n_columns // m, m, -1).transpose(0, 2, 1, 3, 4)
        return np.asarray(split.reshape(-1, m * m, x.shape[1]))

    def _merged(self, x: F64, n_rows: int, n_columns: int) -> F64:
        squares = self._squares(x, n_rows, n_columns)
        return squares.reshape(len(squares), -1)

    def _mlp(self, x: F64, first: str, second: str) -> F64:
        return self.linear(gelu(self.linear(x, first)), second)

    def _project(self, x: F64, n_rows: int, n_columns: int) -> F64:
        grid, n = (n_rows, n_columns), n_rows * n_columns
        if self.kind == "gemma3":
            y = self.norm(self._squares(x, *grid).mean(axis=1), "mm.soft_emb_norm")
            return np.asarray(y @ self.weights["mm.input_projection.weight"])
        if self.kind == "idefics3":
            return self.linear(self._merged(x, *grid), "mm.model.fc")
        if self.kind == "internvl":
            y = self.norm(self._merged(x[:n], *grid), "mm.model.mlp.0", 1e-5)
            return self._mlp(y, "mm.model.mlp.1", "mm.model.mlp.3")
        if self.kind == "lfm2":
            return self._mlp(self.norm(self._merged(x, *grid), "mm.input_norm", 1e-5), "mm.1", "mm.2")
        if self.kind == "pixtral":
            squares = self.norm(self._squares(x, *grid), "mm.input_norm").transpose(0, 2, 1)
            y = self._mlp(self.linear(squares.reshape(len(squares), -1), "mm.patch_merger"), "mm.1", "mm.2")
            lines = y.reshape(n_rows // self.merge, n_columns // self.merge, -1)
            mark = self.weights["v.token_embd.img_break"]
            return np.concatenate([part for line in lines for part in (line, mark[None])])[:-1]
        if self.kind == "mlp":
            return self._mlp(x[1:], "mm.0", "mm.2")
        if self.kind == "ldp":
            y = self._mlp(x[1:], "mm.model.mlp.1", "mm.model.mlp.3").reshape(n_rows, n_columns, -1)
            y = y + self._block(y, "mm.model.mb_block.1.block", 1)
            y = self._block(y, "mm.model.mb_block.2.block", 2)
            return np.asarray(y.reshape(-1, y.shape[2]))
        if self.kind == "ldpv2":
            y = self._mlp(x[1:], "mm.model.mlp.0", "mm.model.mlp.2")
            y = y.reshape(n_rows // 2, 2, n_columns // 2, 2, -1).mean(axis=(1, 3))
            y = y + _depthwise(y, self.weights["mm.model.peg.0.weight"], 1) + self.weights["mm.model.peg.0.bias"]
            return np.asarray(y.reshape(-1, y.shape[2]))
        return self._mlp(self._merged(x, *grid), "mm.0", "mm.2")

    def _block(self, x: F64, name: str, stride: int) -> F64:
        y = self.norm(_depthwise(x, self.weights[f"{name}.0.0.weight"], stride), f"{name}.0.1")
        y = y * _hard_sigmoid(y)
        gate = np.maximum(0, self.linear(y.mean(axis=(0, 1)), f"{name}.1.fc1"))
        y = y * _hard_sigmoid(self.linear(gate, f"{name}.1.fc2"))
        return self.norm(self.linear(y, f"{name}.2.0"), f"{name}.2.1")


def _hard_sigmoid(x: F64) -> F64:
    return np.asarray(np.clip(x / 6 + 0.5, 0, 1))


def _depthwise(x: F64, kernel: F64, stride: int) -> F64:
    """Return the depthwise convolution of a grid (h, w, channels) with (channels, 1, 3, 3), padded with a zero."""
    padded = np.pad(x, ((1, 1), (1, 1), (0, 0)))
    n = -(-x.shape[0] // stride)
    result = np.zeros((n, n, x.shape[2]))
    for i in range(3):
        for j in range(3):
            result += padded[i : i + x.shape[0] : stride, j : j + x.shape[1] : stride] * kernel[:, 0, i, j]
    return result


def _neighbours(at: int, n_new: int, n: int, kind: str) -> list[tuple[int, float]]:
    """Return the old places of which a new one is interpolated, with their shares."""
    if kind.startswith("qwen3"):  # the first and the last places are the same
        place = at * (n - 1) / (n_new - 1) if n_new > 1 else 0.0
        reach = 1.0
    else:
        place, reach = (at + 0.5) * n / n_new - 0.5, max(1.0, n / n_new)
    shares = [max(0.0, 1 - abs(old - place) / reach) for old in range(n)]
    return [(old, share / sum(shares)) for old, share in enumerate(shares) if share]
