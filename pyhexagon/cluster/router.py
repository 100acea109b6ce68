# SPDX-License-Identifier: MIT
"""Before boards that each have the whole model: what computes for the server. Each text goes to the board with the
fewest of them.

A board that is lost takes nothing with it but time. Its texts begin anew on another one, with the same random numbers,
and a text gives the same tokens wherever it is computed: those that were given before are not given again. With the
cluster's head all texts are lost; once there is another one, boards of its cluster are taken.
"""

from __future__ import annotations

import asyncio
import math
import os
import queue
import secrets
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
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
from pyhexagon.errors import ClusterError, DeviceLostError, HexagonError
from pyhexagon.llm import Part
from pyhexagon.llm.answering import Answered, Asked
from pyhexagon.llm.language_model import ModelWords
from pyhexagon.serve.backend import Continuation, Job
from pyhexagon.serve.errors import ServeError
from pyhexagon.serve.metrics import Metrics
from pyhexagon.serve.quota import is_fair, queue_full

_LOAD: Final = 1800.0
_MOST_DEATHS: Final = 3  # of boards while one text runs: then the text may be why
_BETWEEN: Final = 0.2
_APART: Final = 1.0  # seconds between two looks at a board
_SILENT: Final = 60.0  # that a board may take to answer one
_NO_BOARD: Final = 60.0  # that a text waits while no board is there
_MEMORY: Final = ("memory_model_bytes", "memory_context_bytes", "memory_compute_bytes")
_SUMS: Final = ("messages", "dsp_seconds")


class _Board:
    """A replica, as the router sees it.

    Attributes:
        jobs: that it has.
        is_up: whether it answers.
        n_lost: how often it did not.
        problem: why it cannot be used though it answers, if so.
        process, figures: which one answered last, and what it had done.
    """

    def __init__(self, name: str, actor: Any, *, is_up: bool = True) -> None:
        self.name, self.actor = name, actor
        self.jobs: set[Job] = set()
        self.n_answered = 0
        self.is_up = is_up
        self.n_lost = 0
        self.problem = ""
        self.process = ("", 0)
        self.figures: Mapping[str, float] = {}


class Router:
    """Boards that each hold a model. Use it in a ``with`` statement.

    Args:
        path: of the file, the same on each board.
        n_replicas: on so many boards; None is all that are free.
        n_parallel: texts that go on at once on each.
        n_waiting: so many more may wait, in all.
        address, device: as for ``Pipeline``.
        metrics: what is counted here.
        **options: for each board's ``LLM``: n_ctx, kv.

    Attributes:
        vocabulary: what the model's file says of texts.

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
        self._metrics = metrics or Metrics()
        self._sums = dict.fromkeys(_SUMS, 0.0)
        self._gone = ""
        self._n_parallel, self._n_waiting = n_parallel, n_waiting
        self.vocabulary = ModelWords(path, options.get("n_ctx"))
        self._ray = ray = connect(address)
        self._address = str(ray.get_runtime_context().gcs_address)
        self._given = os.path.abspath(path), device, n_parallel, options
        self._boards = [_Board(*one) for one in on_boards(ray, Replica, self._given, n_replicas).items()]
        self._tasks: dict[Job, Future[None]] = {}
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
        for board, one in zip(self._boards, facts, strict=True):
            self._count(board, one)
            self._looks.append(asyncio.run_coroutine_threadsafe(self._look(board), self._loop))
        asyncio.run_coroutine_threadsafe(self._look_at_head(), self._loop)
        self._metrics.watch(self.figures)

    def facts(self, seconds: float = 60.0) -> list[Mapping[str, Any]]:
        """What each board is and does."""
        return list(fetch([one.actor.facts.remote() for one in self._boards], seconds))

    @property
    def n_answered(self) -> list[int]:
        """How many texts each board has answered."""
        return [one.n_answered for one in self._boards]

    # --- As Backend has it ---

    @property
    def problem(self) -> str:
        """Why nothing can be computed now, if so."""
        if self._gone or any(one.is_up for one in self._boards):
            return self._gone
        return next((one.problem for one in self._boards if one.problem), "no board is there")

    @property
    def counts(self) -> tuple[int, int]:
        """How many texts go on, and how many wait."""
        going = sum(min(len(one.jobs), self._n_parallel) for one in self._boards)
        return going, len(self._tasks) - going

    def figures(self) -> dict[str, float]:
        """For ``Metrics.watch``: of all boards, as they were when they answered last."""
        running, waiting = self.counts
        up = [one.figures for one in self._boards if one.is_up]
        memory = {name: sum(one[name] for one in up) for name in _MEMORY}
        return memory | self._sums | {
            "running": running, "waiting": waiting, "up": not self.problem, "boards": len(self._boards),
            "boards_up": len(up),
        }  # fmt: skip

    def prepare(self, job: Job) -> None:
        """Draws the random numbers' seed here, so that the text is the same if it must begin anew."""
        work = job.work
        if isinstance(work, Continuation) and work.sampling.get("seed") is None:
            job.work = replace(work, sampling={**work.sampling, "seed": secrets.randbits(31)})

    def submit(self, jobs: Sequence[Job]) -> None:
        """Takes jobs in, all or none."""
        with self._changed:
            if self._is_closing:
                raise ServeError(503, "the server is about to end", code="shutting_down", retry_after=5)
            if self._gone:
                raise ServeError(503, self._gone, code="device_lost")
            n_going = self._n_parallel * sum(one.is_up for one in self._boards)
            n_own = sum(job.client == jobs[0].client for job in list(self._tasks)) if jobs else 0
            n_waiting = max(0, len(self._tasks) + len(jobs) - n_going)
            if not is_fair(min(n_waiting, n_own + len(jobs)), n_waiting, self._n_waiting):
                self._metrics.refused.inc()
                raise queue_full(n_own, len(self._tasks), len(jobs), self._n_waiting + n_going, 1)
            for job in jobs:
                self._tasks[job] = asyncio.run_coroutine_threadsafe(self._answer(job), self._loop)

    def cancel(self, jobs: Sequence[Job]) -> None:
        """Nobody wants them any more."""
        for job in jobs:
            task = self._tasks.get(job)
            if task is not None and not job.is_over:
                self._metrics.cancelled.inc()
                task.cancel()

    def answers(self, asked: Iterable[Asked], n_parallel: int) -> Iterator[Answered]:
        """What the boards say to prompts, each when it is there; each board has some that wait."""
        done: queue.SimpleQueue[Answered] = queue.SimpleQueue()
        n_most, n_here = (n_parallel + 1) * len(self._boards), 0
        for number, ids, how in asked:
            while n_here >= n_most:
                yield done.get()
                n_here -= 1
            sampling = dict(how)
            self._ask(number, Continuation(ids, sampling.pop("max_tokens", None), sampling), done)
            n_here += 1
        for _ in range(n_here):
            yield done.get()

    def _ask(self, number: int, work: Continuation, done: queue.SimpleQueue[Answered]) -> None:
        parts: list[Part] = []

        def deliver(made: list[Any], error: ServeError | None, is_end: bool) -> None:
            parts.extend(made)
            if is_end:
                done.put((number, parts if error is None else HexagonError(error.message)))

        job = Job("", work, deliver, math.inf)
        self.prepare(job)
        self.submit([job])

    # --- Its thread ---

    async def _answer(self, job: Job) -> None:
        error: ServeError | None = None
        try:
            await self._try(job)
        except asyncio.CancelledError:
            if self._is_closing:
                error = ServeError(503, "the server ends", code="shutting_down", retry_after=5)
            elif self._gone:
                error = ServeError(503, self._gone, code="device_lost")
            raise
        except ServeError as problem:
            error = problem
        except HexagonError as problem:
            error = ServeError(503, f"the board was lost: {problem}", code="device_lost", retry_after=1)
        except Exception as problem:
            error = ServeError(500, f"{type(problem).__name__}: {problem}", code="internal_error")
        finally:
            self._tasks.pop(job, None)
            job.is_over = True
            job.deliver([], error, True)

    async def _try(self, job: Job) -> None:
        """On one board after the other, until it is answered."""
        n_given = 0
        while True:
            board = await self._next(job)
            board.jobs.add(job)
            stream = board.actor.answer.options(num_returns="streaming").remote(
                job.work, job.client, job.until - time.monotonic()
            )
            try:
                n_seen = 0
                async for reference in stream:
                    made = await reference
                    if isinstance(made, ServeError):
                        if made.code == "device_lost":
                            raise DeviceLostError(str(made))
                        raise made
                    new = made[max(0, n_given - n_seen) :]
                    n_seen += len(made)
                    if new:
                        self._told(job, new)
                        n_given += len(new)
                        job.deliver(new, None, False)
                board.n_answered += 1
                return
            except asyncio.CancelledError:
                with suppress(Exception):
                    self._ray.cancel(stream)
                raise
            except ServeError:
                raise
            except Exception as problem:
                lost = translated(problem)
                job.n_deaths += 1
                if not isinstance(lost, DeviceLostError) or job.n_deaths >= _MOST_DEATHS:
                    raise lost from None
                self._lose(board)
            finally:
                board.jobs.discard(job)

    async def _next(self, job: Job) -> _Board:
        """The board with the shortest queue; of several, the one that has answered least."""
        end = min(job.until, time.monotonic() + _NO_BOARD)
        while time.monotonic() < end:
            up = [one for one in self._boards if one.is_up]
            if up:
                return min(up, key=lambda one: (len(one.jobs), one.n_answered))
            await asyncio.sleep(_BETWEEN)
        if end == job.until:
            raise ServeError(504, "no board was there in time", code="timeout", retry_after=10)
        raise ServeError(503, f"no board was there for {_NO_BOARD:.0f} s", code="device_lost", retry_after=10)

    def _told(self, job: Job, new: Sequence[Any]) -> None:
        self._metrics.generated_tokens.inc(sum(isinstance(one, Part) for one in new))
        if not job.has_spoken:
            job.has_spoken = True
            self._metrics.first.observe(time.monotonic() - job.since)

    def _lose(self, board: _Board) -> None:
        """It gets no texts until it answers again."""
        if board.is_up:
            board.is_up = False
            board.n_lost += 1
            self._metrics.deaths.inc()

    async def _look(self, board: _Board) -> None:
        """Whether a board answers, and what it does, again and again."""
        while True:
            n_lost = board.n_lost
            try:
                self._count(board, await asyncio.wait_for(board.actor.facts.remote(), _SILENT))
                board.is_up |= board.n_lost == n_lost  # what was said before it was lost does not count
                board.problem = ""
            except asyncio.TimeoutError:
                if board.is_up:  # it hangs: its texts go elsewhere, and Ray starts it again
                    self._ray.kill(board.actor, no_restart=False)
                self._lose(board)
            except Exception as problem:
                board.problem = str(problem) if isinstance(problem, ClusterError) else ""
                self._lose(board)
            await asyncio.sleep(_APART if board.is_up else _BETWEEN)

    async def _look_at_head(self) -> None:
        """Without which nothing is told of boards."""
        while True:
            await asyncio.sleep(_APART)
            try:
                await self._loop.run_in_executor(None, self._check_head)
            except Exception as problem:
                await self._find_head(str(problem))

    def _check_head(self) -> None:
        """Raises unless it is there; where no board answers, unless it is the one that knows them."""
        if any(one.is_up for one in self._boards):
            check_head(self._address)
        else:
            check_known(self._ray, [one.name for one in self._boards], self._address)

    async def _find_head(self, problem: str) -> None:
        """Ends what cannot be answered, and takes as many boards as there were of the cluster that is there next."""
        with self._changed:
            self._gone = problem
        for one in [*self._tasks.values(), *self._looks]:
            one.cancel()
        for board in self._boards:
            self._lose(board)
        while True:
            try:
                found = await self._loop.run_in_executor(None, self._connect_again)
                break
            except Exception:
                await asyncio.sleep(_APART)
        self._boards = [_Board(*one, is_up=False) for one in found.items()]
        self._looks = [asyncio.run_coroutine_threadsafe(self._look(board), self._loop) for board in self._boards]
        self._gone = ""

    def _connect_again(self) -> dict[str, Any]:
        """Boards of the cluster that is there now; they join when they are there."""
        check_head(self._address)
        self._ray.shutdown()
        self._ray = connect(self._address)
        return actors(self._ray, Replica, self._given, len(self._boards))

    def _count(self, board: _Board, facts: Mapping[str, Any]) -> None:
        """Adds what a board has done since it was asked last; one that was started again begins at 0."""
        now, process = facts["figures"], (facts["node"], facts["pid"])
        if process != board.process:
            check_alike([self._first, facts])
        before = board.figures if process == board.process else {}
        grown = {name: now[name] - before.get(name, 0) for name in (*_SUMS, *COUNTED)}
        for name in _SUMS:
            self._sums[name] += grown[name]
        self._metrics.steps.inc(grown["steps"])
        self._metrics.deaths.inc(grown["dsp_deaths"])
        board.process, board.figures = process, now

    # --- Life ---

    def close(self) -> None:
        """Ends the boards' processes, and with an error what is not answered yet. Again is a no-op."""
        with self._changed:
            self._is_closing = True
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
        for one in self._boards:
            with suppress(Exception):
                self._ray.kill(one.actor)

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def __enter__(self) -> Router:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
