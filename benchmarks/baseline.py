# SPDX-License-Identifier: MIT
"""The same matmuls on the CPU: NumPy in float32, and llama.cpp's kernels if they are installed.

llama.cpp measures its kernels with ``test-backend-ops perf`` for fixed shapes: the device is measured with these shapes
too, for comparison.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from statistics import median
from typing import Any, Final

import numpy as np

from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.memory.capacity import available

LLAMA_TOOL: Final = "test-backend-ops"
LLAMA_SHAPE: Final = (4096, 14336)  # N, K of its MUL_MAT cases
_LLAMA_TIMEOUT: Final = 1800.0
_LLAMA_LINE: Final = re.compile(
    r"MUL_MAT\(type_a=(?P<type>\w+),type_b=f32,m=4096,n=1,k=14336,bs=\[1,1\].*?\):.*?(?P<us>\d+(?:\.\d+)?) us/run"
)
_LEAST_RUNS: Final = 5
_SECONDS: Final = 0.1  # minimum time for small matmuls, longer than another program's time slice


def numpy_product(n: int, k: int) -> dict[str, Any]:
    """Measure ``x @ w.T`` in microseconds, with one activation row and weights (n, k), float32, on the threads of
    NumPy's BLAS; ``error`` is the reason if it could not be measured."""
    needed, free = n * k * 4, available()
    if needed * 1.1 > free:
        return {"n": n, "k": k, "us": None, "error": f"it takes {needed:,} bytes, {free:,} are available"}
    w = np.full((n, k), 0.5, np.float32)
    x = np.ones((1, k), np.float32)
    times: list[float] = []
    end = time.perf_counter() + _SECONDS
    while len(times) <= _LEAST_RUNS or time.perf_counter() < end:
        start = time.perf_counter()
        np.matmul(x, w.T)
        times.append((time.perf_counter() - start) * 1e6)
    return {"n": n, "k": k, "us": median(times[1:]), "error": None}


def find_llama(path: str | None) -> str | None:
    """Return the path of llama.cpp's tool: the given one, else the one on PATH.

    Raises:
        ArgumentError: the given path is not a program.
    """
    found = shutil.which(path or LLAMA_TOOL)
    if path and not found:
        raise ArgumentError(f"{path} is not a program")
    return found


def llama_products(tool: str) -> dict[str, float]:
    """Return microseconds of llama.cpp's CPU GEMV with weights of ``LLAMA_SHAPE``, by GGUF type.

    Raises:
        HexagonError: the tool fails, or prints no figure.
    """
    command = [tool, "perf", "-o", "MUL_MAT", "-b", "CPU"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LLAMA_TIMEOUT, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise HexagonError(f"{' '.join(command)}: {error}") from None
    found = {match["type"].upper(): float(match["us"]) for match in _LLAMA_LINE.finditer(done.stdout)}
    if done.returncode or not found:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise HexagonError(f"{' '.join(command)} ended with {done.returncode}, {len(found)} figures: {''.join(last)}")
    return found
