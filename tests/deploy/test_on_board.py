# SPDX-License-Identifier: MIT
"""``--on`` and ``pyhexagon report``: commands on a board, over ssh."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import gguf
import pytest
from llm import tiny

from pyhexagon.cli import main, on_board, report
from pyhexagon.cli.output import Output
from pyhexagon.doctor import Doctor, Findings, Status
from pyhexagon.doctor.findings import Result
from pyhexagon.errors import HexagonError

from . import boards
from .boards import FakeBoard


@pytest.fixture
def board(tmp_path: Path) -> Iterator[FakeBoard]:
    with boards.with_this_environment(tmp_path / "board") as board:
        yield board


def options_of(board: FakeBoard) -> list[str]:
    return ["--on", "board", f"--ssh=-F {board.folder / 'ssh_config'}", "--prefix", board.prefix_in_home]


def test_a_model_runs_there_and_its_words_come_here(
    board: FakeBoard, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny.write(tmp_path / "it's tiny.gguf", "llama")
    command = ["run", str(model), "-p", "the; 'and'", "-n", "3", "--temp", "0", "--device", "loopback", "--json"]
    assert main(command) == 0
    here = json.loads(capfd.readouterr().out)
    assert main([*command, *options_of(board)]) == 0
    there = json.loads(capfd.readouterr().out)
    assert (there["tokens"], there["text"], there["prompt_tokens"]) == (
        here["tokens"], here["text"], here["prompt_tokens"],
    )  # fmt: skip
    assert main(["show", str(model), "--json", *options_of(board)]) == 0
    assert json.loads(capfd.readouterr().out)["architecture"] == "llama"
    assert main([*command, "--top-p", "2", *options_of(board)]) == 1
    assert "--top-p is 2.0" in capfd.readouterr().out
    assert main([*command[:-1], "--top-p", "2", *options_of(board)]) == 1
    assert "pyhexagon on board: error: --top-p is 2.0" in capfd.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert main(["show", "it's tiny.gguf", *options_of(board)]) == 1
    message = capfd.readouterr().err
    assert "pyhexagon on board: error: it's tiny.gguf: No such file" in message
    assert "Hint: it's tiny.gguf lies on the machine where you typed this: scp " in message
    assert "tiny.gguf' board: first." in message
    (board.prefix / "current").unlink()
    assert main([*command, *options_of(board)]) == 1
    assert "pyhexagon on board: error: nothing is deployed" in capfd.readouterr().err


@pytest.mark.parametrize(
    "command",
    ["doctor", "info", "selftest", "logs", "matmul m.gguf w", "ops --support", "tensors m.gguf", "run m -p x"],
)
def test_every_command_of_a_device_takes_on(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[list[str]] = []

    def record(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        return subprocess.CompletedProcess(command, 255)

    monkeypatch.setattr(subprocess, "run", record)
    assert main([*command.split(), "--on", "me@board", "--ssh=-p 22"]) == 255
    ((*ssh, host, there),) = calls
    assert (ssh[:3], host) == (["ssh", "-p", "22"], "me@board")
    assert there.endswith(f"exec \"$HOME\"/.local/share/pyhexagon/current/bin/pyhexagon {command}")
    assert "PYHEXAGON_ON='me@board '\"'\"'--ssh=-p 22'\"'\"''" in there
    assert "ssh me@board must work first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("pyhexagon doctor --device cpu", "pyhexagon doctor --on b '--ssh=-p 22' --device cpu"),
        ("pyhexagon bench model, pyhexagon-skel", "pyhexagon bench model --on b '--ssh=-p 22', pyhexagon-skel"),
        ("pyhexagon deploy HOST, pyhexagon run --on c", "pyhexagon deploy HOST, pyhexagon run --on c"),
        ("the pyhexagon of PyPI", "the pyhexagon of PyPI"),
    ],
)
def test_commands_in_hints_carry_on(
    text: str, carried: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert on_board.carried(text) == text
    monkeypatch.setenv(on_board.VARIABLE, "b '--ssh=-p 22'")
    Output(as_json=False).error(HexagonError("no", hint=text))
    assert capsys.readouterr().err == f"pyhexagon on b: error: no. Hint: {carried}.\n"
    Output(as_json=True).error(HexagonError("no", hint=text))
    assert json.loads(capsys.readouterr().out)["error"]["hint"] == carried
    with pytest.raises(SystemExit):
        main(["info", "--nonsense"])
    assert "pyhexagon info on b: error: unrecognized arguments: --nonsense" in capsys.readouterr().err


def test_the_doctor_there_names_the_board(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    results = [Result("soc", Status.WARNING, "no board", "pyhexagon doctor --device cpu")]
    monkeypatch.setattr(Doctor, "run", lambda doctor: Findings("cdsp", results))
    monkeypatch.setenv(on_board.VARIABLE, "me@board")
    assert main(["doctor"]) == 0
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert ["board", "me@board"] in lines
    remedy = "pyhexagon doctor --on me@board --device cpu"
    assert lines[-1] == ["remedy", remedy]
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [facts["first_problem"]["remedy"], facts["checks"][0]["remedy"]] == [remedy, remedy]


def test_hosts_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "m.gguf", "-p", "x", "--on=-oProxyCommand=x"]) == 1
    assert "is not a host" in capsys.readouterr().err
    assert on_board.without(["logs", "--on=b", "--", "x", "--on", "c"]) == ["logs", "--", "x", "--on", "c"]
    assert on_board.without(["a", "--on", "b", "--ssh=-p 1", "--prefix", "c", "--json"]) == ["a", "--json"]


def test_a_report_holds_every_step_and_those_that_failed(
    board: FakeBoard, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_template(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template("{% for m in messages %}{{ m.content }}{% endfor %}")

    model = tiny.write(tmp_path / "tiny.gguf", "llama", edit=with_template)
    every = report._steps(str(model), "loopback")
    assert {"info", "doctor", "selftest", "silicon", "products", "host", "logs", "model", "show", "chat"} == set(every)
    few = {
        "info": every["info"],
        "chat": every["chat"],
        "bad": ["run", "none.gguf", "-p", "x", "--device", "loopback", "--json"],
    }
    monkeypatch.setattr(report, "_steps", lambda model, device: few)
    out = tmp_path / "report.json"
    assert main(["report", str(model), "--device", "loopback", "--out", str(out), *options_of(board)]) == 0
    steps = json.loads(out.read_text())["steps"]
    assert [one["exit_code"] for one in steps.values()] == [0, 0, 1]
    assert steps["info"]["result"]["device"] == "loopback"
    assert steps["chat"]["result"]["finish_reason"] in ("stop", "length")
    assert steps["bad"]["result"]["error"]["type"] == "GGUFError"
    assert "exit code 1" in capsys.readouterr().out
