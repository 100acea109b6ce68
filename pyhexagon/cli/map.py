# SPDX-License-Identifier: MIT
"""``pyhexagon map``: the prompts of a file, answered into another one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from pyhexagon.cli import cluster_options, llm_options
from pyhexagon.cli.output import Output, printable
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.llm.answering import Answered, AnswerFile, NumberedPrompt, answers, prompts_of
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_EPILOG = """\
Each line of PROMPTS is a JSON object with "prompt" or "messages", optionally "max_tokens", and any other fields.
The line of its completion has all of these fields and "index", "text", "tokens" and "finish_reason", or "error".
Lines are written as they are ready. Run the command again to resume after a kill. Exit codes: 0 all prompts were
completed; 1 some failed.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog, parser.formatter_class = _EPILOG, argparse.RawDescriptionHelpFormatter
    llm_options.add_model_options(parser)
    parser.add_argument("prompts", metavar="PROMPTS", type=Path, help="a file with one JSON object per line")
    parser.add_argument("--out", metavar="ANSWERS", type=Path, required=True, help="the completions, one per line")
    parser.add_argument(
        "--parallel", metavar="N", type=int, default=8, help="sequences in a batch on each board (default 8)"
    )
    parser.add_argument("-n", metavar="N", type=int, help="max tokens of a completion, if a prompt has no max_tokens")
    parser.add_argument("--temp", metavar="T", type=float, default=0.0, help="temperature (default 0: greedy)")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=0, help="prompt i is sampled with seed S + i (default 0)"
    )
    cluster_options.add(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    if not 1 <= options.parallel <= 32:
        raise ArgumentError(f"--parallel is {options.parallel}: expected 1 to 32")
    cluster_options.check(options)
    prompts = prompts_of(options.prompts)
    with ExitStack() as stack:
        file = stack.enter_context(AnswerFile(options.out, prompts))
        left = [number for number in range(len(prompts)) if number not in file.done]
        n_failed = 0
        if left:
            for number, made in _answered(stack, options, output, [(number, prompts[number]) for number in left]):
                error = made if isinstance(made, HexagonError) else None
                n_failed += error is not None
                if isinstance(made, HexagonError):
                    answer: dict[str, Any] = {"error": str(made)}
                else:
                    text = "".join(part.text for part in made)
                    reason = made[-1].finish_reason if made else None
                    answer = {"text": text, "tokens": len(made), "finish_reason": reason}
                file.add(number, answer)
                if not output.as_json:
                    print(f"\r{len(file.done)} of {len(prompts)}", end="", file=sys.stderr, flush=True)
    if output.as_json:
        output.json({"answered": len(left) - n_failed, "failed": n_failed, "before": len(prompts) - len(left)})
    else:
        summary = f"{len(prompts)} of {len(prompts)} in {printable(str(options.out))}, {n_failed} failed"
        print(f"\r{summary}", file=sys.stderr)
    return 1 if n_failed else 0


def _answered(
    stack: ExitStack, options: argparse.Namespace, output: Output, left: list[tuple[int, Mapping[str, Any]]]
) -> Iterator[Answered]:
    if options.cluster is None:
        llm = stack.enter_context(llm_options.loaded(options, output, n_sequences=options.parallel))
        return answers(llm, _prompts(options, left, llm.tokenizer, llm.apply_template), options.parallel)
    boards = stack.enter_context(cluster_options.opened(options, options.parallel, 2 * options.parallel))
    words = boards.model
    prompts = _prompts(options, left, words.tokenizer, words.apply_template)
    return boards.answers(prompts, options.parallel)


def _prompts(
    options: argparse.Namespace,
    left: Iterable[tuple[int, Mapping[str, Any]]],
    tokenizer: Tokenizer,
    template: Callable[..., str],
) -> Iterator[NumberedPrompt]:
    """Prompts as ids."""
    for number, prompt in left:
        if "prompt" in prompt:
            ids = tokenizer.encode(prompt["prompt"])
        else:
            ids = tokenizer.encode(template(prompt["messages"], parse_special=False), add_special=False)
        how = {"max_tokens": prompt.get("max_tokens", options.n), "temperature": options.temp}
        how |= {"reasoning_format": "none" if "prompt" in prompt else "auto"}
        yield number, ids, how | {"seed": options.seed + number}
