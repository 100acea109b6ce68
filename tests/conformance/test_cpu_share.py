# SPDX-License-Identifier: MIT
"""CPU threads compute a part of the rows of products beside the DSP: the same bits for any share, and no hang."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q
from waiting import LONG, once_waiting

from pyhexagon import ArgumentError, Device, DeviceLostError, DspTimeoutError, ProgramError, UnsupportedError
from pyhexagon._ffi.sharing import Products, Team
from pyhexagon.program import compile, rendezvous, sharing
from pyhexagon.program.compile import Operand
from pyhexagon.program.graph import Storage
from pyhexagon.program.program import Program
from pyhexagon.program.report import Report

F32 = npt.NDArray[np.float32]
PATIENCE_US = 5_000_000  # so that a busy machine's CPU threads compute their part


def activations(*shape: int, seed: int = 1) -> F32:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def same_bits(got: npt.ArrayLike, want: npt.ArrayLike) -> None:
    np.testing.assert_array_equal(np.asarray(got).view(np.uint32), np.asarray(want).view(np.uint32))


@contextmanager
def opened(
    engine: str, share: float, transport: str = "invoke", patience_us: int = PATIENCE_US, threads: int = 2
) -> Iterator[Device]:
    with Device(engine, transport=transport, cpu_share=share, threads=threads) as device:
        if share:
            sharing_of(device).patience_us = sharing_of(device).grace_us = patience_us
        yield device


def sharing_of(device: Device) -> sharing.Sharing:
    state = device._runner.sharing
    assert state is not None
    return state


def begin_without_threads(team: Team, products: Products, *arguments: int, begin: Any = Team.begin) -> None:
    begin(team, products, *arguments)
    team.finish()


def rows_of(report: Report) -> tuple[int, int]:
    return sum(op.cpu_rows for op in report.ops), sum(op.taken_rows for op in report.ops)


def layer(device: Device, x: F32, k: int, dtypes: tuple[Q, Q, Q], n: int) -> Program:
    """Return a program with fused products, an op behind them, and a product of its result."""
    rng = np.random.default_rng(3)
    gate, up = (device.pack(dtype, weights.random_bytes(dtype, n, k, rng), (n, k)) for dtype in dtypes[:2])
    down = device.pack(dtypes[2], weights.random_bytes(dtypes[2], 130, n, rng), (130, n))
    with device.program() as p:
        h = p.input(x.shape)
        p.output(p.matmul(p.swiglu(p.matmul(h, gate), p.matmul(h, up)), down))
    return p.compile()


@pytest.mark.parametrize("m", [1, 4, 32, 100])
def test_a_shared_product_has_the_same_bits(engine: str, m: int) -> None:
    types = weights.TYPES if engine == "loopback" and m == 1 else (Q.Q4_0, Q.Q4_K, Q.Q6_K, Q.F16)
    k, n = 512, 300
    x = activations(m, k)
    with opened(engine, 0.0) as alone, opened(engine, 0.5) as shared:
        for dtype in types:
            raw = weights.random_bytes(dtype, n, k, np.random.default_rng(5))
            want = alone.matmul(x, alone.pack(dtype, raw, (n, k)))
            with shared.program() as p:
                p.output(p.matmul(p.input(x.shape), shared.pack(dtype, raw, (n, k))))
            program = p.compile()
            for _ in range(2):  # the first run defines the program
                y, report = program.run_with_report(x)
                same_bits(y[0], want)
            assert rows_of(report) == (2 * 64 - 20, 0), dtype


def test_a_layer_has_the_same_bits_for_random_shares(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random_shares = random.Random(7)
    # One form of the activations, and two; rows whose plan the DSP keeps, and more.
    types = [(Q.Q4_0, Q.Q4_0, Q.Q6_K), (Q.Q4_K, Q.Q8_0, Q.F16), (Q.Q4_K, Q.Q8_0, Q.Q4_0)]
    for dtypes, m in zip(types, (1, 5, 70), strict=True):
        x = activations(m, 256, seed=m)
        with opened(engine, 0.0) as alone:
            want = np.array(layer(alone, x, 256, dtypes, 512)(x))
        shares: dict[int, int] = {}

        def n_tiles(_: sharing.Sharing, number: int, n: int, shares: dict[int, int] = shares) -> int:
            return shares.setdefault(number, random_shares.randrange(n))

        monkeypatch.setattr(sharing.Sharing, "n_tiles", n_tiles)
        with opened(engine, 0.5) as shared:
            (y,), report = layer(shared, x, 256, dtypes, 512).run_with_report(x)
            same_bits(y, want)
            assert len(shares) == 3
            assert sum(op.cpu_rows > 0 for op in report.ops) == sum(n > 0 for n in shares.values())
            assert rows_of(report)[1] == 0


def test_matmuls_of_the_same_activations_share_one_quantization() -> None:
    x = activations(3, 256)
    with opened("loopback", 0.5) as device:
        sharing_of(device).n_threads = 1
        layer(device, x, 256, (Q.Q4_0, Q.Q4_0, Q.Q4_0), 512)(x)
        one_form = sharing_of(device).totals.n_quantized
        layer(device, x, 256, (Q.Q4_0, Q.F16, Q.Q4_0), 512)(x)
        assert (one_form, sharing_of(device).totals.n_quantized - one_form) == (2, 3)


def experts(device: Device, shape: tuple[int, ...], dtypes: tuple[Q, Q, Q], n_used: int, n: int) -> Program:
    """Return a program with a router, fused products of the experts that it chooses, and a product of their result."""
    rng, k, n_experts = np.random.default_rng(4), shape[-1], 7
    gate, up = (
        device.pack(dtype, weights.random_bytes(dtype, n_experts * n, k, rng), (n_experts, n, k))
        for dtype in dtypes[:2]
    )
    down = device.pack(dtypes[2], weights.random_bytes(dtypes[2], n_experts * 130, n, rng), (n_experts, 130, n))
    router = device.weight(rng.standard_normal((n_experts, k), dtype=np.float32))
    with device.program() as p:
        x = p.input(shape)
        ids = p.top_k(p.matmul(x, router), n_used)
        p.output(p.mul_mat_id(p.swiglu(p.mul_mat_id(x, gate, ids), p.mul_mat_id(x, up, ids)), down, ids))
    return p.compile()


@pytest.mark.parametrize(("m", "n_used"), [(1, 1), (1, 4), (5, 3), (70, 7)])
def test_shared_experts_have_the_same_bits_for_random_shares(
    engine: str, m: int, n_used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_shares = random.Random(m)
    x = activations(m, 256, seed=m)
    for dtypes in ((Q.Q4_0, Q.Q4_0, Q.Q6_K), (Q.Q4_K, Q.F16, Q.Q4_0)):
        with opened(engine, 0.0) as alone:
            want = np.array(experts(alone, x.shape, dtypes, n_used, 512)(x))
        shares: dict[int, int] = {}

        def n_tiles(_: sharing.Sharing, number: int, n: int, shares: dict[int, int] = shares) -> int:
            return shares.setdefault(number, random_shares.randrange(n))

        monkeypatch.setattr(sharing.Sharing, "n_tiles", n_tiles)
        with opened(engine, 0.5) as shared:
            program = experts(shared, x.shape, dtypes, n_used, 512)
            for _ in range(2):
                (y,), report = program.run_with_report(x)
                same_bits(y, want)
            by_ids = [op for op in report.ops if op.op == "mul_mat_id"]
            expected = [shares[number] for number in sorted(shares)][-3:]
            assert sorted(op.cpu_rows > 0 for op in by_ids) == sorted(n > 0 for n in expected)
            assert rows_of(report)[1] == 0


def test_the_dsp_takes_back_tiles_of_experts_and_refuses_wrong_ids(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, dtypes = activations(3, 256), (Q.Q4_0, Q.Q4_0, Q.Q4_0)
    ids, wrong = np.array([[0, 6], [6, 2], [1, 1]], np.int32), np.array([[0, 6], [7, 2], [1, 1]], np.int32)
    raw = weights.random_bytes(Q.Q4_K, 7 * 300, 256, np.random.default_rng(6))
    with opened(engine, 0.0) as alone, opened(engine, 0.5) as shared:
        want = np.array(experts(alone, x.shape, dtypes, 4, 512)(x))
        program = experts(shared, x.shape, dtypes, 4, 512)
        with shared.program() as p:
            h, chosen = p.input(x.shape), p.input(ids.shape, np.int32)
            p.output(p.mul_mat_id(h, shared.pack(Q.Q4_K, raw, (7, 300, 256)), chosen))
        by_host = p.compile()
        with pytest.raises(ProgramError, match="names no expert"):
            by_host.run(x, wrong)
        (y,), report = by_host.run_with_report(x, ids)
        same_bits(y, alone.mul_mat_id(x, alone.pack(Q.Q4_K, raw, (7, 300, 256)), ids))
        assert rows_of(report) == (2 * 64 - 20, 0)
        for number in range(12):
            sharing_of(shared).patience_us = (0, 20, 200)[number // 2 % 3]
            sharing_of(shared).grace_us = (0, 200)[number % 2]
            same_bits(program(x), want)
        monkeypatch.setattr(Team, "begin", begin_without_threads)
        sharing_of(shared).patience_us = 200
        (y,), report = program.run_with_report(x)
        same_bits(y, want)
        assert rows_of(report) == (0, 256 + 256 + 66)


@pytest.mark.parametrize(
    ("m", "n_used", "k", "cpu_rows"), [(64, 8, 1024, 64), (65, 8, 1024, 0), (282, 1, 2080, 64), (283, 1, 2080, 0)]
)
def test_as_many_rows_of_experts_are_shared_as_the_dsp_takes_at_once(
    m: int, n_used: int, k: int, cpu_rows: int
) -> None:
    x, w = activations(m, n_used, k), np.ones((9, 128, k), np.float32)
    ids = np.random.default_rng(8).integers(0, 9, (m, n_used)).astype(np.int32)
    with opened("loopback", 0.0) as alone, opened("loopback", 0.5) as shared:
        with shared.program() as p:
            p.output(p.mul_mat_id(p.input(x.shape), shared.weight(w, dtype="F16"), p.input(ids.shape, np.int32)))
        (y,), report = p.compile().run_with_report(x, ids)
        same_bits(y, alone.mul_mat_id(x, alone.weight(w, dtype="F16"), ids))
        assert rows_of(report) == (cpu_rows, 0)


@pytest.mark.parametrize(("m", "k", "cpu_rows"), [(512, 1056, 64), (513, 1056, 0), (427, 2080, 0)])
def test_as_many_rows_are_shared_as_the_dsp_quantizes_at_once(m: int, k: int, cpu_rows: int) -> None:
    x, w = activations(m, k), np.ones((128, k), np.float32)
    with opened("loopback", 0.0) as alone, opened("loopback", 0.5) as shared:
        with shared.program() as p:
            p.output(p.matmul(p.input(x.shape), shared.weight(w, dtype="F16")))
        (y,), report = p.compile().run_with_report(x)
        same_bits(y, alone.matmul(x, alone.weight(w, dtype="F16")))
        assert rows_of(report) == (cpu_rows, 0)


def test_the_meetings_of_a_program_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    x = activations(40, 256)
    dtypes = (Q.Q4_0, Q.Q4_0, Q.Q4_0)
    with opened("loopback", 0.5) as device:
        unbounded = layer(device, x, 256, dtypes, 512)
        want = np.array(unbounded(x))
        monkeypatch.setattr(rendezvous, "MOST_MEETING_BYTES", unbounded._plan.meeting_bytes // 2)
        program = layer(device, x, 256, dtypes, 512)
        assert program._plan.meeting_bytes < unbounded._plan.meeting_bytes * 0.6
        (y,), report = program.run_with_report(x)
        same_bits(y, want)
        assert [op.cpu_rows for op in report.ops if op.cpu_rows] == [64 * 2, 64 * 2, 2]


@pytest.mark.parametrize("transport", ["invoke", "dspqueue"])
def test_the_dsp_takes_back_what_the_cpu_does_not_compute(
    engine: str, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    xs = [activations(2, 256, seed=seed) for seed in range(3)]
    dtypes = (Q.Q4_0, Q.Q4_0, Q.Q4_0)
    with opened(engine, 0.0) as alone:
        program = layer(alone, xs[0], 256, dtypes, 512)
        wants = [np.array(program(x)) for x in xs]
    with opened(engine, 0.5, transport) as shared:
        program = layer(shared, xs[0], 256, dtypes, 512)
        for number in range(30):  # the CPU computes some tiles in time, begins some too late, and others never
            sharing_of(shared).patience_us = (0, 20, 200)[number // 3 % 3]
            sharing_of(shared).grace_us = (0, 200)[number % 2]
            same_bits(program(xs[number % 3]), wants[number % 3])
        monkeypatch.setattr(Team, "begin", begin_without_threads)
        for patience_us, grace_us in ((200, 200), (PATIENCE_US, 0)):
            sharing_of(shared).patience_us, sharing_of(shared).grace_us = patience_us, grace_us
            before = sharing_of(shared).totals.dsp_wait_ns
            (y,), report = program.run_with_report(xs[0])
            same_bits(y, wants[0])
            assert rows_of(report) == (0, 256 + 256 + 66)
        waited_ns = sharing_of(shared).totals.dsp_wait_ns - before  # the DSP does not wait for tiles that nobody begins
        assert waited_ns < 0xFFFFFFFF  # which one product's counter holds at most, and at the end of the patience, 5 s
        assert f"took back {sharing_of(shared).totals.taken_rows:,}" in shared.info().sharing


def test_an_interrupt_and_a_lost_device_leave_the_threads_idle(faults: Faults, engine: str) -> None:
    x = activations(1, 256)
    with opened(engine, 0.5, patience_us=200_000) as device:
        program = layer(device, x, 256, (Q.Q4_0, Q.Q4_0, Q.Q4_0), 512)
        want = np.array(program(x))
        faults.stall(device)
        main = threading.get_ident()
        timer = once_waiting(signal.pthread_kill, main, signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            program(x)
        timer.join()
        faults.stall(device, False)
        for _ in range(2):  # in other memory than the interrupted run, whose memory the second run unmaps
            same_bits(program(x), want)
        faults.stall(device)
        with pytest.raises(DspTimeoutError):
            program(x, timeout=0.2)
        faults.stall(device, False)
        device.reopen()
        same_bits(program(x), want)
        faults.kill(device)
        with pytest.raises(DeviceLostError):
            program(x)
        device.reopen()
        same_bits(program(x), want)
    deadline = time.monotonic() + LONG
    while any(name == "phx-sharing" for name in thread_names()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def thread_names() -> list[str]:
    """Return the names of this process's threads; one may end meanwhile."""
    names = []
    for task in os.listdir("/proc/self/task"):
        with suppress(FileNotFoundError):
            names.append(Path(f"/proc/self/task/{task}/comm").read_text().strip())
    return names


@pytest.mark.parametrize("share", [-0.1, 0.91, True, "half", float("nan")])
def test_other_shares_are_refused(share: float) -> None:
    with pytest.raises(ArgumentError, match="cpu_share is"):
        Device("loopback", cpu_share=share)


def test_sharing_needs_coherent_caches(faults: Faults) -> None:
    faults.set("incoherent", 1)
    with pytest.raises(UnsupportedError, match="coherent"):
        Device("loopback", cpu_share=0.5)


def test_the_dsp_maintains_its_own_caches(faults: Faults, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU's caches are coherent; only the DSP's maintenance moves data between its caches and memory.

    One thread of the DSP, because in the loopback's model the maintenance of one line by two threads is a race.
    """
    xs = [activations(2, 256, seed=seed) for seed in range(3)]
    dtypes = (Q.Q4_0, Q.Q4_0, Q.Q4_0)
    with opened(engine, 0.0) as alone:
        programs = layer(alone, xs[0], 256, dtypes, 512), experts(alone, xs[0].shape, dtypes, 4, 512)
        wants = [[np.array(program(x)) for x in xs] for program in programs]
    faults.set("incoherent", 2)
    with opened(engine, 0.5, threads=1) as shared:
        programs = layer(shared, xs[0], 256, dtypes, 512), experts(shared, xs[0].shape, dtypes, 4, 512)
        for program, want in zip(programs, wants, strict=True):
            for x, y in zip(xs, want, strict=True):
                (got,), report = program.run_with_report(x)
                same_bits(got, y)
                assert rows_of(report) == (256 + 256 + 66, 0)
        monkeypatch.setattr(Team, "begin", begin_without_threads)
        sharing_of(shared).patience_us = sharing_of(shared).grace_us = 200
        for program, want in zip(programs, wants, strict=True):
            (got,), report = program.run_with_report(xs[0])
            same_bits(got, want[0])
            assert rows_of(report) == (0, 256 + 256 + 66)


def test_without_a_share_nothing_is_shared(device: Device) -> None:
    assert device._runner.sharing is None
    assert device.info().sharing == ""


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda one: {"ne": (one.ne[0] - 1, 1, 1, 1)}, "do not match"),
        (lambda one: {"ne": (64, 1, 1, 1)}, "do not match"),  # no tile
        (lambda one: {"offset": one.offset + 4}, "aligned"),
        (lambda one: {"storage": Storage(one.storage.kind, Q.F32, one.storage.shape)}, "element type"),
    ],
)
def test_the_skel_refuses_a_meeting_of_another_kind(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[Operand], dict[str, Any]], status: str
) -> None:
    right = compile._meeting_operand

    def wrong(meeting: rendezvous.Meeting, memory: int) -> Operand:
        one = right(meeting, memory)
        return one._replace(**change(one))

    monkeypatch.setattr(compile, "_meeting_operand", wrong)
    with opened("loopback", 0.5) as device:
        with pytest.raises(ProgramError, match=status):
            device.matmul(activations(1, 64), device.weight(activations(300, 64)))
        with pytest.raises(ProgramError, match=status):
            device.mul_mat_id(activations(1, 64), device.weight(activations(3, 300, 64)), [[2, 0]])
