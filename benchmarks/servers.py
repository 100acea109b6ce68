# SPDX-License-Identifier: MIT
"""Start pyhexagon's server, and llama.cpp's on the CPU, as processes of their own with the same limits.

This file is also the program that runs llama.cpp's server: a separate process, because the server's threads never end.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pyhexagon.errors import HexagonError, UnsupportedError
from pyhexagon.llm.files.config import Config

_Q8_0_BLOCK: Final = 32  # of llama.cpp's Q8_0 cache: it does not cross heads


@dataclass(frozen=True)
class ServerLimits:
    """What both servers are started with.

    Attributes:
        n_ctx: context length of a sequence in tokens.
        n_parallel: sequences in a batch.
        kv: type of the KV cache.
        threads: 0 means as many as the server chooses.
    """

    n_ctx: int
    n_parallel: int
    kv: str
    threads: int = 0


@contextmanager
def pyhexagon_server(path: str, limits: ServerLimits, n_clients: int, options: Sequence[str] = ()) -> Iterator[str]:
    """Start ``pyhexagon serve``, and yield its URL.

    Args:
        path: of the model.
        n_clients: that may wait at the same time; one address gets half of the queue.
        options: more options of ``serve``.

    Raises:
        HexagonError: the server did not start.
    """
    command = [sys.executable, "-m", "pyhexagon", "serve", path, "--port", "0", "--json", "--no-config"]
    command += ["-c", str(limits.n_ctx), "--parallel", str(limits.n_parallel), "--kv", limits.kv]
    command += ["--threads", str(limits.threads), "--queue", str(max(128, 2 * n_clients)), *options]
    with _started(command, "pyhexagon serve") as url:
        yield url


def is_installed() -> bool:
    """Return whether xllamacpp is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


def kv_of(config: Config) -> str:
    """Return the type of a KV cache that both engines have for a model."""
    return "f16" if config.head_size % _Q8_0_BLOCK else "q8_0"


@contextmanager
def llama_cpp_server(path: str, limits: ServerLimits) -> Iterator[str]:
    """Start llama.cpp's server, and yield its URL.

    Raises:
        UnsupportedError: xllamacpp is not installed.
        HexagonError: llama.cpp cannot serve the model.
    """
    if not is_installed():
        raise UnsupportedError("--against llama.cpp needs the package xllamacpp: run `pip install xllamacpp`")
    given = (path, limits.n_ctx, limits.n_parallel, limits.kv, limits.threads)
    with _started([sys.executable, __file__, *map(str, given)], "llama.cpp's server") as url:
        yield url


@contextmanager
def _started(command: Sequence[str], name: str) -> Iterator[str]:
    """Start a server that prints a JSON object with its URL as soon as it listens."""
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            told = ""
            assert process.stdout is not None
            for line in process.stdout:
                told += line
                if line == "}\n":
                    break
            facts: dict[str, Any] = json.loads(told) if told.endswith("}\n") else {}
            if "url" not in facts:
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                reason = facts["error"]["message"] if facts else lines[-1] if lines else "it ended"
                raise HexagonError(f"{name} did not start: {reason}")
            yield facts["url"]
        finally:
            process.terminate()


def _serve(path: str, n_ctx: int, kind: str, *, threads: int | None = None, n_parallel: int = 1) -> Any:
    """Return llama.cpp's server with a model, as ``xllamacpp.Server``; its threads never end.

    Args:
        path: of the model.
        n_ctx: context length in tokens, of all sequences together.
        kind: the KV cache's type.
        threads: None: as many as llama.cpp chooses.
        n_parallel: sequences in a batch.
    """
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.n_gpu_layers, parameters.warmup = path, 0, False
    parameters.n_ctx, parameters.n_parallel = n_ctx, n_parallel
    if threads is not None:
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.cache_type_k = parameters.cache_type_v = getattr(xllamacpp.ggml_type, f"GGML_TYPE_{kind.upper()}")
    return xllamacpp.Server(parameters)


def main() -> None:
    """Serve a model with llama.cpp until SIGTERM or the end of standard input."""
    path, n_ctx, n_parallel, kv, threads = sys.argv[1:]
    total = int(n_ctx) * int(n_parallel)  # llama.cpp divides its context among the sequences
    server = _serve(path, total, kv, threads=int(threads) or None, n_parallel=int(n_parallel))
    print(json.dumps({"url": server.listening_address}, indent=2), flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
