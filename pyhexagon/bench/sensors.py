# SPDX-License-Identifier: MIT
"""Temperatures, throttling, clocks and power of a board, from sysfs. What cannot be read is left out, never guessed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from pyhexagon.doctor.board import Board

if TYPE_CHECKING:
    from typing_extensions import Self

_PERIOD: Final = 0.05  # seconds between the readings of an energy meter
_MILLI, _MICRO = 1e-3, 1e-6


class Sensors:
    """The sensors of a board.

    Args:
        board: the files to read; another root than / is for tests.
    """

    def __init__(self, board: Board | None = None) -> None:
        self._board = board or Board()

    def read(self) -> dict[str, Any]:
        """Return "temperatures", "throttled", "clocks" and "watts": what the methods of these names return."""
        return {
            "temperatures": self.temperatures(),
            "throttled": self.throttled(),
            "clocks": self.clocks(),
            "watts": self.watts(),
        }

    def temperatures(self) -> dict[str, float]:
        """Return the temperature of each thermal zone in degrees Celsius, by the zone's type."""
        zones = self._board.glob("sys/class/thermal/thermal_zone*")
        return _named((self._text(zone, "type"), _MILLI, self._number(zone, "temp")) for zone in zones)

    def throttled(self) -> dict[str, int]:
        """Return the state of each cooling device that is active, by its type: 0 < state <= its maximum.

        The kernel lowers clocks through cooling devices, and runs fans. A fan counts, too: its type says what it is.
        """
        devices = self._board.glob("sys/class/thermal/cooling_device*")
        states = _named((self._text(device, "type"), 1, self._number(device, "cur_state")) for device in devices)
        return {name: int(state) for name, state in states.items() if state}

    def clocks(self) -> dict[str, float]:
        """Return the present clocks in MHz: "cpuN" of each group of CPUs (cpufreq), others by their devfreq names."""
        policies = self._board.glob("sys/devices/system/cpu/cpufreq/policy*")
        cpus = (
            (f"cpu{policy.name.removeprefix('policy')}", _MILLI, self._number(policy, "scaling_cur_freq"))
            for policy in policies
        )
        devices = self._board.glob("sys/class/devfreq/*")
        others = ((device.name, _MICRO, self._number(device, "cur_freq")) for device in devices)
        return {**_named(cpus), **_named(others)}

    def watts(self) -> dict[str, float]:
        """Return the power of each sensor of hwmon in watts, by chip and label.

        A channel without power (``power*_input``) has the product of its voltage and its current. Rails may contain
        each other, so their sum has no meaning.
        """
        return _named(self._channels())

    def _channels(self) -> Iterator[tuple[str, float, float | None]]:
        for chip in self._board.glob("sys/class/hwmon/hwmon*"):
            name = self._text(chip, "name")
            for kind, factor in (("power", _MICRO), ("curr", _MICRO)):
                for path in sorted(chip.glob(f"{kind}*_input")):
                    number = path.name.removeprefix(kind).removesuffix("_input")
                    value = self._number(chip, path.name)
                    if kind == "curr":
                        volts = self._number(chip, f"in{number}_input")
                        if (chip / f"power{number}_input").exists() or value is None or volts is None:
                            continue
                        value *= volts  # mA and mV
                    label = self._text(chip, f"{kind}{number}_label") or self._text(chip, f"in{number}_label")
                    yield f"{name} {label or number}", factor, value

    def _text(self, folder: Path, name: str) -> str:
        return self._board.text(self._board.shown(folder / name))

    def _number(self, folder: Path, name: str) -> float | None:
        """Return the number in a file; None if the kernel refuses to read the sensor."""
        try:
            return float(self._text(folder, name))
        except ValueError:
            return None


def shown(what: str, values: Mapping[str, float]) -> str:
    """Return the values that a method of ``Sensors`` returned, named ``what``, for display; empty without values."""
    unit = {"temperatures": " C", "throttled": "", "clocks": " MHz", "watts": " W"}[what]
    return ", ".join(f"{name} {value:.4g}{unit}" for name, value in values.items())


def _named(readings: Iterator[tuple[str, float, float | None]]) -> dict[str, float]:
    """Return the values in their units by name; a name that occurs again gets a number."""
    values: dict[str, float] = {}
    for name, factor, value in readings:
        if value is not None:
            n_same = sum(1 for known in values if known == name or known.startswith(f"{name} #"))
            values[f"{name} #{n_same + 1}" if n_same else name] = value * factor
    return values


class EnergyMeter:
    """Adds up the energy of each power sensor within a ``with`` statement: readings of 20 Hz, by the trapezoidal rule.

    Attributes:
        joules: by the names of ``Sensors.watts``, after the statement. Empty without sensors.
    """

    def __init__(self, sensors: Sensors) -> None:
        self.joules: dict[str, float] = {}
        self._sensors = sensors
        self._running = threading.Lock()  # held until the statement ends
        self._thread = threading.Thread(target=self._measure, name="pyhexagon-energy", daemon=True)
        self._before: tuple[float, dict[str, float]] = 0.0, {}

    def _add(self) -> None:
        now, watts = time.perf_counter(), self._sensors.watts()
        before, earlier = self._before
        for name, power in watts.items():
            if name in earlier:
                self.joules[name] = self.joules.get(name, 0.0) + (earlier[name] + power) / 2 * (now - before)
        self._before = now, watts

    def _measure(self) -> None:
        while not self._running.acquire(timeout=_PERIOD):
            self._add()

    def __enter__(self) -> Self:
        self._before = time.perf_counter(), self._sensors.watts()
        if self._before[1]:
            self._running.acquire()
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._before[1]:
            self._running.release()
            self._thread.join()
            self._add()
