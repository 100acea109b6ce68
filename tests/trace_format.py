# SPDX-License-Identifier: MIT
"""A strict reader of the Chrome trace-event format, as far as pyhexagon uses it (complete and metadata events).

It follows "Trace Event Format" of the Chromium project: events with ph "X" have ts and dur in microseconds; on one
track (pid, tid) they nest without partial overlap; "M" events name processes and tracks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

COMMON = {"ph", "pid", "tid", "name", "args"}
NAMES = {"process_name": str, "process_sort_index": int, "thread_name": str, "thread_sort_index": int}


@dataclass
class Slice:
    """A complete event; times in nanoseconds."""

    name: str
    start: int
    end: int
    args: dict[str, Any]

    def holds(self, other: Slice) -> bool:
        return self.start <= other.start and other.end <= self.end


@dataclass
class Timeline:
    """Slices by process name and track name, in order of time, outer ones first."""

    about: dict[str, Any]
    tracks: dict[tuple[str, str], list[Slice]] = field(default_factory=dict)

    def host(self, name: str) -> list[Slice]:
        slices = [one for (process, _), track in self.tracks.items() if process.startswith("host") for one in track]
        return [one for one in slices if one.name == name]

    def dsp(self) -> dict[tuple[str, str], list[Slice]]:
        return {key: track for key, track in self.tracks.items() if key[0].startswith("DSP")}


def read(path: Path) -> Timeline:
    """Parse a file; raise AssertionError for any deviation from the format."""
    document = json.loads(path.read_text("utf-8"), parse_constant=_refuse)
    assert set(document) == {"displayTimeUnit", "otherData", "traceEvents"}
    assert document["displayTimeUnit"] in ("ms", "ns")
    processes: dict[int, str] = {}
    threads: dict[tuple[int, int], str] = {}
    seen: set[tuple[str, int, int]] = set()
    for event in document["traceEvents"]:
        _check(event)
        if event["ph"] != "M":
            continue
        key = event["name"], event["pid"], event["tid"]
        assert key not in seen, f"named twice: {event}"
        seen.add(key)
        if event["name"] == "process_name":
            processes[event["pid"]] = event["args"]["name"]
        elif event["name"] == "thread_name":
            threads[event["pid"], event["tid"]] = event["args"]["name"]
    assert len(set(processes.values())) == len(processes)
    timeline = Timeline(document["otherData"])
    slices: dict[tuple[int, int], list[Slice]] = {}
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            start, duration = _nanoseconds(event["ts"]), _nanoseconds(event["dur"])
            one = Slice(event["name"], start, start + duration, event["args"])
            slices.setdefault((event["pid"], event["tid"]), []).append(one)
    for (pid, tid), track in slices.items():
        track.sort(key=lambda one: (one.start, -one.end))
        _check_nesting(track)
        timeline.tracks[processes[pid], threads[pid, tid]] = track
    assert len(timeline.tracks) == len(slices), "two tracks have one name"
    return timeline


def _refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


def _check(event: dict[str, Any]) -> None:
    assert event["ph"] in ("X", "M"), event
    assert set(event) == COMMON | ({"ts", "dur", "cat"} if event["ph"] == "X" else set()), event
    assert isinstance(event["name"], str), event
    assert event["name"], event
    assert isinstance(event["args"], dict), event
    for key in ("pid", "tid"):
        assert type(event[key]) is int, event
        assert event[key] >= 0, event
    if event["ph"] == "M":
        ((key, value),) = event["args"].items()
        assert event["name"].endswith(f"_{key}"), event
        assert type(value) is NAMES[event["name"]], event
    else:
        assert isinstance(event["cat"], str), event
        assert event["ts"] >= 0, event
        assert event["dur"] >= 0, event


def _nanoseconds(microseconds: float) -> int:
    nanoseconds = round(microseconds * 1000)
    assert abs(microseconds * 1000 - nanoseconds) < 1e-3
    return nanoseconds


def _check_nesting(track: list[Slice]) -> None:
    open_slices: list[Slice] = []
    for one in track:
        while open_slices and open_slices[-1].end <= one.start:
            open_slices.pop()
        assert not open_slices or open_slices[-1].holds(one), f"{one} overlaps {open_slices[-1]} in part"
        open_slices.append(one)
