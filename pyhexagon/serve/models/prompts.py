# SPDX-License-Identifier: MIT
"""Tokenize prompts, and encode their images. A prompt that cannot fit the context is refused by its size in bytes,
before tokenization."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pyhexagon.llm.engine.embeddings import Embeddings
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.llm.vision.vision import DeviceTurn, ImagesTooLongError, at_once
from pyhexagon.serve.http.errors import too_long
from pyhexagon.serve.models.backend import ServedModel

_ALWAYS_BYTES: Final = 64 << 10  # cheap to tokenize; a vocabulary that drops spaces may need few tokens


class Prompts:
    """Tokenizes the prompts of a server.

    Args:
        model: its tokenizer and context length.
        beside: calls what uses the model's devices, as ``EngineThread.run_beside``.

    Attributes:
        max_bytes: maximum size of a prompt in UTF-8; a larger one has more tokens than the context.
    """

    def __init__(self, model: ServedModel, beside: DeviceTurn = at_once) -> None:
        self.model, self._beside = model, beside
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

    def encode_with_images(self, text: str, images: Sequence[Any], name: str) -> tuple[list[int], Embeddings]:
        """Return the token ids of a rendered conversation, and the embeddings of its images.

        Args:
            text: with a mark in the place of each image.
            images: as of ``picture_of``; paths are refused.
            name: as for ``encode``.

        Raises:
            ServeError: as ``encode``; or the images do not fit the context.
            ArgumentError: an image cannot be decoded, or the chat template dropped one.
            RequestError: the device fails.
        """
        self.check_bytes(text, name)
        model = self.model
        assert isinstance(model, LanguageModel)  # no other one has vision
        try:
            return model.image_prompt(text, images, may_read_files=False, beside=self._beside)
        except ImagesTooLongError as long:
            raise too_long(name, long.n_tokens, model.n_ctx, model.n_ctx_train, is_least=True) from None

    def check_bytes(self, text: str, name: str) -> None:
        """Check the size of a text, before tokenization.

        Raises:
            ServeError: it has more than ``max_bytes`` bytes.
        """
        n_bytes = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if n_bytes > self.max_bytes:
            n_least = -(-n_bytes // self._longest)
            raise too_long(name, n_least, self.model.n_ctx, self.model.n_ctx_train, is_least=True)
