# SPDX-License-Identifier: MIT
"""A speech model that a server has loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyhexagon.serve.http.metrics import Metrics
from pyhexagon.speech.streaming import SpeechModel


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
