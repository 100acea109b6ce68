# SPDX-License-Identifier: MIT
"""The check of the environment's switches, which change what the other checks measure; absent while none is set."""

from __future__ import annotations

from typing import Final

from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import Problem
from pyhexagon.errors import ArgumentError
from pyhexagon.program.switches import Stages, from_environment

_EFFECTS: Final = {
    "PYHEXAGON_STAGES": "requests skip stages, so that no result is right",
    "PYHEXAGON_REF_OPS": "some ops use the reference kernels",
    "PYHEXAGON_SYNC": "each op is a message of its own",
    "PYHEXAGON_VERBOSE": "each op is printed",
    "PYHEXAGON_LIB": "the libraries and the skel come from this folder",
}


def are_set(board: Board) -> bool:
    """Return whether the environment sets a switch."""
    return any(board.environ.get(name) for name in _EFFECTS)


def switches(board: Board) -> str:
    """Name the switches that are set. Skipped stages and wrong values fail the check, others warn."""
    environment = board.environ
    given = [name for name in _EFFECTS if environment.get(name)]
    remedy = f"unset {' '.join(given)}"
    try:
        taken = from_environment(environment)
    except ArgumentError as error:
        raise Problem(str(error), remedy) from None
    neutral = {"PYHEXAGON_STAGES": taken.stages == Stages.ALL, "PYHEXAGON_SYNC": not taken.sync}
    neutral["PYHEXAGON_VERBOSE"] = not taken.verbose
    active = [name for name in given if not neutral.get(name)]
    if active:
        finding = "; ".join(f"{name} is {environment[name]!r}: {_EFFECTS[name]}" for name in active)
        raise Problem(finding, f"unset {' '.join(active)}", warning=taken.stages == Stages.ALL)
    return f"{', '.join(given)} set, to values without effect"
