# SPDX-License-Identifier: MIT
"""One ssh connection to the board, shared by all steps.

The first ssh process is the master: it asks for what it needs (on the terminal, by itself, so no secret passes through
here), and every step is another session of the same connection, through a socket in a private folder. The master's
session ends with our end of its pipe, so that nothing survives us, however we end.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from types import MappingProxyType, TracebackType
from typing import IO, Final

from pyhexagon.errors import ArgumentError, DeployError

SCRIPT: Final = Path(__file__).with_name("board.sh")
_LOST: Final = 255  # ssh's own failure, not the command's
_BUSY: Final = 75
_SETTINGS_SECONDS: Final = 60
_CONNECT_SECONDS: Final = 20
_ALIVE_SECONDS: Final = 15
_END_SECONDS: Final = 5.0
_NOTICE_SECONDS: Final = 0.5  # in which a master whose connection broke has ended
_SOCKET_NAME: Final = 60  # what ssh adds to a socket's folder must leave the name below 100 characters
_ANSWER: Final = re.compile(r"pyhexagon:(\w+)=(.*)")

_HINTS: Final = MappingProxyType({
    r"UNPROTECTED PRIVATE KEY": "chmod 600 the key file",
    r"HOST IDENTIFICATION HAS CHANGED": "if the board was set up anew, forget its old key with ssh-keygen -R {name}; "
    "else something stands between you and the board",
    r"host key is known|Host key verification failed": "connect once by hand and compare the fingerprint: {ssh}",
    r"Permission denied|Too many authentication failures": "{ssh} must work first: name the right user and key "
    "(-i FILE), or bring your key there with ssh-copy-id",
    r"Could not resolve hostname": "check the name, or use the address; ssh -G {host} shows what ssh makes of it",
    r"Connection refused": "is sshd running there (sudo systemctl enable --now ssh), and is it that port (-p)?",
    r"timed out|No route to host|unreachable": "is the board on, and in this network? try ping {name}",
})


@dataclass(frozen=True)
class Answer:
    """What a step said.

    Attributes:
        values: the lines "pyhexagon:KEY=VALUE"; the last of a key counts.
        output: all other lines after the last answer.
    """

    values: Mapping[str, str]
    output: str


class StepFailed(DeployError):
    """A step on the board ended with another exit code than 0.

    Attributes:
        values: what it answered before.
        told: its stderr.
    """

    values: Mapping[str, str] = MappingProxyType({})
    told: str = ""


class Connection:
    """An ssh connection; a context manager.

    Args:
        host: as ssh takes it: [USER@]HOST, or a name of ~/.ssh/config.
        options: for ssh, as they stand on its command line.
        prefix: folder on the board, for board.sh.
    """

    def __init__(self, host: str, options: Sequence[str], prefix: str) -> None:
        if not host or host.startswith("-") or not host.isprintable() or " " in host:
            raise ArgumentError(f"{host!r} is not a host: expected [USER@]HOST or a name of your ~/.ssh/config")
        if not prefix or not prefix.isprintable():
            raise ArgumentError(f"{prefix!r} is not a folder's name")
        self.host = host
        self.options = tuple(options)
        self.prefix = prefix
        self._folder: str | None = None
        self._master: subprocess.Popen[bytes] | None = None
        self._held: list[subprocess.Popen[bytes]] = []

    @property
    def command(self) -> list[str]:
        """The ssh command without our own options, as a user would type it."""
        return ["ssh", *self.options, self.host]

    def open(self) -> None:
        """Connects; ssh asks for a password or passphrase on the terminal."""
        if shutil.which("ssh") is None:
            raise DeployError("there is no ssh here", hint="install OpenSSH's client: sudo apt install openssh-client")
        temporary = tempfile.gettempdir()
        folder = tempfile.mkdtemp(prefix="pyhexagon-", dir=temporary if len(temporary) < _SOCKET_NAME else "/tmp")
        self._folder = folder
        options = [*self.options, *self._defaults(), "-M", "-S", self._socket, "-o", "ControlPersist=no"]
        self._master = self._hold(["ssh", *options, "--", self.host], "connect")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other deploys to the same prefix away."""
        process = self._hold(self._session(), "lock")
        try:
            yield
        finally:
            _end(process)

    def run(
        self,
        step: str,
        *arguments: str,
        timeout: float,
        note: Callable[[str], None] | None = None,
        content: Iterator[bytes] | None = None,
        good: Container[int] = (0,),
    ) -> Answer:
        """Runs a step of board.sh.

        Args:
            timeout: seconds until it is given up.
            good: exit codes that are no failure.
            note: called with each line of output that is no answer, and with each answer to "step".
            content: its stdin.

        Raises:
            StepFailed: its exit code is not a good one.
            DeployError: the connection was lost, or the time is over.
        """
        command = [*self._session(), self._remote(step, *arguments)]
        stdin = subprocess.DEVNULL if content is None else subprocess.PIPE
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=errors)
            over = Timer(timeout, process.kill)
            over.start()
            try:
                if content is not None:
                    _feed(process, content)
                values, output = _listen(process.stdout, note)
                returncode = process.wait()
            finally:
                in_time = over.is_alive()
                over.cancel()
                process.kill()  # unless it has ended
                _end(process)
            errors.seek(0)
            told = errors.read().decode(errors="replace")
        if not in_time:
            raise DeployError(f"{step} on {self.host} was not done after {timeout:g} s and was given up")
        if returncode not in good:
            name = " ".join((step, *arguments[:2])) if step == "run" else step
            raise self._failure(name, returncode, values, told)
        return Answer(values, output)

    def close(self) -> None:
        """Ends the connection; idempotent."""
        for process in reversed(self._held):
            _end(process)
        self._held.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> Connection:
        try:
            self.open()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def _socket(self) -> str:
        return f"{self._folder}/ssh"

    def _session(self) -> list[str]:
        """ssh for one more session of the open connection. Should that be gone, no new one is made behind its back."""
        alone = ["-F", "none", "-o", "BatchMode=yes", "-o", "ProxyCommand=false"]
        return ["ssh", *alone, "-S", self._socket, "-T", "--", self.host]

    def _remote(self, step: str, *arguments: str) -> str:
        return shlex.join(["sh", "-c", SCRIPT.read_text(encoding="utf-8"), "pyhexagon", step, self.prefix, *arguments])

    def _defaults(self) -> list[str]:
        """Options of ours that stand behind the user's: those of the command line come first, and the first counts."""
        command = ["ssh", *self.options, "-G", "--", self.host]
        try:
            known = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SETTINGS_SECONDS)
        except subprocess.TimeoutExpired:
            raise DeployError(
                f"{shlex.join(command)} does not come back", call="ssh", hint="does a command of ~/.ssh/config hang?"
            ) from None
        if known.returncode:
            raise DeployError(_one_line(known.stderr) or f"ssh cannot make anything of {self.host!r}", call="ssh")
        settings = dict(line.split(" ", 1) for line in known.stdout.splitlines() if " " in line)
        ours = {"RequestTTY": "no", "RemoteCommand": "none", "ClearAllForwardings": "yes", "PermitLocalCommand": "no"}
        if settings.get("connecttimeout", "none") in ("none", "0"):
            ours["ConnectTimeout"] = str(_CONNECT_SECONDS)
        if settings.get("serveraliveinterval", "0") == "0":
            ours["ServerAliveInterval"] = str(_ALIVE_SECONDS)
        if not _can_ask():
            ours["BatchMode"] = "yes"
        return [part for name, value in ours.items() for part in ("-o", f"{name}={value}")]

    def _hold(self, command: Sequence[str], step: str) -> subprocess.Popen[bytes]:
        """Starts a step that lasts as long as we keep its stdin open, and waits until it is ready."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [*command, self._remote(step)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
            self._held.append(process)
            values, _ = _listen(process.stdout, None, until="ready")
            if "ready" in values:
                return process
            returncode = process.wait()
            errors.seek(0)
            told = errors.read().decode(errors="replace")
        raise self._failure(step, returncode, values, told)

    def _failure(self, step: str, returncode: int, values: Mapping[str, str], told: str) -> DeployError:
        if returncode == _BUSY and "holder" in values:
            return DeployError(
                f"another deploy is at work on {self.host} (process {values['holder']} there)",
                hint=f"wait for it; if it is the rest of one whose connection broke, end it: "
                f"{shlex.join([*self.command, 'kill', values['holder']])}",
            )
        if returncode != _LOST or self._is_up():
            detail = f"{step} on {self.host} failed: {_one_line(told) or f'exit code {returncode}'}"
            failed = StepFailed(detail)
            failed.values, failed.told = dict(values), told
            return failed
        if self._master is None:
            return DeployError(f"no connection to {self.host}: {_one_line(told)}", call="ssh", hint=self._hint(told))
        return DeployError(
            f"the connection to {self.host} was lost during {step}: {_one_line(told)}",
            call="ssh",
            hint="deploy again: it goes on where this one stopped",
        )

    def _is_up(self) -> bool:
        if self._master is None:
            return False
        with suppress(subprocess.TimeoutExpired):
            self._master.wait(_NOTICE_SECONDS)
        return self._master.returncode is None

    def _hint(self, told: str) -> str:
        names = {"host": self.host, "name": self.host.rpartition("@")[2], "ssh": shlex.join(self.command)}
        for pattern, hint in _HINTS.items():
            if re.search(pattern, told):
                return hint.format(**names)
        return f"see whether this works: {names['ssh']}"


def _can_ask() -> bool:
    """Whether ssh can ask somebody: on a terminal, or through the user's askpass program."""
    if os.environ.get("SSH_ASKPASS") and (os.environ.get("SSH_ASKPASS_REQUIRE") or os.environ.get("DISPLAY")):
        return True
    with suppress(OSError):
        os.close(os.open("/dev/tty", os.O_RDWR))
        return True
    return False


def _feed(process: subprocess.Popen[bytes], content: Iterator[bytes]) -> None:
    if process.stdin is None:
        raise AssertionError("the session has no stdin")
    with suppress(BrokenPipeError):  # why it stopped reading is in its exit code
        for piece in content:
            process.stdin.write(piece)
    with suppress(BrokenPipeError):
        process.stdin.close()


def _listen(
    stdout: IO[bytes] | None, note: Callable[[str], None] | None, until: str | None = None
) -> tuple[dict[str, str], str]:
    if stdout is None:
        raise AssertionError("the session has no stdout")
    values: dict[str, str] = {}
    output: list[str] = []
    for line in stdout:
        text = line.decode(errors="replace").rstrip("\r\n")
        match = _ANSWER.fullmatch(text)
        if match:
            values[match[1]] = match[2]
            output.clear()
            if match[1] == "step" and note is not None:
                note(match[2])
            if match[1] == until:
                break
        else:
            output.append(text)
            if note is not None:
                note(text)
    return values, "\n".join(output)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a session: with its stdin, then by force."""
    if process.stdin is not None:
        with suppress(BrokenPipeError):
            process.stdin.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _one_line(text: str) -> str:
    """What matters of many lines of complaint."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "@@@@" not in line]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return "; ".join(errors or lines[-4:])
