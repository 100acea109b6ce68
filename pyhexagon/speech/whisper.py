# SPDX-License-Identifier: MIT
"""``Whisper``: speech recognition with a model of whisper.cpp on a device."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Generator, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from pyhexagon import interrupts
from pyhexagon.arguments import whole_number
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError, ClosedError, DeviceLostError
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.files.weights import Progress
from pyhexagon.models.store import resolve
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.model import WeightType, WhisperModel
from pyhexagon.speech.segments import Segment, TranscriptionInfo
from pyhexagon.unique import Unique

if TYPE_CHECKING:
    from typing_extensions import Self

Audio = npt.NDArray[np.float32] | str | os.PathLike[str]
Steps = Generator["list[ForwardPass] | Segment", None, None]

_LOG: Final = logging.getLogger("pyhexagon.speech")
_MOST: Final = 64  # sequences, windows
_MOST_DEATHS: Final = 3  # DSP processes lost per transcription; after that, it may be the cause


class Whisper(Unique):
    """A whisper model on a device of this machine.

    Args:
        model: a file of whisper.cpp, such as ggml-tiny.en.bin, or the name of a model that ``pyhexagon pull`` loaded.
        device: an open device, or the name of one to open; see ``Device``.
        weights: "file": matrices keep the types of the file; "q8_0": those of floats (F16, F32) become Q8_0 when they
            are uploaded, which takes half the memory and a third of the time.
        kv: the type of keys and values: "f16", which is as exact as whisper.cpp's, or "q8_0" or "q4_0", which take
            less memory and time.
        n_sequences: number of whole sequences of text that the KV cache has room for: beams of all transcriptions.
            The engine computes evicted ones anew when they continue.
        n_windows: number of windows of audio whose encodings are kept: transcriptions at the same time.
        max_sessions: most DSP processes that the model may spread over, if the device is opened here.
        progress: called repeatedly during loading with the bytes loaded and the total.

    Raises:
        ArgumentError: a parameter is out of range, or a name has not been pulled.
        WhisperFileError: the file is damaged, or no model of whisper.cpp.
        DspMemoryError: weights and caches do not fit.
        DeviceNotFoundError, SkelLoadError: as ``Device``.

    Any thread may use it, and transcriptions of several threads share messages. Close it, or use it in a ``with``
    statement.
    """

    _instead = "share one between threads"
    _is_open = False

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        device: Device | str | None = None,
        weights: WeightType = "file",
        kv: str = "f16",
        n_sequences: int = 5,
        n_windows: int = 2,
        max_sessions: int = MAX_SESSIONS,
        progress: Progress | None = None,
    ) -> None:
        whole_number("n_sequences", n_sequences, 1, _MOST, "1")
        whole_number("n_windows", n_windows, 1, _MOST, "1")
        if weights not in ("file", "q8_0"):
            raise ArgumentError(f"weights is {weights!r}: expected 'file' or 'q8_0'")
        self.path = resolve(model)
        self._file = WhisperFile(self.path)
        self._lock = threading.Lock()
        self._own = None if isinstance(device, Device) else Device(device, max_sessions=max_sessions)
        self._device = device if isinstance(device, Device) else self._own
        assert self._device is not None
        try:
            self._model = WhisperModel(
                self._device, self._file, weights=weights, kv=kv, n_sequences=n_sequences, n_windows=n_windows,
                lock=self._lock, check=self._check, progress=progress,
            )  # fmt: skip
        except BaseException:
            if self._own is not None:
                self._own.close()
            raise
        self._is_open = True

    @property
    def device(self) -> Device:
        """The device that runs the model."""
        assert self._device is not None
        return self._device

    @property
    def is_multilingual(self) -> bool:
        """Whether the model knows other languages than English."""
        return self._file.hyper_parameters.is_multilingual

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return not self._is_open

    @property
    def lost(self) -> str:
        """Why the device needs ``reopen``; empty if it does not."""
        return self.device.lost

    def reopen(self) -> None:
        """Make a lost device usable again. Transcriptions continue where they were."""
        with self._lock:
            self.device.reopen()

    def _finish(self, passes: Sequence[ForwardPass]) -> None:
        """Compute passes; a lost device that was opened here is opened again."""
        n_deaths = 0
        while True:
            try:
                self._model.engine.finish_all(passes)
                return
            except DeviceLostError as problem:
                n_deaths += 1
                if self._own is None or n_deaths == _MOST_DEATHS:
                    raise
                with self._lock:
                    if self.device.lost:
                        _LOG.warning("the DSP is lost, and opened again: %s", problem)
                        self.device.reopen()

    def _check(self) -> None:
        if not self._is_open:
            raise ClosedError(f"{self!r} cannot be used")

    def close(self) -> None:
        """Free the memory, and close the device if it was opened here. Again is a no-op."""
        interrupts.finish(self._close)

    def _close(self) -> None:
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            if self._own is None:
                self._model.close()
            else:
                self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        state = " closed" if self.closed else ""
        return f"<Whisper {os.path.basename(self.path)} on {self.device.name}{state}>"
