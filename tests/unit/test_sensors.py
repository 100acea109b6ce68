# SPDX-License-Identifier: MIT
"""Sensors of boards, from trees of sysfs as their kernels show them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from sysfs import tree

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


def test_energy_follows_power(tmp_path: Path) -> None:
    board = tree(tmp_path, {"class/hwmon/hwmon0/name": "ina226", "class/hwmon/hwmon0/power1_input": "4000000"})
    start = time.perf_counter()
    with EnergyMeter(Sensors(board)) as meter:
        time.sleep(0.3)
        tree(tmp_path, {"class/hwmon/hwmon0/power1_input": "8000000"})
        time.sleep(0.3)
    seconds = time.perf_counter() - start
    assert 4 * 0.6 < meter.joules["ina226 1"] < 8 * seconds
