# SPDX-License-Identifier: MIT
"""The environment of a benchmark: the facts about a machine that its times depend on."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from typing import Any

from pyhexagon.device import Device
from pyhexagon.doctor import known
from pyhexagon.doctor.board import Board


def describe(device: Device, board: Board | None = None) -> dict[str, Any]:
    """Describe the machine, its clocks and the device; null where the machine does not report a fact."""
    board = board or Board()
    return {
        "machine": board.text(f"{known.DEVICE_TREE}/model") or None,
        "processor": platform.machine(),
        "cpus": os.cpu_count(),
        "kernel": board.text("/proc/sys/kernel/osrelease") or None,
        "os": _os_name(board),
        "memory_bytes": _memory_bytes(board),
        "cpu_clocks": _cpu_clocks(board),
        "device": asdict(device.info()),
    }


def _memory_bytes(board: Board) -> int | None:
    for line in board.text("/proc/meminfo").splitlines():
        key, _, value = line.partition(":")
        if key == "MemTotal":
            return int(value.split()[0]) * 1024
    return None


def _os_name(board: Board) -> str | None:
    for line in board.text("/etc/os-release").splitlines():
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            return value.strip('"')
    return None


def _cpu_clocks(board: Board) -> list[dict[str, str]]:
    """Return governor and frequency limits (kHz) of each group of CPUs that share a clock."""
    clocks = []
    for policy in board.glob("sys/devices/system/cpu/cpufreq/policy*"):
        folder = board.shown(policy)
        names = {"cpus": "related_cpus", "governor": "scaling_governor", "min_khz": "scaling_min_freq"}
        names["max_khz"] = "scaling_max_freq"
        clocks.append({key: board.text(f"{folder}/{name}") for key, name in names.items()})
    return clocks
