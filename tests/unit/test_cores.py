# SPDX-License-Identifier: MIT
"""Threads of ``Device("cpu")``, and those that share a DSP's matmuls: one per fast physical core."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pyhexagon import Device
from pyhexagon._ffi import contract
from pyhexagon.process import cores
from pyhexagon.program.sharing import MAX_THREADS, Sharing

Describe = Callable[[list[tuple[str, str]]], None]


@pytest.fixture
def describe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Describe:
    """Pretend that the machine has these CPUs: siblings and capacity of each, "" for a file that does not exist."""

    def pretend(cpus: list[tuple[str, str]]) -> None:
        for number, (siblings, capacity) in enumerate(cpus):
            for name, text in (("topology/thread_siblings_list", siblings), ("cpu_capacity", capacity)):
                path = tmp_path / f"cpu{number}" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if text:
                    path.write_text(text + "\n")
        monkeypatch.setattr(cores, "CPUS", tmp_path)
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(len(cpus))))

    return pretend


MACHINES = {
    "a board of 1 + 3 big and 4 small cores": ([("", "1024")] + [("", "870")] * 3 + [("", "380")] * 4, 4),
    "4 cores of 2 threads": ([(f"{n},{n + 4}", "") for n in range(4)] * 2, 4),
    "a machine without descriptions": ([("", "")] * 3, 3),
    "1 of 2 threads is given": ([("0-1", "")], 1),
    "12 cores": ([(str(n), "1024") for n in range(12)], 12),
    "a file of nonsense": ([("0", "fast"), ("1", "1024")], 2),
}


@pytest.mark.parametrize("name", MACHINES)
def test_fast_cores_count(name: str, describe: Describe) -> None:
    cpus, n_cores = MACHINES[name]
    describe(cpus)
    assert cores.n_fast_cores() == n_cores
    with Device("cpu") as device:
        assert device.info().threads == min(n_cores, contract.MAX_THREADS)
    assert Sharing(0.3).n_threads == max(1, min(n_cores, MAX_THREADS, len(cpus) - 1)), "one CPU is Python's"


def test_other_devices_keep_their_number(describe: Describe) -> None:
    describe([("", "")])
    with Device("loopback") as device:
        assert device.info().threads == 4
    with Device("cpu", threads=3) as device:
        assert device.info().threads == 3
    with Device("cpu", threads=0) as device:
        assert device.info().threads == 1
