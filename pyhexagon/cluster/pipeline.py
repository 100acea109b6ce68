# SPDX-License-Identifier: MIT
"""Pipeline parallelism: each of several boards computes a stage of one model, and Ray sends its rows to the next."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from weakref import WeakMethod

import numpy.typing as npt

from pyhexagon.arguments import whole_number
from pyhexagon.cluster.board import StageBoard, StagePlan
from pyhexagon.cluster.connecting import (
    check_alike,
    check_head,
    check_known,
    connect,
    fetch,
    head_is_gone,
    on_boards,
    package,
)
from pyhexagon.errors import ClusterError, DeviceLostError, DspTimeoutError, HexagonError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.answering import Answered, NumberedPrompt, answers
from pyhexagon.llm.completion_model import MOST
from pyhexagon.llm.engine.engine import Engine
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.forward import I32
from pyhexagon.llm.engine.model import checked, described
from pyhexagon.llm.engine.pipeline import StagePipeline
from pyhexagon.llm.engine.stage import BatchShape
from pyhexagon.llm.files.recommended import recommended
from pyhexagon.llm.files.weights import EMBEDDING
from pyhexagon.llm.language_model import LanguageModel
from pyhexagon.llm.memory import SessionMemory
from pyhexagon.llm.partition import cut, sizes
from pyhexagon.llm.tokens.tokenizer import Tokenizer

_LOAD: Final = 1800.0  # timeout in seconds of loading a stage
_BACK: Final = 10.0  # default timeout in seconds of ``Boards.reopen``
_BETWEEN: Final = 0.2
_GLANCE: Final = 2.0  # timeout in seconds of asking the boards for their memory


class Pipeline(LanguageModel):
    """A language model in pipeline stages on several boards. It has the methods of ``LLM``, and returns the same bits.

    Each board reads its layers from its own copy of the file, which has the same path on all boards.

    Args:
        path: of the GGUF file; this machine reads only its metadata.
        n_ctx, kv, n_sequences: as for ``LLM``.
        n_stages: number of stages, one per board; None: the fewest that hold the model.
        address: HOST:PORT of the cluster's head; None: the cluster that runs on this machine.
        device: name of the device of each board; see ``Device``.

    Raises:
        ClusterError: there is no cluster, it rejects the token, no board is free, or versions of the boards differ.
        DspMemoryError: the boards cannot hold the model.
        UnsupportedError, ArgumentError, GGUFError: as ``LLM``.

    If a board is lost, calls raise DeviceLostError. Ray restarts the board's actor on the same node as soon as that is
    back, or on another free node. ``device.reopen()`` waits for the actor; afterwards calls can be repeated.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        n_ctx: int | None = None,
        *,
        kv: str = "q8_0",
        n_sequences: int = 1,
        n_stages: int | None = None,
        address: str | None = None,
        device: str | None = None,
    ) -> None:
        self.path = os.path.abspath(path)
        self._lock = threading.Lock()
        for name, number in (("n_ctx", 1 if n_ctx is None else n_ctx), ("n_sequences", n_sequences)):
            whole_number(name, number, 1, MOST, "1")
        with GGUFFile(path) as file:
            can_run = checked(file)
            self.tokenizer, self._recommended = Tokenizer(file), recommended(file)
            template = file.metadata.get("tokenizer.chat_template")
            self._template = template if isinstance(template, str) else None
            self._config, self._n_tokens = can_run[0], file.info(EMBEDDING).shape[0]
            if self._config.is_encoder:
                raise UnsupportedError(f"{self.path} makes embeddings only: a board holds it")
            n_ctx = min(self._config.n_ctx, 4096) if n_ctx is None else n_ctx
            layers, fixed = sizes(file, can_run, n_ctx, n_sequences=n_sequences, kind=kv)
            content = described(file, can_run), os.stat(path).st_size

        def plan(part: range) -> StagePlan:
            return StagePlan(self.path, content, part, n_ctx, n_sequences, kv)

        def plans(capacities: Sequence[int], n_stages: int | None = n_stages) -> list[tuple[int, StagePlan]]:
            return [(number, plan(part)) for number, part in cut(layers, fixed, capacities, n_stages)]

        boards = self._boards = Boards(address, device)
        try:
            boards.load(plans)
            model = self._config, self._n_tokens, content[0]
            stages = StagePipeline(
                boards.links, boards.fetch, model, n_ctx, n_sequences=n_sequences, epoch=lambda: boards.epoch
            )
            self._running = Engine(EngineCore(stages), self._lock, WeakMethod(self._check))
        except BaseException:
            self._boards.close()
            raise
        self._is_open = True

    @property
    def device(self) -> Boards:
        """The boards, in the place of an LLM's device."""
        return self._boards

    @property
    def model(self) -> Pipeline:
        """The object itself: tokenizer and chat template, for ``serve``."""
        return self

    def answers(self, asked: Iterable[NumberedPrompt], n_parallel: int) -> Iterator[Answered]:
        """Yield the completion or the error of each prompt; see ``answering.answers``."""
        return answers(self, asked, n_parallel)

    def memory(self) -> dict[str, int]:
        """Return the bytes of shared memory on all boards, as ``LLM.memory``; see ``Boards.memory``."""
        return self._boards.memory()

    def close(self) -> None:
        """Terminate the actors on the boards. Again is a no-op."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._boards.close()


class _Link:
    """The link to the stage of a board; Ray transfers its rows."""

    def __init__(self, boards: Boards, actor: Any) -> None:
        self._boards, self.actor = boards, actor

    def run(self, shape: BatchShape, numbers: I32, rows: Any) -> Any:
        self._boards.check()
        return self.actor.run.remote(shape, numbers, rows)

    def copy(self, pairs: Sequence[tuple[int, int]], *, is_window: bool) -> None:
        self._boards.check()
        self.actor.copy.remote(pairs, is_window=is_window)


class Boards:
    """The boards of a pipeline, each with an actor.

    Attributes:
        lost: why ``reopen`` is needed; empty if it is not.
        links: to the stages; empty until they are loaded.
        epoch: changes when the stages' KV caches were lost.
    """

    name = "cluster"

    def __init__(self, address: str | None, device: str | None) -> None:
        self._address, self._device = address, device
        self._plans: list[StagePlan] = []
        self._planned: Callable[..., list[tuple[int, StagePlan]]] | None = None
        self.links: list[_Link] = []
        self.lost = ""
        self._is_stale = False  # this process is connected to a head that is gone
        self._memory = dict.fromkeys(SessionMemory._fields, 0)
        self.epoch = 1
        self._take()

    def _take(self) -> None:
        """Start an actor on each free board. Once the number of stages is known, at least as many must be free."""
        ray = connect(self._address)
        self._address = str(ray.get_runtime_context().gcs_address)
        named = on_boards(ray, StageBoard, [self._device], min_boards=max(len(self.links), 1))
        self._names, self._actors = list(named), list(named.values())
        try:
            check_alike(self.facts(_LOAD))
        except BaseException:
            self.close()
            raise

    def facts(self, seconds: float = 60.0) -> list[Mapping[str, Any]]:
        """Return the facts of each board; see ``StageBoard.facts``.

        Args:
            seconds: timeout.
        """
        return list(fetch([actor.facts.remote() for actor in self._actors], seconds))

    def memory(self) -> dict[str, int]:
        """Return the bytes of shared memory on all boards; the last known ones if a board does not answer."""
        with suppress(HexagonError):
            parts = [facts["memory"] for facts in self.facts(_GLANCE)]
            self._memory = {name: sum(part[name] for part in parts) for name in SessionMemory._fields}
        return self._memory

    def capacities(self) -> list[int]:
        """Return the bytes that each board can allocate."""
        return list(fetch([actor.capacity.remote() for actor in self._actors], _LOAD))

    def load(self, planned: Callable[..., list[tuple[int, StagePlan]]]) -> None:
        """Load the stages, and terminate the actors of boards without a stage.

        Args:
            planned: returns the index of a board and the plan for each stage. It takes the capacities of the boards
                and, if that is fixed already, the number of stages.
        """
        self._planned = planned
        plans = planned(self.capacities(), len(self.links)) if self.links else planned(self.capacities())
        chosen = [self._actors[number] for number, _ in plans]
        for actor in self._actors:
            if actor not in chosen:
                package().kill(actor)
        self._actors, self._plans = chosen, [plan for _, plan in plans]
        if not self.links:
            self.links = [_Link(self, actor) for actor in self._actors]
        for link, actor in zip(self.links, self._actors, strict=True):
            link.actor = actor
        fetch([actor.load.remote(plan) for actor, plan in zip(self._actors, self._plans, strict=True)], _LOAD)

    def check(self) -> None:
        """Raise DeviceLostError if a board is lost."""
        if self.lost:
            raise DeviceLostError(self.lost, hint="reopen")

    def fetch(self, reference: Any) -> Sequence[npt.NDArray[Any]]:
        """Wait for the result of the last stage, and return it.

        Raises:
            HexagonError: a stage failed. DeviceLostError or DspTimeoutError: a board is lost; ``reopen`` is needed.
        """
        try:
            return list(fetch(reference, check=self._check_head))
        except (DeviceLostError, DspTimeoutError) as problem:
            self.lost = str(problem)
            self._is_stale |= head_is_gone(problem)
            raise

    def reopen(self, seconds: float = _BACK) -> None:
        """Wait until all boards are back, and load their stages again. Their KV caches are lost. If the head was lost,
        the stages are loaded on boards of the cluster that now runs at its address.

        Args:
            seconds: timeout.

        Raises:
            DeviceLostError: the boards are not back after the timeout.
        """
        end = time.monotonic() + seconds
        while (problem := self._loaded_again(max(end - time.monotonic(), 1))) is not None:
            if time.monotonic() > end:
                raise DeviceLostError(f"not all boards are back after {seconds:.0f} s: {problem}", hint="reopen")
            time.sleep(_BETWEEN)
        if self.lost:
            self.lost = ""
            self.epoch += 1

    def _loaded_again(self, seconds: float) -> HexagonError | None:
        """Load all stages again, and return the error if a board or the head is not back; None if all are loaded."""
        try:
            if self._is_stale:
                package().shutdown()
                self._actors, self._is_stale = [], False
            if not self._actors and self._planned is not None:
                self._load_anew(self._planned)
                return None
            loads = [actor.load.remote(plan) for actor, plan in zip(self._actors, self._plans, strict=True)]
            fetch(loads, seconds, self._check_head)
        except (DeviceLostError, DspTimeoutError, ClusterError) as problem:
            self._is_stale |= head_is_gone(problem)
            if self._actors:
                try:
                    self._check_head()
                except DeviceLostError:
                    self._is_stale = True
            return problem
        return None

    def _load_anew(self, planned: Callable[..., list[tuple[int, StagePlan]]]) -> None:
        """Load the stages on boards of the cluster that now runs at the head's address."""
        check_head(self._address)
        self._take()
        try:
            self.load(planned)
        except BaseException:
            self.close()
            raise

    def _check_head(self) -> None:
        check_known(package(), self._names)

    def close(self) -> None:
        """Terminate the actors. Ray keeps running on the boards."""
        for actor in self._actors:
            with suppress(Exception):
                package().kill(actor)
        self._actors = []
