# SPDX-License-Identifier: MIT
"""The models of a server: loaded on demand, unloaded when they are idle for long or others need their memory.

One thread loads and unloads, one model after the other. ``load`` runs on the event loop and blocks nothing: requests to
loaded models go on. If memory runs short, the least recently used idle model goes; if all are in use, the least
recently used one takes no new requests, and goes when the last of its requests has ended.
"""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyhexagon.errors import ClosedError, DspMemoryError, HexagonError
from pyhexagon.errors.logged import log_failure
from pyhexagon.llm.engine.fair_queue import queue_full
from pyhexagon.memory.capacity import available
from pyhexagon.serve.http.errors import ServeError, wrong
from pyhexagon.serve.http.limits import Quota
from pyhexagon.serve.models.pooled_model import Kind, ModelUse, PooledModel

if TYPE_CHECKING:
    from pyhexagon.serve.models.loading import DeviceLoader

T = TypeVar("T")
_LOG: Final = logging.getLogger("pyhexagon.serve")
_PURPOSES: Final[dict[Kind, str]] = {
    "text": "is a language model: /v1/audio/transcriptions needs a speech model, whisper for example",
    "speech": "is a speech model: it transcribes audio, at /v1/audio/transcriptions and /v1/audio/translations",
}
_LOAD_SECONDS: Final = 10.0  # a guess of the duration of a load, for Retry-After


class ModelPool:
    """The models of a server.

    Attributes:
        models: all of them.
        device: name of the device.

    Args:
        models: to offer, at least one, with different names.
        device: name of the device.
        loader: loads them; None: all of them are loaded, and stay so.
        n_bytes: memory for all loaded models.
        keep_alive: seconds that an idle model stays loaded.
        n_waiting: most requests that wait for a model to be loaded.
        find_new: returns models to offer that came after the start; none of their names may be taken.
    """

    def __init__(
        self, models: Sequence[PooledModel], device: str, loader: DeviceLoader | None = None, *,
        n_bytes: int = 0, keep_alive: float = math.inf, n_waiting: int = 0,
        find_new: Callable[[], Sequence[PooledModel]] = tuple,
    ) -> None:  # fmt: skip
        self.models, self.device = models, device
        self._find_new, self._finding = find_new, threading.Lock()
        self._names = {name: model for model in models for name in model.names}
        self._loader, self._n_bytes, self._keep_alive = loader, n_bytes, keep_alive
        self._sizes: dict[PooledModel, int] = {}
        self._lock = threading.Lock()  # guards loaded, is_leaving, n_users, used_at and expires_at of all models
        self._thread = ThreadPoolExecutor(1, "pyhexagon-load")
        self._quota = Quota(n_waiting)
        self._loop: asyncio.AbstractEventLoop | None = None  # of the server, from the first load on
        self._turn = asyncio.Lock()  # of loads and unloads
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = False

    def default(self, kind: Kind = "text") -> str:
        """Return the name of the model of requests that name none; empty if there are several of the kind, or none."""
        names = [model.name for model in self.models if model.kind == kind]
        return names[0] if len(names) == 1 else ""

    def refresh(self) -> None:
        """Offer models that came after the start, too. Any thread; it reads files, so not the event loop's."""
        with self._finding:
            new = self._find_new()
            self._names |= {name: model for model in new for name in model.names}
            self.models = [*self.models, *new]

    def find(self, name: str, kind: Kind | None = "text") -> PooledModel:
        """Return the model of this name, which may have come after the start; Ollama's clients add a tag.

        Any thread but the event loop's: an unknown name makes it read files.

        Args:
            kind: that the request needs; None: any.

        Raises:
            ServeError: there is no such model, or it is of another kind.
        """
        found = self._known(name)
        if found is None:
            self.refresh()
            found = self._known(name)
        if found is not None:
            if kind not in (None, found.kind):
                raise wrong(f"{found.name} {_PURPOSES[found.kind]}", "model")
            return found
        names = ", ".join(repr(name) for model in self.models for name in (model.name, *model.adapters))
        if not name and self.models[1:]:
            raise wrong(f"model is missing: expected {names}", "model")
        it = "there are" if "," in names else "it is"
        raise ServeError(404, f"there is no model {name[:80]!r}: {it} {names}", code="model_not_found")

    def find_any(self, name: str | None, kind: Kind) -> PooledModel:
        """As ``find``; a name that no model has, or none, means the only model of the kind if there is one."""
        if not any(model.kind == kind for model in self.models):
            self.refresh()
        if not any(model.kind == kind for model in self.models):
            raise ServeError(404, f"the server has no {kind} model", code="model_not_found", param="model")
        is_known = name is not None and self._known(name) is not None
        return self.find((name if is_known else self.default(kind) or name) or "", kind)

    def _known(self, name: str) -> PooledModel | None:
        return self._names.get(name) or self._names.get(name.removesuffix(":latest"))

    def named(self, message: str) -> str:
        """Return a message for clients: with names of models in place of their paths."""
        for model in self.models:
            message = message.replace(model.path, model.name)
        return message

    @property
    def problem(self) -> str:
        """Return why a loaded model cannot run requests now; empty if all can."""
        loaded = (model.loaded for model in self.models)
        return next((model.problem for model in loaded if model and model.problem), "")

    def expires_in(self, model: PooledModel) -> float:
        """Return the seconds after which a loaded model is unloaded if no request comes; infinity: never."""
        if self._loader is None:
            return math.inf
        return self._keep_alive if model.n_users else max(0.0, model.expires_at - time.monotonic())

    def take(self, model: PooledModel, wanted_ctx: int = 0) -> ModelUse[Any] | None:
        """Return a use of a model, or None if ``load`` has to be called. Any thread.

        Args:
            wanted_ctx: a context length; a model with a shorter one is loaded again, unless requests use it.
        """
        with self._lock:
            if model.loaded is None or model.is_leaving or self._is_too_short(model, wanted_ctx):
                return None
            return self._taken(model, model.loaded)

    def _is_too_short(self, model: PooledModel, wanted_ctx: int) -> bool:
        """Return whether a loaded model can be loaded again with a longer context, as a request wants."""
        if self._loader is None or model.text is None or model.n_users:
            return False
        return model.text.model.n_ctx < min(wanted_ctx, model.text.model.n_ctx_train)

    def _taken(self, model: PooledModel, loaded: Any) -> ModelUse[Any]:
        model.n_users += 1
        model.used_at = time.monotonic()
        return ModelUse(model, loaded, self._keep_alive, self._give_back)

    def _give_back(self, use: ModelUse[Any]) -> None:
        model, now = use.entry, time.monotonic()
        with self._lock:
            model.n_users -= 1
            model.used_at, model.expires_at = now, now + use.keep_alive
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._given_back, model)

    # --- On the event loop ---

    async def load(self, model: PooledModel, client: str, wanted_ctx: int = 0) -> ModelUse[Any]:
        """Return a use of a model, which is loaded first if need be.

        Args:
            client: waits in its name.
            wanted_ctx: as of ``take``. If the memory has no room for such a context, the model has a shorter one.

        Raises:
            ServeError: the model cannot be loaded, or too many requests wait.
        """
        self._loop = asyncio.get_running_loop()
        if not self._quota.take(client):
            raise queue_full(self._quota.held_by(client), self._quota.held, 1, self._quota.limit, _LOAD_SECONDS)
        waiter: asyncio.Future[ModelUse[Any]] = self._loop.create_future()
        if not model.waiters:
            self._start(self._load(model))
        model.waiters.append(waiter)
        model.wanted_ctx = max(model.wanted_ctx, wanted_ctx)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                waiter.result().end()
            raise
        finally:
            self._quota.give_back(client)
            if waiter in model.waiters:
                model.waiters.remove(waiter)
            self._changed.set()

    def _start(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _load(self, model: PooledModel) -> None:
        """Load a model for its waiters. If all of them leave before the load begins, it does not begin."""
        error: ServeError | None = None
        async with self._turn:
            try:
                await self._on_thread(self._lengthen, model)
                if model.loaded is None and await self._make_room(model):
                    await self._on_thread(self._open, model)
                    self._arm(model)  # all who waited may have left
            except HexagonError as problem:
                message = self.named(f"the model {model.name} cannot be loaded: {problem}")
                error = ServeError(503, message, code="model_load_failed")
            except Exception as problem:
                log_failure(_LOG, f"{model.path} cannot be loaded", problem)
                error = ServeError(500, f"the model {model.name} cannot be loaded", code="model_load_failed")
            waiters, model.waiters = model.waiters, []
            for waiter in waiters:
                if waiter.done():
                    continue
                if error is not None:
                    waiter.set_exception(error)
                elif model.loaded is not None:
                    with self._lock:
                        waiter.set_result(self._taken(model, model.loaded))
                        model.is_leaving = False

    async def _make_room(self, model: PooledModel) -> bool:
        """Unload others until a model fits; return whether somebody still waits for it.

        Raises:
            HexagonError: it can never fit.
        """
        size = await self._on_thread(self._size, model)
        try:
            while model.waiters:
                others = sorted((other for other in self.models if other.loaded), key=lambda other: other.used_at)
                used = sum(self._sizes[other] for other in others)
                if (size <= self._n_bytes - used and size <= available()) or not others:
                    return True
                idle = next((other for other in others if not other.n_users), None)
                if idle is not None:
                    await self._on_thread(self._close, idle)
                    continue
                with self._lock:
                    others[0].is_leaving = True
                self._changed.clear()
                await self._changed.wait()
            return False
        finally:
            with self._lock:
                for other in self.models:
                    other.is_leaving = False

    async def unload(self, model: PooledModel) -> None:
        """Unload a model now.

        Raises:
            ServeError: it is not loaded, requests use it, or it is the server's only one.
        """
        if self._loader is None:
            raise wrong(f"the model {model.name} stays loaded: the server has one model", "model")
        async with self._turn:
            if model.loaded is None:
                raise wrong(f"the model {model.name} is not loaded", "model")
            await self._on_thread(self._close, model)
        if model.loaded is not None:
            busy = f"the model {model.name} is not unloaded: requests use it"
            raise ServeError(409, busy, code="model_in_use", param="model")

    def _given_back(self, model: PooledModel) -> None:
        self._changed.set()
        if self._loader is not None:
            self._arm(model)

    def _arm(self, model: PooledModel) -> None:
        """Set the timer that unloads a model which stays idle."""
        if model.timer is not None:
            model.timer.cancel()
        seconds = max(0.0, model.expires_at - time.monotonic())
        if seconds < math.inf:
            model.timer = asyncio.get_running_loop().call_later(seconds, self._start_expiry, model)

    def _start_expiry(self, model: PooledModel) -> None:
        self._start(self._expire(model))

    async def _expire(self, model: PooledModel) -> None:
        async with self._turn:
            if not model.n_users and time.monotonic() >= model.expires_at:
                await self._on_thread(self._close, model)

    async def _on_thread(self, function: Callable[[PooledModel], T], model: PooledModel) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, model)

    # --- On the thread ---

    def _lengthen(self, model: PooledModel) -> None:
        """Unload a model whose context is shorter than requests want, if the memory has room for such a context."""
        with self._lock:
            wanted, model.wanted_ctx = model.wanted_ctx, 0
            if model.loaded is not None and not self._is_too_short(model, wanted):
                return
        if not wanted or model.kind != "text":
            return
        size, now = self._planned(model, wanted), self._sizes.get(model, 0) if model.loaded else 0
        if size > self._n_bytes or size - now > available():
            _LOG.warning("num_ctx is %d: %s would need %d bytes, for which there is no room", wanted, model.name, size)
            return
        self._close(model)
        if model.loaded is None:
            model.n_ctx, self._sizes[model] = wanted, size

    def _planned(self, model: PooledModel, n_ctx: int) -> int:
        return self._wanted_loader.n_bytes(model.path, model.draft, model.kind, n_ctx, model.mmproj)

    def _size(self, model: PooledModel) -> int:
        if model not in self._sizes:
            self._sizes[model] = self._planned(model, model.n_ctx)
        size = self._sizes[model]
        if size > self._n_bytes:
            raise DspMemoryError(f"it needs {size:,} bytes, and all models together may take {self._n_bytes:,}")
        return size

    def _open(self, model: PooledModel) -> None:
        loaded = self._wanted_loader.load(model, self._check)
        with self._lock:
            model.loaded, model.used_at = loaded, time.monotonic()
            model.expires_at = model.used_at + self._keep_alive

    def _close(self, model: PooledModel) -> None:
        """Unload a model, unless a request has just begun to use it."""
        with self._lock:
            if model.n_users:
                return
            loaded, model.loaded = model.loaded, None
        if loaded is not None:
            loaded.close()
            if model.n_ctx:
                model.n_ctx = 0
                self._sizes.pop(model, None)

    @property
    def _wanted_loader(self) -> DeviceLoader:
        if self._loader is None:
            raise ClosedError("the model is gone")
        return self._loader

    def _check(self) -> None:
        if self._is_closing:
            raise ClosedError("the server ends")

    # --- Life ---

    def __enter__(self) -> ModelPool:
        return self

    def __exit__(self, *_: object) -> None:
        """Unload all models, after the server has ended."""
        self._is_closing = True
        self._thread.shutdown(cancel_futures=True)
        for model in self.models:
            loaded, model.loaded = model.loaded, None
            if loaded is not None:
                loaded.close()
