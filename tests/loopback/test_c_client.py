# SPDX-License-Identifier: MIT
"""The loopback as a C program sees it: client*.c is compiled against the public declarations and linked to it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pyhexagon.process import locate

HERE = Path(__file__).parent
WARNINGS = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
ELF_MACHINE = 18  # offset of e_machine
EM_MIPS = 8

TESTS = [
    "session",
    "invoke",
    "memory",
    "mapping",
    "threads",
    "misuse",
    "farf",
    "controls",
    "traps",
    "cycles",
    "kill_cycles",
    "death",
    "stall",
    "churn",
    "fork",
    "cost",
    "control_api",
    "no_device",
    "queue",
    "queue_buffers",
    "queue_limits",
    "queue_callbacks",
    "queue_wrap",
    "queue_death",
    "queue_alone",
    "early_wakeup",
]


def compiler() -> list[str]:
    """The ziglang wheel's clang; the system's compiler only where that is not installed."""
    if find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17"]
    cc = shutil.which("cc")
    assert cc is not None, "neither the ziglang wheel nor a system compiler is here"
    assert "CI" not in os.environ, "CI uses the ziglang wheel"
    return [cc]


@pytest.fixture(scope="module")
def loopback_path() -> Path:
    """The loopback under test: the installed one, or that of another build."""
    folder = os.environ.get("PYHEXAGON_TEST_LIBS")
    return Path(folder) / "libcdsprpc.so.1" if folder else locate.installed("libcdsprpc.so.1")


@pytest.fixture(scope="module")
def client(loopback_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built client, with skels, good and bad ones, beside it."""
    folder = tmp_path_factory.mktemp("client")
    skel = folder / "libtest_skel.so"
    program = folder / "client"
    shared = ["-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-z,defs"]
    subprocess.run(
        [*compiler(), *WARNINGS, *shared, str(HERE / "test_skel.c"), str(loopback_path), "-o", str(skel)], check=True
    )
    sources = [str(source) for source in sorted(HERE.glob("client*.c"))]
    rpath = f"-Wl,-rpath,{loopback_path.parent},--allow-shlib-undefined"  # it may ask for a newer glibc than 2.17
    subprocess.run(
        [*compiler(), *WARNINGS, *sources, str(loopback_path), rpath, "-lpthread", "-o", str(program)], check=True
    )
    foreign = bytearray(skel.read_bytes())
    foreign[ELF_MACHINE] = EM_MIPS
    (folder / "libmips_skel.so").write_bytes(foreign)
    (folder / "libtext_skel.so").write_text("no ELF file")
    return program


# One heap for all threads, without caches of freed memory: what is allocated does not depend on which thread ran when.
EXACT_HEAP = "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0"


def run(client: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "DSP_LIBRARY_PATH": str(client.parent), "GLIBC_TUNABLES": EXACT_HEAP, **environment}
    variables.pop("PYHEXAGON_LOOPBACK", None) if "PYHEXAGON_LOOPBACK" not in environment else None
    return subprocess.run(
        [str(client), *arguments], env=variables, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.parametrize("name", TESTS)
def test_c_client(client: Path, name: str) -> None:
    result = run(client, name)
    print(result.stdout)
    assert result.returncode == 0, result.stderr


def test_every_test_of_the_client_is_run(client: Path) -> None:
    assert run(client).stdout.split() == TESTS


def test_environment_sets_options_and_failures(client: Path) -> None:
    result = run(client, "memory", PYHEXAGON_LOOPBACK="fail=rpcmem_alloc2:1:0")
    assert result.returncode == 1
    assert "client_session.c" in result.stderr
    result = run(client, "misuse", PYHEXAGON_LOOPBACK="log=1")
    assert result.returncode == 0
    assert "libno_skel.so is in no directory" in result.stderr
    assert "exports no no_skel_handle_invoke" in result.stderr


def test_unknown_option_in_the_environment_is_reported(client: Path) -> None:
    result = run(client, "memory", PYHEXAGON_LOOPBACK="nonsense=1;map_limit=x")
    assert result.returncode == 0
    assert result.stderr.splitlines() == [
        "loopback: PYHEXAGON_LOOPBACK: bad setting 'nonsense'",
        "loopback: PYHEXAGON_LOOPBACK: bad setting 'map_limit'",
    ]


def test_skel_is_found_in_the_domain_folder_first_and_only_semicolons_separate(client: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cdsp"
    folder.mkdir()
    shutil.copy(client.parent / "libtext_skel.so", folder / "libtest_skel.so")
    assert run(client, "invoke", DSP_LIBRARY_PATH=f"{client.parent};{tmp_path}").returncode == 0
    assert "0x80000406" in run(client, "invoke", DSP_LIBRARY_PATH=f"{tmp_path};{client.parent}").stderr
    assert "0x80000406" in run(client, "invoke", DSP_LIBRARY_PATH=f"/nowhere:{client.parent}").stderr
