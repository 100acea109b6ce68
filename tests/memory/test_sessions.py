# SPDX-License-Identifier: MIT
"""Models larger than one DSP process can map: spread over sessions, with the bits of one session."""

from __future__ import annotations

import gc
import logging
import re
from pathlib import Path

import numpy as np
import pytest
import trace_format
import weights
from conftest import Faults, check_settled, settled
from gguf import GGMLQuantizationType as Q

from memory.models import F32, LIMIT, MIB, Model, chain, limited, mapped_bytes, same_bits, unlimited_bits
from pyhexagon import ArgumentError, Device, DspMemoryError
from pyhexagon._ffi import loopback


@pytest.mark.parametrize("n_sessions", [2, 3, 4])
def test_a_model_that_needs_several_sessions_gives_the_bits_of_one(
    engine: str, transport: str, faults: Faults, n_sessions: int
) -> None:
    model = chain([3, 3] * n_sessions)
    want = unlimited_bits(model)
    with limited(engine, faults, transport=transport) as device:
        model.load(device)
        assert len(device.info().sessions) == n_sessions
        assert all(3 * MIB < mapped <= LIMIT for mapped in mapped_bytes(device))
        for _ in range(2):
            got, report = model.run(device)
            same_bits(got, want)
        assert sorted({op.session for op in report.ops}) == list(range(n_sessions))
        assert [op.op for op in report.ops] == ["mul_mat"] * len(model.tensors)
        assert report.transport == transport


def test_one_session_is_all_that_a_model_that_fits_takes(engine: str, faults: Faults) -> None:
    model = chain([3, 3])
    with limited(engine, faults) as device:
        model.load(device)
        assert len(device.info().sessions) == 1


@pytest.mark.parametrize("n", [40_000, 40_001])
def test_a_weight_larger_than_a_session_is_split_by_rows(engine: str, transport: str, faults: Faults, n: int) -> None:
    rng = np.random.default_rng(n)
    raw = weights.random_bytes(Q.Q8_0, n, 512, rng)
    model = Model([(Q.Q8_0, raw, n, 512)], rng.standard_normal((3, 512), dtype=np.float32))
    want = unlimited_bits(model)
    with limited(engine, faults, transport=transport) as device:
        model.load(device)
        (w,) = model.tensors
        assert w.nbytes > 2 * LIMIT
        got, report = model.run(device)
        same_bits(got, want)
        np.testing.assert_array_equal(w @ model.x[0], got[0][0])
        ran = [op.session for op in report.ops]
        assert len(set(ran)) > 2
        assert ran == sorted(ran), "one message to each session"
        w.close()
        assert max(mapped_bytes(device)) < 2 * MIB, "every part is given back"


def test_a_weight_of_many_matrices_is_split_by_the_rows_of_each(engine: str, transport: str, faults: Faults) -> None:
    rng = np.random.default_rng(1)
    shape = 3, 7_001, 512
    raw = weights.random_bytes(Q.Q8_0, shape[0] * shape[1], shape[2], rng)
    x = rng.standard_normal((6, 2, 512), dtype=np.float32)
    ids = np.array([[2, 0], [1, 1], [0, 2]])

    def products(device: Device) -> list[F32]:
        with device.pack(Q.Q8_0, raw, shape) as w:
            assert w.nbytes > LIMIT
            return [np.array(device.matmul(x, w)), np.array(device.mul_mat_id(x[:3], w, ids))]

    with Device("loopback", max_sessions=1) as device:
        want = products(device)
    with limited(engine, faults, transport=transport) as device:
        same_bits(products(device), want)


def test_a_batch_may_go_to_and_fro_between_sessions(engine: str, transport: str, faults: Faults) -> None:
    model = chain([3, 3, 3, 3])
    want = unlimited_bits(model)
    for order, sessions in (([0, 3, 2, 1], [0, 1, 1, 0]), ([2, 0, 3, 1], [0, 1, 0, 1])):
        with limited(engine, faults, transport=transport) as device:
            loaded = {}
            for at in order:
                dtype, raw, n, k = model.raws[at]
                loaded[at] = device.pack(dtype, raw.reshape(n, -1), (n, k))
            model.tensors = [loaded[at] for at in range(4)]
            got, report = model.run(device)
            same_bits(got, want)
            assert [op.session for op in report.ops] == sessions


def test_results_of_one_batch_are_read_by_another_in_another_session(engine: str, faults: Faults) -> None:
    model = chain([3, 3, 3, 3])
    want = unlimited_bits(model)
    with limited(engine, faults) as device:
        model.load(device)
        for _ in range(3):
            y = device.matmul(model.x, model.tensors[0])
            for w, bits in zip(model.tensors[1:], want[1:], strict=True):
                y = device.matmul(y, w)
                same_bits([y.numpy()], [bits])


@pytest.mark.parametrize("max_sessions", [0, 5, -1])
def test_a_number_of_sessions_that_no_process_has_is_refused(max_sessions: int) -> None:
    with pytest.raises(ArgumentError, match="expected a whole number, 1 to 4"):
        Device("loopback", max_sessions=max_sessions)


def test_two_devices_share_the_sessions_of_the_process(engine: str, faults: Faults) -> None:
    model, other = chain([6, 6, 6]), chain([6, 6])
    want = unlimited_bits(other)
    with limited(engine, faults) as one, Device(engine) as two:
        model.load(one)
        assert len(one.info().sessions) == 3
        with pytest.raises(DspMemoryError, match=r"session 0 has .* cannot be opened: .*in use") as caught:
            other.load(two)
        assert "1 of at most 4 sessions" in str(caught.value)
        assert len(two.info().sessions) == 1
        one.close()
        other.load(two)
        assert len(two.info().sessions) == 2
        same_bits(other.run(two)[0], want)


def test_calls_are_closed_in_order_in_every_session(engine: str, faults: Faults) -> None:
    model = chain([6, 6, 6, 6])
    with limited(engine, faults, transport="dspqueue") as device:
        model.load(device)
        model.run(device)
        domains = [session.domain.effective_id for session in device._sessions]
    assert sorted(domains) == [3, 11, 19, 27]
    log = "\n".join(loopback.calls(faults.library))
    calls = re.findall("dspqueue_close|remote_handle64_close|fastrpc_munmap", log)
    ends = "".join({"d": "q", "f": "m", "r": "h"}[call[0]] for call in calls)
    assert re.fullmatch(r"m*(qm+h){4}", ends), ends


def test_a_hundred_devices_of_four_sessions_leak_nothing(engine: str, faults: Faults) -> None:
    model = Model(chain([1]).raws * 4, chain([1]).x)

    def cycle(count: int) -> None:
        for _ in range(count):
            with limited(engine, faults, MIB * 5 // 4) as device:
                model.tensors = [device.pack(dtype, raw.reshape(n, -1), (n, k)) for dtype, raw, n, k in model.raws]
                y = device.matmul(model.x, model.tensors[3])
                assert len(device.info().sessions) == 4
                del y
        model.tensors.clear()
        gc.collect()

    cycle(2)
    before = settled()
    cycle(100 if engine == "loopback" else 8)
    check_settled(before)


def test_a_trace_and_the_logs_tell_the_sessions_apart(
    engine: str, faults: Faults, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pyhexagon.dsp")
    model = chain([5, 5])
    with limited(engine, faults, log_level="info") as device:
        model.load(device)
        with device.trace(tmp_path / "trace.json"):
            _, report = model.run(device)
    timeline = trace_format.read(tmp_path / "trace.json")
    ops = [one for (_, name), track in timeline.dsp().items() if name == "requests and ops" for one in track]
    packets = [one.args["packets"] for one in ops if one.name == "mul_mat"]
    assert packets == [op.packets for op in report.ops]
    assert len(timeline.about["dsp_clocks"]) == 2
    sent = sorted(timeline.host("transport"), key=lambda one: one.start)
    taken = sorted((one for one in ops if one.name == "request"), key=lambda one: one.start)
    assert all(outer.holds(inner) for outer, inner in zip(sent, taken, strict=True))
    started = [record for record in caplog.records if record.getMessage().startswith("started: ")]
    assert [vars(record)["dsp_session"] for record in started] == [0, 1]
