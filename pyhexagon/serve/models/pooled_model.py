# SPDX-License-Identifier: MIT
"""A model that a server offers: its names, its file, what tokenizes prompts, encodes their images and runs its requests
while it is loaded. A prompt that cannot fit the context is refused by its size in bytes, before tokenization."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar

from pyhexagon.llm.chat.detection import tool_call_format
from pyhexagon.llm.engine.embeddings import Embeddings
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.llm.vision.vision import DeviceTurn, ImagesTooLongError, at_once
from pyhexagon.serve.http.errors import too_long
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.backend import Backend, ServedModel

if TYPE_CHECKING:
    from pyhexagon.serve.models.speech import LoadedSpeech

Kind = Literal["text", "speech"]
L = TypeVar("L", bound="LoadedModel | LoadedSpeech")
_LOG: Final = logging.getLogger("pyhexagon.serve")


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


@dataclass(frozen=True)
class LoadedModel:
    """A model that can run requests.

    Attributes:
        model: its tokenizer and chat template.
        backend: runs its requests.
        metrics: of the backend.
        prompts: tokenizes for it.
        close: frees its memory; the backend ends its requests first.
    """

    model: ServedModel
    backend: Backend
    metrics: Metrics
    prompts: Prompts
    close: Callable[[], None] = lambda: None

    @property
    def problem(self) -> str:
        """Return why the model cannot run requests now; empty if it can."""
        return self.backend.problem

    def __post_init__(self) -> None:
        template = self.model.chat_template
        if template is not None and tool_call_format(template, self.model.tokenizer) is None:
            _LOG.warning(
                "%s: its chat template has no known format of tool calls: calls are found in other models' formats",
                self.model.path,
            )


@dataclass(eq=False)
class PooledModel:
    """A model that a server offers.

    Attributes:
        name: for clients.
        path: of its file.
        aliases: further names.
        template: the file of a chat template in place of its own; empty: it has its own.
        draft: its draft model for speculative decoding: a file, a pulled model, "mtp" or "lookup"; empty: none.
        mmproj: path of its mmproj file, if the pool loads the model and it takes images; empty: none.
        adapters: names of the LoRA adapters that requests can choose, each also a name of the model with it.
        kind: whether it completes texts or transcribes speech.
        loaded: None while it is not loaded.

    All other attributes belong to the pool.
    """

    name: str
    path: str
    aliases: frozenset[str] = frozenset()
    adapters: Sequence[str] = ()
    draft: str = ""
    mmproj: str = ""
    template: str = ""
    loaded: LoadedModel | LoadedSpeech | None = None
    kind: Kind = "text"
    n_ctx: int = 0  # that requests asked for; 0: the server's
    wanted_ctx: int = 0  # of those who wait
    n_users: int = 0
    used_at: float = 0.0  # on the clock of time.monotonic, as expires_at
    expires_at: float = math.inf
    is_leaving: bool = False  # takes no new requests, because another model needs its memory
    waiters: list[asyncio.Future[ModelUse[Any]]] = field(default_factory=list)  # if there are any, a task loads it
    timer: asyncio.TimerHandle | None = None

    @property
    def names(self) -> list[str]:
        """Return all names, of adapters too."""
        return [self.name, *self.aliases, *self.adapters]

    def adapter(self, name: str) -> str | None:
        """Return the adapter that a name of the model means; None: no adapter."""
        return next((adapter for adapter in (name, name.removesuffix(":latest")) if adapter in self.adapters), None)

    @property
    def text(self) -> LoadedModel | None:
        """The model if it is loaded and completes texts."""
        return self.loaded if isinstance(self.loaded, LoadedModel) else None

    @property
    def has_vision(self) -> bool:
        """Whether messages may have images."""
        return self.text.model.has_vision if self.text else bool(self.mmproj)

    @property
    def input_modalities(self) -> list[str]:
        """What requests may have, in the terms of llama.cpp's server: "text", "image", "audio"."""
        if self.kind == "speech":
            return ["audio"]
        return ["text", "image"] if self.has_vision else ["text"]

    @property
    def state(self) -> str:
        """Return "loaded", "loading" or "unloaded"."""
        return "loaded" if self.loaded else "loading" if self.waiters else "unloaded"


class ModelUse(Generic[L]):
    """Keeps a model loaded until ``end``.

    Attributes:
        entry: of the pool.
        loaded: the model.
        keep_alive: seconds that the model then stays loaded.
    """

    def __init__(
        self, entry: PooledModel, loaded: L, keep_alive: float, give_back: Callable[[ModelUse[L]], None]
    ) -> None:
        self.entry, self.loaded, self.keep_alive = entry, loaded, keep_alive
        self._give_back: Callable[[ModelUse[L]], None] | None = give_back

    def end(self) -> None:
        """End the use; any thread, idempotent."""
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back(self)


TextUse = ModelUse[LoadedModel]  # of a model that completes texts
