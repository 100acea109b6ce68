# SPDX-License-Identifier: MIT
"""SentencePiece's normalization of a text: ``tokenizer.ggml.precompiled_charsmap``.

A map is a double-array trie over the bytes of UTF-8, as Darts-clone writes it, and the replacement texts. The trie is
minimized: sources with equal endings share nodes, so that a few ten thousand nodes hold more than 200,000 sources.
"""

from __future__ import annotations

from array import array
from typing import Final

import numpy as np

_VALUE: Final = 0x80000000  # of a unit that holds a value
_LABEL: Final = _VALUE | 0xFF
_ENDS: Final = 0x100  # a source ends at this node: the unit at its base holds the value
_LONGEST: Final = 256  # bytes of a source: bounds the time of a search
_BROKEN: Final = "surrogateescape"


class Charsmap:
    """Replaces the sources of a map in texts, the longest first. Any thread may use it.

    Args:
        content: the size of the trie in four bytes, the trie and the replacement texts.

    Raises:
        ValueError: the map is damaged.
    """

    def __init__(self, content: bytes) -> None:
        size = int.from_bytes(content[:4], "little")
        if len(content) < 4 + size or size % 4 or not size:
            raise ValueError(f"{len(content)} bytes with a trie of {size}")
        units = np.frombuffer(content, "<u4", size // 4, 4).astype(np.int64)
        self._texts = content[4 + size :]
        self._texts.decode()
        self._check(units)
        self._units = array("I", units.astype(np.uint32).tobytes())

    def _check(self, units: np.ndarray) -> None:
        """Walk the trie, the nodes of one depth at a time: each source is UTF-8 of a bounded length and has a text."""
        numbers = np.arange(len(units))
        bases = numbers ^ (units >> 10 << ((units & 0x200) >> 6))
        labels = units & _LABEL
        families = np.where(labels <= 0xFF, numbers ^ labels, -1)  # the base of each unit's parent
        order = np.argsort(families, kind="stable")
        families = families[order]
        missing = np.full(len(units), -1)  # bytes that a character lacks at a node; -1 where nobody was
        missing[0], nodes = 0, np.zeros(1, np.int64)
        for _ in range(_LONGEST + 1):
            first = np.searchsorted(families, bases[nodes])
            counts = np.searchsorted(families, bases[nodes], "right") - first
            children = order[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
            after = _missing(np.repeat(missing[nodes], counts), labels[children])
            known = missing[children]
            missing[children] = after
            if (after < 0).any() or (missing[children] != after).any() or ((known >= 0) & (known != after)).any():
                raise ValueError("a source is not UTF-8")
            nodes = np.unique(children)
            ends = nodes[units[nodes] & _ENDS != 0]
            if missing[ends].any():
                raise ValueError("a source is not UTF-8")
            self._check_values(units, bases[ends])
            if not len(nodes):
                return
        raise ValueError(f"a source has more than {_LONGEST} bytes")

    def _check_values(self, units: np.ndarray, places: np.ndarray) -> None:
        if (places >= len(units)).any():
            raise ValueError("a value lies outside the trie")
        starts = units[places] - _VALUE
        if ((starts < 0) | (starts > self._texts.rfind(b"\0"))).any():
            raise ValueError("a value lies outside the texts")
        if (np.frombuffer(self._texts, np.uint8)[starts] & 0xC0 == 0x80).any():
            raise ValueError("a value starts within a character")

    def __call__(self, text: str) -> str:
        content, units, parts, done, at = text.encode("utf-8", _BROKEN), self._units, list[str](), 0, 0
        root, n_units, size = _base(units[0]), len(units), len(content)
        while at < size:
            base, value, end = root, -1, at
            for place in range(at, size):
                node = base ^ content[place]
                if node >= n_units or (unit := units[node]) & _LABEL != content[place]:
                    break
                base = node ^ _base(unit)
                if unit & _ENDS:
                    value, end = units[base] ^ _VALUE, place + 1
            if value < 0:
                at += 1
                while at < size and content[at] & 0xC0 == 0x80:
                    at += 1
                continue
            parts.append(content[done:at].decode("utf-8", _BROKEN))
            parts.append(self._texts[value : self._texts.index(b"\0", value)].decode())
            done = at = end
        parts.append(content[done:].decode("utf-8", _BROKEN))
        return "".join(parts)


def _base(unit: int) -> int:
    return unit >> 10 << ((unit & 0x200) >> 6)


def _missing(before: np.ndarray, byte: np.ndarray) -> np.ndarray:
    """Return how many bytes a character lacks after a byte of UTF-8; -1 if the byte cannot follow."""
    first = np.searchsorted([0x01, 0x80, 0xC2, 0xE0, 0xF0, 0xF5], byte, "right")
    lead = np.array([-1, 0, -1, 1, 2, 3, -1])[first]
    return np.where(before == 0, lead, np.where(byte & 0xC0 == 0x80, before - 1, -1))
