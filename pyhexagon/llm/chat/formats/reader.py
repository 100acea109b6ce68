# SPDX-License-Identifier: MIT
"""A position in a completion: what every grammar of tool calls needs.

A grammar decides by what it has read: it never decides otherwise when more text follows. So a completion that comes in
chunks has the calls that it has as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from pyhexagon.llm.chat.formats.calls import KnownTools
from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError, value_at

_SPACE: Final = re.compile(r"\s*")
_SEPARATORS: Final = re.compile(r"[\s;,]*")
_NAME: Final = re.compile(r"[\w.:/-]{0,256}")
FENCE: Final = "```"
_FENCE_OPEN: Final = re.compile(r"```[\w-]*[ \t]*\r?\n\s*")
_MAYBE_FENCE: Final = re.compile(r"`{1,2}\Z|```[\w-]*\s*\Z")


class Reader:
    """Reads a completion from a place on.

    Args:
        text: as far as it is known.
        at: the place.
        tools: that may be called.
        is_final: no more text follows.
    """

    def __init__(self, text: str, at: int, tools: KnownTools, *, is_final: bool) -> None:
        self.text, self.at, self.tools, self.is_final = text, at, tools, is_final

    def skip_space(self) -> None:
        self.at = self._matched(_SPACE)

    def skip_separators(self) -> None:
        """Skip what is between calls: white space, commas, semicolons."""
        self.at = self._matched(_SEPARATORS)

    def name(self) -> str:
        """Read the name of a tool, which may have a number behind a colon (Kimi K2); empty: there is none.

        Raises:
            IncompleteError: the text ends with it.
        """
        end = self._matched(_NAME)
        self._more_after(end)
        found, self.at = self.text[self.at : end], end
        if found.rpartition(":")[2].isdecimal():
            found = found.rpartition(":")[0]
        return self.tools.known(found)

    def literal(self, options: Sequence[str]) -> str:
        """Read the first of several texts that is here; empty: none of them is.

        Raises:
            IncompleteError: one of them may be.
        """
        for option in options:
            if self.text.startswith(option, self.at):
                self.at += len(option)
                return option
        if self.may_begin(options):
            raise IncompleteError
        return ""

    def may_begin(self, options: Sequence[str]) -> bool:
        """Whether the text ends within one of several texts, if more follows."""
        rest = len(self.text) - self.at
        return not self.is_final and any(
            rest < len(option) and option.startswith(self.text[self.at :]) for option in options
        )

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """Read the code fence that is here, then what the block reads, then the fence's end if it is there.

        Raises:
            IncompleteError: the text ends within a fence.
            InvalidError: there is no fence.
        """
        opened = _FENCE_OPEN.match(self.text, self.at)
        if opened is None or opened.end() == len(self.text):
            raise IncompleteError if _MAYBE_FENCE.match(self.text, self.at) else InvalidError
        self.at = opened.end()
        yield
        self.skip_space()
        self.literal([FENCE])

    def value(self, *, is_keyword: bool = False, ends: tuple[str, ...] = ()) -> Any:
        """Read a value (``literals.value_at``)."""
        value, self.at = value_at(self.text, self.at, is_keyword=is_keyword, ends=ends)
        return value

    def next(self) -> str:
        """Return the next character.

        Raises:
            IncompleteError: there is none, and more may follow.
        """
        self._more_after(self.at)
        return self.text[self.at : self.at + 1]

    def _more_after(self, at: int) -> None:
        if at == len(self.text) and not self.is_final:
            raise IncompleteError

    def _matched(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self.text, self.at)
        return self.at if found is None else found.end()
