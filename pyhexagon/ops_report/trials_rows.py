# SPDX-License-Identifier: MIT
"""Trials of ops on whole rows, with the shapes of ggml's test-backend-ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from math import pi
from typing import Any, Final

import numpy as np

from pyhexagon.op_cases import reference
from pyhexagon.ops.hadamard import SIZES
from pyhexagon.ops.rope import rope_table
from pyhexagon.ops.soft_max import alibi_slopes
from pyhexagon.ops_report.trial import Array, Trial
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
    def trial(op: str, x: Array, name: str, eps: float, weight: Array | None) -> Trial:
        def build(p: Any, x: Any, *weights: Any) -> Any:
            return getattr(p, op)(x, *weights, eps=eps)

        def exact(x: Array, *weights: Array) -> Array:
            result: Array = getattr(reference, op)(reference.wide(x), eps)
            return result * reference.wide(weights[0]) if weights else result

        operands = (x,) if weight is None else (x, weight)
        return Trial(op, "F32", f"{name}, eps {eps:g}", operands, build, exact, 1e-8)

    for shape, eps in product(_NORMS, _EPS):
        x = normal(*shape)
        outliers = x.copy()
        outliers[..., 7] *= 3000
        name = "x".join(map(str, shape))
        for op in ("rms_norm", "norm", "l2_norm"):
            yield trial(op, x, name, eps, None)
            yield trial(op, outliers, f"{name}, outliers of 3000x", eps, None)
        for op in ("rms_norm", "norm"):
            yield trial(op, x, f"{name}, a weight", eps, normal(shape[-1], seed=1))


def _hadamard() -> Iterator[Trial]:
    for n in SIZES:
        x = normal(3, 2, 256)
        outliers = x.copy()
        outliers[..., 7] *= 3000
        for name, operand in (("3x2x256", x), ("3x2x256, outliers of 3000x", outliers)):
            yield Trial(
                "hadamard", "F32", f"{name}, blocks of {n}", (operand,),
                lambda p, value, n=n: p.hadamard(value, n),
                lambda array, n=n: reference.hadamard(reference.wide(array), n), 1e-11,
            )  # fmt: skip


def _sums() -> Iterator[Trial]:
    def trial(op: str, x: Array, name: str, exact: Callable[[Array], Array], part: Any) -> Trial:
        return Trial(
            op, "F32", name, (x,), lambda p, value: getattr(p, op)(value[part]),
            lambda array: exact(reference.wide(array[part])), 1e-13,
        )  # fmt: skip

    for op in ("sum_rows", "mean"):
        method = "sum" if op == "sum_rows" else "mean"

        def exact(x: Array, method: str = method) -> Array:
            result: Array = getattr(x, method)(-1, keepdims=True)
            return result

        for shape in ((3, 4, 5, 10), (33,), (1024, 33), (256, 33), (32769,), (32,), (256, 32), (32768,), (3, 6, 5, 11)):
            x = normal(*shape) + np.float32(0.25)
            yield trial(op, x, "x".join(map(str, shape)), exact, np.s_[...])
        x = normal(3, 6, 5, 16)
        yield trial(op, x, "3x6x5x16, a part of each row", exact, np.s_[:, 1:, ::2, 3:])


def _selections() -> Iterator[Trial]:
    """Yield the trials of ARGMAX, ARGSORT and TOP_K, whose indices must be identical."""

    def trial(op: str, x: Array, exact: Callable[[Array], Array], words: str, **params: Any) -> Trial:
        name = "x".join(map(str, x.shape)) + words
        return Trial(op, "F32", name, (x,), lambda p, value: getattr(p, op)(value, **params), exact, 0.0)

    def sort(x: Array, descending: bool = True) -> Array:
        return np.argsort(-x if descending else x, -1, kind="stable")

    for shape in ((1, 32), (513, 32), (10, 100), (10, 1024), (12, 1024), (10, 2000), (3, 5438), (1, 128256)):
        yield trial("argmax", normal(*shape), lambda x: np.argmax(x, -1), "")
    for n in (1, 7, 8, 31, 64, 1023, 4097):
        yield trial("argsort", normal(n), lambda x: sort(x, False), "")
    several = (10, 10, 10, 16), (10, 10, 10, 60), (3, 1, 2, 1023), (3, 1, 2, 1024), (3, 1, 2, 1025), (1, 1, 16, 2049)
    for many in several:
        yield trial("argsort", normal(*many), lambda x: sort(x, False), ", ascending")
        yield trial("argsort", normal(*many), sort, ", descending", descending=True)
    for n, k in ((1, 1), (2, 2), (3, 1), (4, 3), (16, 7), (64, 15), (1023, 3), (1024, 7), (2049, 100), (16384, 40)):
        yield trial("top_k", normal(3, 2, n), lambda x, k=k: sort(x)[..., :k], f", k {k}", k=k)  # type: ignore[misc]
    for k in (1, 2, 7, 15):
        yield trial("top_k", normal(10, 10, 10, 60), lambda x, k=k: sort(x)[..., :k], f", k {k}", k=k)  # type: ignore[misc]
    yield trial("top_k", normal(1, 128256), lambda x: sort(x)[..., :40], ", k 40", k=40)


def _ssm_conv() -> Iterator[Trial]:
    def exact(x: Array, weight: Array) -> Array:
        n = x.shape[-2] - len(weight) + 1
        return np.asarray(sum(reference.wide(x[..., j : j + n, :]) * weight[j] for j in range(len(weight))))

    for n_taps, n_channels, n_tokens, n_sequences in product((3, 4, 9), (256, 1000, 1536), (1, 4, 37), (1, 3)):
        x = normal(n_sequences, n_tokens + n_taps - 1, n_channels)
        name = f"{n_sequences}x{n_tokens}x{n_channels}, {n_taps} taps"
        yield Trial(
            "ssm_conv", "F32", name, (x, normal(n_taps, n_channels, seed=1)), lambda p, *values: p.ssm_conv(*values),
            exact, 1e-14,
        )  # fmt: skip


def _gated_delta_net() -> Iterator[Trial]:
    def build(p: Any, *values: Any) -> Any:
        q, k, v, g, beta, state = values
        return p.cpy(p.gated_delta_net(q, k, v, g=g, beta=beta, state=state)[0])

    def exact(*arrays: Array) -> Array:
        q, k, v, g, beta, state = arrays
        return reference.gated_delta_net(q, k, v, g=g, beta=beta, state=state)

    shapes = (1, 1, 4, 64), (2, 4, 8, 32), (2, 4, 4, 64), (1, 17, 4, 128), (1, 1, 32, 128)
    for n_sequences, n_tokens, n_heads, size in shapes:
        tokens = n_sequences, n_tokens, n_heads
        q, k, v = (normal(*tokens, size, seed=seed) for seed in range(3))
        k /= np.linalg.norm(k, axis=-1, keepdims=True)
        decay, beta = -abs(normal(*tokens, seed=3)), abs(normal(*tokens, seed=4)) % 1
        state = normal(n_sequences, n_heads, size, size, seed=5)
        name = "x".join(map(str, (*tokens, size)))
        yield Trial("gated_delta_net", "F32", name, (q, k, v, decay, beta, state), build, exact, 1e-11)


def _rope() -> Iterator[Trial]:
    def trial(shape: tuple[int, ...], n_dims: int, mode: str, n_positions: int, name: str, **options: Any) -> Trial:
        table = rope_table(n_dims, **options)
        halves = table.turns.view(np.uint32).reshape(n_positions, 2, -1).astype(np.float64)
        frequencies = (halves[:, 0] * 2.0**31 + halves[:, 1]) * 2.0**-63 * 2 * pi
        positions = np.random.default_rng(n_dims).integers(0, 4096, (n_positions, shape[0]), np.int32)
        operands = normal(*shape), positions if n_positions > 1 else positions[0], table.turns

        def exact(x: Array, positions: Array, turns: Array) -> Array:
            places = positions.reshape(n_positions, -1)
            return reference.rope(reference.wide(x), places, frequencies, table.scale, mode == "neox")

        def build(p: Any, *values: Any) -> Any:
            return p.rope(*values, mode=mode, scale=table.scale)

        return Trial("rope", "F32", f"{'x'.join(map(str, shape))}, {name}", operands, build, exact, 1e-14)

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
        n_heads = shape[-3]
        operands: list[Array] = [normal(*shape) * 3]
        if masked:
            mask = np.where(np.arange(shape[-1]) <= np.arange(shape[-2])[:, None] + shape[-1] // 2, 0, -np.inf)
            operands.append((mask - (abs(normal(*mask.shape, seed=2)) if max_bias else 0)).astype(dtype))
        if has_sinks:
            operands.append(normal(n_heads, seed=3))
        if max_bias:
            operands.append(alibi_slopes(n_heads, max_bias))

        def named(arrays: tuple[Any, ...]) -> tuple[Any, Any, Any, Any]:
            rest = list(arrays[1:])
            mask = rest.pop(0) if masked else None
            sinks = rest.pop(0) if has_sinks else None
            return arrays[0], mask, sinks, rest.pop(0) if max_bias else None

        def build(p: Any, *values: Any) -> Any:
            x, mask, sinks, slopes = named(values)
            return p.soft_max(x, mask, scale=scale, sinks=sinks, slopes=slopes)

        def exact(*arrays: Array) -> Array:
            x, mask, sinks, slopes = named(arrays)
            return reference.soft_max(reference.wide(x), mask, sinks, slopes, scale)

        words = ["x".join(map(str, shape)), f"scale {scale:g}"]
        words += [f"mask {np.dtype(dtype).name}"] * masked + ["sinks"] * has_sinks
        words += [f"largest bias {max_bias:g}"] * bool(max_bias)
        return Trial("soft_max", "F32", ", ".join(words), tuple(operands), build, exact, 5e-9)

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
