# SPDX-License-Identifier: MIT
"""The tensors of an mmproj file in the shapes that the device takes: a convolution's kernel as a matrix."""

from __future__ import annotations

from math import prod
from typing import Final

import gguf
import numpy as np

from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.files.weights import as_float32
from pyhexagon.llm.vision.mmproj import NEXT_PATCHES, PATCHES
from pyhexagon.llm.vision.resizing import F32

TRANSPOSED: Final = "mm.input_projection.weight"  # Gemma 3's, (width, projection) in files


class EncoderSource:
    """A ``pyhexagon.gguf.sources.Source`` of an encoder's tensors."""

    def __init__(self, file: GGUFFile) -> None:
        self._file, self.path = file, file.path
        self._arrays: dict[str, F32] = {}
        for name in file:
            if name == PATCHES:
                kernel = as_float32(file, name)
                if NEXT_PATCHES in file:  # both frames of a picture are the picture
                    kernel = kernel + as_float32(file, NEXT_PATCHES)
                self._arrays[name] = kernel.reshape(len(kernel), -1)
            elif name == TRANSPOSED:
                self._arrays[name] = np.ascontiguousarray(as_float32(file, name).T)

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
        if name not in self._arrays:
            return self._file.rows(name)
        array = self._arrays[name]
        typed = array.astype(np.float16) if self._type(self._file.info(name)).name == "F16" else array
        rows = np.ascontiguousarray(typed).view(np.uint8).reshape(prod(array.shape[:-1]), -1)
        return lambda first, last: rows[first:last]
