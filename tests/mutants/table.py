# SPDX-License-Identifier: MIT
"""The table of faults: the ``.toml`` files of this folder."""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes:
        name: unique in the table.
        file: that it changes, relative to the checkout.
        old, new: the text that occurs once in the file, and its replacement.
        fault: what is wrong then.
    """

    name: str
    file: str
    old: str
    new: str
    fault: str


def mutants() -> list[Mutant]:
    """Return all faults in the order of the table."""
    tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    files = sorted(Path(__file__).parent.glob("*.toml"))
    rows = [row for file in files for row in tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]]
    return [Mutant(row["id"], row["file"], row["old"], row["new"], row["fault"]) for row in rows]
