# SPDX-License-Identifier: MIT
"""The published model tiny.en as whisper.cpp's file, and clips of speech: both from Python packages (tests/needs.py).

The package has the model as CTranslate2 stores it, with matrices of float16. ``write`` makes ggml-tiny.en.bin of it.
"""

from __future__ import annotations

import json
import struct
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import needs
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Q

from pyhexagon.llm.tokens.subwords import byte_letters
from pyhexagon.speech.hyper_parameters import HyperParameters
from speech import whisper_files

F32 = npt.NDArray[np.float32]
RATE = 16_000
CLIPS = ("beckett", "clone-test", "endgame_nagg_nell", "error", "success", "two_cities")


def mel_filters(n_mels: int = 80) -> F32:
    """Return Slaney's mel filters, (n_mels, 201), by their definition: linear below 1 kHz, logarithmic above."""
    step = np.log(6.4) / 27
    mels = np.linspace(0, 15 + np.log(8) / step, n_mels + 2)
    hertz = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(step * (mels - 15)))
    distances, widths = hertz[:, None] - np.linspace(0, RATE / 2, 201), np.diff(hertz)[:, None]
    triangles = np.maximum(0, np.minimum(-distances[:-2] / widths[:-1], distances[2:] / widths[1:]))
    return np.asarray(triangles * 2 / (hertz[2:] - hertz[:-2])[:, None], np.float32)


def clip(name: str) -> F32:
    """Return a clip at 16 kHz, (samples,); resampled linearly, so that its samples are the same everywhere."""
    with wave.open(str(needs.SPEECH_CLIPS.path / f"{name}.wav")) as file:
        n_channels, rate = file.getnchannels(), file.getframerate()
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float64) / 32768
    mono = samples.reshape(-1, n_channels).mean(axis=1)
    places = np.arange(len(mono) * RATE // rate) * (rate / RATE)
    return np.asarray(np.interp(places, np.arange(len(mono)), mono), np.float32)


def write(path: Path) -> Path:
    """Write the model in whisper.cpp's format, in float16."""
    folder = needs.TINY_EN.path
    stored = _ctranslate2((folder / "model.bin").read_bytes())
    tensors = dict(_renamed(stored))
    n_vocab, width = tensors["decoder.token_embedding.weight"].shape
    n_layers = [sum(name.startswith(side) and name.endswith("mlp.0.weight") for name in tensors)
                for side in ("encoder", "decoder")]  # fmt: skip
    contexts = [len(tensors[f"{side}.positional_embedding"]) for side in ("encoder", "decoder")]
    heads = width // 64
    of = HyperParameters(n_vocab, contexts[0], width, heads, n_layers[0], contexts[1], width, heads, n_layers[1], 80, 1)
    letters = {letter: byte for byte, letter in byte_letters().items()}
    known = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    texts = [bytes(letters[letter] for letter in text) for text in sorted(known, key=known.get)][: of.n_texts + 1]
    head = [whisper_files.header(of), struct.pack("<2i", 80, 201), mel_filters().tobytes()]
    parts = [whisper_files.tensor(name, values, Q.F16) for name, values in tensors.items()]
    path.write_bytes(b"".join([*head, whisper_files.vocabulary(texts), *parts]))
    return path


def _ctranslate2(content: bytes) -> dict[str, npt.NDArray[Any]]:
    """Return the variables of a model of CTranslate2 by name."""
    types, at = (np.float32, np.int8, np.int16, np.int32, np.float16), 0

    def number(form: str) -> int:
        nonlocal at
        at += struct.calcsize(form)
        return int(struct.unpack_from(form, content, at - struct.calcsize(form))[0])

    def taken(length: int) -> bytes:
        nonlocal at
        at += length
        return content[at - length : at]

    number("<I")  # its version
    taken(number("<H"))  # the model's name
    number("<I")  # its revision
    variables = {}
    for _ in range(number("<I")):
        name = taken(number("<H")).rstrip(b"\0").decode()
        shape = [number("<I") for _ in range(number("<B"))]
        dtype = np.dtype(types[number("<B")])
        variables[name] = np.frombuffer(taken(number("<I")), dtype).reshape(shape)
    return variables


def _renamed(stored: dict[str, npt.NDArray[Any]]) -> Iterator[tuple[str, F32]]:
    """Yield the tensors by OpenAI's names; CTranslate2 keeps queries, keys and values in one matrix."""

    def floats(name: str) -> F32:
        return stored[name].astype(np.float32)

    def linear(to: tuple[str, ...], source: str) -> Iterator[tuple[str, F32]]:
        for kind in ("weight", "bias"):
            for name, values in zip(to, np.split(floats(f"{source}/{kind}"), len(to)), strict=True):
                if not (name.endswith("key") and kind == "bias"):
                    yield f"{name}.{kind}", values

    def norm(to: str, source: str) -> Iterator[tuple[str, F32]]:
        yield f"{to}.weight", floats(f"{source}/gamma")
        yield f"{to}.bias", floats(f"{source}/beta")

    for number in (1, 2):
        yield f"encoder.conv{number}.weight", floats(f"encoder/conv{number}/weight")
        yield f"encoder.conv{number}.bias", floats(f"encoder/conv{number}/bias")[:, None]
    yield "decoder.token_embedding.weight", floats("decoder/embeddings/weight")
    for side, last in (("encoder", "ln_post"), ("decoder", "ln")):
        yield f"{side}.positional_embedding", floats(f"{side}/position_encodings/encodings")
        yield from norm(f"{side}.{last}", f"{side}/layer_norm")
        layer = 0
        while f"{side}/layer_{layer}/ffn/linear_0/weight" in stored:
            to, source = f"{side}.blocks.{layer}", f"{side}/layer_{layer}"
            yield from norm(f"{to}.attn_ln", f"{source}/self_attention/layer_norm")
            three = tuple(f"{to}.attn.{name}" for name in ("query", "key", "value"))
            yield from linear(three, f"{source}/self_attention/linear_0")
            yield from linear((f"{to}.attn.out",), f"{source}/self_attention/linear_1")
            if side == "decoder":
                cross = f"{source}/attention"
                yield from norm(f"{to}.cross_attn_ln", f"{cross}/layer_norm")
                yield from linear((f"{to}.cross_attn.query",), f"{cross}/linear_0")
                yield from linear((f"{to}.cross_attn.key", f"{to}.cross_attn.value"), f"{cross}/linear_1")
                yield from linear((f"{to}.cross_attn.out",), f"{cross}/linear_2")
            yield from norm(f"{to}.mlp_ln", f"{source}/ffn/layer_norm")
            yield from linear((f"{to}.mlp.0",), f"{source}/ffn/linear_0")
            yield from linear((f"{to}.mlp.2",), f"{source}/ffn/linear_1")
            layer += 1
