# SPDX-License-Identifier: MIT
"""Opening a device: its properties, typed errors, and the limits per process."""

from __future__ import annotations

import gc
import os
import re
import shutil
import struct
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import needs
import numpy as np
import pytest
from conftest import TRANSPORTS, Faults, check_settled, settled
from holdings import Heap

from pyhexagon import (
    ArgumentError,
    ClosedError,
    ContractError,
    Device,
    DeviceLostError,
    DeviceNotFoundError,
    HexagonError,
    SkelLoadError,
    UnsupportedError,
)
from pyhexagon._ffi import contract, loopback
from pyhexagon._ffi.library import Library
from pyhexagon.process import locate, resources
from pyhexagon.process.transport.queue import QueueTransport

X = np.ones((2, 32), np.float32)
W = np.ones((4, 32), np.float32)


def product(device: Device) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return device.matmul(X, device.weight(W)).numpy()


# --- What is opened ---


def test_info_tells_what_the_device_is(device: Device, engine: str, transport: str) -> None:
    info = device.info()
    assert info.device == engine
    assert info.loopback
    assert info.transport == transport
    assert info.contract_version == contract.VERSION
    assert 1 <= info.threads <= contract.MAX_THREADS
    assert set(info.transports) == set(TRANSPORTS)
    assert isinstance(info.transports[transport], float)
    assert repr(device) == f"<Device {engine} {transport}, {info.threads} threads>"


def test_the_faster_transport_is_chosen(engine: str) -> None:
    with Device(engine) as device:
        info = device.info()
        figures = {name: figure for name, figure in info.transports.items() if isinstance(figure, float)}
        assert set(figures) == set(TRANSPORTS)
        assert figures[info.transport] == min(figures.values())


@pytest.mark.parametrize("option", ["dspqueue", "dspqueue_echo"])
def test_a_queue_that_does_not_work_is_passed_over_with_the_reason(engine: str, faults: Faults, option: str) -> None:
    faults.set(option, 0)
    with Device(engine) as device:
        info = device.info()
        assert info.transport == "invoke"
        assert isinstance(info.transports["dspqueue"], str)
        assert re.search("dspqueue_create|dspqueue_read", info.transports["dspqueue"])
        assert (product(device) == 32).all()
    with pytest.raises(UnsupportedError, match="transport dspqueue does not work"):
        Device(engine, transport="dspqueue")


@pytest.mark.parametrize("code", [0x2E, 0x68, 0x8000040D, 0x8000040E, 0x80000414, 0x80000442])
def test_a_queue_that_the_dsp_refuses_is_passed_over_with_the_code(engine: str, faults: Faults, code: int) -> None:
    """The CPU's side of the queue works; the DSP's import fails with any code, including those of a death."""
    faults.set("dspqueue_import", code)
    with Device(engine, threads=2) as device:
        info = device.info()
        assert (info.transport, info.threads) == ("invoke", 2)
        reason = info.transports["dspqueue"]
        assert isinstance(reason, str)
        assert reason.startswith("the DSP refused it (dspqueue_import): ")
        assert reason.endswith(f" (0x{code:x})")
        assert (product(device) == 32).all()
        faults.kill(device)
        device.reopen()  # refused again
        assert (device.info().transport, (product(device) == 32).all()) == ("invoke", True)
    with pytest.raises(UnsupportedError, match="transport dspqueue does not work: the DSP refused it"):
        Device(engine, transport="dspqueue")
    with Device(engine, transport="invoke") as device:
        assert (product(device) == 32).all()
    faults.set("dspqueue_import", 0)
    with Device(engine, transport="dspqueue") as device:
        assert (product(device) == 32).all()


def test_a_death_when_the_queue_is_imported_is_a_loss(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(library: Library, domain: int) -> QueueTransport:
        queue = QueueTransport(library, domain)
        loopback.kill(library, domain)
        return queue

    monkeypatch.setattr(resources, "QueueTransport", dies)
    with pytest.raises(DeviceLostError):
        Device(engine)
    monkeypatch.undo()
    with Device(engine) as device:
        assert (product(device) == 32).all()


def test_the_number_of_threads_can_be_chosen(engine: str) -> None:
    with Device(engine, threads=2) as device:
        assert device.info().threads == 2
        assert (product(device) == 32).all()


def test_ref_kernels_can_be_asked_for(engine: str) -> None:
    with Device(engine, kernels="ref") as device, device.program() as p:
        p.output(p.matmul(p.input(X.shape), device.weight(W)))
        program = p.compile()
        assert program.run_with_report(X)[1].ops[0].kernels == "ref"
        device.kernels = "hvx"
        assert program.run_with_report(X)[1].ops[0].kernels == ("cpu" if engine == "loopback" else "hvx")


@pytest.mark.parametrize(
    "options",
    [
        {"name": "gpu"},
        {"transport": "tcp"},
        {"kernels": "avx"},
        {"threads": -1},
        {"threads": 99},
        {"threads": 1.5},
        {"threads": "2"},
        {"latency_us": -1},
        {"latency_us": 0.5},
        {"dcfetch": 1},
        {"dcfetch": "on"},
        {"max_sessions": 5},
        {"max_sessions": None},
        {"timeout": 0},
        {"timeout": np.nan},
        {"timeout": "5"},
        {"timeout": None},
    ],
    ids=str,
)
def test_options_without_a_meaning_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ArgumentError, match="expected"):
        Device(**{"name": "loopback", **options})  # type: ignore[arg-type]


def test_a_process_has_four_sessions(engine: str, faults: Faults) -> None:
    devices = [Device(engine, transport="invoke") for _ in range(4)]
    with pytest.raises(HexagonError, match="every session of this process is in use"):
        Device(engine)
    faults.fail("remote_session_control", 0x14)
    with pytest.raises(UnsupportedError, match="FASTRPC_RESERVE_NEW_SESSION"):
        Device(engine)
    for device in devices:
        assert (product(device) == 32).all()
        device.close()
    with Device(engine) as device:
        assert (product(device) == 32).all()


def test_the_search_path_is_put_back(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADSP_LIBRARY_PATH", "/nowhere;/else")
    monkeypatch.delenv("DSP_LIBRARY_PATH", raising=False)
    Device(engine).close()
    assert os.environ["ADSP_LIBRARY_PATH"] == "/nowhere;/else"
    monkeypatch.delenv("ADSP_LIBRARY_PATH")
    Device(engine).close()
    assert "ADSP_LIBRARY_PATH" not in os.environ
    monkeypatch.setenv("DSP_LIBRARY_PATH", "/nowhere")
    Device(engine).close()
    assert os.environ["DSP_LIBRARY_PATH"] == "/nowhere"


# --- What is not there ---


def test_without_a_dsp_the_error_says_what_is_missing_and_names_the_cpu() -> None:
    needs.require("no DSP")
    script = "import pyhexagon; pyhexagon.Device()"
    environment = {**os.environ, "PYHEXAGON_DEVICE": ""}
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 1
    assert "DeviceNotFoundError" in run.stderr
    assert 'Device("cpu")' in run.stderr


def test_the_environment_may_name_the_device(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_DEVICE", engine)
    with Device() as device:
        assert device.name == engine


@pytest.mark.parametrize("variable", ["PYHEXAGON_DEVICE", "PYHEXAGON_LOG"])
def test_the_environment_is_named_where_it_is_wrong(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYHEXAGON_DEVICE", "loopback")
    monkeypatch.setenv(variable, "nonsense")
    with pytest.raises(ArgumentError, match=rf"'nonsense' \({variable} of the environment\)"):
        Device()
    with pytest.raises(ArgumentError, match="'other':"):
        Device("loopback", log_level="other") if "LOG" in variable else Device("other")


def test_absent_nodes_are_told_from_forbidden_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "DEVICE_FOLDER", tmp_path)
    with pytest.raises(DeviceNotFoundError, match=r"neither .* exists"):
        locate.check_device_nodes()
    (tmp_path / "fastrpc-cdsp").touch(mode=0o640)
    locate.check_device_nodes()
    monkeypatch.setattr(os, "access", lambda *_: False)
    for uid in (os.geteuid(), 1 << 30):  # the other one has no name, as in some containers
        monkeypatch.setattr(os, "geteuid", lambda uid=uid: uid)
        with pytest.raises(DeviceNotFoundError, match=r"no permission .*mode 0640.*usermod -aG"):
            locate.check_device_nodes()


def test_the_states_of_the_remote_processors_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locate, "DEVICE_FOLDER", tmp_path)
    monkeypatch.setattr(locate, "REMOTEPROC", tmp_path)
    (tmp_path / "remoteproc1").mkdir()
    (tmp_path / "remoteproc1" / "name").write_text("cdsp\n")
    (tmp_path / "remoteproc1" / "state").write_text("offline\n")
    with pytest.raises(DeviceNotFoundError, match="cdsp is offline"):
        locate.check_device_nodes()


def test_a_missing_library_is_named(tmp_path: Path) -> None:
    with pytest.raises(HexagonError, match="libnone"):
        Device("loopback", library=tmp_path / "libnone.so")


# --- Skels that do not fit ---


@pytest.fixture
def lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy pyhexagon/lib, so that tests can damage it."""
    for folder in (f"host/{locate.cpu_level()}", "v68"):
        (tmp_path / folder).mkdir(parents=True)
        source = locate.installed(f"{folder}/{locate.SKEL_FILE}")
        if source.exists():
            shutil.copy(source, tmp_path / folder)
    (tmp_path / "libcdsprpc.so.1").symlink_to(locate.installed("libcdsprpc.so.1").resolve())
    monkeypatch.setenv("PYHEXAGON_LIB", str(tmp_path))
    return tmp_path


def skel_of(engine: str) -> str:
    return f"{'v68' if engine.endswith('qemu') else f'host/{locate.cpu_level()}'}/{locate.SKEL_FILE}"


def test_a_missing_skel_is_named(engine: str, lib: Path) -> None:
    (lib / skel_of(engine)).unlink()
    with pytest.raises(SkelLoadError, match=rf"{locate.SKEL_FILE}: No such file.*Hint"):
        Device(engine)


@pytest.mark.parametrize("content", [b"", b"text" * 100, b"\x7fELF"])
def test_a_skel_that_is_no_elf_file_is_refused(engine: str, lib: Path, content: bytes) -> None:
    (lib / skel_of(engine)).write_bytes(content)
    with pytest.raises(SkelLoadError, match="not an ELF file"):
        Device(engine)


def patch(path: Path, offset: int, layout: str, value: int) -> None:
    data = bytearray(path.read_bytes())
    struct.pack_into(layout, data, offset, value)
    path.write_bytes(data)


def test_a_skel_of_another_machine_is_refused_before_the_dsp_sees_it(engine: str, lib: Path, faults: Faults) -> None:
    before = faults.count("remote_handle64_open")
    patch(lib / skel_of(engine), 18, "<H", 8)
    with pytest.raises(ContractError, match="ELF machine 8"):
        Device(engine)
    assert faults.count("remote_handle64_open") == before


def test_a_skel_for_a_newer_hexagon_is_refused(tmp_path: Path) -> None:
    skel = tmp_path / locate.SKEL_FILE
    skel.write_bytes(b"\x7fELF" + bytes(60))
    patch(skel, 18, "<H", locate.EM_HEXAGON)
    patch(skel, 36, "<I", 0x73)
    target = locate.Target("cdsp", None, skel, locate.EM_HEXAGON)
    locate.check_skel(target)
    locate.check_skel(target, 0x75)
    with pytest.raises(ContractError, match=r"v73, this DSP is v68"):
        locate.check_skel(target, 0x68)


def test_what_the_loader_misses_is_named(engine: str, lib: Path) -> None:
    skel = lib / skel_of(engine)
    skel.write_bytes(skel.read_bytes().replace(b"\0qurt_mutex_init\0", b"\0qurt_mutex_knit\0"))
    with pytest.raises(SkelLoadError, match=r"undefined symbol.* qurt_mutex_knit"):
        Device(engine)


@pytest.mark.parametrize("part", [0.002, 0.1, 0.5])
def test_a_skel_that_is_cut_short_is_refused(engine: str, lib: Path, part: float) -> None:
    skel = lib / skel_of(engine)
    content = skel.read_bytes()
    skel.write_bytes(content[: int(len(content) * part)])
    with pytest.raises(SkelLoadError, match="is cut short"):
        Device(engine)


def test_a_skel_with_another_contract_version_is_refused_and_closed(
    engine: str, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = contract.VERSION
    monkeypatch.setattr(contract, "VERSION", version + 1)
    opened, closed = faults.count("remote_handle64_open"), faults.count("remote_handle64_close")
    with pytest.raises(ContractError, match=f"contract version {version}, this package {version + 1}"):
        Device(engine)
    assert faults.count("remote_handle64_open") - opened == 1
    assert faults.count("remote_handle64_close") - closed == 1


# --- Life ---


def test_close_may_be_repeated_and_use_afterwards_is_refused(device: Device) -> None:
    w = device.weight(W)
    device.close()
    device.close()
    assert device.closed
    for use in (
        lambda: device.matmul(X, w),
        lambda: device.tensor(X),
        device.info,
        device.reopen,
        device.program,
    ):
        with pytest.raises(ClosedError):
            use()
    w.close()
    assert "closed" in repr(device)


def test_a_device_that_is_not_closed_warns_and_closes(engine: str, faults: Faults) -> None:
    device = Device(engine)
    closed = faults.count("remote_handle64_close")
    with pytest.warns(ResourceWarning, match="was not closed"):
        del device  # the last reference
    assert faults.count("remote_handle64_close") - closed == 1


def test_calls_are_closed_in_the_order_that_the_library_needs(engine: str, faults: Faults) -> None:
    with Device(engine, transport="dspqueue") as device:
        product(device)
    calls = "\n".join(loopback.calls(faults.library))
    tail = re.findall(r"dspqueue_close|remote_handle64_close|fastrpc_munmap|rpcmem_free", calls)
    assert tail.index("dspqueue_close") < tail.index("fastrpc_munmap") < tail.index("remote_handle64_close")
    assert tail.count("remote_handle64_close") == calls.count("remote_handle64_open")


def outcome(use: Callable[[], object]) -> str:
    try:
        use()
    except ClosedError as error:
        return "fork" if "fork" in str(error) else str(error)
    except BaseException as error:
        return repr(error)
    return "worked"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_cannot_use_the_device_and_does_not_disturb_it(device: Device) -> None:
    w = device.weight(W)
    y = device.matmul(X, w)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        uses = (
            lambda: device.matmul(X, w),
            lambda: device.tensor(X),
            device.info,
            y.numpy,
            lambda: Device("loopback"),
        )
        outcomes = [outcome(use) for use in uses]
        y.close()
        device.close()
        os.write(writer, ",".join(outcomes).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 10_000).decode() == ",".join(["fork"] * 5)
    os.close(reader)
    os.close(writer)
    assert (device.matmul(X, w).numpy() == 32).all()


def test_a_program_may_end_with_an_open_device(engine: str) -> None:
    script = textwrap.dedent(f"""
        import numpy, pyhexagon
        device = pyhexagon.Device({engine!r})
        w = device.weight(numpy.ones((4, 32), numpy.float32))
        y = device.matmul(numpy.ones((1, 32), numpy.float32), w)
        print(y.numpy()[0, 0])
    """)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "32.0\n", "")


@pytest.mark.long
@pytest.mark.parametrize("transport", ["dspqueue", "invoke"])
def test_a_thousand_devices_leak_nothing(engine: str, transport: str) -> None:
    def cycle(count: int) -> None:
        for _ in range(count):
            with Device(engine, transport=transport) as device:
                assert device.tensor(X).numpy()[0, 0] == 1
        gc.collect()

    count = 1000 if engine == "loopback" else 50
    cycle(max(1, count // 5))
    before, heap = settled(), Heap()
    cycle(count)
    check_settled(before)
    heap.check(count)
