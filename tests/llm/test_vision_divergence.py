# SPDX-License-Identifier: MIT
"""Log-probabilities after an image, for each kind of projector, against a float64 pass of encoder and language model:
their divergence is at most 1.2 times llama.cpp's, which ``vision_divergence.py`` recorded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from llm.divergence import divergence
from llm.vision_divergence import N_POSITIONS, RECORDED, SEEDS, cases, exact, forced, ours, picture, write
from pyhexagon import LLM, Device

ALL: Final[dict[str, Any]] = json.loads(RECORDED.read_text())
MOST: Final = 1.2
SAMPLE: Final = [("gemma3", "F16"), ("qwen3vl_merger", "Q8_0")]  # of the push lane


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with Device("cpu") as device:
        yield device


def test_all_cases_are_recorded() -> None:
    assert {f"{kind} {weights} {seed}" for kind, weights in cases() for seed in SEEDS} <= ALL.keys()


@pytest.mark.parametrize("case", SAMPLE, ids=" ".join)
def test_a_sample_of_the_kinds(
    device: Device, tmp_path: Path, figure: Callable[[str], None], case: tuple[str, str]
) -> None:
    compare(device, tmp_path, figure, *case)


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in cases() if case not in SAMPLE], ids=" ".join)
def test_all_kinds(device: Device, tmp_path: Path, figure: Callable[[str], None], case: tuple[str, str]) -> None:
    compare(device, tmp_path, figure, *case)


def compare(device: Device, folder: Path, figure: Callable[[str], None], kind: str, weights: str) -> None:
    total = theirs = 0.0
    for seed in SEEDS:
        text, mmproj = write(folder, kind, weights, seed)
        with LLM(text, 512, mmproj=mmproj, kv="f16", device=device) as llm:
            tokens, got = ours(llm, seed)
            assert llm._vision is not None
            tiles = llm._vision.encoder.tiles(picture(seed))
        assert tokens[1 - N_POSITIONS :] == forced(seed)
        wanted = exact(text, mmproj, tiles, tokens)
        total += divergence(wanted, got)
        theirs += ALL[f"{kind} {weights} {seed}"]
        if seed == SEEDS[0]:  # another order of the image's rows is far off
            assert divergence(exact(text, mmproj, tiles, tokens, is_reversed=True), got) > 10 * total
    figure(f"{kind} {weights}: {total / len(SEEDS):.1e}, {total / theirs:.2f} times llama.cpp's")
    assert total < MOST * theirs
