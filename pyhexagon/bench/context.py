# SPDX-License-Identifier: MIT
"""The cost of a longer context: speed and memory of a model whose KV cache is full except for the test's tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any

import numpy as np

from pyhexagon.bench import llama_cpp
from pyhexagon.bench.llama_builds import Build
from pyhexagon.bench.model import TIMEOUT, ModelCases, ModelTest, measured
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage, room
from pyhexagon.llm.memory import check_fits, planned, used

Record = dict[str, Any]


def run(
    lengths: Sequence[int],
    open_file: Callable[[], AbstractContextManager[GGUFFile]],
    cases: ModelCases,
    *,
    kind: str,
    device: str | None,
    transport: str | None,
    on_cpu: Build | None = None,
    starting: Callable[[str], None],
) -> Iterator[Record]:
    """Measure each context length with the last tokens of the context.

    Args:
        lengths: context lengths in tokens.
        open_file: opens the model's file.
        cases: one prompt length and one number of generated tokens; depths are ignored.
        kind: the KV cache's type.
        on_cpu: the build of llama.cpp to measure on the CPU too.
        starting: called with the name of each step before it starts.

    Yields:
        One record per context length: "prompt" and "generation" as in ``bench.model``, "memory" in bytes, "cpu" with
        llama.cpp's tokens per second, "prompt" and "generation", which are None if it cannot run, with the reason in
        "problem"; or None.

    Raises:
        ArgumentError: a context is shorter than the tests.
        DspMemoryError: a context does not fit; no weight was loaded.
    """
    n_prompt, n_gen = cases.prompts[0], cases.generated[0]
    if min(lengths) < max(n_prompt, n_gen):
        raise ArgumentError(f"a context of {min(lengths)} is too short for {n_prompt} prompt or {n_gen} new tokens")
    with open_file() as file, Device(device, transport=transport, timeout=TIMEOUT) as opened:
        can_run = checked(file)
        max_sessions = opened._memory.placement.max_sessions
        check_fits(planned(file, can_run, max(lengths), kind=kind), file.path, max_sessions)
        starting("loading")
        model = Model(opened, file, can_run, room(can_run[0], max(lengths), kind=kind))
        for n_ctx in lengths:
            starting(f"{n_ctx} tokens")
            opened._memory.trim()  # free the pool's buffers of the previous context
            with closing(EngineCore(Stage(model, n_ctx, kind=kind))) as context:
                tests = ModelTest(n_prompt, 0, n_ctx - n_prompt), ModelTest(0, n_gen, n_ctx - n_gen)
                records = []
                for test in tests:
                    context.clear_cache()
                    records.append(measured(context, test, cases))
                sums = [
                    sum(column)
                    for column in zip(*used(opened, model.weights.tensors(), context.tensors()), strict=True)
                ]
            cpu = None
            if on_cpu is not None:
                starting(f"{n_ctx} tokens, llama.cpp on the CPU")
                tokens = np.random.default_rng(0).integers(0, model.n_tokens, n_ctx).tolist()
                settings = {"n_ctx": n_ctx, "kind": kind, "threads": opened.info().threads}
                cpu = _llama_cpp(on_cpu, str(file.path), tokens, (n_prompt, n_gen), settings)
            yield {
                "n_ctx": n_ctx,
                "kv": kind,
                "device": opened.name,
                "loopback": opened.info().loopback,
                "prompt": records[0],
                "generation": records[1],
                "memory": dict(zip(("model", "context", "compute"), sums, strict=True)),
                "cpu": cpu,
            }


def _llama_cpp(
    build: Build, path: str, tokens: list[int], sizes: tuple[int, int], settings: dict[str, Any]
) -> Record:
    """Return llama.cpp's tokens per second at the end of a context; it computes the context, too."""
    n, (n_prompt, n_gen) = len(tokens), sizes
    try:
        with llama_cpp.started(build, path, **settings) as other:
            prompt = n_prompt and n_prompt / other.measure(tokens, n - n_prompt, n_prompt)["prompt"]
            generation = n_gen and n_gen / other.measure(tokens, n - n_gen, 0)["generation"]
            return {"prompt": prompt, "generation": generation, "problem": "", "build": other.name}
    except UnsupportedError as error:
        return {"prompt": None, "generation": None, "problem": str(error), "build": build.name}
