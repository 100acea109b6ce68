# SPDX-License-Identifier: MIT
"""GGUF files with damaged headers or metadata raise a typed error, or load as well as the whole file.

PYHEXAGON_MUTATIONS is the number of mutations of each kind; 20,000 were run in November 2026.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from llm import published, tiny
from pyhexagon.errors import HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.memory import planned
from pyhexagon.llm.tokens.tokenizer import Tokenizer

N: Final = int(os.environ.get("PYHEXAGON_MUTATIONS", "400"))
_NUMBERS: Final = (0, 1, 2, 7, 8, 9, 12, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 32, 1 << 62, (1 << 64) - 1)


def mutated(content: bytes, n_header: int, places: list[int], chance: random.Random) -> bytes:
    """Return the file with one to three changes; places are offsets of fields outside the vocabulary."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        at = chance.choice(places) + chance.randint(0, 24) if chance.random() < 0.8 else chance.randrange(n_header)
        kind = chance.randrange(5)
        if kind == 0:
            changed[at % n_header] = chance.randrange(256)
        elif kind == 1:
            changed[at % n_header] ^= 1 << chance.randrange(8)
        elif kind == 2:
            width = chance.choice((1, 4, 8))
            changed[at : at + width] = (chance.choice(_NUMBERS) % (1 << 8 * width)).to_bytes(width, "little")
        elif kind == 3:
            del changed[at : at + chance.randint(1, 16)]
        else:
            changed[at:at] = chance.randbytes(chance.randint(1, 16))
    return bytes(changed[: chance.randrange(len(changed))] if chance.random() < 0.02 else changed)


def of_header(path: Path, model: str) -> Path:
    """Return the tiny file of a published header, with a supported tokenizer."""
    header = published.named(model)
    return published.write(path, header._replace(tokenizer={**header.tokenizer, "pre": "qwen2"}))


FILES: Final[dict[str, Callable[[Path], Path]]] = {
    "llama": lambda path: tiny.write(path, "llama", layers=1),
    "gemma3": lambda path: tiny.write(path, "gemma3", **{**tiny.TINY["gemma3"], "layers": 1}),
    "qwen35": lambda path: of_header(path, "Qwen3.5 0.8B (converter of today)"),
    "reranker": lambda path: of_header(path, "Qwen3 Reranker 0.6B"),
    "lfm2": lambda path: of_header(path, "LFM2 1.2B"),
    "phi3": lambda path: of_header(path, "Phi 4 mini"),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_mutated_file_is_refused_or_whole(tmp_path: Path, kind: str, seed: int) -> None:
    path = FILES[kind](tmp_path / "tiny.gguf")
    content = path.read_bytes()
    with GGUFFile(path) as file:
        n_header = min(file.info(name).offset for name in file)
        architecture = file.metadata["general.architecture"]
        names = [f"{architecture}.", "general.", "tokenizer.ggml.", *file.names()]
    places = [at for name in names for at in range(n_header) if content.startswith(name.encode(), at)]
    places += [at + 32 for at in places] + [0, 8]
    chance = random.Random(seed)
    n_refused = 0
    broken = tmp_path / "broken.gguf"
    for number in range(N):
        broken.write_bytes(mutated(content, n_header, places, chance))
        try:
            with GGUFFile(broken) as file:
                can_run = checked(file)
                Tokenizer(file)
                planned(file, can_run, 64)
        except HexagonError:
            n_refused += 1
        except Exception as error:
            raise AssertionError(f"mutation {number}: {error!r}") from error
    assert N // 2 < n_refused < N
