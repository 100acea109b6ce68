# SPDX-License-Identifier: MIT
"""Debugging switches: other kernels for some ops, one op per request, a line per op. All are reported."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from pyhexagon import ArgumentError, Device, Program, Stages, Switches
from pyhexagon.bench.timed import TimedTransport
from pyhexagon.process.transport import Area
from pyhexagon.program import switches as switches_of

X = np.linspace(-2, 3, 4 * 64, dtype=np.float32).reshape(4, 64)


@pytest.fixture(scope="module")
def device(qemu: str) -> Iterator[Device]:
    with Device("loopback:qemu", transport="invoke", switches=Switches()) as device:
        yield device


@pytest.fixture
def program(device: Device) -> Iterator[Program]:
    """Build a program with ADD, MUL_MAT, SOFT_MAX."""
    weight = device.weight(np.eye(96, 64, dtype=np.float32))
    p = device.program()
    x = p.input(X.shape)
    p.output(p.soft_max(p.matmul(p.add(x, x), weight)))
    yield p.compile()
    device.switches = Switches()
    weight.close()


class Counted(TimedTransport):
    """Counts requests."""

    n = 0

    def run(self, area: Area, batch_size: int, response_size: int, sequence: int, timeout: float) -> None:
        self.n += 1
        super().run(area, batch_size, response_size, sequence, timeout)


def test_chosen_ops_use_the_portable_kernels_and_the_report_tells(device: Device, program: Program) -> None:
    (usual,), report = program.run_with_report(X)
    before = np.array(usual)
    assert [op.kernels for op in report.ops] == ["hvx"] * 3
    assert (report.switches, device.info().switches) == ({}, {})
    device.switches = Switches(ref_ops="SOFT|^add$")
    (y,), report = program.run_with_report(X)
    assert [op.kernels for op in report.ops] == ["ref", "hvx", "ref"]
    assert report.switches == device.info().switches == {"ref_ops": "SOFT|^add$"}
    np.testing.assert_array_equal(np.array(y), before)
    device.switches = Switches()
    assert [op.kernels for op in program.run_with_report(X)[1].ops] == ["hvx"] * 3


def test_one_op_a_request(device: Device, program: Program) -> None:
    before = np.array(program(X))
    for switches, n in ((Switches(), 1), (Switches(sync=True), 3)):
        device.switches = switches
        counted = Counted(device._session)
        with counted:
            y = program(X)
        assert counted.n == n
        np.testing.assert_array_equal(np.array(y), before)


def test_a_line_an_op(device: Device, program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    program(X)
    assert capsys.readouterr().err == ""
    device.switches = Switches(ref_ops="mul_mat", verbose=True)
    program(X)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("0 ADD F32 1x1x4x64 (1024x1024x256x4), F32 1x1x4x64 (1024x1024x256x4) -> F32 1x1x4x64 (")
    assert re.fullmatch(r"1 MUL_MAT F32 1x1x96x64 \(packed\), F32 .* -> F32 1x1x4x96 \(.*\) ref session 0", lines[1])
    assert lines[2].endswith("hvx session 0")
    assert len(lines) == 3


def test_no_rule_joins_ops_while_a_switch_is_on(device: Device) -> None:
    one, other = (device.weight(np.full((70, 64), n, np.float32)) for n in (1, 2))
    p = device.program()
    x = p.input(X.shape)
    p.output(p.add(p.matmul(x, one), p.matmul(x, other)))
    program = p.compile()
    before, report = program.run_with_report(X)
    want = np.array(before[0])
    assert any(op.fused for op in report.ops)
    for switches in (Switches(sync=True), Switches(ref_ops="add")):
        device.switches = switches
        (y,), report = program.run_with_report(X)
        assert not any(op.fused for op in report.ops)
        np.testing.assert_array_equal(np.array(y), want)
    device.switches = Switches()


def test_stages_that_are_left_out_do_no_work(device: Device, program: Program) -> None:
    want, usual = (np.array(y) for y in (program(X), program.run_with_report(X)[0][0]))

    def packets(stages: int) -> list[int]:
        device.switches = Switches(stages=Stages(stages))
        report = program.run_with_report(X)[1]
        assert report.switches == device.info().switches == {"stages": stages}
        other = "hvx" if stages & Stages.COMPUTE else "none"
        assert [op.kernels for op in report.ops] == [other, "hvx", other]
        return [op.packets or 0 for op in report.ops]

    neither, quantised = packets(Stages.QUEUE), packets(Stages.QUEUE | Stages.QUANTISE)
    multiplied = packets(Stages.QUEUE | Stages.COMPUTE)
    device.switches = Switches()
    everything = [op.packets or 0 for op in program.run_with_report(X)[1].ops]
    assert neither[0] == quantised[0] < everything[0] == multiplied[0]
    assert neither[1] < quantised[1] < everything[1]
    assert neither[1] < multiplied[1] < everything[1]
    np.testing.assert_array_equal(usual, want)
    np.testing.assert_array_equal(np.array(program(X)), want)


def test_products_of_what_was_not_quantised_are_zeros(device: Device) -> None:
    weight = device.weight(np.full((96, 64), 3, np.float32))
    for kernels in ("", "."):
        device.switches = Switches(ref_ops=kernels, stages=Stages.QUEUE | Stages.COMPUTE)
        assert not np.array(device.matmul(X, weight)).any()
    device.switches = Switches()
    assert np.array(device.matmul(X, weight)).all()
    weight.close()


@pytest.mark.parametrize(("n", "k", "dtype"), [(49, 512, "Q8_0"), (64, 2048, "Q4_0"), (512, 512, "Q8_0")])
def test_products_that_are_not_computed_leave_what_was_there(device: Device, n: int, k: int, dtype: str) -> None:
    """Including threads that share tiles along K."""
    weight, x = device.weight(np.ones((n, k), np.float32), dtype=dtype), np.ones((9, k), np.float32)
    was_there = np.full((9, n), 7, np.float32)
    try:
        for stages in (Stages.QUEUE, Stages.QUEUE | Stages.QUANTISE):
            device.switches = Switches(stages=stages)
            y = device.matmul(x, weight, out=device.tensor(was_there))
            np.testing.assert_array_equal(y.numpy(), was_there)
    finally:
        device.switches = Switches()


def test_what_is_not_queued_is_not_sent(device: Device, program: Program) -> None:
    for stages, n in ((Stages.ALL, 1), (Stages.ALL & ~Stages.QUEUE, 0)):
        device.switches = Switches(stages=stages)
        counted = Counted(device._session)
        with counted:
            program(X)
            _, report = program.run_with_report(X)
        assert (counted.n, len(report.ops)) == (2 * n, 3 * n)
        assert report.switches == device.info().switches
    device.switches = Switches()
    np.testing.assert_array_equal(np.array(program(X)), np.array(program(X)))


def test_the_environment_sets_them_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_REF_OPS", "rope")
    monkeypatch.setenv("PYHEXAGON_SYNC", "1")
    with pytest.warns(RuntimeWarning, match="the environment sets .*'ref_ops': 'rope'"):
        device = Device("loopback", transport="invoke")
    with device:
        assert device.info().switches == {"ref_ops": "rope", "sync": True}
    with Device("loopback", transport="invoke", switches=Switches()) as device:
        assert device.info().switches == {}


def test_what_makes_no_sense_is_refused(device: Device) -> None:
    with pytest.raises(ArgumentError, match="not a regular expression"):
        Device("loopback", switches=Switches(ref_ops="("))
    with pytest.raises(ArgumentError, match="not a regular expression"):
        device.switches = Switches(ref_ops="[")
    with pytest.raises(ArgumentError, match="expected bits of Stages"):
        device.switches = Switches(stages=Stages(0) | 8)
    for text in ("8", "quantise", "-1"):
        with pytest.raises(ArgumentError, match="PYHEXAGON_STAGES"):
            switches_of.from_environment({"PYHEXAGON_STAGES": text})
    assert switches_of.from_environment({"PYHEXAGON_STAGES": "3"}).on == {"stages": Stages.QUEUE | Stages.QUANTISE}
    with pytest.raises(ArgumentError, match="PYHEXAGON_VERBOSE"):
        switches_of.from_environment({"PYHEXAGON_VERBOSE": "perhaps"})
    assert switches_of.from_environment({"PYHEXAGON_VERBOSE": "0", "PYHEXAGON_SYNC": ""}) == Switches()
