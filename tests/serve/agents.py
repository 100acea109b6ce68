# SPDX-License-Identifier: MIT
"""Runs coding agents as docs/agents.md has them: its files and commands, with another address."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from types import MappingProxyType
from typing import Final

import needs
from agent_programs import PROGRAMS

TASK: Final = "Let sums.sh multiply, and run it."
_URL: Final = "http://127.0.0.1:8080"
_FILE: Final = re.compile(r"In `~/([\w./-]+)`[^\n]*(?:\n[^\n`]+)*:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND: Final = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HANGS: Final = 600  # seconds; the slowest agent takes 30
_KEPT: Final = ("PATH", "LANG", "TERM", "TMPDIR")  # of this environment


@dataclass(frozen=True)
class Run:
    """An agent that has ended.

    Attributes:
        code: exit code.
        output, errors: what it wrote.
        hosts: to which it tried to connect, other than this machine.
    """

    code: int
    output: str
    errors: str
    hosts: Sequence[str] = field(default_factory=list)


def page() -> str:
    """Return docs/agents.md."""
    return (needs.ROOT / "docs/agents.md").read_text(encoding="utf-8")


def configuration(heading: str, program: str, url: str, option: str = "") -> tuple[dict[str, str], str]:
    """Return the files of an agent, by their paths in the user's home, and the script that runs it.

    Args:
        heading: of its section.
        program, url, option: as for ``run``.
    """
    text = page().partition(f"\n## {heading}\n")[2].partition("\n## ")[0].replace(_URL, url)
    (script,) = _COMMAND.findall(text)
    command = rf"exec nice \g<0> {option}"
    return dict(_FILE.findall(text)), re.sub(rf"^{program}( exec)?\b", command, script, flags=re.MULTILINE)


def run(
    heading: str, program: str, url: str, folder: Path, *, option: str = "",
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Run:  # fmt: skip
    """Run an agent in ``folder / "work"``, with ``folder / "home"`` as its home.

    Args:
        heading: of the section that has its files and command.
        program: of ``agent_programs.PROGRAMS``.
        url: of the server.
        option: for the command.
        environment: further variables.
    """
    files, script = configuration(heading, program, url, option)
    home, work = folder / "home", folder / "work"
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    with _watched() as (proxy, hosts):
        given = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"HOME": str(home)}
        given |= dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), proxy)
        given |= dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost") | {"NODE_USE_ENV_PROXY": "1"}
        given["PATH"] = ":".join([*map(str, PROGRAMS[program].paths), given["PATH"]])
        code = _run(["sh", "-euc", script], work, given | dict(environment), folder)
    output, errors = ((folder / name).read_text(encoding="utf-8", errors="replace") for name in ("output", "errors"))
    return Run(code, output, errors, hosts)


def _run(command: Sequence[str], work: Path, environment: Mapping[str, str], folder: Path) -> int:
    """Run a command with its output in files, which processes that it leaves behind may keep open; end these. Return
    the exit code."""
    with (folder / "output").open("wb") as output, (folder / "errors").open("wb") as errors:
        agent = subprocess.Popen(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
            start_new_session=True,
        )  # fmt: skip
        try:
            return agent.wait(_HANGS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(agent.pid, signal.SIGKILL)
            agent.wait()


@contextmanager
def _watched() -> Iterator[tuple[str, list[str]]]:
    """Yield the URL of a proxy that connects to nothing, and the hosts that it was asked for."""
    hosts: list[str] = []

    class Refusal(StreamRequestHandler):
        timeout = 60

        def handle(self) -> None:
            hosts.append(self.rfile.readline(4096).decode("latin-1").strip())
            self.wfile.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with ThreadingTCPServer(("127.0.0.1", 0), Refusal) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}", hosts
        finally:
            server.shutdown()
            thread.join()
