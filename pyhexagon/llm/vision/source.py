# SPDX-License-Identifier: MIT
"""The tensors of an mmproj file in the shapes and orders that the device takes: a convolution's kernel as a matrix."""

from __future__ import annotations

from math import prod
from typing import Final

import gguf
import numpy as np
import numpy.typing as npt

from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.files.weights import as_float32
from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.mmproj import MERGER_KERNEL, NEXT_PATCHES, PATCHES
from pyhexagon.llm.vision.resizing import F32

_OF_HEADS: Final = "attn_q.weight", "attn_q.bias", "attn_k.weight", "attn_k.bias"
_OF_HEAD: Final = "attn_q_norm.weight", "attn_k_norm.weight"


class EncoderSource:
    """A ``pyhexagon.gguf.sources.Source`` of an encoder's tensors.

    Args:
        file: the mmproj file.
        config: of the encoder.
        transposed: a matrix that is (columns, rows) in the file; empty: there is none.
    """

    def __init__(self, file: GGUFFile, config: VisionConfig, transposed: str) -> None:
        self._file, self.path = file, file.path
        self._has_halves = config.rotation is not None and config.rotation.mode == "halves"
        self._head_size = config.head_size
        self._arrays: dict[str, F32] = {}
        for name in file:
            if name == MERGER_KERNEL and len(file.info(name).shape) == 4:
                self._arrays[name] = as_float32(file, name).reshape(file.info(name).shape[0], -1)
            elif name == PATCHES:
                kernel = as_float32(file, name)
                if NEXT_PATCHES in file:  # both frames of a picture are the picture
                    kernel = kernel + as_float32(file, NEXT_PATCHES)
                self._arrays[name] = kernel.reshape(len(kernel), -1)
            elif name == transposed:
                self._arrays[name] = np.ascontiguousarray(as_float32(file, name).T)
            elif self._is_interleaved(name) and len(file.info(name).shape) == 1:
                self._arrays[name] = as_float32(file, name)[self._interleaved(file.info(name).shape[0])]

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

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description."""
        info = self._file.info(name)
        if name not in self._arrays:
            return info
        array, gguf_type = self._arrays[name], self._type(info)
        return TensorInfo(name, array.shape, gguf_type, array.size * (2 if gguf_type.name == "F16" else 4), 0, "")

    def _type(self, info: TensorInfo) -> gguf.GGMLQuantizationType:
        """Return the type of a tensor that changes its shape: float16 if that is exact, or else float32."""
        types = gguf.GGMLQuantizationType
        is_sum = info.name == PATCHES and NEXT_PATCHES in self._file
        return types.F16 if info.gguf_type == types.F16 and not is_sum else types.F32

    def rows(self, name: str) -> Rows:
        """Return a function that gives the bytes of a tensor's rows."""
        if name in self._arrays:
            array = self._arrays[name]
            typed = array.astype(np.float16) if self._type(self._file.info(name)).name == "F16" else array
            rows = np.ascontiguousarray(typed).view(np.uint8).reshape(prod(array.shape[:-1]), -1)
        elif self._is_interleaved(name):
            n = self._file.info(name).shape[0]
            rows = self._file.rows(name)(0, n)[self._interleaved(n)]
        else:
            return self._file.rows(name)
        return lambda first, last: rows[first:last]
