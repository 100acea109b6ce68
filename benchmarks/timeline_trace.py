# SPDX-License-Identifier: MIT
"""Write a simulated timeline in the Chrome trace-event format, for https://ui.perfetto.dev."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyhexagon import files, trace
from pyhexagon.bench.timeline import CPU, Timeline
from pyhexagon.version import VERSION


def write(path: Path, timelines: Sequence[tuple[str, Timeline]], assumed: Sequence[str]) -> None:
    """Write timelines, each as a process with a track per thread.

    Args:
        timelines: with their names.
        assumed: a line for each assumption.
    """
    events = []
    for pid, (name, timeline) in enumerate(timelines, 1):
        events += trace.name_events(pid, f"model of a DSP: {name}")
        seen = {span.track for span in timeline.spans}
        tracks = {track: number for number, track in enumerate(sorted(seen, key=lambda track: (track == CPU, track)))}
        for track, tid in tracks.items():
            events += trace.name_events(pid, CPU if track == CPU else f"thread {track}", tid)
        for span in timeline.spans:
            at = pid, tracks[span.track]
            start, end = round(span.start * 1e9), round(span.end * 1e9)
            times = start / 1e3, (end - start) / 1e3
            events.append(trace.complete_event(at, span.op, span.part, times, {"part": span.part}))
    about: dict[str, Any] = {"pyhexagon": VERSION, "clock": "simulated, no board was used", "assumed": list(assumed)}
    files.save(path, lambda file: trace.write_events(file, about, events))
