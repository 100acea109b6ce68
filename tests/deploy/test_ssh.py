# SPDX-License-Identifier: MIT
"""Connections to the board: options, errors, and that no secret leaks."""

from __future__ import annotations

import getpass
import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import needs
import pytest

from pyhexagon import DeployError
from pyhexagon.deploy import connection
from pyhexagon.deploy.connection import SCRIPT

from . import boards, stub
from .boards import FakeBoard

PASSPHRASE = "correct-horse-6b1f"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ssh")


@pytest.fixture(scope="module")
def wheel(folder: Path) -> Path:
    return stub.small(folder, "0.1")


@pytest.fixture(scope="module")
def board(folder: Path, wheel: Path) -> Iterator[FakeBoard]:
    """Run a board with the wheel installed, so that deploying it is quick; its login shell prints messages."""
    with boards.running(folder / "board", {}) as board:
        (board.home / ".bashrc").write_text("echo Welcome; echo pyhexagon; echo to you >&2\n")
        done = board.deploy("--wheel", wheel)
        assert done.code == 0, done.err
        yield board


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[FakeBoard]:
    """Run a board without any version."""
    with boards.running(tmp_path / "board", {}) as board:
        yield board


def connections(board: FakeBoard) -> int:
    return (board.folder / "sshd.log").read_text().count("Accepted publickey")


def test_jump_host(board: FakeBoard, wheel: Path) -> None:
    before = connections(board)
    done = board.deploy("--wheel", wheel, "-J", "jump")
    assert done.code == 0, done.err
    assert connections(board) == before + 2  # one to each, for all steps


def test_settings_of_the_configuration_are_kept(board: FakeBoard, wheel: Path) -> None:
    configuration = board.folder / "odd_config"
    odd = "Host q6a\n HostName board\n RemoteCommand false\n RequestTTY yes\n LocalForward 1 localhost:1\n"
    usual = (board.folder / "ssh_config").read_text().replace("Host board", "Host board q6a")
    configuration.write_text(odd.replace("board", "127.0.0.1") + usual)
    done = board.run("q6a", "-F", configuration, "--device", "loopback", "--wheel", wheel)
    assert done.code == 0, done.err


def test_user_port_identity_and_options_without_a_configuration(board: FakeBoard, wheel: Path) -> None:
    host = f"{getpass.getuser()}@127.0.0.1"
    known = f"UserKnownHostsFile={board.folder}/known_hosts"
    options = ("-F", "none", "-p", board.port, "-i", board.folder / "key", "-o", known, "-o", "IdentityAgent=none")
    done = board.run(host, *options, "--device", "loopback", "--wheel", wheel)
    assert done.code == 0, done.err


def _wrong_key(board: FakeBoard) -> tuple[object, ...]:
    boards.add_key(board, "stranger", welcome=False)
    return ("-F", "none", "-p", board.port, "-i", board.folder / "stranger", "-o", "IdentitiesOnly=yes")


def _open_key(board: FakeBoard) -> tuple[object, ...]:
    boards.add_key(board, "open")
    (board.folder / "open").chmod(0o644)
    return ("-F", "none", "-p", board.port, "-i", board.folder / "open", "-o", "IdentitiesOnly=yes")


def _unknown_host(board: FakeBoard) -> tuple[object, ...]:
    return ("-F", board.folder / "ssh_config", "-o", "UserKnownHostsFile=/dev/null", "-p", board.port)


def _changed_host(board: FakeBoard) -> tuple[object, ...]:
    key = boards.add_key(board, "other_host").with_suffix(".pub").read_text()
    (board.folder / "changed").write_text(f"[127.0.0.1]:{board.port} {key}")
    return ("-F", board.folder / "ssh_config", "-o", f"UserKnownHostsFile={board.folder}/changed", "-p", board.port)


def _nobody_there(board: FakeBoard) -> tuple[object, ...]:
    return ("-F", board.folder / "ssh_config", "-p", 1)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (_wrong_key, "Permission denied (publickey)", "ssh-copy-id"),
        (_open_key, "bad permissions", "chmod 600"),
        (_unknown_host, "Host key verification failed", "compare the fingerprint"),
        (_changed_host, "Host key verification failed", "ssh-keygen -R"),
        (_nobody_there, "Connection refused", "is sshd running there"),
    ],
)
def test_no_connection(
    bare: FakeBoard, wheel: Path, arguments: Callable[[FakeBoard], tuple[object, ...]], message: str, hint: str
) -> None:
    options = arguments(bare)
    known = ("-o", f"UserKnownHostsFile={bare.folder}/known_hosts")
    done = bare.run("127.0.0.1", *options, *known, "--wheel", wheel)
    assert done.code == 1
    assert "no connection to 127.0.0.1" in done.err
    assert message in done.err
    assert hint in done.err
    assert list(bare.home.iterdir()) == []


def test_unknown_name(bare: FakeBoard, wheel: Path) -> None:
    done = bare.run("no-such-board.invalid", "-F", "none", "--wheel", wheel)
    assert done.code == 1
    assert "check the name" in done.err


def test_configuration_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs.require("ssh")
    configuration = tmp_path / "config"
    configuration.write_text('Match exec "sleep 1"\n User somebody\n')
    monkeypatch.setattr(connection, "_SETTINGS_SECONDS", 0.1)
    with (
        pytest.raises(DeployError, match=r"-G -- board does not return\. Hint: does a command"),
        connection.Connection("board", ["-F", str(configuration)], "prefix"),
    ):
        pytest.fail("there is no connection")


@pytest.mark.parametrize("host", ["-oProxyCommand=touch x", "a b", ""])
def test_what_is_no_host_never_reaches_ssh(bare: FakeBoard, host: str) -> None:
    done = bare.run("--", host)
    assert done.code == 1
    assert "is not a host" in done.err


class Watch:
    """Polls the command lines of all processes."""

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.01):
            self.seen.update(boards.command_lines())


def test_no_secret_in_process_list_output_or_files(board: FakeBoard, wheel: Path, tmp_path: Path) -> None:
    boards.add_key(board, "locked", PASSPHRASE)
    configuration = tmp_path / "config"
    configuration.write_text((board.folder / "ssh_config").read_text().replace("/key\n", "/locked\n"))
    secret = tmp_path / "secret"
    secret.write_text(PASSPHRASE)
    asked = tmp_path / "asked"
    askpass = tmp_path / "askpass"
    askpass.write_text(f"#!/bin/sh\necho asked >> {asked}\ncat {secret}\n")
    askpass.chmod(0o755)
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    options = ("board", "-F", configuration, "--device", "loopback", "--wheel", wheel)
    with Watch() as watch:
        done = board.run(*options, SSH_ASKPASS=str(askpass), SSH_ASKPASS_REQUIRE="force", TMPDIR=str(temporary))
    assert done.code == 0, done.err
    assert asked.read_text() == "asked\n"  # once, because one connection serves all steps
    assert any(SCRIPT.read_bytes()[:100] in line for line in watch.seen), "the watch saw nothing"
    assert not [line for line in watch.seen if PASSPHRASE.encode() in line]
    assert PASSPHRASE not in done.out + done.err + (board.folder / "sshd.log").read_text()
    assert list(temporary.iterdir()) == []
    written = [path for path in board.prefix.rglob("*") if path.is_file() and not path.is_symlink()]
    assert len(written) > 10
    assert not [path for path in written if PASSPHRASE.encode() in path.read_bytes()]


def test_without_a_terminal_nothing_is_asked(bare: FakeBoard, wheel: Path) -> None:
    boards.add_key(bare, "locked", PASSPHRASE)
    known = f"UserKnownHostsFile={bare.folder}/known_hosts"
    options = ("-F", "none", "-p", bare.port, "-i", bare.folder / "locked", "-o", known, "-o", "IdentitiesOnly=yes")
    done = bare.run("127.0.0.1", *options, "--wheel", wheel)
    assert done.code == 1
    assert "Permission denied (publickey)" in done.err


def test_dry_run_prints_every_step_and_does_nothing(bare: FakeBoard, wheel: Path) -> None:
    connected = bare.folder / "connected"
    done = bare.deploy("--wheel", wheel, "--dry-run", "-J", "jump", "-o", f"ProxyCommand=touch {connected}")
    assert (done.code, done.err) == (0, "")
    for title in ("connect", "look at the board", "copy", "install", "try it", "doctor and self test on loopback"):
        assert re.search(rf"^\d\. {title}", done.out, flags=re.MULTILINE)
    assert "ssh -J jump -F" in done.out
    assert not connected.exists()
    assert list(bare.home.iterdir()) == []


def program(board: FakeBoard, name: str, text: str) -> None:
    path = board.tools / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_board_without_python(tmp_path: Path, wheel: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for path in (*Path("/bin").iterdir(), *Path("/usr/bin").iterdir()):
        if not path.name.startswith("python") and not (tools / path.name).exists():
            (tools / path.name).symlink_to(path)
    with boards.running(tmp_path / "board", {"PATH": str(tools)}) as board:
        done = board.deploy("--wheel", wheel)
        assert done.code == 1
        assert "board has no python3" in done.err
        assert "sudo apt install python3 python3-venv" in done.err
        assert list(board.home.iterdir()) == []


OLD = 'case "$*" in *version_info*) echo 3.9.2 ;; *) exit 1 ;; esac'
NO_VENV = f'case "$*" in *ensurepip*) exit 1 ;; *) exec {sys.executable} "$@" ;; esac'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("python3", OLD, "has Python 3.9.2; 3.10 or newer is needed"),
        ("python3", NO_VENV, "cannot make virtual environments. Hint: on the board: sudo apt update"),
        ("uname", "echo riscv64", "board is a riscv64; there are wheels for aarch64, x86_64"),
        ("uname", "echo aarch64", "is for x86_64; board is aarch64"),
    ],
)
def test_board_that_cannot_take_it(bare: FakeBoard, wheel: Path, name: str, text: str, message: str) -> None:
    program(bare, name, text)
    done = bare.deploy("--wheel", wheel)
    assert done.code == 1
    assert message in done.err
    assert list(bare.home.iterdir()) == []


def test_script_means_the_same_to_every_login_shell() -> None:
    assert b"\\" not in SCRIPT.read_bytes()
    assert subprocess.run(["sh", "-n", SCRIPT], check=False).returncode == 0


def test_file_that_is_no_wheel(bare: FakeBoard, tmp_path: Path) -> None:
    wrong = tmp_path / "pyhexagon-0.1-py3-none-manylinux_2_17_x86_64.whl"
    wrong.write_text("no zip")
    for path in (wrong, tmp_path / "other.whl"):
        done = bare.deploy("--wheel", path, "--json")
        assert done.code == 1
        assert json.loads(done.out)["error"]["type"] == "ArgumentError"


def test_passphrase_is_asked_on_the_terminal_and_not_shown(board: FakeBoard, wheel: Path, tmp_path: Path) -> None:
    boards.add_key(board, "typed", PASSPHRASE)
    configuration = tmp_path / "config"
    configuration.write_text((board.folder / "ssh_config").read_text().replace("/key\n", "/typed\n"))
    options = ("board", "-F", str(configuration), "--device", "loopback", "--wheel", str(wheel))
    command = [sys.executable, "-m", "pyhexagon", "deploy", *options]
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", "SSH_ASKPASS": ""})
    shown, asked = b"", False
    with os.fdopen(terminal, "r+b", buffering=0) as file, suppress(OSError):  # EIO: the other end is closed
        while piece := file.read(4096):
            shown += piece
            if not asked and b"Enter passphrase for key" in shown:
                asked = True
                file.write(PASSPHRASE.encode() + b"\n")
    _, status = os.waitpid(child, 0)
    assert (asked, os.waitstatus_to_exitcode(status)) == (True, 0), shown
    assert PASSPHRASE.encode() not in shown
    assert b"nothing to do: it was there, and it works" in shown
