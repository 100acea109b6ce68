# SPDX-License-Identifier: MIT
"""What a file is that is not a model file of the expected format, told by its first bytes."""

from __future__ import annotations

from typing import Final

N_BYTES: Final = 256  # that decide
WHISPER_MAGIC: Final = b"lmgg"  # also of llama.cpp's first format
WHISPER_VOCABULARIES: Final = (51864, 51865, 51866)  # English; multilingual; multilingual since large-v3
_BEGINNINGS: Final = {  # in lower case
    b"version https://git-lfs": "a pointer of Git LFS; git lfs pull downloads the file",
    b"<!doctype html": "a web page; download the file itself, or: pyhexagon pull",
    b"<html": "a web page; download the file itself, or: pyhexagon pull",
    b"pk\x03\x04": "a ZIP archive, as PyTorch writes; llama.cpp's convert_hf_to_gguf.py makes GGUF files of models",
    b"\x1f\x8b": "compressed with gzip",
    b"ggml": "an old format of llama.cpp; download the model again",
    b"ggjt": "an old format of llama.cpp; download the model again",
    b"lmgg": "an old format of llama.cpp; download the model again",
    b"tjgg": "an old format of llama.cpp; download the model again",
    b"{": "JSON, such as a model's config.json; the model is in another file",
    b"from ": "a Modelfile; its line FROM names the model",
}


def is_whisper(begin: bytes) -> bool:
    """Return whether a file that begins so is a whisper model of whisper.cpp."""
    return begin[:4] == WHISPER_MAGIC and int.from_bytes(begin[4:8], "little") in WHISPER_VOCABULARIES


def kind_of(begin: bytes) -> str:
    """Return what a file is whose first ``N_BYTES`` are ``begin``, and what to do with it."""
    if is_whisper(begin):
        return "a speech model of whisper.cpp; pyhexagon transcribe runs it"
    stripped = begin.lstrip().lower()
    for start, what in _BEGINNINGS.items():
        if stripped.startswith(start):
            return what
    if begin[8:10] == b'{"':
        return "safetensors; llama.cpp's convert_hf_to_gguf.py makes a GGUF file of it"
    return f"it starts with {begin[:4]!r}"
