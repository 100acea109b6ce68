# SPDX-License-Identifier: MIT
"""What the routes of all APIs do: read a body, run its requests on the backend, and answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, TypeVar
from weakref import WeakSet

import anyio
import numpy as np
import numpy.typing as npt
from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response

from pyhexagon.serve import asked as asked_of
from pyhexagon.serve import guard
from pyhexagon.serve.asked import Asking, Generating
from pyhexagon.serve.backend import Backend, EmbeddingWork, QueuedRequest, ServedModel
from pyhexagon.serve.delivery import GenerationResponse, Inbox
from pyhexagon.serve.errors import ServeError, wrong
from pyhexagon.serve.fields import Fields, parsed
from pyhexagon.serve.limits import Limits
from pyhexagon.serve.metrics import Metrics
from pyhexagon.serve.prompts import Prompts
from pyhexagon.serve.quota import Quota
from pyhexagon.serve.shape import AnswerShape

T = TypeVar("T")
Reader = Callable[[Fields, Asking], tuple[Generating, AnswerShape]]  # parses a request
Vectors = list[npt.NDArray[np.float32]]
ENDS: Final = ServeError(503, "the server ends", code="shutting_down", retry_after=5)
_READERS: Final = 8  # request bodies parsed at once
_LONG_BODY: Final = 16 << 10  # bytes
_GROUP: Final = 16  # inputs embedded before other requests have their turn
_MOST_EMBEDDED: Final = 2048


class ModelService:
    """Runs the requests of a model's clients.

    Args:
        model: its tokenizer and chat template.
        backend: runs the requests.
        metrics: shared with the backend.
        name: model name for clients.
        limits: of requests.
        device: name of the device, as of ``Device``.

    Attributes:
        created: when the server started, in seconds since 1970.
    """

    def __init__(
        self, model: ServedModel, backend: Backend, metrics: Metrics, *, name: str, limits: Limits, device: str
    ) -> None:
        self.model, self.backend, self.metrics, self.name, self.limits = model, backend, metrics, name, limits
        self.device, self.created = device, int(time.time())
        self.prompts = Prompts(model)
        self._inboxes: WeakSet[Inbox] = WeakSet()  # of requests without a complete response
        self._bodies = Quota(limits.all_body_bytes)
        self._readers, self._long_readers = anyio.CapacityLimiter(_READERS), anyio.CapacityLimiter(1)

    def end(self) -> None:
        """Fail all open requests. Call it on the event loop."""
        for inbox in list(self._inboxes):
            inbox.fail(ENDS)

    def asking(self, request: Request) -> Asking:
        """Return where a request comes from."""
        return Asking(self.prompts, self.name, request.state.client)

    def check_name(self, name: str) -> None:
        """Check the name of the model in a request; Ollama's clients add a tag.

        Raises:
            ServeError: there is no such model.
        """
        if name not in (self.name, f"{self.name}:latest"):
            raise ServeError(404, f"there is no model {name[:80]!r}: it is {self.name!r}", code="model_not_found")

    async def of_body(self, request: Request, read: Callable[[Fields], T]) -> T:
        """Parse a request body on a worker thread and return what ``read`` makes of its fields.

        Long bodies are parsed one at a time: that takes long, and the event loop and the scheduler need the other
        cores.
        """
        async with guard.body_of(request, request.state.client, self.limits.body_bytes, self._bodies) as content:
            limiter = self._long_readers if len(content) > _LONG_BODY else self._readers
            return await to_thread.run_sync(lambda: read(parsed(content)), limiter=limiter)

    async def generate(self, request: Request, read: Reader) -> Response:
        """Run the completions of a request."""
        inbox = self._inbox()
        until = time.monotonic() + self.limits.seconds
        asking = self.asking(request)
        asked, shape, jobs = await self.of_body(request, lambda fields: self._read(fields, read, inbox, asking, until))
        self.backend.submit(jobs)
        self.metrics.prompt_tokens.inc(sum(map(len, asked.prompts)))
        seconds = self.limits.seconds + 10
        return GenerationResponse(inbox, asked, shape, jobs, backend=self.backend, seconds=seconds)

    async def embed(
        self, request: Request, read: Callable[[Fields], tuple[list[list[int]], T]]
    ) -> tuple[Vectors, int, T]:
        """Return the embeddings of a request's inputs, their number of tokens, and further fields.

        Args:
            read: returns the token ids of the inputs, and the further fields.
        """
        until = time.monotonic() + self.limits.seconds
        texts, more = await self.of_body(request, read)
        inbox = self._inbox()
        groups = [texts[at : at + _GROUP] for at in range(0, len(texts), _GROUP)]
        jobs = [
            QueuedRequest(request.state.client, EmbeddingWork(group), inbox.deliverer(index), until)
            for index, group in enumerate(groups)
        ]
        for job in jobs:
            self.backend.prepare(job)
        self.backend.submit(jobs)
        rows: list[list[Any]] = [[] for _ in jobs]

        async def collect() -> None:
            async for index, made in inbox.events(len(jobs)):
                rows[index] += made

        try:
            await guard.unless_gone(request.receive, collect)
        finally:
            self.backend.cancel(jobs)
        if sum(map(len, rows)) != len(texts):
            raise ServeError(499, "the client went away")
        n_tokens = sum(map(len, texts))
        self.metrics.prompt_tokens.inc(n_tokens)
        return [vector for group in rows for vector in group], n_tokens, more

    def inputs(self, fields: Fields) -> list[list[int]]:
        """Return the token ids of a request's inputs to embed.

        Raises:
            ServeError: a field is invalid, or the model makes no embeddings.
        """
        self.check_name(fields.text("model", self.name))
        if fields.get("dimensions") is not None:
            raise fields.wrong("dimensions", "nothing: a vector is as long as the model makes it")
        texts = asked_of.texts(fields, "input", self.prompts, _MOST_EMBEDDED)
        asked_of.check_room(texts, 0, self.model, "input")
        if not self.model.can_embed:
            raise wrong("the model does not say how it makes embeddings", "model")
        return texts

    def _inbox(self) -> Inbox:
        inbox = Inbox()
        self._inboxes.add(inbox)
        return inbox

    def _read(
        self, fields: Fields, read: Reader, inbox: Inbox, asking: Asking, until: float
    ) -> tuple[Generating, AnswerShape, list[QueuedRequest]]:
        self.check_name(fields.text("model", self.name))
        asked, shape = read(fields, asking)
        salt = asking.client if self.limits.is_cache_per_client else ""
        jobs: list[QueuedRequest] = []
        for prompt in asked.prompts:
            for number in range(asked.n):
                index = len(jobs)
                after = jobs[index - number] if number else None
                work = asked.text(prompt, number, salt)
                jobs.append(QueuedRequest(asking.client, work, inbox.deliverer(index), until, after))
                self.backend.prepare(jobs[-1])
        return asked, shape, jobs
