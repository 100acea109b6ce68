# SPDX-License-Identifier: MIT
"""Prefill and decode speed of a model in pyhexagon and in llama.cpp on the CPU, in turns, from the same file.

llama.cpp stays in one separate process (see llama_cpp.py), with the model loaded and warm. Both engines compute the
same tokens with the same number of threads, each with its default type of KV cache: Q8_0, and llama.cpp's F16.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any, Final, Literal

import numpy as np

from pyhexagon.bench import llama_builds, llama_cpp
from pyhexagon.bench.model import TIMEOUT
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage
from pyhexagon.llm.memory import check_fits, planned

Record = dict[str, Any]
Samples = list[tuple[llama_cpp.Seconds, llama_cpp.Seconds]]  # of pyhexagon, of llama.cpp
Part = tuple[Literal["prompt", "generation"], Literal["prompt_cpu", "generation_cpu"]]
KV: Final = "q8_0"


def run(
    path: str,
    *,
    n_prompt: int,
    n_gen: int,
    rounds: int,
    threads: int,
    device: str | None,
    transport: str | None,
    llama: str | None = None,
    starting: Callable[[str], None],
    done: Callable[[], None],
) -> list[Record]:
    """Measure a prompt and the tokens after it, in rounds of pyhexagon and then llama.cpp.

    Args:
        path: of the model.
        n_prompt, n_gen: the numbers of prompt tokens and of decode steps after them, at least 1.
        rounds: at least 1.
        threads: of the DSP, and of llama.cpp; 0 means all that the device has.
        llama: a folder with llama.cpp's libraries or its llama-bench; None: the best build that is found.
        starting: called with the name of each step before it starts.
        done: called after each round.

    Returns:
        A record of prefill and one of decode: the medians in tokens per second, their ratio, all samples, and, if the
        device computes on the CPU, the medians in CPU seconds per token and how many times ours llama.cpp's is.

    Raises:
        ArgumentError: a number is below 1.
        DspMemoryError: the context does not fit; no weight was loaded.
        UnsupportedError: there is no llama.cpp, or it cannot run the model.
    """
    if min(n_prompt, n_gen, rounds) < 1:
        raise ArgumentError("--against needs a prompt, tokens to generate and runs: -p, -n and -r are at least 1")
    build = llama_builds.best(llama)
    n_ctx = n_prompt + n_gen
    with GGUFFile(path) as file, Device(device, transport=transport, threads=threads, timeout=TIMEOUT) as opened:
        can_run = checked(file)
        check_fits(planned(file, can_run, n_ctx, kind=KV), path, opened._memory.placement.max_sessions)
        starting("loading")
        model, info = Model(opened, file, can_run), opened.info()
        tokens = np.random.default_rng(0).integers(0, model.n_tokens, n_ctx).tolist()
        samples: Samples = []
        with (
            closing(EngineCore(Stage(model, n_ctx, kind=KV))) as core,
            llama_cpp.started(build, path, n_ctx=n_ctx, threads=info.threads) as other,
        ):
            _measured(core, tokens, n_prompt), other.measure(tokens, 0, n_prompt)  # warm-up
            for number in range(rounds):
                starting(f"round {number + 1} of {rounds}")
                samples.append((_measured(core, tokens, n_prompt), other.measure(tokens, 0, n_prompt)))
                done()
        facts = {"model": Path(path).name, "device": opened.name, "loopback": info.loopback}
        facts |= {"threads": info.threads, "kv": KV, "llama_cpp_kv": llama_cpp.KV, "llama_cpp": other.name}
        facts |= {"rounds": rounds, "load": round(os.getloadavg()[0], 1)}
    prefill = _rates(samples, ("prompt", "prompt_cpu"), n_prompt, on_cpu=info.loopback)
    decode = _rates(samples, ("generation", "generation_cpu"), n_gen, on_cpu=info.loopback)
    return [facts | {"test": f"pp{n_prompt}"} | prefill, facts | {"test": f"tg{n_gen} @ d{n_prompt}"} | decode]


def _rates(samples: Samples, part: Part, n_tokens: int, *, on_cpu: bool) -> Record:
    """Return the figures of a part; without those of CPU time if the device or llama.cpp does not have them."""
    ours, theirs = ([n_tokens / pair[engine][part[0]] for pair in samples] for engine in (0, 1))
    rate, other = median(ours), median(theirs)
    found: Record = {"tokens_per_second": rate, "llama_cpp_tokens_per_second": other, "ratio": rate / other}
    found |= {"samples": ours, "llama_cpp_samples": theirs}
    busy = ([seconds for pair in samples if (seconds := pair[at][part[1]]) is not None] for at in (0, 1))
    cpu, other_cpu = (median(column) / n_tokens if on_cpu and column else None for column in busy)
    ratio = other_cpu / cpu if cpu and other_cpu else None
    return found | {"cpu_seconds_token": cpu, "llama_cpp_cpu_seconds_token": other_cpu, "cpu_ratio": ratio}


def _measured(core: EngineCore[Stage], tokens: list[int], n_prompt: int) -> llama_cpp.Seconds:
    """Return the seconds of pyhexagon."""
    core.truncate(0)
    start, busy = time.perf_counter(), time.process_time()
    core.logits(tokens[:n_prompt])
    between, busy_between = time.perf_counter(), time.process_time()
    for end in range(n_prompt + 1, len(tokens) + 1):
        core.logits(tokens[:end])
    return {
        "prompt": between - start,
        "generation": time.perf_counter() - between,
        "prompt_cpu": busy_between - busy,
        "generation_cpu": time.process_time() - busy_between,
    }
