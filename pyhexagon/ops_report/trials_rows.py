# SPDX-License-Identifier: MIT
"""Trials of ops on whole rows, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import numpy as np

from pyhexagon.op_cases.reference import NMSE, Array
from pyhexagon.ops.hadamard import SIZES
from pyhexagon.ops.rope import rope_table
from pyhexagon.ops.soft_max import alibi_slopes
from pyhexagon.ops_report.trial import Trial
from pyhexagon.ops_report.trials_elementwise import normal

_NORMS: Final = ((3, 4, 5, 64), (3, 4, 5, 1025), (1, 1, 7, 4096))
_EPS: Final = (0.0, 1e-6, 1e-4, 1e-1)
# shape (T, H, K), the number of rotated elements, and the mode
_ROPES: Final = (
    ((2, 32, 128), 128, "normal"), ((2, 40, 128), 128, "normal"), ((2, 52, 128), 128, "normal"),
    ((2, 64, 128), 128, "normal"), ((512, 16, 16), 16, "normal"), ((2, 1, 64), 64, "neox"), ((2, 71, 64), 64, "neox"),
    ((2, 8, 64), 64, "neox"), ((2, 32, 80), 20, "normal"), ((2, 32, 80), 32, "normal"), ((4, 32, 80), 32, "normal"),
    ((2, 32, 80), 20, "neox"), ((2, 32, 80), 32, "neox"), ((4, 32, 80), 32, "neox"), ((512, 16, 16), 16, "neox"),
    ((2, 128, 64), 64, "neox"),
)  # fmt: skip
_SECTIONED: Final = (
    ((2, 12, 128), 128), ((2, 28, 128), 128), ((2, 12, 128), 20), ((2, 28, 128), 32), ((2, 16, 80), 80),
)  # fmt: skip


def trials() -> Iterator[Trial]:
    """Yield the trials of this module."""
    yield from _norms()
    yield from _hadamard()
    yield from _sums()
    yield from _selections()
    yield from _ssm_conv()
    yield from _gated_delta_net()
    yield from _rope()
    yield from _soft_max()


def _norms() -> Iterator[Trial]:
    def trial(op: str, name: str, eps: float, *operands: Array) -> Trial:
        def build(g: Any) -> Any:
            return getattr(g.p, op)(*map(g.array, operands), eps=eps)

        return Trial(op, "F32", f"{name}, eps {eps:g}", build, NMSE[op])

    for shape, eps in product(_NORMS, _EPS):
        x = normal(*shape)
        outliers = x.copy()
        outliers[..., 7] *= 3000
        name = "x".join(map(str, shape))
        for op in ("rms_norm", "norm", "l2_norm"):
            yield trial(op, name, eps, x)
            yield trial(op, f"{name}, outliers of 3000x", eps, outliers)
        for op in ("rms_norm", "norm"):
            yield trial(op, f"{name}, a weight", eps, x, normal(shape[-1], seed=1))


def _hadamard() -> Iterator[Trial]:
    def trial(name: str, x: Array, n: int) -> Trial:
        words = f"{name}, blocks of {n}"
        return Trial("hadamard", "F32", words, lambda g: g.p.hadamard(g.array(x), n), NMSE["hadamard"])

    for n in SIZES:
        x = normal(3, 2, 256)
        outliers = x.copy()
        outliers[..., 7] *= 3000
        for name, operand in (("3x2x256", x), ("3x2x256, outliers of 3000x", outliers)):
            yield trial(name, operand, n)


def _sums() -> Iterator[Trial]:
    def trial(op: str, x: Array, words: str = "", part: Any = np.s_[...]) -> Trial:
        name = "x".join(map(str, x.shape)) + words
        return Trial(op, "F32", name, lambda g: getattr(g.p, op)(g.array(x)[part]), NMSE[op])

    for op in ("sum_rows", "mean"):
        for shape in ((3, 4, 5, 10), (33,), (1024, 33), (256, 33), (32769,), (32,), (256, 32), (32768,), (3, 6, 5, 11)):
            yield trial(op, normal(*shape) + np.float32(0.25))
        yield trial(op, normal(3, 6, 5, 16), ", a part of each row", np.s_[:, 1:, ::2, 3:])


def _selections() -> Iterator[Trial]:
    """Yield the trials of ARGMAX, ARGSORT and TOP_K, whose indices must be identical."""

    def trial(op: str, shape: tuple[int, ...], words: str = "", **params: Any) -> Trial:
        name = "x".join(map(str, shape)) + words
        return Trial(op, "F32", name, lambda g: getattr(g.p, op)(g.array(normal(*shape)), **params), 0.0)

    for shape in ((1, 32), (513, 32), (10, 100), (10, 1024), (12, 1024), (10, 2000), (3, 5438), (1, 128256)):
        yield trial("argmax", shape)
    for n in (1, 7, 8, 31, 64, 1023, 4097):
        yield trial("argsort", (n,))
    several = (10, 10, 10, 16), (10, 10, 10, 60), (3, 1, 2, 1023), (3, 1, 2, 1024), (3, 1, 2, 1025), (1, 1, 16, 2049)
    for many in several:
        yield trial("argsort", many, ", ascending")
        yield trial("argsort", many, ", descending", descending=True)
    for n, k in ((1, 1), (2, 2), (3, 1), (4, 3), (16, 7), (64, 15), (1023, 3), (1024, 7), (2049, 100), (16384, 40)):
        yield trial("top_k", (3, 2, n), f", k {k}", k=k)
    for k in (1, 2, 7, 15):
        yield trial("top_k", (10, 10, 10, 60), f", k {k}", k=k)
    yield trial("top_k", (1, 128256), ", k 40", k=40)


def _ssm_conv() -> Iterator[Trial]:
    def trial(n_taps: int, n_channels: int, n_tokens: int, n_sequences: int) -> Trial:
        def build(g: Any) -> Any:
            x = g.array(normal(n_sequences, n_tokens + n_taps - 1, n_channels))
            return g.p.ssm_conv(x, g.array(normal(n_taps, n_channels, seed=1)))

        name = f"{n_sequences}x{n_tokens}x{n_channels}, {n_taps} taps"
        return Trial("ssm_conv", "F32", name, build, NMSE["ssm_conv"])

    for sizes in product((3, 4, 9), (256, 1000, 1536), (1, 4, 37), (1, 3)):
        yield trial(*sizes)


def _gated_delta_net() -> Iterator[Trial]:
    def trial(n_sequences: int, n_tokens: int, n_heads: int, size: int) -> Trial:
        def build(g: Any) -> Any:
            tokens = n_sequences, n_tokens, n_heads
            q, k, v = (normal(*tokens, size, seed=seed) for seed in range(3))
            k /= np.linalg.norm(k, axis=-1, keepdims=True)
            q, k, v, decay, beta, state = map(g.array, (
                q, k, v, -abs(normal(*tokens, seed=3)), abs(normal(*tokens, seed=4)) % 1,
                normal(n_sequences, n_heads, size, size, seed=5),
            ))  # fmt: skip
            return g.p.cpy(g.p.gated_delta_net(q, k, v, g=decay, beta=beta, state=state)[0])

        name = f"{n_sequences}x{n_tokens}x{n_heads}x{size}"
        return Trial("gated_delta_net", "F32", name, build, NMSE["gated_delta_net"])

    for shape in ((1, 1, 4, 64), (2, 4, 8, 32), (2, 4, 4, 64), (1, 17, 4, 128), (1, 1, 32, 128)):
        yield trial(*shape)


def _rope() -> Iterator[Trial]:
    def trial(shape: tuple[int, ...], n_dims: int, mode: str, n_positions: int, name: str, **options: Any) -> Trial:
        table = rope_table(n_dims, **options)

        def build(g: Any) -> Any:
            positions = g.ids(*(n_positions, shape[0])[n_positions == 1 :], below=4096)
            return g.p.rope(g.array(normal(*shape)), positions, g.array(table.turns), mode=mode, scale=table.scale)

        return Trial("rope", "F32", f"{'x'.join(map(str, shape))}, {name}", build, NMSE["rope"])

    stretched = {"freq_scale": 1 / 1.4245, "ext_factor": 0.7465, "attn_factor": 1.4245, "n_ctx_orig": 512}
    for shape, n_dims, mode in _ROPES:
        factors = np.random.default_rng(n_dims).uniform(0.9, 1.1, n_dims // 2)
        yield trial(shape, n_dims, mode, 1, f"{mode} {n_dims}")
        yield trial(shape, n_dims, mode, 1, f"{mode} {n_dims}, factors", factors=factors)
        yield trial(shape, n_dims, mode, 1, f"{mode} {n_dims}, YaRN", **stretched)
    for shape, n_dims in _SECTIONED:
        third = n_dims // 6
        sections = (n_dims // 2 - 2 * third, third, third, 0)
        yield trial(shape, n_dims, "neox", 4, f"sections {n_dims}", sections=sections)
        yield trial(shape, n_dims, "neox", 4, f"interleaved {n_dims}", sections=sections, interleaved=True)


def _soft_max() -> Iterator[Trial]:
    def trial(
        shape: tuple[int, ...], dtype: Any, options: tuple[bool, float], scale: float, *, masked: bool = True
    ) -> Trial:
        has_sinks, max_bias = options
        n_heads, n, k = shape[-3:]

        def build(g: Any) -> Any:
            x, mask, sinks, slopes = g.array(normal(*shape) * 3), None, None, None
            if masked:
                whole = np.where(np.arange(k) <= np.arange(n)[:, None] + k // 2, 0, -np.inf)
                mask = g.array((whole - (abs(normal(n, k, seed=2)) if max_bias else 0)).astype(dtype))
            if has_sinks:
                sinks = g.array(normal(n_heads, seed=3))
            if max_bias:
                slopes = g.array(alibi_slopes(n_heads, max_bias))
            return g.p.soft_max(x, mask, scale=scale, sinks=sinks, slopes=slopes)

        words = ["x".join(map(str, shape)), f"scale {scale:g}"]
        words += [f"mask {np.dtype(dtype).name}"] * masked + ["sinks"] * has_sinks
        words += [f"largest bias {max_bias:g}"] * bool(max_bias)
        return Trial("soft_max", "F32", ", ".join(words), build, NMSE["soft_max"])

    for n, k, scale in product((16, 15, 255), (16, 15, 1024, 1023), (1.0, 0.1)):
        for has_sinks in (False, True):
            yield trial((1, 1, n, k), np.float32, (has_sinks, 0.0), scale, masked=False)
        for dtype, max_bias in product((np.float32, np.float16), (0.0, 8.0)):
            yield trial((1, 1, n, k), dtype, (max_bias == 0, max_bias), scale)
    for shape in ((1, 32, 2, 16), (1, 32, 2, 32), (3, 1, 16, 16)):
        for dtype, has_sinks, max_bias in product((np.float32, np.float16), (False, True), (0.0, 8.0)):
            yield trial(shape, dtype, (has_sinks, max_bias), 0.1)
    yield trial((1, 3, 2, 20001), np.float32, (True, 8.0), 0.1)
    yield trial((1, 1, 1, 200000), np.float32, (False, 0.0), 1.0, masked=False)
