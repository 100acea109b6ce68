# SPDX-License-Identifier: MIT
"""``ImageEncoder``: the image encoder of an mmproj file on a device: from tiles to embeddings for a language model.

One message computes a tile. Each grid of patches has its own program; most kinds of encoders have one grid.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

import numpy as np

from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.weight_types import WeightType, type_of
from pyhexagon.llm.files.weights import Progress, Weights, as_float32
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.attention import Attention, cache_kind
from pyhexagon.llm.vision.fields import MAX_PATCHES
from pyhexagon.llm.vision.grid import Grid, patches, resized
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.limits import limits_of
from pyhexagon.llm.vision.preprocessing import Tiles
from pyhexagon.llm.vision.resizing import F32, U8
from pyhexagon.llm.vision.source import EncoderSource
from pyhexagon.llm.vision.tower import Tower
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

_MOST_GRIDS: Final = 4  # whose programs and pages are kept


class _CompiledEncoder(NamedTuple):
    """The program of a grid, with its tensors in device memory."""

    program: Program
    tensors: list[Tensor]

    def close(self) -> None:
        for tensor in self.tensors:
            tensor.let_go()


class ImageEncoder:
    """An image encoder. Not thread-safe.

    Args:
        device: the device, which the caller closes.
        file: the mmproj file, open while this is made.
        progress: called repeatedly with the bytes loaded and the total bytes.
        weights: "file": matrices keep the types of the file; "q8_0": those of floats are quantized when they are
            uploaded.

    Attributes:
        config, kind: of the encoder.
        fingerprint: tells encoders apart, by their configuration, the types of their tensors, and the numbers of
            biases and norms.

    Raises:
        UnsupportedError: the file cannot be run; the message lists all problems.
        DspMemoryError: the encoder does not fit.
    """

    def __init__(
        self, device: Device, file: GGUFFile, progress: Progress | None = None, *, weights: WeightType = "file"
    ) -> None:
        self.config, names = mmproj.read(file, KINDS)
        self.kind = KINDS[self.config.kind]
        source = EncoderSource(file, self.config, self.kind, type_of(weights))
        self._device, self._cache = device, cache_kind(source, self.kind)
        self._inner = 0 if self.kind.merger is None else self.kind.merger[1]
        zeros = np.zeros(self.config.width, np.float32)
        self._bias = as_float32(file, mmproj.PATCH_BIAS) if mmproj.PATCH_BIAS in names else zeros
        self._class = as_float32(file, mmproj.CLASS)[None] if self.config.has_class else None
        self._positions = as_float32(file, mmproj.POSITIONS) if mmproj.POSITIONS in names else None
        computed = {name: as_float32(file, name) for name in names if source.is_computed(name)}
        computed = {name: x if x.ndim == 2 else x.reshape(-1, 9).T for name, x in computed.items()}  # taps first
        self._limits = limits_of(file, names)
        loaded = [name for name in names if not source.is_on_host(name) and name not in computed]
        self._weights = Weights(device, source, loaded, {}, progress, computed=computed)
        described = repr((self.config, sorted(map(source.described, file)))).encode() + self._weights.digest
        self.fingerprint = hashlib.sha256(described).hexdigest()
        self._compiled: dict[Grid, _CompiledEncoder] = {}

    @property
    def nbytes(self) -> int:
        """The bytes of weights in DSP memory."""
        return self._weights.nbytes

    @property
    def cache_bytes(self) -> int:
        """The bytes of keys and values of the tile that was embedded last, which all layers use; 0 before the first."""
        return next(reversed(self._compiled.values())).tensors[0].nbytes if self._compiled else 0

    def tiles(self, picture: U8) -> Tiles:
        """Return the normalised tiles of a picture.

        Args:
            picture: (H, W, 3) uint8, red, green and blue.

        Raises:
            ArgumentError: the picture has another shape or dtype.
        """
        if not isinstance(picture, np.ndarray) or picture.dtype != np.uint8 or picture.ndim != 3 \
                or picture.shape[2] != 3 or not picture.size:  # fmt: skip
            raise ArgumentError(f"a picture of {getattr(picture, 'dtype', type(picture).__name__)} "
                                f"{getattr(picture, 'shape', '')}: expected uint8 (height, width, 3)")  # fmt: skip
        return self.kind.preprocess(picture, self.config)

    def embed(self, tile: F32) -> F32:
        """Return the embeddings of a tile: (N, ``VisionConfig.embedding_width``) float32.

        Args:
            tile: (h, w, 3) float32, normalised, as ``tiles`` gives it.

        Raises:
            ArgumentError: the tile has another shape or dtype, or no whole number of the squares that are merged.
            HexagonError: the device fails.
        """
        unit = self.config.patch_size * self.config.merge
        side = self.config.image_size if self.kind.positions == "tile" else 0
        if (
            tile.dtype != np.float32 or tile.ndim != 3 or tile.shape[2] != 3 or min(tile.shape) < 1
            or any(n // self.config.patch_size % self.config.merge or n < unit for n in tile.shape[:2])
            or (side and tile.shape[:2] != (side, side))
            or tile.shape[0] * tile.shape[1] > MAX_PATCHES * self.config.patch_size**2
        ):  # fmt: skip
            wanted = f"{side} x {side}" if side else f"multiples of {unit}"
            raise ArgumentError(f"a tile of {tile.dtype} {tile.shape}: expected float32 (h, w, 3), {wanted}")
        grid, pixels = patches(tile, self.config.patch_size, self.config.merge, self._inner)
        if self.kind.positions == "axes" and self._positions is not None:
            most = self._positions.shape[1]
            if max(grid.n_rows, grid.n_columns) > most:
                raise ArgumentError(f"a picture of {grid.n_columns} x {grid.n_rows} patches: expected at most {most}")
        if self._class is not None:
            pixels = np.pad(pixels, ((0, 1), (0, 0)))
        compiled = self._compiled.pop(grid, None) or self._compile(grid)
        self._compiled[grid] = compiled  # the most recently used one is the last
        (values,) = compiled.program.run_numpy(pixels)
        return values

    def _compile(self, grid: Grid) -> _CompiledEncoder:
        while len(self._compiled) >= _MOST_GRIDS:
            self._compiled.pop(next(iter(self._compiled))).close()
        grids = [grid, grid.merged()] if self._inner else [grid]
        attentions = [Attention(self._device, self.config, self.kind, grid, self._cache) for grid in grids]
        with self._device.program() as p:
            tower = Tower(p, self.config, self.kind, self._weights, limits=self._limits, attentions=attentions)
            tower.build(self._added(grid))
        tensors = [tensor for attention in attentions for tensor in attention.tensors]
        return _CompiledEncoder(p.compile(), [*tensors, *tower.constants])

    def _added(self, grid: Grid) -> F32:
        """Return what is added to the product of each patch: bias and position embedding; the class token's row."""
        rows = np.broadcast_to(self._bias, (grid.n_patches, len(self._bias)))
        if self._positions is not None:
            table = self._positions if self._class is None else self._positions[:-1]
            if self.kind.positions == "axes":
                numbers = np.arange(grid.n_patches)
                table = table[0, numbers % grid.n_columns] + table[1, numbers // grid.n_columns]
            elif self.kind.positions == "buckets":
                side = round(len(table) ** 0.5)
                rows_of, columns_of = (np.arange(n) * side // n for n in (grid.n_rows, grid.n_columns))
                table = table[(rows_of[:, None] * side + columns_of).reshape(-1)]
            elif self.kind.positions in ("antialiased", "corners"):
                table = resized(table, grid.n_rows, grid.n_columns, has_corners=self.kind.positions == "corners")
            rows = rows + table[grid.order()]
        if self._class is None:
            return np.ascontiguousarray(rows, np.float32)
        last = self._class if self._positions is None else self._class + self._positions[-1:]
        return np.concatenate([rows, last]).astype(np.float32)

    def weights(self) -> list[Tensor]:
        """Return the weights."""
        return self._weights.tensors()

    def tensors(self) -> list[Tensor]:
        """Return all tensors in DSP memory besides the weights."""
        return [tensor for compiled in self._compiled.values() for tensor in compiled.tensors]

    def close(self) -> None:
        """Free the memory."""
        for compiled in self._compiled.values():
            compiled.close()
        self._compiled.clear()
        self._weights.close()
