# SPDX-License-Identifier: MIT
"""``pyhexagon cluster`` with a real sshd and a real Ray: a head, and a board that joins, computes and leaves."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from deploy import boards
from deploy.boards import FakeBoard
from llm import tiny
from waiting import LONG

from cluster.conftest import until

# Program of a board whose version of something differs from this machine's.
PROGRAM = "#!{python}\nimport sys\n{change}\nfrom pyhexagon.cli import main\nsys.exit(main())\n"
OTHER_VERSION = "import pyhexagon.version\npyhexagon.version.VERSION = '9.9'"
NO_RAY = "sys.modules['ray'] = None"
# The patch version of the board's Python differs, as a distribution's does.
LAST_NUMBER = """
import sys
from collections import namedtuple
here = sys.version_info
sys.version_info = namedtuple("Version", "major minor micro releaselevel serial")(*here)._replace(micro=here.micro + 1)
"""
OTHER_PYTHON = "import platform\nplatform.python_version = lambda: '3.8.1'"


@dataclass
class Here:
    """The machine from which a cluster is created, with a home folder of its own.

    Attributes:
        home: folder that contains its token.
        board: that joins.
        port: of the head.
    """

    home: Path
    board: FakeBoard
    port: int

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        known = {name: value for name, value in os.environ.items() if not name.startswith(("RAY_", "PYHEXAGON"))}
        return subprocess.run(
            [sys.executable, "-m", "pyhexagon", *arguments], env=known | {"HOME": str(self.home)},
            capture_output=True, text=True, timeout=10 * LONG, check=False,
        )  # fmt: skip

    def ssh(self, action: str, *hosts: str) -> subprocess.CompletedProcess[str]:
        options = f"--ssh=-F {self.board.folder}/ssh_config", "--prefix", self.board.prefix_in_home
        return self.run("cluster", action, *hosts, *options)

    def nodes(self) -> dict[str, bool]:
        """Return the name of each node that has a board, and whether it is alive."""
        done = self.run("cluster", "status", "--json")
        assert done.returncode == 0, done.stderr
        return {row["name"]: row["alive"] for row in json.loads(done.stdout)["boards"] if row["board"]}


def left(home: Path) -> list[bytes]:
    """Return the command lines of the processes that have this home folder."""

    def has_home(folder: Path) -> bool:
        try:
            return f"HOME={home}".encode() in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            return False

    return [(folder / "cmdline").read_bytes() for folder in filter(has_home, Path("/proc").glob("[0-9]*"))]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    folder = tmp_path_factory.mktemp("ssh")
    (folder / "home").mkdir()
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    (folder / "sitecustomize.py").write_text(LAST_NUMBER)
    given = {"PYHEXAGON_DEVICE": "loopback", "PYTHONPATH": str(folder)}
    with boards.with_this_environment(folder / "board", **given) as board:
        (board.home / ".bashrc").write_text("echo Welcome to {you}\n")
        made = Here(folder / "home", board, port)
        try:
            for told in ("the head runs; boards", "nothing to do: the head runs"):
                done = made.run("cluster", "start", "--no-board", "--port", str(port))
                assert done.returncode == 0, done.stderr
                assert told in done.stdout
            shown = made.run("cluster", "status")
            assert shown.stdout.strip().endswith("no board"), shown
            yield made
        finally:
            made.ssh("stop", "board")
            ended = made.run("cluster", "stop")
        assert ended.returncode == 0, ended.stderr
        until(lambda: not left(made.home) and not left(board.home), "processes are left")


def test_a_board_joins_computes_and_leaves(here: Here, tmp_path: Path) -> None:
    """Each command can be repeated, and an unreachable board does not keep others from joining."""
    done = here.ssh("join", "nowhere.invalid", "board")
    assert done.returncode == 1
    assert "board: has joined" in done.stdout
    assert "nowhere.invalid" in done.stderr
    assert "must work first" in done.stderr
    assert here.nodes() == {"board": True}
    again = here.ssh("join", "board")
    assert (again.returncode, again.stdout.split(" it ")[0]) == (0, "board: nothing to do:"), again.stderr
    for home in (here.home, here.board.home):
        assert (home / ".ray/auth_token").stat().st_mode & 0o777 == 0o600

    path = tiny.write(tmp_path / "model.gguf", "llama")
    (tmp_path / "prompts.jsonl").write_text('{"prompt": "the"}\n{"prompt": "in"}\n')
    for number, more in enumerate(([], ["--stages", "1"])):
        out = tmp_path / f"{number}.jsonl"
        command = ["map", str(path), str(tmp_path / "prompts.jsonl"), "--out", str(out), "-n", "4", "-c", "64"]
        mapped = here.run(*command, "--cluster", *more)
        assert mapped.returncode == 0, mapped.stderr
        assert [json.loads(line)["tokens"] for line in out.read_text().splitlines()] == [4, 4]

    for told in ("board: stopped", "board: nothing to do"):
        stopped = here.ssh("stop", "board")
        assert (stopped.returncode, told in stopped.stdout) == (0, True), stopped.stderr
    assert not left(here.board.home)
    until(lambda: not any(here.nodes().values()), "the head does not notice")


@pytest.mark.parametrize(
    ("change", "told", "mend"),
    [
        (OTHER_VERSION, "board has pyhexagon 9.9, this machine", "pyhexagon deploy board --cluster"),
        (NO_RAY, "several boards need the package ray", "pyhexagon deploy board --cluster"),
        (OTHER_PYTHON, "board has python 3.8.1, this machine", "Ray wants one Python everywhere"),
        (None, "nothing is deployed", "pyhexagon deploy board --cluster"),
    ],
)
def test_a_board_that_is_not_alike_does_not_join(here: Here, change: str | None, told: str, mend: str) -> None:
    program = here.board.program
    before = program.read_text()
    if change is None:
        program.chmod(0o644)
    else:
        program.write_text(PROGRAM.format(python=sys.executable, change=change))
    try:
        done = here.ssh("join", "board")
    finally:
        program.write_text(before)
        program.chmod(0o755)
    assert done.returncode == 1
    assert told in done.stderr
    assert f"Hint: {mend}" in done.stderr
    assert not left(here.board.home)


def test_a_part_of_another_cluster_is_not_taken(here: Here) -> None:
    done = here.run("cluster", "start", "--port", str(here.port + 1))
    assert done.returncode == 1
    assert "a part of another cluster" in done.stderr
    assert "Hint: pyhexagon cluster stop" in done.stderr
