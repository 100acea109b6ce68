# SPDX-License-Identifier: MIT
"""A speech model that a server has loaded, on devices that other models share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pyhexagon.errors import DeviceLostError
from pyhexagon.llm.engine.device_gate import DeviceGate
from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.speech.segments import Segment, TranscriptionInfo
from pyhexagon.speech.streaming import SpeechModel

if TYPE_CHECKING:
    from pyhexagon.speech.whisper import Whisper

T = TypeVar("T")
_MOST_DEATHS: Final = 3  # DSP processes lost per step; after that, the audio may be the cause


@dataclass(frozen=True)
class LoadedSpeech:
    """A speech model that can transcribe, on several threads at once.

    Attributes:
        model: transcribes.
        metrics: of the model.
        close: frees its memory.
    """

    model: SpeechModel
    metrics: Metrics
    close: Callable[[], None] = lambda: None

    @property
    def problem(self) -> str:
        """Return why the model cannot run requests now: a lost device is opened again when a request needs it."""
        return ""


class SharedWhisper:
    """A model whose device is lost and opened again together with the other models of the device.

    Args:
        model: the model.
        gate: of the device.
    """

    def __init__(self, model: Whisper, gate: DeviceGate) -> None:
        self._model, self._gate = model, gate

    def transcribe(self, audio: Any, **options: Any) -> tuple[Iterator[Segment], TranscriptionInfo]:
        """As ``Whisper.transcribe``."""
        segments, info = self._tried(lambda: self._model.transcribe(audio, **options))
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
            if self._model.lost:
                self._model.reopen()
        return self._tried(step, n_deaths + 1)
