# SPDX-License-Identifier: MIT
"""Mamba 2: a selective scan with a causal convolution before it; a matrix per head as recurrent state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import CONV_BIAS, CONV_KERNEL, DECAY, SKIP, SSM_NORM
from pyhexagon.llm.graph.delta_net import MOST_KEYS, scan
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.layer_state import without_kv_heads
from pyhexagon.ops.gated_delta_net import SCALE_ROWS
from pyhexagon.program.graph import Value

MAMBA2 = {
    "ssm_in.weight": ("ssm in", "width"),
    CONV_KERNEL: ("channels", "taps"),
    "ssm_dt.bias": ("ssm heads",),
    DECAY: ("ssm heads", "one"),
    SKIP: ("ssm heads", "one"),
    "ssm_out.weight": ("width", "inner"),
}
MAMBA2_NORM = {SSM_NORM: ("groups", "inner of a group")}
MAMBA2_BIAS = {CONV_BIAS: ("channels",)}


class Mamba2(NamedTuple):
    """The shape of selective scans and of the convolution before them.

    Attributes:
        n_taps: the size of the convolution's kernel, in tokens.
        n_groups: number of groups of heads; those of a group share B and C.
        n_heads: number of heads.
        size: of a head: its recurrent state is (n_states, size).
        n_states: the number of states of each element of a head.
    """

    n_taps: int
    n_groups: int
    n_heads: int
    size: int
    n_states: int

    @property
    def name(self) -> str:
        """The users' name for such layers."""
        return "Mamba 2 layers"

    @property
    def n_inner(self) -> int:
        """The width of all heads together."""
        return self.n_heads * self.size

    @property
    def n_channels(self) -> int:
        """The convolution's channels: x, B and C."""
        return self.n_inner + 2 * self.n_groups * self.n_states

    @property
    def tables(self) -> tuple[tuple[int, int], ...]:
        """See ``Recurrence.tables``: inputs of the convolution, and a matrix per head."""
        return (self.n_taps - 1, self.n_channels), (self.n_heads, (self.n_states + SCALE_ROWS) * self.size)

    @property
    def lengths(self) -> Mapping[str, int]:
        """See ``Recurrence.lengths``."""
        return {
            "channels": self.n_channels, "taps": self.n_taps, "inner": self.n_inner, "ssm heads": self.n_heads,
            "ssm in": self.n_inner + self.n_channels + self.n_heads, "groups": self.n_groups,
            "inner of a group": self.n_inner // self.n_groups, "states of groups": self.n_groups * self.n_states,
        }  # fmt: skip


def read(keys: HeaderKeys, n_kv_heads: tuple[int, ...], n_layers: int) -> tuple[Mamba2, list[bool]]:
    """Return the shape of the scans, and which layers have one: those without KV heads."""
    recurrent = without_kv_heads(keys, n_kv_heads[:n_layers])
    return read_shape(keys), recurrent


def read_shape(keys: HeaderKeys) -> Mamba2:
    """Return the shape of the scans."""
    names = "conv_kernel", "group_count", "time_step_rank", "inner_size", "state_size"
    n_taps, n_groups, n_heads, n_inner, n_states = (keys.count(f"ssm.{name}") for name in names)
    if n_inner % n_heads or n_heads % n_groups or n_taps < 2 or n_states > MOST_KEYS:
        keys.problems.append(
            f"Mamba 2 with {n_heads} heads in {n_groups} groups, {n_inner} wide, {n_states} states, {n_taps} taps"
        )
    return Mamba2(n_taps, n_groups, n_heads, max(1, n_inner // n_heads), n_states)


def mamba2(b: Layer, x: Value) -> Value:
    """Return Mamba 2's convolution, scan and gate with their projections: (M, width) to the same shape."""
    state, p, net = b.state(), b.p, b.recurrence(Mamba2)
    gate, mixed, steps = b.split(b.linear(x, "ssm_in"), ("inner", "channels", "ssm heads"))
    mixed = state.convolve(mixed, b.vector(CONV_KERNEL))
    mixed = p.silu(b.add(mixed, b.vector(CONV_BIAS)) if b.has(CONV_BIAS) else mixed)
    inner, keys, queries = b.split(mixed, ("inner", "states of groups", "states of groups"))
    inner = inner.reshape(x.shape[0], net.n_heads, net.size)
    shape = x.shape[0], net.n_groups, net.n_heads // net.n_groups, net.n_states
    k, q = (
        p.repeat(rows.reshape(*shape[:2], 1, net.n_states), shape).reshape(x.shape[0], net.n_heads, net.n_states)
        for rows in (keys, queries)
    )
    steps = p.softplus(b.add(steps, b.vector("ssm_dt.bias")))
    decay = p.mul(steps, b.vector(DECAY).reshape(-1))
    y = scan(state, (q, k, inner, decay, steps), scale=1.0, delta_rule=False)
    y = p.swiglu(gate, b.add(y, p.mul(inner, b.vector(SKIP))).reshape(gate.shape))
    if b.has(SSM_NORM):
        y = b.rms_norm(y.reshape(x.shape[0], net.n_groups, -1)).reshape(gate.shape)
        y = p.mul(y, b.vector(SSM_NORM).reshape(-1))
    return b.linear(y, "ssm_out")
