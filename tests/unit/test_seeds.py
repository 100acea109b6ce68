# SPDX-License-Identifier: MIT
"""tests/seeds.py: the same numbers in every run, or fresh ones with the command that draws them again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
EXAMPLE = """
import pytest
from hypothesis import given, settings, strategies as st

settings.register_profile("same", max_examples=20, database=None, derandomize=True)
settings.load_profile("same")

@pytest.mark.parametrize("case", ("a", "b"))
def test_draws(seed, case):
    print("drawn", seed)
    raise ValueError

class Test:
    @given(st.lists(st.integers(), min_size=9, max_size=9))
    def test_of_hypothesis(self, integers):
        print("drawn", *integers)

def test_draws_nothing():
    raise ValueError
"""


def run(folder: Path, number: str, *arguments: str) -> str:
    """Return what a run of the example prints, in a folder of its own."""
    folder.mkdir(exist_ok=True)
    (folder / "test_example.py").write_text(EXAMPLE)
    command = [sys.executable, "-m", "pytest", "-rP", "-p", "seeds", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PYHEXAGON_TEST_SEED": number}
    done = subprocess.run(
        [*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def drawn(output: str) -> list[str]:
    return re.findall(r"^drawn .*", output, re.M)


def test_without_a_number_every_run_draws_the_same(tmp_path: Path) -> None:
    outputs = [run(tmp_path / name, "") for name in ("one", "other")]
    assert drawn(outputs[0]) == drawn(outputs[1])
    assert len(set(drawn(outputs[0]))) > 15  # hypothesis, and one for each case
    assert drawn(run(tmp_path / "one", "", "-k", "draws and b")) == drawn(outputs[0])[1:2]
    assert "PYHEXAGON_TEST_SEED=1" not in "".join(outputs)


def test_a_failure_of_a_fresh_run_says_how_to_draw_the_same(tmp_path: Path) -> None:
    fresh, other = run(tmp_path, "fresh", "-n", "2"), run(tmp_path, "fresh")
    commands = re.findall(r"^PYHEXAGON_TEST_SEED=(\d+) python -m pytest '(.*)'", fresh, re.M)
    names = [f"test_example.py::{name}" for name in ("test_draws[a]", "test_draws[b]", "Test::test_of_hypothesis")]
    assert sorted(name for _, name in commands) == sorted(names)
    assert {f"PYHEXAGON_TEST_SEED={number}\n" in fresh for number, _ in commands} == {True}, "the run's, in the header"
    again = drawn(run(tmp_path, commands[0][0], *names))
    assert sorted(drawn(fresh)) == sorted(again)
    assert not set(again) & set(drawn(other)) - {"drawn 0 0 0 0 0 0 0 0 0"}  # where hypothesis begins


def test_what_is_no_number_is_refused(tmp_path: Path) -> None:
    assert """PYHEXAGON_TEST_SEED is a number or "fresh", not 'new'""" in run(tmp_path, "new")
