# SPDX-License-Identifier: MIT
"""The tensors of a whisper model under the names that the engine uses, which are GGUF's for the decoder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod
from types import MappingProxyType
from typing import Any, Final

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon import quants
from pyhexagon.gguf.file import UnknownTensorError
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.files.weight_types import FLOATS, converted, has_whole_blocks
from pyhexagon.llm.files.weights import EMBEDDING, LAST_NORM, POSITION_EMBEDDING
from pyhexagon.speech.ggml_file import WhisperFile

ENCODER: Final = "enc"  # prefix of its tensors
ENCODER_POSITIONS: Final = f"{ENCODER}.position_embd.bias"  # a row for each position of its output
_BLOCK: Final = 32
_VALUE, _OUTPUT = "attn_v", "attn_output"
_NO_METADATA: Final[Mapping[str, Any]] = MappingProxyType({})
_MODEL: Final = {
    EMBEDDING: "decoder.token_embedding.weight",
    POSITION_EMBEDDING: "decoder.positional_embedding",
    f"{LAST_NORM}.weight": "decoder.ln.weight",
    f"{LAST_NORM}.bias": "decoder.ln.bias",
    ENCODER_POSITIONS: "encoder.positional_embedding",
    f"{ENCODER}.{LAST_NORM}.weight": "encoder.ln_post.weight",
    f"{ENCODER}.{LAST_NORM}.bias": "encoder.ln_post.bias",
    **{f"{ENCODER}.{name}": f"encoder.{name}" for n in (1, 2) for name in (f"conv{n}.weight", f"conv{n}.bias")},
}
_ATTENTION: Final = {"norm": "_ln", "q": ".query", "k": ".key", "v": ".value", "output": ".out"}
_LAYER: Final = {
    **{f"attn_{ours}": f"attn{theirs}" for ours, theirs in _ATTENTION.items()},
    "ffn_norm": "mlp_ln",
    "ffn_up": "mlp.0",
    "ffn_down": "mlp.2",
}
_CROSS: Final = {f"cross_attn_{ours}": f"cross_attn{theirs}" for ours, theirs in _ATTENTION.items()}


class WhisperSource:
    """A whisper model's file as the source of weights that ``llm.engine.model.Model`` takes.

    A convolution's kernel (N, C, 3) becomes a matrix (N, 3 C), whose rows a window of three frames is multiplied with;
    to be quantized, C is padded with zeros to whole blocks. Biases of values are part of the bias of the output
    instead: the weights of attention add up to 1.

    Args:
        file: the model's file.
        dtype: the GGUF type to which matrices of floats are quantized; None keeps their types.
    """

    def __init__(self, file: WhisperFile, dtype: Type | None = None) -> None:
        self._file, self._dtype = file, dtype
        self._names = {ours: theirs for ours, theirs in _names(file) if theirs in set(file.names())}

    @property
    def path(self) -> str:
        """The path of the file."""
        return self._file.path

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Nothing: a model's file has hyper-parameters instead."""
        return _NO_METADATA

    def names(self) -> list[str]:
        """Return the names of the tensors."""
        return list(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description."""
        if name not in self._names:
            raise UnknownTensorError(f"{self.path}: there is no tensor {name!r}")
        info = self._file.info(self._names[name])
        shape = info.shape
        if len(shape) == 3:
            shape = shape[0], (shape[1] if self._dtype is None else -(-shape[1] // _BLOCK) * _BLOCK) * 3
        elif name.startswith(f"{ENCODER}.conv"):
            shape = (shape[0],)
        dtype = self._type_of(name, info, shape)
        size, n_bytes = gguf.GGML_QUANT_SIZES[dtype]
        return replace(info, name=name, shape=shape, gguf_type=dtype, n_bytes=prod(shape) // size * n_bytes)

    def _type_of(self, name: str, info: TensorInfo, shape: tuple[int, ...]) -> Type:
        is_matrix = name.endswith(".weight") and name != POSITION_EMBEDDING
        if self._dtype is None or info.gguf_type not in FLOATS or not is_matrix:
            return info.gguf_type
        return self._dtype if has_whole_blocks(shape, self._dtype) else info.gguf_type

    def rows(self, name: str) -> Rows:
        """Return a function that gives GGUF bytes of a tensor's rows, on any thread."""
        info, inner = self.info(name), self._file.info(self._names[name])
        read = self._file.rows(self._names[name])
        if name.endswith(f"{_OUTPUT}.bias"):
            array = self._output_bias(inner.name.removesuffix("out.bias"))
            return lambda first, last: array.view(np.uint8).reshape(1, -1)[first:last]
        if len(inner.shape) == 3:
            n_zeros = info.shape[1] // 3 - inner.shape[1]
            array = np.pad(self._array(inner), ((0, 0), (0, n_zeros), (0, 0))).transpose(0, 2, 1).reshape(info.shape)
            return lambda first, last: quants.quantise(np.ascontiguousarray(array[first:last]), info.gguf_type)
        if info.gguf_type == inner.gguf_type:
            if info.shape != inner.shape:  # a convolution's bias: a row
                return lambda first, last: self._file.tensor(inner.name).reshape(1, -1)[first:last]
            return read
        return converted(read, inner.gguf_type, info.gguf_type, f"{self.path}: the tensor {inner.name}")

    def _output_bias(self, attention: str) -> npt.NDArray[np.float32]:
        """Return the bias of an attention's output for values without a bias."""
        weight, bias, of_values = (
            self._array(self._file.info(f"{attention}{name}")).astype(np.float64)
            for name in ("out.weight", "out.bias", "value.bias")
        )
        return np.asarray(bias + weight @ of_values, np.float32)

    def _array(self, info: TensorInfo) -> npt.NDArray[np.float32]:
        values = gguf.dequantize(self._file.tensor(info.name), info.gguf_type)
        return np.asarray(values, np.float32).reshape(info.shape)


def _names(file: WhisperFile) -> Iterator[tuple[str, str]]:
    """Yield the engine's name and OpenAI's name of each tensor; keys have no bias, and that of values has no name."""
    sizes = file.hyper_parameters
    yield from _MODEL.items()
    for side, prefix, n_layers, layer in (
        ("encoder", f"{ENCODER}.", sizes.n_audio_layer, _LAYER),
        ("decoder", "", sizes.n_text_layer, _LAYER | _CROSS),
    ):
        for index in range(n_layers):
            for ours, theirs in layer.items():
                for end in ("weight",) if ours.endswith(_VALUE) else ("weight", "bias"):
                    yield f"{prefix}blk.{index}.{ours}.{end}", f"{side}.blocks.{index}.{theirs}.{end}"
