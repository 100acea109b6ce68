# SPDX-License-Identifier: MIT
"""``pyhexagon show``: a model's architecture, and the context length that each size of board has memory for."""

from __future__ import annotations

import argparse
from math import prod
from typing import Any, Final

from pyhexagon.cache import KINDS
from pyhexagon.cli import image_options, on_board, show_speech
from pyhexagon.cli.output import Output
from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.engine.recurrent_state import state_bytes
from pyhexagon.llm.engine.stage import room
from pyhexagon.llm.files.recommended import recommended
from pyhexagon.llm.files.weights import EMBEDDING
from pyhexagon.llm.memory import SessionMemory, longest_context, planned
from pyhexagon.llm.vision.memory import EncoderPlan
from pyhexagon.llm.vision.memory import planned as planned_encoder
from pyhexagon.llm.vision.pulled import pulled_mmproj
from pyhexagon.models.catalogue import BOARDS
from pyhexagon.models.store import is_whisper_file, resolve

_MIB: Final = 1 << 20
_HOST: Final = 1 << 30  # roughly, for the system and Python
_CONTEXTS: Final = (2048, 8192, 32768, 131072)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a GGUF file, a file of whisper.cpp, or a pulled model's name")
    encoder = parser.add_mutually_exclusive_group()
    encoder.add_argument(
        "--mmproj", metavar="FILE", help="the model's mmproj file (default: the one that was pulled with the model)"
    )
    encoder.add_argument("--no-mmproj", action="store_true", help="the memory without an mmproj file")
    image_options.add_weights(parser)
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    path = resolve(options.model)
    if is_whisper_file(path):
        show_speech.show(path, output)
        return
    plan, problem = _encoder(path, options)
    with GGUFFile(path) as file:
        facts = _facts(file, plan)
    facts["images"] = None if plan is None else plan.facts()
    facts["no_images"] = problem
    if output.as_json:
        output.json(facts)
        return
    output.facts(_lines(facts))
    if facts["unsupported"]:
        return
    print()
    contexts = next(iter(facts["memory"].values()))["contexts"]
    titles = [("cache", False), *((f"{n_ctx} tokens, MiB", True) for n_ctx in contexts)]
    titles += [(f"most on {size} GB", True) for size in BOARDS]
    rows = []
    for kind, memory in facts["memory"].items():
        totals = (f"{sum(plan.values()) / _MIB:,.0f}" for plan in memory["contexts"].values())
        longest = (f"{n_ctx:,}" if n_ctx else "-" for n_ctx in memory["longest_context"].values())
        rows.append([kind, *totals, *longest])
    output.table(titles, rows, n_keys=1)
    output.facts([("", f"of a board's memory {_HOST >> 30} GiB is left to the system and to Python")])


def _encoder(path: str, options: argparse.Namespace) -> tuple[EncoderPlan | None, str]:
    """Return the plan of the image encoder, None if there is none, and why a pulled one cannot be run."""
    mmproj, problem = options.mmproj, ""
    if mmproj is None and not options.no_mmproj:
        mmproj, problem = pulled_mmproj(path)
    if not mmproj or problem:
        return None, problem
    with GGUFFile(mmproj) as file:
        return planned_encoder(file, options.mmproj_weights), ""


def _facts(file: GGUFFile, encoder: EncoderPlan | None) -> dict[str, Any]:
    metadata = file.metadata
    types: dict[str, dict[str, int]] = {}
    for name in file:
        info = file.info(name)
        of_type = types.setdefault(info.type_name, {"tensors": 0, "bytes": 0})
        of_type["tensors"] += 1
        of_type["bytes"] += info.n_bytes
    facts: dict[str, Any] = {
        "file": file.path,
        "name": metadata.get("general.name"),
        "architecture": metadata.get("general.architecture"),
        "parameters": sum(prod(file.info(name).shape) for name in file),
        "types": types,
        "chat_template": "tokenizer.chat_template" in metadata,
        "sampling": recommended(file),
        "unsupported": "",
    }
    try:
        can_run = checked(file)
    except UnsupportedError as error:
        return facts | {"unsupported": str(error)}
    config = can_run[0]
    rooms, is_encoder = room(config, config.n_ctx), config.is_encoder
    windowed = [
        block for block in config.blocks if config.window_of(block) and config.has_cache(block) and not is_encoder
    ]
    facts |= {
        "layers": config.n_layers,
        "width": config.width,
        "heads": max(config.n_heads),
        "kv_heads": max(config.n_kv_heads),
        "head_size": config.head_size,
        "vocabulary": file.info(EMBEDDING).shape[0],
        "context": config.n_ctx,
        "window": config.window,
        "window_layers": len(windowed),
        "window_bytes": sum(rooms[layer] for layer in windowed),
        "recurrence": config.recurrence.name if config.recurrence else None,
        "recurrent_layers": sum(map(config.is_recurrent, range(config.n_layers))),
        "remembered_bytes": sum(
            state_bytes(config, 1) for layer in range(config.n_layers) if config.is_recurrent(layer)
        ),
    }
    beside = SessionMemory(0, 0, 0) if encoder is None else encoder.memory
    facts["memory"] = {}
    for kind in KINDS:
        lengths = [n_ctx for n_ctx in _CONTEXTS if n_ctx < config.n_ctx] + [config.n_ctx]
        plans = {n_ctx: planned(file, can_run, n_ctx, kind=kind).plus(beside) for n_ctx in lengths}
        longest = {size: longest_context(plans[lengths[0]], config, (size << 30) - _HOST, kind) for size in BOARDS}
        facts["memory"][kind] = {
            "contexts": {n_ctx: plan._asdict() for n_ctx, plan in plans.items()},
            "longest_context": longest,
        }
    return facts


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    types = ", ".join(
        f"{name} {of_type['tensors']} ({of_type['bytes'] / _MIB:,.0f} MiB)" for name, of_type in facts["types"].items()
    )
    lines = [
        ("model", str(facts["name"] or facts["file"])),
        ("architecture", str(facts["architecture"])),
        ("parameters", f"{facts['parameters'] / 1e6:,.{0 if facts['parameters'] >= 1e6 else 2}f} M"),
        ("types", types),
        ("chat template", "yes" if facts["chat_template"] else "no"),
    ]
    if facts["sampling"]:
        lines.append(("sampling", ", ".join(f"{name} {value:g}" for name, value in facts["sampling"].items())))
    if facts["unsupported"]:
        return [*lines, ("cannot be run", facts["unsupported"])]
    heads = f"{facts['heads']} heads of {facts['head_size']} over {facts['kv_heads']}"
    window = f", a window of {facts['window']}" if facts["window"] else ""
    n_window, window_bytes = facts["window_layers"], facts["window_bytes"] / _MIB
    windowed = f"in {n_window} layers, {window_bytes:,.1f} MiB of the context, however long a text is"
    remembered = facts["remembered_bytes"] / _MIB
    recurrent = f"in {facts['recurrent_layers']} layers, {remembered:,.1f} MiB of the context, however long a text is"
    plan = next(iter(facts["memory"].values()))["contexts"]
    (first, *_) = plan.values()
    return [
        *lines,
        ("layers", f"{facts['layers']} of width {facts['width']}, {heads}{window}"),
        *([("window", windowed)] if n_window else []),
        *([(facts["recurrence"], recurrent)] if remembered else []),
        ("vocabulary", f"{facts['vocabulary']:,} tokens"),
        ("context", f"{facts['context']:,} tokens"),
        *([("images", _about_images(facts["images"]))] if facts["images"] else []),
        *([("images", f"no: {facts['no_images']}")] if facts["no_images"] else []),
        ("on the DSP", f"model {first['model'] / _MIB:,.1f} MiB, compute about {first['compute'] / _MIB:,.1f} MiB"),
    ]


def _about_images(images: dict[str, Any]) -> str:
    """Return what the encoder is, what a picture takes of the context, and the encoder's part of the memory."""
    width, height = images["picture"]
    tiles = f"{images['tiles']} tiles, " if images["tiles"] > 1 else ""
    memory = images["memory"]
    advice = image_options.advice(images)
    return (
        f"{images['projector']}, {images['layers']} layers of width {images['width']}, tiles of {images['image_size']} "
        f"pixels, {images['parameters'] / 1e6:,.0f} M parameters, {image_options.types(images)}; a picture of {width} "
        f"x {height}: {tiles}{images['tokens']:,} tokens of the context; model {memory['model'] / _MIB:,.1f} MiB, "
        f"compute about {memory['compute'] / _MIB:,.1f} MiB{f'; {advice}' if advice else ''}"
    )
