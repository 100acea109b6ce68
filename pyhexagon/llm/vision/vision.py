# SPDX-License-Identifier: MIT
"""``Vision``: the image encoder of a language model, with what its prompts say around images.

A stranger's request may have many pictures: they are decoded and encoded one after the other, so that the pixels of one
are in memory, and requests of others run between tiles.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, Protocol, TypeVar

import numpy as np

from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.embeddings import EmbeddingTable
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.files.weight_types import WeightType
from pyhexagon.llm.files.weights import Progress
from pyhexagon.llm.tokens.tokenizer import Tokenizer
from pyhexagon.llm.vision import mmproj
from pyhexagon.llm.vision.config import VisionConfig
from pyhexagon.llm.vision.encoder import ImageEncoder
from pyhexagon.llm.vision.kinds import KINDS
from pyhexagon.llm.vision.messages import MARK
from pyhexagon.llm.vision.preprocessing import Tiles
from pyhexagon.llm.vision.resizing import F32, U8
from pyhexagon.tensor import Tensor

_MOST_KEPT: Final = 8  # pictures whose embeddings are kept for the next message of a chat


T = TypeVar("T")


class DeviceTurn(Protocol):
    """Returns what a function returns, which it calls while no other request uses the device."""

    def __call__(self, call: Callable[[], T], /) -> T: ...


def at_once(call: Callable[[], T]) -> T:
    """The ``DeviceTurn`` of a device that no other thread uses."""
    return call()


class ImagesTooLongError(ArgumentError):
    """A prompt does not fit the context: up to the end of an image, it has ``n_tokens`` tokens."""

    def __init__(self, n_tokens: int, n_ctx: int) -> None:
        super().__init__(f"the prompt has at least {n_tokens} tokens with its images: the context has {n_ctx}")
        self.n_tokens = n_tokens


def check_mmproj(path: str | os.PathLike[str], config: Config) -> None:
    """Check that an mmproj file can be run, and is a language model's; reads the header only.

    Raises:
        UnsupportedError, ArgumentError, GGUFError: as ``Vision``.
    """
    with GGUFFile(path) as file:
        encoder, _ = mmproj.read(file, KINDS)
    _check_pair(os.fspath(path), encoder, config)


def _check_pair(path: str, encoder: VisionConfig, config: Config) -> None:
    """Check that a language model can take the embeddings of an mmproj file."""
    kind = KINDS[encoder.kind]
    if encoder.projection != config.width:
        raise ArgumentError(
            f"{path} makes embeddings of {encoder.projection}, the language model's have {config.width}: "
            "expected the mmproj file of this model"
        )
    if kind.has_places and not config.rope.sections:
        raise ArgumentError(f"{path} is for a model with MROPE, and {config.architecture} has none")
    if config.rope.sections and kind.has_places is False:
        raise ArgumentError(f"{path} is for a model without MROPE, and {config.architecture} has it")
    if len(encoder.deepstack) > config.n_layers:
        raise ArgumentError(f"{path} has rows for {len(encoder.deepstack)} layers of {config.n_layers}")


class Vision:
    """The images of prompts.

    Args:
        device: the device, which the caller closes.
        path: of the mmproj file.
        config, tokenizer: of the language model.
        progress: called repeatedly with the bytes loaded and the total bytes.
        weights: as for ``ImageEncoder``.

    Attributes:
        encoder: of the file.

    Raises:
        UnsupportedError: the file cannot be run, or the language model cannot take its embeddings.
        ArgumentError: the file is another model's: embeddings have another width, or the vocabulary lacks its tokens.
        GGUFError: the file is damaged or no GGUF file.
        DspMemoryError: the encoder does not fit.
    """

    def __init__(
        self,
        device: Device,
        path: str | os.PathLike[str],
        config: Config,
        tokenizer: Tokenizer,
        progress: Progress | None = None,
        *,
        weights: WeightType = "file",
    ) -> None:
        self.path, self._tokenizer = os.fspath(path), tokenizer
        with GGUFFile(path) as file:
            self.encoder = ImageEncoder(device, file, progress, weights=weights)
        try:
            _check_pair(self.path, self.encoder.config, config)
            self._marks = self._marked()
        except BaseException:
            self.encoder.close()
            raise
        self._kept: dict[bytes, list[F32]] = {}

    def _marked(self) -> dict[str, int]:
        """Return the tokens around tiles by their names."""
        marks = self.encoder.config.marks
        names = set[str]() if marks is None else {name for part in marks[1:-1] for name in part}
        wanted = {name.encode(): name for name in names}
        ids: dict[str, int] = {}
        for token in range(self._tokenizer.n_tokens):
            name = wanted.get(self._tokenizer.token_bytes(token, special=True))
            if name is not None:
                ids.setdefault(name, token)
        if missing := sorted(names - ids.keys()):
            raise ArgumentError(f"the vocabulary has no token {missing[0]!r}, which {self.path} needs")
        return ids

    def prompt(
        self,
        text: str,
        pictures: Iterable[U8],
        encode: Callable[[str], list[int]],
        n_ctx: int,
        turn: DeviceTurn,
    ) -> tuple[list[int], EmbeddingTable]:
        """Return the tokens of a prompt, and the rows of its pictures, which are encoded on the device.

        Args:
            text: has a mark in the place of each picture.
            pictures: (H, W, 3) uint8 each; one is taken when the one before it has been encoded.
            encode: tokenizes a part of the text.
            n_ctx: context length.
            turn: in which the device encodes a tile.

        Raises:
            ImagesTooLongError: the context is full after a picture; later ones are not decoded.
            HexagonError: the device fails.
        """
        table, (first, *others) = EmbeddingTable(), text.split(MARK)
        tokens = encode(first) if first else []
        for picture, part in zip(pictures, others, strict=True):
            tokens += self._tokens_of(picture, table, turn)
            if len(tokens) > n_ctx:
                raise ImagesTooLongError(len(tokens), n_ctx)
            tokens += encode(part) if part else []
        return tokens, table

    def _tokens_of(self, picture: U8, table: EmbeddingTable, turn: DeviceTurn) -> list[int]:
        """Return the tokens of a picture, with those around it."""
        kind, encode = self.encoder.kind, self._tokenizer.encode
        digest = hashlib.sha256(repr(picture.shape).encode() + np.ascontiguousarray(picture).tobytes()).digest()
        tiles = self.encoder.tiles(picture)
        rows = self._embedded(digest, tiles, turn)
        ids = []
        for number, (embeddings, tile) in enumerate(zip(rows, tiles.in_order(), strict=True)):
            unit = self.encoder.config.patch_size * self.encoder.config.merge
            grid = (tile.shape[0] // unit, tile.shape[1] // unit) if kind.has_places else None
            ids.append(table.add(embeddings, digest + b" %d" % number, is_causal=kind.is_causal, grid=grid))
        begin, end = (encode(text, add_special=False) if text else [] for text in (kind.begin, kind.end))
        return [*begin, *self._with_marks(ids, tiles), *end]

    def _embedded(self, digest: bytes, tiles: Tiles, turn: DeviceTurn) -> list[F32]:
        """Return the embeddings of each tile; those of the last pictures are kept."""
        rows = turn(lambda: self._kept.pop(digest, None))
        if rows is None:
            rows = [turn(partial(self.encoder.embed, tile)) for tile in tiles.in_order()]
        turn(partial(self._keep, digest, rows))
        return rows

    def _keep(self, digest: bytes, rows: list[F32]) -> None:
        self._kept[digest] = rows
        while len(self._kept) > _MOST_KEPT:
            del self._kept[next(iter(self._kept))]

    def _with_marks(self, ids: list[list[int]], tiles: Tiles) -> list[int]:
        """Return the tokens of tiles in order, with marks around them."""
        marks, (n_columns, n_rows) = self.encoder.config.marks, tiles.grid
        if marks is None or not (tiles.parts or marks.is_always):
            return [token for part in ids for token in part]
        whole, *parts = ids if tiles.is_whole_first else [ids[-1], *ids[:-1]]
        whole = [*self._ids(marks.whole_begin), *whole, *self._ids(marks.whole_end)]
        result = self._ids(marks.parts_begin) if parts else []
        for row in range(n_rows):
            for column in range(n_columns):
                result += self._tokenizer.encode(marks.part.format(row + 1, column + 1), add_special=False)
                part = parts[row * n_columns + column]
                result += [*self._ids(marks.part_begin), *part, *self._ids(marks.part_end)]
            result += self._ids(marks.row_end) if row < n_rows - 1 else []
        result += self._ids(marks.parts_end) if parts else []
        return [*whole, *result] if tiles.is_whole_first else [*result, *whole]

    def _ids(self, names: tuple[str, ...]) -> list[int]:
        return [self._marks[name] for name in names]

    def tensors(self) -> list[Tensor]:
        """Return all tensors in DSP memory besides weights."""
        return self.encoder.tensors()

    def close(self) -> None:
        """Free the memory."""
        self._kept.clear()
        self.encoder.close()
