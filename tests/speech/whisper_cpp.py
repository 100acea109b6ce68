# SPDX-License-Identifier: MIT
"""Records what whisper.cpp computes, with the package pywhispercpp:

    pip install pywhispercpp; cd tests; python -m speech.whisper_cpp speech/recorded/{mel,clips}.json

MEL.json gets spectrograms of made-up sounds, CLIPS.json the segments of the clips with tiny.en, greedy.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from speech import published

F32 = npt.NDArray[np.float32]

LENGTHS: Final = (201, 400, 3200)  # samples of the sounds; whisper.cpp 1.8.5 reads past the end of shorter ones
_STATE_BYTES: Final = 4096  # in which whisper.cpp's state has the spectrogram's sizes


def sound(n_samples: int) -> F32:
    """Return a made-up sound: a rising tone, a hum and noise that fades."""
    seconds = np.arange(n_samples) / published.RATE
    noise = np.random.default_rng(7).standard_normal(n_samples) * np.exp(-seconds * 20)
    tone = np.sin(2 * np.pi * (300 + 4000 * seconds) * seconds) * 0.4
    return (tone + 0.1 * np.sin(2 * np.pi * 50 * seconds) + 0.05 * noise).astype(np.float32)


def spectrogram(library: Any, context: Any, audio: F32) -> F32:
    """Return whisper.cpp's log-mel spectrogram. No function returns it, so it is found by its sizes in the state."""
    state = ctypes.c_void_p(library.whisper_init_state(context))
    samples = np.ascontiguousarray(audio).ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    assert library.whisper_pcm_to_mel_with_state(context, state, samples, len(audio), 1) == 0
    words = np.frombuffer(ctypes.string_at(state, _STATE_BYTES), np.int32)
    n_frames = (len(audio) + 30 * published.RATE) // 160
    (found,) = (at for at in range(len(words) - 8) if words[at] == n_frames and words[at + 2] == 80)
    begin, end = words[found + 4 : found + 8].view(np.uint64).tolist()
    content = ctypes.string_at(begin, end - begin)
    library.whisper_free_state(state)
    return np.frombuffer(content, np.float32).reshape(80, n_frames)


def opened(path: Path) -> tuple[Any, Any]:
    """Return whisper.cpp's library and the context of a model."""
    extension = importlib.import_module("_pywhispercpp").__file__
    assert extension is not None
    library = ctypes.CDLL(os.path.join(os.path.dirname(extension), "libwhisper.so"))
    for name in ("whisper_init_from_file", "whisper_init_state"):
        getattr(library, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.whisper_init_from_file(str(path).encode()))
    assert context.value
    return library, context


def segments(model: Any, audio: F32) -> list[dict[str, object]]:
    """Return the segments of greedy decoding: begin and end in 10 ms, text, tokens."""
    functions: Any = importlib.import_module("_pywhispercpp")
    found = []
    for number, one in enumerate(model.transcribe(audio, greedy={"best_of": 1})):
        n_tokens = functions.whisper_full_n_tokens(model._ctx, number)
        tokens = [functions.whisper_full_get_token_id(model._ctx, number, at) for at in range(n_tokens)]
        found.append({"t0": one.t0, "t1": one.t1, "text": one.text, "tokens": tokens})
    return found


def main() -> None:
    """Run the command line."""
    mel, clips = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        path = published.write(Path(folder, "ggml-tiny.en.bin"))
        library, context = opened(path)
        parts = {n: spectrogram(library, context, sound(n))[:, : 6 + n // 160].round(5).T.tolist() for n in LENGTHS}
        _write(mel, parts)
        model = importlib.import_module("pywhispercpp.model").Model(str(path), print_progress=False)
        _write(clips, {name: segments(model, published.clip(name)) for name in published.CLIPS})


def _write(path: Path, lists: Mapping[Any, list[Any]]) -> None:
    """Write lists by name, an item a line."""
    parts = (f' "{name}": [\n' + ",\n".join(f"  {json.dumps(one)}" for one in part) for name, part in lists.items())
    path.write_text("{\n" + "\n ],\n".join(parts) + "\n ]\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
