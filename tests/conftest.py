# SPDX-License-Identifier: MIT
"""Fixtures for every test that needs a device."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import gguf
import numpy as np
import pytest
import weights
from gguf import GGMLQuantizationType as Q
from hypothesis import HealthCheck, settings
from waiting import LONG

from pyhexagon import Device
from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library, load
from pyhexagon.fetch.qemu import find as find_qemu
from pyhexagon.process import locate
from pyhexagon.process.resources import WORKSPACE_BYTES

pytest_plugins = ("announced", "costs", "lanes", "leaks", "leftovers", "seeds")


ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT))  # for benchmarks/, and behind an installed package: its tests must not see this one
ENGINES = ("loopback", "loopback:qemu")
TRANSPORTS = ("dspqueue", "invoke")

# A shell that starts the tests in the background ignores it, for this process and its children.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in each run (tests/seeds.py), however slow or busy the machine is.
settings.register_profile(
    "same", deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")

_FIGURE = "figure"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--host", action="store_true", help="tests that compare engines use that of this machine only")


@pytest.hookimpl(tryfirst=True)  # before -k selects
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items if config.getoption("--host") else []:
        if "qemu" in getattr(item, "fixturenames", ()):  # "not qemu" deselects these too, whatever their names
            item.extra_keyword_matches.add("qemu")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    figures = [text for report in reports for name, text in getattr(report, "user_properties", ()) if name == _FIGURE]
    if figures:
        terminalreporter.section("figures")
        for text in dict.fromkeys(figures):
            terminalreporter.write_line(text)


@pytest.fixture(autouse=True)
def no_config_file(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's config file from tests of the command line. Other tests may need theirs, with pip's settings."""
    if request.path.parent.name in ("benchmarks", "cli"):
        monkeypatch.setenv("XDG_CONFIG_HOME", "/nonexistent")


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Return a function that takes a line to show at the end of the run."""
    return lambda text: record_property(_FIGURE, text)


def _held() -> tuple[int, int]:
    """Return the numbers of open files and threads."""
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def settled() -> tuple[int, int]:
    """Return the numbers of open files and threads, after ending threads have ended."""
    counts = []
    for _ in range(20):
        counts.append(_held())
        time.sleep(0.02)
    return min(counts)


def _open_files() -> list[str]:
    """Return the targets of the open file descriptors."""
    names = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            names.append(f"{link.name}: {link.readlink()}")
    return names


def check_settled(before: tuple[int, int]) -> None:
    """Wait until no more files and threads are open than before; ending threads may take a while."""
    end = time.monotonic() + LONG
    now = _held()
    while now[0] > before[0] or now[1] > before[1]:
        assert time.monotonic() < end, f"{now} open files and threads, before {before}: {_open_files()}"
        time.sleep(0.02)
        now = _held()


class Faults:
    """Injects failures into the loopback; everything is restored after the test."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def kill(self, device: Device) -> None:
        loopback.kill(self.library, device._session.domain.effective_id)

    def stall(self, device: Device, on: bool = True) -> None:
        loopback.stall(self.library, device._session.domain.effective_id, on)

    def fail(self, call: str, code: int, nth: int = 1) -> None:
        loopback.fail(self.library, call, nth, code)

    def set(self, option: str, value: int) -> None:
        """Set an option; ``map_limit`` is what a session can map beside the first region of its workspace."""
        if option == "map_limit":
            value += WORKSPACE_BYTES
        loopback.set_option(self.library, option, value)

    def count(self, call: str) -> int:
        return loopback.count(self.library, call)


@pytest.fixture
def faults() -> Iterator[Faults]:
    library = load(locate.installed("libcdsprpc.so.1"))
    loopback.reset(library)  # clears calls of devices that an earlier test's fixtures closed
    yield Faults(library)
    loopback.reset(library)


@pytest.fixture(scope="session")
def qemu() -> str:
    """Return the path of qemu-hexagon, downloaded if necessary. If there is none, tests fail, they do not skip."""
    os.environ["PYHEXAGON_QEMU"] = str(find_qemu())
    return os.environ["PYHEXAGON_QEMU"]


def built(*targets: str) -> Path:
    """Build targets in this checkout's build directory and return it. One process builds at a time."""
    caches = sorted(ROOT.glob("build/*/CMakeCache.txt"))
    if not caches and "CI" not in os.environ:
        pytest.skip("no build directory: scripts/venv test")
    build = caches[0].parent
    with (build / "tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        command = ["cmake", "--build", str(build), "--target", *targets]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return build


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a directory that one process of pytest-xdist fills for all of them; the others wait."""
    base = factory.getbasetemp()
    directory = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    done = directory.with_suffix(".done")
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(directory, ignore_errors=True)  # of a process that failed
            directory.mkdir()
            make(directory)
            done.touch()
    return directory


@pytest.fixture(scope="session")
def kernel_programs() -> Path:
    """Build `matmul` and `ops` for qemu-hexagon and return their directory."""
    return built("kernel_programs") / "kernels/stripped"


@pytest.fixture(scope="session")
def skel_v68_path() -> Path:
    """Return the installed Hexagon skel, byte for byte the one that a board gets."""
    return locate.installed("v68/libpyhexagon_skel.so")


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build the wheels with scripts/build-wheels; return them by machine."""

    def build(out: Path) -> None:
        command = [sys.executable, str(ROOT / "scripts/build-wheels"), "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
        assert done.returncode == 0, done.stderr
        assert sorted(out.iterdir()) == sorted(Path(line) for line in done.stdout.split())

    paths = made_once(tmp_path_factory, "wheels", build).iterdir()
    return {path.stem.partition("manylinux_2_17_")[2]: path for path in paths}


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Return the name of an available engine."""
    if request.param == "loopback:qemu":
        request.getfixturevalue("qemu")
    return str(request.param)


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def device(engine: str, transport: str) -> Iterator[Device]:
    """Open every engine through every transport."""
    with Device(engine, transport=transport) as device:
        yield device


@pytest.fixture
def gguf_file(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a GGUF file from GGUF bytes of weights: name -> (type, bytes)."""

    def write(**tensors: tuple[Q, weights.U8]) -> Path:
        path = tmp_path / "weights.gguf"
        writer = gguf.GGUFWriter(path, "llama")
        for name, (dtype, raw) in tensors.items():
            array = raw.view(np.float32) if dtype == Q.F32 else raw.view(np.float16) if dtype == Q.F16 else raw
            writer.add_tensor(name, array, raw_dtype=dtype)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    return write
