# SPDX-License-Identifier: MIT
"""Requests of several threads, which share messages to the DSP.

One of the threads that wait sends a message for all of them; who asks meanwhile joins at the next one. What a text gets
does not depend on what it was computed beside.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pyhexagon.llm.context import Context
from pyhexagon.llm.texts import F32, TextRequest
from pyhexagon.tensor import Tensor


@dataclass(eq=False)
class _Asked(TextRequest):
    """A request of a thread.

    Attributes:
        error: why it cannot be done.
    """

    error: Exception | None = None

    @property
    def is_done(self) -> bool:
        return self.is_ready or self.error is not None


class Batch:
    """The requests for a context.

    Args:
        context: where they run; whoever else uses it must have the lock.
        lock: held while it is used.
        check: called with the lock; raises if the context cannot be used.
    """

    def __init__(self, context: Context, lock: threading.Lock, check: Callable[[], None]) -> None:
        self.context, self._lock, self._check = context, lock, check
        self._changed = threading.Condition()
        self._asked: list[_Asked] = []
        self._is_led = False  # a thread is at work for all
        self._n_together = 0

    @property
    def n_ctx(self) -> int:
        """How many tokens a text may have."""
        return self.context.n_ctx

    @property
    def nbytes(self) -> int:
        """Of the cache in DSP memory."""
        return self.context.nbytes

    def tensors(self) -> list[Tensor]:
        """All that it has in DSP memory."""
        return self.context.tensors()

    def close(self) -> None:
        """Gives the context's memory back."""
        self.context.close()

    def logits(self, tokens: Sequence[int]) -> F32:
        """As ``Context.logits``, from any thread."""
        return self.request(tokens).logits

    def request(
        self,
        tokens: Sequence[int],
        n_top: int = 0,
        *,
        n_guessed: int = 0,
        n_wanted: int | None = None,
        n_known: int = 0,
    ) -> TextRequest:
        """What may follow a text, from any thread; see ``TextRequest``.

        Args:
            n_wanted: None: what may follow each guess, and the token before them.
            n_known: so many of the first tokens were in a request before, so that they need not be checked again.
        """
        self.context.check(tokens, n_known)
        request = _Asked(list(tokens), n_top, n_guessed + 1 if n_wanted is None else n_wanted, n_guessed)
        try:
            with self._changed:
                self._asked.append(request)
                self._changed.notify_all()
            while not request.is_done:
                self._wait_or_lead(request)
        finally:
            with self._changed:
                if request in self._asked:
                    self._asked.remove(request)
        if request.error is not None:
            raise request.error
        return request

    def _wait_or_lead(self, request: _Asked) -> None:
        with self._changed:
            self._changed.wait_for(lambda: request.is_done or (not self._is_led and self._are_enough()))
            if request.is_done:
                return
            self._is_led = True
            asked = [one for one in self._asked if not one.is_done]
        try:
            with self._lock:
                self._check()
                self.context.step(asked)
        except Exception as error:
            for one in asked:
                one.error = error
        finally:
            with self._changed:
                self._is_led = False
                self._changed.notify_all()

    def _are_enough(self) -> bool:
        """Whether all who said that they go together have asked."""
        return sum(not one.is_done for one in self._asked) >= self._n_together

    @contextmanager
    def together(self) -> Iterator[None]:
        """For a thread that asks again and again: no message goes without it, until this ends."""
        with self._changed:
            self._n_together += 1
        try:
            yield
        finally:
            with self._changed:
                self._n_together -= 1
                self._changed.notify_all()
