# SPDX-License-Identifier: MIT
"""The answer of ``fastrpc-healthcheck``, a program of libcdsprpc's own project, where it is installed."""

from __future__ import annotations

import subprocess
from typing import Final

from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem

PROGRAM: Final = "/usr/bin/fastrpc-healthcheck"
_SECONDS: Final = 30.0
_COLUMNS: Final = 5  # of its table: DSP, State, SignedPD, UnsignedPD, and FastRPC Support: "Yes", "No (reason)" or "-"


def healthcheck(board: Board) -> str:
    """Run the program, and report what it says of the board's DSP. Its exit code is 0 also if the DSP is unusable."""
    path = board.path(PROGRAM)
    if not path.is_file():
        return f"{PROGRAM} is not installed (fastrpc 1.0.8 and later have it)"
    try:
        done = subprocess.run(
            [str(path)], capture_output=True, check=False, timeout=_SECONDS, env=dict(board.environ),
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Problem(f"{PROGRAM} did not end within {_SECONDS:g} s", PROGRAM, warning=True) from None
    lines = [line.strip() for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
    if done.returncode:
        words = done.stderr.decode(errors="replace").split()
        raise Problem(
            f"{PROGRAM} ended with exit code {done.returncode}: {' '.join(words)[:200]}", PROGRAM, warning=True
        )
    report = "; ".join(" ".join(line.split()) for line in lines)
    rows = (line.split(maxsplit=_COLUMNS - 1) for line in lines)
    row = next((row for row in rows if row[0] == board.processor.upper() and len(row) == _COLUMNS), None)
    if row is None:
        raise Problem(f"{PROGRAM} does not list {board.processor.upper()}: {report}", PROGRAM, warning=True)
    if row[-1] != "Yes":
        reason = f"{row[0]} {row[1]}, FastRPC support {row[-1]}"
        raise Problem(f"{PROGRAM} says: {reason}", PROGRAM, warning=True)
    return f"{PROGRAM}: {report}"
