# SPDX-License-Identifier: MIT
"""A tree of sysfs with sensors, as kernels of boards show them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyhexagon.doctor.board import Board

SYSFS = {
    "class/thermal/thermal_zone0/type": "cpu0-thermal",
    "class/thermal/thermal_zone0/temp": "48200",
    "class/thermal/thermal_zone1/type": "nspss-thermal",
    "class/thermal/thermal_zone1/temp": "51000",
    "class/thermal/thermal_zone2/type": "nspss-thermal",
    "class/thermal/thermal_zone2/temp": "-5000",
    "class/thermal/thermal_zone3/type": "off-thermal",  # its sensor refuses: there is no file
    "class/thermal/cooling_device0/type": "cpufreq-cpu0",
    "class/thermal/cooling_device0/cur_state": "0",
    "class/thermal/cooling_device1/type": "cpufreq-cpu4",
    "class/thermal/cooling_device1/cur_state": "3",
    "devices/system/cpu/cpufreq/policy0/scaling_cur_freq": "1958400",
    "devices/system/cpu/cpufreq/policy7/scaling_cur_freq": "2707200",
    "class/devfreq/3d00000.gpu/cur_freq": "812000000",
    "class/hwmon/hwmon0/name": "ina226",  # with power of its own
    "class/hwmon/hwmon0/in1_input": "12000",
    "class/hwmon/hwmon0/curr1_input": "500",
    "class/hwmon/hwmon0/power1_input": "6100000",
    "class/hwmon/hwmon1/name": "ina3221",  # voltages and currents, the third channel not connected
    "class/hwmon/hwmon1/in1_input": "5000",
    "class/hwmon/hwmon1/in1_label": "VDD_IN",
    "class/hwmon/hwmon1/curr1_input": "1200",
    "class/hwmon/hwmon1/in2_input": "1000",
    "class/hwmon/hwmon1/curr2_input": "250",
    "class/hwmon/hwmon1/curr3_input": "0",
    "class/hwmon/hwmon2/name": "pwmfan",
    "class/hwmon/hwmon2/fan1_input": "1500",
}


def tree(root: Path, files: Mapping[str, str] = SYSFS) -> Board:
    for name, text in files.items():
        path = root / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return Board(root)
