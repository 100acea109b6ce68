# SPDX-License-Identifier: MIT
"""The same products on the CPU: NumPy's float32 product, and llama.cpp's own kernels where they are installed.

llama.cpp measures its kernels with ``test-backend-ops perf``, for shapes of its own choice: the device's products of
that shape are measured to stand beside them.
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
LLAMA_SHAPE: Final = (4096, 14336)  # N, K of its matrix products
_LLAMA_TIMEOUT: Final = 1800.0
_LLAMA_LINE: Final = re.compile(
    r"MUL_MAT\(type_a=(?P<type>\w+),type_b=f32,m=4096,n=1,k=14336,bs=\[1,1\].*?\):.*?(?P<us>\d+(?:\.\d+)?) us/run"
)
_LEAST_RUNS: Final = 5
_SECONDS: Final = 0.1  # of small products: one time slice of another program is longer than several of them


def numpy_product(n: int, k: int) -> dict[str, Any]:
    """Microseconds of ``x @ w.T``, one row of activations and weights (n, k), float32, on the threads that NumPy's BLAS
    takes; ``error`` says why it could not be measured."""
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
    """llama.cpp's tool: the one asked for, else the one on PATH.

    Raises:
        ArgumentError: the one asked for is not there.
    """
    found = shutil.which(path or LLAMA_TOOL)
    if path and not found:
        raise ArgumentError(f"{path} is not a program")
    return found


def llama_products(tool: str) -> dict[str, float]:
    """Microseconds of llama.cpp's CPU product of one row with weights of ``LLAMA_SHAPE``, by GGUF type.

    Raises:
        HexagonError: the tool fails, or prints no such figure.
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
