# SPDX-License-Identifier: MIT
"""``pyhexagon eval``: the perplexity of a language model on a text, as llama.cpp's llama-perplexity; or whether its
completions are the same bytes whatever else the device does.
"""

from __future__ import annotations

import argparse
import time
from math import exp, sqrt
from typing import Final

import numpy as np

from pyhexagon.cli import llm_options
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.llm import determinism
from pyhexagon.llm.engine.sampling import log_probabilities
from pyhexagon.llm.engine.speculation import prompt_lookup

_N_CTX: Final = 512
_MOST_TOKENS: Final = 256


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", choices=("perplexity", "determinism"),
        help="the measure: perplexity, lower is better; determinism, how many bytes of completions depend on batches, "
        "caches, speculation, and a device that was lost",
    )  # fmt: skip
    llm_options.add_model_options(parser, n_ctx=_N_CTX)
    parser.add_argument(
        "text", metavar="TEXTFILE", nargs="?", help="for perplexity: a text in UTF-8 of at least two context lengths"
    )
    parser.add_argument(
        "--chunks", metavar="N", type=int, help="evaluate N chunks of one context length (default: all)"
    )
    parser.add_argument("-n", metavar="N", type=int, default=32, help="for determinism: tokens of a completion (32)")


def run(options: argparse.Namespace, output: Output) -> None:
    if (options.what == "perplexity") != (options.text is not None):
        raise ArgumentError("eval perplexity MODEL TEXTFILE, or eval determinism MODEL")
    if options.what == "determinism":
        _determinism(options, output)
    else:
        _perplexity(options, output)


def _determinism(options: argparse.Namespace, output: Output) -> None:
    if not 2 <= options.n <= _MOST_TOKENS:
        raise ArgumentError(f"-n is {options.n}: expected 2 to {_MOST_TOKENS}")
    options.c = options.c or min(_N_CTX, llm_options.header(options.model).n_ctx)
    rows = []
    with llm_options.loaded(options, output, prompt_lookup(), n_sequences=determinism.N_SEQUENCES) as llm:
        device = llm.device_name
        with progress(None) as (starting, done):
            starting("eight conditions")
            for row in determinism.conditions(llm, options.n):
                rows.append(row)
                done()
    n_differing = sum(row.differing_bytes for row in rows)
    if output.as_json:
        output.json({
            "model": options.model, "device": device, "differing_bytes": n_differing,
            "conditions": [row._asdict() for row in rows],
        })  # fmt: skip
    else:
        titles = [("condition", False), ("tokens", True), ("differing bytes", True)]
        output.table(titles, [[row.name, str(row.tokens), str(row.differing_bytes)] for row in rows])
        print(f"{n_differing} differing bytes")
    if n_differing:
        raise HexagonError(f"{n_differing} bytes of completions differ")


def _perplexity(options: argparse.Namespace, output: Output) -> None:
    text = llm_options.content(options.text)
    options.c = n_ctx = options.c or min(_N_CTX, llm_options.header(options.model).n_ctx)
    with llm_options.loaded(options, output) as llm:
        tokens = llm.tokenizer.encode(text)
        n_chunks = min(len(tokens) // n_ctx, options.chunks or len(tokens))
        if n_ctx < 2 or len(tokens) < 2 * n_ctx or n_chunks < 1:
            shorter = f"-c {len(tokens) // 2}, or a longer text" if len(tokens) >= 4 else "a longer text"
            raise ArgumentError(
                f"{options.text} has {len(tokens)} tokens: expected two contexts of {n_ctx} at least",
                hint=shorter,
            )
        losses: list[float] = []
        start = time.perf_counter()
        with progress(n_chunks) as (starting, done):
            for number in range(n_chunks):
                starting(f"{exp(np.mean(losses)):.3f}" if losses else "perplexity")
                chunk = tokens[number * n_ctx : (number + 1) * n_ctx]
                if llm.tokenizer.add_bos and llm.tokenizer.bos is not None:
                    chunk[0] = llm.tokenizer.bos
                # Half of the context is left out: its tokens have too little context of their own.
                rows = log_probabilities(llm.logits(chunk)[n_ctx // 2 : -1])
                losses += (-rows[np.arange(len(rows)), chunk[n_ctx // 2 + 1 :]]).tolist()
                done()
        seconds = time.perf_counter() - start
        device = llm.device_name
    perplexity = exp(np.mean(losses))
    deviation = perplexity * float(np.std(losses)) / sqrt(len(losses))
    if output.as_json:
        output.json({
            "model": options.model, "device": device, "text": options.text, "n_ctx": n_ctx, "kv": options.kv,
            "chunks": n_chunks, "tokens": len(losses), "perplexity": perplexity, "deviation": deviation,
            "tokens_per_second": n_chunks * n_ctx / seconds,
        })  # fmt: skip
    else:
        print(f"perplexity {perplexity:.4f} ± {deviation:.4f}, {len(losses)} tokens of {n_chunks} contexts of {n_ctx}")
