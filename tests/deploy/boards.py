# SPDX-License-Identifier: MIT
"""A fake board: an sshd of this user with its own keys, port, home directory and PATH."""

from __future__ import annotations

import getpass
import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import needs

TIMEOUT = 180


@dataclass
class Done:
    """The result of a deploy."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        answer = json.loads(self.out)
        assert isinstance(answer, dict)
        return answer


@dataclass
class FakeBoard:
    """The deploying machine and the board, both in ``folder``."""

    OLD = "0.1-old"

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    port: int = 0
    prefix_in_home: str = ".local/share/pyhexagon"

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def prefix(self) -> Path:
        return self.home / self.prefix_in_home

    @property
    def tools(self) -> Path:
        """The first folder of the board's PATH."""
        return self.folder / "bin"

    @property
    def versions(self) -> set[str]:
        return {path.name for path in self.prefix.glob("versions/*")}

    @property
    def program(self) -> Path:
        """The program of the version from ``put_old_version``."""
        return self.prefix / "versions" / self.OLD / "bin/pyhexagon"

    def version(self, link: str) -> str:
        """Return the target of ``current`` or ``previous``."""
        path = self.prefix / link
        return os.readlink(path).removeprefix("versions/") if path.is_symlink() else ""

    def start(self, *arguments: object, **environment: str) -> subprocess.Popen[str]:
        """Start ``pyhexagon deploy`` without a terminal."""
        command = [sys.executable, "-m", "pyhexagon", "deploy", *map(str, arguments)]
        pipe = subprocess.PIPE
        known = {name: value for name, value in os.environ.items() if not name.startswith(("SSH_", "PYHEXAGON"))}
        return subprocess.Popen(
            command, stdout=pipe, stderr=pipe, text=True, env={**known, **environment}, start_new_session=True
        )

    def run(self, *arguments: object, **environment: str) -> Done:
        """Run it with only these arguments."""
        with self.start(*arguments, **environment) as process:
            out, err = process.communicate(timeout=TIMEOUT)
        return Done(process.returncode, out, err)

    def deploy(self, *arguments: object, **environment: str) -> Done:
        """Run it with the host, its configuration, and the loopback as the device to test."""
        return self.run(*self.usual(), *arguments, **environment)

    def usual(self) -> tuple[str, ...]:
        return ("board", "-F", str(self.folder / "ssh_config"), "--device", "loopback", "--prefix", self.prefix_in_home)

    def put_old_version(self) -> None:
        """Install a current version that answers "old", as if deployed."""
        old = self.prefix / "versions" / self.OLD
        (old / "bin").mkdir(parents=True)
        (old / "bin/pyhexagon").write_text("#!/bin/sh\necho old\n")
        (old / "bin/pyhexagon").chmod(0o755)
        (old / ".complete").touch()
        (self.prefix / "current").symlink_to(f"versions/{self.OLD}")

    def processes(self) -> list[str]:
        """Return the command lines of processes that belong to this board, except its sshd's."""
        ours = (line for line in command_lines() if str(self.folder).encode() in line)
        return [line.replace(b"\0", b" ").decode(errors="replace") for line in ours if b"sshd" not in line]

    def command(self, *arguments: str) -> str:
        """Return the output of the current version's command."""
        program = str(self.prefix / "current/bin/pyhexagon")
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home)}
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True, env=environment)
        return done.stdout


def command_lines() -> Iterator[bytes]:
    """Yield the command lines of all processes of this machine."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield path.read_bytes()


def _keygen(path: Path, passphrase: str = "") -> None:
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def add_key(board: FakeBoard, name: str, passphrase: str = "", *, welcome: bool = True) -> Path:
    """Create a key; a welcome key may log in."""
    path = board.folder / name
    _keygen(path, passphrase)
    if welcome:
        with (board.folder / "authorized_keys").open("a") as file:
            file.write(path.with_suffix(".pub").read_text())
    return path


def _write_configuration(board: FakeBoard) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        board.port = free.getsockname()[1]
    folder = board.folder
    variables = " ".join(f'{name}="{value}"' for name, value in board.environment.items())
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1\nPort {board.port}\nPidFile none\nUsePAM no\nStrictModes no\nLogLevel VERBOSE\n"
        f"HostKey {folder}/host_key\nAuthorizedKeysFile {folder}/authorized_keys\nAuthenticationMethods publickey\n"
        f"SetEnv {variables}\n"
    )
    host_key = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{board.port} {host_key}")
    (folder / "ssh_config").write_text(
        f"Host board jump\n HostName 127.0.0.1\n Port {board.port}\n User {getpass.getuser()}\n"
        "Host *\n IdentitiesOnly yes\n StrictHostKeyChecking yes\n GlobalKnownHostsFile /dev/null\n"
        f" UserKnownHostsFile {folder}/known_hosts\nHost board jump\n IdentityFile {folder}/key\n"
    )


@contextmanager
def running(folder: Path, environment: Mapping[str, str], limit: int = 0) -> Iterator[FakeBoard]:
    """Run a board with these environment variables; ``limit`` is the largest size of a file there in bytes."""
    needs.require("ssh")
    needs.require("sshd")
    board = FakeBoard(folder)
    for part in (board.home, board.tools):
        part.mkdir(parents=True)
    # Not a link: a relocated Python would not find its library from there.
    python = board.tools / "python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(getattr(sys, "_base_executable", sys.executable))} "$@"\n')
    python.chmod(0o755)
    home = Path.home()
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    pip.setdefault("PIP_CACHE_DIR", str(home / ".cache/pip"))
    path = f"{board.tools}:/usr/local/bin:/usr/bin:/bin"
    board.environment = {"HOME": str(board.home), "PATH": path, "XDG_CONFIG_HOME": str(home / ".config"), **pip}
    board.environment.update(environment)
    _keygen(folder / "host_key")
    add_key(board, "key")
    _write_configuration(board)
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)

    # A write beyond the limit fails, as on a full disk, and does not end the writer.
    limited = f"trap '' XFSZ; ulimit -f {limit // 512}; " if limit else ""
    with (folder / "sshd.log").open("w") as log:
        command = ["sh", "-c", f'{limited}exec "$0" -D -e -f "$1"', str(needs.SSHD), str(folder / "sshd_config")]
        server = subprocess.Popen(command, stderr=log)
        try:
            wait_until(lambda: _listens(board.port))
            yield board
        finally:
            server.terminate()
            server.wait(TIMEOUT)


@contextmanager
def with_this_environment(folder: Path, **environment: str) -> Iterator[FakeBoard]:
    """Run a board whose current version is the one of this environment."""
    with running(folder, environment) as board:
        board.put_old_version()
        board.program.write_text(f'#!/bin/sh\nexec {sys.executable} -m pyhexagon "$@"\n')
        yield board


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
