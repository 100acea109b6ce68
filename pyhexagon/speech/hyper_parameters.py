# SPDX-License-Identifier: MIT
"""The hyper-parameters of a whisper model, and which values a file may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gguf import GGMLQuantizationType

from pyhexagon.gguf.kinds import WHISPER_VOCABULARIES

_VERSION_FACTOR: Final = 1000  # ftype is 1000 * version of the quantization + type
_LAST_VERSION: Final = 2
_TYPES: Final = {  # ggml's ftype: the type of the matrices, and the oldest version with today's layout of its blocks
    0: (GGMLQuantizationType.F32, 0),
    1: (GGMLQuantizationType.F16, 0),
    2: (GGMLQuantizationType.Q4_0, 2),
    3: (GGMLQuantizationType.Q4_1, 2),
    7: (GGMLQuantizationType.Q8_0, 2),
    8: (GGMLQuantizationType.Q5_0, 1),
    9: (GGMLQuantizationType.Q5_1, 1),
    10: (GGMLQuantizationType.Q2_K, 1),
    11: (GGMLQuantizationType.Q3_K, 1),
    12: (GGMLQuantizationType.Q4_K, 1),
    13: (GGMLQuantizationType.Q5_K, 1),
    14: (GGMLQuantizationType.Q6_K, 1),
}
_MAX_WIDTH: Final = 1 << 14
_MAX_LAYERS: Final = 128
_MOST: Final = {
    "n_audio_ctx": 1500,  # 30 s, which timestamps cover
    "n_audio_state": _MAX_WIDTH,
    "n_audio_head": _MAX_WIDTH,
    "n_audio_layer": _MAX_LAYERS,
    "n_text_ctx": 1 << 14,
    "n_text_state": _MAX_WIDTH,
    "n_text_head": _MAX_WIDTH,
    "n_text_layer": _MAX_LAYERS,
    "n_mels": 512,
}


@dataclass(frozen=True)
class HyperParameters:
    """The hyper-parameters of a whisper model, in the order of the file.

    Attributes:
        n_vocab: the number of tokens, special ones included.
        n_audio_ctx: positions of the encoder, of 20 ms each.
        n_audio_state, n_audio_head, n_audio_layer: width, heads and layers of the encoder.
        n_text_ctx: the most tokens that the decoder sees.
        n_text_state, n_text_head, n_text_layer: width, heads and layers of the decoder.
        n_mels: bands of the mel spectrogram.
        ftype: ggml's number of the matrices' type, plus 1000 times the version of the quantization.
    """

    n_vocab: int
    n_audio_ctx: int
    n_audio_state: int
    n_audio_head: int
    n_audio_layer: int
    n_text_ctx: int
    n_text_state: int
    n_text_head: int
    n_text_layer: int
    n_mels: int
    ftype: int

    @property
    def is_multilingual(self) -> bool:
        """Whether the model knows other languages than English."""
        return self.n_vocab > WHISPER_VOCABULARIES[0]

    @property
    def n_texts(self) -> int:
        """The number of tokens that are text; all others follow them."""
        return 50257 if self.is_multilingual else 50256

    @property
    def lacks_timestamps(self) -> bool:
        """Whether it is one of the first distilled models, which have no timestamps."""
        return self.n_text_layer == 2 and self.n_vocab != WHISPER_VOCABULARIES[-1]

    @property
    def matrix_type(self) -> GGMLQuantizationType:
        """The type of the matrices."""
        return _TYPES[self.ftype % _VERSION_FACTOR][0]

    def problem(self) -> str:
        """Return what is wrong with the first wrong field; empty if all are right."""
        if self.n_vocab not in WHISPER_VOCABULARIES:
            known = ", ".join(map(str, WHISPER_VOCABULARIES))
            return f"n_vocab is {self.n_vocab}: corrupt, or no whisper model, whose vocabulary has {known} tokens"
        for name, most in _MOST.items():
            if not 1 <= getattr(self, name) <= most:
                return f"corrupt: {name} is {getattr(self, name)}: expected 1 to {most}"
        for side in ("audio", "text"):
            width, n_heads = getattr(self, f"n_{side}_state"), getattr(self, f"n_{side}_head")
            if width % n_heads:
                return f"corrupt: n_{side}_state is {width}: expected a multiple of n_{side}_head, {n_heads}"
        if self.n_text_state != self.n_audio_state:
            return f"corrupt: n_text_state is {self.n_text_state}: expected n_audio_state, {self.n_audio_state}"
        return self._problem_of_type()

    def _problem_of_type(self) -> str:
        version, number = divmod(self.ftype, _VERSION_FACTOR)
        if number not in _TYPES or not 0 <= version <= _LAST_VERSION:
            known = ", ".join(f"{number} ({dtype.name})" for number, (dtype, _) in _TYPES.items())
            return (
                f"ftype is {self.ftype}: corrupt or unknown; expected one of {known}, plus {_VERSION_FACTOR} times a "
                f"version up to {_LAST_VERSION}"
            )
        dtype, oldest = _TYPES[number]
        if version < oldest:
            return (
                f"ftype is {self.ftype}: {dtype.name} of version {version}, whose blocks differ from today's; download "
                "the model again, or quantize it with a newer whisper.cpp"
            )
        return ""
