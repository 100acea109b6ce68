# SPDX-License-Identifier: MIT
"""Whole files: loaded in one call, into as many sessions as they need, or refused before any work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import needs
import numpy as np
import pytest
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from memory.models import F32, LIMIT, MIB, limited, mapped_bytes, same_bits
from pyhexagon import ArgumentError, Device, DspMemoryError, GGUFFile, UnsupportedError

Write = Callable[..., Path]


def layers(n_layers: int, n: int = 5000, k: int = 512) -> dict[str, tuple[Q, weights.U8]]:
    rng = np.random.default_rng(n_layers)
    return {
        f"blk.{at}.weight": (Q.Q8_0, weights.random_bytes(Q.Q8_0, n, k, rng).reshape(n, -1)) for at in range(n_layers)
    }


def test_a_file_is_spread_over_sessions_in_the_order_of_its_tensors(
    engine: str, faults: Faults, gguf_file: Write
) -> None:
    path = gguf_file(**layers(8), norm=(Q.F32, np.ones(512, np.float32).view(np.uint8)))
    x = np.random.default_rng(1).standard_normal((2, 512), dtype=np.float32)
    with Device("loopback") as device:
        want = [device.matmul(x, device.load(path, f"blk.{at}.weight")).numpy().copy() for at in range(8)]
    seen: list[tuple[int, int]] = []
    with limited(engine, faults) as device, device.program() as p:
        tensors = device.load_all(path, progress=lambda *at: seen.append(at))
        assert list(tensors) == [f"blk.{at}.weight" for at in range(8)]
        assert len(device.info().sessions) == 4
        p.output(*(p.matmul(p.input(x.shape), w) for w in tensors.values()))
        ys, report = p.compile().run_with_report(*[x] * len(tensors))
        same_bits([y.numpy() for y in ys], want)
        assert [op.session for op in report.ops] == [0, 0, 1, 1, 2, 2, 3, 3]
    total = 8 * 5000 * 512 // 32 * 34
    assert seen[-1] == (total, total)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})


def test_a_file_that_does_not_fit_is_refused_before_it_is_packed(
    engine: str, faults: Faults, gguf_file: Write
) -> None:
    path = gguf_file(**layers(12))
    seen: list[tuple[int, int]] = []
    with limited(engine, faults) as device:
        before = device.info().memory_bytes
        with pytest.raises(DspMemoryError) as caught:
            device.load_all(path, progress=lambda *at: seen.append(at))
        assert not seen
        assert device.info().memory_bytes == before
        for part in ("12 weights, needs 33,", "4 of at most 4 sessions", "session 3 has", "the system has"):
            assert part in str(caught.value)
        assert len(device.load_all(path, [f"blk.{at}.weight" for at in range(4, 8)])) == 4


def test_a_file_that_is_larger_than_the_memory_touches_none(
    engine: str, faults: Faults, gguf_file: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyhexagon.weights.available", lambda: 4 * MIB)
    with limited(engine, faults) as device:
        allocated = faults.count("rpcmem_alloc2") + faults.count("rpcmem_alloc")
        faults.set("map_limit", LIMIT)
        monkeypatch.setattr(type(device._memory.placement), "rooms", lambda *_: [])
        with pytest.raises(DspMemoryError, match=r"2 weights, needs 5,\d{3},\d{3} bytes"):
            device.load_all(gguf_file(**layers(2)))
        assert faults.count("rpcmem_alloc2") + faults.count("rpcmem_alloc") == allocated


def test_a_type_that_the_dsp_does_not_take_is_refused_at_once(gguf_file: Write) -> None:
    path = gguf_file(**layers(1, n=8), odd=(Q.Q8_K, np.zeros((4, 292), np.uint8)))
    with Device("loopback") as device:
        with pytest.raises(UnsupportedError, match=r"'odd' cannot go to the DSP: type Q8_K"):
            device.load_all(path)
        assert device.info().memory_bytes == 0
        assert list(device.load_all(path, ["blk.0.weight"])) == ["blk.0.weight"]
        with pytest.raises(ArgumentError, match=r"\['blk.0.weight'\]"):
            device.load_all(path, "blk.0.weight")


def test_a_real_model_runs_in_four_sessions_as_in_one(engine: str, faults: Faults) -> None:
    def products(device: Device) -> tuple[list[F32], int, int]:
        with GGUFFile(needs.STORIES) as file, device.program() as p:
            tensors = device.load_all(file)
            loaded = mapped_bytes(device)[0]
            rng = np.random.default_rng(0)
            xs = [rng.standard_normal((2, w.shape[-1]), dtype=np.float32) for w in tensors.values()]
            p.output(*(p.matmul(p.input(x.shape), w) for x, w in zip(xs, tensors.values(), strict=True)))
            ys, report = p.compile().run_with_report(*xs)
            assert len(ys) > 30
            return [y.numpy().copy() for y in ys], len({op.session for op in report.ops}), loaded

    with Device("loopback") as device:
        empty = mapped_bytes(device)[0]
        want, n_sessions, loaded = products(device)
    assert n_sessions == 1
    with limited(engine, faults, empty + (loaded - empty) // 4 + (96 << 10)) as device:
        got, n_sessions, _ = products(device)
    assert n_sessions == 4
    same_bits(got, want)
