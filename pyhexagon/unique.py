# SPDX-License-Identifier: MIT
"""Objects that stand for something outside Python: memory, a DSP, a mapped file."""

from __future__ import annotations

from typing import ClassVar, NoReturn, SupportsIndex

from pyhexagon.errors import UnsupportedError


class Unique:
    """Can be neither copied nor pickled: a copy would give back, at its end, what the original still uses.

    Attributes:
        instead: what to do in place of a copy.
    """

    instead: ClassVar[str] = ""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise UnsupportedError(f"{self!r} can be neither copied nor pickled", hint=self.instead)
