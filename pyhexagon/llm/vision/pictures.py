# SPDX-License-Identifier: MIT
"""Pictures from what users pass: files, ``data:`` URLs, bytes, Pillow's images and arrays.

A file's bytes may be a stranger's: a worker process with limits decodes them, and checks the size before. Nothing is
fetched from a network.
"""

from __future__ import annotations

import base64
import binascii
import importlib.util
import json
import os
import re
from itertools import cycle
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from pyhexagon import extras, workers
from pyhexagon.arguments import described
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.vision.resizing import U8

FORMATS: Final = "PNG", "JPEG", "WEBP", "GIF", "BMP"
MAX_PIXELS: Final = 1 << 25
MAX_BYTES: Final = 1 << 26  # of a file
_PROGRAM: Final = Path(__file__).with_name("decoding.py")
_CPU_SECONDS: Final = 20
_WORKER_BYTES: Final = 2 << 30
_DATA_URL: Final = re.compile(r"data:(?:[\w.+-]+/[\w.+-]+)?(?:;[\w.+-]+=[^;,]*)*;base64,", re.ASCII)
_DECODING: Final = cycle([Lock(), Lock()])  # each holder may take 1 GiB, in this process and in the worker
_OTHER_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def picture_of(value: Any, *, may_read_files: bool = True) -> U8:
    """Return a picture, (height, width, 3) uint8.

    Args:
        value: a ``data:`` URL in base64 or the path of a file (also as ``file://`` URL); its bytes; an image of
            Pillow's; or uint8 (H, W, 3). Of an animation, the first frame; transparency is dropped.
        may_read_files: False refuses paths: of a client of a server.

    Raises:
        ArgumentError: it is none of these; it is damaged, or larger than 64 MiB or 33,554,432 pixels; the file cannot
            be read; or it is a URL of a network.
        UnsupportedError: Pillow is not installed.
    """
    if isinstance(value, np.ndarray):
        if value.dtype != np.uint8 or value.ndim != 3 or value.shape[2] != 3 or not value.size:
            raise ArgumentError(f"a picture of {value.dtype} {value.shape}: expected uint8 (height, width, 3)")
        return value
    if isinstance(value, str) and value[:5].lower() == "data:":
        return decoded(_of_url(value))
    if isinstance(value, (str, os.PathLike)):
        return decoded(_read(os.fspath(value), may_read_files=may_read_files))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return decoded(bytes(value))
    if hasattr(value, "convert") and hasattr(value, "getexif"):
        return _of_pillow(value)
    raise ArgumentError(
        f"a picture of {described(value)}: expected a data: URL, a path, bytes, a Pillow image or an array"
    )


def _of_url(url: str) -> bytes:
    found = _DATA_URL.match(url)
    if found is None:
        raise ArgumentError(f"the picture {url[:40]!r} ...: expected data:image/...;base64,...")
    try:
        return base64.b64decode(url[found.end() :], validate=True)
    except (binascii.Error, ValueError):
        raise ArgumentError("a picture's data: URL is no base64") from None


def _read(path: str, *, may_read_files: bool) -> bytes:
    if path.startswith("file://"):
        path = path.removeprefix("file://")
    elif _OTHER_URL.match(path):
        raise ArgumentError(f"the picture {path[:80]!r}: nothing is fetched", hint="a data: URL holds the image itself")
    if not may_read_files:
        raise ArgumentError("a picture is the name of a file: expected a data: URL")
    try:
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as problem:
        raise ArgumentError(f"the picture {path!r} cannot be read: {getattr(problem, 'strerror', problem)}") from None


def _of_pillow(image: Any) -> U8:
    with extras.needed("images", "vision"):
        from PIL import ImageOps
    return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def decoded(data: bytes) -> U8:
    """Return the picture of a file's bytes, decoded in a worker process."""
    if importlib.util.find_spec("PIL") is None:
        raise extras.missing("images", "PIL", "vision")
    if not 0 < len(data) <= MAX_BYTES:
        raise ArgumentError(f"a picture of {len(data):,} bytes: expected 1 to {MAX_BYTES:,}")
    arguments = {"max_pixels": MAX_PIXELS, "formats": FORMATS}
    request = json.dumps(base64.b64encode(data).decode())
    with next(_DECODING):
        try:
            answer = workers.ask(_PROGRAM, arguments, request, cpu_seconds=_CPU_SECONDS, max_bytes=_WORKER_BYTES)
        except workers.WorkerEnded as reason:
            raise ArgumentError(f"a picture cannot be decoded: {reason}") from None
        if "text" not in answer:
            raise ArgumentError(f"a picture cannot be decoded: {answer['problem']}")
        width, height, pixels = answer.pop("text").split(" ")
        return np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(int(height), int(width), 3)
