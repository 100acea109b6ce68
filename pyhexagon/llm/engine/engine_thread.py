# SPDX-License-Identifier: MIT
"""The engine thread owns a model. It does continuous batching: it admits requests between steps, and each step sends
one message to the DSP for all running sequences.

A lost DSP costs time only: the thread reopens the device, and each request repeats the forward pass that was in flight.
Delivered outputs stay valid, because a token is sampled only after its forward pass is complete.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from pyhexagon.errors import ArgumentError, DeviceLostError, HexagonError, UnsupportedError
from pyhexagon.errors.logged import log_failure
from pyhexagon.llm.engine.device_gate import DeviceGate
from pyhexagon.llm.engine.errors import InternalError, QueueFullError, RequestLostError, StepError
from pyhexagon.llm.engine.generation import GenerationChunk
from pyhexagon.llm.engine.request import Request, RequestStatus
from pyhexagon.llm.engine.scheduler import Scheduler

if TYPE_CHECKING:
    from pyhexagon.llm.language_model import LanguageModel

T = TypeVar("T")
_LOG: Final = logging.getLogger("pyhexagon.llm")
_MOST_DEATHS: Final = 3  # DSP processes lost per request; after that, the request may be the cause
_REOPEN_SECONDS: Final = 10.0  # duration of retries before all requests fail
_BETWEEN: Final = 0.5  # seconds between retries
_SILENT: Final = 5.0  # seconds without an answer of the DSP until it is reported as a problem
_AGAIN: Final = 5.0  # seconds between attempts to reopen while there are no requests


class _Failed(NamedTuple):
    """Why a message failed, and whether a device was lost."""

    problem: Exception
    is_lost: bool


def _ignore(seconds: float) -> None:
    """Observe nothing."""


@dataclass
class Statistics:
    """Counts of what an engine did.

    Attributes:
        steps: messages that were answered.
        generated_tokens, draft_tokens, accepted_draft_tokens: of all requests.
        deaths: losses of the DSP.
        refused, cancelled: requests that found no room in the queue, and those that their client gave up.
        first_token: called with the seconds from each request to its first output.
        since: when counting began, in seconds since 1970.
    """

    steps: int = 0
    generated_tokens: int = 0
    draft_tokens: int = 0
    accepted_draft_tokens: int = 0
    deaths: int = 0
    refused: int = 0
    cancelled: int = 0
    first_token: Callable[[float], None] = _ignore
    since: float = field(default_factory=time.time)


class EngineThread(Scheduler):
    """A scheduler with a thread, which runs the requests of a model; use it in a ``with`` statement.

    Args:
        llm: generates for this thread only; stays open when the thread ends.
        statistics: counts what the thread does.
        n_parallel, n_waiting: as for ``Scheduler``.
        gate: of the device, if other models use it as well.
    """

    def __init__(
        self, llm: LanguageModel, statistics: Statistics | None = None, *, n_parallel: int, n_waiting: int,
        gate: DeviceGate | None = None,
    ) -> None:  # fmt: skip
        super().__init__(n_parallel, n_waiting)
        self._gate = gate or DeviceGate()
        self._llm, self._statistics = llm, statistics or Statistics()
        llm.reserve()
        self._lost = ""  # why the DSP cannot be used; empty if it can
        self._sent_at = math.inf  # start of the call to the DSP in flight
        self._thread = threading.Thread(target=self._work, name="pyhexagon-engine", daemon=True)

    def __enter__(self) -> EngineThread:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shut_down()
        self._thread.join()

    # --- From other threads ---

    def prepare(self, request: Request) -> None:
        """Validate a request, and give it its steps. May take long.

        Raises:
            ArgumentError: the request is invalid.
        """
        self._llm.prepare(request)

    def submit(self, requests: Sequence[Request]) -> None:
        """As ``Scheduler.submit``, for requests that were prepared."""
        try:
            super().submit(requests)
        except QueueFullError:
            self._statistics.refused += 1
            raise

    def run_beside(self, call: Callable[[], T]) -> T:
        """Return what a function returns that uses the model's devices, on this thread and beside the engine's. If the
        DSP dies, it is opened again, and the function is called again.

        Raises:
            RequestLostError: the DSP died three times, or cannot be opened again.
            StepError: the device failed otherwise.
            ArgumentError, UnsupportedError: as the function.
        """
        problem = ""
        for _ in range(_MOST_DEATHS):
            with self._gate.together():
                try:
                    return call()
                except (ArgumentError, UnsupportedError):
                    raise
                except HexagonError as error:
                    problem, is_lost = str(error), bool(self._llm.lost)
            if not is_lost:
                raise StepError(f"the step failed: {problem}")
            self._reopen_beside(problem)
        raise RequestLostError(f"the DSP died {_MOST_DEATHS} times while this was computed: {problem}")

    def _reopen_beside(self, problem: str) -> None:
        """Reopen the device, unless the engine's thread has done so.

        Raises:
            RequestLostError: it cannot be opened.
        """
        with self._gate.alone():
            if not self._llm.lost:
                return
            self._statistics.deaths += 1
            _LOG.warning("the DSP is lost, and opened again: %s", problem)
            try:
                self._llm.reopen()
            except HexagonError as error:
                raise RequestLostError(f"the DSP is lost and cannot be opened again: {error}").after(10) from None

    @property
    def problem(self) -> str:
        """Why the DSP cannot be used now; empty if it can."""
        silent = time.monotonic() - self._sent_at
        if not self._lost and silent > _SILENT:
            return f"the DSP has not answered for {silent:.0f} s"
        return self._lost

    def figures(self) -> dict[str, float]:
        """Return the present numbers of requests, bytes of memory, messages and seconds on the DSP."""
        messages, seconds = self._llm.work
        memory = {f"memory_{name}_bytes": size for name, size in self._llm.memory().items()}
        running, waiting = self.counts
        return memory | {
            "running": running, "waiting": waiting, "up": not self.problem, "messages": messages,
            "dsp_seconds": seconds,
        }  # fmt: skip

    # --- The thread ---

    def _work(self) -> None:
        has_stepped = False  # the last step has shown that the DSP answers
        while not self.is_closing:
            if not self.running:
                has_stepped = False
                self.wait(_AGAIN if self._lost else math.inf)
                if self.is_closing:
                    break
            self._deliver_expired()
            is_waiting = bool(self.waiting.queues)
            if (is_waiting or not has_stepped) and self._llm.lost:
                self._reopen(self._llm.lost)
            if is_waiting:
                self._begin_admitted()
            has_stepped = bool(self.running) and self._send()
        self._deliver_ends(self.close())

    # Methods of their own, so that no variable of a loop keeps a request while the thread waits:

    def _deliver_expired(self) -> None:
        for request in self.expire():
            self._statistics.cancelled += request.error is None
            request.deliver([], request.error, True)

    def _begin_admitted(self) -> None:
        for request in self.admit():
            self._call_dsp(request.begin)  # embeddings are computed here

    def _deliver_ends(self, requests: Sequence[Request]) -> None:
        for request in requests:
            request.deliver([], request.error, True)

    def _call_dsp(self, call: Callable[[], T]) -> T:
        """Return what a function returns that calls the DSP, beside other models of the device."""
        self._gate.enter()
        try:
            self._sent_at = time.monotonic()
            return call()
        finally:
            self._sent_at = math.inf
            self._gate.leave()

    def _send(self) -> bool:
        """Send a message and deliver its outputs; return whether it was answered."""
        advanced = self._call_dsp(self._compute)
        if isinstance(advanced, _Failed):
            self._recover(advanced)
            return False
        statistics = self._statistics
        statistics.steps += 1
        for request in advanced:
            is_first = not request.first_output
            outputs = request.take()
            for chunk in outputs:
                if isinstance(chunk, GenerationChunk):
                    statistics.generated_tokens += 1
                    statistics.draft_tokens += chunk.draft_n
                    statistics.accepted_draft_tokens += chunk.from_draft
            if outputs and is_first:
                statistics.first_token(request.first_output - request.arrival)
            if request.status is RequestStatus.FINISHED:
                error = request.error
                request.deliver(outputs, error if error is None else self._request_error(error), True)
            elif outputs:
                request.deliver(outputs, None, False)
        return True

    def _compute(self) -> list[Request] | _Failed:
        try:
            return self.compute()
        except Exception as problem:
            return _Failed(problem, bool(self._llm.lost))  # before another model reopens the device

    def _request_error(self, error: Exception) -> Exception:
        """Return the error to deliver for what a request raised."""
        if isinstance(error, ArgumentError):
            return error
        if self._llm.lost or isinstance(error, DeviceLostError):  # by an embedding; the next step reopens the device
            return RequestLostError(f"the DSP was lost: {error}").after(1)
        log_failure(_LOG, "a request failed", error)
        return InternalError(f"{type(error).__name__}: {error}")

    # --- A lost DSP ---

    def _recover(self, failed: _Failed) -> None:
        problem = failed.problem
        if not isinstance(problem, HexagonError) or not failed.is_lost:
            log_failure(_LOG, "a step failed", problem)
            self._deliver_ends(self.fail(StepError(f"the step failed: {problem}"), is_all=False))
            return
        for request in list(self.running):
            request.n_deaths += 1
            if request.n_deaths >= _MOST_DEATHS:
                reason = f"the DSP died {request.n_deaths} times while this was answered: {problem}"
                self.end(request, RequestLostError(reason))
                request.deliver([], request.error, True)

    def _reopen(self, problem: str) -> None:
        if not self._lost:
            self._statistics.deaths += 1
            _LOG.warning("the DSP is lost, and opened again: %s", problem)
        end = time.monotonic() + _REOPEN_SECONDS
        while True:
            is_last = self.is_closing or time.monotonic() >= end
            try:
                with self._gate.alone():
                    self._sent_at = time.monotonic()
                    self._llm.reopen()
            except Exception as error:
                self._lost = f"the DSP is lost and cannot be opened again: {error}"
            else:
                self._lost = ""
                return
            finally:
                self._sent_at = math.inf
            if is_last:
                _LOG.error("%s", self._lost)
                self._deliver_ends(self.fail(RequestLostError(self._lost).after(10)))
                return
            self.changes.wait_for(lambda: self.is_closing or None, _BETWEEN)
