# SPDX-License-Identifier: MIT
"""Compiled kernels in the user's cache, under a hash of all that their bytes depend on.

A file holds the line table as JSON, then the image: an unreadable one is compiled again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from pyhexagon.errors import KernelError
from pyhexagon.kernels import elf, lines, toolchain
from pyhexagon.version import VERSION

_MOST_FILES: Final = 1000
_MAGIC: Final = b"PHXC"


def folder() -> Path:
    """Return the folder of compiled kernels, whether it exists or not."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyhexagon" / "kernels"


def compiled(source: str, name: str, target: str, options: Sequence[str]) -> toolchain.Compiled:
    """Return a compiled source, from the cache if it is there.

    Raises:
        KernelError: as ``toolchain.compile_c``.
        UnsupportedError: it must be compiled, and there is no compiler.
    """
    path = folder() / f"{_key(source, name, target, options)}.kernel"
    if (found := _read(path, target)) is not None:
        return found
    made = toolchain.compile_c(source, name, target, options)
    with suppress(OSError):  # a full or read-only disk: it is compiled again next time
        _write(path, made)
    return made


def _key(source: str, name: str, target: str, options: Sequence[str]) -> str:
    """Return a name for what a source compiles to with this package and this compiler."""
    digest = hashlib.sha256()
    of_package = (VERSION, str(elf.ABI), _compiler(), _headers(target))
    of_commands = (*toolchain.options_of(target), *toolchain.link_options(target))
    for part in (source, name, target, *options, str(len(options)), *of_package, *of_commands):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:40]


def _compiler() -> str:
    """Return the version of the compiler's wheel; an empty string without it."""
    try:
        return importlib.metadata.version("ziglang")
    except importlib.metadata.PackageNotFoundError:
        return ""


@cache
def _headers(target: str) -> str:
    digest = hashlib.sha256()
    for folder in toolchain.folders_of(target):
        for path in sorted(folder.glob("*")):
            if path.is_file():
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(path: Path, target: str) -> toolchain.Compiled | None:
    try:
        data = path.read_bytes()
        size = int.from_bytes(data[4:8], "little")
        table = [(int(address), int(line)) for address, line in json.loads(data[8 : 8 + size])]
        image = data[8 + size :]
        if data[:4] != _MAGIC:
            return None
        elf.read(image, target)
    except (OSError, ValueError, TypeError, KernelError):
        return None
    with suppress(OSError):
        os.utime(path)
    return toolchain.Compiled(image, table)


def _write(path: Path, made: toolchain.Compiled) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    table: lines.Table = made.lines
    text = json.dumps(table, separators=(",", ":")).encode()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_bytes(_MAGIC + len(text).to_bytes(4, "little") + text + made.image)
    part.replace(path)
    files = sorted(path.parent.glob("*.kernel"), key=lambda path: path.stat().st_mtime)
    for old in files[: max(len(files) - _MOST_FILES, 0)]:
        old.unlink(missing_ok=True)
