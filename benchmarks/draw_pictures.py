# SPDX-License-Identifier: MIT
"""Draw memory.svg (models beside boards), timeline.svg (a trace) and chat.svg (a terminal), for benchmarks/pictures."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.text import Text

import pyhexagon

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
PICTURES: Final = DOCS / "pictures"
GIB: Final = 1024.0  # MiB
RESERVED: Final = 1.0  # GiB for the system and Python, as `pyhexagon show` assumes
COLOURS: Final = (
    "#00695c", "#80cbc4", "#ffb74d", "#7986cb", "#a1887f", "#e57373", "#aed581", "#4fc3f7", "#ba68c8", "#90a4ae",
)  # fmt: skip


def memory() -> None:
    """Draw the table of models in board.md."""
    rows = re.findall(r"^\| ([\w][^|]*) \| ([\d,]+) \| ([\d,]+) \|", (DOCS / "board.md").read_text(), re.MULTILINE)
    names = [name for name, *_ in rows]
    weights, caches = (np.array([float(row[at].replace(",", "")) / GIB for row in rows]) for at in (1, 2))
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    axes.barh(names, weights, color=COLOURS[0], label="weights, Q4_0")
    axes.barh(names, caches, left=weights, color=COLOURS[2], label="KV cache, Q8_0, 2,048 tokens")
    for board in (4, 8):
        axes.axvline(board - RESERVED, color="#455a64", linestyle="--", linewidth=1)
        axes.text(board - RESERVED, -0.9, f"{board} GB board", ha="center", va="bottom", color="#455a64", fontsize=9)
    axes.invert_yaxis()
    axes.set_xlabel("GiB")
    axes.set_xlim(0, 8)
    axes.legend(loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, "memory.svg")


def timeline() -> None:
    """Draw a trace of a feed-forward layer's second run on the CPU engine."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder, pyhexagon.Device("loopback", threads=2) as device:
        shapes = (4096, 1024), (4096, 1024), (1024, 4096)
        gate, up, down = (device.weight(rng.standard_normal(one, dtype=np.float32), dtype="Q4_0") for one in shapes)
        with device.program() as p:
            x = p.input((32, 1024))
            h = p.rms_norm(x)
            p.output(p.add(x, p.matmul(p.swiglu(p.matmul(h, gate), p.matmul(h, up)), down)))
        program, rows = p.compile(), rng.standard_normal((32, 1024), dtype=np.float32)
        program(rows)
        trace = Path(folder) / "trace.json"
        with device.trace(trace):
            program(rows)
        events: list[dict[str, Any]] = json.loads(trace.read_text())["traceEvents"]
    labels = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
    spans = [one for one in events if one["ph"] == "X"]
    tracks = list(labels)
    start = min(one["ts"] for one in spans)
    colours = {name: COLOURS[at] for at, name in enumerate(dict.fromkeys(one["name"] for one in spans))}
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    axes = figure.subplots()
    for one in sorted(spans, key=lambda one: -float(one["dur"])):
        row = tracks.index((one["pid"], one["tid"]))
        axes.broken_barh([(one["ts"] - start, one["dur"])], (row - 0.4, 0.8), color=colours[one["name"]], ec="white")
    axes.set_yticks(range(len(tracks)), [("host: " if pid == 1 else "DSP: ") + labels[pid, tid] for pid, tid in tracks])
    axes.invert_yaxis()
    axes.set_xlabel("microseconds (a PC's CPU engine)")
    for name, colour in colours.items():
        axes.plot([], [], color=colour, linewidth=6, label=name)
    axes.legend(ncols=len(colours), loc="upper center", bbox_to_anchor=(0.45, 1.17), frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    _save(figure, "timeline.svg")


def chat(model: Path) -> None:
    """Draw the terminal after a question to a model, as ``pyhexagon chat`` shows it."""
    os.environ["TERM"], os.environ["COLUMNS"] = "xterm-256color", "100"
    command = [str(Path(sys.executable).with_name("pyhexagon")), "chat", model.name, "--device", "cpu"]
    shown = b""
    questions = iter([b"Name three primary colors.\n", b"\x04"])

    def read(fd: int) -> bytes:
        nonlocal shown
        piece = os.read(fd, 1 << 16)
        shown += piece
        if shown.endswith(b"\n> "):
            os.write(fd, next(questions))
        return piece

    os.chdir(model.parent)
    pty.spawn([*command, "--temp", "0"], read, lambda _: b"")
    *_, text = re.sub(r"\r|\x1b\[2K|\x1b\[1A", "", shown.decode()).rpartition("\x1b[?25h")
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    console.print(Text(" ".join(["$ pyhexagon", *command[1:]])), Text.from_ansi(text.removesuffix("> ")), sep="\n")
    drawn = console.export_svg(title="pyhexagon chat")
    drawn = re.sub(r"@font-face \{.*?\}\n", "", drawn, flags=re.DOTALL)  # fonts of another site
    (PICTURES / "chat.svg").write_text(drawn, encoding="utf-8")


def _save(figure: Figure, name: str) -> None:
    with mpl.rc_context({"svg.hashsalt": "pyhexagon", "svg.fonttype": "none"}):  # text as text
        figure.savefig(PICTURES / name, metadata={"Date": None})


if __name__ == "__main__":
    memory()
    timeline()
    chat(Path(sys.argv[1]).resolve())
