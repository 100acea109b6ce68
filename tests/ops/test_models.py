# SPDX-License-Identifier: MIT
"""The matrices of real models, in types that GGUF files have: every row, at sizes that small tests never reach.

Weights repeat PERIOD rows of random blocks, so a row of the result must equal the row PERIOD before it, which finds any
row that is skipped or read from elsewhere (PERIOD is prime: no power of two is a multiple of it). Some rows are
compared with tests/oracle.py, bit for bit, and with the float64 product of gguf's dequantized weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import oracle
import pytest
from gguf import GGMLQuantizationType as Q

from ops.checks import first_difference
from ops.placed import F32, U8
from pyhexagon import Device, Tensor, weights
from pyhexagon.bench import accuracy, blocks

PERIOD = 1009
SAMPLES = 24
NMSE_LIMIT = 1e-4
M = 2


class Shape(NamedTuple):
    model: str
    part: str
    dtype: Q
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.model} {self.part} {self.dtype.name} {self.n}x{self.k}"


SHAPES = [
    Shape("Llama-3.2-1B", "attn_q", Q.Q4_K, 2048, 2048),
    Shape("Llama-3.2-1B", "attn_k", Q.Q4_K, 512, 2048),
    Shape("Llama-3.2-1B", "attn_v", Q.Q6_K, 512, 2048),
    Shape("Llama-3.2-1B", "attn_output", Q.Q4_K, 2048, 2048),
    Shape("Llama-3.2-1B", "ffn_up", Q.Q4_K, 8192, 2048),
    Shape("Llama-3.2-1B", "ffn_gate", Q.Q4_0, 8192, 2048),
    Shape("Llama-3.2-1B", "ffn_down", Q.Q6_K, 2048, 8192),
    Shape("Llama-3.2-1B", "head", Q.Q6_K, 128256, 2048),
    Shape("Qwen2.5-7B", "attn_q", Q.Q4_K, 3584, 3584),
    Shape("Qwen2.5-7B", "attn_k", Q.Q5_0, 512, 3584),
    Shape("Qwen2.5-7B", "attn_v", Q.Q6_K, 512, 3584),
    Shape("Qwen2.5-7B", "attn_output", Q.Q3_K, 3584, 3584),
    Shape("Qwen2.5-7B", "ffn_up", Q.Q4_K, 18944, 3584),
    Shape("Qwen2.5-7B", "ffn_gate", Q.Q2_K, 18944, 3584),
    Shape("Qwen2.5-7B", "ffn_down", Q.Q6_K, 3584, 18944),
    Shape("Qwen2.5-7B", "head", Q.IQ4_XS, 152064, 3584),
    Shape("Phi-3-mini", "attn_qkv", Q.Q5_K, 9216, 3072),
    Shape("Phi-3-mini", "attn_output", Q.Q4_K, 3072, 3072),
    Shape("Phi-3-mini", "ffn_up", Q.Q4_K, 16384, 3072),
    Shape("Phi-3-mini", "ffn_down", Q.Q6_K, 3072, 8192),
    Shape("Phi-3-mini", "head", Q.Q6_K, 32064, 3072),
    Shape("gpt-oss-20b", "attn_q", Q.Q8_0, 4096, 2880),
    Shape("gpt-oss-20b", "attn_k", Q.Q8_0, 512, 2880),
    Shape("gpt-oss-20b", "attn_v", Q.BF16, 512, 2880),
    Shape("gpt-oss-20b", "attn_output", Q.Q8_0, 2880, 4096),
    Shape("gpt-oss-20b", "router", Q.F32, 32, 2880),
    Shape("gpt-oss-20b", "head", Q.Q4_0, 201088, 2880),
    Shape("Gemma-3-1B", "attn_q", Q.Q4_0, 1024, 1152),
    Shape("Gemma-3-1B", "attn_k", Q.Q4_0, 256, 1152),
    Shape("Gemma-3-1B", "attn_v", Q.Q5_1, 256, 1152),
    Shape("Gemma-3-1B", "attn_output", Q.Q4_1, 1152, 1024),
    Shape("Gemma-3-1B", "ffn_up", Q.Q4_0, 6912, 1152),
    Shape("Gemma-3-1B", "ffn_gate", Q.IQ4_NL, 6912, 1152),
    Shape("Gemma-3-1B", "ffn_down", Q.F16, 1152, 6912),
    Shape("Gemma-3-1B", "head", Q.Q8_0, 262144, 1152),
    Shape("Qwen3.5", "head", Q.Q4_K, 248320, 1024),
]
ON_QEMU = [
    shape
    for shape in SHAPES
    if (shape.model, shape.part)
    in (("Llama-3.2-1B", "attn_v"), ("Qwen2.5-7B", "ffn_down"), ("gpt-oss-20b", "attn_k"), ("Gemma-3-1B", "head"))
]
N_EXPERTS, N_USED = 32, 4
EXPERTS = [Shape("gpt-oss-20b", part, Q.MXFP4, 2880, 2880) for part in ("ffn_up_exps", "ffn_down_exps")]


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("loopback") as device:
        yield device


@pytest.fixture(scope="module")
def on_qemu(qemu: str) -> Iterator[Device]:
    with Device("loopback:qemu") as device:
        yield device


def repeated(shape: Shape, n: int) -> U8:
    """Return n rows of GGUF bytes."""
    rows = blocks.random_blocks(shape.dtype, min(n, PERIOD), shape.k, seed=shape.n)
    return np.resize(rows, (n, rows.shape[1]))


def sampled_rows(n: int) -> list[int]:
    """Return the rows to check: ends of tiles, of 16 bits and of the matrix, and some others."""
    ends = [row for end in (0, 64, 32768, 65536, 131072, n) for row in (end - 1, end) if 0 <= row < n]
    return sorted({*ends, *np.random.default_rng(n).integers(0, n, SAMPLES).tolist()})


def check_rows(shape: Shape, raw: U8, x: F32, got: F32) -> None:
    """Compare a result (M, rows) of some rows with the specification and with float64."""
    want = oracle.matmul_exact(shape.dtype, raw, len(raw), shape.k, x)
    assert not first_difference(got, want), str(shape)
    exact = x.astype(np.float64) @ blocks.dequantize(raw, shape.dtype).T
    assert accuracy.nmse(got, exact) < NMSE_LIMIT, str(shape)


def check_matrix(device: Device, shape: Shape) -> None:
    raw = repeated(shape, shape.n)
    x = accuracy.normal(M, shape.k, seed=shape.n)
    with device.pack(shape.dtype, raw, (shape.n, shape.k)) as w, device.matmul(x, w) as product:
        y = np.array(product)
    assert not first_difference(y, np.take(y, np.arange(shape.n) % PERIOD, axis=1))
    rows = sampled_rows(shape.n)
    check_rows(shape, raw[rows], x, np.ascontiguousarray(y[:, rows]))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_row_of_a_model_s_matrix_is_right(device: Device, shape: Shape) -> None:
    check_matrix(device, shape)


@pytest.mark.parametrize("shape", ON_QEMU, ids=str)
def test_matrices_of_models_are_right_on_the_v68_skel(on_qemu: Device, shape: Shape) -> None:
    check_matrix(on_qemu, shape)


def check_experts(device: Device, shape: Shape, experts: Tensor, raw: U8) -> None:
    """Check up, with one row of x per token, and down, with one row per expert."""
    n_tokens = 3
    rng = np.random.default_rng(1)
    ids = np.stack([rng.permutation(N_EXPERTS)[:N_USED] for _ in range(n_tokens)])
    ids[0, 0], ids[1, 0] = N_EXPERTS - 1, 0
    per_token = 1 if shape.part == "ffn_up_exps" else N_USED
    x = accuracy.normal(n_tokens * per_token, shape.k, seed=2).reshape(n_tokens, per_token, shape.k)
    with device.mul_mat_id(x, experts, ids) as product:
        y = np.array(product)
    with device.pack(shape.dtype, raw[:PERIOD], (PERIOD, shape.k)) as period, device.matmul(x, period) as product:
        known = np.array(product)
    rows = sampled_rows(shape.n)
    for t, u in np.ndindex(ids.shape):
        at = ids[t, u] * shape.n + np.arange(shape.n)
        want = known[t, u % per_token, at % PERIOD]
        assert not first_difference(y[t, u][None], want[None]), f"{shape}, token {t}, expert {ids[t, u]}"
        check_rows(shape, raw[at[rows]], x[t, u % per_token][None], y[t, u, rows][None])


@pytest.mark.parametrize("shape", EXPERTS, ids=str)
def test_the_experts_of_gpt_oss_are_right(device: Device, on_qemu: Device, shape: Shape) -> None:
    raw = repeated(shape, N_EXPERTS * shape.n)
    for engine in (device, on_qemu):
        with engine.pack(shape.dtype, raw, (N_EXPERTS, shape.n, shape.k)) as experts:
            check_experts(engine, shape, experts, raw)


def test_a_head_beyond_two_gibibytes_lies_in_several_buffers(device: Device) -> None:
    """The output matrix of Gemma 3 27B, in float16; its memory is not touched here."""
    with weights.reserve(device, Q.F16, (262144, 5376)) as w:
        assert w.nbytes > 1 << 31
        assert [part.first for part in w.parts] == [0, *(part.end for part in w.parts[:-1])]
        assert w.parts[-1].end == 262144
        assert all(part.buffer.size < 1 << 31 for part in w.parts)
