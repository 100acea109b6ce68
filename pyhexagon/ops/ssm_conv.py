# SPDX-License-Identifier: MIT
"""Causal depthwise convolution along time, as in state space models and gated delta nets."""

from __future__ import annotations

from pyhexagon.errors import ArgumentError
from pyhexagon.ops.matmul import rows
from pyhexagon.program.graph import Graph, Value
from pyhexagon.tensor import Tensor

_CHUNK = 256  # channels per row, so that one token's channels are spread over all threads


def ssm_conv(p: Graph, x: Value | Tensor, weight: Value | Tensor) -> Value:
    """``sum(x[..., j : j + T, :] * weight[j] for j in range(J))``: each channel convolved over J tokens.

    Args:
        x: (T + J - 1, C) float32, or (B, T + J - 1, C): the last J - 1 tokens before, then T new ones.
        weight: (J, C) float32, J at least 1; GGUF stores it transposed.

    Returns:
        (T, C) float32, or (B, T, C).

    Accuracy: docs/math.md, 19: each product and sum as in MUL and ADD, in the order of j. ggml's SSM_CONV, which takes
    both operands transposed.
    """
    x, weight = rows(p, x, "x"), rows(p, weight, "weight")
    if not 2 <= x.ndim <= 3 or weight.ndim != 2 or not weight.shape[0] or weight.shape[1] != x.shape[-1]:
        raise ArgumentError(f"ssm_conv of x {x.shape}, weight {weight.shape}: expected (..., T + J - 1, C) and (J, C)")
    *batch, n_tokens, n_channels = x.shape
    n_taps = weight.shape[0]
    if n_tokens < n_taps - 1:
        raise ArgumentError(f"ssm_conv of x {x.shape}: expected the {n_taps - 1} tokens before, and new ones")
    split = (n_channels // _CHUNK, _CHUNK) if n_channels % _CHUNK == 0 and n_channels else (1, n_channels)
    shape = (*batch, n_tokens - n_taps + 1)
    sources = [x.reshape(*batch, n_tokens, *split), weight.reshape(n_taps, *split)]
    return p.op("ssm_conv", sources, (*shape, *split)).reshape(*shape, n_channels)
