# SPDX-License-Identifier: MIT
"""Options of the model and of sampling, and output to the terminal, for the commands that run a language model."""

from __future__ import annotations

import argparse
import re
import sys
import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from pyhexagon.cache import KINDS, PAGE_TOKENS
from pyhexagon.cli import image_options, on_board
from pyhexagon.cli.output import Output, add_device_options, add_vote_options, device_options, printable
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError, DspMemoryError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm import LLM, GenerationChunk
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.speculation import LOOKUP, MTP, Draft
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.graph.lora import LoRA
from pyhexagon.llm.memory import longest_context, planned
from pyhexagon.llm.vision import vision
from pyhexagon.llm.vision.memory import planned as planned_encoder
from pyhexagon.llm.vision.pulled import mmproj_beside, pulled_mmproj
from pyhexagon.memory.capacity import ADDRESS_SPACE, available
from pyhexagon.models.store import resolve
from pyhexagon.program.sharing import CPUShare

_MIB: Final = 1 << 20
AUTO: Final = "auto"
DRAFTS: Final = (
    "a small model with the same vocabulary; 'mtp': the multi-token prediction block of the model's own file; "
    "'lookup': n-grams of prompt and completion"
)
_NAME: Final = re.compile(r"[\w.:-]+")  # of an adapter


def add_model_options(
    parser: argparse.ArgumentParser, *, are_several: bool = False, n_ctx: int = 4096, has_auto: bool = False
) -> None:
    """Add the options of the model; if there are several, ``options.model`` is a list, which may be empty.

    Args:
        n_ctx: the longest context that the command takes by default.
        has_auto: whether -c may be "auto".
    """
    nargs = "*" if are_several else None
    parser.add_argument("model", metavar="MODEL", nargs=nargs, help="a GGUF file, or a pulled model's name")
    group = parser.add_argument_group("model and device")
    auto = "; auto: the longest that the memory has room for" if has_auto else ""
    group.add_argument(
        "-c", metavar="N", type=_length_or_auto if has_auto else int,
        help=f"context length in tokens (default: the model's, at most {n_ctx}{auto})",
    )  # fmt: skip
    group.add_argument(
        "--allow-long", action="store_true", help="allow a -c beyond the context length that the model was trained for"
    )
    group.add_argument(
        "--threads", metavar="T", type=int,
        help="threads of the DSP (default: the profile's, or all), or of --device cpu (default: one per physical core)",
    )  # fmt: skip
    group.add_argument("--kv", choices=KINDS, help="type of the KV cache (default q8_0)")
    group.add_argument(
        "-b", metavar="N", type=_batch, default=MAX_BATCH_TOKENS,
        help=f"most tokens of prompts in a message to the DSP (default and at most {MAX_BATCH_TOKENS})",
    )  # fmt: skip
    named = "; NAME=FILE[:SCALE]: for requests to the model NAME" if are_several else ""
    group.add_argument(
        "--lora", metavar="FILE", action="append", default=[], type=_adapter,
        help=f"a LoRA adapter; may be repeated{named}",
    )  # fmt: skip
    group.add_argument(
        "--lora-scaled", metavar="FILE:SCALE", dest="lora", action="append", type=_scaled,
        help="a LoRA adapter, and the factor on its products",
    )  # fmt: skip
    group.add_argument(
        "--cpu-share", type=_share, default="auto", metavar="S",
        help="part of each matmul's rows that the CPU computes beside the DSP, 0 to 0.9, or auto (default): the "
        "profile's, or else 0",
    )  # fmt: skip
    takes_images = "the model's mmproj file: it then takes images (default: the one that was pulled with the model)"
    encoder = group.add_mutually_exclusive_group()
    if are_several:
        what = f"{takes_images}; NAME=FILE for one of several models"
        encoder.add_argument("--mmproj", metavar="FILE", action="append", default=[], help=what)
        encoder.add_argument("--no-mmproj", action="store_true", help="no mmproj files: the models see no images")
    else:
        encoder.add_argument("--mmproj", metavar="FILE", help=takes_images)
        encoder.add_argument(
            "--no-mmproj", dest="mmproj", action="store_false", default=None, help="no mmproj file: it sees no images"
        )
    image_options.add_weights(group)
    add_device_options(group)
    add_vote_options(group)
    on_board.add_option(parser)


def _length_or_auto(text: str) -> int | str:
    """Parse a number or "auto"."""
    if text == AUTO:
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither auto nor a number") from None


def add_template_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--chat-template-file", metavar="FILE", help="a chat template in place of the one in the model's file"
    )


def _share(text: str) -> CPUShare:
    """Parse a number or "auto"."""
    if text == "auto":
        return "auto"
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither auto nor a number") from None


def _batch(text: str) -> int:
    """Parse a batch size; llama.cpp's default of 2048 is as large as any."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected a number of 1 or more, not {text!r}")
    return min(int(text), MAX_BATCH_TOKENS)


def _scaled(text: str) -> tuple[str, float]:
    """Parse FILE:SCALE."""
    file, _, scale = text.rpartition(":")
    try:
        return file, float(scale)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not FILE:SCALE") from None


class NamedAdapter(NamedTuple):
    """An adapter that requests choose by its name."""

    name: str
    path: str
    scale: float


def _adapter(text: str) -> str | NamedAdapter:
    """Parse FILE, or NAME=FILE[:SCALE]."""
    name, _, file = text.partition("=")
    if _NAME.fullmatch(name) is None or not file or Path(text).exists():
        return text
    path, _, scale = file.rpartition(":")
    with suppress(ValueError):
        return NamedAdapter(name, path, float(scale)) if path else NamedAdapter(name, file, 1.0)
    return NamedAdapter(name, file, 1.0)


def adapters(options: argparse.Namespace, *, are_chosen: bool) -> list[LoRA] | dict[str, LoRA]:
    """Return the adapters for all requests; or those that requests choose, by name.

    Args:
        are_chosen: whether the command has requests that can choose.

    Raises:
        ArgumentError: the command has none; names are given to some adapters only; or two have the same name.
    """
    named = {
        adapter.name: (adapter.path, adapter.scale) for adapter in options.lora if isinstance(adapter, NamedAdapter)
    }
    if not named:
        return list(options.lora)
    if not are_chosen:
        name = next(iter(named))
        raise ArgumentError(f"--lora {name}=...: only requests to a server choose adapters", hint="--lora FILE")
    if len(named) < len(options.lora):
        raise ArgumentError("--lora: expected a name of its own for each adapter, or no names")
    return dict(named)


def header(model: str, *, has_mtp: bool = False) -> Config:
    """Return the configuration in a model's header; reads no weights.

    Args:
        has_mtp: its MTP block is loaded, too.

    Raises:
        ArgumentError, GGUFError, UnsupportedError: as ``LLM``.
    """
    with GGUFFile(resolve(model)) as file:
        config, _ = checked(file, has_mtp=has_mtp)
    return config


def free_bytes() -> int:
    """Return the bytes of memory that models may take; the rest is for Python and tokenizers."""
    return available() * 7 // 8


def automatic_context(options: argparse.Namespace, n_sequences: int) -> int:
    """Return the longest context length, at most the trained one, that the memory has room for, and print it.

    Args:
        options: of the model, the device and the type of the KV cache.
        n_sequences: of that length.

    Raises:
        DspMemoryError: there is no room for the shortest one.
    """
    n_devices = len(options.device.split(",")) if options.device else 1
    free = min(free_bytes(), n_devices * MAX_SESSIONS * ADDRESS_SPACE)
    kind = options.kv or "q8_0"
    with GGUFFile(resolve(options.model)) as file:
        can_run = checked(file)
        config = can_run[0]
        if config.is_encoder:  # it caches nothing
            return config.longest_ctx
        plan = planned(file, can_run, PAGE_TOKENS, n_sequences=n_sequences, kind=kind)
    mmproj = options.mmproj
    if mmproj is None:
        pulled, problem = pulled_mmproj(options.model)
        mmproj = "" if problem else pulled
    if mmproj:
        with GGUFFile(mmproj) as encoder:
            plan = plan.plus(planned_encoder(encoder, options.mmproj_weights).memory)
    longest = longest_context(plan, config, free, kind, n_sequences)
    if not longest:
        needed = plan.model + plan.compute
        raise DspMemoryError(
            f"-c auto: the model needs {needed:,} bytes, and of {free:,} nothing is left for {n_sequences} sequences",
            hint="a smaller model, or a smaller --parallel",
        )
    what = f"{n_sequences} sequences in {free >> 20:,} MiB; the model was trained for {config.longest_ctx}"
    dim(f"(-c auto: {longest} tokens of context for {what})")
    return longest


def check_model(options: argparse.Namespace) -> None:
    """Raise before a device is opened if the file is not a model, or the model was not trained for -c."""
    if options.c is not None and options.c < 1:
        raise ArgumentError(f"-c is {options.c}: expected 1 or more; without -c the context is the model's")
    longest = header(options.model).longest_ctx
    if options.c is not None and options.c > longest and not options.allow_long:
        raise ArgumentError(
            f"-c is {options.c}: {options.model} was trained for {longest} tokens, a longer context gets worse",
            hint=f"-c {longest}, or --allow-long",
        )


def check_draft(model: str, draft: str | None) -> None:
    """Raise before a device is opened if a model cannot use a draft model, or that is no model; None is none."""
    if draft is None:
        return
    if header(model, has_mtp=draft == MTP).is_encoder:
        raise ArgumentError(f"--draft: {model} makes embeddings only")
    if draft not in (MTP, LOOKUP):
        header(draft)


def check_mmproj(model: str, mmproj: str, draft: str | None) -> None:
    """Raise before a device is opened if a file is not the mmproj file of a model, or its draft allows none."""
    config = header(model)
    if config.is_encoder or draft == MTP:
        what = "drafts with its MTP block" if draft == MTP else "makes embeddings only"
        raise ArgumentError(f"--mmproj: {model} {what}: it takes no images")
    vision.check_mmproj(mmproj, config)


def check_vision(llm: LLM) -> None:
    """Raise ArgumentError unless messages may have images."""
    if not llm.has_vision:
        raise ArgumentError("the model takes no images", hint=f"--mmproj {mmproj_beside(llm.path) or 'FILE'}")


@contextmanager
def loaded(
    options: argparse.Namespace,
    output: Output,
    draft: Draft | str | None = None,
    *,
    n_sequences: int = 1,
    are_adapters_chosen: bool = False,
) -> Iterator[LLM]:
    """Load the model and its draft model, and print its properties and memory to stderr."""
    lora = adapters(options, are_chosen=are_adapters_chosen)
    check_model(options)
    if isinstance(draft, str):
        check_draft(options.model, draft)
    names = options.device.split(",") if options.device else [None]
    with ExitStack() as stack:
        devices = [
            stack.enter_context(
                Device(name, threads=options.threads, cpu_share=options.cpu_share, **device_options(options))
            )
            for name in names
        ]
        with output.progress(f"loading {options.model}") as progress, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "n_ctx is |.* takes no images", RuntimeWarning)  # _tell prints it
            llm = LLM(
                options.model, options.c, kv=options.kv, n_sequences=n_sequences, n_batch=options.b, draft_model=draft,
                device=devices, lora=lora, chat_template=_template_file(options), mmproj=options.mmproj,
                mmproj_weights=options.mmproj_weights, progress=progress,
            )  # fmt: skip
        with llm:
            if not output.as_json:
                _tell(llm, options.model)
                if options.mmproj is None and (problem := pulled_mmproj(llm.path)[1]):
                    dim(f"({printable(options.model)} takes no images: {printable(problem)})")
            yield llm
            if not output.as_json:
                _tell_share(llm)


def _tell(llm: LLM, name: str) -> None:
    """Print the properties of a model; the name is the user's."""
    report = llm.report()
    types = ", ".join(f"{name} {n}" for name, n in report["types"].items())
    print(f"{printable(name)}: {report['architecture']}, {types}", file=sys.stderr)
    layers, device = f"{report['layers_on_the_dsp']}/{report['layers']}", llm.device_name
    n_ctx, n_made_for = report["n_ctx"], report["n_ctx_train"]
    longer = f"; context length {n_ctx}, the model was trained for {n_made_for}" if n_ctx > n_made_for else ""
    print(f"offloaded {layers} layers to {device}{longer}", file=sys.stderr)
    domains = [domain for device in report["devices"] for domain in device["domains"]]
    for number, domain in enumerate(domains):
        ids = f"session id {domain['session_id']} of the {domain['processor']}, domain id {domain['domain_id']}"
        print(f"session {number}: {ids}, {domain['uri']}", file=sys.stderr)
    if report["vision"]:
        print(_about_images(report["vision"], n_ctx), file=sys.stderr)
        if not report["device"]["loopback"] and (line := image_options.advice(report["vision"])):
            dim(f"(images: {line})")
    _tell_share(llm)
    show_memory(report)


def _about_images(vision: Mapping[str, Any], n_ctx: int) -> str:
    """Return a line about what a picture takes of the context."""
    n_tokens, (width, height) = vision["tokens"], vision["picture"]
    line = f"images: {vision['projector']}, {image_options.types(vision)}, {n_tokens:,} tokens for {width} x {height} "
    line += "pixels"
    return f"{line}, more than the context length {n_ctx}: a larger -c" if n_tokens >= n_ctx else line


def _tell_share(llm: LLM) -> None:
    """Print the CPU's share of each device that has one."""
    for device in llm.devices:
        if not device.lost and (sharing := device.info().sharing):
            print(f"[ CPU share of {device.name}: {sharing} ]", file=sys.stderr)


def show_memory(report: Mapping[str, Any]) -> None:
    """Print the allocated memory of ``LLM.report`` to stderr, a line for each session, and the host's."""
    for number, session in enumerate(report["sessions"]):
        sizes = " + ".join(f"{name} {size / _MIB:.1f}" for name, size in session.items())
        print(f"[ session {number}: {sizes} = {sum(session.values()) / _MIB:.1f} MiB ]", file=sys.stderr)
    process, total, free = (report["host"][name] / _MIB for name in ("process", "total", "free"))
    print(f"[ host: process {process:.1f}; system: total {total:.1f}, free {free:.1f} MiB ]", file=sys.stderr)


def _template_file(options: argparse.Namespace) -> Path | None:
    """Return the file of a chat template that replaces the model's; None: there is none."""
    given = getattr(options, "chat_template_file", None)
    return None if given is None else Path(given)


def has_template(options: argparse.Namespace) -> bool:
    """Return whether there is a chat template, in the model's file or given; reads no weights."""
    if _template_file(options) is not None:
        return True
    with GGUFFile(resolve(options.model)) as file:
        return isinstance(file.metadata.get("tokenizer.chat_template"), str)


def check_template(options: argparse.Namespace) -> None:
    """Raise UnsupportedError if there is no chat template; reads no weights."""
    if not has_template(options):
        hint = "pyhexagon run MODEL PROMPT completes a text"
        raise UnsupportedError(f"{options.model} has no chat template", hint=hint)


def beginning(system: str | None) -> list[dict[str, Any]]:
    """Return the first messages of a conversation.

    Without a system prompt many templates insert one of their own; an empty system prompt replaces it.
    """
    return [] if system is None else [{"role": "system", "content": system}]


def shown(text: str) -> str:
    """Return text of a model without control characters, which could control the terminal."""
    return "".join(
        character if character in "\n\t" or unicodedata.category(character) != "Cc" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def show(text: str) -> None:
    """Print text of a model or a user, without its control characters."""
    print(shown(text), end="", flush=True)


class AnswerScreen:
    """Streams an answer: reasoning goes to stderr, dimmed on a terminal, the rest to stdout."""

    def __init__(self) -> None:
        self._is_thinking = False

    def show(self, part: GenerationChunk) -> None:
        """Print one chunk of the stream."""
        if part.reasoning:
            self._is_thinking = True
            dim, normal = ("\x1b[2m", "\x1b[0m") if sys.stderr.isatty() else ("", "")
            print(f"{dim}{shown(part.reasoning)}{normal}", end="", file=sys.stderr, flush=True)
        if part.text:
            if self._is_thinking:
                print("\n", file=sys.stderr, flush=True)
                self._is_thinking = False
            show(part.text)


def show_rates(prompt_tokens: int, prompt_seconds: float, made: Sequence[GenerationChunk], seconds: float) -> None:
    """Print tokens per second to stderr. The time of the first token counts as the prompt's."""
    generation = (len(made) - 1) / seconds if len(made) > 1 else 0.0
    rates = f"Prompt: {prompt_tokens / prompt_seconds:.1f} t/s | Generation: {generation:.1f} t/s"
    if n_drafted := sum(part.draft_n for part in made):
        rates += f" | Draft: {sum(part.from_draft for part in made)} of {n_drafted} tokens accepted"
    print(f"[ {rates} ]", file=sys.stderr)


def show_whether_cut(n_ctx: int, prompt_tokens: int, made: Sequence[GenerationChunk]) -> None:
    """Print a line to stderr if the context length or -n ended the completion.

    Args:
        n_ctx: the context length; 0 if the context shifts.
    """
    if not made or made[-1].finish_reason != "length":
        return
    if prompt_tokens + len(made) == n_ctx:
        print("[ the context is full and the completion ends here; --context-shift continues it ]", file=sys.stderr)
        return
    dim(f"(cut at -n {len(made)} tokens)")


def dim(line: str) -> None:
    """Print a line to stderr, dimmed on a terminal."""
    print(f"\033[2m{line}\033[0m" if sys.stderr.isatty() else line, file=sys.stderr)


def content(path: str) -> str:
    """Return the text of a file, or of stdin for "-".

    Raises:
        ArgumentError: it cannot be read, or is not UTF-8.
    """
    try:
        with open(sys.stdin.fileno() if path == "-" else path, encoding="utf-8", closefd=path != "-") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise ArgumentError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
