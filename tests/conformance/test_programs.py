# SPDX-License-Identifier: MIT
"""Programs on a device: building, the state kept between runs, and changes of weights and sessions between runs."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import deadlines
import numpy as np
import numpy.typing as npt
import oracle
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q
from waiting import until

from pyhexagon import (
    ArgumentError,
    Builder,
    ClosedError,
    Device,
    DspTimeoutError,
    OperandError,
    Program,
    ProgramError,
    Tensor,
)  # fmt: skip
from pyhexagon._ffi import contract, loopback
from pyhexagon.memory.buffer import Pin
from pyhexagon.program import numbers, wire

F32 = npt.NDArray[np.float32]
N, K = 33, 64
W = np.random.default_rng(0).standard_normal((N, K), dtype=np.float32)


def rows(m: int, k: int = K, seed: int = 1) -> F32:
    return np.random.default_rng(seed).standard_normal((m, k), dtype=np.float32)


def product(x: F32, w: F32 = W) -> F32:
    n, k = w.shape
    return oracle.matmul_exact(Q.F32, w.view(np.uint8), n, k, np.ascontiguousarray(x))


def same_bits(got: npt.ArrayLike, want: npt.ArrayLike) -> None:
    np.testing.assert_array_equal(np.asarray(got).view(np.uint32), np.asarray(want).view(np.uint32))


def close(got: npt.ArrayLike, a: F32, b: F32) -> None:
    """Assert that sums are within 0.532 ULP (docs/math.md)."""
    assert np.abs(np.asarray(got) - (a + b)).max() <= max(np.abs(a).max(), np.abs(b).max()) * 2**-22


def one_product(device: Device, m: int = 3) -> Program:
    """Return a program that keeps its weight alive."""
    with device.program() as p:
        p.output(p.matmul(p.input((m, K)), device.weight(W)))
    return p.compile()


def actions(device: Device, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the actions of all requests sent from now on."""
    found: list[int] = []
    session = device._session
    send = session.run

    def run(request: bytearray, *arguments: Any) -> bytes:
        found.append(contract.REQUEST.unpack_from(request)[3])
        return send(request, *arguments)

    monkeypatch.setattr(session, "run", run)
    return found


# --- What is computed ---


def test_copies_of_all_outputs_have_the_bits_of_the_tensors(device: Device) -> None:
    halves = rows(3).astype(np.float16)
    with device.program() as p:
        x = p.input((3, K))
        p.output(p.matmul(x, device.weight(W)), p.cpy(x, np.float16), p.argmax(x), p.cpy(x, "Q8_0"))
    program = p.compile()
    for seed in range(3):
        array = rows(3, seed=seed)
        copies = program.run_numpy(array)
        for copy, tensor in zip(copies, program.run(array), strict=True):
            want = tensor.numpy()
            assert (copy.dtype, copy.shape, copy.tobytes()) == (want.dtype, want.shape, want.tobytes())
            assert copy.flags.owndata
        same_bits(copies[0], product(array))
    in_use = device._memory.allocated
    for seed in range(3):  # the memory of results is free again, and the copies are not in it
        program.run_numpy(rows(3, seed=5 + seed))
    assert device._memory.allocated == in_use
    same_bits(copies[0], product(array))
    with pytest.raises(ArgumentError, match="1 inputs, not 2"):
        program.run_numpy(array, halves)


def test_a_layer_of_the_pilots(device: Device) -> None:
    bias, g = rows(1)[0], rows(1, seed=2)[0]
    table = rows(10, seed=3)
    with device.program() as p:
        ids, x = p.input(4, np.int32), p.input((4, K))
        s = p.add(p.add(x, device.tensor(bias)), p.get_rows(device.tensor(table), ids))
        h = p.rms_norm(s, weight=device.tensor(g), eps=1e-5)
        p.output(s, h, p.matmul(h, device.weight(W)))
    program = p.compile()
    for seed in range(3):
        chosen = np.random.default_rng(seed).integers(0, 10, 4).astype(np.int32)
        array = rows(4, seed=10 + seed)
        s_run, h_run, y = program.run(chosen, array)
        np.testing.assert_allclose(s_run, array + bias + table[chosen], atol=1e-6)
        want = s_run.numpy()
        exact = want / np.sqrt((want.astype(np.float64) ** 2).mean(-1, keepdims=True) + 1e-5) * g
        np.testing.assert_allclose(h_run, exact, rtol=3e-5)
        same_bits(y, product(h_run.numpy()))


@pytest.mark.parametrize("dtype", [np.float32, np.float16, Q.Q4_0, Q.Q5_1], ids=str)
def test_rows_of_a_table_by_ids_of_any_shape(device: Device, dtype: Any) -> None:
    values = rows(70, 256)
    table = device.weight(values.astype(dtype)) if isinstance(dtype, type) else device.weight(values, dtype=dtype)
    ids = np.array([[0, 69, 64], [5, 5, 63]], np.int32)
    with device.program() as p:
        p.output(p.get_rows(table, p.input(ids.shape, np.int32)))
    got = p.compile()(ids)
    assert got.shape == (2, 3, 256)
    np.testing.assert_allclose(got, table.dequantize()[ids], rtol=1e-6, atol=1e-6)
    with pytest.raises(ProgramError, match="PHX_E_INDEX"):
        p.compile()(ids + 1)


@pytest.mark.parametrize(
    ("x", "y"),
    [((4, 5, 6), (6,)), ((4, 1, 6), (5, 1)), ((1,), (3, 7)), ((2, 1, 4, 8), (3, 1, 8)), ((), (5,)), ((7,), ())],
    ids=str,
)
def test_sums_are_broadcast_as_numpy_does(device: Device, x: tuple[int, ...], y: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(x, dtype=np.float32), rng.standard_normal(y, dtype=np.float32)
    with device.program() as p:
        p.output(p.add(p.input(x), p.input(y)))
    close(p.compile()(a, b), a, b)


def test_views_of_inputs_constants_and_results(device: Device) -> None:
    a, b = rows(6, 8), rows(6, 8, seed=2)
    with device.program() as p:
        x, y = p.input((6, 8)), p.value(device.tensor(b))
        s = p.add(x[::2], y[3:])
        t = p.add(s.reshape(3, 2, 4).transpose(1, 0, 2), y[:2, :4].reshape(2, 1, 4))
        p.output(t, p.add(p.input((2, 4), order="F").T[:, :2], s[0, :2]).T)
    t_run, turned = p.compile().run(a, b[:2, :4])
    s_now = a[::2] + b[3:]
    np.testing.assert_allclose(t_run, s_now.reshape(3, 2, 4).transpose(1, 0, 2) + b[:2, None, :4], atol=1e-6)
    np.testing.assert_allclose(turned, (b[:2, :4].T[:, :2] + s_now[0, :2]).T, atol=1e-6)


def test_earlier_results_stay(device: Device) -> None:
    program = one_product(device)
    xs = [rows(3, seed=seed) for seed in range(5)]
    results = [program(x) for x in xs]
    for x, y in zip(xs, results, strict=True):
        same_bits(y, product(x))


# --- Programs that the skel caches ---


def test_a_second_run_sends_the_header_and_at_most_the_patches(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    program = one_product(device)
    found = actions(device, monkeypatch)
    kept = [program(rows(3, seed=seed)) for seed in range(4)]
    assert found == [contract.DEFINE | contract.RUN, *[contract.RUN] * 3]
    assert len(kept) == 4


def test_an_unknown_program_is_defined_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    program = one_product(device)
    same_bits(program(rows(3)), product(rows(3)))
    for number in range(contract.MAX_PROGRAMS):
        request = wire.request(contract.DROP, number)
        device._session.run(request.message, request.response_bytes, 10, Pin(()))
    found = actions(device, monkeypatch)
    same_bits(program(rows(3, seed=2)), product(rows(3, seed=2)))
    assert found == [contract.RUN, contract.DEFINE | contract.RUN]


def test_more_programs_than_numbers_take_turns(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "TRANSIENT_NUMBER", 4)  # before the session has any
    w = device.weight(W)
    found = actions(device, monkeypatch)
    for m in (1, 2, 3, 4, 1, 2, 5, 1, 2, 3):
        same_bits(device.matmul(rows(m), w), product(rows(m)))
    defined = [bool(one & contract.DEFINE) for one in found]
    assert defined == [True, True, True, True, False, False, True, False, False, True]


def test_numbers_go_to_those_that_are_not_busy_and_come_back_from_the_dead() -> None:
    class Owner:
        number, is_busy, used, n_forgotten = -1, False, 0, 0

        def forget(self) -> None:
            self.number, self.n_forgotten = -1, self.n_forgotten + 1

    given = numbers.Numbers()
    owners = [Owner() for _ in range(numbers.TRANSIENT_NUMBER)]
    for owner in owners:
        owner.used = next(given.clock)
        given.give(owner)
    assert sorted(owner.number for owner in owners) == list(range(numbers.TRANSIENT_NUMBER))
    owners[0].is_busy = True
    late = Owner()
    assert given.give(late) == 1
    assert [owner.n_forgotten for owner in owners[:3]] == [0, 1, 0]
    del owners[7]
    assert given.give(Owner()) == 7
    for owner in owners:
        owner.is_busy = True
    late.is_busy = True
    assert given.give(Owner()) in (7, numbers.TRANSIENT_NUMBER)
    for owner in owners[2:]:
        owner.is_busy = False
    assert set(given.idle()) >= {owner.number for owner in owners[2:] if owner.number >= 0}


def test_without_a_number_a_program_runs_all_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    program = one_product(device)
    monkeypatch.setattr(numbers.Numbers, "give", lambda *_: numbers.TRANSIENT_NUMBER)
    found = actions(device, monkeypatch)
    for seed in range(2):
        same_bits(program(rows(3, seed=seed)), product(rows(3, seed=seed)))
    assert found == [contract.DEFINE | contract.RUN | contract.DROP] * 2


def test_programs_give_way_when_the_dsp_has_no_heap(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    others = [one_product(device, m) for m in (1, 2)]
    for m, other in enumerate(others, 1):
        other(rows(m))
    program = one_product(device)
    session = device._session
    send = session.run
    refused: list[bool] = []

    def run(request: bytearray, *arguments: Any) -> bytes:
        response = bytearray(send(request, *arguments))
        if contract.REQUEST.unpack_from(request)[3] & contract.DEFINE and not refused:
            refused.append(True)
            response[12:16] = contract.E_NO_MEMORY.to_bytes(4, "little")
        return bytes(response)

    monkeypatch.setattr(session, "run", run)
    same_bits(program(rows(3)), product(rows(3)))
    assert refused
    for m, other in enumerate(others, 1):
        same_bits(other(rows(m)), product(rows(m)))


def test_a_program_keeps_its_tensors_and_gives_all_back_at_its_end(device: Device) -> None:
    before = device._memory.allocated - device._memory.pooled
    with device.program() as p:
        h = p.add(p.input((3, K)), device.tensor(rows(3)))
        p.output(p.matmul(p.rms_norm(h), device.weight(W)))
    program = p.compile()
    gc.collect()
    y = program(rows(3))
    del p, h, y, program
    gc.collect()
    device.empty(1).close()
    assert device._memory.allocated - device._memory.pooled == before


def test_a_constant_that_the_host_writes_is_seen_and_others_cost_no_patch(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    constant = device.tensor(rows(3))
    with device.program() as p:
        p.output(p.add(p.input((3, K)), constant))
    program = p.compile()
    program(rows(3))
    written: list[int] = []
    make = wire.run

    def run(*args: Any) -> wire.WireRequest:
        written.append(len(args[3]) if len(args) > 3 else 0)
        return make(*args)

    monkeypatch.setattr(wire, "run", run)
    program(rows(3))
    constant.numpy()[...] = 1
    close(program(rows(3)), rows(3), rows(3) * 0 + 1)
    view = constant.numpy()
    view[...] = 2
    close(program(rows(3)), rows(3), rows(3) * 0 + 2)
    view[...] = 3
    close(program(rows(3)), rows(3), rows(3) * 0 + 3)
    del view
    program(rows(3))
    program(rows(3))
    assert written == [1, 1, 1]  # a run after no write sends the request of the run before


# --- What changes under them ---


def test_reopening_costs_a_definition(device: Device, faults: Faults) -> None:
    program = one_product(device)
    same_bits(program(rows(3)), product(rows(3)))
    faults.kill(device)
    with suppress(Exception):
        program(rows(3))
    device.reopen()
    same_bits(program(rows(3)), product(rows(3)))


def test_a_program_whose_buffers_were_unmapped_runs_again(device: Device) -> None:
    with device.program() as p:
        p.output(p.matmul(p.rms_norm(p.input((3, K))), device.weight(W)))
    program = p.compile()
    x = device.tensor(rows(3))
    want = program(x).numpy().copy()
    session = device._session
    for buffer in (x.buffer, *(program._arenas.buffers[user] for user in program._plan.arenas)):
        assert device._memory.placement._unmap_idle(session, buffer)
    same_bits(program(x), want)


def test_threads_share_a_program_with_intermediates(device: Device) -> None:
    with device.program() as p:
        h = p.rms_norm(p.add(p.input((3, K)), device.tensor(rows(3))))
        h = p.add(h, h)
        p.output(h, p.matmul(h, device.weight(W)))
    program = p.compile()
    alone = [program.run(rows(3, seed=seed)) for seed in range(40)]

    def work(seed: int) -> None:
        for step in range(10):
            for got, want in zip(program.run(rows(3, seed=10 * seed + step)), alone[10 * seed + step], strict=True):
                same_bits(got, want)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [None] * 4


def test_a_stalled_dsp_ends_the_wait_and_the_program_can_run_again(device: Device, faults: Faults) -> None:
    program = one_product(device)
    program(rows(3))
    faults.stall(device)
    with pytest.raises(DspTimeoutError):
        program(rows(3), timeout=0.1)
    faults.stall(device, on=False)
    device.reopen()
    same_bits(program(rows(3)), product(rows(3)))


def test_threads_that_wait_for_a_stalled_one_end_with_their_process(
    faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the stall hits, also while others wait in a barrier, no thread of the host engine outlives its DSP
    process."""

    def n_threads() -> int:
        return len(os.listdir("/proc/self/task"))

    def is_stalled() -> bool:
        return loopback.is_stalled(faults.library, device._session.domain.effective_id)

    with Device("loopback", threads=4, transport="invoke") as device:
        program = one_product(device)
        program.run_with_report(rows(3))
        n_before = n_threads()
        n_stalls = 0
        while n_stalls < 25:
            with monkeypatch.context() as patch:
                deadlines.come_at_once(patch, is_stalled)
                loopback.stall_at(faults.library, device._session.domain.effective_id, n_stalls + 1)
                try:
                    program.run_with_report(rows(3))
                    break  # it has fewer moments
                except DspTimeoutError:
                    n_stalls += 1
            faults.kill(device)
            device.reopen()
            program.run_with_report(rows(3))
            until(lambda: n_threads() <= n_before, f"threads end after a stall at moment {n_stalls}")
        assert n_stalls > 4


# --- What is refused ---


def test_what_is_no_program_is_refused(device: Device) -> None:
    w, x = device.weight(W), device.tensor(rows(3))
    p, q = device.program(), device.program()
    v = p.input((3, K))
    y = p.matmul(v, w)
    part: Any = y[:, :3]
    array: Any = rows(3)
    wrong: list[tuple[Any, str]] = [
        (q.compile, "without outputs"),
        (lambda: q.add(v, v), "of another program"),
        (lambda: p.add(v, array), "expected a value of the program or a tensor"),
        (lambda: p.add(v, w), "expected an array, a tensor or a value of float32"),
        (lambda: p.add(v, p.input((2, K))), "cannot be broadcast"),
        (lambda: p.matmul(v, x), "which is none"),
        (lambda: p.matmul(p.input((3, 7)), w), r"expected x \(..., 64\)"),
        (lambda: p.rms_norm(v, eps=-1), "eps is -1"),
        (lambda: p.rms_norm(v.T), "rows are not contiguous"),
        (lambda: p.get_rows(x, v), "expected an array, a tensor or a value of int32"),
        (lambda: p.output(v), "is not the result of an op"),
        (lambda: p.output(part), "a part of a result"),
        (lambda: p.input((3, K), np.float64), "expected float32, float16, int32"),
        (lambda: p.value(w).T, "has no views"),
        (lambda: np.asarray(v), "has no content"),
    ]
    for use, message in wrong:
        with pytest.raises(ArgumentError, match=message):
            use()
    uses: dict[str, Callable[[], object]] = {
        r"p\.add\(x, y\)": lambda: v + v,  # type: ignore[operator]
        r"p\.sub\(x, y\)": lambda: 1.0 - v,  # type: ignore[operator]
        r"p\.mul\(x, y\)": lambda: rows(3) * v,
        r"p\.div\(x, y\)": lambda: v / 2.0,  # type: ignore[operator]
        r"p\.matmul\(x, w\)": lambda: v @ v,  # type: ignore[operator]
        r"p\.neg\(x\)": lambda: -v,  # type: ignore[operator]
    }
    for op, use in uses.items():
        with pytest.raises(OperandError, match=f"has no content before a run. Hint: write {op}"):
            use()
    p.output(y)
    with pytest.raises(ArgumentError, match="output already"):
        p.output(y.reshape(-1))
    with Device(device.name) as other, pytest.raises(ArgumentError, match="another device"):
        other.program().matmul(x, w)


def test_inputs_that_do_not_fit_are_refused(device: Device) -> None:
    program = one_product(device)
    x = device.tensor(rows(3))
    closed = device.tensor(rows(3))
    closed.close()
    wrong: list[tuple[tuple[Any, ...], type[Exception], str]] = [
        ((), ArgumentError, "has 1 inputs, not 0"),
        ((x, x), ArgumentError, "has 1 inputs, not 2"),
        ((rows(2),), ArgumentError, r"has the shape \(2, 64\): expected \(3, 64\)"),
        ((rows(3).astype(np.float64),), ArgumentError, "float64: expected float32"),
        ((device.tensor(np.ones((3, K), np.int32)),), ArgumentError, r"expected \(3, 64\) of float32"),
        ((device.weight(W),), ArgumentError, r"expected \(3, 64\) of float32"),
        ((closed,), ClosedError, "cannot be used"),
    ]
    for inputs, kind, message in wrong:
        with pytest.raises(kind, match=message):
            program(*inputs)
    with pytest.raises(ArgumentError, match="timeout"):
        program(x, timeout=-1)
    same_bits(program(x), product(rows(3)))
    device.close()
    with pytest.raises(ClosedError):
        program(rows(3))
    with pytest.raises(ClosedError):
        device.program()


def test_several_outputs_are_asked_for_by_run(device: Device) -> None:
    with device.program() as p:
        x = p.input((3, K))
        p.output(p.add(x, x), p.rms_norm(x))
    program = p.compile()
    with pytest.raises(ArgumentError, match="has 2 outputs"):
        program(rows(3))
    assert [y.shape for y in program.run(rows(3))] == [(3, K), (3, K)]
    assert isinstance(p, Builder)
    assert all(isinstance(y, Tensor) for y in program.run(rows(3)))


def test_ops_without_elements_have_nothing_to_compute(device: Device) -> None:
    with device.program() as p:
        x = p.input((0, K))
        p.output(p.matmul(p.add(x, x), device.weight(W)))
    (y,), report = p.compile().run_with_report(rows(0))
    assert (y.numpy().shape, report.ops, report.device) == ((0, N), (), device.name)


def test_a_fault_of_the_dsp_names_the_op_of_the_program(device: Device) -> None:
    ids = device.tensor(np.array([1, 99], np.int32))
    with device.program() as p:
        h = p.add(p.input((3, K)), p.input((3, K)))
        p.output(p.get_rows(h, ids))
    with pytest.raises(ProgramError, match=r"PHX_E_INDEX.*op 1 \(GET_ROWS\)"):
        p.compile()(rows(3), rows(3))


@pytest.mark.parametrize(("n", "is_shared"), [(256, False), (512, True)])
def test_threads_that_were_given_work_are_counted(engine: str, n: int, is_shared: bool) -> None:
    """A GEMV is partitioned in units of four tiles, 256 rows of the weight."""
    with Device(engine, threads=2) as device:
        with device.program() as p:
            w = device.weight(np.ones((n, K), np.float32))
            p.output(p.matmul(p.input((1, K)), w))
        _, report = p.compile().run_with_report(rows(1))
        assert (report.n_dispatches > 0) == is_shared
        assert report.n_signals <= 2 * report.n_dispatches  # wakes the worker, and the thread that waits for it
