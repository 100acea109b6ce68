# SPDX-License-Identifier: MIT
"""Text of requests to tokens. A text that cannot fit the context is refused by its bytes, before it is tokenized."""

from __future__ import annotations

from typing import Final

from pyhexagon.serve.backend import Vocabulary
from pyhexagon.serve.errors import wrong

_ALWAYS_BYTES: Final = 64 << 10  # is cheap, and a vocabulary that drops spaces may make few tokens of it


class Prompts:
    """Tokenizes for a server.

    Args:
        model: whose prompts they are.

    Attributes:
        max_bytes: of a text, in UTF-8: a longer one has more tokens than the context.
    """

    def __init__(self, model: Vocabulary) -> None:
        self.model = model
        tokenizer = model.tokenizer
        longest = max(len(tokenizer.name(token).encode()) for token in range(tokenizer.n_tokens))
        self.max_bytes = max(_ALWAYS_BYTES, longest * model.n_ctx)

    def encode(self, text: str, name: str, *, special: bool = True, add_special: bool = True) -> list[int]:
        """The tokens of a text.

        Args:
            name: of the field that has the text.

        Raises:
            ServeError: the text has more bytes than the context has room for.
        """
        n_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if n_bytes > self.max_bytes:
            told = f"{name} has {n_bytes} bytes: a context of {self.model.n_ctx} tokens has {self.max_bytes} at most"
            raise wrong(told, name, "context_length_exceeded")
        return self.model.tokenizer.encode(text, special=special, add_special=add_special)
