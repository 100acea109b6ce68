# SPDX-License-Identifier: MIT
"""``Whisper``: speech recognition with a model of whisper.cpp on a device."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal
from weakref import WeakMethod

import numpy as np
import numpy.typing as npt

from pyhexagon import interrupts
from pyhexagon.arguments import whole_number
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError, ClosedError, DeviceLostError
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.forward import ForwardPass, token_ids
from pyhexagon.llm.engine.sampling import log_probabilities
from pyhexagon.llm.files.weight_types import WeightType, type_of
from pyhexagon.llm.files.weights import Progress
from pyhexagon.models.store import resolve
from pyhexagon.speech.attention import CrossAttention
from pyhexagon.speech.audio import read_audio
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.languages import code_of
from pyhexagon.speech.mel import RATE, log_mel, n_content_frames
from pyhexagon.speech.model import WhisperModel
from pyhexagon.speech.rules import DecodingRules
from pyhexagon.speech.segments import Segment, TranscriptionInfo
from pyhexagon.speech.streaming import transcribe_groups
from pyhexagon.speech.transcript import Thresholds, Transcript
from pyhexagon.speech.transcription import Alignment, SegmentStream, Transcriber, WindowSampling, window_at
from pyhexagon.speech.vad import VadOptions, grouped, utterances
from pyhexagon.speech.vocabulary import WhisperVocabulary
from pyhexagon.unique import Unique

if TYPE_CHECKING:
    from typing_extensions import Self

Audio = npt.NDArray[np.float32] | str | os.PathLike[str]

_LOG: Final = logging.getLogger("pyhexagon.speech")
_MOST: Final = 64  # sequences, windows
_HOTTEST: Final = 2
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
    _attention: CrossAttention | None = None

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
        type_of(weights)  # an early error
        self.path = resolve(model)
        self._file = WhisperFile(self.path)
        self._vocabulary = WhisperVocabulary(self._file)
        self._lock = threading.Lock()
        self._own = None if isinstance(device, Device) else Device(device, max_sessions=max_sessions)
        self._device = device if isinstance(device, Device) else self._own
        assert self._device is not None
        try:
            self._model = WhisperModel(
                self._device, self._file, weights=weights, kv=kv, n_sequences=n_sequences, n_windows=n_windows,
                lock=self._lock, check=WeakMethod(self._check), progress=progress,
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
    def languages(self) -> Sequence[str]:
        """The codes of the languages that the model knows."""
        return self._vocabulary.languages

    def transcribe(
        self,
        audio: Audio,
        *,
        language: str | None = None,
        task: Literal["transcribe", "translate"] = "transcribe",
        beam_size: int = 1,
        best_of: int = 5,
        temperature: float | Sequence[float] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
        vad: VadOptions | bool | None = None,
        word_timestamps: bool = False,
        log_prob_threshold: float | None = -1.0,
        compression_ratio_threshold: float | None = None,
        no_speech_threshold: float | None = 0.6,
        condition_on_previous_text: bool = True,
        initial_prompt: str | Sequence[int] | None = None,
        without_timestamps: bool = False,
        seed: int = 0,
    ) -> tuple[Iterator[Segment], TranscriptionInfo]:
        """Return an iterator of the segments of speech, and facts about the audio.

        The text is computed window by window of 30 s, while the iterator is read. It does not depend on other
        transcriptions at the same time.

        Args:
            audio: float32 (samples,) at 16 kHz, or the path of an audio file.
            language: a code such as "en"; None: it is detected in the first 30 s.
            task: "translate" translates into English.
            beam_size: number of beams at temperature 0; 1 is greedy.
            best_of: number of independent draws at higher temperatures.
            temperature: one, or several: the next one is tried if a result repeats itself or is improbable.
            vad: whether silence is left out, by voice activity detection, with options if there are any. Then groups of
                utterances of up to 30 s are transcribed one by one, and no group sees the text of another one.
            word_timestamps: whether segments have words with their times, for which the decoder reads the text of each
                window once more.
            log_prob_threshold: a mean log-probability below it is improbable; None: none is.
            compression_ratio_threshold: text that is compressed by more than this factor repeats itself; None: text
                with little entropy does, as in whisper.cpp.
            no_speech_threshold: an improbable window is silence if its probability of no speech is above this.
            condition_on_previous_text: whether the model sees the text of earlier windows.
            initial_prompt: text that precedes the audio, with names that occur in it for example; or its tokens.
            without_timestamps: a window becomes one segment.
            seed: of random draws at temperatures above 0.

        Raises:
            ArgumentError: an option or the audio is out of range.
            DspTimeoutError, DeviceLostError: as ``Device.matmul``; after ``reopen()`` the iterator goes on, with the
                same text. A device that was opened here is opened again a few times without an error.
        """
        self._check()
        whole_number("beam_size", beam_size, 1, _MOST, "1")
        whole_number("best_of", best_of, 1, _MOST, "1")
        if task not in ("transcribe", "translate"):
            raise ArgumentError(f"task is {task!r}: expected 'transcribe' or 'translate'")
        if task == "translate" and not self.is_multilingual:
            raise ArgumentError(f"task is 'translate', and {self.path} knows English only")
        sampling = WindowSampling(beam_size, best_of, _temperatures(temperature), seed)
        thresholds = Thresholds(
            log_prob=log_prob_threshold, compression_ratio=compression_ratio_threshold, no_speech=no_speech_threshold
        )
        samples = audio if isinstance(audio, np.ndarray) else read_audio(audio)
        if vad:
            return transcribe_groups(
                self, grouped(utterances([samples], vad if isinstance(vad, VadOptions) else None)),
                language=language, duration=len(samples) / RATE, task=task, beam_size=beam_size, best_of=best_of,
                temperature=temperature, word_timestamps=word_timestamps, log_prob_threshold=log_prob_threshold,
                compression_ratio_threshold=compression_ratio_threshold, no_speech_threshold=no_speech_threshold,
                condition_on_previous_text=condition_on_previous_text, initial_prompt=initial_prompt,
                without_timestamps=without_timestamps, seed=seed,
            )  # fmt: skip
        spectrum, sizes = log_mel(samples, self._file.filters), self._file.hyper_parameters
        prompt, probabilities, first = initial_prompt or (), None, None
        prompt = self._vocabulary.encode(prompt) if isinstance(prompt, str) else token_ids(prompt)
        if prompt and not 0 <= min(prompt) <= max(prompt) < sizes.n_vocab:
            raise ArgumentError(f"initial_prompt has a token {max(prompt)}: expected 0 to {sizes.n_vocab - 1}")
        language = None if language is None else code_of(language, self._vocabulary.languages)
        if language is None and self.is_multilingual:
            first = window_at(spectrum, 0, 2 * sizes.n_audio_ctx, keeps_keys=word_timestamps)
            probabilities = self._languages(first)
            language = probabilities[0][0]
        transcript = Transcript(
            sizes, self._vocabulary, n_content_frames(len(samples)), language=language or "en", task=task,
            prompt=prompt, without_timestamps=without_timestamps,
            condition_on_previous_text=condition_on_previous_text, thresholds=thresholds,
        )  # fmt: skip
        words = self._vocabulary.start_sequence(language or "en", task, without_timestamps=True), language or "en"
        rules = DecodingRules(self._vocabulary, without_timestamps=without_timestamps or sizes.lacks_timestamps)
        transcriber = Transcriber(
            self._model.engine, self._vocabulary, spectrum, transcript, rules=rules, sampling=sampling,
            words=words if word_timestamps else None,
        )  # fmt: skip
        seconds, probability = len(samples) / RATE, 1.0 if probabilities is None else probabilities[0][1]
        info = TranscriptionInfo(language or "en", probability, seconds, seconds, probabilities)
        return SegmentStream(transcriber.steps(first), self._finish), info

    def detect_language(self, audio: Audio) -> tuple[str, float, list[tuple[str, float]]]:
        """Return the most probable language of the first 30 s, its probability, and those of all languages.

        Raises:
            ArgumentError: the audio is out of range.
        """
        self._check()
        samples = audio if isinstance(audio, np.ndarray) else read_audio(audio)
        if not self.is_multilingual:
            return "en", 1.0, [("en", 1.0)]
        n_window = 2 * self._file.hyper_parameters.n_audio_ctx
        found = self._languages(window_at(log_mel(samples, self._file.filters), 0, n_window))
        return *found[0], found

    def _languages(self, window: EncoderInput) -> list[tuple[str, float]]:
        """Return all languages with their probabilities, the most probable first."""
        forward = self._model.engine.forward([self._vocabulary.start], encoder_input=window)
        self._finish([forward])
        codes = self._vocabulary.languages
        first = self._vocabulary.start + 1
        probabilities = np.exp(log_probabilities(forward.logits[first : first + len(codes)]))
        order = np.argsort(-probabilities, kind="stable")
        return [(codes[number], float(probabilities[number])) for number in order]

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

    def _finish(self, work: list[ForwardPass] | Alignment) -> None:
        """Compute what a transcription needs; a lost device that was opened here is opened again."""
        is_done, n_tries = False, 0
        while not is_done:
            n_tries += 1
            try:
                self._compute(work)
                is_done = True
            except DeviceLostError as problem:
                if self._own is None or n_tries == _MOST_DEATHS:
                    raise
                with self._lock:
                    if self.device.lost:
                        _LOG.warning("the DSP is lost, and opened again: %s", problem)
                        self.device.reopen()

    def _compute(self, work: list[ForwardPass] | Alignment) -> None:
        if not isinstance(work, Alignment):
            self._model.engine.finish_all([forward for forward in work if not forward.is_done])
            return
        with self._lock:
            self._check()
            if self._attention is None:
                self._attention = CrossAttention(self._model)
            work.weights = self._attention.weights(work.window, work.tokens)

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
            if self._attention is not None:
                self._attention.close()
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


def _temperatures(given: float | Sequence[float]) -> list[float]:
    """Return the temperatures to try; raises ArgumentError unless they are numbers from 0 to 2, one at least."""
    values = [given] if isinstance(given, (int, float)) else list(given)
    if not values or not all(isinstance(value, (int, float)) and 0 <= value <= _HOTTEST for value in values):
        raise ArgumentError(f"temperature is {given!r}: expected a number from 0 to {_HOTTEST}, or several")
    return [float(value) for value in values]
