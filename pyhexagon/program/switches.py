# SPDX-License-Identifier: MIT
"""Switches for debugging a wrong or slow op: reference kernels, one op per request, a printed line per op, stages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import IntFlag
from typing import Final, NamedTuple

from pyhexagon.errors import ArgumentError, UnsupportedError

_YES: Final = ("1", "yes", "on", "true")
_NO: Final = ("", "0", "no", "off", "false")


class Stages(IntFlag):
    """The stages of a request. Clearing a bit skips a stage, so that the other stages can be timed.

    Attributes:
        QUEUE: the request is sent to the DSP.
        QUANTISE: matmuls quantise their activations; without it, activations count as zeros.
        COMPUTE: matmuls multiply, and all other ops run; without it, results are not written.
    """

    QUEUE = 1
    QUANTISE = 2
    COMPUTE = 4
    ALL = 7


class Switches(NamedTuple):
    """How ops run while debugging. While any switch is on, no op is fused.

    Attributes:
        ref_ops: a regular expression; ops with a matching name ("rope", "soft_max|norm", "." for all) use the
            reference kernels. The bits stay the same unless a kernel is wrong; then the wrong op is the one whose
            name makes a difference here. ``OpReport.kernels`` reports the kernels of each op.
        verbose: print a line for each op on stderr before sending it: number, name, operands with type, shape and
            strides in bytes, kernels, session.
        sync: send one op per request, so that a fault or an error belongs to the op of the last line.
        stages: the stages of requests, for timing: a bit mask of ``Stages``. Results are undefined unless it is
            ``Stages.ALL``. Skipped ops have the kernels "none" in an ``OpReport``; requests that are not sent have no
            report.

    The environment variables PYHEXAGON_REF_OPS, PYHEXAGON_VERBOSE, PYHEXAGON_SYNC and PYHEXAGON_STAGES (a number, 7
    for all) set them for every device that is opened without switches.
    """

    ref_ops: str = ""
    verbose: bool = False
    sync: bool = False
    stages: Stages = Stages.ALL

    @property
    def on(self) -> dict[str, object]:
        """The switches that differ from the default, by name."""
        return {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}

    def kernels(self, op: str, usual: str) -> str:
        """Return the kernels of an op, a name of ``contract.KERNELS``."""
        return "ref" if self.ref_ops and re.search(self.ref_ops, op, re.IGNORECASE) else usual


def checked(switches: Switches, ref_ops: str = "ref_ops") -> Switches:
    """Return the switches with ``stages`` converted to ``Stages``.

    Args:
        ref_ops: the name of this switch in an error.

    Raises:
        ArgumentError: a switch has an invalid value.
    """
    try:
        re.compile(switches.ref_ops)
    except re.error as error:
        raise ArgumentError(f"{ref_ops} is {switches.ref_ops!r}, which is not a regular expression: {error}") from None
    if not 0 <= switches.stages <= Stages.ALL:
        raise ArgumentError(f"stages is {switches.stages!r}: expected bits of Stages, at most {int(Stages.ALL)}")
    return switches._replace(stages=Stages(switches.stages))


def from_environment(environment: Mapping[str, str] = os.environ) -> Switches:
    """Return the switches set by environment variables.

    Raises:
        ArgumentError: a variable has an invalid value.
    """

    def flag(name: str) -> bool:
        value = environment.get(name, "").lower()
        if value not in (*_YES, *_NO):
            raise ArgumentError(f"{name} of the environment is {value!r}: expected 1 or 0")
        return value in _YES

    ref_ops, stages = environment.get("PYHEXAGON_REF_OPS", ""), environment.get("PYHEXAGON_STAGES") or "7"
    if stages not in map(str, range(Stages.ALL + 1)):
        raise ArgumentError(f"PYHEXAGON_STAGES of the environment is {stages!r}: expected 0 to {int(Stages.ALL)}")
    switches = Switches(ref_ops, flag("PYHEXAGON_VERBOSE"), flag("PYHEXAGON_SYNC"), Stages(int(stages)))
    return checked(switches, "PYHEXAGON_REF_OPS of the environment")


def check_stages(switches: Switches, needed: Stages = Stages.ALL) -> None:
    """Raise UnsupportedError if a switch skips a stage whose results the caller needs."""
    if needed & ~switches.stages:
        raise UnsupportedError(
            f"the switch stages is {int(switches.stages)}, which skips stages whose results are needed here",
            hint="unset PYHEXAGON_STAGES",
        )
