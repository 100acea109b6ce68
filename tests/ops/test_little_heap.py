# SPDX-License-Identifier: MIT
"""Ops on a DSP whose heap holds 256 KiB and does not grow: their memory is the workspace, which the host adds to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q
from llm import tiny

from ops.cases import mixed_activations, mixed_bytes
from pyhexagon import LLM, Device, DspMemoryError
from pyhexagon.cache import PAGE_TOKENS, new_pages

HEAP = 262_144
N = 64


@pytest.fixture(params=["loopback", "loopback:qemu"])
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "loopback:qemu":
        request.getfixturevalue("qemu")
    return str(request.param)


def product(device: Device, m: int, k: int, experts: int = 1) -> bytes:
    rng = np.random.default_rng(0)
    x = mixed_activations(m, k, rng)
    raw = mixed_bytes(Q.Q4_K, N * experts, k, rng)
    with device.program() as p:
        if experts == 1:
            p.output(p.matmul(p.input(x.shape), device.pack(Q.Q4_K, raw, (N, k))))
            (y,) = p.compile().run(x)
        else:
            w = device.pack(Q.Q4_K, raw, (experts, N, k))
            ids = np.arange(2 * m, dtype=np.int32).reshape(m, 2) % experts
            p.output(p.mul_mat_id(p.input((m, 1, k)), w, p.input(ids.shape, np.int32)))
            (y,) = p.compile().run(x.reshape(m, 1, k), ids)
    return y.numpy().tobytes()


def attention(device: Device, n_rows: int, n: int) -> bytes:
    """Return the bits of ``n_rows`` rows of attention over n tokens."""
    tokens = new_pages(device, n // PAGE_TOKENS, 1, 64)
    tokens.buffer.bytes[: tokens.nbytes] = 0
    p = device.program()
    q, table = p.input((n_rows, 4, 64)), p.input((tokens.shape[0],), np.int32)
    p.output(p.flash_attn_ext(q, tokens, pages=table, positions=p.input((n_rows,), np.int32)))
    x = mixed_activations(n_rows * 4, 64, np.random.default_rng(1)).reshape(q.shape)
    positions = np.arange(n - n_rows, n, dtype=np.int32)
    (y,) = p.compile().run(x, np.arange(tokens.shape[0], dtype=np.int32), positions)
    return y.numpy().tobytes()


@pytest.mark.parametrize(
    "work",
    [
        *(lambda device, m=m: product(device, m, 2048) for m in (32, 40, 48, 64, 700)),
        lambda device: product(device, 700, 2048, 4),
        lambda device: product(device, 2, 24 * 4096),
        lambda device: attention(device, 1, 8192),
        lambda device: attention(device, 64, 8192),
    ],
    ids=["32", "40", "48", "64", "700", "experts", "wide", "attention", "prompt"],
)
def test_the_heap_does_not_grow(name: str, faults: Faults, work: Callable[[Device], bytes]) -> None:
    with Device("loopback", threads=2) as device:
        expected = work(device)
    faults.set("heap", HEAP)
    with Device(name) as device:
        assert work(device) == expected


@pytest.mark.parametrize("architecture", ["qwen3", "gpt-oss"])
def test_a_model_needs_no_more(name: str, faults: Faults, tmp_path: Path, architecture: str) -> None:
    """A prompt, then tokens one by one."""
    file = tiny.write(tmp_path / "model.gguf", architecture, **tiny.TINY[architecture])
    prompt = [1, *range(3, 80)]

    def answers(device: Device) -> list[bytes]:
        with LLM(file, 128, device=device) as llm:
            logits = llm.logits(prompt).tobytes()
            return [logits, str(llm.generate(prompt, 4, temperature=0)).encode()]

    with Device("loopback") as device:
        expected = answers(device)
    faults.set("heap", HEAP)
    with Device(name) as device:
        assert answers(device) == expected


def test_a_workspace_that_cannot_grow_is_an_error(name: str, faults: Faults) -> None:
    rng = np.random.default_rng(0)
    with Device(name, threads=2) as device, device.tensor(mixed_activations(1500, 4096, rng)) as x:
        expected = product(device, 2, 2048)
        before = device.info().workspace_bytes
        w, y = device.pack(Q.Q4_K, mixed_bytes(Q.Q4_K, N, 4096, rng), (N, 4096)), device.empty((1500, N))
        with device.program() as p:
            p.output(p.matmul(p.input(x.shape), w))
            program = p.compile()
        faults.set("memory_limit", 1)
        with pytest.raises(DspMemoryError, match=r"PHX_E_NO_MEMORY.* workspace has [\d,]+ bytes and needs [\d,]+ more"):
            program(x, out=y)
        faults.set("memory_limit", 0)
        assert device.info().workspace_bytes == before
        assert product(device, 2, 2048) == expected
        program(x, out=y)
        assert device.info().workspace_bytes > before
        y.close()
