# SPDX-License-Identifier: MIT
"""Whisper models in the files of whisper.cpp, ggml-tiny.en.bin for example.

Such a file has hyper-parameters, mel filters, the texts of the tokens, and then each tensor's header followed by its
bytes. Nothing says where a tensor is, so opening a file reads all headers. The hyper-parameters determine the names,
shapes and types of all tensors; every number is compared with them and with the size of the file before it is used.

Everything is read by position, as GGUF files' data is, so a file that is truncated meanwhile is an error.
"""

from __future__ import annotations

import os
import struct
from dataclasses import fields
from math import prod
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon.errors import GGUFError
from pyhexagon.gguf.file import UnknownTensorError
from pyhexagon.gguf.headers import TensorInfo, unsupported
from pyhexagon.gguf.kinds import N_BYTES, WHISPER_MAGIC, kind_of
from pyhexagon.gguf.reader import quoted
from pyhexagon.gguf.reading import OpenFile, Rows
from pyhexagon.speech.hyper_parameters import HyperParameters
from pyhexagon.speech.tensor_shapes import Role, tensor_shapes

N_FFT_BINS: Final = 201  # of windows of 400 samples
_FLOATS: Final = (GGMLQuantizationType.F32, GGMLQuantizationType.F16)
_MAX_TOKEN_BYTES: Final = 1 << 10
_MAX_NAME_BYTES: Final = 128
_MAX_DIMS: Final = 4
_HEADERS_READ: Final = 1 << 16  # bytes read at once: of filters and tokens, which lie side by side
_TENSORS_READ: Final = 1 << 10  # of tensors' headers, between which data lies


class WhisperFileError(GGUFError):
    """A file of whisper.cpp is truncated, corrupt, or has unexpected content."""


class WhisperFile:
    """A whisper model's file: a ``Source`` of weights, as ``weights.load_in_order`` takes it.

    Attributes:
        path: of the file.
        hyper_parameters: of the model.
        filters: the mel filters, float32 (n_mels, 201).
        tokens: the texts of the tokens by number. Files may have none for special tokens, which come last.

    Raises:
        WhisperFileError: the file is missing, unreadable, truncated, corrupt, or no whisper model of whisper.cpp.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = OpenFile(self.path, WhisperFileError)
        reader = _FileReader(self._file, _HEADERS_READ)
        begin = reader.peek(N_BYTES)
        if begin[:4] != WHISPER_MAGIC:
            what = "a GGUF file; pyhexagon chat runs language models" if begin[:4] == b"GGUF" else kind_of(begin)
            raise reader.error(f"not a model of whisper.cpp: {what}")
        reader.take(len(WHISPER_MAGIC), "magic")
        self.hyper_parameters = _hyper_parameters(reader)
        self.filters = _filters(reader, self.hyper_parameters.n_mels)
        self.tokens = _tokens(reader, self.hyper_parameters)
        self._tensors = _tensors(_FileReader(self._file, _TENSORS_READ, reader.at), self.hyper_parameters)

    def names(self) -> list[str]:
        """Return the tensors' names in the order of the file; they are OpenAI's."""
        return list(self._tensors)

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description; raises UnknownTensorError."""
        if name not in self._tensors:
            raise UnknownTensorError(f"{self.path}: none of the {len(self._tensors)} tensors is {quoted(name)}")
        return self._tensors[name]

    def rows(self, name: str) -> Rows:
        """Return a function that gives copies of a tensor's rows, uint8 (rows, bytes per row), on any thread."""
        info = self.info(name)
        row_bytes = info.n_bytes // prod(info.shape[:-1])
        return lambda first, last: self._file.rows(info.offset, row_bytes, first, last)

    def tensor(self, name: str) -> npt.NDArray[np.uint8]:
        """Return a copy of a tensor's bytes, (rows, bytes per row), as ``Device.pack`` takes them."""
        return self.rows(name)(0, prod(self.info(name).shape[:-1]))

    def __repr__(self) -> str:
        return f"<WhisperFile {self.path} {len(self._tensors)} tensors>"


class _FileReader:
    """Reads a file's values one after the other, ``n_at_once`` bytes at a time; each length is checked first."""

    def __init__(self, file: OpenFile, n_at_once: int, at: int = 0) -> None:
        self._file, self._n_at_once, self.at = file, n_at_once, at
        self._begin, self._bytes = at, b""

    def error(self, what: str) -> WhisperFileError:
        """Return an error about the file."""
        return WhisperFileError(f"{self._file.path}: {what}")

    @property
    def n_left(self) -> int:
        """The bytes between here and the end of the file."""
        return self._file.size - self.at

    def peek(self, n_bytes: int) -> bytes:
        """Return the next bytes, or all that follow if they are fewer."""
        n_bytes = min(n_bytes, self.n_left)
        first = self.at - self._begin
        if first + n_bytes > len(self._bytes):
            room = bytearray(min(max(n_bytes, self._n_at_once), self.n_left))
            self._file.read_into(memoryview(room), self.at)
            self._begin, self._bytes, first = self.at, bytes(room), 0
        return self._bytes[first : first + n_bytes]

    def take(self, n_bytes: int, what: str) -> bytes:
        """Return the next bytes, and advance."""
        self.check_left(n_bytes, what)
        taken = self.peek(n_bytes)
        self.at += n_bytes
        return taken

    def check_left(self, n_bytes: int, what: str) -> None:
        """Raise an error if fewer bytes follow."""
        if n_bytes > self.n_left:
            raise self.error(
                f"truncated or corrupt: {what} at byte {self.at} takes {n_bytes} bytes, {self.n_left} are left"
            )

    def integers(self, count: int, what: str) -> tuple[int, ...]:
        """Read int32 numbers."""
        return struct.unpack(f"<{count}i", self.take(4 * count, what))


def _hyper_parameters(reader: _FileReader) -> HyperParameters:
    found = HyperParameters(*reader.integers(len(fields(HyperParameters)), "hyper-parameters"))
    if problem := found.problem():
        raise reader.error(problem)
    return found


def _filters(reader: _FileReader, n_mels: int) -> npt.NDArray[np.float32]:
    shape = reader.integers(2, "shape of the mel filters")
    if shape != (n_mels, N_FFT_BINS):
        raise reader.error(f"corrupt: the mel filters are {shape}: expected {(n_mels, N_FFT_BINS)}, as n_mels says")
    filters = np.frombuffer(reader.take(4 * prod(shape), "mel filters"), "<f4").reshape(shape).astype(np.float32)
    if not np.isfinite(filters).all():
        raise reader.error("corrupt: the mel filters have infinite numbers or NaN")
    return filters


def _tokens(reader: _FileReader, of: HyperParameters) -> list[bytes]:
    (count,) = reader.integers(1, "number of tokens")
    if not of.n_texts <= count <= of.n_vocab:
        raise reader.error(f"corrupt: it has {count} tokens: expected {of.n_texts} to n_vocab, {of.n_vocab}")
    tokens, chunk, at = [], b"", 0
    for number in range(count):
        if at + 4 + _MAX_TOKEN_BYTES > len(chunk):
            reader.at += at
            chunk, at = reader.peek(_HEADERS_READ), 0
        length = int.from_bytes(chunk[at : at + 4], "little")
        end = at + 4 + length
        if length > _MAX_TOKEN_BYTES or end > len(chunk):
            raise reader.error(
                f"truncated or corrupt: token {number} at byte {reader.at + at} has {length} bytes: expected at most "
                f"{_MAX_TOKEN_BYTES}, and {reader.n_left - at} are left"
            )
        tokens.append(chunk[at + 4 : end])
        at = end
    reader.at += at
    return tokens


def _tensors(reader: _FileReader, of: HyperParameters) -> dict[str, TensorInfo]:
    expected = tensor_shapes(of)
    found: dict[str, TensorInfo] = {}
    for _ in expected:
        if not reader.n_left:
            missing = next(name for name in expected if name not in found)
            raise reader.error(
                f"truncated: it ends after {len(found)} of {len(expected)} tensors, without {missing} for example"
            )
        info = _tensor(reader, of, expected)
        if info.name in found:
            raise reader.error(f"corrupt: two tensors are called {info.name}")
        found[info.name] = info
    if reader.n_left:
        raise reader.error(f"corrupt: {reader.n_left} bytes follow the last of {len(expected)} tensors")
    return found


def _tensor(reader: _FileReader, of: HyperParameters, expected: dict[str, tuple[Role, tuple[int, ...]]]) -> TensorInfo:
    at = reader.at
    n_dims, length, number = reader.integers(3, "a tensor's header")
    if not 1 <= n_dims <= _MAX_DIMS or not 1 <= length <= _MAX_NAME_BYTES:
        raise reader.error(
            f"corrupt: the tensor at byte {at} has {n_dims} dimensions and a name of {length} bytes: expected 1 to "
            f"{_MAX_DIMS}, and 1 to {_MAX_NAME_BYTES}"
        )
    shape = reader.integers(n_dims, "a tensor's shape")[::-1]
    name = reader.take(length, "a tensor's name").decode(errors="replace")
    if name not in expected:
        raise reader.error(f"corrupt: the tensor {quoted(name)} at byte {at} is none of a whisper model's")
    role, wanted = expected[name]
    if (*(1,) * (_MAX_DIMS - n_dims), *shape) != (*(1,) * (_MAX_DIMS - len(wanted)), *wanted):
        raise reader.error(f"corrupt: the tensor {name} has the shape {shape}: expected {wanted}")
    types = {Role.MATRIX: (of.matrix_type,), Role.CONVOLUTION: _FLOATS, Role.VECTOR: _FLOATS[:1]}[role]
    if number not in types:
        names = " or ".join(f"{int(dtype)} ({dtype.name})" for dtype in types)
        raise reader.error(f"corrupt: the tensor {name} has the type {number}: expected {names}, as ftype says")
    dtype = GGMLQuantizationType(number)
    block_size, block_bytes = GGML_QUANT_SIZES[dtype]
    if wanted[-1] % block_size:
        raise reader.error(f"corrupt: the {dtype.name} tensor {name} has rows of {wanted[-1]}, not n * {block_size}")
    n_bytes = prod(wanted) // block_size * block_bytes
    reader.check_left(n_bytes, f"the tensor {name}")
    info = TensorInfo(name, wanted, dtype, n_bytes, reader.at, unsupported(dtype, wanted))
    reader.at += n_bytes
    return info
