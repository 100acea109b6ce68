# SPDX-License-Identifier: MIT
"""Lost sessions while other sessions live."""

from __future__ import annotations

import pytest
from conftest import Faults

from memory.models import MIB, chain, limited, mapped_bytes, same_bits, unlimited_bits
from pyhexagon import DeviceLostError, DspTimeoutError
from pyhexagon._ffi import loopback


@pytest.mark.parametrize("killed", [[0], [1], [2, 0], [0, 1, 2]], ids=str)
def test_reopen_brings_back_the_sessions_that_died(
    engine: str, transport: str, faults: Faults, killed: list[int]
) -> None:
    model = chain([6, 6, 6])
    want = unlimited_bits(model)
    with limited(engine, faults, transport=transport) as device:
        model.load(device)
        same_bits(model.run(device)[0], want)
        before = list(device._sessions)
        for at in killed:
            loopback.kill(faults.library, before[at].domain.effective_id)
        with pytest.raises(DeviceLostError):
            model.run(device)
        assert device.lost
        with pytest.raises(DeviceLostError):
            device.matmul(model.x, model.tensors[0])
        device.reopen()
        assert (device.lost, device.epoch) == ("", 2)
        for at, session in enumerate(before):
            assert (device._sessions[at] is session) == (at not in killed)
        got, report = model.run(device)
        same_bits(got, want)
        assert [op.session for op in report.ops] == [0, 1, 2]


def test_a_session_that_hangs_is_replaced(engine: str, transport: str, faults: Faults) -> None:
    model = chain([6, 6])
    want = unlimited_bits(model)
    with limited(engine, faults, transport=transport) as device:
        model.load(device)
        with device.program() as p:
            first = p.matmul(p.input(model.x.shape), model.tensors[0])
            p.output(first, p.matmul(first, model.tensors[1]))
        program = p.compile()
        same_bits([y.numpy() for y in program.run(model.x)], want)
        loopback.stall(faults.library, device._sessions[1].domain.effective_id, True)
        with pytest.raises(DspTimeoutError):
            program.run(model.x, timeout=0.3)
        device.reopen()
        same_bits([y.numpy() for y in program.run(model.x)], want)


def test_weights_closed_while_a_session_is_lost_are_given_back(engine: str, faults: Faults) -> None:
    model = chain([6, 6])
    with limited(engine, faults) as device:
        model.load(device)
        loopback.kill(faults.library, device._sessions[1].domain.effective_id)
        with pytest.raises(DeviceLostError):
            model.run(device)
        for w in model.tensors:
            w.close()
        device.reopen()
        assert max(mapped_bytes(device)) < MIB
        assert device.info().memory_bytes < MIB
