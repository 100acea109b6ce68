# SPDX-License-Identifier: MIT
"""llama.cpp on the CPU, the best build that is found: the same contexts, prompts and decode steps.

It runs in a separate process: its libraries would otherwise be loaded into ours, with their threads. This file is also
that program. A ``llama-bench`` without libraries beside it is called instead; it loads the model in each call.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, TypedDict, cast

from pyhexagon.bench.llama_builds import Build
from pyhexagon.errors import UnsupportedError

KV: Final = "f16"  # llama.cpp's KV cache by default, and its fastest on CPUs


class Seconds(TypedDict):
    """Seconds of a prompt and of the decode steps after it: by the clock, and of CPU time, which is None if unknown."""

    prompt: float
    generation: float
    prompt_cpu: float | None
    generation_cpu: float | None


@dataclasses.dataclass(frozen=True)
class Opponent:
    """llama.cpp with a model.

    Attributes:
        name: of the build, with the vector extensions that it says it uses.
        measure: takes the tokens of context, prompt and decode steps; how many are context; how many are prompt.
    """

    name: str
    measure: Callable[[Sequence[int], int, int], Seconds]


@contextmanager
def started(build: Build, path: str, *, n_ctx: int, kind: str = KV, threads: int) -> Iterator[Opponent]:
    """Yield llama.cpp with a model.

    Args:
        build: as ``llama_builds.best`` returns it.
        path: of the model.
        n_ctx: context length in tokens.
        kind: the KV cache's type.
        threads: that compute.

    Raises:
        UnsupportedError: llama.cpp cannot run the model.
    """
    if build.program is not None:
        yield _program(build, path, kind=kind, threads=threads)
        return
    library, cpu = str(build.library), build.cpu and str(build.cpu)
    settings = {"library": library, "cpu": cpu, "path": path, "n_ctx": n_ctx, "kind": kind, "threads": threads}
    command, pipe = [sys.executable, "-m", __name__], subprocess.PIPE
    with tempfile.TemporaryFile() as log, subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log) as process:
        requests, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)

        def ask(question: object) -> Any:
            line = b""
            try:
                requests.write(f"{json.dumps(question)}\n".encode())
                requests.flush()
                line = answers.readline()
            except BrokenPipeError:
                pass
            if not line:
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                raise UnsupportedError(f"llama.cpp ({build.name}) cannot run {path}: {(lines or ['it ended'])[-1]}")
            return json.loads(line)

        def measure(tokens: Sequence[int], n_before: int, n_prompt: int) -> Seconds:
            (prompt, prompt_cpu), (generation, generation_cpu) = ask([list(tokens), n_before, n_prompt])
            return {"prompt": prompt, "generation": generation, "prompt_cpu": prompt_cpu,
                    "generation_cpu": generation_cpu}  # fmt: skip

        try:
            yield Opponent(f"{build.name} ({', '.join(ask(settings)) or 'no vector extensions'})", measure)
        finally:
            process.kill()


def _program(build: Build, path: str, *, kind: str, threads: int) -> Opponent:
    """Return a llama-bench; it draws its own tokens."""

    def seconds(n_prompt: int, n_gen: int, depth: int) -> float:
        if not n_prompt + n_gen:
            return 0.0
        sizes = ["-p", n_prompt, "-n", n_gen, "-d", depth, "-t", threads, "-r", 1, "-ctk", kind, "-ctv", kind]
        command = [str(build.program), "-m", path, *map(str, sizes), "-ngl", "0", "-o", "json"]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            raise UnsupportedError(f"{build.name} cannot run {path}: {(lines or [f'status {done.returncode}'])[-1]}")
        (record,) = json.loads(done.stdout)
        return float(record["avg_ns"]) / 1e9

    def measure(tokens: Sequence[int], n_before: int, n_prompt: int) -> Seconds:
        prompt = seconds(n_prompt, 0, n_before)
        generation = seconds(0, len(tokens) - n_before - n_prompt, n_before + n_prompt)
        return {"prompt": prompt, "generation": generation, "prompt_cpu": None, "generation_cpu": None}

    return Opponent(build.name, measure)


def main() -> None:
    """Answer lines of JSON on standard input: first the settings, then each test."""
    from pyhexagon.bench.llama_library import Context, LlamaError, LlamaLibrary

    output = os.fdopen(os.dup(1), "w")  # llama.cpp prints to standard output, too
    os.dup2(2, 1)
    settings = json.loads(sys.stdin.readline())
    try:
        library = LlamaLibrary(Path(settings.pop("library")), (cpu := settings.pop("cpu")) and Path(cpu))
        context = Context(library, settings.pop("path"), **settings)
        print(json.dumps(library.levels()), file=output, flush=True)
        for line in sys.stdin:
            print(json.dumps(context.measure(*json.loads(line))), file=output, flush=True)
    except LlamaError as error:
        print(error, file=sys.stderr)
    os._exit(0)  # its threads never end


if __name__ == "__main__":
    main()
