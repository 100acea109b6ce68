# SPDX-License-Identifier: MIT
"""Switches that find a wrong op in a model, or a slow one: which kernels, one op at a time, a line an op, stages."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from enum import IntFlag
from typing import Final, NamedTuple

from pyhexagon.errors import ArgumentError

_YES: Final = ("1", "yes", "on", "true")
_NO: Final = ("", "0", "no", "off", "false")


class Stages(IntFlag):
    """What a request goes through. A bit that is not set leaves a stage out, so that the others can be timed.

    Attributes:
        QUEUE: it is sent to the DSP.
        QUANTISE: products quantise their activations; without, they count as zeros.
        COMPUTE: products multiply, and all other ops run; without, results are not written.
    """

    QUEUE = 1
    QUANTISE = 2
    COMPUTE = 4
    ALL = 7


class Switches(NamedTuple):
    """How ops run, where something is to be found out. While one of them is on, no rule joins ops.

    Attributes:
        ref_ops: a regular expression: ops whose name has a match of it ("rope", "soft_max|norm", "." for all) use the
            portable kernels. The bits stay the same unless a kernel is wrong, and then the wrong op is the one whose
            name makes a difference here. ``OpReport.kernels`` tells what each op used.
        verbose: prints a line for each op on stderr, before it is sent: number, name, operands with type, shape and
            strides in bytes, kernels, session.
        sync: one op a request, so that a fault or an error belongs to the op of the last line.
        stages: what requests go through, to time it: a bit mask of ``Stages``. What results hold is not defined unless
            it is ``Stages.ALL``. Ops that are left out have the kernels "none" in an ``OpReport``, and what is not sent
            has none.

    The environment's PYHEXAGON_REF_OPS, PYHEXAGON_VERBOSE, PYHEXAGON_SYNC and PYHEXAGON_STAGES (a number, 7 for all)
    set them in every device that is opened without some of its own.
    """

    ref_ops: str = ""
    verbose: bool = False
    sync: bool = False
    stages: Stages = Stages.ALL

    @property
    def on(self) -> dict[str, object]:
        """Those that are not as usual, by name."""
        return {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}

    def kernels(self, op: str, usual: str) -> str:
        """The kernels of an op, a name of ``contract.KERNELS``."""
        return "ref" if self.ref_ops and re.search(self.ref_ops, op, re.IGNORECASE) else usual


def checked(switches: Switches) -> Switches:
    """The same, with stages as such.

    Raises:
        ArgumentError: one of them has a value that it cannot have.
    """
    try:
        re.compile(switches.ref_ops)
    except re.error as error:
        raise ArgumentError(f"ref_ops is {switches.ref_ops!r}, which is no regular expression: {error}") from None
    if not 0 <= switches.stages <= Stages.ALL:
        raise ArgumentError(f"stages is {switches.stages!r}: expected bits of Stages, at most {int(Stages.ALL)}")
    return switches._replace(stages=Stages(switches.stages))


def from_environment(environment: Mapping[str, str] = os.environ) -> Switches:
    """What the environment's variables say.

    Raises:
        ArgumentError: one of them makes no sense.
    """

    def flag(name: str) -> bool:
        value = environment.get(name, "").lower()
        if value not in (*_YES, *_NO):
            raise ArgumentError(f"{name} of the environment is {value!r}: expected 1 or 0")
        return value in _YES

    ref_ops, stages = environment.get("PYHEXAGON_REF_OPS", ""), environment.get("PYHEXAGON_STAGES") or "7"
    if stages not in map(str, range(Stages.ALL + 1)):
        raise ArgumentError(f"PYHEXAGON_STAGES of the environment is {stages!r}: expected 0 to {int(Stages.ALL)}")
    return checked(Switches(ref_ops, flag("PYHEXAGON_VERBOSE"), flag("PYHEXAGON_SYNC"), Stages(int(stages))))
