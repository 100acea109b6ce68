# SPDX-License-Identifier: MIT
"""Saved kernels: a zip file with the declarations (kernel.json), the source, and an image for each target.

The declarations hold the hash of every image, so that a damaged file is refused before it is loaded. A kernel is native
code: open only files of people whom you trust.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from pyhexagon import files
from pyhexagon.errors import ArgumentError, HexagonError, KernelError
from pyhexagon.kernels import elf

SUFFIX: Final = ".phxk"
_VERSION: Final = 1
BOARDS: Final = ("v68", "aarch64-neon")
_MOST_BYTES: Final = 16 << 20  # of a member
_DATE: Final = (2026, 1, 1, 0, 0, 0)


class Saved(NamedTuple):
    """What a file holds.

    Attributes:
        declared: parameters, the rule for results, and so on, expressible in JSON.
        source: C source, or nothing.
        images: the compiled files by target.
    """

    declared: dict[str, Any]
    source: str
    images: Mapping[str, bytes]


def save(saved: Saved, path: Path) -> None:
    """Write a file."""
    hashes = {target: hashlib.sha256(image).hexdigest() for target, image in saved.images.items()}
    declared = {**saved.declared, "version": _VERSION, "images": hashes}

    def write(file: BinaryIO) -> None:
        with zipfile.ZipFile(file, "w") as to:
            _add(to, "kernel.json", json.dumps(declared, indent=1).encode())
            _add(to, "source.c", saved.source.encode())
            for target, image in saved.images.items():
                _add(to, f"{target}.so", image)

    files.save(path, write)


def read(path: Path) -> Saved:
    """Return what a file holds; all images are intact.

    Raises:
        KernelError: the file is damaged, or of another version.
        ArgumentError: it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as file:
            declared = json.loads(_member(file, "kernel.json"))
            if declared["version"] != _VERSION:
                raise KernelError(f"{path} has version {declared['version']}, this package reads {_VERSION}")
            source = _member(file, "source.c").decode()
            images = {str(target): _member(file, f"{target}.so") for target in declared["images"]}
        for target, image in images.items():
            if hashlib.sha256(image).hexdigest() != declared["images"][target]:
                raise KernelError(f"{path} is damaged: the code for {target} has another hash")
            elf.read(image, target)
    except OSError as error:
        raise ArgumentError(f"cannot read {path}: {error.strerror or error}") from None
    except HexagonError:
        raise
    except (zipfile.BadZipFile, zlib.error, KeyError, TypeError, ValueError, EOFError, NotImplementedError,
            RuntimeError, AttributeError, OverflowError) as error:  # fmt: skip
        raise KernelError(f"{path} is no saved kernel: {error}") from None
    return Saved(declared, source, images)


def _member(file: zipfile.ZipFile, name: str) -> bytes:
    if file.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"{name} is too large")
    return file.read(name)


def _add(file: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(info, data)
