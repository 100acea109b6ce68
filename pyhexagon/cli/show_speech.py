# SPDX-License-Identifier: MIT
"""``pyhexagon show`` of a speech model: its sizes, and the memory that it takes."""

from __future__ import annotations

from dataclasses import asdict
from math import prod
from typing import Any, Final

from pyhexagon.cli.output import Output
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.memory import planned
from pyhexagon.speech.vocabulary import WhisperVocabulary

_MIB: Final = 1 << 20
_WEIGHTS: Final = {"file": "types of the file", "q8_0": "float ones as Q8_0"}
_SIZES: Final = {  # by layers of encoder and decoder
    (4, 4): "tiny", (6, 6): "base", (12, 12): "small", (24, 24): "medium", (32, 32): "large", (32, 4): "large turbo",
}  # fmt: skip


def show(path: str, output: Output) -> None:
    """Print what a file of whisper.cpp has."""
    facts = _facts(WhisperFile(path))
    if output.as_json:
        output.json(facts)
        return
    output.facts(_lines(facts))
    print()
    titles = [("weights", False), ("weights, MiB", True), ("a window of audio, MiB", True), ("a sequence, MiB", True)]
    rows = [
        [_WEIGHTS[kind], *(f"{memory[name] / _MIB:,.1f}" for name in ("weights", "audio", "text"))]
        for kind, memory in facts["memory"].items()
    ]
    output.table(titles, rows, n_keys=1)


def _facts(file: WhisperFile) -> dict[str, Any]:
    sizes, types = file.hyper_parameters, dict[str, dict[str, int]]()
    for info in map(file.info, file.names()):
        of_type = types.setdefault(info.type_name, {"tensors": 0, "bytes": 0})
        of_type["tensors"] += 1
        of_type["bytes"] += info.n_bytes
    return {
        "file": file.path,
        "architecture": "whisper",
        "size": _SIZES.get((sizes.n_audio_layer, sizes.n_text_layer), ""),
        "parameters": sum(prod(file.info(name).shape) for name in file.names()),
        "types": types,
        "languages": list(WhisperVocabulary(file).languages),
        **asdict(sizes),
        "memory": {kind: planned(file, weights=kind)._asdict() for kind in _WEIGHTS},
    }


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    types = ", ".join(
        f"{name} {of_type['tensors']} ({of_type['bytes'] / _MIB:,.0f} MiB)" for name, of_type in facts["types"].items()
    )
    n_languages = len(facts["languages"])
    return [
        ("model", facts["file"]),
        ("architecture", f"whisper {facts['size']}".strip() + ", a speech model: pyhexagon transcribe"),
        ("parameters", f"{facts['parameters'] / 1e6:,.1f} M"),
        ("types", types),
        ("languages", f"{n_languages}" if n_languages > 1 else "English"),
        (
            "encoder",
            f"{facts['n_audio_layer']} layers of width {facts['n_audio_state']}, {facts['n_audio_head']} heads, "
            f"{facts['n_mels']} mel bands, {facts['n_audio_ctx'] / 50:g} s",
        ),
        ("decoder", f"{facts['n_text_layer']} layers, {facts['n_text_head']} heads, {facts['n_text_ctx']} tokens"),
        ("vocabulary", f"{facts['n_vocab']:,} tokens"),
    ]
