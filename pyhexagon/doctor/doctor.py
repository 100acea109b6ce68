# SPDX-License-Identifier: MIT
"""Runs every check in order, each with the earlier checks that it depends on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pyhexagon.doctor import coherence, healthcheck, shell, software, switches, system
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Findings, Problem, Result, Status
from pyhexagon.doctor.stages import STAGES, Child
from pyhexagon.process import locate

NOT_ON_LOOPBACK: Final = "not applicable (loopback)"
HARDWARE: Final[MappingProxyType[str, Callable[[Board], str]]] = MappingProxyType({
    "soc": system.soc,
    "device-tree": system.device_tree,
    "remoteproc": system.remoteproc,
    "nodes": system.nodes,
    "dma-heap": system.dma_heap,
    "coherence": coherence.coherence,
    "library": software.library,
    "shell": shell.shell,
    "healthcheck": healthcheck.healthcheck,
})
NEEDS: Final[MappingProxyType[str, tuple[str, ...]]] = MappingProxyType({
    "symbols": ("library",),
    "capabilities": ("remoteproc", "nodes", "symbols"),
    "open": ("remoteproc", "nodes", "symbols", "skel"),
    "contract": ("open",),
    "echo-invoke": ("contract",),
    "memory": ("open",),
    "workspace": ("contract", "memory"),
    "echo-dspqueue": ("echo-invoke",),
    "notifications": ("echo-invoke",),
    "ping-pong": ("switches", "echo-invoke", "workspace"),
    "matmul": ("switches", "echo-invoke", "workspace"),
    "selftest": ("matmul",),
    "dma": ("matmul",),
    "kernel": ("switches", "matmul"),
})


@dataclass
class Doctor:
    """Checks a device.

    Args:
        device: as ``Device`` takes it.
        board: the files and the user to check; another root than / is for tests.
        library: a libcdsprpc to load instead of the device's.
        deadline: seconds for any check of the library, instead of the check's own.
    """

    device: str | None = None
    board: Board | None = None
    library: Path | None = None
    deadline: float | None = None

    def results(self) -> Iterator[Result]:
        """Yield each result in order, as soon as it is known."""
        target = locate.find_target(self.device, self.library)
        board = replace(self.board or Board(), processor=target.processor)
        done: dict[str, Result] = {}

        def keep(result: Result) -> Result:
            done[result.name] = result
            return result

        for name, check in HARDWARE.items():
            if target.is_loopback:
                yield keep(Result(name, Status.NOT_APPLICABLE, NOT_ON_LOOPBACK))
            else:
                yield keep(_examine(name, lambda check=check: check(board)))  # type: ignore[misc]
        if switches.are_set(board):
            yield keep(_examine("switches", lambda: switches.switches(board)))
        yield keep(_examine("search-paths", lambda: software.paths(board)))
        yield keep(_examine("skel", lambda: software.skel(target)))
        with Child(target, board, self.deadline) as child:
            for name in STAGES:
                needs = [done[need] for need in NEEDS[name] if need in done]
                missing = [need.name for need in needs if need.status in (Status.FAILED, Status.SKIPPED)]
                if missing:
                    reason = f"skipped, because {missing[0]} {_outcome(done[missing[0]])}"
                    yield keep(Result(name, Status.SKIPPED, reason))
                else:
                    yield keep(child.run(name))

    def run(self) -> Findings:
        """Run all checks and return the findings."""
        return Findings(locate.find_target(self.device).name, list(self.results()))


def _outcome(result: Result) -> str:
    return "failed" if result.status is Status.FAILED else "was skipped"


def _examine(name: str, check: Callable[[], str]) -> Result:
    start = time.monotonic()
    try:
        status, finding, remedy = Status.OK, check(), ""
    except Problem as problem:
        status, finding, remedy = problem.status, problem.finding, problem.remedy
    except OSError as error:
        status, finding, remedy = Status.WARNING, f"could not be examined: {error}", "check its permissions with ls -l"
    return Result(name, status, finding, remedy, time.monotonic() - start)
