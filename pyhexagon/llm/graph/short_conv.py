# SPDX-License-Identifier: MIT
"""Gated short convolutions: the inputs of the last tokens as recurrent state, or of the tokens around in an encoder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pyhexagon.llm.files.header_keys import HeaderKeys
from pyhexagon.llm.files.weights import SHORT_CONV_KERNEL
from pyhexagon.llm.graph.layer import Layer
from pyhexagon.llm.graph.layer_state import without_kv_heads
from pyhexagon.program.graph import Value


class ShortConv(NamedTuple):
    """The shape of short convolutions.

    Attributes:
        n_taps: the size of the kernel, in tokens.
        width: the number of channels.
    """

    n_taps: int
    width: int

    @property
    def name(self) -> str:
        """The users' name for such layers."""
        return "short convolutions"

    @property
    def tables(self) -> tuple[tuple[int, int], ...]:
        """See ``Recurrence.tables``."""
        return ((self.n_taps - 1, self.width),)

    @property
    def lengths(self) -> Mapping[str, int]:
        """See ``Recurrence.lengths``."""
        return {"taps": self.n_taps, "3 width": 3 * self.width}


def read(keys: HeaderKeys, n_kv_heads: tuple[int, ...], n_layers: int) -> tuple[ShortConv, list[bool]]:
    """Return the shape of the convolutions, and which layers have one: those without KV heads."""
    recurrent = without_kv_heads(keys, n_kv_heads[:n_layers])
    n_taps = keys.count("shortconv.l_cache", least=2)
    if n_taps % 2 == 0 and not keys.value("attention.causal", default=True):
        keys.problems.append(f"shortconv.l_cache is {n_taps}: a convolution in both directions has a centre")
    return ShortConv(n_taps, keys.count("embedding_length", 1)), recurrent


def short_conv(b: Layer, x: Value) -> Value:
    """Return a convolution gated before and after: (M, 3 width) to (M, width).

    Args:
        b: the layer.
        x: the gate before it, the gate after it, and the input, as columns.
    """
    before, after, x = b.split(x, ("width", "width", "width"))
    return b.p.mul(after, b.convolve(b.p.mul(before, x), b.vector(SHORT_CONV_KERNEL)))
