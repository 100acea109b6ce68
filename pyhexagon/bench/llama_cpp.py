# SPDX-License-Identifier: MIT
"""llama.cpp on the CPU, if the package xllamacpp is installed: the same contexts, prompts and generated tokens.

It runs in a separate process, because its threads never end: this file is also the program. llama.cpp
computes its context, because its cache cannot be filled otherwise; a long context takes a while.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from typing import IO, Any, Final, TypedDict

from pyhexagon.llm.config import Config

_Q8_0_BLOCK: Final = 32  # of llama.cpp's Q8_0 cache: it does not cross heads


class Speeds(TypedDict):
    """Tokens per second; both are None if llama.cpp cannot run, with the reason in ``problem``."""

    prompt: float | None
    generation: float | None
    problem: str


def is_installed() -> bool:
    """Return whether xllamacpp is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


def kv_of(config: Config) -> str:
    """Return the type of a KV cache that both engines have for a model."""
    return "f16" if config.head_size % _Q8_0_BLOCK else "q8_0"


def speeds(path: str, tokens: Sequence[int], *, n_prompt: int, n_gen: int, kind: str) -> Speeds:
    """Measure the end of a context that is full except for the test, as ``bench.context`` does.

    Args:
        path: of the model.
        tokens: the context's tokens.
        n_prompt, n_gen: the numbers of prompt tokens and generated tokens at its end.
        kind: the KV cache's type.
    """
    test = {"path": path, "tokens": list(tokens), "n_prompt": n_prompt, "n_gen": n_gen, "kind": kind}
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(test).encode(), capture_output=True, check=False
    )
    if not done.returncode:
        found = json.loads(done.stdout)
        return {"prompt": found["prompt"], "generation": found["generation"], "problem": ""}
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    return {"prompt": None, "generation": None, "problem": lines[-1] if lines else f"exit status {done.returncode}"}


def results() -> IO[str]:
    """Return standard output, and give llama.cpp, which prints to it from C, standard error instead."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return output


def serve(path: str, n_ctx: int, kind: str, *, threads: int | None = None, n_parallel: int = 1) -> Any:
    """Return llama.cpp's server with a model, as ``xllamacpp.Server``; its threads never end.

    Args:
        path: of the model.
        n_ctx: context length in tokens, of all sequences together.
        kind: the KV cache's type.
        threads: None: as many as llama.cpp chooses.
        n_parallel: sequences in a batch.
    """
    import xllamacpp  # type: ignore[import-not-found]

    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_gpu_layers, parameters.warmup = path, 0, False
    parameters.n_ctx, parameters.n_parallel = n_ctx, n_parallel
    if threads is not None:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.cache_type_k = parameters.cache_type_v = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{kind.upper()}")
    return xllamacpp.Server(parameters)


def timings(server: Any, tokens: Sequence[int], n_predict: int, *, reuses_cache: bool = True) -> dict[str, Any]:
    """Return llama.cpp's timings of a prompt and the tokens after it."""
    body = {"prompt": tokens, "n_predict": n_predict, "temperature": -1, "ignore_eos": True,
            "cache_prompt": reuses_cache}  # fmt: skip
    request = urllib.request.Request(
        f"{server.listening_address}/completion", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:
        result: dict[str, Any] = json.load(answer)["timings"]
        return result


def main() -> None:
    """Read the test as JSON from standard input, and write the result as JSON to standard output."""
    output, test = results(), json.load(sys.stdin)
    tokens, n_prompt, n_gen = test["tokens"], test["n_prompt"], test["n_gen"]
    n = len(tokens)
    server = serve(test["path"], n + n_gen, test["kind"])
    if n > n_prompt:
        timings(server, tokens[: n - n_prompt], 0)
    prompt = timings(server, tokens, 0)["prompt_per_second"]
    # llama.cpp computes the prompt's last token again
    generation = timings(server, tokens[: n - n_gen], n_gen)["predicted_per_second"]
    print(json.dumps({"prompt": prompt, "generation": generation}), file=output, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
