# SPDX-License-Identifier: MIT
"""The API keys of clients. Only this module sees them in plain text."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pyhexagon.errors import ArgumentError

KEY_VARIABLE: Final = "PYHEXAGON_API_KEY"
_SHORTEST_KEY: Final = 8


class Keys:
    """The accepted keys, stored as hashes."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._hashes = [_hash(key) for key in keys]

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def owner(self, header: str) -> str | None:
        """Return a name for the key in an Authorization header; None if the key is not accepted."""
        scheme, _, key = header.partition(" ")
        given = _hash(key.strip())
        found = [known for known in self._hashes if hmac.compare_digest(known, given)]
        return found[0][:12] if found and scheme.lower() == "bearer" else None


def given_keys(path: Path | None) -> list[str]:
    """Return the keys of a file, one per line, and of the variable PYHEXAGON_API_KEY, which it removes from the
    environment.

    Raises:
        ArgumentError: the file cannot be read or has no key, or a key is too short.
    """
    keys = []
    if path is not None:
        try:
            keys = path.read_text(encoding="utf-8").split()
        except (OSError, UnicodeDecodeError) as problem:
            raise ArgumentError(f"{path}: {getattr(problem, 'strerror', None) or 'not a text'}") from None
        if not keys:
            raise ArgumentError(f"{path} has no key: expected one a line")
    if any(len(key) < _SHORTEST_KEY for key in keys):
        raise ArgumentError(f"a key is shorter than {_SHORTEST_KEY} characters")
    if key := os.environ.pop(KEY_VARIABLE, "").strip():
        if len(key) < _SHORTEST_KEY:
            raise ArgumentError(f"{KEY_VARIABLE} of the environment is shorter than {_SHORTEST_KEY} characters")
        keys.append(key)
    return keys


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
