# SPDX-License-Identifier: MIT
"""The runner: turns scheduled passes into messages for the model's stages, and results into logits."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from pyhexagon.cache import NO_PAGE
from pyhexagon.llm.engine.batching import Scheduled
from pyhexagon.llm.engine.embeddings import embedding_numbers
from pyhexagon.llm.engine.encoder_cache import EncoderCache
from pyhexagon.llm.engine.forward import F32, ForwardPass, TopLogits, power_of_two
from pyhexagon.llm.engine.pipeline import ModelStages
from pyhexagon.llm.engine.recurrent_state import NO_SLOT, ZERO_SLOT, slot_ids
from pyhexagon.llm.engine.stage import BatchShape
from pyhexagon.llm.graph.step import Result
from pyhexagon.llm.graph.step_inputs import adapter_numbers, batch_numbers

S = TypeVar("S", bound=ModelStages)


class Message(NamedTuple):
    """A message in flight.

    Attributes:
        shape: of the batch.
        forwards: the passes that it has tokens of, and how many rows of logits it returns for each.
        n_logits: rows of logits in all.
    """

    shape: BatchShape
    forwards: list[tuple[ForwardPass, int]]
    n_logits: int


class ModelRunner(Generic[S]):
    """Runs batches on the stages of a model, which work on several messages at a time.

    Attributes:
        stages: of the model.
        encoder_cache: of an encoder-decoder model.
        in_flight: messages that were sent and not answered, oldest first.
        n_messages, busy_seconds: number of answers so far, and the time that sending and waiting for them took.
    """

    def __init__(self, stages: S, encoder_cache: EncoderCache | None = None) -> None:
        self.stages, self.encoder_cache = stages, encoder_cache
        self.in_flight: deque[Message] = deque()
        self.n_messages, self.busy_seconds = 0, 0.0

    def send(self, batch: Sequence[Scheduled], result: Result | None = None) -> None:
        """Send one message.

        Args:
            batch: a chunk of each sequence.
            result: of every row ("every" or "hidden") instead of the logits that the passes need.

        Raises:
            HexagonError: the device fails.
        """
        n_top = n_logits = 0
        all_top = True
        forwards = []
        for part in batch:
            forwards.append((part.forward, part.n_logits))
            if part.n_logits:
                n_logits += part.n_logits
                n_top = max(n_top, part.forward.n_top)
                all_top = all_top and part.forward.n_top > 0
        result = result or ("nothing" if not n_logits else "top" if all_top else "wanted")
        shape, numbers = self._sequence_inputs(batch[0], result, n_top) if len(batch) == 1 else self._batch_inputs(
            batch, n_logits, result, n_top
        )
        start = time.perf_counter()
        self.stages.send(shape, numbers)
        self.busy_seconds += time.perf_counter() - start
        self.in_flight.append(Message(shape, forwards, n_logits))

    def _sequence_inputs(self, part: Scheduled, result: Result, n_top: int) -> tuple[BatchShape, npt.NDArray[np.int32]]:
        """Return the shape and the input numbers of a message with one sequence."""
        stages, checkpoints = self.stages, part.sequence.checkpoints
        n_draft = 0 if checkpoints is None else checkpoints.n_draft
        adapters = part.forward.adapters
        shape = BatchShape(len(part.chunk), 1, part.n_logits or 1, n_draft, result, n_top, len(adapters))
        embedded: Sequence[npt.NDArray[np.int32]] = ()
        rows, ids = None, np.array(part.chunk, np.int32)
        if part.forward.embeddings.rows:
            shape, embedded, rows = self._with_embeddings(shape, [part])
            ids = np.maximum(ids, 0)
        pages, held = np.full(stages.n_pages, NO_PAGE, np.int32), part.sequence.pages.pages
        pages[: len(held)] = held
        numbers = [ids, part.positions, pages]
        if part.sequence.window is not None:
            numbers.append(stages.cache.tables([part.sequence.window], stages.n_pages)[0])
        if self.encoder_cache is not None:
            numbers.append(self.encoder_cache.numbers([part.forward.encoder_input], 1))
        if stages.config.has_learned_positions:
            numbers.append(part.positions)
        if checkpoints is not None:
            numbers.append(slot_ids(checkpoints.slots))
        numbers += embedded
        if adapters:
            numbers.append(adapter_numbers([adapters], len(adapters), [0] * shape.n_rows, [0] * shape.n_logits))
        if stages.config.has_mtp:
            numbers.append(_next_tokens([part], len(part.chunk)))
        if rows is not None:
            numbers.append(rows)
        return shape, np.concatenate(numbers)

    def _with_embeddings(
        self, shape: BatchShape, batch: Sequence[Scheduled]
    ) -> tuple[BatchShape, list[npt.NDArray[np.int32]], npt.NDArray[np.int32] | None]:
        """Return the shape of a message for embeddings in place of tokens, and its further inputs.

        Returns:
            The shape; which rows have embeddings, the last position that rows of a block see, and positions for RoPE,
            as far as the message needs them; and the bits of the embeddings.
        """
        numbers: list[npt.NDArray[np.int32]] = []
        rows, n_rows = None, shape.n_rows
        tokens = [token for part in batch for token in part.chunk]
        if min(tokens) < 0:
            given = [part.forward.embeddings for part in batch for _ in part.chunk]
            chosen, rows = embedding_numbers(tokens, given, n_rows)
            n_deep = len(rows) // (n_rows * self.stages.config.width) - 1
            shape, numbers = shape._replace(has_embeddings=True, n_deep=n_deep), [chosen]
        if tokens[0] in batch[0].forward.embeddings.blocks:
            shape = shape._replace(is_block=True)
            numbers.append(np.full(n_rows, batch[0].positions[-1], np.int32))
        if any(part.forward.embeddings.grids for part in batch):
            shape = shape._replace(has_places=True)
            numbers.append(_places(batch, n_rows))
        return shape, numbers, rows

    def _batch_inputs(
        self, batch: Sequence[Scheduled], n_logits: int, result: Result, n_top: int
    ) -> tuple[BatchShape, npt.NDArray[np.int32]]:
        """Return the shape and the input numbers of a message with several sequences, padded to powers of two."""
        stages = self.stages
        tokens = [token for part in batch for token in part.chunk]
        n_sequences = power_of_two(len(batch))
        n_rows, n_draft = power_of_two(len(tokens)), 0
        if (checkpoints := batch[0].sequence.checkpoints) is not None:  # all have as many tokens and draft tokens
            n_rows, n_draft = n_sequences * len(batch[0].chunk), checkpoints.n_draft
        sizes = n_rows, n_sequences, max(n_sequences, power_of_two(n_logits))
        tables = [stages.cache.tables([part.sequence.pages for part in batch], stages.n_pages)]
        if stages.window_cache is not None:
            windows = [part.sequence.window for part in batch if part.sequence.window is not None]
            tables.append(stages.cache.tables(windows, stages.n_pages))
        lengths = [len(part.chunk) for part in batch]
        wanted = [
            row
            for part, end in zip(batch, accumulate(lengths), strict=True)
            for row in range(end - part.n_logits, end)
        ]  # fmt: skip
        positions = np.concatenate([part.positions for part in batch])
        shape = BatchShape(*sizes, n_draft, result, n_top)
        embedded: Sequence[npt.NDArray[np.int32]] = ()
        rows = None
        for part in batch:
            if part.forward.embeddings.rows:
                shape, embedded, rows = self._with_embeddings(shape, batch)
                tokens = [max(0, token) for token in tokens]
                break
        numbers = batch_numbers(tokens, positions, tables, lengths, wanted, shape=sizes)
        if self.encoder_cache is not None:
            encoded = self.encoder_cache.numbers([part.forward.encoder_input for part in batch], n_sequences)
            numbers = np.concatenate([numbers, encoded])
        if stages.config.has_learned_positions:
            numbers = np.concatenate([numbers, np.pad(positions, (0, n_rows - len(positions)))])
        if stages.states is not None:
            slots = [part.sequence.checkpoints.slots for part in batch if part.sequence.checkpoints is not None]
            columns = [list(column) for column in zip(*slots, strict=True)]
            n_padding = n_sequences - len(batch)
            columns = [column + [NO_SLOT if at else ZERO_SLOT] * n_padding for at, column in enumerate(columns)]
            numbers = np.concatenate([numbers, *map(slot_ids, columns)])
        if embedded:
            numbers = np.concatenate([numbers, *embedded])
        adapters = [part.forward.adapters for part in batch]
        if n_adapters := max(map(len, adapters)):
            owners = [_repeated(lengths, sizes[0]), _repeated([part.n_logits for part in batch], sizes[2])]
            numbers = np.concatenate([numbers, adapter_numbers(adapters, n_adapters, *owners)])
            shape = shape._replace(n_adapters=n_adapters)
        if stages.config.has_mtp:
            numbers = np.concatenate([numbers, _next_tokens(batch, sizes[0])])
        if rows is not None:
            numbers = np.concatenate([numbers, rows])
        return shape, numbers

    def receive(self) -> list[F32]:
        """Wait for the oldest message, and give the passes that it completes their logits.

        Returns:
            The rows of the result, where the whole rows were computed.

        Raises:
            HexagonError: the device fails. The message remains in flight.
        """
        shape, forwards, n_logits = self.in_flight[0]
        start = time.perf_counter()
        values = self.stages.receive()
        self.busy_seconds += time.perf_counter() - start
        self.n_messages += 1
        self.in_flight.popleft()
        hidden: list[F32] = []
        if self.stages.config.has_mtp and shape.result in ("wanted", "top"):
            *values, last = values
            hidden = list(last)
        rows: list[F32] = []
        if values and shape.result != "top":
            rows = list(values[0][: n_logits if shape.result == "wanted" else shape.n_rows])
        top = _top_logits(values, n_logits) if shape.n_top else []
        start_row = 0
        for forward, n in forwards:
            if n:
                end_row = start_row + n
                forward.all_hidden = hidden[start_row:end_row]
                forward.is_done = True
                if not forward.n_top:
                    forward.all_logits = rows[start_row:end_row]
                elif forward.n_top == shape.n_top:
                    forward.all_top = top[start_row:end_row]
                else:
                    forward.all_top = [row.first(forward.n_top) for row in top[start_row:end_row]]
                start_row = end_row
        return rows

    def drop(self) -> list[ForwardPass]:
        """Forget the messages in flight, and return their passes."""
        forwards = [forward for message in self.in_flight for forward, _ in message.forwards]
        self.in_flight.clear()
        self.stages.drop()
        return forwards


def _repeated(counts: Sequence[int], n: int) -> list[int]:
    """Return each number from 0 as often as its count, and -1 up to the length n."""
    numbers = [number for number, count in enumerate(counts) for _ in range(count)]
    return numbers + [-1] * (n - len(numbers))


def _places(batch: Sequence[Scheduled], n_rows: int) -> npt.NDArray[np.int32]:
    """Return the positions of the rows for RoPE, (4 * n_rows,); without images, they are those in the KV cache."""
    result, at = np.full((4, n_rows), -1, np.int32), 0
    for part in batch:
        start, n = int(part.positions[0]), len(part.chunk)
        embeddings, end = part.forward.embeddings, at + n
        result[:, at:end] = part.positions
        if embeddings.grids:
            result[:, at:end] = embeddings.positions(part.forward.tokens[: start + n])[:, start:]
        at = end
    return result.reshape(-1)


def _next_tokens(batch: Sequence[Scheduled], n_rows: int) -> npt.NDArray[np.int32]:
    """Return the token after each row, padded with 0. After the last token of a pass it is that token itself."""
    ids, end = np.zeros(n_rows, np.int32), 0
    for part in batch:
        first, end = end, end + len(part.chunk)
        after = int(part.positions[0]) + 1
        following = part.forward.tokens[after : after + len(part.chunk)]
        ids[first:end] = [*following, *part.chunk[len(following) :]]
    return ids


def _top_logits(values: Sequence[npt.NDArray[Any]], n: int) -> list[TopLogits]:
    """Return the top logits of the first n rows. The probability of the largest one gives the sum over all."""
    ids, logits, shares = values[-3:]
    if not shares[:n, 0].all():  # no op has run: a switch skips the computing
        return [TopLogits(ids[row], logits[row], 0.0) for row in range(n)]
    if n == 1:
        return [TopLogits(ids[0], logits[0], float(logits[0, 0]) - float(np.log(float(shares[0, 0]))))]
    sums = (logits[:n, 0].astype(np.float64) - np.log(shares[:n, 0].astype(np.float64))).tolist()
    return [TopLogits(ids[row], logits[row], sums[row]) for row in range(n)]
