# SPDX-License-Identifier: MIT
"""The cost of a token in Python, and the memory that many tokens leave behind."""

from __future__ import annotations

import cProfile
import gc
import pstats
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from waiting import PACKAGE

from llm import tiny
from pyhexagon import LLM, Device
from pyhexagon._ffi import invoke

N_CTX = 512
TOKENS = [1, *np.random.default_rng(4).integers(3, tiny.N_TOKENS, N_CTX - 20).tolist()]
MAX_CALLS, MAX_MOVES = 66, 32  # of a decode step, Program.run included
MATMULS = 12  # small ones, that a token may cost at most


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("models") / "model.gguf", "llama")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    """Open a device that waits for the DSP in one call, however long a busy machine takes."""
    with pytest.MonkeyPatch.context() as patch, Device("loopback", transport="invoke") as device:
        patch.setattr(invoke, "_SLICE", 5.0)
        yield device


def calls(work: Callable[[], object]) -> int:
    """Return the number of function calls of ``work``, including C functions, after two runs as warm-up."""
    work()
    work()
    profile = cProfile.Profile()
    profile.runcall(work)
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def test_a_token_costs_python_what_a_few_products_cost(device: Device, model: Path) -> None:
    x = np.ones((1, 64), np.float32)
    with device.weight(np.ones((64, 64), np.float32)) as weight, LLM(model, N_CTX, device=device) as llm:
        of_product = calls(lambda: device.matmul(x, weight))
        of_token = {}
        for n in (20, len(TOKENS)):
            parts = llm.stream(TOKENS[:n], 8, temperature=0)
            of_token[n] = calls(lambda parts=parts: next(parts))  # type: ignore[misc]
    assert of_token[20] <= MATMULS * of_product
    assert of_token[len(TOKENS)] - of_token[20] <= 2 * (N_CTX // 64)  # for each page a few, for each token none


def python_calls(work: Callable[[], object]) -> tuple[int, int]:
    """Return the number of calls that ``work`` makes to Python functions of the package, and how many enter another
    file.
    """
    numbers = [0, 0]

    def count(frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(PACKAGE):
            numbers[0] += 1
            numbers[1] += frame.f_back is not None and frame.f_back.f_code.co_filename != file

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return numbers[0], numbers[1]


def test_a_token_passes_few_functions(device: Device, model: Path, figure: Any) -> None:
    with LLM(model, N_CTX, device=device) as llm:
        chunks = llm.stream(TOKENS[:20], 30, temperature=0)
        for _ in range(8):
            next(chunks)
        # The fewest of several: some steps also poll the transport again, or collect what other tests left.
        n_calls, n_moves = min(python_calls(lambda: next(chunks)) for _ in range(12))
    figure(f"llm: a decode step of one sequence: {n_calls} Python calls, {n_moves} of them into another file")
    assert n_calls <= MAX_CALLS
    assert n_moves <= MAX_MOVES


def test_a_token_of_many_sequences_costs_a_third_of_one_alone(device: Device, model: Path, figure: Any) -> None:
    """Calls to Python and C functions per token, beside what a generation costs whatever its length."""
    costs: dict[int, float] = {}
    for n in (1, 32):
        prompts = [[1, 3 + at, *TOKENS[1:20]] for at in range(n)]
        with LLM(model, 128, n_sequences=n, device=device) as llm:
            few, many = (calls(partial(llm.generate_all, prompts, length, temperature=0)) for length in (4, 36))
            costs[n] = (many - few) / 32 / n
    figure(f"llm: {costs[1]:.0f} calls a token of one sequence, {costs[32]:.0f} for each of 32")
    assert costs[32] <= costs[1] / 3


def test_a_thousand_generations_leave_nothing(device: Device, model: Path) -> None:
    def left() -> tuple[int, int, int]:
        gc.collect()
        return device.info().memory_bytes, len(list(Path("/proc/self/fd").iterdir())), len(gc.get_objects())

    with LLM(model, 64, n_sequences=2, device=device) as llm:
        seen = []
        for number in range(1000):
            first = number % 50  # some texts are in the cache still, most are not
            llm.generate(TOKENS[first : first + 5], 2, temperature=0)
            if number % 100 == 99:
                seen.append(left())
    memory, files, objects = zip(*seen, strict=True)
    assert set(memory[1:]) == {memory[1]}
    assert set(files[1:]) == {files[1]}
    assert objects[-1] - objects[1] < 100  # of 800 generations
