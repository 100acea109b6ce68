# SPDX-License-Identifier: MIT
"""Projectors in float64, one function for each kind: from an encoder's rows and the grid of patches to embeddings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from llm.vision_reference import VisionReference

F64 = npt.NDArray[np.float64]
Grid = tuple[int, int]


def gelu(x: F64) -> F64:
    return np.asarray(x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))))


def _gemma3(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = r.norm(r.squares(x, *grid).mean(axis=1), "mm.soft_emb_norm")
    return np.asarray(y @ r.weights["mm.input_projection.weight"])


def _gemma4v(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = r.squares(x, *grid).mean(axis=1) * x.shape[1] ** 0.5
    y = (y - r.weights["v.std_bias"]) * r.weights["v.std_scale"]
    return r.linear(y / np.sqrt((y**2).mean(-1, keepdims=True) + r.eps), "mm.input_projection")


def _idefics3(r: VisionReference, x: F64, grid: Grid) -> F64:
    return r.linear(r.merged(x, *grid), "mm.model.fc")


def _internvl(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = r.norm(r.merged(x[: grid[0] * grid[1]], *grid), "mm.model.mlp.0", 1e-5)
    return r.mlp(y, "mm.model.mlp.1", "mm.model.mlp.3")


def _lfm2(r: VisionReference, x: F64, grid: Grid) -> F64:
    return r.mlp(r.norm(r.merged(x, *grid), "mm.input_norm", 1e-5), "mm.1", "mm.2")


def _lightonocr(r: VisionReference, x: F64, grid: Grid) -> F64:
    squares = r.norm(r.squares(x, *grid), "mm.input_norm").transpose(0, 2, 1)
    return r.mlp(r.linear(squares.reshape(len(squares), -1), "mm.patch_merger"), "mm.1", "mm.2")


def _pixtral(r: VisionReference, x: F64, grid: Grid) -> F64:
    lines = _lightonocr(r, x, grid).reshape(grid[0] // r.merge, grid[1] // r.merge, -1)
    mark = r.weights["v.token_embd.img_break"]
    return np.concatenate([part for line in lines for part in (line, mark[None])])[:-1]


def _ldp(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = r.mlp(x[1:], "mm.model.mlp.1", "mm.model.mlp.3").reshape(*grid, -1)
    y = y + _block(r, y, "mm.model.mb_block.1.block", 1)
    y = _block(r, y, "mm.model.mb_block.2.block", 2)
    return np.asarray(y.reshape(-1, y.shape[2]))


def _ldpv2(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = r.mlp(x[1:], "mm.model.mlp.0", "mm.model.mlp.2")
    y = y.reshape(grid[0] // 2, 2, grid[1] // 2, 2, -1).mean(axis=(1, 3))
    y = y + _depthwise(y, r.weights["mm.model.peg.0.weight"], 1) + r.weights["mm.model.peg.0.bias"]
    return np.asarray(y.reshape(-1, y.shape[2]))


def _block(r: VisionReference, x: F64, name: str, stride: int) -> F64:
    y = r.norm(_depthwise(x, r.weights[f"{name}.0.0.weight"], stride), f"{name}.0.1")
    y = y * _hard_sigmoid(y)
    gate = np.maximum(0, r.linear(y.mean(axis=(0, 1)), f"{name}.1.fc1"))
    y = y * _hard_sigmoid(r.linear(gate, f"{name}.1.fc2"))
    return r.norm(r.linear(y, f"{name}.2.0"), f"{name}.2.1")


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


def _mlp(r: VisionReference, x: F64, _: Any) -> F64:
    return r.mlp(x[1:] if "v.class_embd" in r.weights else x, "mm.0", "mm.2")


def _merger(r: VisionReference, x: F64, grid: Grid) -> F64:
    return r.mlp(r.merged(x, *grid), "mm.0", "mm.2")


def _dots_ocr(r: VisionReference, x: F64, grid: Grid) -> F64:
    return _merger(r, r.norm(r.norm(x, "mm.post_norm"), "mm.input_norm", 1e-6), grid)


def _janus_pro(r: VisionReference, x: F64, _: Any) -> F64:
    return r.linear(r.activation(r.linear(x, "mm.0")), "mm.1")


def _paddleocr(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = r.merged(r.norm(x, "mm.input_norm", 1e-5), *grid)
    return r.linear(r.activation(r.linear(y, "mm.1")), "mm.2")


def _phi4(r: VisionReference, x: F64, _: Any) -> F64:
    return r.mlp(x, "mm.0", "mm.2")


def _resampler(r: VisionReference, x: F64, grid: Grid) -> F64:
    """A transformer's attention from queries to patches, whose keys have sinusoidal positions."""
    values = r.norm(r.linear(x, "resampler.kv"), "resampler.ln_kv")
    n = values.shape[1] // 4
    rows, columns = (np.outer(one, 10000.0 ** (-np.arange(n) / n)) for one in np.divmod(np.arange(len(x)), grid[1]))
    keys = values + np.concatenate([np.sin(columns), np.cos(columns), np.sin(rows), np.cos(rows)], axis=1)
    queries = r.norm(r.weights["resampler.query"], "resampler.ln_q")
    q, k, v = (
        r.linear(one, f"resampler.attn.{name}").reshape(len(one), -1, 128)
        for one, name in ((queries, "q"), (keys, "k"), (values, "v"))
    )
    logits = np.einsum("qhd,khd->hqk", q, k) / 128**0.5
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    y = np.einsum("hqk,khd->qhd", shares / shares.sum(-1, keepdims=True), v)
    y = r.linear(y.reshape(len(queries), -1), "resampler.attn.out")
    return r.linear(r.norm(y, "resampler.ln_post"), "resampler.proj")


def _minicpmv46(r: VisionReference, x: F64, grid: Grid) -> F64:
    n_rows, n_columns = grid
    squares = x.reshape(n_rows // 4, 2, n_columns // 4, 2, -1).transpose(0, 2, 1, 3, 4)
    return r.mlp(r.norm(squares.reshape(len(x) // 4, -1), "mm.input_norm"), "mm.up", "mm.down")


def _glm4v(r: VisionReference, x: F64, grid: Grid) -> F64:
    y = np.einsum("nsc,ocs->no", r.squares(x, *grid), r.weights["mm.patch_merger.weight"].reshape(-1, x.shape[1], 4))
    y = r.linear(y + r.weights["mm.patch_merger.bias"], "mm.model.fc")
    y = gelu(r.norm(y, "mm.post_norm", 1e-5))
    return r.linear(r.activation(r.linear(y, "mm.gate")) * r.linear(y, "mm.up"), "mm.down")


PROJECTIONS: Final[dict[str, Callable[[VisionReference, F64, Grid], F64]]] = {
    "dots_ocr": _dots_ocr, "gemma3": _gemma3, "gemma4v": _gemma4v, "glm4v": _glm4v, "idefics3": _idefics3,
    "internvl": _internvl, "janus_pro": _janus_pro, "ldp": _ldp, "ldpv2": _ldpv2, "lfm2": _lfm2,
    "lightonocr": _lightonocr,
    "minicpmv4_6": _minicpmv46, "mlp": _mlp, "paddleocr": _paddleocr, "phi4": _phi4, "pixtral": _pixtral,
    "qwen2vl_merger": _merger, "qwen2.5o": _merger, "qwen2.5vl_merger": _merger, "qwen3vl_merger": _merger,
    "resampler": _resampler,
}  # fmt: skip
