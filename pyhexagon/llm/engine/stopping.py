# SPDX-License-Identifier: MIT
"""Stop sequences: texts that end a generation."""

from __future__ import annotations

from collections.abc import Iterable

from pyhexagon.errors import ArgumentError


class Stop:
    """Passes text on up to the first stop sequence, and holds back what may be the beginning of one.

    Args:
        texts: one stop sequence, or several.

    Attributes:
        is_found: a stop sequence was found.
    """

    def __init__(self, texts: str | Iterable[str]) -> None:
        self._texts = [texts] if isinstance(texts, str) or not isinstance(texts, Iterable) else list(texts)
        if not all(isinstance(text, str) and text for text in self._texts):
            raise ArgumentError(f"stop is {texts!r}: expected texts that are not empty")
        self.is_found = False
        self._held = ""

    def add(self, text: str) -> str:
        """Return the text that certainly belongs to the result."""
        if not self._texts:
            return text
        held = self._held + text
        found = [at for at in map(held.find, self._texts) if at >= 0]
        if found:
            self.is_found, self._held = True, ""
            return held[: min(found)]
        n_held = max((n_begun(held, stop) for stop in self._texts), default=0)
        self._held = held[len(held) - n_held :]
        return held[: len(held) - n_held]

    def rest(self) -> str:
        """Return, at the end, the text that was held back."""
        held, self._held = self._held, ""
        return held


def n_begun(text: str, stop: str) -> int:
    """Return the number of characters at the end of the text that begin a stop sequence."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if stop.startswith(text[-n:])), 0)
