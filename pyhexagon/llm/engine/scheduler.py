# SPDX-License-Identifier: MIT
"""The scheduler decides which requests run: queue limits, fair admission, preemption, deadlines and cancellation.

Requests that run share messages. They come and go between steps (continuous batching); ``batching`` chooses which of
their tokens a message computes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from typing import Final

from pyhexagon.llm.engine.errors import DeadlineError, ShutdownError
from pyhexagon.llm.engine.fair_queue import FairQueue, is_fair, queue_full
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.request import Request, RequestStatus
from pyhexagon.process.changes import Changes

_CLIENT: Final = attrgetter("client")
_RETRY_AFTER: Final = 5  # seconds, of a server that is started again


class Scheduler:
    """The requests of one owner, such as a server or a call of ``generate_all``, to one model.

    Any thread may submit and cancel; one thread at a time steps.

    Args:
        n_parallel: most requests that run.
        n_waiting: most requests that wait.

    Attributes:
        changes: notified of what other threads submit and cancel.
        running: requests that run, in the order of their admission.
        waiting: requests that wait, preempted ones too.
        is_closing: ``shut_down`` was called.
    """

    def __init__(self, n_parallel: int, n_waiting: int = 1 << 31) -> None:
        self.changes = Changes()
        self.running: list[Request] = []
        self._n_parallel, self._n_waiting = n_parallel, n_waiting
        self.waiting = FairQueue[Request]()
        self._cancelled: list[Request] = []
        self.is_closing = False
        self._mean_seconds = 1.0  # moving average of the duration of a request

    # --- Any thread ---

    def submit(self, requests: Sequence[Request]) -> None:
        """Queue requests, all or none.

        Raises:
            QueueFullError: more would wait than the limit or the client's share of it.
            ShutdownError: the scheduler is closing.
        """
        with self.changes.lock:
            if self.is_closing:
                raise ShutdownError("the server ends").after(_RETRY_AFTER)
            n_new, n_before = len(requests), len(self.waiting)
            n_waiting = n_before + n_new - (self._n_parallel - len(self.running))
            if n_waiting > 0:
                n_own = sum(map(self.waiting.of_client, set(map(_CLIENT, requests))))
                if not is_fair(min(n_waiting, n_own + n_new), n_waiting, self._n_waiting):
                    seconds = self._mean_seconds * n_waiting / self._n_parallel
                    raise queue_full(n_own, n_before, n_new, self._n_waiting, seconds)
            for request in requests:
                self.waiting.add(request)
            self.changes.notify()

    def cancel(self, requests: Sequence[Request]) -> None:
        """Cancel requests before the next step; requests that have ended are ignored."""
        with self.changes.lock:
            for request in requests:
                if request.status is not RequestStatus.FINISHED:
                    self._cancelled.append(request)
            if self._cancelled:
                self.changes.notify()

    def shut_down(self) -> None:
        """Refuse further requests; the thread that steps ends the others with ``close``."""
        with self.changes.lock:
            self.is_closing = True
            self.changes.notify()

    @property
    def counts(self) -> tuple[int, int]:
        """The number of running and of waiting requests."""
        return len(self.running), len(self.waiting)

    # --- The thread that steps ---

    def wait(self, timeout: float) -> None:
        """Wait until a request is submitted or cancelled or the scheduler closes, or for a time in seconds."""
        self.changes.wait_for(lambda: bool(self.waiting.queues or self._cancelled or self.is_closing) or None, timeout)

    def expire(self) -> list[Request]:
        """End the requests that were cancelled or are past their deadline, and return them.

        A cancelled request has no error, and one past its deadline a ``DeadlineError``.
        """
        with self.changes.lock:
            cancelled, self._cancelled = self._cancelled, []
            due = [*self.running, *self.waiting] if self.waiting.queues else list(self.running)
        now = time.monotonic()
        ended: list[Request] = []
        for request in cancelled:
            if request.status is not RequestStatus.FINISHED:
                self.end(request)
                ended.append(request)
        for request in due:
            if now > request.deadline and request.status is not RequestStatus.FINISHED:
                self.end(request, DeadlineError("it took longer than its deadline allows"))
                ended.append(request)
        return ended

    def admit(self) -> list[Request]:
        """Give waiting requests the places that are free, and return them: ``Request.begin`` is next.

        A request that shares the prompt of another one waits until that prompt is in the KV cache.
        """
        admitted: list[Request] = []
        held: list[Request] = []
        with self.changes.lock:
            if len(self.running) >= self._n_parallel:
                self._preempt(admitted)
            while self.waiting.queues and len(self.running) < self._n_parallel:
                request = self.waiting.next()
                if request.is_held:
                    held.append(request)
                    continue
                request.status = RequestStatus.RUNNING
                self.running.append(request)
                admitted.append(request)
            for request in held:
                self.waiting.add(request)
        return admitted

    def _preempt(self, admitted: list[Request]) -> None:
        """Preempt requests of clients that run at least two more than a waiting client does, so that no client waits
        for all requests of another one.

        The preempted request is the last one of the client with the most. It returns to the head of the queue and
        later resumes where it was.

        Args:
            admitted: receives the requests that took the freed places.
        """
        while self.waiting.queues and len(self.running) >= self._n_parallel:
            n_of = Counter(request.client for request in self.running)
            client = min(self.waiting.clients(), key=n_of.__getitem__)
            greedy, n = n_of.most_common(1)[0]
            last = [
                request for request in self.running
                if request.client == greedy and request.forward is not None and request not in admitted
            ][-1:]  # fmt: skip
            if n - n_of[client] < 2 or not last:
                break
            request = self.waiting.next(client)
            if request.is_held:
                self.waiting.add_first(request)
                break
            self.suspend(last[0])
            self.waiting.add_first(last[0])
            request.status = RequestStatus.RUNNING
            self.running.append(request)
            admitted.append(request)

    def suspend(self, request: Request) -> None:
        """Preempt a request. Its cached tokens may be evicted, and are computed again when it is resumed."""
        request.status = RequestStatus.PREEMPTED
        self.running.remove(request)
        request.release()

    def step(self) -> list[Request]:
        """Admit requests, send one message, and return the requests that it advanced.

        Raises:
            HexagonError: the device fails. No request has changed: call it again.
        """
        if self.waiting.queues:
            for request in self.admit():
                request.begin()
        return self.compute()

    def compute(self) -> list[Request]:
        """Send one message for the requests that run, and return those that it advanced; some have ended.

        While some requests wait for a draft model, the message is theirs, so that all share the message after it.
        Requests that were admitted last are scheduled first: the prefixes that they share with others are cached then.

        Raises:
            HexagonError: the device fails. No request has changed: call it again.
        """
        forwards: list[ForwardPass] = []
        drafting: list[ForwardPass] = []
        for request in reversed(self.running):
            if request.forward is not None:
                (drafting if request.forward.is_of_draft else forwards).append(request.forward)
        message = drafting or forwards
        if message and message[0].engine is not None:
            message[0].engine.compute(message)
        advanced: list[Request] = []
        for request in list(self.running):
            forward = request.forward
            if forward is None or forward.is_done:
                advanced.append(request)
                if forward is not None:
                    request.advance()
                if request.forward is None:
                    self.end(request, request.error)
        return advanced

    def end(self, request: Request, error: Exception | None = None) -> None:
        """End a request, wherever it is.

        Args:
            error: why, if it is not complete.
        """
        request.error, request.status = error, RequestStatus.FINISHED
        with self.changes.lock:
            if request in self.running:
                self.running.remove(request)
                self._mean_seconds += 0.2 * (time.monotonic() - request.arrival - self._mean_seconds)
            else:
                self.waiting.remove(request)
        if request.forward is not None:
            request.release()

    def fail(self, error: Exception, *, is_all: bool = True) -> list[Request]:
        """End the requests that run, and all that wait too unless is_all is False, with an error; return them."""
        with self.changes.lock:
            failed = [*self.running, *self.waiting] if is_all else list(self.running)
        for request in failed:
            self.end(request, error)
        return failed

    def close(self) -> list[Request]:
        """Refuse further requests, end the others with a ``ShutdownError``, and return them."""
        self.shut_down()
        return self.fail(ShutdownError("the server ends").after(_RETRY_AFTER))
