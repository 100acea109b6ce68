# SPDX-License-Identifier: MIT
"""Broken requests against the checker and the reference kernels, with ASan and UBSan, through the loopback.

`FUZZ_REQUESTS=1000000 pytest tests/fuzz/test_fuzz.py -s` runs the long version; without it a slice of 20,000 runs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
    """Return the files' paths relative to ROOT, where the compiler runs: ccache knows them in any clone."""
    found = [str(path.relative_to(ROOT)) for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    assert found, f"no sources match {patterns}"
    return found


def objects(folder: Path, command: list[str], files: list[str]) -> list[str]:
    """Compile files into a new folder, each by itself, so that ccache keeps them for the next run."""
    folder.mkdir()
    ccache = Path(sys.executable).with_name("ccache")
    environment = {**os.environ, "CCACHE_NOHASHDIR": "1"}  # the same in any folder
    made = [str(folder / f"{number}.o") for number in range(len(files))]
    for file, target in zip(files, made, strict=True):
        prefix = [str(ccache)] if ccache.exists() else []
        subprocess.run([*prefix, *command, "-c", file, "-o", target], check=True, cwd=ROOT, env=environment)
    return made


@pytest.fixture(scope="module")
def fuzzer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, with the loopback inside, and beside it the skel for this machine."""
    needs.require("sanitizers")
    compiler = needs.sanitizer_compiler()
    directory = tmp_path_factory.mktemp("fuzz")
    program, skel = directory / "fuzz_requests", directory / "libpyhexagon_skel.so"
    options = [compiler, *FLAGS, "-Idsp"]
    hidden = [*options, "-fvisibility=hidden"]
    # The skel's runtime, which reads the requests, copies by a function of the program: changing.h.
    runtime = objects(directory / "runtime", [*hidden, "-Dmemcpy=fuzz_memcpy"], sources("dsp/runtime/*.c"))
    skel_sources = sources("dsp/formats/*.c", "dsp/probes/*.c", "dsp/ops/**/*.c", "dsp/ref/**/*.c")
    # The skel takes the shell's names from the program, as a Hexagon one takes them from the shell.
    kept = objects(directory / "skel", hidden, skel_sources)
    subprocess.run([*options, "-shared", *kept, *runtime, "-o", str(skel)], check=True)
    loopback_sources = sources("dsp/loopback/*.c", "dsp/loopback/shell/*.c")
    build = [*options, "-DFUZZ_HOOKED"]
    own = objects(directory / "own", build, [*sources("tests/fuzz/*.c"), *loopback_sources])
    subprocess.run([*build, "-rdynamic", *own, "-ldl", "-o", str(program)], check=True)
    # Without sanitizers: it accesses shared memory, of which they know nothing.
    kernel = [compiler, "-std=gnu11", "-O2", "-fPIC", "-Wall", "-Wextra", "-Werror", "-DFUZZ_HOST", "-Iidl"]
    kernel += ["-shared", "-fvisibility=hidden"]
    command = [*kernel, *sources("tests/fuzz/kernel/*.c"), "-o", str(directory / "kernel.so")]
    subprocess.run(command, check=True, cwd=ROOT)
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
