# SPDX-License-Identifier: MIT
"""The broken requests of test_fuzz.py once more, sent to the v68 skel in the QEMU engine: no fault of the DSP process,
and the same answers and the same bytes in memory as from the host engine.

`REPLAY_REQUESTS=1000000 REPLAY_DIGESTS=100000` takes more of them.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pyhexagon.kernels import toolchain
from pyhexagon.process import locate

ROOT = Path(__file__).resolve().parents[2]
REQUESTS = int(os.environ.get("REPLAY_REQUESTS", "10000"))
DIGESTS = int(os.environ.get("REPLAY_DIGESTS", "4000"))
SEED = 1


def build(directory: Path) -> Path:
    """fuzz_requests.c with the loopback as it is installed, beside which the PD program lies."""
    library, program = locate.installed("libcdsprpc.so.1"), directory / "fuzz_requests"
    sources = map(str, sorted((ROOT / "tests/fuzz").glob("*.c")))
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17", "-std=gnu11"]
    command += [f"-I{ROOT / 'dsp'}", "-O2", "-Wall", "-Wextra", "-Werror", *sources]
    command += [str(library), f"-Wl,-rpath,{library.parent}", "-lpthread", "-ldl", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def kernel(directory: Path, folder: str) -> str:
    """Return the path of the fuzzer's user kernel for the skels of a folder."""
    target = toolchain.HEXAGON if folder == "v68" else toolchain.this_cpu(folder.removeprefix("host/"))
    source = (ROOT / "tests/fuzz/kernel/fuzzed.c").read_text()
    path = directory / f"kernel-{target}.so"
    path.write_bytes(toolchain.compile_c(source, "fuzzed.c", target, ()).image)
    return str(path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("replay"))


def run(program: Path, skels: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    """Return the program's output, with requests sent to the skel in this folder."""
    command = [str(program), *arguments]
    settings = {**os.environ, "DSP_LIBRARY_PATH": str(skels), "PYHEXAGON_LOOPBACK": "log=1", **environment}
    done = subprocess.run(command, env=settings, cwd=program.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-4000:]}"
    assert not re.search("fault|abort|illegal", done.stderr, re.IGNORECASE), done.stderr[-4000:]
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def test_broken_requests_do_not_fault_the_dsp(
    qemu: str, program: Path, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    emulator, ran = tmp_path / "qemu", tmp_path / "ran"
    emulator.write_text(f'#!/bin/sh\ntouch "{ran}"\nexec "{qemu}" "$@"\n')
    emulator.chmod(0o755)
    skels = locate.installed(f"v68/{locate.SKEL_FILE}").parent
    loaded = kernel(tmp_path, "v68")
    outcome = run(program, skels, str(REQUESTS), str(SEED), PYHEXAGON_QEMU=str(emulator), FUZZ_KERNEL=loaded)
    assert ran.exists(), "no DSP process ran"
    figure(f"replay: {outcome}")
    assert outcome["requests"] == REQUESTS
    assert outcome["OK"] > REQUESTS / 10, "requests that run reach the kernels"
    assert outcome["RANGE"] > 0
    assert outcome["KERNEL"] > 0


def test_both_engines_answer_alike_and_leave_the_same_bytes(
    qemu: str, program: Path, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    arguments = str(DIGESTS), str(SEED + 1), "digest"
    host, dsp = (
        run(
            program, locate.installed(f"{folder}/{locate.SKEL_FILE}").parent, *arguments,
            PYHEXAGON_QEMU=qemu, FUZZ_KERNEL=kernel(tmp_path, folder),
        )
        for folder in (f"host/{locate.cpu_level()}", "v68")
    )  # fmt: skip
    figure(f"{DIGESTS} requests, the same on both engines: {dsp}")
    for outcome in (host, dsp):
        del outcome["seconds"]
    assert host == dsp
