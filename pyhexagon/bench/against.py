# SPDX-License-Identifier: MIT
"""Prefill and decode speed of a model in pyhexagon and in llama.cpp on the CPU, in turns, from the same file.

llama.cpp stays in one separate process (see llama_cpp.py), with the model loaded and warm. Both engines compute the
same prompt with the same number of threads and the same type of KV cache.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import IO, Any, cast

import numpy as np

from pyhexagon.bench import llama_cpp
from pyhexagon.bench.model import TIMEOUT
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.engine_core import EngineCore
from pyhexagon.llm.memory import check_fits, planned
from pyhexagon.llm.model import Model, checked
from pyhexagon.llm.stage import Stage

Record = dict[str, Any]
Speeds = tuple[float, float]  # tokens per second of prefill and of decode


def run(
    path: str,
    *,
    n_prompt: int,
    n_gen: int,
    rounds: int,
    threads: int,
    device: str | None,
    transport: str | None,
    starting: Callable[[str], None],
    done: Callable[[], None],
) -> list[Record]:
    """Measure a prompt and the tokens after it, in rounds of pyhexagon and then llama.cpp.

    Args:
        path: of the model.
        n_prompt, n_gen: the numbers of prompt tokens and of decode steps after them, at least 1.
        rounds: at least 1.
        threads: of the DSP, and of llama.cpp; 0 means all that the device has.
        starting: called with the name of each step before it starts.
        done: called after each round.

    Returns:
        A record of prefill and one of decode: the medians in tokens per second, their ratio, and all samples.

    Raises:
        ArgumentError: a number is below 1.
        DspMemoryError: the context does not fit; no weight was loaded.
        UnsupportedError: xllamacpp is not installed, or llama.cpp cannot run the model.
    """
    if min(n_prompt, n_gen, rounds) < 1:
        raise ArgumentError("--against needs a prompt, tokens to generate and runs: -p, -n and -r are at least 1")
    if not llama_cpp.is_installed():
        raise UnsupportedError("--against llama.cpp needs the package xllamacpp: run `pip install xllamacpp`")
    n_ctx = n_prompt + n_gen
    with GGUFFile(path) as file, Device(device, transport=transport, threads=threads, timeout=TIMEOUT) as opened:
        can_run = checked(file)
        kind = llama_cpp.kv_of(can_run[0])
        check_fits(planned(file, can_run, n_ctx, kind=kind), path, opened._memory.placement.max_sessions)
        starting("loading")
        model, info = Model(opened, file, can_run), opened.info()
        tokens = np.random.default_rng(0).integers(0, model.n_tokens, n_ctx).tolist()
        test = {"path": path, "tokens": tokens[:n_prompt], "n_gen": n_gen, "kind": kind, "threads": info.threads}
        samples: list[tuple[Speeds, Speeds]] = []
        with closing(EngineCore(Stage(model, n_ctx, kind=kind))) as core, _llama_cpp(test) as measure:
            _measured(core, tokens, n_prompt), measure()  # warm-up
            for number in range(rounds):
                starting(f"round {number + 1} of {rounds}")
                samples.append((_measured(core, tokens, n_prompt), measure()))
                done()
        facts = {"model": Path(path).name, "device": opened.name, "loopback": info.loopback}
        facts |= {"threads": info.threads, "kv": kind, "rounds": rounds}
    records = []
    for at, name in enumerate((f"pp{n_prompt}", f"tg{n_gen} @ d{n_prompt}")):
        ours, theirs = ([pair[engine][at] for pair in samples] for engine in (0, 1))
        rate, other = median(ours), median(theirs)
        rates = {"tokens_per_second": rate, "llama_cpp_tokens_per_second": other, "ratio": rate / other}
        records.append(facts | {"test": name} | rates | {"samples": ours, "llama_cpp_samples": theirs})
    return records


def _measured(core: EngineCore[Stage], tokens: list[int], n_prompt: int) -> Speeds:
    """Return the speeds of pyhexagon."""
    core.truncate(0)
    start = time.perf_counter()
    core.logits(tokens[:n_prompt])
    between = time.perf_counter()
    for end in range(n_prompt + 1, len(tokens) + 1):
        core.logits(tokens[:end])
    return n_prompt / (between - start), (len(tokens) - n_prompt) / (time.perf_counter() - between)


@contextmanager
def _llama_cpp(test: Record) -> Iterator[Callable[[], Speeds]]:
    """Start llama.cpp's process; yield a function that measures its speeds once."""
    command, pipe = [sys.executable, "-m", __name__], subprocess.PIPE
    with tempfile.TemporaryFile() as log, subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log) as process:
        requests, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)

        def measure() -> Speeds:
            requests.write(f"{json.dumps(test)}\n".encode())
            requests.flush()
            line = answers.readline()
            if not line:
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                raise UnsupportedError(f"llama.cpp cannot run {test['path']}: {lines[-1] if lines else 'it ended'}")
            prefill, decode = json.loads(line)
            return prefill, decode

        try:
            yield measure
        finally:
            process.kill()


def main() -> None:
    """Answer each test, a line of JSON on standard input, with the two speeds on standard output."""
    output, server = llama_cpp.results(), None
    for line in sys.stdin:
        test = json.loads(line)
        tokens, n_gen = test["tokens"], test["n_gen"]
        room = len(tokens) + n_gen + 1
        server = server or llama_cpp.serve(test["path"], room, test["kind"], threads=test["threads"])
        # llama.cpp's clock of decode starts at the first new token, which the prompt's logits gave.
        timings = llama_cpp.timings(server, tokens, n_gen + 1, reuses_cache=False)
        if (timings["prompt_n"], timings["predicted_n"]) != (len(tokens), n_gen + 1):
            raise RuntimeError(f"llama.cpp computed {timings['prompt_n']} and {timings['predicted_n']} tokens")
        prefill, decode = timings["prompt_per_second"], n_gen / timings["predicted_ms"] * 1e3
        print(json.dumps((prefill, decode)), file=output, flush=True)


if __name__ == "__main__":
    main()
