# SPDX-License-Identifier: MIT
"""The second matmul with a weight and a shape uses a kept program: the same bits, and the same checks."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import oracle
import pytest
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q

import pyhexagon
from pyhexagon import ArgumentError, ClosedError, Device, DeviceLostError, DspTimeoutError, Tensor
from pyhexagon.program import wire

N, K = 70, 96


def make(device: Device, seed: int = 0) -> tuple[Tensor, weights.U8]:
    raw = weights.random_bytes(Q.Q4_0, N, K, np.random.default_rng(seed))
    return device.pack(Q.Q4_0, raw, (N, K)), raw


def activations(*shape: int, seed: int = 1) -> weights.F32:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def product(raw: weights.U8, x: weights.F32) -> weights.F32:
    rows = oracle.matmul_exact(Q.Q4_0, raw, N, K, np.ascontiguousarray(x).reshape(-1, K))
    return rows.reshape(*x.shape[:-1], N)


def same_bits(y: Tensor, want: weights.F32) -> bool:
    return y.shape == want.shape and np.array(y).tobytes() == want.tobytes()


@pytest.mark.parametrize("shape", [(K,), (1, K), (5, K), (2, 3, K)], ids=str)
def test_products_of_one_shape_have_the_bits_of_the_first(device: Device, shape: tuple[int, ...]) -> None:
    w, raw = make(device)
    inputs = [activations(*shape, seed=seed) for seed in range(4)]
    results = [device.matmul(x, w) for x in inputs]
    assert len(w.programs) == 1
    for x, y in zip(inputs, results, strict=True):  # each has separate memory
        assert same_bits(y, product(raw, x))


def test_any_strides_and_nan_rows(device: Device) -> None:
    w, raw = make(device)
    x = activations(4, K)
    x[2, 7] = np.nan
    device.matmul(x, w)
    device.matmul(x, w)
    assert w.programs
    for same in (np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], x):
        assert same_bits(device.matmul(same, w), product(raw, x))


def test_another_dtype_is_refused_as_ever_and_tensors_go_the_long_way(device: Device) -> None:
    w, raw = make(device)
    x = activations(3, K)
    for _ in range(3):
        device.matmul(x, w)
    with pytest.raises(ArgumentError, match="float64"):
        device.matmul(x.astype(np.float64), w)
    assert same_bits(device.matmul(device.tensor(x), w), product(raw, x))
    with Device(device.name) as other, pytest.raises(ArgumentError, match="another device"):
        other.matmul(x, w)


def test_many_shapes_do_not_pile_up(device: Device) -> None:
    w, _ = make(device)
    for m in range(1, 40):
        for _ in range(3):
            device.matmul(activations(m, K), w)
        assert len(w.programs) <= 16


def test_a_weight_with_programs_is_freed_with_its_last_reference(device: Device) -> None:
    w, _ = make(device)
    for _ in range(3):
        device.matmul(activations(1, K), w)
    assert w.programs
    before = device._memory.allocated - device._memory.pooled
    gc.disable()
    try:
        del w
        device.empty((1,)).close()  # the next call frees dropped memory
        assert device._memory.allocated - device._memory.pooled < before
    finally:
        gc.enable()


def test_a_closed_weight_is_refused(device: Device) -> None:
    w, _ = make(device)
    for _ in range(3):
        device.matmul(activations(1, K), w)
    w.close()
    with pytest.raises(ClosedError):
        device.matmul(activations(1, K), w)


def test_after_a_death_and_reopen_the_bits_are_the_same(device: Device, faults: Faults) -> None:
    w, raw = make(device)
    x = activations(2, K)
    for _ in range(3):
        device.matmul(x, w)
    in_use = device._memory.allocated
    faults.kill(device)
    with pytest.raises(DeviceLostError):
        device.matmul(x, w)
    device.reopen()
    for _ in range(3):
        assert same_bits(device.matmul(x, w), product(raw, x))
    assert device._memory.allocated <= in_use


def test_a_stalled_dsp_ends_the_wait(device: Device, faults: Faults) -> None:
    w, raw = make(device)
    x = activations(2, K)
    for _ in range(3):
        device.matmul(x, w)
    faults.stall(device)
    with pytest.raises(DspTimeoutError):
        device.matmul(x, w, timeout=0.1)
    faults.stall(device, on=False)
    device.reopen()
    assert same_bits(device.matmul(x, w), product(raw, x))


def test_a_trace_sees_products_of_kept_programs(device: Device, tmp_path: Path) -> None:
    w, _ = make(device)
    for _ in range(3):
        device.matmul(activations(2, K), w)
    with device.trace(tmp_path / "trace.json"):
        device.matmul(activations(2, K), w)
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert any(event["name"].startswith("mul_mat") for event in events)


def test_threads_share_a_program(device: Device) -> None:
    w, raw = make(device)

    def work(seed: int) -> None:
        for step in range(20):
            x = activations(2, K, seed=100 * seed + step)
            assert same_bits(device.matmul(x, w), product(raw, x))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [None] * 4


def test_a_product_moves_between_few_files(engine: str, transport: str) -> None:
    """At most 15 moves; a queue is both written and read."""
    package = str(Path(pyhexagon.__file__).parent)
    files: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_back is not None:
            frame = frame.f_back
        if event in ("call", "return") and frame.f_code.co_filename.startswith(package):
            files.append(frame.f_code.co_filename)

    with Device(engine, transport=transport) as device:
        w, _ = make(device)
        x = activations(1, K)
        for _ in range(3):
            device.matmul(x, w)
        gc.collect()
        gc.disable()
        try:
            sys.setprofile(note)
            y = device.matmul(x, w)
        finally:
            sys.setprofile(None)
            gc.enable()
        del y
    moves = [Path(after).name for before, after in pairwise(files) if before != after]
    assert moves[0] == "program.py"
    assert len(moves) <= 15 + (transport == "dspqueue"), moves


def test_a_run_after_no_write_sends_the_same_request(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a constant that the host may have written since the last run is named again."""
    rebuilt: list[int] = []
    of_run = wire.run

    def counted(piece: Any, number: int, fds: Sequence[int] = (), written: Sequence[int] = (), flags: int = 0) -> Any:
        rebuilt.append(len(written))
        return of_run(piece, number, fds, written, flags)

    x = activations(2, K)
    bias, other = device.tensor(np.zeros_like(x)), device.tensor(x)
    p = device.program()
    p.output(p.add(p.input(x.shape), bias))
    add = p.compile()
    add(x)
    monkeypatch.setattr(wire, "run", counted)
    for _ in range(3):
        other.numpy()[:] = add(x).numpy()
    assert not rebuilt
    bias.numpy()[:] = 1
    np.testing.assert_allclose(add(x), x + 1, atol=1e-5)
    np.testing.assert_allclose(add(x), x + 1, atol=1e-5)
    assert rebuilt == [1]
    view = bias.numpy()
    for step in range(3):  # while a view exists, each run may follow a write
        view[:] = step
        np.testing.assert_allclose(add(x), x + np.float32(step), atol=1e-5)
    del view
    add(x)
    add(x)
    assert rebuilt == [1, 1, 1, 1]
    p = device.program()
    p.output(p.add(p.input(x.shape), p.input(x.shape)))
    p.compile()(x, x, out=bias)  # an op writes it: another session's caches may hold what was there
    np.testing.assert_allclose(add(x), 3 * x, atol=1e-5)
    assert rebuilt[4:] == [0, 1]  # the other program is defined, and then this one names its constant
