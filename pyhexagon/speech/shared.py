# SPDX-License-Identifier: MIT
"""A whisper model on a device that is opened again when it is lost, also for other models of the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeVar

from pyhexagon.errors import DeviceLostError
from pyhexagon.llm.engine.device_gate import DeviceGate
from pyhexagon.speech.segments import Segment, TranscriptionInfo
from pyhexagon.speech.whisper import Whisper

T = TypeVar("T")
_MOST_DEATHS: Final = 3  # DSP processes lost per step; after that, the audio may be the cause


class SharedWhisper:
    """Transcribes with a model, and goes on with the same text after its device was lost.

    Args:
        model: the model.
        gate: of its device, between the models that use it; None: it is the only one.

    Attributes:
        model: the model.
    """

    def __init__(self, model: Whisper, gate: DeviceGate | None = None) -> None:
        self.model, self._gate = model, gate or DeviceGate()

    def transcribe(self, audio: Any, **options: Any) -> tuple[Iterator[Segment], TranscriptionInfo]:
        """As ``Whisper.transcribe``."""
        segments, info = self._tried(lambda: self.model.transcribe(audio, **options))
        return iter(lambda: self._tried(lambda: next(segments, None)), None), info

    def _tried(self, step: Callable[[], T], n_deaths: int = 0) -> T:
        """Return the result of a step, which is tried again if the device is lost."""
        try:
            with self._gate.together():
                return step()
        except DeviceLostError:
            if n_deaths + 1 == _MOST_DEATHS:
                raise
        with self._gate.alone():
            if self.model.lost:
                self.model.reopen()
        return self._tried(step, n_deaths + 1)
