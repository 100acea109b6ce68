# SPDX-License-Identifier: MIT
"""Prefetching of the KV cache: the kernels of the DSP, built for this machine, report which lines they prefetch."""

from __future__ import annotations

import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pyhexagon._ffi import contract

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *sorted((ROOT / "dsp/hvx/attention").glob("*.c")),
    *(ROOT / f"dsp/{name}.c" for name in ("ops/attention/attention", "ref/attention/append", "ref/attention/halves")),
    ROOT / "tests/ops/cache_fetches.c",
]
PLAIN = ("-O0", "-Dalways_inline=unused")  # with inlining, logits.c takes 18 s to compile instead of 0.4


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fetches")
    isa = "-mavx2" if platform.machine() == "x86_64" else "-mcpu=generic+v8_2a+dotprod"
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17", "-std=gnu11"]
    defines = [isa, "-DPHX_HVX=1", "-Wno-psabi", "-fwrapv", "-fno-strict-aliasing", "-include"]
    includes = [str(ROOT / "tests/ops/fetch_log.h"), f"-I{ROOT}/dsp", f"-I{ROOT}/dsp/cpu/hvx"]

    def compiled(source: Path) -> str:
        target = str(folder / f"{source.parent.parent.name}_{source.stem}.o")
        subprocess.run([*command, *PLAIN, *defines, *includes, "-c", source, "-o", target], check=True, timeout=600)
        return target

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compiled, SOURCES))
    subprocess.run([*command, *objects, "-o", folder / "fetches"], check=True, timeout=600)
    return folder / "fetches"


@pytest.mark.parametrize("kind", ["q8_0", "q4_0"])
@pytest.mark.parametrize("dims", [32, 64, 96, 128, 512])
def test_exactly_the_visible_tiles_are_prefetched(program: Path, kind: str, dims: int) -> None:
    command = [str(program), str(contract.DTYPES[kind.upper()]), str(dims)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
