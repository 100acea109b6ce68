# SPDX-License-Identifier: MIT
"""One model over several boards: each has some of its layers, and rows go from one to the next."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

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
from pyhexagon.cluster.cutting import cut, sizes
from pyhexagon.errors import ClusterError, DeviceLostError, DspTimeoutError, HexagonError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.answering import Answered, NumberedPrompt, answers
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.engine import Engine
from pyhexagon.llm.engine_core import EngineCore
from pyhexagon.llm.forward import I32
from pyhexagon.llm.language_model import MOST, LanguageModel
from pyhexagon.llm.memory import SessionMemory
from pyhexagon.llm.model import checked, described
from pyhexagon.llm.pipeline import StagePipeline
from pyhexagon.llm.stage import BatchShape
from pyhexagon.llm.tokenizer import Tokenizer
from pyhexagon.llm.weights import EMBEDDING

_LOAD: Final = 1800.0  # seconds that boards may take to read their layers
_BACK: Final = 10.0  # that a board may take to come back
_BETWEEN: Final = 0.2
_GLANCE: Final = 2.0  # that they may take to say what memory they have


class Pipeline(LanguageModel):
    """A language model over several boards of a cluster. It is used as an ``LLM`` is, and gives the same bits.

    Each board reads its layers from its own copy of the file, which has the same path everywhere.

    Args:
        path: of the file; this machine reads no weights of it.
        n_ctx, kv, n_sequences: as for ``LLM``.
        n_stages: over so many boards; None takes as few as can hold the model.
        address: HOST:PORT of the cluster's head; None is the cluster that runs on this machine.
        device: the name of each board's; see ``Device``.

    Raises:
        ClusterError: there is no cluster, it does not let us in, has no free board, or boards are not alike.
        DspMemoryError: the boards cannot hold the model.
        UnsupportedError, ArgumentError, GGUFError: as ``LLM``.

    When a board is lost, calls raise DeviceLostError. Ray starts its process again, on the same node once that is back,
    or on another one that is free; ``device.reopen()`` waits for it, and what was asked for can be asked for again.
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
            self._tokenizer = Tokenizer(file)
            template = file.metadata.get("tokenizer.chat_template")
            self._template = template if isinstance(template, str) else None
            self._config, self._n_tokens = can_run[0], file.info(EMBEDDING).shape[0]
            if ARCHITECTURES[self._config.architecture].traits.is_encoder:
                raise UnsupportedError(f"{self.path} makes embeddings only: a board holds it")
            n_ctx = min(self._config.n_ctx, 4096) if n_ctx is None else n_ctx
            layers, fixed = sizes(file, can_run, n_ctx, n_sequences=n_sequences, kind=kv)
            content = described(file, can_run), os.stat(path).st_size

        def plan(part: range) -> StagePlan:
            return StagePlan(self.path, content, part, n_ctx, n_sequences, kv)

        def plans(capacities: Sequence[int], n_stages: int | None = n_stages) -> list[tuple[int, StagePlan]]:
            return [(number, plan(part)) for number, part in cut(layers, fixed, capacities, n_stages)]

        self._boards = Boards(address, device)
        try:
            self._boards.load(plans)
            model = self._config, self._n_tokens, content[0]
            stages = StagePipeline(self._boards.links, self._boards.fetch, model, n_ctx, n_sequences=n_sequences)
            self._boards.pipeline = stages
            self._running = Engine(EngineCore(stages), self._lock, self._check)
        except BaseException:
            self._boards.close()
            raise
        self._is_open = True

    @property
    def device(self) -> Boards:
        """The boards."""
        return self._boards

    @property
    def model(self) -> Pipeline:
        """Itself."""
        return self

    def answers(self, asked: Iterable[NumberedPrompt], n_parallel: int) -> Iterator[Answered]:
        """As ``answering.answers``."""
        return answers(self, asked, n_parallel)

    def memory(self) -> dict[str, int]:
        """Bytes of shared memory on all boards, as ``LLM.memory``; of boards that are lost, what they had last."""
        return self._boards.memory()

    def close(self) -> None:
        """Ends the boards' processes. Again is a no-op."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._boards.close()


class _Link:
    """A board's stage, whose rows Ray carries."""

    def __init__(self, boards: Boards, actor: Any) -> None:
        self._boards, self.actor = boards, actor

    def run(self, shape: BatchShape, numbers: I32, rows: Any) -> Any:
        self._boards.check()
        return self.actor.run.remote(shape, numbers, rows)

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._boards.check()
        self.actor.copy.remote(pairs)


class Boards:
    """The boards that a pipeline has: an actor each.

    Attributes:
        lost: why ``reopen`` is needed; empty while it is not.
        links: to the stages, once they are loaded.
    """

    name = "cluster"

    def __init__(self, address: str | None, device: str | None) -> None:
        self._address, self._device = address, device
        self._plans: list[StagePlan] = []
        self._planned: Callable[..., list[tuple[int, StagePlan]]] | None = None
        self.links: list[_Link] = []
        self.lost = ""
        self._is_stale = False  # whether this process is connected to a head that is gone
        self._memory = dict.fromkeys(SessionMemory._fields, 0)
        self.pipeline: StagePipeline[Any] | None = None
        self._take()

    def _take(self) -> None:
        """All boards that are free; as many as there are stages, once that is settled."""
        ray = connect(self._address)
        self._address = str(ray.get_runtime_context().gcs_address)
        named = on_boards(ray, StageBoard, [self._device], n_least=max(len(self.links), 1))
        self._names, self._actors = list(named), list(named.values())
        try:
            check_alike(self.facts(_LOAD))
        except BaseException:
            self.close()
            raise

    def facts(self, seconds: float = 60.0) -> list[Mapping[str, Any]]:
        """What each board is and does; see ``StageBoard.facts``."""
        return list(fetch([one.facts.remote() for one in self._actors], seconds))

    def memory(self) -> dict[str, int]:
        """Bytes that all have; while they do not answer, those that they had."""
        with suppress(HexagonError):
            parts = [one["memory"] for one in self.facts(_GLANCE)]
            self._memory = {name: sum(part[name] for part in parts) for name in SessionMemory._fields}
        return self._memory

    def capacities(self) -> list[int]:
        """Bytes that each board can hold."""
        return list(fetch([one.capacity.remote() for one in self._actors], _LOAD))

    def load(self, planned: Callable[..., list[tuple[int, StagePlan]]]) -> None:
        """Gives boards their stages; the others are let go.

        Args:
            planned: of the capacities, and of how many stages there shall be if that is settled, the numbers of boards
                and their stages.
        """
        self._planned = planned
        plans = planned(self.capacities(), len(self.links)) if self.links else planned(self.capacities())
        chosen = [self._actors[number] for number, _ in plans]
        for one in self._actors:
            if one not in chosen:
                package().kill(one)
        self._actors, self._plans = chosen, [plan for _, plan in plans]
        if not self.links:
            self.links = [_Link(self, one) for one in self._actors]
        for link, one in zip(self.links, self._actors, strict=True):
            link.actor = one
        fetch([one.load.remote(plan) for one, plan in zip(self._actors, self._plans, strict=True)], _LOAD)

    def check(self) -> None:
        """Raises DeviceLostError unless all are there."""
        if self.lost:
            raise DeviceLostError(self.lost, hint="reopen")

    def fetch(self, reference: Any) -> Sequence[npt.NDArray[Any]]:
        """The result of the last stage."""
        try:
            return list(fetch(reference, check=self._check_head))
        except (DeviceLostError, DspTimeoutError) as problem:
            self.lost = str(problem)
            self._is_stale |= head_is_gone(problem)
            raise

    def reopen(self, seconds: float = _BACK) -> None:
        """Waits until all boards are back and have their stages again; what was computed is lost. Where the head was
        lost, boards of the cluster that is there now get them.

        Raises:
            DeviceLostError: they did not come back within so many seconds.
        """
        end = time.monotonic() + seconds
        while (problem := self._loaded_again(max(end - time.monotonic(), 1))) is not None:
            if time.monotonic() > end:
                raise DeviceLostError(f"not all boards are back after {seconds:.0f} s: {problem}", hint="reopen")
            time.sleep(_BETWEEN)
        if self.lost and self.pipeline is not None:
            self.lost = ""
            self.pipeline.epoch += 1

    def _loaded_again(self, seconds: float) -> HexagonError | None:
        """Why some have not their stages."""
        try:
            if self._is_stale:
                package().shutdown()
                self._actors, self._is_stale = [], False
            if not self._actors and self._planned is not None:
                self._load_anew(self._planned)
                return None
            loads = [one.load.remote(plan) for one, plan in zip(self._actors, self._plans, strict=True)]
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
        """On boards of the cluster that is there now."""
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
        """Ends their processes; Ray's own stay."""
        for one in self._actors:
            with suppress(Exception):
                package().kill(one)
        self._actors = []
