# SPDX-License-Identifier: MIT
"""llama.cpp on the CPU, if the package xllamacpp is installed: the same contexts, prompts and generated tokens.

It runs in a separate process, because its threads do not end by themselves: this file is also the program. llama.cpp
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
from typing import Any, TypedDict


class Speeds(TypedDict):
    """Tokens per second; both are None if llama.cpp cannot run, with the reason in ``problem``."""

    prompt: float | None
    generation: float | None
    problem: str


def is_installed() -> bool:
    """Return whether xllamacpp is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


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


def main() -> None:
    """Read the test as JSON from standard input, and write the result as JSON to standard output."""
    import xllamacpp  # type: ignore[import-not-found]

    test = json.load(sys.stdin)
    tokens, n_prompt, n_gen = test["tokens"], test["n_prompt"], test["n_gen"]
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_gpu_layers, parameters.warmup = test["path"], 0, False
    parameters.n_ctx, parameters.n_parallel = len(tokens) + n_gen, 1
    kind = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{test['kind'].upper()}")
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
    generation = timings(n - n_gen, n_gen)["predicted_per_second"]  # llama.cpp computes the prompt's last token again
    print(json.dumps({"prompt": prompt, "generation": generation}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
