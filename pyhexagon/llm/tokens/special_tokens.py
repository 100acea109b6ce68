# SPDX-License-Identifier: MIT
"""Special tokens: their names are cut out of a text before the rest is tokenized."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

_WHITE: Final = " \t\n\v\f\r"
MARK: Final = "\ufdd0"  # a noncharacter: within a name, or before one of one letter, it keeps the name text


class SpecialTokens:
    """The special tokens of a vocabulary.

    Args:
        ids: of all special tokens, by name.
        user_defined: names that are cut out of every text; the others only where the caller asks for them.
        strip_before, strip_after: names that take the white space before them and after them.
    """

    def __init__(
        self,
        ids: Mapping[str, int],
        user_defined: Collection[str],
        strip_before: Collection[str],
        strip_after: Collection[str],
    ) -> None:
        self._ids, self._user_defined = ids, user_defined
        self._strip_before, self._strip_after = strip_before, strip_after
        names = sorted(ids, key=len, reverse=True)  # the longest name wins
        self._order = {name: at for at, name in enumerate(names)}
        self._by_start: dict[str, list[str]] = {}  # Gemma has 6,400 names, but they start in few ways
        for name in names:
            self._by_start.setdefault(name[:2], []).append(name)
        marked = [name for name in names if len(name) > 1 and name not in user_defined]
        self._longest = max(map(len, marked), default=0)
        self._starts = {name[:n] for name in marked for n in range(1, len(name))}
        self._ends = {name[-n:] for name in marked for n in range(1, len(name))}
        self._inner = "\0".join(name[1:-1] for name in marked)

    def _within(self, text: str) -> list[str]:
        """Return the names that a text contains, the longest first."""
        found = [
            name for start, names in self._by_start.items() if start in text for name in names if name in text
        ]  # fmt: skip
        return sorted(found, key=self._order.__getitem__)

    def cut(self, text: str, special: bool) -> list[str | int]:
        """Return the text between special tokens, and the ids of these.

        Args:
            text: marked names stay text.
            special: whether names count that are not user-defined.
        """
        parts: list[str | int] = [text] if text else []
        for name in self._within(text):
            if not special and name not in self._user_defined:
                continue
            cut: list[str | int] = []
            for part in parts:
                if isinstance(part, int) or name not in part:
                    cut.append(part)
                    continue
                pieces = part.split(name) if len(name) > 1 else re.split(f"(?<!{MARK}){re.escape(name)}", part)
                for number, piece in enumerate(pieces):
                    rest = piece.lstrip(_WHITE) if number and name in self._strip_after else piece
                    rest = rest.rstrip(_WHITE) if number < len(pieces) - 1 and name in self._strip_before else rest
                    cut += [self._ids[name]] if number else []
                    cut += [rest] if rest else []
            parts = cut
        return [part.replace(MARK, "") if isinstance(part, str) else part for part in parts]

    def neutral(self, text: str) -> str:
        """Return the text with a mark in every name that is not user-defined, so that ``cut`` takes it for text.

        A part of a name gets a mark, too, where a template could complete it: at the beginning or the end of the text,
        or as all of it unless that is an identifier.

        The mark is U+FDD0; U+FDD0 in the text becomes U+FFFD.
        """
        text = text.replace(MARK, "\ufffd")
        for name in self._within(text):
            if name in self._user_defined:
                continue
            if len(name) == 1:
                text = text.replace(name, MARK + name)
            while len(name) > 1 and name in text:  # again, because occurrences can overlap
                text = text.replace(name, f"{name[0]}{MARK}{name[1:]}")
        body = text.strip(_WHITE)  # templates strip, too
        if not body:
            return text
        lengths = range(1, min(self._longest, len(body) + 1))
        is_inner = len(body) <= self._longest - 2 and not body.isidentifier() and body in self._inner
        is_end = is_inner or not self._ends.isdisjoint([body[:n] for n in lengths])
        is_start = not self._starts.isdisjoint([body[-n:] for n in lengths])
        if not (is_end or is_start):
            return text
        return text.replace(body, f"{MARK * is_end}{body}{MARK * is_start}", 1)
