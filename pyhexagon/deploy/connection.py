# SPDX-License-Identifier: MIT
"""One ssh connection to the board, shared by all steps.

The first ssh process is the master. It asks for passwords on the terminal itself, so no secret passes through this
process, and every step is another session of the same connection, through a socket in a private folder. The master's
session ends when our end of its pipe closes, so it never outlives this process.
"""

from __future__ import annotations

import os
import re
import resource
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Timer
from types import MappingProxyType, TracebackType
from typing import Final

from pyhexagon.deploy.answers import Answer, Values, last_of, listen
from pyhexagon.errors import ArgumentError, DeployError

SCRIPT: Final = Path(__file__).with_name("board.sh")
_LOST: Final = 255  # exit code of ssh itself, not of the command
_BUSY: Final = 75
_SETTINGS_SECONDS: Final = 60
_CONNECT_SECONDS: Final = 20
_ALIVE_SECONDS: Final = 15
_END_SECONDS: Final = 5.0
_NOTICE_SECONDS: Final = 0.5  # the time a master needs to end after a broken connection
_SOCKET_NAME: Final = 60  # limit of the folder's name: ssh appends to it, and socket names have at most 100 characters
_MOST_ERRORS: Final = 64 << 20  # bytes of stderr, which is a file; more of it ends ssh

_HINTS: Final = MappingProxyType({
    r"UNPROTECTED PRIVATE KEY": "chmod 600 the key file",
    r"HOST IDENTIFICATION HAS CHANGED": "if the board was reinstalled, remove its old key with ssh-keygen -R {name}; "
    "otherwise someone may be intercepting the connection",
    r"host key is known|Host key verification failed": "connect once by hand and compare the fingerprint: {ssh}",
    r"Permission denied|Too many authentication failures": "{ssh} must work first: name the right user and key "
    "(-i FILE), or install your key with ssh-copy-id",
    r"Could not resolve hostname": "check the name, or use the address; ssh -G {host} shows how ssh resolves it",
    r"Connection refused": "is sshd running there (sudo systemctl enable --now ssh), and is the port right (-p)?",
    r"timed out|No route to host|unreachable": "is the board on, and in the same network? try ping {name}",
})


class StepFailed(DeployError):
    """A step on the board ended with a nonzero exit code.

    Attributes:
        values: its answers before that.
        stderr: its stderr.
    """

    values: Mapping[str, str] = MappingProxyType(Values())
    stderr: str = ""


class Connection:
    """An ssh connection; a context manager.

    Args:
        host: [USER@]HOST, or a name of ~/.ssh/config.
        options: command-line options for ssh.
        prefix: the folder on the board, for board.sh.
    """

    def __init__(self, host: str, options: Sequence[str], prefix: str) -> None:
        if not host or host.startswith("-") or not host.isprintable() or " " in host:
            raise ArgumentError(f"{host!r} is not a host: expected [USER@]HOST or a name of your ~/.ssh/config")
        if not prefix or not prefix.isprintable():
            raise ArgumentError(f"{prefix!r} is not a folder name")
        self.host = host
        self.options = tuple(options)
        self.prefix = prefix
        self._folder: str | None = None
        self._master: subprocess.Popen[bytes] | None = None
        self._held: list[subprocess.Popen[bytes]] = []

    @property
    def command(self) -> list[str]:
        """The ssh command as a user would type it, without our own options."""
        return ["ssh", *self.options, self.host]

    def open(self) -> None:
        """Connect; ssh asks for a password or passphrase on the terminal."""
        if shutil.which("ssh") is None:
            raise DeployError("ssh is not installed", hint="install OpenSSH's client: sudo apt install openssh-client")
        temporary = tempfile.gettempdir()
        folder = tempfile.mkdtemp(prefix="pyhexagon-", dir=temporary if len(temporary) < _SOCKET_NAME else "/tmp")
        self._folder = folder
        options = [*self.options, *self._defaults(), "-M", "-S", self._socket, "-o", "ControlPersist=no"]
        self._master = self._hold(["ssh", *options, "--", self.host], "connect")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold a lock that excludes other deploys to the same prefix."""
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
        """Run a step of board.sh.

        Args:
            timeout: seconds until the step is killed.
            good: exit codes that count as success.
            note: called with each line of output that is not an answer, and with each answer to "step".
            content: its stdin.

        Raises:
            StepFailed: its exit code is not in ``good``.
            DeployError: the connection was lost, or the step timed out.
        """
        command = [*self._session(), self._remote(step, *arguments)]
        stdin = subprocess.DEVNULL if content is None else subprocess.PIPE
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=errors)
            with suppress(ProcessLookupError):  # it has ended
                resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_MOST_ERRORS, _MOST_ERRORS))
            over = Timer(timeout, process.kill)
            over.start()
            try:
                if content is not None:
                    _feed(process, content)
                values, output = listen(process.stdout, note)
                returncode = process.wait()
            finally:
                in_time = over.is_alive()
                over.cancel()
                process.kill()  # unless it has ended
                _end(process)
            stderr = last_of(errors)
        if not in_time:
            raise DeployError(f"{step} on {self.host} did not finish within {timeout:g} s and was stopped")
        if returncode not in good:
            name = " ".join((step, *arguments[:2])) if step == "run" else step
            raise self._failure(name, returncode, values, stderr)
        return Answer(values, output)

    def close(self) -> None:
        """End the connection; idempotent."""
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
        """Return the ssh command for a session of the open connection; never opens a new connection."""
        alone = ["-F", "none", "-o", "BatchMode=yes", "-o", "ProxyCommand=false"]
        return ["ssh", *alone, "-S", self._socket, "-T", "--", self.host]

    def _remote(self, step: str, *arguments: str) -> str:
        return shlex.join(["sh", "-c", SCRIPT.read_text(encoding="utf-8"), "pyhexagon", step, self.prefix, *arguments])

    def _defaults(self) -> list[str]:
        """Return our default options, which follow the user's: ssh uses the first value of each option."""
        command = ["ssh", *self.options, "-G", "--", self.host]
        try:
            known = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SETTINGS_SECONDS)
        except subprocess.TimeoutExpired:
            raise DeployError(
                f"{shlex.join(command)} does not return", call="ssh", hint="does a command in ~/.ssh/config hang?"
            ) from None
        if known.returncode:
            raise DeployError(_one_line(known.stderr) or f"ssh does not accept {self.host!r}", call="ssh")
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
        """Start a step that runs until its stdin closes, and wait until it is ready."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [*command, self._remote(step)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
            self._held.append(process)
            values, _ = listen(process.stdout, None, until="ready")
            if "ready" in values:
                return process
            returncode = process.wait()
            stderr = last_of(errors)
        raise self._failure(step, returncode, values, stderr)

    def _failure(self, step: str, returncode: int, values: Mapping[str, str], stderr: str) -> DeployError:
        if returncode == _BUSY and "holder" in values:
            return DeployError(
                f"another deploy is running on {self.host} (process {values['holder']} there)",
                hint=f"wait for it; if its connection is broken, end it: "
                f"{shlex.join([*self.command, 'kill', values['holder']])}",
            )
        if returncode != _LOST or self._is_up():
            detail = f"{step} on {self.host} failed: {_one_line(stderr) or f'exit code {returncode}'}"
            failed = StepFailed(detail)
            failed.values, failed.stderr = Values(values), stderr
            return failed
        if self._master is None:
            hint = self._hint(stderr)
            return DeployError(f"no connection to {self.host}: {_one_line(stderr)}", call="ssh", hint=hint)
        return DeployError(
            f"the connection to {self.host} was lost during {step}: {_one_line(stderr)}",
            call="ssh",
            hint="deploy again: it resumes where this one stopped",
        )

    def _is_up(self) -> bool:
        if self._master is None:
            return False
        with suppress(subprocess.TimeoutExpired):
            self._master.wait(_NOTICE_SECONDS)
        return self._master.returncode is None

    def _hint(self, stderr: str) -> str:
        names = {"host": self.host, "name": self.host.rpartition("@")[2], "ssh": shlex.join(self.command)}
        for pattern, hint in _HINTS.items():
            if re.search(pattern, stderr):
                return hint.format(**names)
        return f"check that this works: {names['ssh']}"


def _can_ask() -> bool:
    """Return whether ssh can ask the user: on a terminal, or through an askpass program."""
    if os.environ.get("SSH_ASKPASS") and (os.environ.get("SSH_ASKPASS_REQUIRE") or os.environ.get("DISPLAY")):
        return True
    with suppress(OSError):
        os.close(os.open("/dev/tty", os.O_RDWR))
        return True
    return False


def _feed(process: subprocess.Popen[bytes], content: Iterator[bytes]) -> None:
    if process.stdin is None:
        raise AssertionError("the session has no stdin")
    with suppress(BrokenPipeError):  # its exit code says why it stopped reading
        for piece in content:
            process.stdin.write(piece)
    with suppress(BrokenPipeError):
        process.stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a session: close its stdin, then kill it."""
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
    """Reduce an error output to the lines that matter."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "@@@@" not in line]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return "; ".join(errors or lines[-4:])
