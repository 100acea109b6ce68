# SPDX-License-Identifier: MIT
"""The router: the server's backend for replicas. It sends each request to the replica with the fewest requests.

If a replica is lost, the router retries its requests on another one with the same seed. Completions do not depend on
the replica, so the router skips the chunks that it has delivered already. If the cluster's head is lost, all requests
fail; the router then connects to the next cluster at the same address.
"""

from __future__ import annotations

import asyncio
import os
import queue
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

from pyhexagon.cluster.connecting import (
    actors,
    check_alike,
    check_head,
    check_known,
    connect,
    fetch,
    on_boards,
    translated,
)
from pyhexagon.cluster.replica import COUNTED, Replica
from pyhexagon.errors import ArgumentError, ClusterError, DeviceLostError, HexagonError
from pyhexagon.llm import GenerationChunk
from pyhexagon.llm.answering import Answered, NumberedPrompt
from pyhexagon.llm.chat.host_model import ModelWords
from pyhexagon.llm.engine.errors import DeadlineError, InternalError, RequestError, RequestLostError, ShutdownError
from pyhexagon.llm.engine.fair_queue import is_fair, queue_full
from pyhexagon.llm.engine.request import Request, RequestStatus
from pyhexagon.serve.http.metrics import Metrics

_LOAD: Final = 1800.0  # timeout in seconds of loading the model on all boards
_MOST_DEATHS: Final = 3  # lost replicas per request; after that, the request may be the cause
_BETWEEN: Final = 0.2  # seconds between two checks of a lost replica
_APART: Final = 1.0  # seconds between two health checks of a replica
_SILENT: Final = 60.0  # timeout of a health check in seconds
_NO_BOARD: Final = 60.0  # seconds that a request waits while no replica is up
_MEMORY: Final = ("memory_model_bytes", "memory_context_bytes", "memory_compute_bytes")
_SUMS: Final = ("messages", "dsp_seconds")


class _Board:
    """A replica, as the router sees it.

    Attributes:
        requests: its requests.
        is_up: the last health check succeeded.
        n_lost: number of times that it was lost.
        problem: why the router rejects a replica that answers; empty if it does not.
        process, figures: identity and counters of the process that answered last.
    """

    def __init__(self, name: str, actor: Any, *, is_up: bool = True) -> None:
        self.name, self.actor = name, actor
        self.requests: set[Request] = set()
        self.n_answered = 0
        self.is_up = is_up
        self.n_lost = 0
        self.problem = ""
        self.process = ("", 0)
        self.figures: Mapping[str, float] = {}


class Router:
    """Distributes requests over replicas of a model. Use it in a ``with`` statement.

    Args:
        path: of the file, the same on each board.
        n_replicas: number of boards to use; None: all free ones.
        n_parallel: most sequences in a batch of a replica.
        n_waiting: most requests in the queue, of all replicas together.
        address, device: as for ``Pipeline``.
        metrics: of the server.
        **options: for each board's ``LLM``: n_ctx, kv.

    Attributes:
        model: tokenizer and chat template of the model.

    Raises:
        ClusterError, HexagonError: as ``Pipeline``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        n_replicas: int | None = None,
        n_parallel: int = 4,
        n_waiting: int = 64,
        address: str | None = None,
        device: str | None = None,
        metrics: Metrics | None = None,
        **options: Any,
    ) -> None:
        metrics = metrics or Metrics()
        self._statistics = metrics.statistics
        self._sums = dict.fromkeys(_SUMS, 0.0)
        self._gone = ""
        self._n_parallel, self._n_waiting = n_parallel, n_waiting
        self.model = ModelWords(path, options.get("n_ctx"))
        self._ray = ray = connect(address)
        self._address = str(ray.get_runtime_context().gcs_address)
        self._given = os.path.abspath(path), device, n_parallel, options
        self._boards = [_Board(*named) for named in on_boards(ray, Replica, self._given, n_replicas).items()]
        self._tasks: dict[Request, Future[None]] = {}
        self._looks: list[Future[None]] = []
        self._is_closing = False
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pyhexagon-router", daemon=True)
        self._thread.start()
        try:
            facts = self.facts(_LOAD)
            check_alike(facts)
        except BaseException:
            self.close()
            raise
        self._first = facts[0]
        for board, known in zip(self._boards, facts, strict=True):
            self._count(board, known)
            self._looks.append(asyncio.run_coroutine_threadsafe(self._look(board), self._loop))
        asyncio.run_coroutine_threadsafe(self._look_at_head(), self._loop)
        metrics.watch(self.figures)

    def facts(self, seconds: float = 60.0) -> list[Mapping[str, Any]]:
        """Return the facts of each replica, see ``Replica.facts``."""
        return list(fetch([board.actor.facts.remote() for board in self._boards], seconds))

    @property
    def n_answered(self) -> list[int]:
        """Number of requests that each replica has completed."""
        return [board.n_answered for board in self._boards]

    # --- Backend ---

    @property
    def problem(self) -> str:
        """Reason why no replica can serve requests; empty if one can."""
        if self._gone or any(board.is_up for board in self._boards):
            return self._gone
        return next((board.problem for board in self._boards if board.problem), "no board is there")

    @property
    def counts(self) -> tuple[int, int]:
        """Number of running and of waiting requests."""
        going = sum(min(len(board.requests), self._n_parallel) for board in self._boards)
        return going, len(self._tasks) - going

    def figures(self) -> dict[str, float]:
        """Return gauges and counters for ``Metrics.watch``, summed over the replicas' last health checks."""
        running, waiting = self.counts
        up = [board.figures for board in self._boards if board.is_up]
        memory = {name: sum(figures[name] for figures in up) for name in _MEMORY}
        return memory | self._sums | {
            "running": running, "waiting": waiting, "up": not self.problem, "boards": len(self._boards),
            "boards_up": len(up),
        }  # fmt: skip

    def prepare(self, request: Request) -> None:
        """Choose the seed of a request here, so that a retry on another replica gives the same completion."""
        if request.sampling.get("seed") is None:
            request.sampling = {**request.sampling, "seed": secrets.randbits(31)}

    def submit(self, requests: Sequence[Request]) -> None:
        """Queue requests, all or none; raise RequestError if the queue is full or the router cannot serve them."""
        with self._changed:
            if self._is_closing:
                raise ShutdownError("the server ends").after(5)
            if self._gone:
                raise RequestLostError(self._gone)
            n_going = self._n_parallel * sum(board.is_up for board in self._boards)
            n_own = sum(request.client == requests[0].client for request in list(self._tasks)) if requests else 0
            n_waiting = max(0, len(self._tasks) + len(requests) - n_going)
            if not is_fair(min(n_waiting, n_own + len(requests)), n_waiting, self._n_waiting):
                self._statistics.refused += 1
                raise queue_full(n_own, len(self._tasks), len(requests), self._n_waiting + n_going, 1)
            for request in requests:
                self._tasks[request] = asyncio.run_coroutine_threadsafe(self._answer(request), self._loop)

    def cancel(self, requests: Sequence[Request]) -> None:
        """Cancel requests."""
        for request in requests:
            task = self._tasks.get(request)
            if task is not None and request.status is not RequestStatus.FINISHED:
                self._statistics.cancelled += 1
                task.cancel()

    def answers(self, prompts: Iterable[NumberedPrompt], n_parallel: int) -> Iterator[Answered]:
        """Yield the completion or the error of each prompt as it finishes."""
        done: queue.SimpleQueue[Answered] = queue.SimpleQueue()
        max_in_flight, n_in_flight = (n_parallel + 1) * len(self._boards), 0
        for number, ids, options in prompts:
            while n_in_flight >= max_in_flight:
                yield done.get()
                n_in_flight -= 1
            sampling = dict(options)
            self._ask(number, Request(ids, sampling.pop("max_tokens", None), sampling), done)
            n_in_flight += 1
        for _ in range(n_in_flight):
            yield done.get()

    def _ask(self, number: int, request: Request, done: queue.SimpleQueue[Answered]) -> None:
        parts: list[GenerationChunk] = []

        def deliver(made: list[Any], error: Exception | None, is_end: bool) -> None:
            parts.extend(made)
            if is_end:
                done.put((number, parts if error is None else HexagonError(str(error))))

        request.deliver = deliver
        self.prepare(request)
        self.submit([request])

    # --- On the event loop ---

    async def _answer(self, request: Request) -> None:
        error: Exception | None = None
        try:
            await self._try(request)
        except asyncio.CancelledError:
            if self._is_closing:
                error = ShutdownError("the server ends").after(5)
            elif self._gone:
                error = RequestLostError(self._gone)
            raise
        except (RequestError, ArgumentError) as problem:
            error = problem
        except HexagonError as problem:
            error = RequestLostError(f"the board was lost: {problem}").after(1)
        except Exception as problem:
            error = InternalError(f"{type(problem).__name__}: {problem}")
        finally:
            self._tasks.pop(request, None)
            request.status = RequestStatus.FINISHED
            request.deliver([], error, True)

    async def _try(self, request: Request) -> None:
        """Run a request on one replica after another until one completes it."""
        n_given = 0
        while True:
            board = await self._next(request)
            board.requests.add(request)
            stream = board.actor.answer.options(num_returns="streaming").remote(
                request.plain(), request.deadline - time.monotonic()
            )
            try:
                n_seen = 0
                async for reference in stream:
                    made = await reference
                    if isinstance(made, RequestLostError):
                        raise DeviceLostError(str(made))
                    if isinstance(made, Exception):
                        raise made
                    new = made[max(0, n_given - n_seen) :]
                    n_seen += len(made)
                    if new:
                        self._count_outputs(request, new)
                        n_given += len(new)
                        request.deliver(new, None, False)
                board.n_answered += 1
                return
            except asyncio.CancelledError:
                with suppress(Exception):
                    self._ray.cancel(stream)
                raise
            except (RequestError, ArgumentError):
                raise
            except Exception as problem:
                lost = translated(problem)
                request.n_deaths += 1
                if not isinstance(lost, DeviceLostError) or request.n_deaths >= _MOST_DEATHS:
                    raise lost from None
                self._lose(board)
            finally:
                board.requests.discard(request)

    async def _next(self, request: Request) -> _Board:
        """Return the replica with the fewest requests; of several, the replica that has completed fewest."""
        end = min(request.deadline, time.monotonic() + _NO_BOARD)
        while time.monotonic() < end:
            up = [board for board in self._boards if board.is_up]
            if up:
                return min(up, key=lambda board: (len(board.requests), board.n_answered))
            await asyncio.sleep(_BETWEEN)
        if end == request.deadline:
            raise DeadlineError("no board was there in time").after(10)
        raise RequestLostError(f"no board was there for {_NO_BOARD:.0f} s").after(10)

    def _count_outputs(self, request: Request, new: Sequence[Any]) -> None:
        self._statistics.generated_tokens += sum(isinstance(output, GenerationChunk) for output in new)
        if not request.first_output:
            request.first_output = time.monotonic()
            self._statistics.first_token(request.first_output - request.arrival)

    def _lose(self, board: _Board) -> None:
        """Mark a replica as lost: it gets no requests until a health check succeeds."""
        if board.is_up:
            board.is_up = False
            board.n_lost += 1
            self._statistics.deaths += 1

    async def _look(self, board: _Board) -> None:
        """Check the health of a replica periodically, and collect its counters."""
        while True:
            n_lost = board.n_lost
            try:
                self._count(board, await asyncio.wait_for(board.actor.facts.remote(), _SILENT))
                board.is_up |= board.n_lost == n_lost  # an answer from before the loss does not count
                board.problem = ""
            except asyncio.TimeoutError:
                if board.is_up:  # it hangs: Ray restarts it, and its requests are retried
                    self._ray.kill(board.actor, no_restart=False)
                self._lose(board)
            except Exception as problem:
                board.problem = str(problem) if isinstance(problem, ClusterError) else ""
                self._lose(board)
            await asyncio.sleep(_APART if board.is_up else _BETWEEN)

    async def _look_at_head(self) -> None:
        """Check periodically that the head is alive: without it, Ray reports no lost replica."""
        while True:
            await asyncio.sleep(_APART)
            try:
                await self._loop.run_in_executor(None, self._check_head)
            except Exception as problem:
                await self._find_head(str(problem))

    def _check_head(self) -> None:
        """Raise DeviceLostError if the head is gone or, while no replica is up, if it does not know the replicas."""
        if any(board.is_up for board in self._boards):
            check_head(self._address)
        else:
            check_known(self._ray, [board.name for board in self._boards], self._address)

    async def _find_head(self, problem: str) -> None:
        """Fail all requests, wait for a head at the same address, and start as many replicas there."""
        with self._changed:
            self._gone = problem
        for task in [*self._tasks.values(), *self._looks]:
            task.cancel()
        for board in self._boards:
            self._lose(board)
        while True:
            try:
                found = await self._loop.run_in_executor(None, self._connect_again)
                break
            except Exception:
                await asyncio.sleep(_APART)
        self._boards = [_Board(*named, is_up=False) for named in found.items()]
        self._looks = [asyncio.run_coroutine_threadsafe(self._look(board), self._loop) for board in self._boards]
        self._gone = ""

    def _connect_again(self) -> dict[str, Any]:
        """Connect to the new head, and return its actors, which start as boards join."""
        check_head(self._address)
        self._ray.shutdown()
        self._ray = connect(self._address)
        return actors(self._ray, Replica, self._given, len(self._boards))

    def _count(self, board: _Board, facts: Mapping[str, Any]) -> None:
        """Add the growth of a replica's counters since its last health check; a restarted one counts from 0."""
        now, process = facts["figures"], (facts["node"], facts["pid"])
        if process != board.process:
            check_alike([self._first, facts])
        before = board.figures if process == board.process else {}
        grown = {name: now[name] - before.get(name, 0) for name in (*_SUMS, *COUNTED)}
        for name in _SUMS:
            self._sums[name] += grown[name]
        self._statistics.steps += grown["steps"]
        self._statistics.deaths += grown["deaths"]
        board.process, board.figures = process, now

    # --- Closing ---

    def close(self) -> None:
        """Fail the remaining requests, and terminate the replicas. Again is a no-op."""
        with self._changed:
            self._is_closing = True
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        for board in self._boards:
            with suppress(Exception):
                self._ray.kill(board.actor)

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __enter__(self) -> Router:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
