# SPDX-License-Identifier: MIT
"""The cases of ops of a layer's tokens: convolution, delta net, RoPE, softmax. Recorded ones, and ggml's shapes."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from pyhexagon.op_cases import seeds
from pyhexagon.op_cases.case import MASKED, ROWS, CaseList, K, normal, sizes
from pyhexagon.ops.rope import rope_table
from pyhexagon.ops.soft_max import alibi_slopes

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


def ssm_conv(cases: CaseList) -> None:
    def build(n_taps: int, n_channels: int, n_tokens: int, n_sequences: int, g: Any) -> Any:
        x = g.normal(n_sequences, n_tokens + n_taps - 1, n_channels)
        return g.p.ssm_conv(x, g.normal(n_taps, n_channels, seed=1))

    def in_slots(g: Any) -> Any:
        weight, table = g.floats(4, 300), g.p.cpy(g.floats(5, 3, 300))
        answers = list[Any]()
        for slots, n_tokens in (([0, 0, 0], [4, 1, 3]), 1), (([4, 1, 0], [2, 3, -1]), 5):
            ids = [g.array(np.array(numbers, np.int32)) for numbers in slots]
            answer = g.p.ssm_conv(g.floats(3, n_tokens, 300), weight, state=table, slots=(ids[0], ids[1]))
            answers.append(answer)
        return [*answers, table]

    cases.record("7 tokens, 4 taps", lambda g: g.p.ssm_conv(g.floats(2, 10, 300), g.floats(4, 300)))
    cases.record_bits("of any bits", lambda g: g.p.ssm_conv(g.bits(6, 512), g.floats(3, 512)))
    for n_taps, n_channels, n_tokens, n_sequences in product((3, 4, 9), (256, 1000, 1536), (1, 4, 37), (1, 3)):
        name = f"{n_sequences}x{n_tokens}x{n_channels}, {n_taps} taps"
        cases.compare(name, partial(build, n_taps, n_channels, n_tokens, n_sequences))
    cases.record_bits("slots of a table, 3 sequences", in_slots)
    cases.measure(f"{ROWS}x{K}, 4 taps", lambda g: g.p.ssm_conv(g.floats(ROWS + 3, K), g.floats(4, K)))


def gated_delta_net(cases: CaseList) -> None:
    def record(g: Any, v: Any, n_tokens: int, n_heads: int, n_keys: int, **options: Any) -> Any:
        q, k = (g.floats(n_tokens, n_heads, n_keys) for _ in range(2))
        decays, betas = (g.floats(n_tokens, n_heads) for _ in range(2))
        state = g.floats(n_heads, n_keys, v.shape[-1])
        decays = g.p.neg(g.p.sqr(decays))
        return [
            g.p.cpy(result) for result in g.p.gated_delta_net(q, k, v, g=decays, beta=betas, state=state, **options)
        ]

    def in_slots(g: Any) -> Any:
        q, k, v = (g.floats(3, 2, 3, n) for n in (33, 33, 64))
        decays, betas = g.p.neg(g.p.sqr(g.floats(3, 2, 3))), g.floats(3, 2, 3)
        answers, table = list[Any](), g.p.cpy(g.array(np.zeros((5, 3, 35, 64), np.float32)))
        for slots in (([0, 0, 0], [4, 1, 3]), ([4, 1, 0], [2, 1, -1])):
            ids = [g.array(np.array(numbers, np.int32)) for numbers in slots]
            answer, table = g.p.gated_delta_net(q, k, v, g=decays, beta=betas, state=table, slots=(ids[0], ids[1]))
            answers.append(g.p.cpy(answer))
        return [*answers, table]

    def compare(n_sequences: int, n_tokens: int, n_heads: int, size: int, g: Any, **options: Any) -> Any:
        tokens = n_sequences, n_tokens, n_heads
        q, k, v = (normal(*tokens, size, seed=seed) for seed in range(3))
        k /= np.linalg.norm(k, axis=-1, keepdims=True)
        q, k, v, decay, beta, state = map(g.array, (
            q, k, v, -abs(normal(*tokens, seed=3)), abs(normal(*tokens, seed=4)) % 1,
            normal(n_sequences, n_heads, size, size, seed=5),
        ))  # fmt: skip
        return [g.p.cpy(result) for result in g.p.gated_delta_net(q, k, v, g=decay, beta=beta, state=state, **options)]

    def measured(g: Any) -> Any:
        q, k, v = (g.floats(1, 1, 32, 128) for _ in range(3))
        decay, beta, slot = g.p.neg(g.p.sqr(g.floats(1, 1, 32))), g.floats(1, 1, 32), g.array(np.zeros(1, np.int32))
        table = g.p.cpy(g.array(np.zeros((1, 32, 130, 128), np.float32)))
        return g.p.cpy(g.p.gated_delta_net(q, k, v, g=decay, beta=beta, state=table, slots=(slot, slot))[0])

    cases.record_bits("3 tokens, 2 heads", lambda g: record(g, g.floats(3, 2, 64), 3, 2, 32))
    cases.record_bits("of any bits", lambda g: record(g, g.bits(2, 3, 45), 2, 3, 33))
    cases.record_bits("slots of a table, 3 sequences", in_slots)
    linear = {"delta_rule": False}
    cases.record_bits("no delta rule", lambda g: record(g, g.floats(3, 2, 64), 3, 2, 32, **linear))
    cases.record_bits("no delta rule, of any bits", lambda g: record(g, g.bits(2, 3, 45), 2, 3, 33, **linear))
    for shape in ((1, 1, 4, 64), (2, 4, 8, 32), (2, 4, 4, 64), (1, 17, 4, 128), (1, 1, 32, 128)):
        cases.compare(sizes(shape), partial(compare, *shape))
        cases.compare(sizes(shape, "no delta rule"), partial(compare, *shape, **linear))
    cases.measure("1 token, 32 heads of 128x128", measured)


def rope(cases: CaseList) -> None:
    def record(g: Any, x: Any, positions: Any, *shape: int, **options: Any) -> Any:
        turns = g.array(seeds.words(shape[-1], prod(shape)).reshape(shape).view(np.int32) & 0x7FFFFFFF)
        return g.p.rope(x, positions, turns, **options)

    def positions(g: Any, *shape: int) -> Any:
        return g.ids(*shape, below=131072)

    def compare(shape: tuple[int, ...], n_dims: int, mode: str, n_positions: int, words: str, **options: Any) -> None:
        table = rope_table(n_dims, **options)

        def build(g: Any) -> Any:
            at = g.ids(*(n_positions, shape[0])[n_positions == 1 :], below=4096)
            return g.p.rope(g.normal(*shape), at, g.array(table.turns), mode=mode, scale=table.scale)

        cases.compare(sizes(shape, words), build)

    def measured(mode: str, g: Any) -> Any:
        turns = g.array(rope_table(128).turns)
        return g.p.rope(g.floats(ROWS, K // 128, 128), g.ids(ROWS, below=4096), turns, mode=mode)

    cases.record("normal", lambda g: record(g, g.floats(3, 4, 64), positions(g, 3), 2, 32, mode="normal"))
    cases.record(
        "neox, a part of each row",
        lambda g: record(g, g.floats(5, 2, 100), positions(g, 5), 2, 40, mode="neox", scale=1.25),
    )
    cases.record(
        "neox, 4 positions a token",
        lambda g: record(g, g.floats(3, 2, 128), positions(g, 4, 3), 8, 64, mode="neox"),
    )
    cases.record_bits("any bits", lambda g: record(g, g.bits(2, 3, 32), positions(g, 2), 2, 16, mode="normal"))
    stretched = {"freq_scale": 1 / 1.4245, "ext_factor": 0.7465, "attn_factor": 1.4245, "n_ctx_orig": 512}
    for shape, n_dims, mode in _ROPES:
        factors = np.random.default_rng(n_dims).uniform(0.9, 1.1, n_dims // 2)
        compare(shape, n_dims, mode, 1, f"{mode} {n_dims}")
        compare(shape, n_dims, mode, 1, f"{mode} {n_dims}, factors", factors=factors)
        compare(shape, n_dims, mode, 1, f"{mode} {n_dims}, YaRN", **stretched)
    for shape, n_dims in _SECTIONED:
        third = n_dims // 6
        sections = (n_dims // 2 - 2 * third, third, third, 0)
        compare(shape, n_dims, "neox", 4, f"sections {n_dims}", sections=sections)
        compare(shape, n_dims, "neox", 4, f"interleaved {n_dims}", sections=sections, interleaved=True)
    for mode in ("normal", "neox"):
        cases.measure(f"{ROWS}x{K // 128}x128, {mode}", partial(measured, mode))


def soft_max(cases: CaseList) -> None:
    def causal(n: int, k: int) -> Any:
        return np.where(np.arange(k) <= np.arange(n)[:, None] + k // 2, 0, MASKED)

    def compare(
        shape: tuple[int, ...], dtype: Any, options: tuple[bool, float], scale: float, *, masked: bool = True
    ) -> None:
        has_sinks, max_bias = options
        n_heads, n, k = shape[-3:]

        def build(g: Any) -> Any:
            x, mask = g.array(normal(*shape) * 3), None
            if masked:
                mask = g.array((causal(n, k) - (abs(normal(n, k, seed=2)) if max_bias else 0)).astype(dtype))
            sinks = g.normal(n_heads, seed=3) if has_sinks else None
            slopes = g.array(alibi_slopes(n_heads, max_bias)) if max_bias else None
            return g.p.soft_max(x, mask, scale=scale, sinks=sinks, slopes=slopes)

        words = [f"mask {np.dtype(dtype).name}"] * masked + ["sinks"] * has_sinks
        words += [f"largest bias {max_bias:g}"] * bool(max_bias)
        cases.compare(sizes(shape, f"scale {scale:g}", *words), build)

    cases.record("5 rows of 130", lambda g: g.p.soft_max(g.floats(5, 130)))
    cases.record(
        "a mask",
        lambda g: g.p.soft_max(g.floats(2, 5, 200), g.array(causal(5, 200).astype(np.float32)), scale=0.125),
    )
    cases.record_bits(  # a negative slope turns the mask's -inf into inf
        "a mask of float16, slopes, sinks",
        lambda g: g.p.soft_max(
            g.floats(4, 3, 96),
            g.array(causal(3, 96).astype(np.float16)),
            scale=0.25,
            slopes=g.floats(4),
            sinks=g.floats(4),
        ),
    )
    cases.record_bits("any bits", lambda g: g.p.soft_max(g.bits(8, 40)))
    for n, k, scale in product((16, 15, 255), (16, 15, 1024, 1023), (1.0, 0.1)):
        for has_sinks in (False, True):
            compare((1, 1, n, k), np.float32, (has_sinks, 0.0), scale, masked=False)
        for dtype, max_bias in product((np.float32, np.float16), (0.0, 8.0)):
            compare((1, 1, n, k), dtype, (max_bias == 0, max_bias), scale)
    for shape in ((1, 32, 2, 16), (1, 32, 2, 32), (3, 1, 16, 16)):
        for dtype, has_sinks, max_bias in product((np.float32, np.float16), (False, True), (0.0, 8.0)):
            compare(shape, dtype, (has_sinks, max_bias), 0.1)
    compare((1, 3, 2, 20001), np.float32, (True, 8.0), 0.1)
    compare((1, 1, 1, 200000), np.float32, (False, 0.0), 1.0, masked=False)
    cases.measure(f"{ROWS}x{K}", lambda g: g.p.soft_max(g.floats(ROWS, K), scale=0.125))
    cases.measure(
        f"{ROWS}x{K}, mask",
        lambda g: g.p.soft_max(g.floats(ROWS, K), g.array(np.zeros((ROWS, K), np.float16)), scale=0.125),
    )
