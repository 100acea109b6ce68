# SPDX-License-Identifier: MIT
"""The tensors of an mmproj file in the shapes and orders that the device takes: a convolution's kernel as a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type

from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.files.weight_types import FLOATS, converted, has_whole_blocks
from pyhexagon.llm.files.weights import as_float32, is_vector
from pyhexagon.llm.vision.config import ProjectorKind, VisionConfig
from pyhexagon.llm.vision.limits import LIMITS
from pyhexagon.llm.vision.mmproj import CLASS, MERGER_KERNEL, NEXT_PATCHES, PATCH_BIAS, PATCHES, POSITIONS, QUERIES
from pyhexagon.llm.vision.resizing import F32

_OF_HEADS: Final = "attn_q.weight", "attn_q.bias", "attn_k.weight", "attn_k.bias"
_OF_HEAD: Final = "attn_q_norm.weight", "attn_k_norm.weight"
_ON_HOST: Final = frozenset({NEXT_PATCHES, PATCH_BIAS, CLASS, POSITIONS})
_DEPTHWISE: Final = 1, 3, 3  # after the channels, of a depthwise convolution's kernel


class EncoderSource:
    """A ``pyhexagon.gguf.sources.Source`` of an encoder's tensors.

    Matrices that the file has as such are quantized if that is wished, and their rows have whole blocks. Kernels of
    convolutions, and a matrix that is transposed, keep their types, as in files that llama.cpp quantizes.

    Args:
        file: the mmproj file.
        config, kind: of the encoder.
        dtype: the GGUF type to which matrices of floats are quantized; None keeps their types.
    """

    def __init__(self, file: GGUFFile, config: VisionConfig, kind: ProjectorKind, dtype: Type | None = None) -> None:
        self._file, self.path, self._dtype = file, file.path, dtype
        self._has_halves = config.rotation is not None and config.rotation.mode == "halves"
        self._head_size = config.head_size
        output, axis = kind.output
        self._transposed = output if axis == 1 else ""  # it is (columns, rows) in the file

    @staticmethod
    def is_on_host(name: str) -> bool:
        """Return whether the host reads a tensor, and the device has none of it."""
        return name in _ON_HOST or name.endswith(LIMITS)

    def is_computed(self, name: str) -> bool:
        """Return whether the host gives a tensor, which is no vector in the file, to the device as one."""
        return name == QUERIES or self._file.info(name).shape[1:] == _DEPTHWISE

    def matrices(self, names: Iterable[str]) -> list[TensorInfo]:
        """Return the descriptions of the tensors that the device multiplies with.

        Args:
            names: of the tensors that the encoder uses.
        """
        return [
            self.info(name)
            for name in names
            if not (self.is_on_host(name) or self.is_computed(name) or is_vector(name, self._file.info(name).shape))
        ]

    def is_quantized(self, name: str) -> bool:
        """Return whether a tensor has floats in the file, and is quantized when it is uploaded."""
        info = self._file.info(name)
        return self._type(info) != info.gguf_type

    def described(self, name: str) -> tuple[str, str, tuple[int, ...]]:
        """Return a tensor's name, type and shape, as in a file whose matrices were quantized before."""
        info = self._file.info(name)
        return name, self._type(info).name, info.shape

    def _type(self, info: TensorInfo) -> Type:
        """Return the type of one of the file's tensors, if its shape does not change."""
        is_matrix = info.name.endswith(".weight") and info.name not in (POSITIONS, self._transposed)
        if self._dtype is None or info.gguf_type not in FLOATS or not is_matrix:
            return info.gguf_type
        return self._dtype if has_whole_blocks(info.shape, self._dtype) else info.gguf_type

    def _is_interleaved(self, name: str) -> bool:
        """Return whether a tensor's rows are elements of heads whose halves have rotary positions of their own."""
        return self._has_halves and name.endswith((*_OF_HEADS, *_OF_HEAD))

    def _interleaved(self, n: int) -> npt.NDArray[np.intp]:
        """Return the order of n rows in which both halves of a head are NeoX's pairs of the whole head."""
        quarters = np.arange(n).reshape(-1, 2, 2, self._head_size // 4)
        return np.asarray(quarters.transpose(0, 2, 1, 3).reshape(-1))

    def names(self) -> list[str]:
        """Return the names of all tensors."""
        return self._file.names()

    def _changed(self, name: str) -> tuple[int, ...] | None:
        """Return the shape of a tensor that the host gives another shape or order; None: it is the file's."""
        shape = self._file.info(name).shape
        if name == PATCHES or (name == MERGER_KERNEL and len(shape) == 4):
            return shape[0], prod(shape[1:])
        if name == self._transposed:
            return shape[::-1]
        return shape if len(shape) == 1 and self._is_interleaved(name) else None

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description. Reads no weight."""
        info, changed = self._file.info(name), self._changed(name)
        gguf_type = self._type(info)
        if changed is not None:  # float16 if that is exact, or else float32
            is_sum = name == PATCHES and NEXT_PATCHES in self._file
            gguf_type = Type.F16 if gguf_type == Type.F16 and not is_sum else Type.F32
        elif gguf_type == info.gguf_type:
            return info
        size, n_bytes = GGML_QUANT_SIZES[gguf_type]
        shape = changed or info.shape
        return TensorInfo(name, shape, gguf_type, prod(shape) // size * n_bytes, 0, "")

    def rows(self, name: str) -> Rows:
        """Return a function that gives the bytes of a tensor's rows."""
        info, inner = self.info(name), self._file.info(name)
        if self._changed(name) is not None:
            array = self._array(name).reshape(info.shape)
            typed = array.astype(np.float16) if info.gguf_type == Type.F16 else array
            return _rows_of(np.ascontiguousarray(typed).view(np.uint8).reshape(prod(info.shape[:-1]), -1))
        read = self._file.rows(name)
        if self._is_interleaved(name):
            read = _rows_of(read(0, info.shape[0])[self._interleaved(info.shape[0])])
        if info.gguf_type == inner.gguf_type:
            return read
        return converted(read, inner.gguf_type, info.gguf_type, f"{self.path}: the tensor {name}")

    def _array(self, name: str) -> F32:
        """Return the numbers of a tensor that changes its shape or order."""
        array = as_float32(self._file, name)
        if name == PATCHES and NEXT_PATCHES in self._file:  # both frames of a picture are the picture
            array = array + as_float32(self._file, NEXT_PATCHES)
        if name == self._transposed:
            array = array.T
        return array[self._interleaved(len(array))] if self._is_interleaved(name) else array


def _rows_of(array: npt.NDArray[np.uint8]) -> Rows:
    return lambda first, last: array[first:last]
