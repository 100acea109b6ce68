# SPDX-License-Identifier: MIT
"""A stage: consecutive layers of a model on one device, with their cache and one compiled program per batch shape.

All stages of a model get the same numbers in each message: tokens, positions, pages and slots of recurrent state. The
first stage looks up the embeddings of the tokens, every other one takes the rows of the stage before, (rows, width)
float32, and the last one returns the result. Rows cross stages unchanged, so the place of a cut changes no bit.

The sender allocates pages and slots for all stages, which therefore have to run messages in the order of sending.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import PAGE_TOKENS, Cache, page_bytes
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.forward import F32, I32, MAX_BATCH_TOKENS, MAX_TOP_LOGITS, power_of_two
from pyhexagon.llm.engine.model import Model
from pyhexagon.llm.engine.recurrent_state import DeviceStates, state_bytes
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.graph.mtp import DraftStep, draft_numbers
from pyhexagon.llm.graph.rotation import Rotation
from pyhexagon.llm.graph.step import Result, Step
from pyhexagon.program.arenas import Arenas
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor


class BatchShape(NamedTuple):
    """The shape of a message's batch. Each shape has its own program.

    Attributes:
        n_rows: tokens, padding included.
        n_sequences: that these belong to, padding included.
        n_logits: rows of the result.
        n_draft: draft tokens at the end, before which recurrent layers write a further checkpoint.
        result: "nothing", "wanted" (rows of logits), "top" (top logits only), "every" or "hidden"; see ``Step.build``.
        n_top: number of top logits per row; 0: none.
        n_adapters: LoRA adapters of a sequence, at most; 0: the program has no products of adapters.
        has_embeddings: some rows have embeddings of their own; see ``embeddings``.
        is_block: the rows attend to each other in both directions; of one sequence.
        has_places: each row has 4 positions for RoPE.
        n_deep: with has_embeddings, further layers to whose output rows are added.
    """

    n_rows: int
    n_sequences: int
    n_logits: int
    n_draft: int
    result: Result
    n_top: int
    n_adapters: int = 0
    has_embeddings: bool = False
    is_block: bool = False
    has_places: bool = False
    n_deep: int = 0


def largest_shapes(config: Config, n_sequences: int, n_tokens: int, n_adapters: int = 0) -> list[BatchShape]:
    """Return the shapes whose programs need the most memory for activations, draft tokens aside.

    Args:
        config: of the model.
        n_sequences: most sequences in a message.
        n_tokens: size of the vocabulary.
        n_adapters: as of ``BatchShape``.
    """
    n_sequences, n_top = min(power_of_two(n_sequences), MAX_BATCH_TOKENS), min(MAX_TOP_LOGITS, n_tokens)
    if config.recurrence is None or n_sequences == 1:
        return [BatchShape(MAX_BATCH_TOKENS, n_sequences, n_sequences, 0, "top", n_top, n_adapters)]
    decode = BatchShape(n_sequences, n_sequences, n_sequences, 0, "top", n_top, n_adapters)
    return [BatchShape(MAX_BATCH_TOKENS, 1, 1, 0, "top", n_top, n_adapters), decode]


class Stage:
    """The layers of a model that are on one device. A stage with all layers is a pipeline of its own.

    Args:
        model: its layers, on a device.
        n_ctx: context length in tokens.
        n_sequences: number of sequences of that length that the KV cache has room for.
        kind: of the cache, see ``pyhexagon.cache``.
        cross_caches: keys and values of an encoder's output, one tensor per layer; see ``EncoderCache``.

    Attributes:
        cache: pages of the layers without a window.
        window_cache: pages of the sliding-window layers, if the model has such layers.
        kv_layers: the tensors of both, in the order of the layers.

    Raises:
        ArgumentError: n_ctx or n_sequences is not at least 1, there is no such kind, or no layer has attention.
        DspMemoryError: the cache does not fit.
    """

    depth = 1

    def __init__(
        self,
        model: Model,
        n_ctx: int,
        *,
        n_sequences: int = 1,
        kind: str = "q8_0",
        cross_caches: Sequence[Tensor] = (),
    ) -> None:
        config = model.config
        self.model, self.n_ctx = model, n_ctx
        self.config, self.n_tokens, self.fingerprint = config, model.n_tokens, model.fingerprint
        self.n_pages = n_pages_of(checked("n_ctx", n_ctx))
        cached = [index for index in model.blocks if config.has_cache(index)]
        if not cached:
            raise ArgumentError("a stage without a layer that has a KV cache: expected 1 or more")
        checked("n_sequences", n_sequences)
        windowed = [index for index in cached if config.window_of(index)]
        full = [index for index in cached if not config.window_of(index)]
        self.cache = self._cache(full, self.n_pages * n_sequences, kind)
        self.window_cache = None
        if config.has_window_layers:
            n_window_pages = min(self.n_pages, n_window_pages_of(config.window)) * n_sequences
            try:
                self.window_cache = self._cache(windowed, n_window_pages, kind)
            except BaseException:
                self.cache.close()
                raise
        tensors = dict(zip(full, self.cache.layers, strict=True))
        if self.window_cache is not None:
            tensors |= zip(windowed, self.window_cache.layers, strict=True)
        self.kv_layers = [tensors[index] for index in cached]
        self.states = None
        if config.recurrence is not None:
            self.states = DeviceStates(model.device, config, model.layers, n_sequences)
        self._rotations = model.rotations(n_ctx)
        self._place_rotations: dict[bool, Rotation] = {}
        self._n_sequences, self._cross_caches = n_sequences, cross_caches
        self._arenas: Arenas | None = None
        self._programs: dict[BatchShape, Program] = {}
        self._drafts: dict[tuple[int, int, int], Program] = {}
        self._results: deque[list[npt.NDArray[Any]]] = deque()

    def _cache(self, layers: Sequence[int], n_pages: int, kind: str) -> Cache:
        return Cache(
            self.model.device,
            n_layers=len(layers),
            n_pages=n_pages,
            n_kv_heads=[self.config.n_kv_heads[index] for index in layers],
            head_size=[self.config.head_size_of(index) for index in layers],
            kind=kind,
        )

    @property
    def epoch(self) -> int:
        """The device's epoch: it changes when the cache was lost."""
        return self.model.device.epoch

    def run(self, shape: BatchShape, numbers: I32, rows: F32 | None = None) -> list[npt.NDArray[Any]]:
        """Run one message, and return copies of the rows for the next stage, or of the result.

        Args:
            shape: of the batch.
            numbers: input of the program, see ``Step``.
            rows: of the stage before, (shape.n_rows, width) float32; None for the first stage.

        Raises:
            HexagonError: the device fails.
        """
        given = numbers
        if shape.has_embeddings:
            given = numbers[-shape.n_rows * self.config.width * (1 + shape.n_deep) :]
            numbers = numbers[: -len(given)]
        inputs: list[npt.NDArray[Any]] = [numbers]
        if shape.n_adapters:
            scales = numbers[-(shape.n_rows + shape.n_logits) * shape.n_adapters :]
            inputs = [numbers[: -len(scales)], scales.view(np.float32).reshape(-1, shape.n_adapters)]
        if rows is not None:
            inputs.append(rows)
        elif shape.has_embeddings:
            inputs.append(given.view(np.float32).reshape(shape.n_rows, -1))
        if self.model.per_layer is not None:
            inputs.append(self.model.per_layer.rows(numbers[: shape.n_rows]))
        return self.program(shape).run_numpy(*inputs)

    def program(self, shape: BatchShape) -> Program:
        """Return the program for a shape, compiled at its first use."""
        if shape not in self._programs:
            self._programs[shape] = self._compile(shape)
        return self._programs[shape]

    def _compile(self, shape: BatchShape) -> Program:
        with self.model.device.program() as p:
            states = {} if self.states is None else self.states.layers
            sizes = shape.n_rows, shape.n_sequences, self.n_pages
            rotations = self._rotations
            if shape.has_places:
                self._place_rotations = self._place_rotations or self.model.rotations(self.n_ctx, has_places=True)
                rotations = self._place_rotations
            Step(
                p, self.model, rotations, self.kv_layers, sizes, n_wanted=shape.n_logits, states=states,
                n_draft=shape.n_draft, n_adapters=shape.n_adapters, has_embeddings=shape.has_embeddings,
                is_block=shape.is_block, has_places=shape.has_places, n_deep=shape.n_deep,
                cross_caches=self._cross_caches,
            ).build(shape.result, shape.n_top)  # fmt: skip
        return p.compile(arenas=self._arenas)

    def draft(self, last: I32, positions: I32, pages: I32, rows: F32) -> list[I32]:
        """Draft tokens with the model's MTP block in one message.

        Args:
            last, positions, pages: see ``draft_numbers``.
            rows: of the model at the first positions, (S, width) float32.

        Returns:
            The draft tokens, (S,) int32 each.

        Raises:
            HexagonError: the device fails.
        """
        shape = (*positions.shape, self.n_pages)
        if shape not in self._drafts:
            with self.model.device.program() as p:
                DraftStep(p, self.model, self._rotations, self.kv_layers[-1], shape).build()
            self._drafts[shape] = p.compile(arenas=self._arenas)
        return self._drafts[shape].run_numpy(draft_numbers(last, positions, pages), rows)

    def reserve(self) -> None:
        """Allocate one arena for the activations of all programs without draft tokens. Without this call, each program
        allocates its own when it runs first.

        Raises:
            DspMemoryError: it does not fit.
        """
        if self._arenas is not None:
            return
        self._programs.clear()
        self._drafts.clear()
        self._arenas = Arenas(self.model.device._memory)
        n_adapters = int(self.model.weights.has_stacks)
        for shape in largest_shapes(self.config, self._n_sequences, self.n_tokens, n_adapters):
            self._compile(shape)

    def tensors(self) -> list[Tensor]:
        """Return its tensors in DSP memory beside weights: cache, rotation tables and recurrent states."""
        rotations = [*self._rotations.values(), *self._place_rotations.values()]
        tensors = [*self.kv_layers, *(rotation.turns for rotation in rotations)]
        return tensors if self.states is None else [*tensors, *self.states.tensors()]

    def copy(self, pairs: Sequence[tuple[int, int]], *, is_window: bool) -> None:
        """Copy pages (source, target) in all layers without a window, or in all sliding-window layers."""
        cache = self.window_cache if is_window else self.cache
        if cache is not None:
            cache.copy(pairs)

    def close(self) -> None:
        """Free its memory."""
        self._programs.clear()
        self._drafts.clear()
        self._arenas = None
        self.cache.close()
        if self.window_cache is not None:
            self.window_cache.close()
        if self.states is not None:
            self.states.close()
        for rotation in (*self._rotations.values(), *self._place_rotations.values()):
            rotation.turns.let_go()

    # --- As a pipeline of one stage: see ``ModelStages`` ---

    def send(self, shape: BatchShape, numbers: I32) -> None:
        """Run a message."""
        self._results.append(self.run(shape, numbers))

    def receive(self) -> list[npt.NDArray[Any]]:
        """Return the result of the oldest message."""
        return self._results.popleft()

    def drop(self) -> None:
        """Forget the results."""
        self._results.clear()


def n_pages_of(n_tokens: int) -> int:
    """Return the number of cache pages that n_tokens need."""
    return -(-n_tokens // PAGE_TOKENS)


def n_window_pages_of(window: int) -> int:
    """Return the number of window pages that a sequence needs: for a window, and for the tokens of one message."""
    return n_pages_of(window + MAX_BATCH_TOKENS)


def room(config: Config, n_ctx: int, *, n_sequences: int = 1, kind: str = "q8_0") -> list[int]:
    """Return the bytes of cache or recurrent state that each layer needs.

    Raises:
        ArgumentError: as ``Stage``, or n_ctx is more than ``Config.max_ctx``.
    """
    if 0 < config.max_ctx < n_ctx:
        raise ArgumentError(f"n_ctx is {n_ctx}: {config.architecture} is supported up to {config.max_ctx} tokens")
    n_pages = n_pages_of(checked("n_ctx", n_ctx))
    n_window_pages = min(n_pages, n_window_pages_of(config.window))
    checked("n_sequences", n_sequences)
    return [
        (state_bytes(config, n_sequences) if config.is_recurrent(index) else 0)
        + (n_window_pages if config.window_of(index) else n_pages)
        * n_sequences
        * page_bytes(n, config.head_size_of(index), kind)
        * config.has_cache(index)
        for index, n in enumerate(config.n_kv_heads)
    ]


def checked(what: str, number: int) -> int:
    """Return a number that has to be positive."""
    if number < 1:
        raise ArgumentError(f"{what} is {number}: expected 1 or more")
    return number
