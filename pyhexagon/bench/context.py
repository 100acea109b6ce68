# SPDX-License-Identifier: MIT
"""What a longer context costs: time and memory of a model with a cache of that size that is full but for the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any

import numpy as np

from pyhexagon.bench import llama_cpp
from pyhexagon.bench.model import TIMEOUT, ModelCases, ModelTest, measured
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.context import Context
from pyhexagon.llm.memory import check_fits, planned, used
from pyhexagon.llm.model import Model, checked
from pyhexagon.llm.stage import Stage, room

Record = dict[str, Any]


def run(
    lengths: Sequence[int],
    open_file: Callable[[], AbstractContextManager[GGUFFile]],
    cases: ModelCases,
    *,
    kind: str,
    device: str | None,
    transport: str | None,
    with_cpu: bool = False,
    starting: Callable[[str], None],
) -> Iterator[Record]:
    """Measures each context, the last tokens of it.

    Args:
        lengths: tokens of context.
        open_file: opens the model's file.
        cases: one number of prompt tokens, one of generated ones; depths are not used.
        kind: of the cache.
        with_cpu: whether llama.cpp does the same on the CPU.
        starting: called with what is done next.

    Yields:
        A record a context: "prompt" and "generation" as ``bench.model`` has them, "memory" in bytes; "cpu" as
        ``llama_cpp.speeds`` has it, or None.

    Raises:
        ArgumentError: a context is shorter than the tests.
        DspMemoryError: one does not fit; nothing was read then.
    """
    n_prompt, n_gen = cases.prompts[0], cases.generated[0]
    if min(lengths) < max(n_prompt, n_gen):
        raise ArgumentError(f"a context of {min(lengths)} tokens for {n_prompt} of prompt and {n_gen} generated ones")
    with open_file() as file, Device(device, transport=transport, timeout=TIMEOUT) as opened:
        can_run = checked(file)
        max_sessions = opened.memory.placement.max_sessions
        check_fits(planned(file, can_run, max(lengths), kind=kind), file.path, max_sessions)
        starting("loading")
        model = Model(opened, file, can_run, room(can_run[0], max(lengths), kind=kind))
        for n_ctx in lengths:
            starting(f"{n_ctx} tokens")
            opened.memory.trim()  # of what the context before has left in the pool
            with closing(Context(Stage(model, n_ctx, kind=kind))) as context:
                tests = ModelTest(n_prompt, 0, n_ctx - n_prompt), ModelTest(0, n_gen, n_ctx - n_gen)
                records = []
                for test in tests:
                    context.forget()
                    records.append(measured(context, test, cases))
                sums = [
                    sum(column)
                    for column in zip(*used(opened, model.weights.tensors(), context.tensors()), strict=True)
                ]
            cpu = None
            if with_cpu:
                starting(f"{n_ctx} tokens, llama.cpp on the CPU")
                tokens = np.random.default_rng(0).integers(0, model.n_tokens, n_ctx).tolist()
                test_sizes = {"n_prompt": n_prompt, "n_gen": n_gen}
                cpu = llama_cpp.speeds(str(file.path), tokens, **test_sizes, kind=kind)
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
