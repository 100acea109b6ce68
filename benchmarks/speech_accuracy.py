# SPDX-License-Identifier: MIT
"""Compare the decoder's probabilities with a float64 pass, beside whisper.cpp's on the same spectrum and tokens.

    .venv/bin/python -m benchmarks.speech_accuracy ggml-tiny.en.bin clip.wav --library .../libwhisper.so

Per clip: the mean KL divergence of the probabilities after each token of the model's own greedy text, and the encoder's
NMSE, which whisper.cpp does not expose. The library is whisper.cpp's, pywhispercpp's for example.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon import Device, Whisper
from pyhexagon.llm.engine.encoder_cache import EncoderInput
from pyhexagon.llm.engine.sampling import log_probabilities
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.speech.audio import read_audio
from pyhexagon.speech.ggml_file import WhisperFile
from pyhexagon.speech.mel import log_mel
from pyhexagon.speech.model import WhisperModel
from pyhexagon.speech.vocabulary import WhisperVocabulary

F32 = npt.NDArray[np.float32]
ROWS: Final = 32
KINDS: Final[tuple[tuple[WeightType, str], ...]] = (("file", "f16"), ("file", "q8_0"), ("q8_0", "q8_0"))


class Peer:
    """whisper.cpp through its C interface.

    Args:
        library: the path of libwhisper.so.
        model: the path of the model.
    """

    def __init__(self, library: str, model: str) -> None:
        self.library = ctypes.CDLL(library)
        self.library.whisper_init_from_file.restype = ctypes.c_void_p
        self.library.whisper_get_logits.restype = ctypes.POINTER(ctypes.c_float)
        self.context = ctypes.c_void_p(self.library.whisper_init_from_file(model.encode()))

    def logits(self, spectrum: F32, tokens: Sequence[int]) -> F32:
        """Return the logits (T, V) after each token, for a spectrum (n_mels, frames)."""
        library, context, (n_mels, n_frames) = self.library, self.context, spectrum.shape
        library.whisper_set_mel(context, spectrum.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), n_frames, n_mels)
        library.whisper_encode(context, 0, 1)
        rows = []
        for position, token in enumerate(tokens):
            library.whisper_decode(context, (ctypes.c_int32 * 1)(token), 1, position, 1)
            row = np.ctypeslib.as_array(library.whisper_get_logits(context), (library.whisper_n_vocab(context),))
            rows.append(row.copy())
        return np.stack(rows)


def divergence(wanted: npt.NDArray[np.float64], found: F32) -> npt.NDArray[np.float64]:
    """Return the KL divergence of each row."""
    shifted = wanted - wanted.max(-1, keepdims=True)
    logprobs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return np.asarray((np.exp(logprobs) * (logprobs - log_probabilities(found))).sum(-1))


def logits(model: WhisperModel, tokens: Sequence[int], first: int, window: EncoderInput) -> Iterator[F32]:
    """Yield the logits after each token from ``first`` on, some rows at a time: a pass returns those of one message."""
    for begin in range(first, len(tokens), ROWS):
        end = min(begin + ROWS, len(tokens))
        forward = model.engine.forward(tokens[:end], n_logits=end - begin, encoder_input=window)
        model.engine.finish(forward)
        yield np.stack(forward.all_logits)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model of whisper.cpp")
    parser.add_argument("clips", nargs="+", help="audio files of at most 30 s; of longer ones the beginning")
    parser.add_argument("--library", required=True, help="libwhisper.so of whisper.cpp")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from speech.reference_model import ReferenceModel

    file = WhisperFile(options.model)
    reference, peer, vocabulary = ReferenceModel(file), Peer(options.library, options.model), WhisperVocabulary(file)
    print("| clip | tokens | whisper.cpp |", *(f"{weights}, {kv} |" for weights, kv in KINDS))
    for clip in options.clips:
        audio = read_audio(clip)[: 30 * 16000]
        spectrum = np.ascontiguousarray(log_mel(audio, file.filters)[:, :3000])
        frames = np.ascontiguousarray(spectrum.T)
        with Whisper(options.model, device="cpu") as whisper:
            segments, info = whisper.transcribe(audio, without_timestamps=True, temperature=0.0)
            text = [token for segment in segments for token in segment.tokens]
        tokens = [*vocabulary.start_sequence(info.language, "transcribe", without_timestamps=True), *text]
        encoded = reference.encode(frames)
        wanted, first = reference.decode(tokens, encoded), len(tokens) - len(text) - 1
        cells = [f"{divergence(wanted[first:], peer.logits(spectrum, tokens)[first:]).mean():.3g}"]
        for weights, kv in KINDS:
            with Device("cpu") as device:
                model = WhisperModel(
                    device, file, weights=weights, kv=kv, n_sequences=1, n_windows=1, lock=threading.Lock()
                )
                hidden = model.encoder.hidden(frames, np.arange(24, dtype=np.int32))
                nmse = ((hidden - encoded) ** 2).sum() / (encoded**2).sum()
                found = np.concatenate(list(logits(model, tokens, first, EncoderInput(frames))))
                mean = divergence(wanted[first:], found).mean()
                cells.append(f"{mean:.3g}, NMSE {nmse:.3g}")
        print(f"| {Path(clip).stem} | {len(text)} |", *(f"{cell} |" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
