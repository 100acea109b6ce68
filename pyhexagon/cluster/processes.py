# SPDX-License-Identifier: MIT
"""Ray's processes on this machine that belong to a node which ``nodes.start`` started.

They carry a mark in their environment, which what they start inherits: so a node is found without a file that could be
stale, and nobody else's Ray is ended because it has the same name.
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

PORT: Final = "port "  # and its number: the cluster whose head is here
_MARK: Final = "PYHEXAGON_CLUSTER_NODE"
_N_MARKS: Final = 2
_GRACE: Final = 5.0
_BETWEEN: Final = 0.1


@dataclass(frozen=True)
class LocalNode:
    """Attributes:
    cluster: as ``marked`` got it.
    prefix: ``sys.prefix`` of the installation that started it.
    pids: its processes.
    is_head: whether the head's own process is among them.
    """

    cluster: str
    prefix: str
    pids: tuple[int, ...]
    is_head: bool


def marked(cluster: str) -> dict[str, str]:
    """The environment of a node's processes.

    Args:
        cluster: which one it is a part of.
    """
    return {_MARK: "\n".join((_home(), cluster, sys.prefix))}


def node() -> LocalNode | None:
    """This user's node here."""
    parents, names, marks = dict[int, int](), dict[int, bytes](), dict[int, list[str]]()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended, or is another user's
            pid = int(folder.name)
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                parents[pid], names[pid] = int(parent), (folder / "cmdline").read_bytes()
                for one in (folder / "environ").read_bytes().split(b"\0"):
                    if one.startswith(_MARK.encode()):
                        home, *mark = os.fsdecode(one.partition(b"=")[2]).split("\n")
                        if home == _home() and len(mark) == _N_MARKS:
                            marks[pid] = mark
    if not marks:
        return None
    members = set(marks)
    while more := {pid for pid, parent in parents.items() if parent in members} - members:  # titles hide their marks
        members |= more
    is_head = any(b"gcs_server" in names[pid] for pid in marks)
    cluster, prefix = marks[min(marks)]
    return LocalNode(cluster, prefix, tuple(sorted(members)), is_head)


def end() -> None:
    """Ends this user's node here: with SIGTERM, and who is there after some seconds, with SIGKILL."""
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
