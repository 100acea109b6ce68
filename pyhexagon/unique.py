# SPDX-License-Identifier: MIT
"""A base class for objects that own something outside Python: memory, a DSP, a mapped file."""

from __future__ import annotations

from typing import ClassVar, NoReturn, SupportsIndex

from pyhexagon.errors import UnsupportedError


class Unique:
    """Cannot be copied or pickled: at its end, a copy would free what the original still uses.

    Attributes:
        instead: the hint in the error: what to do instead of copying.
    """

    _instead: ClassVar[str] = ""

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise UnsupportedError(f"{self!r} can be neither copied nor pickled", hint=self._instead)
