# SPDX-License-Identifier: MIT
"""The broken batches of test_fuzz.py once more, sent to the v68 skel in the QEMU engine: no fault of the DSP process.

`REPLAY_BATCHES=1000000` replays more of them.
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

from pyhexagon import locate

ROOT = Path(__file__).resolve().parents[2]
BATCHES = int(os.environ.get("REPLAY_BATCHES", "20000"))
SEED = 1


def build(directory: Path) -> Path:
    """fuzz_batch.c with the loopback as it is installed, beside which the PD program lies."""
    library, program = locate.installed("libcdsprpc.so.1"), directory / "fuzz_batch"
    sources = [str(ROOT / "tests/fuzz" / name) for name in ("fuzz_batch.c", "batches.c")]
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17", "-std=gnu11"]
    command += [f"-I{ROOT / 'dsp'}", "-O2", "-Wall", "-Wextra", "-Werror", "-Wl,--wrap=posix_memalign", *sources]
    command += [str(library), f"-Wl,-rpath,{library.parent}", "-lpthread", "-ldl", "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def test_broken_batches_do_not_fault_the_dsp(
    qemu: str, tmp_path: Path, figure: Callable[[str], None]
) -> None:
    program = build(tmp_path)
    skels = locate.installed(f"v68/{locate.SKEL_FILE}").parent
    emulator, ran = tmp_path / "qemu", tmp_path / "ran"
    emulator.write_text(f'#!/bin/sh\ntouch "{ran}"\nexec "{qemu}" "$@"\n')
    emulator.chmod(0o755)
    environment = {**os.environ, "DSP_LIBRARY_PATH": str(skels), "PYHEXAGON_LOOPBACK": "log=1"}
    environment["PYHEXAGON_QEMU"] = str(emulator)
    command = [str(program), str(BATCHES), str(SEED)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr[-4000:]}"
    assert ran.exists(), "no DSP process ran"
    assert not re.search("fault|abort|illegal", done.stderr, re.IGNORECASE), done.stderr[-4000:]
    outcome = json.loads(done.stdout)
    figure(f"replay: {done.stdout.strip()}")
    assert outcome["batches"] == BATCHES
    assert outcome["OK"] > BATCHES / 10, "batches that run reach the kernels"
    assert outcome["RANGE"] > 0
