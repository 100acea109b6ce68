# SPDX-License-Identifier: MIT
"""A table of embeddings that stays on the host: too large for DSP memory, and only a few rows of it are needed."""

from __future__ import annotations

import gguf
import numpy as np
import numpy.typing as npt

from pyhexagon.gguf.sources import Source


class HostTable:
    """A tensor of a file, read row by row; the operating system caches its pages. It may outlive the GGUFFile.

    Args:
        file: the file.
        name: of the tensor, (N, K).
    """

    def __init__(self, file: Source, name: str) -> None:
        self._type, self._shape, self._rows = file.info(name).gguf_type, file.info(name).shape, file.rows(name)

    def rows(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Return dequantized rows, (len(ids), K) float32; an id that the table does not have counts as the nearest one.

        Raises:
            GGUFError: the file was truncated.
        """
        places = np.clip(ids, 0, self._shape[0] - 1).tolist()
        unique = {place: self._rows(place, place + 1) for place in set(places)}
        raw = np.concatenate([unique[place] for place in places])
        return np.asarray(gguf.dequantize(raw, self._type), np.float32)
