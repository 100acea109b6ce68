# SPDX-License-Identifier: MIT
"""Gated delta nets with a causal convolution before them: a matrix per head as recurrent state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import CONV_KERNEL
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.layer_state import LayerState
from pyhexagon.ops.gated_delta_net import SCALE_ROWS
from pyhexagon.program.graph import Value

MOST_KEYS: Final = 1024  # the largest head size


class DeltaNet(NamedTuple):
    """The shape of gated delta nets and of the convolution before them.

    Attributes:
        n_taps: the size of the convolution's kernel, in tokens.
        n_keys, n_values: numbers of heads; see ``delta_net`` for which value heads use which key head.
        size: of a head: its recurrent state is (size, size).
    """

    n_taps: int
    n_keys: int
    n_values: int
    size: int

    @property
    def name(self) -> str:
        """The users' name for such layers."""
        return "delta nets"

    @property
    def n_channels(self) -> int:
        """The convolution's channels: queries, keys and values."""
        return (2 * self.n_keys + self.n_values) * self.size

    @property
    def tables(self) -> tuple[tuple[int, int], ...]:
        """See ``Recurrence.tables``: inputs of the convolution, and a matrix per value head."""
        return (self.n_taps - 1, self.n_channels), (self.n_values, (self.size + SCALE_ROWS) * self.size)

    @property
    def lengths(self) -> Mapping[str, int]:
        """See ``Recurrence.lengths``."""
        return {
            "channels": self.n_channels, "taps": self.n_taps, "state": self.size, "value heads": self.n_values,
            "values": self.n_values * self.size, "2 value heads": 2 * self.n_values,
        }  # fmt: skip


def read(keys: HeaderKeys, n_kv_heads: tuple[int, ...], n_layers: int) -> tuple[DeltaNet, list[bool]]:
    """Return the shape of the delta nets, and for each layer whether it has one.

    If the file does not list the layers, every n-th has attention instead.
    """
    interval, n_blocks = keys.count("full_attention_interval", 4), len(n_kv_heads)
    named = keys.flags("attention.recurrent_layers", n_blocks)
    recurrent = list(named or ((block + 1) % interval > 0 for block in range(n_blocks)))[:n_layers]
    if all(recurrent):
        which = "those that attention.recurrent_layers leaves" if named else f"every {interval}th layer of {n_layers}"
        keys.problems.append(f"attention in {which}: none has it")
    names = "conv_kernel", "group_count", "time_step_rank", "state_size"
    n_taps, n_keys, n_values, size = (keys.count(f"ssm.{name}") for name in names)
    net = DeltaNet(n_taps, n_keys, n_values, size)
    if keys.count("ssm.inner_size") != n_values * size or n_values % n_keys or n_taps < 2 or size > MOST_KEYS:
        keys.problems.append(f"delta nets of {n_values} heads over {n_keys}, of {size}, after {n_taps} taps")
    return net, recurrent


def delta_net(b: Layer, qkv: Value, decay: Value, beta: Value, *, is_grouped: bool = False) -> Value:
    """Apply the causal convolution and the gated delta net: (M, channels) to (M, value heads, size).

    Args:
        b: the layer.
        decay: (M, value heads), the logarithm of the state's decay.
        beta: (M, value heads), the weight of the update.
        is_grouped: whether value head h uses key head h // (values / keys), not h % keys.
    """
    state, p, net = b.state(), b.p, b.recurrence(DeltaNet)
    mixed = p.silu(state.convolve(qkv, b.vector(CONV_KERNEL))).reshape(qkv.shape[0], -1, net.size)
    keys, v = p.l2_norm(mixed[:, : 2 * net.n_keys], eps=b.config.eps), mixed[:, 2 * net.n_keys :]
    q, k = keys[:, : net.n_keys], keys[:, net.n_keys :]
    if net.n_keys < net.n_values:
        q, k = (_for_value_heads(b, part, is_grouped=is_grouped) for part in (q, k))
    return scan(state, (q, k, v, decay, beta))


def scan(state: LayerState, operands: tuple[Value, Value, Value, Value, Value], **options: Any) -> Value:
    """Run the recurrence of the state's second table.

    Args:
        state: of the layer.
        operands: q, k (M, H, S), v (M, H, D), decay and beta (M, H), as for ``p.gated_delta_net``; the table has a row
            (S + ``SCALE_ROWS``, D) per head.
        **options: as for ``p.gated_delta_net``.

    Returns:
        (M, H, D).
    """
    q, k, v, decay, beta = (state.by_sequence(operand) for operand in operands)
    matrices = state.table(1, v.shape[2], k.shape[3] + SCALE_ROWS, v.shape[3])

    def update(checkpoint: int, now: slice) -> Value:
        return state.p.gated_delta_net(
            q[:, now], k[:, now], v[:, now], g=decay[:, now], beta=beta[:, now], state=matrices,
            slots=state.slots(checkpoint), **options,
        )[0]  # fmt: skip

    return state.by_checkpoint(update).reshape(operands[2].shape)


def _for_value_heads(b: Layer, x: Value, *, is_grouped: bool) -> Value:
    """Repeat the key heads of q or k: (M, keys, size) to (M, values, size); see ``delta_net`` for their order."""
    net, n_rows = b.recurrence(DeltaNet), x.shape[0]
    shape: tuple[int, ...] = n_rows, net.n_values, net.size
    if not is_grouped:
        return b.p.repeat(x, shape)
    groups = n_rows, net.n_keys, net.n_values // net.n_keys, net.size
    return b.p.repeat(x.reshape(n_rows, net.n_keys, 1, net.size), groups).reshape(shape)


def by_key_head(b: Layer, x: Value) -> tuple[Value, Value]:
    """Return the first and the second half of the columns of each key head: (M, 2 value heads) to (M, value heads)."""
    parts = x.reshape(x.shape[0], b.recurrence(DeltaNet).n_keys, 2, -1)
    first, second = (b.p.cpy(parts[:, :, which]).reshape(x.shape[0], -1) for which in range(2))
    return first, second
