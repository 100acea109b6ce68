# SPDX-License-Identifier: MIT
"""A pipeline of stages on several devices of this machine, which compute at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from threading import TIMEOUT_MAX
from typing import Any, TypeAlias

import numpy.typing as npt

from pyhexagon.llm.engine.forward import I32
from pyhexagon.llm.engine.pipeline import StagePipeline
from pyhexagon.llm.engine.stage import BatchShape, Stage
from pyhexagon.process.callthread import Call, CallThread
from pyhexagon.tensor import Tensor

Rows: TypeAlias = Call[list[npt.NDArray[Any]]]


class LocalLink:
    """A stage in this process. A thread runs its messages in the order of sending."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._thread = CallThread("pyhexagon-stage")

    def run(self, shape: BatchShape, numbers: I32, rows: Rows | None) -> Rows:
        """Post the message to the thread, which first waits for the rows of the stage before."""
        call = Call(self._run, shape, numbers, rows)
        self._thread.post(call)
        return call

    def _run(self, shape: BatchShape, numbers: I32, rows: Rows | None) -> list[npt.NDArray[Any]]:
        return self._stage.run(shape, numbers, None if rows is None else rows.wait(TIMEOUT_MAX)[0])

    def copy(self, pairs: Sequence[tuple[int, int]], *, is_window: bool) -> None:
        """Copy them after the messages that were posted before, and wait for the end."""
        self._thread.call(TIMEOUT_MAX, partial(self._stage.copy, is_window=is_window), pairs)

    def close(self) -> None:
        """End the thread, and free the memory of the stage. A second call is a no-op."""
        self._thread.close(TIMEOUT_MAX)
        self._stage.close()


class LocalPipeline(StagePipeline[Rows]):
    """The stages of a model, each on a device of this machine.

    Args:
        stages: in the order of the layers.
        n_ctx, n_sequences: of the stages.
    """

    def __init__(self, stages: Sequence[Stage], n_ctx: int, *, n_sequences: int = 1) -> None:
        self._stages = stages
        self._local = [LocalLink(stage) for stage in stages]
        model = stages[0].config, stages[0].n_tokens, stages[0].fingerprint
        super().__init__(
            self._local,
            lambda rows: rows.wait(TIMEOUT_MAX),
            model,
            n_ctx,
            n_sequences=n_sequences,
            epoch=lambda: sum(stage.epoch for stage in stages),
        )

    def reserve(self) -> None:
        """Reserve memory for the activations of each stage; see ``Stage.reserve``."""
        for stage in self._stages:
            stage.reserve()

    def tensors(self) -> list[Tensor]:
        """Return the tensors of all stages; see ``Stage.tensors``."""
        return [tensor for stage in self._stages for tensor in stage.tensors()]

    def close(self) -> None:
        """Wait for the messages in flight, and free the memory of the stages."""
        super().close()
        for link in self._local:
            link.close()
