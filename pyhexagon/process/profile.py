# SPDX-License-Identifier: MIT
"""The profile: what ``pyhexagon tune`` chose for a board, in ``$XDG_CONFIG_HOME/pyhexagon/profile.json``.

The file has an entry for each board, device and skel: figures of another skel or SoC say nothing about this one. Only a
DSP has a profile: the loopback reads none, except as a scripted board (its option ``rates``), which tests use.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pyhexagon import files
from pyhexagon._ffi import contract
from pyhexagon._ffi.library import Library
from pyhexagon.process.locate import Target
from pyhexagon.process.resources import LATENCIES
from pyhexagon.process.transport import NAMES

SCHEMA: Final = "pyhexagon-profile-1"
_COMPATIBLE: Final = Path("/proc/device-tree/compatible")
_ALLOWED: Final[Mapping[str, tuple[object, ...]]] = {
    "transport": NAMES,
    "latency": LATENCIES,
    "power": tuple(contract.POWER),
    "threads": tuple(range(1, contract.MAX_THREADS + 1)),
    "dcfetch": (False, True),
    "cpu_share": tuple(tenths / 10 for tenths in range(10)),
}
"""The values of each option that a profile may choose."""

Choice = Mapping[str, Any]
"""Values of options of ``Device``, with keys of ``_ALLOWED``; an option without a measurement is missing."""


def path() -> Path:
    """Return the path of the profile, whether it exists or not."""
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(folder) / "pyhexagon/profile.json"


def is_for(library: Library, target: Target) -> bool:
    """Return whether a device may have a profile: a DSP, or a scripted board."""
    return bool(library.loopback_has_rates()) if library.is_loopback else not target.is_loopback


def apply(library: Library, target: Target, given: Choice) -> tuple[Choice, str]:
    """Return the options of a device, and a text that says which of them the profile set, or why it set none.

    Warns about a damaged profile.

    Args:
        given: the value of each option that a profile may choose; the profile replaces only None.
    """
    choice, text = _find(library, target)
    used = {name: value for name, value in choice.items() if given[name] is None}
    if used:
        text = f"{', '.join(f'{name} {value}' for name, value in used.items())} ({text})"
    elif choice:
        text = f"none: explicit options replace all of {text}"
    return {**given, **used}, text


def _find(library: Library, target: Target) -> tuple[Choice, str]:
    """Return what the profile chooses for a device, empty without an entry, and its path or why it is not used."""
    if not is_for(library, target):
        return {}, "none: no DSP"
    file = path()
    try:
        entries = _read(file)
    except FileNotFoundError:
        return {}, "none: pyhexagon tune writes one"
    except (OSError, ValueError, RecursionError) as error:
        warnings.warn(f"{file} is damaged and not used: {error}", RuntimeWarning, stacklevel=4)
        return {}, f"not used: {file} is damaged: {error}"
    key = _key(target)
    for entry in entries:
        if entry["key"] == key:
            return entry["choice"], str(file)
    return {}, f"none: {file} has no entry for this board and skel; pyhexagon tune adds it"


def store(target: Target, choice: Choice, lines: object) -> Path:
    """Write a device's entry, which replaces an earlier one, and return the path. Replaces a damaged file.

    Args:
        lines: the measurements behind the choice, as JSON.

    Raises:
        HexagonError: the file cannot be written; an earlier one stays as it is.
    """
    file, key = path(), _key(target)
    with files.as_hexagon_error(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    try:
        kept = [entry for entry in _read(file) if entry["key"] != key]
    except (OSError, ValueError, RecursionError):
        kept = []
    entry = {"key": key, "choice": dict(choice), "lines": lines}
    text = json.dumps({"schema": SCHEMA, "entries": [*kept, entry]}, indent=1)
    files.save(file, lambda opened: opened.writelines([text.encode()]))
    return file


def _key(target: Target) -> dict[str, str]:
    """Return what an entry depends on: the SoC and board of the device tree, the device, and the skel's contents."""
    try:
        board = _COMPATIBLE.read_bytes().decode(errors="replace").replace("\0", " ").strip()
    except OSError:
        board = "unknown"
    return {"board": board, "device": target.name, "skel": hashlib.sha256(target.skel.read_bytes()).hexdigest()}


def _read(file: Path) -> list[dict[str, Any]]:
    """Return the entries of the file.

    Raises:
        OSError, ValueError: it cannot be read, or does not have the form of ``SCHEMA``.
    """
    content = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise ValueError(f"it does not have the schema {SCHEMA}")
    entries = content.get("entries")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError("its entries are no list of objects")
    for entry in entries:
        if not isinstance(entry.get("key"), dict) or not isinstance(entry.get("choice"), dict):
            raise ValueError("an entry has no key or no choice")
        for name, value in entry["choice"].items():
            allowed = _ALLOWED.get(name, ())
            if not any(type(value) is type(choice) and value == choice for choice in allowed):
                expected = ", ".join(map(str, allowed)) or "no such option"
                raise ValueError(f"{name} is {value!r}: expected {expected}")
    return entries
