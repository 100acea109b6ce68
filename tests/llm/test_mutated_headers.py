# SPDX-License-Identifier: MIT
"""Damaged headers of all architectures' files are read or refused with an error of pyhexagon's, without much work.

By default each header gets ten mutations; 20,000 in all take four minutes:

    PYHEXAGON_MUTATIONS=20000 python -m pytest tests/llm/test_mutated_headers.py
"""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from effort import counted

from llm import published
from pyhexagon import HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked

HEADERS: Final = [one for one in (*published.headers(), *published.derived()) if published.has_tensors(one)]
N_MUTATIONS: Final = int(os.environ.get("PYHEXAGON_MUTATIONS", "0")) // max(1, len(HEADERS)) or 10  # of each header
BEGIN: Final = 24  # after GGUF's magic, version and counts
WORDS: Final = (0, 1, 3, 7, 1 << 20, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x7FC00000, 0xFF800000)  # NaN, -infinity


def mutated(content: bytes, end: int, chance: random.Random) -> bytes:
    """Return a file with a few bytes, words or copied pieces of its header changed."""
    result = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 4))):
        at, kind = chance.randrange(BEGIN, end), chance.random()
        if kind < 0.3:
            result[at] = chance.randrange(256)
        elif kind < 0.6:
            result[at : at + 4] = chance.choice(WORDS).to_bytes(4, "little")
        elif kind < 0.8:
            result[at] ^= 1 << chance.randrange(8)
        else:
            source, n = chance.randrange(BEGIN, end), chance.randrange(1, 16)
            result[at : at + n] = result[source : source + n]
    return bytes(result)


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.model)
def test_a_mutated_header_is_read_or_refused(tmp_path: Path, header: published.Header, seed: int) -> None:
    whole, path = published.write(tmp_path / "whole.gguf", published.short(header), is_hollow=True), tmp_path / "m.gguf"
    content, chance = whole.read_bytes(), random.Random(seed)
    last = max(content.rfind(b".weight"), content.rfind(b".bias"))  # of the tensors' names
    for _ in range(N_MUTATIONS):
        path.write_bytes(mutated(content, last, chance))
        with suppress(HexagonError), counted(1_000_000, 1 << 20), GGUFFile(path) as file:
            checked(file)
