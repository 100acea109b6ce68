# SPDX-License-Identifier: MIT
"""The scheduler thread owns the model. It does continuous batching: it admits requests between steps, and each step
sends one message to the DSP for all running sequences.

A lost DSP costs time only: the scheduler reopens the device, and each request repeats the forward pass that was in
flight. Delivered chunks stay valid, because a token is sampled only after its forward pass is complete.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, Final

from pyhexagon.errors import ArgumentError, DeviceLostError, HexagonError
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.engine.request import GenerationRequest, RunningRequests
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.serve.http.errors import ServeError, log_failure, wrong
from pyhexagon.serve.http.fair_queue import Waiting
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.serve.http.quota import is_fair, queue_full
from pyhexagon.serve.models.backend import EmbeddingWork, GenerationWork, QueuedRequest
from pyhexagon.serve.models.device_gate import DeviceGate

_LOG: Final = logging.getLogger("pyhexagon.serve")
_MOST_DEATHS: Final = 3  # DSP processes lost per request; after that, the request may be the cause
_REOPEN_SECONDS: Final = 10.0  # duration of retries before all requests fail
_BETWEEN: Final = 0.5  # seconds between retries
_SILENT: Final = 5.0  # seconds without an answer of the DSP until /health reports it
_AGAIN: Final = 5.0  # seconds between attempts to reopen while there are no requests


class Scheduler:
    """Run the requests of an LLM on a thread of its own; use it in a ``with`` statement.

    Args:
        llm: generates for this scheduler only; stays open when the scheduler ends.
        n_parallel: maximum number of running requests.
        n_waiting: maximum number of waiting requests.
        gate: of the device, if other models use it as well.
    """

    def __init__(
        self, llm: LanguageModel, metrics: Metrics, *, n_parallel: int, n_waiting: int, gate: DeviceGate | None = None
    ) -> None:
        self._gate = gate or DeviceGate()
        self._llm, self._metrics, self._n_parallel, self._n_waiting = llm, metrics, n_parallel, n_waiting
        llm.reserve()
        metrics.watch(self.figures)
        self._changed = threading.Condition()
        self._waiting: Waiting[QueuedRequest] = Waiting()
        self._running = RunningRequests[Any]()
        self._jobs: dict[GenerationRequest[Any], QueuedRequest] = {}
        self._cancelled: list[QueuedRequest] = []
        self._is_closing = False
        self._mean_seconds = 1.0  # moving average of the duration of a request
        self._lost = ""  # why the DSP cannot be used; empty if it can
        self._sent_at = math.inf  # start of the call to the DSP in flight
        self._thread = threading.Thread(target=self._work, name="pyhexagon-serve", daemon=True)

    def __enter__(self) -> Scheduler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        self._thread.join()

    # --- From other threads: see Backend ---

    def prepare(self, job: QueuedRequest) -> None:
        """Create the engine's request, which validates the sampling parameters."""
        work = job.work
        job.running = GenerationRequest(self._embedding(work) if isinstance(work, EmbeddingWork) else self._text(work))

    def _text(self, work: GenerationWork) -> Iterator[Any]:
        whole: Iterator[Any] = iter(())
        if work.max_tokens != 0:
            whole = self._llm.stream(work.ids, work.max_tokens, cache_salt=work.cache_salt, **work.sampling).steps
        if work.prompt_logprobs is not None:
            is_all = work.max_tokens == 0
            lora = work.sampling.get("lora")
            prompt = self._llm.prompt_logprobs(
                work.ids, work.prompt_logprobs, is_all=is_all, cache_salt=work.cache_salt, lora=lora
            )
            whole = chain(prompt.steps, whole)
        return whole

    def _embedding(self, work: EmbeddingWork) -> Iterator[Any]:
        yield from self._llm.embed(work.texts)

    def submit(self, jobs: Sequence[QueuedRequest]) -> None:
        """Queue requests, all or none.

        Raises:
            ServeError: the queue is full, or the scheduler is closing.
        """
        with self._changed:
            if self._is_closing:
                raise ServeError(503, "the server is about to end", code="shutting_down", retry_after=5)
            n_own = sum(map(self._waiting.of_client, {job.client for job in jobs}))
            n_waiting = max(0, len(self._waiting) + len(jobs) - (self._n_parallel - len(self._jobs)))
            if not is_fair(min(n_waiting, n_own + len(jobs)), n_waiting, self._n_waiting):
                self._metrics.refused.inc()
                seconds = self._mean_seconds * n_waiting / self._n_parallel
                raise queue_full(n_own, len(self._waiting), len(jobs), self._n_waiting, seconds)
            for job in jobs:
                self._waiting.add(job)
            self._changed.notify_all()

    def cancel(self, jobs: Sequence[QueuedRequest]) -> None:
        """Cancel requests before the next step; requests that have ended are ignored."""
        with self._changed:
            self._cancelled += [job for job in jobs if not job.is_over]
            self._changed.notify_all()

    @property
    def counts(self) -> tuple[int, int]:
        """Return the number of running and of waiting requests."""
        return len(self._jobs), len(self._waiting)

    @property
    def problem(self) -> str:
        """Return why the DSP cannot be used now; empty if it can."""
        silent = time.monotonic() - self._sent_at
        if not self._lost and silent > _SILENT:
            return f"the DSP has not answered for {silent:.0f} s"
        return self._lost

    @contextmanager
    def _calling_dsp(self, *, alone: bool = False) -> Iterator[None]:
        with self._gate.alone() if alone else self._gate.together():
            self._sent_at = time.monotonic()
            try:
                yield
            finally:
                self._sent_at = math.inf

    def figures(self) -> dict[str, float]:
        """Return the current values of the gauges, for ``Metrics.watch``."""
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
        while True:
            with self._changed:
                if not self._jobs:
                    has_stepped = False
                    self._changed.wait_for(self._has_work, _AGAIN if self._lost else None)
                if self._is_closing:
                    break
                is_waiting = len(self._waiting) > 0
            self._end_cancelled(is_waiting=is_waiting)
            if (is_waiting or not has_stepped) and self._llm.lost:
                self._reopen(self._llm.lost)
            if is_waiting:
                self._admit()
            has_stepped = bool(self._jobs) and self._step()
        for job in [*self._jobs.values(), *self._waiting]:
            self._end(job, ServeError(503, "the server ends", code="shutting_down", retry_after=5))

    def _has_work(self) -> bool:
        return bool(self._waiting or self._cancelled or self._is_closing)

    def _end_cancelled(self, *, is_waiting: bool) -> None:
        """End the requests that were cancelled or are past their deadline, waiting ones only if there are some."""
        with self._changed:
            cancelled, self._cancelled = self._cancelled, []
            everyone = [*self._jobs.values()]
            if is_waiting:
                everyone += self._waiting
        for job in cancelled:
            if not job.is_over:
                self._metrics.cancelled.inc()
                self._end(job, None)
        now = time.monotonic()
        for job in everyone:
            if now > job.until and not job.is_over:
                self._end(job, ServeError(504, "it took longer than the server allows", code="timeout"))

    def _admit(self) -> None:
        """Start waiting requests while there is room. A request that shares the prompt of another one waits until that
        prompt is in the KV cache."""
        later: list[QueuedRequest] = []
        admitted: list[QueuedRequest] = []
        with self._changed:
            self._preempt(admitted)
            while len(self._waiting) and len(self._jobs) < self._n_parallel:
                job = self._waiting.next()
                if job.after is not None and not (job.after.first_token or job.after.is_over):
                    later.append(job)
                    continue
                self._jobs[job.running] = job
                admitted.append(job)
            for job in later:
                self._waiting.add(job)
        for job in admitted:  # without the lock: embeddings are computed here, and the event loop submits and cancels
            with self._calling_dsp():
                self._running.add_request(job.running)

    def _preempt(self, admitted: list[QueuedRequest]) -> None:
        """Preempt requests of clients that run at least two more than a waiting client does, so that no client waits
        for all requests of another one.

        The preempted request is the last one of the client with the most. It returns to the head of the queue and
        later resumes where it was.

        Args:
            admitted: receives the requests that took the freed places.
        """
        while len(self._waiting) and len(self._jobs) >= self._n_parallel:
            n_of = Counter(job.client for job in self._jobs.values())
            client = min(self._waiting.clients(), key=n_of.__getitem__)
            greedy, n = n_of.most_common(1)[0]
            going = [job for job in self._jobs.values() if job.running.forward is not None and job not in admitted]
            last = [job for job in going if job.client == greedy][-1:]
            if n - n_of[client] < 2 or not last:
                break
            job = self._waiting.next(client)
            if job.after is not None and not (job.after.first_token or job.after.is_over):
                self._waiting.add_first(job)
                break
            self._waiting.add_first(last[0])
            del self._jobs[last[0].running]
            self._running.abort(last[0].running)
            self._jobs[job.running] = job
            admitted.append(job)

    def _step(self) -> bool:
        """Send a message and deliver what it makes; return whether it was answered."""
        problem: Exception | None = None
        with self._calling_dsp():
            try:
                advanced = self._running.step()
            except Exception as raised:
                problem, is_lost = raised, bool(self._llm.lost)  # before another model reopens the device
        if problem is not None:
            self._recover(problem, is_lost)
            return False
        self._metrics.steps.inc()
        for running in advanced:
            job = self._jobs[running]
            made, error = running.take(), running.error
            n_tokens = n_draft = n_accepted = 0
            for chunk in made:
                if isinstance(chunk, GenerationChunk):
                    n_tokens += 1
                    n_draft += chunk.draft_n
                    n_accepted += chunk.from_draft
            self._metrics.generated_tokens.inc(n_tokens)
            self._metrics.draft_tokens.inc(n_draft)
            self._metrics.accepted_draft_tokens.inc(n_accepted)
            if made and not job.first_token:
                job.first_token = time.monotonic()
                self._metrics.first.observe(job.first_token - job.since)
            if running.forward is None:
                self._end(job, None if error is None else self._client_error(error), made)
            elif made:
                job.deliver(made, None, False)
        return True

    def _end(self, job: QueuedRequest, error: ServeError | None, made: Sequence[Any] = ()) -> None:
        with self._changed:
            self._waiting.remove(job)
            if self._jobs.pop(job.running, None) is not None:
                self._mean_seconds += 0.2 * (time.monotonic() - job.since - self._mean_seconds)
            if job.running in self._running.requests:
                self._running.abort(job.running)
            job.is_over = True
        job.deliver(list(made), error, True)

    def _client_error(self, error: Exception) -> ServeError:
        """Return the error to send to the client for an error that one request raised."""
        if isinstance(error, ArgumentError):
            return wrong(str(error))
        if self._llm.lost or isinstance(error, DeviceLostError):  # by an embedding; the next step reopens the device
            return ServeError(503, f"the DSP was lost: {error}", code="device_lost", retry_after=1)
        log_failure(_LOG, "a request failed", error)
        return ServeError(500, f"{type(error).__name__}: {error}", code="internal_error")

    # --- A lost DSP ---

    def _recover(self, problem: Exception, is_lost: bool) -> None:
        if not isinstance(problem, HexagonError) or not is_lost:
            log_failure(_LOG, "a step failed", problem)
            for job in list(self._jobs.values()):
                self._end(job, ServeError(500, f"the step failed: {problem}", code="step_failed"))
            return
        for job in list(self._jobs.values()):
            job.n_deaths += 1
            if job.n_deaths >= _MOST_DEATHS:
                told = f"the DSP died {job.n_deaths} times while this was answered: {problem}"
                self._end(job, ServeError(503, told, code="device_lost"))

    def _reopen(self, problem: str) -> None:
        if not self._lost:
            self._metrics.deaths.inc()
            _LOG.warning("the DSP is lost, and opened again: %s", problem)
        for last in self._attempts():
            try:
                with self._calling_dsp(alone=True):
                    self._llm.reopen()
            except Exception as why:
                self._lost = f"the DSP is lost and cannot be opened again: {why}"
            else:
                self._lost = ""
                return
            if last:
                _LOG.error("%s", self._lost)
                for job in [*self._jobs.values(), *self._waiting]:
                    self._end(job, ServeError(503, self._lost, code="device_lost", retry_after=10))

    def _attempts(self) -> Iterator[bool]:
        """Yield, for each attempt to reopen the device, whether it is the last one."""
        end = time.monotonic() + _REOPEN_SECONDS
        while time.monotonic() < end and not self._is_closing:
            yield False
            with self._changed:
                self._changed.wait_for(lambda: self._is_closing, _BETWEEN)
        yield True
