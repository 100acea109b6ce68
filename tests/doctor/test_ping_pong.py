# SPDX-License-Identifier: MIT
"""The doctor's ping-pong: it fails if a copy by the DSP has stale or wrong cache lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pyhexagon.doctor.findings import Problem, Status
from pyhexagon.doctor.ping_pong import ping_pong
from pyhexagon.doctor.session import Probe
from pyhexagon.process import locate
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

from . import boards

Change = Callable[[np.ndarray[Any, Any], np.ndarray[Any, Any]], None]


@pytest.fixture
def probe(tmp_path: Path) -> Probe:
    return Probe(locate.find_target("loopback", None), boards.healthy(tmp_path).board())


@pytest.fixture
def change_copy(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, Change], None]:
    """Install a function that changes the copy of one round; it gets the flat copy and the values before the run."""

    def install(failing_round: int, change: Change) -> None:
        run = Program.__call__
        rounds = iter(range(1, 100))

        def changed(program: Program, source: Tensor, *, out: Tensor) -> Tensor:
            before = out.numpy().copy()
            result = run(program, source, out=out)
            if next(rounds) == failing_round:
                change(out.numpy().reshape(-1), before.reshape(-1))
            return result

        monkeypatch.setattr(Program, "__call__", changed)

    return install


def test_coherent_memory_passes(probe: Probe) -> None:
    assert ping_pong(probe) == "8 copies of 4 MiB, all values as written"


@pytest.mark.parametrize("failing_round", [1, 3, 8])
def test_stale_lines_are_found(probe: Probe, change_copy: Callable[[int, Change], None], failing_round: int) -> None:
    def keep_two_lines(copy: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> None:
        copy[32:48], copy[-1:] = before[32:48], before[-1:]

    change_copy(failing_round, keep_two_lines)
    with pytest.raises(Problem) as caught:
        ping_pong(probe)
    finding = caught.value.finding
    assert finding.startswith(f"round {failing_round} of 8: 2 of 65536 cache lines (64 bytes)")
    assert "the first at byte 128; they have the values of the round before it" in finding
    assert finding.endswith("see the check coherence: 1 of 1 compute-cb nodes have dma-coherent")
    assert "full-upgrade" in caught.value.remedy
    assert caught.value.status is Status.FAILED


def test_other_wrong_values_are_not_called_stale(probe: Probe, change_copy: Callable[[int, Change], None]) -> None:
    def damage(copy: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> None:
        copy[0], copy[16] = before[0], -1

    change_copy(2, damage)
    with pytest.raises(Problem, match=r"round 2 of 8: 2 of 65536 .* values of neither this round") as caught:
        ping_pong(probe)
    assert "pyhexagon selftest" in caught.value.remedy
