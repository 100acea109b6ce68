# SPDX-License-Identifier: MIT
"""Code fences around what a grammar reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError
from pyhexagon.llm.chat.formats.reader import Reader

FENCE: Final = "```"
_OPEN: Final = re.compile(r"```[\w-]*[ \t]*\r?\n\s*")
_MAYBE_OPEN: Final = re.compile(r"`{1,2}\Z|```[\w-]*\s*\Z")


@contextmanager
def fenced(reader: Reader) -> Iterator[None]:
    """Read the fence at the reader's place, then what the block reads, then the fence's end if it is there.

    Raises:
        IncompleteError: the text ends within a fence.
        InvalidError: there is no fence.
    """
    opened = _OPEN.match(reader.text, reader.at)
    if opened is None or opened.end() == len(reader.text):
        raise IncompleteError if _MAYBE_OPEN.match(reader.text, reader.at) else InvalidError
    reader.at = opened.end()
    yield
    reader.skip_space()
    reader.literal([FENCE])
