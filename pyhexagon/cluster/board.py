# SPDX-License-Identifier: MIT
"""The actor of a pipeline stage: it owns the board's device and the stage's layers.

After Ray restarts the actor, the device is empty until ``load`` is called.
"""

from __future__ import annotations

import os
import resource
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy.typing as npt

from pyhexagon.cluster.connecting import package, versions
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ClusterError, DeviceLostError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.forward import F32, I32
from pyhexagon.llm.engine.model import Model, checked, described
from pyhexagon.llm.engine.stage import BatchShape, Stage, room
from pyhexagon.llm.memory import SessionMemory, check_fits, planned, share_of, used
from pyhexagon.memory.capacity import available


@dataclass(frozen=True)
class StagePlan:
    """The layers and parameters of one stage.

    Attributes:
        path: of the model's file on the board.
        content: fingerprint (``described``) and size in bytes that the file must have.
        layers, n_ctx, n_sequences, kind: of the stage.
    """

    path: str
    content: tuple[str, int]
    layers: range
    n_ctx: int
    n_sequences: int
    kind: str


class StageBoard:
    """A device with at most one stage of a model.

    Args:
        device: name of the device, see ``Device``.
    """

    def __init__(self, device: str | None) -> None:
        self._device = Device(device)
        self._plan: StagePlan | None = None
        self._stage: Stage | None = None
        self._n_rows, self._seconds = 0, 0.0

    def facts(self) -> Mapping[str, Any]:
        """Return host, versions, device, loaded layers, throughput and memory of the board."""
        info = self._device.info()
        return {
            **machine(), "versions": versions(), "skel": f"{info.arch} {info.build_id}", "device": info.device,
            "layers": "" if self._plan is None else f"{self._plan.layers.start} to {self._plan.layers.stop - 1}",
            "memory_bytes": info.memory_bytes, "rows": self._n_rows, "busy_seconds": self._seconds,
            "rows_per_second": self._n_rows / self._seconds if self._seconds else 0.0, "memory": self._memory(),
        }  # fmt: skip

    def _memory(self) -> dict[str, int]:
        """Return the bytes of shared memory, as ``LLM.memory``."""
        weights = [] if self._stage is None else self._stage.model.weights.tensors()
        contexts = [] if self._stage is None else self._stage.tensors()
        sums = map(sum, zip(*used(self._device, weights, contexts), strict=True))
        return dict(zip(SessionMemory._fields, sums, strict=True))

    def capacity(self) -> int:
        """Return the bytes that the board can allocate: free memory, or less if its DSP sessions are limited."""
        rooms = self._device.capacity()
        reachable = sum(room.free_bytes for room in rooms) + (MAX_SESSIONS - len(rooms)) * rooms[0].free_bytes
        return min(available(), reachable) if all(room.limited for room in rooms) else available()

    def load(self, plan: StagePlan) -> None:
        """Load a stage in place of the present one. If the stage is the present one, reopen the device.

        Raises:
            HexagonError: the file is missing, is another model's, or the stage does not fit.
        """
        if plan == self._plan:
            self._device.reopen()
            return
        self.unload()
        with GGUFFile(plan.path) as file:
            can_run = checked(file)
            if (described(file, can_run), os.stat(plan.path).st_size) != plan.content:
                raise ClusterError(f"{plan.path} on {socket.gethostname()} is another model than here", hint="copy it")
            n_ctx, n_sequences, kind, layers = plan.n_ctx, plan.n_sequences, plan.kind, plan.layers
            memory = planned(
                file, can_run, n_ctx, n_sequences=n_sequences, kind=kind, layers=layers,
                cpu_share=share_of(self._device),
            )  # fmt: skip
            what = f"layers {plan.layers.start} to {plan.layers.stop - 1} of {plan.path} on {socket.gethostname()}"
            check_fits(memory, what, MAX_SESSIONS)
            beside = room(can_run[0], n_ctx, n_sequences=n_sequences, kind=kind)[layers.start : layers.stop]
            model = Model(self._device, file, can_run, beside, layers=layers)
            self._stage = Stage(model, n_ctx, n_sequences=n_sequences, kind=kind)
            self._stage.reserve()
        self._plan = plan

    def unload(self) -> None:
        """Free the stage."""
        stage, self._stage, self._plan = self._stage, None, None
        if stage is not None:
            stage.close()
            stage.model.weights.close()

    def run(
        self, shape: BatchShape, numbers: I32, rows: Sequence[npt.NDArray[Any]] | F32 | None = None
    ) -> list[npt.NDArray[Any]]:
        """As ``Stage.run``; ``rows`` is the result of the previous stage."""
        start = time.perf_counter()
        given = self._loaded().run(shape, numbers, None if rows is None else rows[0])
        self._seconds += time.perf_counter() - start
        self._n_rows += shape.n_rows
        return given

    def copy(self, pairs: Sequence[tuple[int, int]], *, is_window: bool) -> None:
        """As ``Stage.copy``."""
        self._loaded().copy(pairs, is_window=is_window)

    def _loaded(self) -> Stage:
        if self._stage is None:
            raise DeviceLostError(f"the board's process on {socket.gethostname()} was started again, and is empty")
        return self._stage


def machine() -> dict[str, Any]:
    """Return host name, Ray node id, process id, temperature and peak resident set size."""
    return {
        "host": socket.gethostname(), "node": package().get_runtime_context().get_node_id(), "pid": os.getpid(),
        "temperature": temperature(), "resident_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10,
    }  # fmt: skip


def temperature() -> float | None:
    """Return the temperature of the hottest thermal zone in degrees Celsius; None if no zone can be read."""
    zones = [_degrees(zone) for zone in Path("/sys/class/thermal").glob("thermal_zone*/temp")]
    return max((zone for zone in zones if zone is not None), default=None)


def _degrees(zone: Path) -> float | None:
    try:
        return int(zone.read_text()) / 1000
    except (OSError, ValueError):
        return None  # a sensor that is off
