# SPDX-License-Identifier: MIT
"""Mixtures of experts: a router chooses some feed-forward networks for each token."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pyhexagon.llm.files.config import ExpertRouter
from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.program.graph import Value

_BIAS = "exp_probs_b.bias"
_OUTSIDE = 1e30
SOFTMAX, SIGMOID = 1, 2  # of ``expert_gating_func``


def sigmoid_router(keys: HeaderKeys) -> ExpertRouter:
    """Read a router whose scores are sigmoids, and whose shares sum to 1."""
    if keys.count("expert_gating_func", 0, least=0) != SIGMOID:
        keys.problems.append(f"{keys.architecture}.expert_gating_func is not {SIGMOID}, sigmoid")
    return ExpertRouter(has_sigmoids=True)


def router_of_keys(keys: HeaderKeys, default: int = SOFTMAX) -> ExpertRouter:
    """Read a router whose scores, normalization and scale the file's keys say.

    Args:
        keys: of the file.
        default: the gating function of files without one: 1 softmax, 2 sigmoid.
    """
    function = keys.count("expert_gating_func", 0, least=0) or default
    if function not in (SOFTMAX, SIGMOID):
        keys.problems.append(f"expert_gating_func is {function}: expected {SOFTMAX}, softmax, or {SIGMOID}, sigmoid")
    n_groups, n_used = (keys.count(f"expert_group_{name}", 0, least=0) or 1 for name in ("count", "used_count"))
    if n_groups > 1 and (n_used > n_groups or keys.count("expert_count", 1) % n_groups):
        keys.problems.append(f"{n_used} of {n_groups} groups of experts are used, which do not divide them")
    return ExpertRouter(
        has_sigmoids=function == SIGMOID,
        is_normalized=keys.value("expert_weights_norm", default=False),
        scale=keys.value("expert_weights_scale", 0.0) or 1.0,
        n_groups=n_groups,
        n_groups_used=n_used if n_groups > 1 else 1,
    )


def feed_forward(b: Layer, x: Value) -> Value:
    """Return the layer's feed-forward net with SwiGLU, or its experts and those that all tokens share."""
    if b.is_dense:
        return b.feed_forward(x)
    y = experts(b, x, b.p.swiglu)
    return b.add(y, b.feed_forward(x, "_shexp")) if b.config.n_shared_ffn else y


def experts(b: Layer, x: Value, activation: Callable[[Value, Value], Value], routed: Value | None = None) -> Value:
    """Return a mixture of experts, (M, K) to (M, K): the top experts of the router, weighted by their shares.

    Args:
        b: the layer.
        x: its rows.
        activation: applied to gate and up, (M, experts used, N) each.
        routed: the rows that the router sees, if they are others.
    """
    chosen, shares = _routed(b, x if routed is None else routed)
    if b.has("ffn_gate_up_exps.weight"):
        both, n = _linear(b, x, "ffn_gate_up_exps", chosen), b.config.n_expert_ffn
        gate, up = both[..., :n], both[..., n:]
    else:
        gate, up = (_linear(b, x, f"ffn_{name}_exps", chosen) for name in ("gate", "up"))
    return _weighted(b, activation(gate, up), chosen, shares)


def experts_without_gates(b: Layer, x: Value, activation: Callable[[Value], Value]) -> Value:
    """Like ``experts``, with one matrix before the activation: applied to (M, experts used, N)."""
    chosen, shares = _routed(b, x)
    return _weighted(b, activation(_linear(b, x, "ffn_up_exps", chosen)), chosen, shares)


def _weighted(b: Layer, h: Value, chosen: Value, shares: Value) -> Value:
    """Return the sum of the experts' results, weighted by their shares."""
    y = b.p.mul(_linear(b, h, "ffn_down_exps", chosen), shares.reshape(*chosen.shape, 1))
    return reduce(b.p.add, [y[:, number] for number in range(chosen.shape[1])])


def _routed(b: Layer, x: Value) -> tuple[Value, Value]:
    """Return the experts chosen for each row and their shares, (M, experts used) each.

    The shares are the scores, a softmax or sigmoids, over their sum. A bias on scores changes the choice only.
    """
    p, router, n_used = b.p, b.config.router, b.config.n_experts_used
    logits, has_bias = b.linear(x, "ffn_gate_inp"), b.has(_BIAS)
    if router == ExpertRouter() and not has_bias:
        chosen = p.top_k(logits, n_used)
        return chosen, p.soft_max(_of_chosen(b, logits, chosen))
    scores = p.sigmoid(logits) if router.has_sigmoids else p.soft_max(logits)
    ranked = p.add(scores, b.vector(_BIAS)) if has_bias else scores
    chosen = p.top_k(ranked if router.n_groups == 1 else _within_groups(b, ranked), n_used)
    shares = _of_chosen(b, scores, chosen)
    shares = p.div(shares, p.sum_rows(shares)) if router.is_normalized else shares
    return chosen, shares if router.scale == 1 else p.scale(shares, router.scale)


def _within_groups(b: Layer, scores: Value) -> Value:
    """Return scores (M, experts), with a large number subtracted outside of the best groups of each row."""
    p, (n_groups, n_used) = b.p, b.config.router[-2:]
    groups = scores.reshape(-1, scores.shape[1] // n_groups)
    sums = p.sum_rows(_of_chosen(b, groups, p.top_k(groups, 2))).reshape(-1, n_groups)
    least = _of_chosen(b, sums, p.top_k(sums, n_used)[:, n_used - 1 :])
    behind = p.clamp(p.scale(p.sub(sums, least), _OUTSIDE), -_OUTSIDE, 0.0)
    return p.add(groups, behind.reshape(-1, 1)).reshape(scores.shape)


def _of_chosen(b: Layer, x: Value, chosen: Value) -> Value:
    """Return the columns of (M, experts) that are chosen for each row."""
    return b.p.get_rows(x.reshape(*x.shape, 1), chosen).reshape(chosen.shape)


def _linear(b: Layer, x: Value, name: str, chosen: Value) -> Value:
    """Like ``Layer.linear``, with the experts chosen for each row: (M, K) or (M, U, K) to (M, U, N)."""
    y = b.p.mul_mat_id(x, b.matrix(f"{name}.weight"), chosen)
    if b.has(f"{name}.scale"):
        scales = b.p.get_rows(b.vector(f"{name}.scale").reshape(-1, 1), chosen)
        y = b.p.mul(y, scales.reshape(*chosen.shape, 1))
    return b.p.add_id(y, b.vector(f"{name}.bias"), chosen) if b.has(f"{name}.bias") else y
