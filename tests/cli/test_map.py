# SPDX-License-Identifier: MIT
"""``pyhexagon map``: each prompt is answered once, however often it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from llm import tiny
from waiting import LONG

from pyhexagon import LLM, ArgumentError
from pyhexagon.cli import main
from pyhexagon.llm.answering import AnswerFile, prompts_of

N = 24


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("model") / "model.gguf", "llama")


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    lines = [{"prompt": "the " * (1 + number % 5), "name": number, "max_tokens": 4 + number % 3} for number in range(N)]
    path = tmp_path / "prompts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_killed_and_run_again_it_answers_each_once(model: Path, prompts: Path, tmp_path: Path) -> None:
    out = tmp_path / "answers.jsonl"
    command = [str(model), str(prompts), "--out", str(out), "-c", "64", "--device", "loopback", "--parallel", "2"]
    child = subprocess.Popen([sys.executable, "-m", "pyhexagon", "map", *command], stderr=subprocess.DEVNULL)
    end = time.monotonic() + LONG
    while not (out.exists() and out.read_bytes().count(b"\n") >= 3):
        assert time.monotonic() < end
        time.sleep(0.002)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    n_before = out.read_bytes().count(b"\n")
    with out.open("ab") as file:
        file.write(b'{"prompt": "the ", "ind')  # as a kill in the middle of a line leaves it
    assert main(["map", *command]) == 0
    made = records(out)
    assert 3 <= n_before <= len(made) == N
    assert sorted(one["index"] for one in made) == list(range(N))
    with LLM(model, 64, device="loopback") as llm:
        for one in made:
            right = llm.generate(one["prompt"], one["max_tokens"], temperature=0)
            assert (one["text"], one["tokens"], one["name"]) == (right.text, len(right.tokens), one["index"])
    content = out.read_bytes()
    assert main(["map", *command]) == 0  # nothing is left to do, and no model is loaded
    assert out.read_bytes() == content


def test_what_cannot_be_answered_is_told(model: Path, tmp_path: Path) -> None:
    prompts, out = tmp_path / "p.jsonl", tmp_path / "a.jsonl"
    prompts.write_text('{"prompt": "the"}\n' + json.dumps({"prompt": "the " * 200}) + "\n")
    command = [str(model), str(prompts), "--out", str(out), "-c", "64", "-n", "3", "--device", "loopback"]
    assert main(["map", *command]) == 1
    made = {one["index"]: one for one in records(out)}
    assert made[0]["tokens"] == 3
    assert "the prompt is too long: " in made[1]["error"]


@pytest.mark.parametrize(
    ("line", "what"),
    [("{}", "line 1"), ('{"prompt": 3}', "line 1"), ("[]", "line 1"), ("", "line 1"), ("{", "line 1")],
)
def test_prompts_that_are_none(tmp_path: Path, line: str, what: str) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(f"{line}\n")
    with pytest.raises(ArgumentError, match=what):
        prompts_of(path)


def test_answers_of_other_prompts_are_kept(tmp_path: Path) -> None:
    path, prompts = tmp_path / "answers.jsonl", [{"prompt": "a"}, {"prompt": "b"}]
    with AnswerFile(path, prompts) as file:
        file.add(1, {"text": "x"})
        with pytest.raises(ArgumentError, match="another process"):
            AnswerFile(path, prompts)
    content = path.read_bytes()
    for others in ([{"prompt": "a"}, {"prompt": "c"}], [{"prompt": "a"}]):
        with pytest.raises(ArgumentError, match="line 1"):
            AnswerFile(path, others)
    path.write_bytes(content * 2)
    with pytest.raises(ArgumentError, match="a second one"):
        AnswerFile(path, prompts)
