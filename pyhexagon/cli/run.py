# SPDX-License-Identifier: MIT
"""``pyhexagon run``: a language model continues a text, on the DSP."""

from __future__ import annotations

import argparse
import sys
import time
import unicodedata
from typing import TYPE_CHECKING

from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import LLM, Part

if TYPE_CHECKING:
    from argparse import _SubParsersAction
    from collections.abc import Iterator

_MIB = 1 << 20


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("run", help="continue a text with a language model")
    parser.add_argument("model", metavar="MODEL", help="a GGUF file")
    prompt = parser.add_mutually_exclusive_group(required=True)
    prompt.add_argument("-p", "--prompt", metavar="TEXT", help="the text")
    prompt.add_argument("-f", "--file", metavar="FILE", help="a file with the text, in UTF-8")
    prompt.add_argument("--tokens", metavar="ID,ID...", type=_ids, help="ids of tokens in place of a text")
    parser.add_argument("--chat", action="store_true", help="the text is a question: put it into the chat template")
    parser.add_argument("-n", metavar="N", type=int, help="end after so many tokens (default: when the model does)")
    parser.add_argument("-c", metavar="N", type=int, help="tokens of context (default: the model's, at most 4096)")
    parser.add_argument("--temp", metavar="T", type=float, default=0.8, help="temperature (default 0.8; 0 is greedy)")
    parser.add_argument("--top-k", metavar="K", type=int, default=40, help="of the K likeliest (default 40; 0 all)")
    parser.add_argument("--top-p", metavar="P", type=float, default=0.95, help="of those that make up P (default 0.95)")
    parser.add_argument("--min-p", metavar="P", type=float, default=0.05, help="of those P times the likeliest (0.05)")
    parser.add_argument("--repeat-penalty", metavar="R", type=float, default=1.0, help="against repetition (default 1)")
    parser.add_argument("--seed", metavar="S", type=int, help="of the random numbers")
    parser.add_argument("--stop", metavar="TEXT", action="append", default=[], help="a text that ends it")
    add_device_options(parser)
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    prompt = options.prompt if options.file is None else _content(options.file)
    start = time.perf_counter()
    with Device(options.device, transport=options.transport) as device:
        with output.progress(f"loading {options.model}") as progress:
            llm = LLM(options.model, options.c, device=device, progress=progress)
        with llm:
            load_seconds = time.perf_counter() - start
            if options.chat:
                if prompt is None:
                    raise ArgumentError("--chat takes a text: -p or -f")
                text = llm.apply_template([{"role": "user", "content": prompt}])
                ids = llm.tokenizer.encode(text, add_special=False)
            else:
                ids = options.tokens if prompt is None else llm.tokenizer.encode(prompt)
            start = time.perf_counter()
            parts = llm.stream(
                ids, options.n, options.temp, top_k=options.top_k, top_p=options.top_p, min_p=options.min_p,
                repeat_penalty=options.repeat_penalty, seed=options.seed, stop=options.stop,
            )  # fmt: skip
            before = "" if options.chat or output.as_json else llm.tokenizer.decode(ids)
            made, prompt_seconds, generation_seconds = _taken(parts, before, start, is_shown=not output.as_json)
            memory = llm.memory()
    timings = {
        "load_seconds": load_seconds,
        "prompt_seconds": prompt_seconds,
        "generation_seconds": generation_seconds,
        "prompt_tokens_per_second": len(ids) / prompt_seconds,
        "generation_tokens_per_second": (len(made) - 1) / generation_seconds if len(made) > 1 else None,
    }
    if output.as_json:
        output.json({
            "model": options.model,
            "device": device.name,
            "prompt_tokens": ids,
            "tokens": [part.token for part in made],
            "text": "".join(part.text for part in made),
            "finish_reason": made[-1].finish_reason,
            "timings": timings,
            "memory": memory,
        })
        return
    speed = timings["generation_tokens_per_second"]
    rates = f"Prompt: {timings['prompt_tokens_per_second']:.1f} t/s | Generation: {speed or 0:.1f} t/s"
    sizes = " + ".join(f"{name} {size / _MIB:.1f}" for name, size in memory.items())
    print(f"[ {rates} ]\n[ {device.name}: {sizes} = {sum(memory.values()) / _MIB:.1f} MiB ]", file=sys.stderr)


def _taken(
    parts: Iterator[Part], before: str, start: float, *, is_shown: bool
) -> tuple[list[Part], float, float]:
    """The parts, shown as they come; seconds for the first, and for all others."""
    made: list[Part] = []
    first = now = start
    if is_shown:
        _show(before)
    for part in parts:
        now = time.perf_counter()
        first = first if made else now
        made.append(part)
        if is_shown:
            _show(part.text)
    if is_shown:
        print(flush=True)
    return made, first - start, now - first


def _show(text: str) -> None:
    """What a model says may hold control sequences: none of them reaches the terminal."""
    shown = (one if one in "\n\t" or unicodedata.category(one) != "Cc" else "\N{REPLACEMENT CHARACTER}" for one in text)
    print("".join(shown), end="", flush=True)


def _ids(text: str) -> list[int]:
    ids = text.split(",")
    if not all(one.strip().isdecimal() for one in ids):
        raise argparse.ArgumentTypeError(f"expected ids such as 1,403,407, not {text!r}")
    return [int(one) for one in ids]


def _content(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
