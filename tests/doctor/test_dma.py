# SPDX-License-Identifier: MIT
"""The doctor's check of user DMA: it fails if a weight does not come by DMA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conftest import Faults

from pyhexagon.doctor import dma
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.doctor.session import Probe
from pyhexagon.process import locate
from pyhexagon.program.program import Program


@pytest.fixture
def check(qemu: str) -> Callable[[], str]:
    return lambda: dma.weight_bytes(Probe(locate.find_target("loopback:qemu", None), Board()))


def test_a_weight_that_comes_by_dma_passes(check: Callable[[], str]) -> None:
    assert "came by DMA" in check()


@pytest.mark.parametrize(("copies", "moved"), [(0, "moved 0 of"), (3, "moved 0 of"), (5, "transfers failed")])
def test_a_failing_engine_is_found(check: Callable[[], str], faults: Faults, copies: int, moved: str) -> None:
    faults.set("dma", copies)
    with pytest.raises(Problem, match=moved):
        check()


def test_a_weight_that_no_transfer_moved_is_found(check: Callable[[], str], monkeypatch: pytest.MonkeyPatch) -> None:
    run = Program.run_with_report

    def without_dma(program: Program, *inputs: Any) -> Any:
        results, report = run(program, *inputs)
        return results, report._replace(ops=())

    monkeypatch.setattr(Program, "run_with_report", without_dma)
    with pytest.raises(Problem, match="moved 0 of"):
        check()


def test_without_vtcm_there_is_nothing_to_check(check: Callable[[], str], faults: Faults) -> None:
    faults.set("vtcm", 0)
    assert "no VTCM" in check()
