# SPDX-License-Identifier: MIT
"""A pipeline of stages on several devices or machines, which is used as a single stage is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy.typing as npt

from pyhexagon.cache import PageTable
from pyhexagon.llm.engine.forward import I32
from pyhexagon.llm.engine.recurrent_state import StateSlots
from pyhexagon.llm.engine.stage import BatchShape, checked, n_pages_of, n_window_pages_of
from pyhexagon.llm.files.config import Config
from pyhexagon.tensor import Tensor

R = TypeVar("R")


class ModelStages(Protocol):
    """The stages of a model as the engine sees them: one ``Stage``, or a ``StagePipeline``.

    Attributes:
        config: of the model.
        n_tokens: size of its vocabulary.
        fingerprint: identifies weights and hyper-parameters.
        n_ctx: context length in tokens.
        n_pages: pages of a sequence of that length.
        depth: number of messages in flight that keep all stages at work.
        cache: allocates pages of layers without a window, with the same numbers in all stages.
        window_cache: allocates pages of sliding-window layers, if the model has such layers.
        states: allocates slots of recurrent state, if the model has recurrent layers.
        epoch: changes when caches were lost.
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
    def window_cache(self) -> PageTable | None: ...

    @property
    def states(self) -> StateSlots | None: ...

    @property
    def epoch(self) -> int: ...

    def send(self, shape: BatchShape, numbers: I32) -> None:
        """Send a message through all stages.

        Raises:
            HexagonError: a device fails.
        """

    def receive(self) -> Sequence[npt.NDArray[Any]]:
        """Wait for the oldest message, and return its result.

        Raises:
            HexagonError: a device failed.
        """

    def drop(self) -> None:
        """Forget the messages in flight."""

    def reserve(self) -> None:
        """As ``Stage.reserve``, for stages in this process."""

    def tensors(self) -> list[Tensor]:
        """Return the tensors in memory of this process."""

    def close(self) -> None:
        """Free their memory."""


class Link(Protocol[R]):
    """A connection to a stage on some machine. Its rows may be a promise of rows."""

    def run(self, shape: BatchShape, numbers: I32, rows: R | None) -> R:
        """As ``Stage.run``, with the rows that another link returned."""

    def copy(self, pairs: Sequence[tuple[int, int]], *, is_window: bool) -> None:
        """As ``Stage.copy``."""


class _SharedPageTable(PageTable):
    """A page table for the caches of all stages."""

    def __init__(self, n_pages: int, links: Sequence[Link[Any]], *, is_window: bool = False) -> None:
        super().__init__(n_pages)
        self._links, self._is_window = links, is_window

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        for link in self._links:
            link.copy(pairs, is_window=self._is_window)


class StagePipeline(Generic[R]):
    """ModelStages one after the other.

    Args:
        links: to the stages, which have the same n_ctx and n_sequences. The owner may replace links of the list.
        fetch: waits for the rows that the last link returned.
        model: its configuration, the size of its vocabulary and its fingerprint.
        n_ctx, n_sequences: as for ``Stage``.
        epoch: returns a number that changes when caches were lost.
    """

    def __init__(
        self,
        links: Sequence[Link[R]],
        fetch: Callable[[R], Sequence[npt.NDArray[Any]]],
        model: tuple[Config, int, str],
        n_ctx: int,
        *,
        n_sequences: int = 1,
        epoch: Callable[[], int],
    ) -> None:
        self.config, self.n_tokens, self.fingerprint = model
        self.n_ctx, self.n_pages, self.depth = n_ctx, n_pages_of(checked("n_ctx", n_ctx)), len(links)
        self._links, self._fetch, self._sent, self._epoch = links, fetch, deque[R](), epoch
        self.cache = _SharedPageTable(self.n_pages * checked("n_sequences", n_sequences), links)
        self.window_cache = None
        if self.config.has_window_layers:
            n_window_pages = min(self.n_pages, n_window_pages_of(self.config.window)) * n_sequences
            self.window_cache = _SharedPageTable(n_window_pages, links, is_window=True)
        self.states = None if self.config.recurrence is None else StateSlots(self.config, n_sequences)

    @property
    def epoch(self) -> int:
        """A number that changes when caches were lost."""
        return self._epoch()

    def send(self, shape: BatchShape, numbers: I32) -> None:
        """Send a message through all stages, which may work on other messages at that time."""
        rows: R | None = None
        for link in self._links:
            rows = link.run(shape, numbers, rows)
        if rows is not None:
            self._sent.append(rows)

    def receive(self) -> Sequence[npt.NDArray[Any]]:
        """Wait for the oldest message, and return its result."""
        return self._fetch(self._sent.popleft())

    def drop(self) -> None:
        """Forget the messages in flight."""
        self._sent.clear()

    def reserve(self) -> None:
        """Do nothing: the owners of the stages reserve memory."""

    def tensors(self) -> list[Tensor]:
        """Return nothing: no tensor is in this process."""
        return []

    def close(self) -> None:
        """Forget the messages in flight; the owners close the stages."""
        self._sent.clear()
