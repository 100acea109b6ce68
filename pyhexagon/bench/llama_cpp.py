# SPDX-License-Identifier: MIT
"""llama.cpp on the CPU, where the package xllamacpp is installed: the same contexts, prompts and generated tokens.

It runs in a process of its own, as its threads do not end by themselves: this file is the program, too. Its context is
computed, as nothing else fills its cache; a long one takes a while.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from typing import Any, TypedDict


class Speeds(TypedDict):
    """Tokens a second; None for both where it cannot run, with the reason."""

    prompt: float | None
    generation: float | None
    problem: str


def is_installed() -> bool:
    """Whether it can be asked."""
    return importlib.util.find_spec("xllamacpp") is not None


def speeds(path: str, tokens: Sequence[int], *, n_prompt: int, n_gen: int, kind: str) -> Speeds:
    """Of a context that is full but for the test, as ``bench.context`` has it.

    Args:
        path: of the model.
        tokens: of the context.
        n_prompt, n_gen: tokens of prompt, and generated ones, at the end of it.
        kind: of the cache.
    """
    given = {"path": path, "tokens": list(tokens), "n_prompt": n_prompt, "n_gen": n_gen, "kind": kind}
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(given).encode(), capture_output=True, check=False
    )
    if not done.returncode:
        found = json.loads(done.stdout)
        return {"prompt": found["prompt"], "generation": found["generation"], "problem": ""}
    said = done.stderr.decode(errors="replace").strip().splitlines()
    return {"prompt": None, "generation": None, "problem": said[-1] if said else f"exit status {done.returncode}"}


def main() -> None:
    """From JSON on the standard input to JSON on the standard output."""
    import xllamacpp  # type: ignore[import-not-found]

    given = json.load(sys.stdin)
    tokens, n_prompt, n_gen = given["tokens"], given["n_prompt"], given["n_gen"]
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_gpu_layers, parameters.warmup = given["path"], 0, False
    parameters.n_ctx, parameters.n_parallel = len(tokens) + n_gen, 1
    kind = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{given['kind'].upper()}")
    parameters.cache_type_k = parameters.cache_type_v = kind
    server = xllamacpp.Server(parameters)

    def timings(length: int, n_predict: int) -> dict[str, Any]:
        body = {"prompt": tokens[:length], "n_predict": n_predict, "temperature": -1, "ignore_eos": True,
                "cache_prompt": True}  # fmt: skip
        request = urllib.request.Request(
            f"{server.listening_address}/completion", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            result: dict[str, Any] = json.load(answer)["timings"]
            return result

    n = len(tokens)
    if n > n_prompt:
        timings(n - n_prompt, 0)
    prompt = timings(n, 0)["prompt_per_second"]
    generation = timings(n - n_gen, n_gen)["predicted_per_second"]  # of the prompt, one token is computed again
    print(json.dumps({"prompt": prompt, "generation": generation}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
