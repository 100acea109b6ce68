# SPDX-License-Identifier: MIT
"""The vocabulary of a GGUF file: its keys ``tokenizer.ggml.*``, checked."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from pyhexagon.errors import GGUFError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.tokens.charsmap import Charsmap
from pyhexagon.llm.tokens.scored_bpe import SPACE


class TokenType(IntEnum):
    """The values of ``tokenizer.ggml.token_type``."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


class Vocabulary:
    """The keys tokenizer.ggml.* of a file.

    Raises:
        GGUFError: the tokens are missing; or, from the methods, a key has the wrong type.
    """

    def __init__(self, file: GGUFFile) -> None:
        self._file = file
        tokens = self._get("tokens")
        if not isinstance(tokens, list) or not tokens:
            raise GGUFError(f"{file.path} has no vocabulary: tokenizer.ggml.tokens")
        if "" in tokens:
            tokens = [token or f"[EMPTY_{number}]" for number, token in enumerate(tokens)]
        self.tokens: list[str] = tokens
        self.types = self._numbers("token_type", "iu", TokenType.NORMAL).astype(np.int32)

    def _get(self, name: str) -> object:
        return self._file.metadata.get(f"tokenizer.ggml.{name}")

    def _wrong(self, name: str, what: str) -> GGUFError:
        return GGUFError(f"{self._file.path}: tokenizer.ggml.{name} {what}")

    def _numbers(self, name: str, kinds: str, default: float) -> np.ndarray:
        value = self._get(name)
        if value is None:
            return np.full(len(self.tokens), default)
        if not isinstance(value, np.ndarray) or value.dtype.kind not in kinds or len(value) != len(self.tokens):
            raise self._wrong(name, f"is not a number for each of {len(self.tokens)} tokens")
        return np.array(value)

    def scores(self) -> np.ndarray:
        """Return the score of each token; 0 if the file has none.

        Raises:
            GGUFError: they are no numbers, or not as many as tokens.
        """
        scores = self._numbers("scores", "iuf", 0.0)
        (wrong,) = np.nonzero(np.isnan(scores))
        if len(wrong):
            raise self._wrong("scores", f"is NaN for token {wrong[0]}")
        return scores

    def merges(self) -> list[tuple[str, str]]:
        """Return the pairs of tokens that merge, the best first."""
        merges = self._get("merges")
        if not isinstance(merges, list):
            raise self._wrong("merges", "is missing")
        pairs = []
        for merge in merges:
            left, _, right = merge.partition(" ") if not merge.startswith(" ") else (" ", "", merge[2:])
            pairs.append((left, right))
        return pairs

    def text(self, name: str, default: str) -> str:
        value = self._get(name)
        return value if isinstance(value, str) else default

    def flag(self, name: str, default: bool) -> bool:
        value = self._get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, f"is {value!r}, neither true nor false")
        return default if value is None else value

    def normalizer(self) -> Callable[[str], str]:
        """Return the normalization of a unigram model: it maps characters and marks spaces."""
        charsmap = self._get("precompiled_charsmap")
        if charsmap is not None and not isinstance(charsmap, np.ndarray):
            raise self._wrong("precompiled_charsmap", "is not an array of bytes")
        try:
            mapped = str if charsmap is None or not len(charsmap) else Charsmap(charsmap.astype(np.uint8).tobytes())
        except ValueError as error:
            raise self._wrong("precompiled_charsmap", f"cannot be read: {error}") from None
        prefix, merged = self.flag("add_space_prefix", False), self.flag("remove_extra_whitespaces", False)

        def normalize(text: str) -> str:
            text = mapped(text)
            if merged:
                return "".join(f"{SPACE}{word}" for word in text.split(" ") if word)
            at = len(text) - len(text.lstrip(" "))
            if prefix and at < len(text):
                text = f"{text[:at]} {text[at:]}"
            return text.replace(" ", SPACE)

        return normalize

    def token(self, name: str, default: int | None) -> int | None:
        """Return an id; None if the vocabulary is too small for it."""
        value = self._get(name)
        number = value if isinstance(value, int) else default
        return number if number is not None and 0 <= number < len(self.tokens) else None
