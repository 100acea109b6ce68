# SPDX-License-Identifier: MIT
"""What a board says: lines of its steps, within limits. A login script or another program may have said it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Final

from pyhexagon.errors import DeployError

_ANSWER: Final = re.compile(r"pyhexagon:(\w+)=(.*)")
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_LONGEST_LINE: Final = 8 << 20  # bytes; reports of the doctor are JSON in one line
_MOST_BYTES: Final = 16 << 20  # of a step's lines in memory
_EACH: Final = 64  # bytes that a line takes beside its own
_LAST_ERRORS: Final = 64 << 10  # bytes of its stderr


class Values(dict[str, str]):
    """The answers of a step; a missing one is a DeployError."""

    def __missing__(self, key: str) -> str:
        raise nonsense(f"{key} is missing")


@dataclass(frozen=True)
class Answer:
    """The output of a step.

    Attributes:
        values: the lines "pyhexagon:KEY=VALUE"; the last line of a key counts.
        output: all other lines after the last answer.
    """

    values: Mapping[str, str]
    output: str


def nonsense(problem: str) -> DeployError:
    """Return the error for a board whose answer is none."""
    hint = "look at what a login prints there (.bashrc, .profile, /etc/profile.d), and deploy again"
    return DeployError(f"the board answers nonsense: {problem}", hint=hint)


def number(text: str, what: str) -> int:
    """Return a number of a board's answer that is not negative.

    Raises:
        DeployError: it is none.
    """
    if not _NUMBER.fullmatch(text):
        raise nonsense(f"{what} is {text[:80]!r}")
    return int(text)


def listen(
    stdout: IO[bytes] | None, note: Callable[[str], None] | None, until: str | None = None
) -> tuple[Values, str]:
    """Read a step's stdout; see ``Connection.run``.

    Args:
        stdout: of the step.
        note: see there.
        until: the answer to stop at; None: read to the end.

    Raises:
        DeployError: there is no end of it.
    """
    if stdout is None:
        raise AssertionError("the session has no stdout")
    values, output, n_bytes = Values(), list[str](), 0
    while line := stdout.readline(_LONGEST_LINE):
        n_bytes += len(line) + _EACH
        if n_bytes > _MOST_BYTES:
            raise nonsense(f"more than {_MOST_BYTES >> 20} MiB, which begin with {output[:1]}"[:200])
        text = line.decode(errors="replace").rstrip("\r\n")
        match = _ANSWER.fullmatch(text)
        if match:
            values[match[1]] = match[2]
            output.clear()
            if match[1] == "step" and note is not None:
                note(match[2])
            if match[1] == until:
                break
        else:
            output.append(text)
            if note is not None:
                note(text)
    return values, "\n".join(output)


def last_of(errors: IO[bytes]) -> str:
    """Return the end of a step's stderr."""
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - _LAST_ERRORS))
    return errors.read(_LAST_ERRORS).decode(errors="replace")
