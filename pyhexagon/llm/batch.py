# SPDX-License-Identifier: MIT
"""Requests of several threads, which share messages to the DSP.

One of the threads that wait sends a message for all of them; who asks meanwhile joins at the next one. What a text gets
does not depend on what it was computed beside.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pyhexagon.llm.context import Context
from pyhexagon.llm.texts import F32, TextRequest
from pyhexagon.process.changes import Changes
from pyhexagon.tensor import Tensor


class Asked(NamedTuple):
    """Something that a text must know before it can go on, and who computes it."""

    batch: Batch
    request: TextRequest


@dataclass(eq=False)
class _Waiting:
    """A thread that waits for a message.

    Attributes:
        requests: that shall be in it.
        is_done: whether it went.
        error: why it did not go well.
    """

    requests: Sequence[TextRequest]
    is_done: bool = False
    error: Exception | None = None


class Batch:
    """The requests for a context.

    Args:
        context: where they run; whoever else uses it must have the lock.
        lock: held while it is used.
        check: called with the lock; raises if the context cannot be used.
    """

    def __init__(self, context: Context[Any], lock: threading.Lock, check: Callable[[], None]) -> None:
        self.context, self._lock, self._check = context, lock, check
        self._changes = Changes()
        self._waiting: list[_Waiting] = []
        self._is_led = False  # a thread is at work for all

    @property
    def n_ctx(self) -> int:
        """How many tokens a text may have."""
        return self.context.n_ctx

    def tensors(self) -> list[Tensor]:
        """All that it has in DSP memory."""
        return self.context.tensors()

    def close(self) -> None:
        """Gives the context's memory back."""
        self.context.close()

    def logits(self, tokens: Sequence[int]) -> F32:
        """As ``Context.logits``, from any thread."""
        asked = self.ask(tokens)
        self.finish(asked.request)
        return asked.request.logits

    def ask(
        self,
        tokens: Sequence[int],
        n_top: int = 0,
        *,
        n_guessed: int = 0,
        n_wanted: int | None = None,
        n_known: int = 0,
        cache_salt: str = "",
    ) -> Asked:
        """What may follow a text; see ``TextRequest``. Nothing is sent yet.

        Args:
            n_wanted: None: what may follow each guess, and the token before them.
            n_known: so many of the first tokens were in a request before, so that they need not be checked again.
            cache_salt: as ``TextRequest`` has it.

        Raises:
            ArgumentError: as ``Context.logits``.
        """
        self.context.check(tokens, n_known)
        n_wanted = n_guessed + 1 if n_wanted is None else n_wanted
        return Asked(self, TextRequest(list(tokens), n_top, n_wanted, n_guessed, cache_salt))

    def finish(self, request: TextRequest) -> None:
        """Sends messages until a request is ready; from any thread."""
        try:
            while not request.is_ready:
                self.step([request])
        except BaseException:
            self.leave(request)
            raise

    def step(self, requests: Sequence[TextRequest]) -> None:
        """Sends one message for these requests, of which none is ready, and for those of other threads.

        Raises:
            HexagonError: the device fails. The requests can be sent again.
        """
        waiting = _Waiting(requests)
        try:
            with self._changes.lock:
                self._waiting.append(waiting)
            while not waiting.is_done:
                self._wait_or_lead(waiting)
        finally:
            with self._changes.lock:
                self._waiting = [one for one in self._waiting if one is not waiting]
        if waiting.error is not None:
            raise waiting.error

    def leave(self, request: TextRequest) -> None:
        """Nobody waits for a request any more that was in a step."""
        with self._lock:
            self.context.leave(request)

    def _wait_or_lead(self, waiting: _Waiting) -> None:
        def look() -> list[_Waiting] | None:
            """Those that this thread is to lead, if it is to."""
            if waiting.is_done:
                return []
            if self._is_led:
                return None
            self._is_led = True
            return [one for one in self._waiting if not one.is_done]

        led = self._changes.wait_for(look)
        if not led:
            return
        error = None
        try:
            with self._lock:
                self._check()
                self.context.step([request for one in led for request in one.requests])
        except Exception as problem:
            error = problem
        except BaseException:
            led = []  # another thread sends it
            raise
        finally:
            with self._changes.lock:
                for one in led:
                    one.is_done, one.error = True, error
                self._is_led = False
                self._changes.notify()
