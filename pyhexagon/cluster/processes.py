# SPDX-License-Identifier: MIT
"""Finds and terminates the Ray processes of the node that ``nodes.start`` started on this machine.

An environment variable marks them, and their children inherit it. So no PID file can be stale, and Ray processes of
other users or programs are never terminated because of their name.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PORT: Final = "port "  # prefix of a port number: names the cluster whose head is on this machine
_MARK: Final = "PYHEXAGON_CLUSTER_NODE"
_N_MARKS: Final = 2
_GRACE: Final = 5.0
_BETWEEN: Final = 0.1


@dataclass(frozen=True)
class LocalNode:
    """The Ray node that this user runs on this machine.

    Attributes:
        cluster: head address or port, as passed to ``marked``.
        prefix: ``sys.prefix`` of the installation that started it.
        pids: of its processes.
        is_head: the head's control process (gcs_server) is one of them.
    """

    cluster: str
    prefix: str
    pids: tuple[int, ...]
    is_head: bool


def marked(cluster: str) -> dict[str, str]:
    """Return the environment variable that marks a node's processes.

    Args:
        cluster: address of the head, or ``PORT`` and a port number for the head itself.
    """
    return {_MARK: "\n".join((_home(), cluster, sys.prefix))}


def node() -> LocalNode | None:
    """Return this user's node on this machine, or None."""
    parents, names, marks = dict[int, int](), dict[int, bytes](), dict[int, list[str]]()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has ended, or another user owns it
            pid = int(folder.name)
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[pid], names[pid] = int(parent), (folder / "cmdline").read_bytes()
                for variable in (folder / "environ").read_bytes().split(b"\0"):
                    if variable.startswith(_MARK.encode()):
                        home, *mark = os.fsdecode(variable.partition(b"=")[2]).split("\n")
                        if home == _home() and len(mark) == _N_MARKS:
                            marks[pid] = mark
    if not marks:
        return None
    members = set(marks)
    while more := {pid for pid, parent in parents.items() if parent in members} - members:  # a title hides marks
        members |= more
    is_head = any(b"gcs_server" in names[pid] for pid in marks)
    cluster, prefix = marks[min(marks)]
    return LocalNode(cluster, prefix, tuple(sorted(members)), is_head)


def end() -> None:
    """Terminate this user's node: SIGTERM, then SIGKILL for processes that still run after 5 seconds."""
    for number, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _GRACE)):
        found = node()
        if found is None:
            return
        for pid in found.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        until = time.monotonic() + seconds
        while any(map(_is_there, found.pids)) and time.monotonic() < until:
            time.sleep(_BETWEEN)


def _is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _home() -> str:
    return os.path.realpath(Path.home())
