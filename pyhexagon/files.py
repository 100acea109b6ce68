# SPDX-License-Identifier: MIT
"""Output files: written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from pyhexagon.errors import HexagonError


def check(path: Path) -> None:
    """Finds out before the work is done that its result could not be saved."""
    if not path.parent.is_dir():
        raise HexagonError(f"cannot write {path}: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        raise HexagonError(f"cannot write {path}: it is not a regular file")


def save(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Calls ``write`` with a file that takes the place of ``path`` when all of it is on the disk."""
    path = path.resolve()
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.unlink(missing_ok=True)  # of a process of this number that was killed
        with part.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise HexagonError(f"cannot write {path}: {error.strerror or error}") from None
        raise
