# SPDX-License-Identifier: MIT
"""Scenarios with Qualcomm's libcdsprpc over the bridge; test_chain.py runs them in a separate process.

    python scenarios.py NAME ...

Python starts once, for emulation makes that slow, and every scenario runs in a fork of it, made before the library is
loaded: the process starts afresh, and its exit (destructors of the library included) is part of the scenario. One line
of JSON each: the name, how the process ended, and what it wrote.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from doctor import boards

from pyhexagon import (
    Device,
    DeviceLostError,
    DeviceNotFoundError,
    DspMemoryError,
    DspTimeoutError,
    HexagonError,
    UnsupportedError,
    selftest,
)
from pyhexagon._ffi import remote
from pyhexagon._ffi.library import load
from pyhexagon.doctor import Doctor, Status
from pyhexagon.process.domains import MODULE_URI

DEADLINE: Final = 300.0  # of a scenario: emulated, and perhaps on a busy machine
EBADSTATE: Final = 0x8000040D
SCENARIOS: Final[dict[str, Callable[[], None]]] = {}

X: Final = np.arange(64, dtype=np.float32).reshape(2, 32)
W: Final = np.eye(4, 32, dtype=np.float32)


def scenario(function: Callable[[], None]) -> Callable[[], None]:
    SCENARIOS[function.__name__] = function
    return function


class Bridge:
    """The controls that bridge/device.c exports."""

    def __init__(self) -> None:
        self._preloaded = ctypes.CDLL(None)

    def fail(self, request: str, code: int = 0) -> None:
        """Requests of that name fail with the code from now on; 0: no more."""
        assert self._preloaded.bridge_fail(request.encode(), ctypes.c_int(code & 0xFFFFFFFF)) == 0

    @contextmanager
    def failing(self, request: str, code: int) -> Iterator[None]:
        self.fail(request, code)
        yield
        self.fail(request)

    def count(self, request: str) -> int:
        return int(self._preloaded.bridge_count(request.encode()))

    def kill(self) -> None:
        self._preloaded.bridge_kill()

    def stall(self, on: bool) -> None:
        self._preloaded.bridge_stall(int(on))


bridge = Bridge()


def product_is_right(device: Device) -> bool:
    with device.weight(W) as weight:
        return bool((np.asarray(device.matmul(X, weight)) == X @ W.T).all())


def bits_are_right(device: Device) -> bool:
    """A case of each op and type, against the recorded bits."""
    cases = {case[:2]: case for case in selftest.recorded()}
    outcomes = list(selftest.run(device, list(cases.values())))
    return len(outcomes) >= len(cases) and not any(outcome.problem for outcome in outcomes)


# --- What works ---


@scenario
def products_by_invoke() -> None:
    with Device(transport="invoke") as device:
        info = device.info()
        assert (info.loopback, info.arch, info.device) == (False, "v68", "cdsp")
        assert info.library.endswith("/libcdsprpc.so.1.0.0")
        assert bits_are_right(device)


@scenario
def products_by_dspqueue() -> None:
    with Device(transport="dspqueue") as device:
        assert device.info().transport == "dspqueue"
        assert bits_are_right(device)


@scenario
def either_transport_is_tried() -> None:
    with Device() as device:
        assert all(isinstance(figure, float) for figure in device.info().transports.values())
        assert product_is_right(device)


@scenario
def memory_is_mapped_and_unmapped() -> None:
    def mapped() -> int:
        return bridge.count("map") - bridge.count("unmap")

    with Device(transport="invoke") as device:
        x = np.ones((3, 512), np.float32)
        with device.weight(np.ones((64, 512), np.float32)) as weight:
            device.matmul(x, weight)  # its memory goes to the device's pool
        before = mapped()
        weights = [device.weight(np.ones((64, 512), np.float32)) for _ in range(20)]
        assert all((np.asarray(device.matmul(x, weight)) == 512).all() for weight in weights)
        assert mapped() == before + 20
        for weight in weights:
            weight.close()
        assert mapped() == before
    assert mapped() == 0


@scenario
def sessions_side_by_side() -> None:
    with Device(transport="dspqueue") as one:
        with Device(transport="invoke") as two, Device() as three:
            assert product_is_right(one)
            assert product_is_right(two)
            assert product_is_right(three)
            assert len({device._session.domain.effective_id for device in (one, two, three)}) == 3
        assert product_is_right(one)
        with Device() as four:
            assert product_is_right(four)


@scenario
def nothing_leaks() -> None:
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    counts = []
    for _ in range(4):
        with Device() as device:
            assert product_is_right(device)
        counts.append(opened())
    assert counts[1:] == counts[:-1], counts


@scenario
def a_program_may_end_with_a_device_open() -> None:
    device = Device(transport="dspqueue")
    assert product_is_right(device)
    globals()["kept"] = device


# --- Death ---


def dies_and_comes_back(transport: str) -> None:
    with Device(transport=transport) as device:
        weight = device.weight(W)
        for _ in range(2):
            bridge.kill()
            with pytest.raises(DeviceLostError):
                device.matmul(X, weight)
            with pytest.raises(DeviceLostError):
                device.matmul(X, weight)
            device.reopen()
            assert (np.asarray(device.matmul(X, weight)) == X @ W.T).all()
        bridge.kill()  # closed while lost
    with Device(transport=transport) as device:
        assert product_is_right(device)


@scenario
def death_by_invoke() -> None:
    dies_and_comes_back("invoke")


@scenario
def death_by_dspqueue() -> None:
    dies_and_comes_back("dspqueue")


def dies_under_a_call(transport: str) -> None:
    with Device(transport=transport) as device:
        weight = device.weight(W)
        device.matmul(X, weight)  # what it needs is mapped
        bridge.stall(True)
        killer = threading.Timer(1.0, bridge.kill)
        killer.start()
        started = time.monotonic()
        with pytest.raises(DeviceLostError):
            device.matmul(X, weight, timeout=60)
        assert time.monotonic() - started < 30
        killer.join()
        device.reopen()
        assert (np.asarray(device.matmul(X, weight)) == X @ W.T).all()


@scenario
def death_under_an_invoke() -> None:
    dies_under_a_call("invoke")


@scenario
def death_under_a_dspqueue_read() -> None:
    dies_under_a_call("dspqueue")


def hangs_and_comes_back(transport: str) -> None:
    with Device(transport=transport) as device:
        weight = device.weight(W)
        device.matmul(X, weight)
        bridge.stall(True)
        with pytest.raises(DspTimeoutError):
            device.matmul(X, weight, timeout=1)
        device.reopen()  # makes the old process fault, so that the call in it returns
        assert (np.asarray(device.matmul(X, weight)) == X @ W.T).all()


@scenario
def hang_by_invoke() -> None:
    hangs_and_comes_back("invoke")


@scenario
def hang_by_dspqueue() -> None:
    hangs_and_comes_back("dspqueue")


# --- What is refused ---


def queue_is_passed_over(*reason: str) -> None:
    with Device() as device:
        told = device.info().transports["dspqueue"]
        assert isinstance(told, str)
        assert all(part in told for part in reason), told
        assert device.info().transport == "invoke"
        assert product_is_right(device)
    with pytest.raises(UnsupportedError, match="transport dspqueue does not work"):
        Device(transport="dspqueue")
    with Device(transport="invoke") as device:
        assert product_is_right(device)


@scenario
def a_queue_that_the_skel_may_not_import() -> None:
    os.environ["PYHEXAGON_LOOPBACK"] = "dspqueue_import=0x80000414"
    queue_is_passed_over("the DSP refused it (dspqueue_import)", "0x80000414")


@scenario
def a_queue_that_the_dsp_does_not_make() -> None:
    with bridge.failing("create_queue", 0x8000040E):
        queue_is_passed_over("dspqueue_create", "0x8000040e")
    with Device(transport="dspqueue") as device:
        assert product_is_right(device)


@scenario
def no_right_to_open_the_node() -> None:
    with bridge.failing("open", errno.EACCES):
        with pytest.raises(DeviceNotFoundError, match="no permission to open /dev/fastrpc-cdsp"):
            Device()
        library = load()  # past our own check, as a security policy would refuse it
        with pytest.raises(DeviceNotFoundError) as refused:
            remote.handle64_open(library, f"{MODULE_URI}&_dom=cdsp")
        assert refused.value.code == 0x72
    with Device() as device:
        assert product_is_right(device)


@scenario
def no_process_on_the_dsp() -> None:
    for number in (errno.EPERM, errno.ENOMEM, errno.EIO, errno.ECONNRESET):
        with bridge.failing("create", number), pytest.raises(HexagonError) as refused:
            Device()
        assert refused.value.call == "remote_handle64_open", refused.value
    with Device() as device:
        assert product_is_right(device)


@scenario
def an_invoke_with_an_io_error() -> None:
    with Device(transport="invoke") as device:
        weight = device.weight(W)
        with bridge.failing("invoke", errno.EIO), pytest.raises(HexagonError) as refused:
            device.matmul(X, weight)
        assert refused.value.call == "remote_handle64_invoke", refused.value
        assert (np.asarray(device.matmul(X, weight)) == X @ W.T).all()


@scenario
def no_heap() -> None:
    bridge.fail("heap", errno.ENOENT)  # then memory comes from the FastRPC node
    with Device() as device:
        assert product_is_right(device)
        assert bridge.count("alloc") > 0


@scenario
def no_memory() -> None:
    with Device(transport="invoke") as device:
        assert product_is_right(device)
        with bridge.failing("alloc", errno.ENOMEM), pytest.raises(DspMemoryError, match="rpcmem_alloc"):
            device.weight(np.ones((64, 512), np.float32))
        assert product_is_right(device)
    with bridge.failing("alloc", errno.ENOMEM), pytest.raises(DspMemoryError):
        Device(transport="invoke")
    with Device() as device:
        assert product_is_right(device)


@scenario
def a_mapping_that_the_kernel_refuses() -> None:
    with Device(transport="invoke") as device:
        assert product_is_right(device)
        with bridge.failing("map", errno.ENOMEM), pytest.raises(DspMemoryError, match="fastrpc_mmap: AEE_EFAILED"):
            device.weight(np.ones((64, 512), np.float32))
        assert product_is_right(device)


@scenario
def an_unmapping_that_the_kernel_refuses() -> None:
    with Device(transport="invoke") as device:
        weight = device.weight(np.ones((64, 512), np.float32))
        with bridge.failing("unmap", errno.EINVAL):
            weight.close()  # the memory is kept until the session ends
        assert product_is_right(device)


@scenario
def doctor_warns_of_the_queue_and_finds_nothing_else() -> None:
    os.environ["PYHEXAGON_LOOPBACK"] = "dspqueue_import=0x80000414"
    with tempfile.TemporaryDirectory() as folder:
        board = boards.healthy(Path(folder)).board()  # what the library does not look at: firmware, device tree
        results = Doctor("cdsp", board, deadline=DEADLINE).run().results
    found = {result.name: (result.status, result.finding) for result in results}
    status, finding = found.pop("echo-dspqueue")
    assert (status, "the DSP refused it (dspqueue_import)" in finding) == (Status.WARNING, True), finding
    assert {status for status, _ in found.values()} == {Status.OK}, found


# --- Running them ---


def run(name: str) -> dict[str, object]:
    with tempfile.TemporaryFile("w+") as output:
        started = time.monotonic()
        process = os.fork()
        if process == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            SCENARIOS[name]()
            sys.exit()
        status = None
        while status is None:
            ended, code = os.waitpid(process, os.WNOHANG)
            if ended:
                status = os.waitstatus_to_exitcode(code)
            elif time.monotonic() - started > DEADLINE:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                break
            else:
                time.sleep(0.02)
        output.seek(0)
        return {
            "name": name, "status": status, "output": output.read(), "seconds": time.monotonic() - started,
        }  # fmt: skip


def main() -> None:
    for name in sys.argv[1:]:
        result = run(name)
        sys.stdout.write(json.dumps(result) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
