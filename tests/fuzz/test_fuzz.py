# SPDX-License-Identifier: MIT
"""Broken requests against the checker and the reference kernels, with ASan and UBSan, through the loopback.

`FUZZ_REQUESTS=1000000 pytest tests/fuzz/test_fuzz.py -s` runs the long version; without it a slice of 20,000 runs.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import needs
import pytest

ROOT = Path(__file__).resolve().parents[2]
REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "20000"))
SEED = 1
FLAGS = [
    *("-std=gnu11", "-O1", "-g", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pthread"),
    *(needs.SANITIZERS, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"),
]
OUTCOMES = (
    *("refused", "OK", "SHORT", "MAGIC", "VERSION", "LIMIT", "RESERVED", "BUFFER", "INDEX", "DTYPE", "LAYOUT", "SHAPE"),
    *("STRIDE", "ALIGN", "RANGE", "OVERLAP", "OP", "PARAM", "NO_MEMORY", "NOT_STARTED", "PROGRAM", "PATCH"),
    "KERNEL",
)


def sources(*patterns: str) -> list[str]:
    found = [str(path) for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    assert found, f"no sources match {patterns}"
    return found


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, with the loopback inside, and beside it the skel for this machine."""
    needs.require("sanitizers")
    compiler = needs.sanitizer_compiler()
    directory = tmp_path_factory.mktemp("fuzz")
    program, skel = directory / "fuzz_requests", directory / "libpyhexagon_skel.so"
    options = [compiler, *FLAGS, f"-I{ROOT / 'dsp'}"]
    # The skel's runtime, which reads the requests, copies by a function of the program: changing.h.
    runtime = directory / "runtime"
    runtime.mkdir()
    hooked = ["-fvisibility=hidden", "-Dmemcpy=fuzz_memcpy", "-c", *sources("dsp/runtime/*.c")]
    subprocess.run([*options, *hooked], check=True, cwd=runtime)
    skel_sources = sources("dsp/formats/*.c", "dsp/probes/*.c", "dsp/ops/**/*.c", "dsp/ref/**/*.c")
    loopback_sources = sources("dsp/loopback/*.c", "dsp/loopback/shell/*.c")
    # The skel takes the shell's names from the program, as a Hexagon one takes them from the shell.
    objects = map(str, sorted(runtime.glob("*.o")))
    subprocess.run([*options, "-shared", "-fvisibility=hidden", *skel_sources, *objects, "-o", str(skel)], check=True)
    build = [*options, "-rdynamic", "-DFUZZ_HOOKED", *sources("tests/fuzz/*.c"), *loopback_sources]
    subprocess.run([*build, "-ldl", "-o", str(program)], check=True)
    # Without sanitizers: it accesses shared memory, of which they know nothing.
    kernel = [compiler, "-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DFUZZ_HOST", f"-I{ROOT / 'idl'}"]
    kernel += ["-shared", "-fvisibility=hidden"]
    subprocess.run([*kernel, *sources("tests/fuzz/kernel/*.c"), "-o", str(directory / "kernel.so")], check=True)
    return program


def run(fuzzer: Path, n_requests: int, seed: int) -> dict[str, int]:
    environment = {
        **os.environ, "DSP_LIBRARY_PATH": str(fuzzer.parent), "FUZZ_KERNEL": str(fuzzer.with_name("kernel.so"))
    }  # fmt: skip
    command = [str(fuzzer), str(n_requests), str(seed)]
    result = subprocess.run(command, env=environment, cwd=fuzzer.parent, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}\n{result.stderr}"
    print(result.stdout)
    outcome: dict[str, int] = json.loads(result.stdout)
    return outcome


def test_broken_requests_are_refused_without_a_finding(fuzzer: Path) -> None:
    outcome = run(fuzzer, REQUESTS, SEED)
    never = [name for name in OUTCOMES if outcome[name] == 0]
    assert not never, f"outcomes that no request reached: {never}"
    assert 0.1 < outcome["valid"] / REQUESTS < 0.6
