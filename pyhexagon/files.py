# SPDX-License-Identifier: MIT
"""Output files that are written atomically: complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pyhexagon.errors import ArgumentError, HexagonError


def check(path: Path) -> None:
    """Check that a result can be saved, before the work is done."""
    with as_hexagon_error(path):
        target, part = _places(path)
        if not target.parent.is_dir():
            raise HexagonError(f"cannot write {path}: there is no folder {target.parent}")
        if target.exists() and not target.is_file():
            raise HexagonError(f"cannot write {path}: it is not a regular file")
        part.touch()
        part.unlink()


def check_distinct(*paths: str | os.PathLike[str] | None) -> None:
    """Raise ArgumentError if two purposes share a file; None stands for no file."""
    seen: dict[str, str] = {}
    for path in (os.fspath(path) for path in paths if path is not None):
        if (other := seen.setdefault(os.path.realpath(path), path)) is not path:
            raise ArgumentError(f"{path} and {other} are one file: give each purpose a file of its own")


def save(path: Path, write: Callable[[BinaryIO], None], *, is_private: bool = False) -> None:
    """Call ``write`` with a file that replaces ``path`` once all of it is on the disk.

    Args:
        is_private: whether only its owner may read it (mode 0600), because it contains prompts or answers.
    """
    with as_hexagon_error(path):
        target, part = _places(path)
        part.unlink(missing_ok=True)  # left by a killed process with the same pid
        try:
            fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if is_private else 0o666)
            with open(fd, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            part.replace(target)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise


def _places(path: Path) -> tuple[Path, Path]:
    """Return the final path, and the path of the file while it is written."""
    target = Path(os.path.realpath(path))
    if path.is_symlink() and not target.exists():
        raise HexagonError(f"cannot write {path}: it is a symbolic link to {target}, which does not exist")
    if not target.name:
        raise HexagonError(f"cannot write {path}: it is not a regular file")
    return target, target.with_name(f".{target.name}.{os.getpid()}.part")


@contextmanager
def as_hexagon_error(path: Path) -> Iterator[None]:
    """Turn an OSError into a HexagonError that names the file."""
    try:
        yield
    except OSError as error:
        raise HexagonError(f"cannot write {path}: {error.strerror or error}") from None
