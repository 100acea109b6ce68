# SPDX-License-Identifier: MIT
"""The user's cache folder: everything in it can be downloaded again."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from pyhexagon.errors import HexagonError


def folder() -> Path:
    """Return ``$XDG_CACHE_HOME/pyhexagon``, or ``~/.cache/pyhexagon``, whether it exists or not."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pyhexagon"


def entries() -> dict[str, int]:
    """Return the entries of the folder with the bytes of all files below each."""
    top = folder()
    return {path.name: _size(path) for path in sorted(top.iterdir())} if top.is_dir() else {}


def clear() -> int:
    """Remove all entries; return the number of bytes freed.

    Raises:
        HexagonError: an entry cannot be removed.
    """
    size = sum(entries().values())
    try:
        for path in folder().iterdir() if size else ():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    except OSError as error:
        raise HexagonError(f"cannot remove {error.filename}: {error.strerror}") from None
    return size


def _size(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum((Path(top) / name).lstat().st_size for top, _, names in os.walk(path) for name in names)
