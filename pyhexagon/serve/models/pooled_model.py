# SPDX-License-Identifier: MIT
"""A model that a server offers: its names, its file, and what runs its requests while it is loaded."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal

from pyhexagon.llm.chat.detection import tool_call_format
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.models.backend import Backend, ServedModel
from pyhexagon.serve.models.prompts import Prompts

if TYPE_CHECKING:
    from pyhexagon.serve.models.speech import LoadedSpeech

Kind = Literal["text", "speech"]
_LOG: Final = logging.getLogger("pyhexagon.serve")


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
    template: str = ""
    loaded: LoadedModel | LoadedSpeech | None = None
    kind: Kind = "text"
    n_ctx: int = 0  # that requests asked for; 0: the server's
    wanted_ctx: int = 0  # of those who wait
    n_users: int = 0
    used_at: float = 0.0  # on the clock of time.monotonic, as expires_at
    expires_at: float = math.inf
    is_leaving: bool = False  # takes no new requests, because another model needs its memory
    waiters: list[asyncio.Future[ModelUse]] = field(default_factory=list)  # if there are any, a task loads it
    timer: asyncio.TimerHandle | None = None

    @property
    def names(self) -> list[str]:
        """Return all names, of adapters too."""
        return [self.name, *self.aliases, *self.adapters]

    def adapter(self, name: str) -> str | None:
        """Return the adapter that a name of the model means; None: no adapter."""
        return next((one for one in (name, name.removesuffix(":latest")) if one in self.adapters), None)

    @property
    def text(self) -> LoadedModel | None:
        """The model if it is loaded and completes texts."""
        return self.loaded if isinstance(self.loaded, LoadedModel) else None

    @property
    def state(self) -> str:
        """Return "loaded", "loading" or "unloaded"."""
        return "loaded" if self.loaded else "loading" if self.waiters else "unloaded"


class ModelUse:
    """Keeps a model loaded until ``end``.

    Attributes:
        keep_alive: seconds that the model then stays loaded.
    """

    def __init__(
        self, entry: PooledModel, loaded: LoadedModel | LoadedSpeech, keep_alive: float,
        give_back: Callable[[ModelUse], None],
    ) -> None:  # fmt: skip
        self.entry, self.keep_alive = entry, keep_alive
        self._loaded = loaded
        self._give_back: Callable[[ModelUse], None] | None = give_back

    @property
    def loaded(self) -> LoadedModel:
        """The model, which completes texts."""
        assert isinstance(self._loaded, LoadedModel)
        return self._loaded

    @property
    def speech(self) -> LoadedSpeech:
        """The model, which transcribes speech."""
        assert not isinstance(self._loaded, LoadedModel)
        return self._loaded

    def end(self) -> None:
        """End the use; any thread, idempotent."""
        give_back, self._give_back = self._give_back, None
        if give_back is not None:
            give_back(self)
