# SPDX-License-Identifier: MIT
"""The workspace of the skel: the self test on a heap that does not grow, requests that go on in a larger workspace."""

from __future__ import annotations

import json
import logging

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import Device, cli, selftest
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.errors import HexagonError

HEAP = 262_144
ROWS, K = 3000, 2048
RNG = np.random.default_rng(3)
X = RNG.standard_normal((ROWS, K), dtype=np.float32)
W = RNG.standard_normal((64, K), dtype=np.float32)


def test_the_self_test_needs_a_heap_of_256_kib(faults: Faults) -> None:
    faults.set("heap", HEAP)
    with Device("loopback") as device:
        assert [outcome.problem for outcome in selftest.run(device, selftest.recorded()) if outcome.problem] == []


def test_a_request_goes_on_with_the_op_that_lacked_memory(engine: str, caplog: pytest.LogCaptureFixture) -> None:
    """The first ops add to a state, so a second run of them would change the result. Nobody is warned."""
    with Device(engine) as device, device.weight(W) as w, device.tensor(X) as x, device.tensor(X) as state:
        ids = device.tensor(np.arange(ROWS, dtype=np.int32))
        with device.program() as p:
            new = p.set_rows(state, p.add(state, x), ids)
            p.output(p.matmul(new, w))
        program = p.compile()
        before = device.info()
        (y,), report = program.run_with_report()
        after = device.info()
        assert np.array_equal(state.numpy(), 2 * X)
        assert [op.op for op in report.ops] == ["add", "set_rows", "mul_mat"]
        assert after.workspace_bytes > before.workspace_bytes
        assert after.n_requests - before.n_requests == 2
        assert np.array_equal(y.numpy(), np.array(device.matmul(2 * X, w)))
        requests = device.info().n_requests
        (y,), _ = program.run_with_report()
        assert device.info().n_requests == requests + 1
        assert np.array_equal(y.numpy(), np.array(device.matmul(3 * X, w)))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_close_and_reopen_leave_no_memory(engine: str, faults: Faults) -> None:
    with Device(engine) as device, device.weight(W) as w:
        np.array(device.matmul(X, w))
        faults.kill(device)
        with pytest.raises(HexagonError):
            device.matmul(X, w)
        device.reopen()
        np.array(device.matmul(X, w))
        other = Device(engine)
        other.close()
    assert faults.count("rpcmem_free") == faults.count("rpcmem_alloc2") > 0
    assert faults.count("fastrpc_munmap") == faults.count("fastrpc_mmap") > 0


def test_no_request_reaches_the_workspace(engine: str) -> None:
    with Device(engine) as device:
        session = device._session
        stub, (region,) = session.opened.stub, session.opened.workspace
        for method in (stub.map_buffer, stub.add_workspace):
            with pytest.raises(HexagonError, match="AEE_EALREADY"):
                session._call(10.0, method, region.fd, region.size)
        with pytest.raises(HexagonError):
            session._call(10.0, stub.unmap_buffer, region.fd)
        assert isinstance(region, SharedMemory)


def test_info_prints_the_workspace(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["info", "--device", "loopback"]) == 0
    assert "of them are the workspace" in capsys.readouterr().out
    assert cli.main(["info", "--device", "loopback", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["workspace_bytes"] == [4 << 20]
