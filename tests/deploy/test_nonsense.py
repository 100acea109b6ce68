# SPDX-License-Identifier: MIT
"""A board that answers nonsense: always a DeployError, and a bounded amount of it is read."""

from __future__ import annotations

import io
import itertools
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pyhexagon.deploy import answers, verdict
from pyhexagon.deploy.answers import Answer, Values, listen
from pyhexagon.deploy.connection import Connection
from pyhexagon.deploy.deployment import BoardFacts
from pyhexagon.deploy.uploads import Uploads, space
from pyhexagon.deploy.wheel import Package
from pyhexagon.errors import DeployError

GOOD = {
    "machine": "aarch64", "python": "3.11.2", "venv": "", "glibc": "glibc 2.36", "current": "", "prefix": "/home/a/p",
    "space": "/dev/root 100 50 50 50% /",
}  # fmt: skip
NONSENSE = (
    "", " ", "-5", "+5", "1e3", "0x10", "1_000", "\u0663", "9" * 19, "9" * 5000, "whole ", "None", "[]", "3", "3.", ".",
    "a.b", "3.x", "\x1b[2J", "\n", "/", "%", "-1 -1 -1 -1 -1%", "\u00b2", "99999999999999999999.1",
)  # fmt: skip
JSON = (
    "1", "null", "true", '"a"', "[]", "{}", "[1]", '{"a": 1}', "[" * 90_000, '{"a":' * 90_000, "[[]]", "1e999",
    "9" * 5000,
)  # fmt: skip
LINES = b"a\n", b"a", b"\n", b"pyhexagon:a=b\n", b"pyhexagon:step=b\n", b"\xff\xfe\n", b"pyhexagon:a="


@pytest.mark.parametrize("key", GOOD)
def test_facts_that_are_missing_or_wrong(key: str) -> None:
    def use(values: dict[str, str]) -> None:
        facts = BoardFacts(Values(values))
        facts.check("board")
        assert isinstance(facts.current, str)
        space(facts.values["space"])

    use(GOOD)
    with pytest.raises(DeployError):
        use({name: value for name, value in GOOD.items() if name not in (key, "venv")})
    for text in NONSENSE:
        with suppress(DeployError):
            use(GOOD | {key: text})


def test_missing_answers_are_errors_of_the_board() -> None:
    with pytest.raises(DeployError, match="the board answers nonsense: anything is missing"):
        Values()["anything"]
    assert Values().get("anything") is None
    assert "anything" not in Values()


@pytest.mark.parametrize("text", NONSENSE)
def test_sizes_of_uploads(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    connection = Connection("board", (), "p")
    for given in ({"have": text, "space": GOOD["space"]}, {"have": "0", "space": text}, {"have": text}, {}):
        monkeypatch.setattr(connection, "run", lambda *_, given=given, **__: Answer(Values(given), ""))
        with pytest.raises(DeployError):  # at the latest because nothing has arrived
            Uploads(connection).copy([Package.of(tmp_path / "a")], Step())


class Step:
    def note(self, text: str) -> None: ...
    def progress(self, done: int, total: int) -> None: ...
    def result(self, text: str) -> None: ...


def reports() -> list[str]:
    checks = [f'{{"checks": {one}}}' for one in JSON] + [f'{{"checks": [{one}]}}' for one in JSON]
    for field, one in itertools.product(("name", "status", "finding", "remedy"), JSON):
        check = {"name": '"a"', "status": '"failed"', "finding": '"b"', "remedy": '"c"'} | {field: one}
        inner = ", ".join(f'"{name}": {value}' for name, value in check.items())
        checks.append(f'{{"checks": [{{{inner}}}]}}')
    checks += [f'{{"passed": false, "{key}": {one}}}' for key in ("error", "first_problem") for one in JSON]
    checks += [f'{{"error": {{"message": {one}, "hint": {one}}}}}' for one in JSON]
    return [*checks, *JSON, "", "Traceback", "\ud800", "{" * 10]


@pytest.mark.parametrize("read", [verdict.of_doctor, verdict.of_selftest])
def test_reports(read: Callable[[Answer], verdict.Failure | None]) -> None:
    for text in reports():
        with suppress(DeployError):
            failure = read(Answer({}, text))
            if failure is not None:
                assert all(isinstance(one, str) for one in (failure.check, failure.finding, failure.remedy))
                assert failure.blames_version(failure, is_first=False) in (True, False)


class Endless(io.RawIOBase):
    """Repeats a piece, and counts what is read of it; it ends after 256 MiB."""

    def __init__(self, piece: bytes) -> None:
        self.piece, self.n_read = piece, 0

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any) -> int:
        n = 0 if self.n_read > 256 << 20 else min(len(target), len(self.piece))
        target[:n] = self.piece[:n]
        self.n_read += n
        return n


@pytest.mark.parametrize("line", LINES)
def test_output_without_end(line: bytes) -> None:
    endless = Endless(line * (65_536 // len(line)))
    with pytest.raises(DeployError, match="the board answers nonsense: more than 16 MiB") as problem:
        listen(io.BufferedReader(endless), lambda _: None)
    assert endless.n_read < 32 << 20
    assert len(str(problem.value)) < 500


def test_random_output(seed: int) -> None:
    chance = random.Random(seed)
    pieces = [b"pyhexagon:", b"=", b"have", b"\n", b"\r", b"\xff", b"whole", b"\0", b"pyhexagon:have=1\n", b'{"a": 1}']
    for _ in range(300):
        text = b"".join(chance.choices(pieces, k=30))
        values, output = listen(io.BytesIO(text), None)
        assert all(name.isidentifier() or name.isalnum() for name in values)
        assert "pyhexagon:have=1" not in output.split("\n")


def test_a_session_whose_output_has_no_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\necho $$ > "$0.pid"\nexec yes nonsense\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(DeployError, match="the board answers nonsense"):
        Connection("board", (), "p").run("probe", timeout=600)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "ssh.pid").read_text()), 0)


def test_errors_without_end_end_the_session_and_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\nexec yes nonsense >&2\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(DeployError) as problem:
        Connection("board", (), "p").run("probe", timeout=600)
    assert len(str(problem.value)) < 1000
    with (tmp_path / "log").open("w+b") as log:
        log.write(b"a" * 500_000 + b"\xff end")
        assert answers.last_of(log).endswith("\ufffd end")
        assert len(answers.last_of(log)) < 70_000
