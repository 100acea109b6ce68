# SPDX-License-Identifier: MIT
"""Sensors of boards, from trees of sysfs as their kernels show them."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from sysfs import tree
from waiting import LONG

from pyhexagon.bench.sensors import EnergyMeter, Sensors
from pyhexagon.doctor.board import Board


def test_sensors_of_a_board(tmp_path: Path) -> None:
    assert Sensors(tree(tmp_path)).read() == {
        "temperatures": {
            "cpu0-thermal": pytest.approx(48.2), "nspss-thermal": pytest.approx(51),
            "nspss-thermal #2": pytest.approx(-5),
        },
        "throttled": {"cpufreq-cpu4": 3},
        "clocks": {"cpu0": pytest.approx(1958.4), "cpu7": pytest.approx(2707.2), "3d00000.gpu": pytest.approx(812)},
        "watts": {
            "ina226 1": pytest.approx(6.1), "ina3221 VDD_IN": pytest.approx(6.0), "ina3221 2": pytest.approx(0.25)
        },
    }  # fmt: skip


def test_machine_without_sensors(tmp_path: Path) -> None:
    sensors = Sensors(Board(tmp_path))
    assert sensors.read() == {"temperatures": {}, "throttled": {}, "clocks": {}, "watts": {}}
    with EnergyMeter(sensors) as meter:
        pass
    assert meter.joules == {}


class Scripted(Sensors):
    """Power that a script gives, and the clock beside it; the last reading stays.

    Attributes:
        script: pairs of seconds and watts.
        is_at_end: set as soon as the last but one was read.
    """

    def __init__(self, *script: tuple[float, float]) -> None:
        self.script, self.is_at_end = list(script), threading.Event()

    def perf_counter(self) -> float:
        return self.script[0][0]

    def watts(self) -> dict[str, float]:
        _, watts = self.script[0]
        if len(self.script) > 1:
            self.script.pop(0)
        if len(self.script) == 1:
            self.is_at_end.set()
        return {"ina226 1": watts}


def test_energy_is_that_of_all_readings(monkeypatch: pytest.MonkeyPatch) -> None:
    sensors = Scripted((10, 4), (11, 4), (13, 8), (13.5, 6))
    monkeypatch.setattr("pyhexagon.bench.sensors.time", sensors)
    with EnergyMeter(sensors) as meter:
        assert sensors.is_at_end.wait(LONG), "a thread reads meanwhile"
    assert meter.joules == {"ina226 1": 1 * 4 + 2 * 6 + 0.5 * 7}
