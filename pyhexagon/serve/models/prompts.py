# SPDX-License-Identifier: MIT
"""Tokenize prompts. A prompt that cannot fit the context is refused by its size in bytes, before tokenization."""

from __future__ import annotations

from typing import Final

from pyhexagon.serve.http.errors import too_long
from pyhexagon.serve.models.backend import ServedModel

_ALWAYS_BYTES: Final = 64 << 10  # cheap to tokenize; a vocabulary that drops spaces may need few tokens


class Prompts:
    """Tokenizes the prompts of a server.

    Args:
        model: its tokenizer and context length.

    Attributes:
        max_bytes: maximum size of a prompt in UTF-8; a larger one has more tokens than the context.
    """

    def __init__(self, model: ServedModel) -> None:
        self.model = model
        tokenizer = model.tokenizer
        self._longest = max(len(tokenizer.name(token).encode()) for token in range(tokenizer.n_tokens))
        self.max_bytes = max(_ALWAYS_BYTES, self._longest * model.n_ctx)

    def encode(self, text: str, name: str, *, special: bool = True, add_special: bool = True) -> list[int]:
        """Return the token ids of a text.

        Args:
            name: of the request's field, for error messages.

        Raises:
            ServeError: the text has more than ``max_bytes`` bytes.
        """
        self.check_bytes(text, name)
        return self.model.tokenizer.encode(text, special=special, add_special=add_special)

    def check_bytes(self, text: str, name: str) -> None:
        """Check the size of a text, before tokenization.

        Raises:
            ServeError: it has more than ``max_bytes`` bytes.
        """
        n_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if n_bytes > self.max_bytes:
            n_least = -(-n_bytes // self._longest)
            raise too_long(name, n_least, self.model.n_ctx, self.model.n_ctx_train, is_least=True)
