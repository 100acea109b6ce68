# SPDX-License-Identifier: MIT
"""What is said about image encoders: the types of their weights, and the option for those that take long."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from llm.test_vision_chat import write

from benchmarks.vision_table import SHAPES, opened
from pyhexagon.cli import image_options, main
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.weight_types import WEIGHT_TYPES
from pyhexagon.llm.vision.memory import planned

PAGE = Path(__file__).resolve().parents[2] / "docs/benchmarks.md"
ROW = re.compile(r"^\| (?P<name>\S+:\S+) \S+, (?P<type>F16|Q8_0) \|.* / (?P<seconds>[\d.]+) / \S+ \|.*\|$", re.M)
MOST = 1.5  # of an estimate, over that of the table, and the reverse


@pytest.mark.parametrize("name", SHAPES)
def test_estimates_are_near_those_of_the_timeline(name: str) -> None:
    """Each row of the table in docs/benchmarks.md, whose seconds are the expected ones for the encoder."""
    found = {row["type"]: float(row["seconds"]) for row in ROW.finditer(PAGE.read_text()) if row["name"] == name}
    assert sorted(found) == ["F16", "Q8_0"]
    with opened(SHAPES[name], SHAPES[name].layers) as file:
        plans = [planned(file, weights) for weights in WEIGHT_TYPES]
    for plan in plans:
        wanted = found[next(iter(plan.types))]
        assert wanted / MOST < plan.seconds < wanted * MOST, plan
        assert plan.seconds_q8_0 == plans[1].seconds
    assert image_options.advice(plans[1].facts()) == ""
    line = f"about {plans[0].seconds:.0f} s for a picture on a board; with --mmproj-weights q8_0 about "
    assert image_options.advice(plans[0].facts()).startswith(line) is (plans[0].seconds > 5)


def test_a_long_encoder_is_told_by_show_and_pull(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    text, mmproj = write(tmp_path, "gemma3")
    with GGUFFile(mmproj) as file:
        monkeypatch.setattr(image_options, "_LONG", planned(file).seconds)
    advice = "; about 0 s for a picture on a board; with --mmproj-weights q8_0 about 0 s (a model)"
    for command in (["pull", str(text), "--mmproj", str(mmproj), "--name", "sees"], ["show", "sees"]):
        assert main(command) == 0
        assert advice in " ".join(capsys.readouterr().out.split())
    assert main(["show", "sees", "--mmproj-weights", "q8_0"]) == 0
    assert advice not in " ".join(capsys.readouterr().out.split())


def test_the_types_of_an_encoder() -> None:
    assert image_options.types({"types": {"F16": 3}, "quantized": 0}) == "F16 3"
    mixed = {"types": {"Q8_0": 9, "F16": 1}, "quantized": 8}
    assert image_options.types(mixed) == "Q8_0 9, F16 1 (8 quantized at load)"
