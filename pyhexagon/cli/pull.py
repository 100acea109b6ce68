# SPDX-License-Identifier: MIT
"""``pyhexagon pull``: download a model, or link a file, and give it a name."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from pyhexagon import extras
from pyhexagon.cli import image_options, on_board
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.hyper_parameters import check_kind
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.memory import planned
from pyhexagon.llm.vision.pulled import mmproj_beside
from pyhexagon.models import store
from pyhexagon.models.pull import pull
from pyhexagon.speech.ggml_file import WhisperFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", metavar="MODEL",
        help="a name of the catalogue (pyhexagon list --all), hf:ORG/REPO[:QUANT], or a file (GGUF or whisper.cpp's), "
        "which is linked",
    )  # fmt: skip
    parser.add_argument("--name", help="the name to give it (default: MODEL; of a file, its stem)")
    encoder = parser.add_mutually_exclusive_group()
    encoder.add_argument(
        "--mmproj", metavar="FILE",
        help="the model's mmproj file: its name or quantisation in the repository, such as F16 (default: Q8_0 if there "
        "is one), or a file for a model that is linked",
    )  # fmt: skip
    encoder.add_argument("--no-mmproj", action="store_true", help="leave out the mmproj file: the model sees no images")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    if os.path.isfile(options.model):
        if store.is_whisper_file(options.model):
            WhisperFile(options.model)  # it is checked
            if options.mmproj is not None:
                raise ArgumentError(f"--mmproj: {options.model} is a speech model")
        else:
            with GGUFFile(options.model) as file:
                check_kind(file)
        if options.mmproj is not None:
            _check_mmproj(options.mmproj)
        entry = store.link(options.name or Path(options.model).stem, options.model, options.mmproj)
    else:
        with extras.needed("models from a hub", "llm"):
            from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]  # lazy
        if output.as_json or not sys.stderr.isatty():
            disable_progress_bars()
        entry = pull(options.model, options.name, mmproj=options.mmproj or not options.no_mmproj)
    command, problem, images, advice = "", "", "", ""
    try:
        command = _command(entry.path)
    except HexagonError as error:
        problem = str(error)
    if entry.mmproj:
        images = "yes"
        try:
            with GGUFFile(entry.mmproj) as file:
                advice = image_options.advice(planned(file).facts())
        except HexagonError as error:
            images = f"no: {error}"
    elif os.path.isfile(options.model) and not store.is_whisper_file(entry.path) and (
        found := mmproj_beside(options.model)
    ):
        again = shlex.join(["--mmproj", found, "--name", entry.name])
        images = f"no; for images, pyhexagon rm {shlex.quote(entry.name)}, and pull it with {again}"
    if output.as_json:
        held = [file._asdict() for file in entry.files]
        output.json({
            "name": entry.name, "source": entry.source, "path": entry.path, "files": held, "problem": problem,
            "mmproj": entry.mmproj, "images": images,
        })  # fmt: skip
        return
    output.facts([
        ("name", entry.name),
        ("source", entry.source),
        ("files", ", ".join(f"{file.name} ({file.size:,} bytes)" for file in entry.files)),
        *([("images", f"{images}; {advice}" if advice else images)] if images else []),
        ("cannot be run", problem) if problem else ("next", command.format(shlex.quote(entry.name))),
    ])


def _check_mmproj(path: str) -> None:
    """Raise HexagonError unless a file is an mmproj file that can be run."""
    with GGUFFile(path) as file:
        mmproj.read(file, KINDS)


def _command(path: str) -> str:
    """Return the command to try a model with, ``{}`` for its name; raises if it cannot be run."""
    if store.is_whisper_file(path):
        WhisperFile(path)
        return "pyhexagon transcribe --model {} FILE"
    with GGUFFile(path) as file:
        config, _ = checked(file)
        if config.pooling is not None:
            return "pyhexagon embed {} TEXT TEXT"
        return "pyhexagon chat {}" if "tokenizer.chat_template" in file.metadata else "pyhexagon run {} PROMPT"
