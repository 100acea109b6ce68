# SPDX-License-Identifier: MIT
"""The mmproj file of a model: the one that was pulled with it, and files that lie beside it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from pyhexagon import extras
from pyhexagon.errors import HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.models import store
from pyhexagon.models.hub import MMPROJ


def pulled_mmproj(model: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the path of the mmproj file that was pulled with a model, and why it cannot be run.

    Args:
        model: its name, or the path that ``store.resolve`` gave.

    Returns:
        The path is empty if there is none; the reason is empty if it can be run.
    """
    path = store.mmproj_of(model)
    if path:
        try:
            if importlib.util.find_spec("PIL") is None:
                raise extras.missing("images", "PIL", "vision")
            with GGUFFile(path) as file:
                mmproj.read(file, KINDS)
        except HexagonError as problem:
            return path, str(problem)
    return path, ""


def mmproj_beside(model: str | os.PathLike[str]) -> str:
    """Return the path of a file that lies beside a model's and is called an mmproj file; empty if there is none."""
    path = Path(model)
    beside = path.parent.glob("*.gguf")
    found = sorted(other for other in beside if MMPROJ in other.name.lower() and other.name != path.name)
    return str(found[0]) if found else ""
