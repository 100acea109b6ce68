# SPDX-License-Identifier: MIT
"""``pyhexagon run``: complete a prompt with a language model on the DSP."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from pyhexagon.cli import llm_options, sampling_options
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.engine.embeddings import NO_EMBEDDINGS
from pyhexagon.llm.vision.pictures import picture_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def add_arguments(parser: argparse.ArgumentParser) -> None:
    llm_options.add_model_options(parser)
    prompt = parser.add_mutually_exclusive_group()
    prompt.add_argument("text", metavar="PROMPT", nargs="?", help="the prompt")
    prompt.add_argument("-p", "--prompt", metavar="TEXT", help="the prompt, which may begin with a dash")
    prompt.add_argument("-f", "--file", metavar="FILE", help="a file with the prompt, in UTF-8; -: stdin, or a pipe")
    prompt.add_argument("--tokens", metavar="ID,ID...", type=_ids, help="the prompt as token ids")
    parser.add_argument("--chat", action="store_true", help="the prompt is a user message: apply the chat template")
    parser.add_argument(
        "--image", metavar="FILE", action="append", default=[],
        help="an image that the prompt is about; may be repeated. Implies --chat, needs an mmproj file",
    )  # fmt: skip
    parser.add_argument("--system", metavar="TEXT", help="with --chat: the system prompt")
    parser.add_argument(
        "--parse-special", action="store_true", help="with --chat: names of control tokens in the prompt are tokens"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json-schema", metavar="JSON", help="the completion is JSON of this schema; {} is any object")
    form.add_argument("--json-schema-file", metavar="FILE", help="the same, from a file")
    form.add_argument("--grammar", metavar="GBNF", help="the completion follows this grammar, as in llama.cpp")
    form.add_argument("--grammar-file", metavar="FILE", help="the same, from a file")
    llm_options.add_template_option(parser)
    sampling_options.add(parser)


def _form(options: argparse.Namespace) -> dict[str, Any]:
    """Return the grammar or the JSON schema for ``LLM.stream``."""
    grammar, schema = options.grammar, options.json_schema
    if options.grammar_file is not None:
        grammar = llm_options.content(options.grammar_file)
    if options.json_schema_file is not None:
        schema = llm_options.content(options.json_schema_file)
    if grammar is not None:
        return {"grammar": grammar}
    if schema is None:
        return {}
    try:
        return {"json_schema": json.loads(schema)}
    except ValueError as error:
        raise ArgumentError(f"--json-schema is not JSON: {error}") from None


def run(options: argparse.Namespace, output: Output) -> None:
    prompt = options.text if options.prompt is None else options.prompt
    if options.file is not None:
        prompt = llm_options.content(options.file)
    elif prompt is None and options.tokens is None:
        prompt = _piped(options.model)
    if options.image:
        options.chat = True
    if options.chat and prompt is None:
        raise ArgumentError(f"{'--image' if options.image else '--chat'} takes a prompt as text, -p or -f")
    if options.system is not None and not options.chat:
        raise ArgumentError("--system needs --chat")
    if options.parse_special and not options.chat:
        raise ArgumentError("--parse-special needs --chat")
    how = sampling_options.sampling(options) | _form(options)
    images = [{"type": "image", "image": picture_of(path)} for path in options.image]
    if options.chat:
        llm_options.check_template(options)
    elif options.tokens is None and not output.as_json and llm_options.has_template(options):
        llm_options.dim("(the prompt is continued as it is; --chat asks it as a question, pyhexagon chat converses)")
    start = time.perf_counter()
    with llm_options.loaded(options, output, sampling_options.draft(options)) as llm:
        load_seconds = time.perf_counter() - start
        embeddings, image_seconds = NO_EMBEDDINGS, 0.0
        if options.chat:
            if images:
                llm_options.check_vision(llm)
            content: Any = [*images, {"type": "text", "text": str(prompt)}] if images else str(prompt)
            messages: list[dict[str, Any]] = llm_options.beginning(options.system)
            messages.append({"role": "user", "content": content})
            start = time.perf_counter()
            ids, embeddings = llm.chat_prompt(messages, parse_special=options.parse_special)
            image_seconds = time.perf_counter() - start if images else 0.0
        else:
            ids = options.tokens if prompt is None else llm.tokenizer.encode(prompt)
            if not ids:
                raise ArgumentError("the prompt is empty, and this model needs at least one token")
        parts = llm.stream(ids, embeddings=embeddings, reasoning_format="auto" if options.chat else "none", **how)
        start = time.perf_counter()  # a grammar has been compiled
        before = "" if options.chat or output.as_json else llm.tokenizer.decode(ids)
        made, prompt_seconds, generation_seconds = _taken(parts, before, start, is_shown=not output.as_json)
        prompt_seconds += image_seconds
        report = llm.report()
        if not output.as_json:
            llm_options.show_whether_cut(0 if options.context_shift else llm.n_ctx, len(ids), made)
    timings = {
        "load_seconds": load_seconds,
        "prompt_seconds": prompt_seconds,
        "generation_seconds": generation_seconds,
        "prompt_tokens_per_second": len(ids) / prompt_seconds,
        "generation_tokens_per_second": (len(made) - 1) / generation_seconds if len(made) > 1 else None,
        "draft_n": sum(part.draft_n for part in made),
        "draft_n_accepted": sum(part.from_draft for part in made),
    }
    if output.as_json:
        output.json({
            "model": options.model,
            "device": report["device"]["device"],
            "prompt_tokens": ids,
            "tokens": [part.token for part in made],
            "text": "".join(part.text for part in made),
            "reasoning": "".join(part.reasoning for part in made),
            "finish_reason": made[-1].finish_reason,
            "timings": timings,
            "memory": report["memory"],
        })
        return
    llm_options.show_rates(len(ids), prompt_seconds, made, generation_seconds)
    llm_options.show_memory(report)


def _piped(model: str) -> str:
    """Return the prompt that a pipe has; raises if there is none."""
    if sys.stdin is None or sys.stdin.isatty():
        hint = f"pyhexagon run {model} PROMPT; for a conversation, pyhexagon chat {model}"
        raise ArgumentError("there is no prompt", hint=hint)
    prompt = llm_options.content("-")
    if not prompt.strip():
        raise ArgumentError("there is no prompt, and stdin is empty", hint=f"pyhexagon run {model} PROMPT")
    return prompt.removesuffix("\n")


def _taken(
    parts: Iterator[GenerationChunk], before: str, start: float, *, is_shown: bool
) -> tuple[list[GenerationChunk], float, float]:
    """Return the chunks, shown as they come; the seconds until the first one, and the seconds of the others."""
    made: list[GenerationChunk] = []
    first = now = start
    screen = llm_options.AnswerScreen()
    if is_shown:
        llm_options.show(before)
    for part in parts:
        now = time.perf_counter()
        first = first if made else now
        made.append(part)
        if is_shown:
            screen.show(part)
    if is_shown:
        print(flush=True)
    return made, first - start, now - first


def _ids(text: str) -> list[int]:
    ids = text.split(",")
    if not all(token.strip().isdecimal() for token in ids):
        raise argparse.ArgumentTypeError(f"expected ids such as 1,403,407, not {text!r}")
    return [int(token) for token in ids]
