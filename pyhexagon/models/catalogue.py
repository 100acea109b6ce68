# SPDX-License-Identifier: MIT
"""The catalogue: short names of published models that this package runs, and the board that each fits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

BOARDS: Final = (4, 8, 12, 16)  # GiB
_BESIDE: Final = 3 << 29  # bytes for the system, Python, and a KV cache of a few thousand tokens


class Published(NamedTuple):
    """A model of the catalogue.

    Attributes:
        repo: its repository on the hub, ORG/REPO.
        file: the GGUF file there, of any case, or the file of whisper.cpp.
        size: of the file, in bytes.
        sha256: of the file; empty if the catalogue does not know it.
        mmproj: the mmproj file there, of a model that takes images; empty: it takes none.
        mmproj_size, mmproj_sha256: of that file.
    """

    repo: str
    file: str
    size: int
    sha256: str = ""
    mmproj: str = ""
    mmproj_size: int = 0
    mmproj_sha256: str = ""

    @property
    def total_size(self) -> int:
        """Bytes of both files."""
        return self.size + self.mmproj_size


@cache
def published() -> dict[str, Published]:
    """Return the models of the catalogue by name."""
    text = Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
    return {name: Published(**fields) for name, fields in json.loads(text).items()}


def tagged(name: str, names: Iterable[str]) -> list[str]:
    """Return those of ``names`` that a name without a tag may stand for: "qwen3" for "qwen3:0.6b" and "qwen3:4b"."""
    return [known for known in names if known.partition(":")[0] == name and ":" in known]


def smallest(name: str) -> str:
    """Return the smallest model of the catalogue for a name without a tag; ``name`` itself if it has none."""
    models = published()
    found = [] if name in models else tagged(name, models)
    return min(found, key=lambda known: models[known].total_size, default=name)


def board(size: int) -> int | None:
    """Return the memory in GiB of the smallest board for a model of ``size`` bytes; None if it is too large for all."""
    return next((gib for gib in BOARDS if size + _BESIDE <= gib << 30), None)
