# SPDX-License-Identifier: MIT
"""The ops that are not elementwise in float64, from their definitions, with NumPy alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


def wide(x: Array) -> F64:
    """Convert to float64."""
    return x.astype(np.float64)


def rms_norm(x: F64, eps: float) -> F64:
    """Divide rows by the root of their mean square."""
    return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + eps))


def norm(x: F64, eps: float) -> F64:
    """Subtract the mean of each row and divide by the standard deviation."""
    x = x - x.mean(-1, keepdims=True)
    return rms_norm(x, eps)


def l2_norm(x: F64, eps: float) -> F64:
    """Divide rows by their L2 norm."""
    return np.asarray(x / np.maximum(np.sqrt((x * x).sum(-1, keepdims=True)), eps))


def hadamard(x: F64, n: int) -> F64:
    """Multiply blocks of n elements by the orthonormal Hadamard matrix."""
    number = np.arange(n)
    signs = 1 - 2 * (np.bitwise_count(number[:, None] & number) % 2).astype(np.float64)
    return np.asarray((x.reshape(*x.shape[:-1], -1, n) @ signs / n**0.5).reshape(x.shape))


def soft_max(x: F64, mask: Array | None, sinks: Array | None, slopes: Array | None, scale: float) -> F64:
    """Return the softmax of x (..., H, T, K); sinks and slopes are (H,)."""
    logits = x * scale
    if mask is not None:
        logits = logits + wide(mask) * (1 if slopes is None else wide(slopes)[:, None, None])
    sink = None if sinks is None else wide(sinks)[:, None, None]
    largest = logits.max(-1, keepdims=True)
    largest = largest if sink is None else np.maximum(largest, sink)
    weights = np.exp(logits - largest)
    return np.asarray(weights / (weights.sum(-1, keepdims=True) + (0 if sink is None else np.exp(sink - largest))))


def rope(x: F64, positions: Array, frequencies: F64, scale: float, neox: bool) -> F64:
    """Rotate x (T, H, K); positions (P, T); frequencies (P, pairs) in radians per position."""
    n_pairs = frequencies.shape[-1]
    angles = np.einsum("pt,pi->ti", wide(positions), frequencies)[:, None]
    first, second = (
        (np.s_[..., :n_pairs], np.s_[..., n_pairs : 2 * n_pairs])
        if neox
        else (np.s_[..., : 2 * n_pairs : 2], np.s_[..., 1 : 2 * n_pairs : 2])
    )
    result: F64 = x.copy()
    result[first] = scale * (x[first] * np.cos(angles) - x[second] * np.sin(angles))
    result[second] = scale * (x[first] * np.sin(angles) + x[second] * np.cos(angles))
    return result


def mul_mat(w: F64, x: Array) -> F64:
    """Return x @ w.T for w (B, A, N, K) and x (B * r, A * s, M, K), or with fewer dimensions."""
    x = wide(x)
    if w.ndim > 2:
        lengths = [b // a for a, b in zip(w.shape[:-2], x.shape[-w.ndim : -2], strict=True)]
        for axis, length in enumerate(lengths):
            w = w.repeat(length, axis)
    return np.asarray(x @ w.swapaxes(-1, -2), np.float64)


def mul_mat_id(w: F64, x: Array, ids: Array) -> F64:
    """Return w[ids] @ x for w (E, N, K), x (T, 1 or U, K), ids (T, U)."""
    x = np.broadcast_to(wide(x), (*ids.shape, x.shape[-1]))
    return np.asarray(np.einsum("tunk,tuk->tun", w[ids], x))


def gated_delta_net(q: Array, k: Array, v: Array, *, g: Array, beta: Array, state: Array) -> F64:
    """Return the results (..., T, H, D) for q, k (..., T, H, S), v, g and beta (..., T, H), state (..., H, S, D)."""
    answers, now = [], wide(state)
    for t in range(q.shape[-3]):
        key = wide(k[..., t, :, :])
        now = now * np.exp(wide(g[..., t, :]))[..., None, None]
        delta = wide(beta[..., t, :])[..., None] * (v[..., t, :, :] - np.einsum("...s,...sd->...d", key, now))
        now = now + key[..., None] * delta[..., None, :]
        answers.append(np.einsum("...s,...sd->...d", wide(q[..., t, :, :]), now) / np.sqrt(q.shape[-1]))
    return np.stack(answers, -3)


def attention(q: Array, k: Array, v: Array, *, window: int = 0, sinks: Array | None = None) -> F64:
    """Return attention for q (M, H, D) of the last M of N tokens; k and v are (N, KV heads, D)."""
    group = q.shape[1] // k.shape[1]
    keys, values = (np.repeat(wide(x), group, axis=1) for x in (k, v))
    logits = np.einsum("mhd,thd->hmt", wide(q), keys) / np.sqrt(q.shape[-1])
    at, t = np.arange(len(k) - len(q), len(k))[:, None], np.arange(len(k))
    logits[:, (t > at) | ((t <= at - window) if window else False)] = -np.inf
    return np.asarray(np.einsum("hmt,thd->mhd", soft_max(logits, None, sinks, None, 1.0), values))
