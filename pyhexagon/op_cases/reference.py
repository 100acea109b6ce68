# SPDX-License-Identifier: MIT
"""The ops in float64, from their definitions, with NumPy alone.

Each function has the name and the arguments of its method of Builder: code that calls ``p.rms_norm(x)`` adds the op to
a program if p is a Builder, and returns the result in float64 if p is this module and x an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Any, NamedTuple

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon.elements import ELEMENTS
from pyhexagon.op_cases import elementwise
from pyhexagon.op_cases.case import Array

F64 = npt.NDArray[np.float64]


def __getattr__(name: str) -> Callable[..., F64]:
    """Return the function of an elementwise op."""
    if name not in elementwise.OPS:
        raise AttributeError(f"pyhexagon/op_cases/reference.py lacks {name!r}: the op's function in float64")

    def exact(*sources: Array, **params: float) -> F64:
        halved = name in elementwise.GATED and len(sources) == 1
        sources = tuple(np.split(sources[0], 2, -1)) if halved else sources
        return elementwise.OPS[name][0]._replace(params=params).exact(*sources)

    return exact


def wide(x: Array) -> F64:
    """Convert to float64."""
    return x.astype(np.float64)


# --- Rows of all types ---


class Rows(NamedTuple):
    """Rows (..., K) of a type whose host format is GGUF's bytes, with these bytes."""

    dtype: Q
    shape: tuple[int, ...]
    raw: Array


def rows(dtype: Q, x: Array) -> Array | Rows:
    """Convert float32 to rows of a type."""
    if dtype in (Q.F32, Q.F16):
        return x.astype(ELEMENTS[dtype].dtype)
    raw = gguf.quantize(np.ascontiguousarray(x).reshape(-1, x.shape[-1]), dtype)
    return Rows(dtype, x.shape, raw.reshape(*x.shape[:-1], -1))


def _raw(x: Array | Rows) -> Array:
    return x.raw if isinstance(x, Rows) else x


def cpy(x: Array | Rows, dtype: Q | None = None) -> Array | Rows:
    """Return a copy, converted if another type is given."""
    if isinstance(x, Rows):
        if dtype in (None, x.dtype):
            return x
        x = gguf.dequantize(x.raw.reshape(-1, x.raw.shape[-1]), x.dtype).reshape(x.shape)
    return x if dtype in (None, Q.I32) else rows(dtype, x.astype(np.float32))


def concat(values: Sequence[Array | Rows], axis: int = -1) -> Array:
    """Return the rows of all operands, one behind the other."""
    return np.concatenate([*map(_raw, values)], axis)


def repeat(x: Array | Rows, shape: Sequence[int]) -> Array:
    """Repeat rows until they have the shape."""
    lengths = (1,) * (len(shape) - len(x.shape)) + x.shape
    return np.tile(_raw(x), [n // m for n, m in zip(shape, lengths, strict=True)])


def get_rows(table: Array, ids: Array) -> Array:
    """Return the rows of (N, K), or of each matrix of (..., N, K), that ids (..., n) name."""
    return np.asarray(table[ids] if table.ndim == 2 else np.take_along_axis(table, ids[..., None], -2))


def set_rows(table: Array | Rows, x: Array, ids: Array) -> Array:
    """Return the table with the rows x at ids."""
    after: Array = _raw(table).copy()
    new = _raw(rows(table.dtype, x)) if isinstance(table, Rows) else x
    np.put_along_axis(after, ids[..., None].astype(np.int64), new, -2)
    return after


def add_id(x: Array, table: Array, ids: Array) -> F64:
    """Add the row of the table that its id names to each row."""
    return wide(x) + table[ids]


# --- Reductions and orders of rows ---


def rms_norm(x: Array, weight: Array | None = None, *, eps: float = 1e-5) -> F64:
    """Divide rows by the root of their mean square."""
    result = wide(x) / np.sqrt((wide(x) ** 2).mean(-1, keepdims=True) + eps)
    return np.asarray(result if weight is None else result * weight)


def norm(x: Array, weight: Array | None = None, bias: Array | None = None, *, eps: float = 1e-5) -> F64:
    """Subtract the mean of each row and divide by the standard deviation."""
    result = rms_norm(wide(x) - wide(x).mean(-1, keepdims=True), weight, eps=eps)
    return result if bias is None else result + bias


def l2_norm(x: Array, *, eps: float = 1e-6) -> F64:
    """Divide rows by their L2 norm."""
    return np.asarray(wide(x) / np.maximum(np.sqrt((wide(x) ** 2).sum(-1, keepdims=True)), eps))


def sum_rows(x: Array) -> F64:
    """Return the sum of each row."""
    return np.asarray(wide(x).sum(-1, keepdims=True))


def mean(x: Array) -> F64:
    """Return the mean of each row."""
    return np.asarray(wide(x).mean(-1, keepdims=True))


def argsort(x: Array, *, descending: bool = False) -> Array:
    """Return the indices that sort each row; equal elements keep the order of their indices, NaN counts as largest."""
    if descending:
        return np.asarray(x.shape[-1] - 1 - x[..., ::-1].argsort(-1, stable=True)[..., ::-1])
    return np.asarray(x.argsort(-1, stable=True))


def top_k(x: Array, k: int) -> Array:
    """Return the indices of the k largest elements of each row, the largest first."""
    return argsort(x, descending=True)[..., :k]


def argmax(x: Array) -> Array:
    """Return the index of the largest element of each row."""
    return np.asarray(x.argmax(-1))


def hadamard(x: Array, n: int) -> F64:
    """Multiply blocks of n elements by the orthonormal Hadamard matrix."""
    number = np.arange(n)
    signs = 1 - 2 * (np.bitwise_count(number[:, None] & number) % 2).astype(np.float64)
    return np.asarray((wide(x).reshape(*x.shape[:-1], -1, n) @ signs / n**0.5).reshape(x.shape))


def soft_max(
    x: Array,
    mask: Array | None = None,
    *,
    scale: float = 1.0,
    sinks: Array | None = None,
    slopes: Array | None = None,
) -> F64:
    """Return the softmax of x (..., H, T, K); sinks and slopes are (H,)."""
    logits = wide(x) * scale
    if mask is not None:
        logits = logits + wide(mask) * (1 if slopes is None else wide(slopes)[:, None, None])
    sink = np.float64(-np.inf) if sinks is None else wide(sinks)[:, None, None]
    largest = np.maximum(logits.max(-1, keepdims=True), sink)
    weights = np.exp(logits - largest)
    return np.asarray(weights / (weights.sum(-1, keepdims=True) + np.exp(sink - largest)))


def rope(x: Array, positions: Array, turns: Array, *, mode: str, scale: float = 1.0) -> F64:
    """Rotate x (T, H, K) at positions (T,) or (P, T) by the turns of a RopeTable."""
    words = turns.view(np.uint32).reshape(-1, 2, turns.shape[-1]).astype(np.float64)
    frequencies = (words[:, 0] * 2.0**31 + words[:, 1]) * 2.0**-63 * 2 * pi
    angles = np.einsum("pt,pi->ti", wide(positions).reshape(len(words), -1), frequencies)[:, None]
    return rotate(x, angles, mode, scale)


def rotate(x: Array, angles: F64, mode: str, scale: float = 1.0) -> F64:
    """Rotate pairs of elements of x by angles (..., pairs) in radians."""
    n = angles.shape[-1]
    halves, pairs = (np.s_[..., :n], np.s_[..., n : 2 * n]), (np.s_[..., : 2 * n : 2], np.s_[..., 1 : 2 * n : 2])
    first, second = halves if mode == "neox" else pairs
    result = wide(x)
    result[first] = scale * (x[first] * np.cos(angles) - x[second] * np.sin(angles))
    result[second] = scale * (x[first] * np.sin(angles) + x[second] * np.cos(angles))
    return result


def ssm_conv(x: Array, weight: Array) -> F64:
    """Return the convolution along T of x (..., T, K) with weight (taps, K)."""
    n = x.shape[-2] - len(weight) + 1
    return np.asarray(sum(wide(x[..., j : j + n, :]) * weight[j] for j in range(len(weight))))


def gated_delta_net(
    q: Array, k: Array, v: Array, *, g: Array, beta: Array, state: Array, delta_rule: bool = True
) -> tuple[F64, F64]:
    """Return results (..., T, H, D) and state (..., H, S, D) for q, k (..., T, H, S), v, and g, beta (..., T, H)."""
    answers, now = [], wide(state)
    for t in range(q.shape[-3]):
        key = wide(k[..., t, :, :])
        now = now * np.exp(wide(g[..., t, :]))[..., None, None]
        known = np.einsum("...s,...sd->...d", key, now) if delta_rule else 0.0
        delta = wide(beta[..., t, :])[..., None] * (v[..., t, :, :] - known)
        now = now + key[..., None] * delta[..., None, :]
        answers.append(np.einsum("...s,...sd->...d", wide(q[..., t, :, :]), now) / np.sqrt(q.shape[-1]))
    return np.stack(answers, -3), now


# --- Products and attention ---


def matmul(x: Array, w: F64) -> F64:
    """Return x @ w.T for x (B * r, A * s, M, K) and w (B, A, N, K), or with fewer dimensions."""
    x = wide(x)
    if w.ndim > 2:
        lengths = [b // a for a, b in zip(w.shape[:-2], x.shape[-w.ndim : -2], strict=True)]
        for axis, length in enumerate(lengths):
            w = w.repeat(length, axis)
    return np.asarray(x @ w.swapaxes(-1, -2), np.float64)


def mul_mat_id(x: Array, w: F64, ids: Array) -> F64:
    """Return w[ids] @ x for x (T, 1 or U, K), w (E, N, K), ids (T, U)."""
    x = np.broadcast_to(wide(x), (*ids.shape, x.shape[-1]))
    return np.asarray(np.einsum("tunk,tuk->tun", w[ids], x))


def cache_append(k: Array, v: Array, *_: Any, **__: Any) -> tuple[Array, Array]:
    """Return keys and values (T, KV heads, D), which must begin at position 0, as flash_attn_ext takes them."""
    return k, v


def flash_attn_ext(
    q: Array, cache: tuple[Array, Array], *, positions: Array, window: int = 0, sinks: Array | None = None, **_: Any
) -> F64:
    """Return attention of q (M, H, D) at its positions to the tokens of cache_append."""
    return attend(q, *cache, visible(positions, len(cache[0]), window), sinks)


def visible(positions: Array, n: int, window: int = 0, length: int | None = None) -> npt.NDArray[np.bool_]:
    """Return (rows, n): the positions that each row sees; with a length, in both directions."""
    at, t = positions[:, None], np.arange(n)
    if length is None:
        return (t <= at) & ((t > at - window) if window else True)
    near = (abs(t - at) <= window // 2) if window else True
    return (t < length) & near & (at >= 0)


def attend(
    q: Array,
    k: Array,
    v: Array,
    seen: npt.NDArray[np.bool_],
    sinks: Array | None = None,
    *,
    softcap: float = 0.0,
    bias: Array | None = None,
) -> F64:
    """Return attention (M, H, D) with scale 1 / sqrt(D) for q (M, H, D), k and v (N, KV heads, D), seen (M, N).

    bias (H or 1, M, N) is added to the logits. A row that sees nothing gets zeros.
    """
    group = q.shape[1] // k.shape[1]
    keys, values = (np.repeat(wide(x), group, axis=1) for x in (k, v))
    logits = np.einsum("mhd,thd->hmt", wide(q), keys) * q.shape[-1] ** -0.5
    logits = softcap * np.tanh(logits / softcap) if softcap else logits
    logits = logits if bias is None else logits + bias
    logits[:, ~seen] = -np.inf
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(np.einsum("hmt,thd->mhd", soft_max(logits, sinks=sinks), values)))
