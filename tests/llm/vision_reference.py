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

from llm.vision_projections import PROJECTIONS, gelu

F64 = npt.NDArray[np.float64]


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
        if self.kind in ("mlp", "ldp", "ldpv2", "janus_pro", "phi4", "resampler"):
            self.merge = 1

    def _key(self, name: str, default: Any = None) -> Any:
        return self.keys.get(f"clip.vision.{name}", default)

    def linear(self, x: F64, name: str) -> F64:
        x = np.clip(x, self.weights.get(f"{name}.input_min"), self.weights.get(f"{name}.input_max"))
        y = x @ self.weights[f"{name}.weight"].T
        y = np.clip(y, self.weights.get(f"{name}.output_min"), self.weights.get(f"{name}.output_max"))
        return np.asarray(y + self.weights.get(f"{name}.bias", 0.0))

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
        features = self._key("feature_layer", [])
        n_layers = max(features) if features else self._key("block_count") - (self.kind in ("mlp", "ldp", "ldpv2"))
        rows: list[F64] = []
        for layer in range(n_layers):
            rows += [x] if layer in features else []
            x = self._layer(x, layer, n_rows, n_columns)
            if layer in self._key("wa_layer_indexes", []):
                x = self._merged_early(x, n_rows, n_columns)
            name = f"v.deepstack.{layer}"
            if f"{name}.fc1.weight" in self.weights:
                y = self.norm(self.merged(x, n_rows, n_columns), f"{name}.norm")
                deep.append(self.linear(gelu(self.linear(y, f"{name}.fc1")), f"{name}.fc2"))
        x = self.norm(x, "v.post_ln") if "v.post_ln.weight" in self.weights else x
        x = np.concatenate([*rows, x], axis=1)
        y = PROJECTIONS[self.kind](self, x, (n_rows, n_columns))
        return np.concatenate([y, *deep], axis=1)

    def _positions(self, n_rows: int, n_columns: int) -> F64 | float:
        table = self.weights.get("v.position_embd.weight")
        if table is None:
            return 0.0
        if table.ndim == 3:  # columns, and rows
            return np.asarray((table[0, :n_columns] + table[1, :n_rows, None]).reshape(n_rows * n_columns, -1))
        table = table[: len(table) - ("v.class_embd" in self.weights)]
        side = round(len(table) ** 0.5)
        if self.kind in ("resampler", "minicpmv4_6"):
            places = [[row * side // n_rows * side + column * side // n_columns for column in range(n_columns)]
                      for row in range(n_rows)]  # fmt: skip
            return np.asarray(table[np.ravel(places)])
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
        if f"{name}.attn_q_norm.weight" in self.weights:
            q, k = (self.norm(one, f"{name}.attn_{norm}_norm") for one, norm in ((q, "q"), (k, "k")))
        if self.kind == "gemma4v":
            v = v / np.sqrt((v**2).mean(-1, keepdims=True) + self.eps)
        q, k = (self._rotated(one, n_columns) for one in (q, k))
        logits = np.einsum("hqd,hkd->hqk", q, k) / (1.0 if self.kind == "gemma4v" else q.shape[2] ** 0.5)
        pattern = self._key("n_wa_pattern", 0)
        if pattern and (layer + 1) % pattern:
            side = 112 // self.patch // self.merge * self.merge
            windows = np.arange(n_rows)[:, None] // side * n_columns + np.arange(n_columns) // side
            logits = np.where(windows.reshape(-1, 1) == windows.reshape(-1), logits, -np.inf)
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        y = (shares / shares.sum(-1, keepdims=True)) @ v
        y = self.linear(y.transpose(1, 0, 2).reshape(len(x), -1), f"{name}.attn_out")
        y = self.norm(y, f"{name}.attn_post_norm") if f"{name}.attn_post_norm.weight" in self.weights else y
        x = x + y * self.weights.get(f"{name}.ls1.weight", 1.0)
        h = self.norm(x, f"{name}.ln2")
        up = self.linear(h, f"{name}.ffn_up")
        is_gated = f"{name}.ffn_gate.weight" in self.weights
        inner = self.activation(self.linear(h, f"{name}.ffn_gate")) * up if is_gated else self.activation(up)
        y = self.linear(inner, f"{name}.ffn_down")
        y = self.norm(y, f"{name}.ffn_post_norm") if f"{name}.ffn_post_norm.weight" in self.weights else y
        x = x + y * self.weights.get(f"{name}.ls2.weight", 1.0)
        return np.asarray(x * self.weights.get(f"{name}.out_scale.weight", 1.0))

    def _merged_early(self, x: F64, n_rows: int, n_columns: int) -> F64:
        """Return squares of 2 x 2 patches, row by row, after attention within each of them."""
        name, n_heads = "v.vit_merger", self._key("attention.head_count")
        h = self.norm(x, f"{name}.ln1")
        q, k, v = (
            self._twos(self.linear(h, f"{name}.attn_{one}"), n_columns).reshape(len(x) // 4, 4, n_heads, -1)
            for one in "qkv"
        )
        logits = np.einsum("sqhd,skhd->shqk", q, k) / q.shape[3] ** 0.5
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        y = np.einsum("shqk,skhd->sqhd", shares / shares.sum(-1, keepdims=True), v).reshape(len(x) // 4, 4, -1)
        squares = self._twos(x, n_columns) + self.linear(y, f"{name}.attn_out")
        h = self.norm(squares.reshape(len(squares), -1), f"{name}.ds_ln")
        return np.asarray(self.mlp(h, f"{name}.ds_ffn_up", f"{name}.ds_ffn_down") + squares.mean(axis=1))

    def _twos(self, x: F64, n_columns: int) -> F64:
        """Return patches by squares of 2 x 2, (N, 4, width)."""
        split = x.reshape(-1, 2, n_columns // 2, 2, x.shape[1]).transpose(0, 2, 1, 3, 4)
        return np.asarray(split.reshape(-1, 4, x.shape[1]))

    def _rotated(self, x: F64, n_columns: int) -> F64:
        """Return heads (H, T, D) with rotary positions: complex numbers, turned by the row or by the column."""
        if not self.kind.startswith(("qwen", "pixtral", "lighton", "paddle", "dots", "gemma4", "glm")):
            return x
        n = x.shape[2] // 4
        places = np.divmod(np.arange(x.shape[1]), n_columns)
        places = places[::-1] if self.kind == "gemma4v" else places
        steps = np.arange(n) / n
        # Pixtral splits one series of frequencies: even ones turn by the row, odd ones by the column.
        shift = 1 / (2 * n) if self.kind in ("pixtral", "lightonocr") else 0.0
        base = 100.0 if self.kind == "gemma4v" else 10000.0
        angles = np.concatenate([np.outer(places[0], base**-steps), np.outer(places[1], base ** -(steps + shift))], 1)
        if self.kind == "gemma4v":  # each half of a head for itself
            quarters = x.reshape(*x.shape[:2], 2, 2, n)
            turned = (quarters[..., 0, :] + 1j * quarters[..., 1, :]) * np.exp(1j * angles).reshape(-1, 2, n)
            return np.stack([turned.real, turned.imag], axis=-2).reshape(x.shape)
        if self.kind in ("pixtral", "lightonocr"):
            turned = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * angles)
            return np.asarray(np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape))
        turned = (x[..., : 2 * n] + 1j * x[..., 2 * n :]) * np.exp(1j * angles)
        return np.concatenate([turned.real, turned.imag], axis=-1)

    def squares(self, x: F64, n_rows: int, n_columns: int) -> F64:
        """Return patches by the square that they are merged into: (N, merge ** 2, width)."""
        m = self.merge
        split = x.reshape(n_rows // m, m, n_columns // m, m, -1).transpose(0, 2, 1, 3, 4)
        return np.asarray(split.reshape(-1, m * m, x.shape[1]))

    def merged(self, x: F64, n_rows: int, n_columns: int) -> F64:
        squares = self.squares(x, n_rows, n_columns)
        return squares.reshape(len(squares), -1)

    def mlp(self, x: F64, first: str, second: str) -> F64:
        return self.linear(gelu(self.linear(x, first)), second)


def _neighbours(at: int, n_new: int, n: int, kind: str) -> list[tuple[int, float]]:
    """Return the old places of which a new one is interpolated, with their shares."""
    if kind.startswith("qwen3"):  # the first and the last places are the same
        place = at * (n - 1) / (n_new - 1) if n_new > 1 else 0.0
        reach = 1.0
    else:
        place, reach = (at + 0.5) * n / n_new - 0.5, max(1.0, n / n_new)
    shares = [max(0.0, 1 - abs(old - place) / reach) for old in range(n)]
    return [(old, share / sum(shares)) for old, share in enumerate(shares) if share]
