# SPDX-License-Identifier: MIT
"""Layers of a model that run one after the other on one device: all of them, or a stage of several on several devices.

A stage knows nothing of those before and after it, nor of what carries rows between them. It has its tensors, its cache
and its programs. A message is the same numbers for every stage; the first one makes rows of the ids that are in them,
every other one takes the rows that the one before gave, (rows, width) float32, and the last one gives the result. Rows
cross a border as they are, to the bit: where a model is cut changes no result.

Who sends messages says which pages and slots they read and write. So the stages of a model agree on these without a
word, as long as each gets the messages in the order in which they were sent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import PAGE_TOKENS, Cache, PageTable, page_bytes
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.config import Config
from pyhexagon.llm.model import Model
from pyhexagon.llm.states import Slots, States, state_bytes
from pyhexagon.llm.step import Result, Step
from pyhexagon.llm.texts import F32, I32, LARGEST_PIECE, MOST_LIKELIEST, power_of_two
from pyhexagon.program.arenas import Arenas
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

R = TypeVar("R")


class Form(NamedTuple):
    """Of a message: which program it is for.

    Attributes:
        n_rows, n_texts, n_wanted: rows, texts that they belong to, and rows that the result is of.
        n_guessed, result, n_top: as ``Step`` has them.
    """

    n_rows: int
    n_texts: int
    n_wanted: int
    n_guessed: int
    result: Result
    n_top: int


def largest_forms(config: Config, n_texts: int, n_tokens: int) -> list[Form]:
    """Those of messages whose intermediates take most, as long as none has guesses.

    Args:
        n_texts: that may be in one.
        n_tokens: of the vocabulary.
    """
    n_texts, n_top = min(power_of_two(n_texts), LARGEST_PIECE), min(MOST_LIKELIEST, n_tokens)
    if config.delta_net is None or n_texts == 1:
        return [Form(LARGEST_PIECE, n_texts, n_texts, 0, "top", n_top)]
    return [Form(LARGEST_PIECE, 1, 1, 0, "top", n_top), Form(n_texts, n_texts, n_texts, 0, "top", n_top)]


class StageRow(Protocol):
    """All stages of a model, as who sends messages sees them.

    Attributes:
        config: the model's.
        n_tokens: of its vocabulary.
        fingerprint: of what it is.
        n_ctx, n_pages: how many tokens a text may have, and pages.
        cache: which pages texts hold, the same in all stages.
        states: which slots, if there are recurrent layers.
        depth: so many messages keep all stages at work.
        epoch: another number when what was computed is lost.
    """

    config: Config
    n_tokens: int
    fingerprint: str
    n_ctx: int
    n_pages: int
    depth: int

    @property
    def cache(self) -> PageTable: ...

    @property
    def states(self) -> Slots | None: ...

    @property
    def epoch(self) -> int: ...

    def send(self, form: Form, numbers: I32) -> None:
        """Sends a message through all stages.

        Raises:
            HexagonError: a device fails.
        """

    def receive(self) -> Sequence[npt.NDArray[Any]]:
        """The result of the oldest message that was sent.

        Raises:
            HexagonError: a device failed.
        """

    def drop(self) -> None:
        """Nobody wants the results of what was sent."""

    def reserve(self) -> None:
        """As ``Stage.reserve``, for stages in this process."""

    def tensors(self) -> list[Tensor]:
        """Caches in memory of this process."""

    def close(self) -> None:
        """Gives their memory back."""


class Stage:
    """Some layers, or all: then it is the only one.

    Args:
        model: which of its layers.
        n_ctx: how many tokens a text may have.
        n_texts: for how many of them there is room.
        kind: of the cache, see ``pyhexagon.cache``.

    Raises:
        ArgumentError: n_ctx or n_texts is not at least 1, there is no such kind, or no layer has attention.
        DspMemoryError: the cache does not fit.
    """

    depth = 1

    def __init__(self, model: Model, n_ctx: int, *, n_texts: int = 1, kind: str = "q8_0") -> None:
        config = model.config
        self.model, self.n_ctx = model, n_ctx
        self.config, self.n_tokens, self.fingerprint = config, model.n_tokens, model.fingerprint
        self.n_pages = n_pages_of(_checked("n_ctx", n_ctx))
        self.cache = Cache(
            model.device,
            n_layers=sum(not config.is_recurrent(index) for index in model.layers),
            n_pages=self.n_pages * _checked("n_texts", n_texts),
            n_kv_heads=config.n_kv_heads[0],
            head_size=config.head_size,
            kind=kind,
        )
        self.states = None if config.delta_net is None else States(model.device, config, model.layers, n_texts)
        self._rotations = model.rotations(n_ctx)
        self._n_texts = n_texts
        self._arenas: Arenas | None = None
        self._programs: dict[Form, Program] = {}
        self._results: deque[list[npt.NDArray[Any]]] = deque()

    @property
    def epoch(self) -> int:
        """The device's."""
        return self.model.device.epoch

    def run(self, form: Form, numbers: I32, rows: F32 | None = None) -> list[npt.NDArray[Any]]:
        """A message: the rows for the next stage, or the result.

        Args:
            rows: of the stage before, (form.n_rows, width) float32; None for the first one.

        Raises:
            HexagonError: the device fails.
        """
        program = self.program(form)
        given = program.run(numbers) if rows is None else program.run(numbers, rows)
        return [np.array(one.numpy()) for one in given]

    def program(self, form: Form) -> Program:
        """That runs messages of a form."""
        if form not in self._programs:
            self._programs[form] = self._made(form)
        return self._programs[form]

    def _made(self, form: Form) -> Program:
        with self.model.device.program() as p:
            states = {} if self.states is None else self.states.layers
            sizes = form.n_rows, form.n_texts, self.n_pages
            Step(
                p, self.model, self._rotations, self.cache.layers, sizes, n_wanted=form.n_wanted, states=states,
                n_guessed=form.n_guessed,
            ).build(form.result, form.n_top)  # fmt: skip
        return p.compile(arenas=self._arenas)

    def reserve(self) -> None:
        """Takes the memory now that intermediates of any message need, as long as it has no guesses. All share it; by
        itself, each form's program takes its own when it is sent first.

        Raises:
            DspMemoryError: it does not fit.
        """
        if self._arenas is not None:
            return
        self._programs.clear()
        self._arenas = Arenas(self.model.device.memory)
        for form in largest_forms(self.config, self._n_texts, self.n_tokens):
            self._made(form)

    def tensors(self) -> list[Tensor]:
        """All that it has in DSP memory beside weights: the cache, and how positions are rotated."""
        tensors = [*self.cache.layers, *(rotation.turns for rotation in self._rotations.values())]
        return tensors if self.states is None else [*tensors, *self.states.tensors()]

    def close(self) -> None:
        """Gives its memory back."""
        self._programs.clear()
        self._arenas = None
        self.cache.close()
        if self.states is not None:
            self.states.close()
        for rotation in self._rotations.values():
            rotation.turns.let_go()

    # --- As the only one ---

    def send(self, form: Form, numbers: I32) -> None:
        """Runs a message."""
        self._results.append(self.run(form, numbers))

    def receive(self) -> list[npt.NDArray[Any]]:
        """Its result."""
        return self._results.popleft()

    def drop(self) -> None:
        """Forgets results."""
        self._results.clear()


class Link(Protocol[R]):
    """A stage where it is; what it gives is there, or will be."""

    def run(self, form: Form, numbers: I32, rows: R | None) -> R:
        """As ``Stage.run``, with what another link's gave."""

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        """As ``PageTable.copy``."""


class Here:
    """A stage in this process."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def run(self, form: Form, numbers: I32, rows: list[npt.NDArray[Any]] | None) -> list[npt.NDArray[Any]]:
        """At once."""
        return self._stage.run(form, numbers, None if rows is None else rows[0])

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        """At once."""
        self._stage.cache.copy(pairs)


class _PagesOfAll(PageTable):
    """Pages that are in each stage's cache under the same numbers."""

    def __init__(self, n_pages: int, links: Sequence[Link[Any]]) -> None:
        super().__init__(n_pages)
        self._links = links

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        for link in self._links:
            link.copy(pairs)


class Chain(Generic[R]):
    """Stages one after the other.

    Args:
        links: each with room for so many tokens and texts. A list that may get other links in place of lost ones.
        fetch: waits for what the last one gives.
        config, n_tokens, fingerprint: of the model.
        n_ctx, n_texts: as for ``Stage``.
    """

    def __init__(
        self,
        links: Sequence[Link[R]],
        fetch: Callable[[R], Sequence[npt.NDArray[Any]]],
        model: tuple[Config, int, str],
        n_ctx: int,
        *,
        n_texts: int = 1,
    ) -> None:
        self.config, self.n_tokens, self.fingerprint = model
        self.n_ctx, self.n_pages, self.depth, self.epoch = n_ctx, n_pages_of(_checked("n_ctx", n_ctx)), len(links), 1
        self._links, self._fetch, self._sent = links, fetch, deque[R]()
        self.cache = _PagesOfAll(self.n_pages * _checked("n_texts", n_texts), links)
        self.states = None if self.config.delta_net is None else Slots(self.config, n_texts)

    def send(self, form: Form, numbers: I32) -> None:
        """Through all stages, which work on other messages meanwhile."""
        rows: R | None = None
        for link in self._links:
            rows = link.run(form, numbers, rows)
        if rows is not None:
            self._sent.append(rows)

    def receive(self) -> Sequence[npt.NDArray[Any]]:
        """The oldest result."""
        return self._fetch(self._sent.popleft())

    def drop(self) -> None:
        """Forgets what was sent."""
        self._sent.clear()

    def reserve(self) -> None:
        """Those who made the stages do."""

    def tensors(self) -> list[Tensor]:
        """None is here."""
        return []

    def close(self) -> None:
        """Those who made the stages close them."""
        self._sent.clear()


def n_pages_of(n_tokens: int) -> int:
    """How many pages so many tokens need."""
    return -(-n_tokens // PAGE_TOKENS)


def room(config: Config, n_ctx: int, *, n_texts: int = 1, kind: str = "q8_0") -> list[int]:
    """Bytes of cache that each layer needs.

    Raises:
        ArgumentError: as ``Stage``.
    """
    n_pages = n_pages_of(_checked("n_ctx", n_ctx)) * _checked("n_texts", n_texts)
    return [
        state_bytes(config, n_texts) if config.is_recurrent(index) else n_pages * page_bytes(n, config.head_size, kind)
        for index, n in enumerate(config.n_kv_heads)
    ]


def _checked(what: str, number: int) -> int:
    if number < 1:
        raise ArgumentError(f"{what} is {number}: expected 1 or more")
    return number
