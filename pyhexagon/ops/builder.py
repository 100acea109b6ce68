# SPDX-License-Identifier: MIT
"""The program builder: a graph that has the ops as methods."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from types import TracebackType
from typing import TYPE_CHECKING, Final, NoReturn

from pyhexagon.ops.add import add
from pyhexagon.ops.add_id import add_id
from pyhexagon.ops.argmax import argmax
from pyhexagon.ops.argsort import argsort
from pyhexagon.ops.cache_append import cache_append
from pyhexagon.ops.cache_copy import cache_copy
from pyhexagon.ops.call import call
from pyhexagon.ops.clamp import clamp
from pyhexagon.ops.concat import concat
from pyhexagon.ops.cpy import cpy
from pyhexagon.ops.div import div
from pyhexagon.ops.exp import exp
from pyhexagon.ops.flash_attn_ext import flash_attn_ext
from pyhexagon.ops.gated_delta_net import gated_delta_net
from pyhexagon.ops.geglu import geglu
from pyhexagon.ops.gelu import gelu
from pyhexagon.ops.get_rows import get_rows
from pyhexagon.ops.hadamard import hadamard
from pyhexagon.ops.l2_norm import l2_norm
from pyhexagon.ops.matmul import matmul
from pyhexagon.ops.mean import mean
from pyhexagon.ops.mul import mul
from pyhexagon.ops.mul_mat_id import mul_mat_id
from pyhexagon.ops.neg import neg
from pyhexagon.ops.norm import norm
from pyhexagon.ops.repeat import repeat
from pyhexagon.ops.rms_norm import rms_norm
from pyhexagon.ops.rope import rope
from pyhexagon.ops.scale import scale
from pyhexagon.ops.set_rows import set_rows
from pyhexagon.ops.sigmoid import sigmoid
from pyhexagon.ops.silu import silu
from pyhexagon.ops.soft_max import soft_max
from pyhexagon.ops.softplus import softplus
from pyhexagon.ops.sqr import sqr
from pyhexagon.ops.sqrt import sqrt
from pyhexagon.ops.ssm_conv import ssm_conv
from pyhexagon.ops.sub import sub
from pyhexagon.ops.sum_rows import sum_rows
from pyhexagon.ops.swiglu import swiglu
from pyhexagon.ops.swiglu_oai import swiglu_oai
from pyhexagon.ops.tanh import tanh
from pyhexagon.ops.top_k import top_k
from pyhexagon.program.arenas import Arenas
from pyhexagon.program.graph import Graph
from pyhexagon.program.program import Program
from pyhexagon.program.runner import Runner

if TYPE_CHECKING:
    from pyhexagon.device import Device

_OTHERS: Final = {"relu": "clamp(x, 0, inf)", "linear": "matmul", "dot": "matmul", "embedding": "get_rows"}
"""What NumPy and PyTorch call an op."""


class Builder(Graph):
    """A program under construction; created by ``Device.program``. A ``with`` statement around it has no effect."""

    add = add
    add_id = add_id
    argmax = argmax
    argsort = argsort
    cache_append = cache_append
    cache_copy = cache_copy
    call = call
    clamp = clamp
    concat = concat
    cpy = cpy
    div = div
    exp = exp
    flash_attn_ext = flash_attn_ext
    gated_delta_net = gated_delta_net
    geglu = geglu
    gelu = gelu
    get_rows = get_rows
    hadamard = hadamard
    l2_norm = l2_norm
    matmul = matmul
    mean = mean
    mul = mul
    mul_mat_id = mul_mat_id
    neg = neg
    norm = norm
    repeat = repeat
    rms_norm = rms_norm
    rope = rope
    scale = scale
    set_rows = set_rows
    sigmoid = sigmoid
    silu = silu
    soft_max = soft_max
    softplus = softplus
    sqr = sqr
    sqrt = sqrt
    ssm_conv = ssm_conv
    sub = sub
    sum_rows = sum_rows
    swiglu = swiglu
    swiglu_oai = swiglu_oai
    tanh = tanh
    top_k = top_k

    def __init__(self, owner: Device, runner: Runner) -> None:
        super().__init__(owner)
        self._runner = runner

    if not TYPE_CHECKING:  # type checkers refuse unknown names

        def __getattr__(self, name: str) -> NoReturn:
            ops = [op for op in vars(Builder) if not op.startswith("_")]
            plain = name.replace("_", "")
            same = [op for op in ops if op.replace("_", "") == plain]
            near = [_OTHERS[name]] if name in _OTHERS else same or difflib.get_close_matches(name, ops, 3)
            meant = f": did you mean {' or '.join(near)}?" if near else "; pyhexagon ops --support lists the ops"
            raise AttributeError(f"a program has no op {name!r}{meant}", name=name, obj=self)

    def compile(self, *, without: Collection[str] = (), arenas: Arenas | None = None) -> Program:
        """Compile the program.

        Args:
            without: names of fusion rules to skip, to measure their effect. ``products``: matmuls of the same
                activations run together; ``elementwise``: elementwise ops run with the op that made their operand;
                ``norms``: norms run with the residual addition; ``heads``: the ops on queries, keys and values of one
                token run together, up to the append to the KV cache. No bit changes.
            arenas: memory for intermediates, shared with programs that never run at the same time.

        Raises:
            ArgumentError: the program has no output, and writes to no cache.
            ClosedError: a tensor that the program reads was closed.
        """
        return Program(self, self._runner, without=without, arenas=arenas)

    def __enter__(self) -> Builder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        pass

    def __repr__(self) -> str:
        return f"<program of {len(self.nodes)} ops to be built>"
