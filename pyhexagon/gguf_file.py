# SPDX-License-Identifier: MIT
"""GGUF files: the names, shapes and types of their tensors, and the raw bytes through mmap.

The gguf package has a reader, too. It believes the file: beyond its end NumPy slices come back empty, so a corrupt
count of 2^40 numbers runs until memory is gone; and it makes Python objects of every token of the vocabulary. So the
headers are read here: every length is checked against what is left of the file before it is used, metadata is skipped
except for the alignment, and each tensor's bytes are checked to lie inside the file.

A mapped file that something else truncates makes a read of the lost pages fatal (SIGBUS), as with any mmap.
"""

from __future__ import annotations

import difflib
import mmap
import os
import stat
import struct
import warnings
from dataclasses import dataclass
from math import prod
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.errors import ClosedError, GGUFError
from pyhexagon.unique import Unique

_VERSIONS: Final = (2, 3)
_MAX_DIMS: Final = 4
_MAX_STRINGS: Final = 1 << 22  # in all arrays of a file: the largest vocabularies with their merges stay below 2^20
_DEFAULT_ALIGNMENT: Final = 32

# GGUF's metadata value types.
_UINT32, _STRING, _ARRAY = 4, 8, 9
_SCALAR_BYTES: Final = {0: 1, 1: 1, 2: 2, 3: 2, _UINT32: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_LEAST_PAIR_BYTES: Final = 8 + 4 + 1  # key length, type, a byte
_LEAST_TENSOR_BYTES: Final = 8 + 4 + 8 + 4 + 8  # name length, dimensions, one of them, type, offset


class UnknownTensorError(GGUFError, KeyError):
    """The file has no tensor of this name; the hint tells the names that come near."""


@dataclass(frozen=True)
class TensorInfo:
    """One tensor of a file."""

    name: str
    shape: tuple[int, ...]  # NumPy order: (rows, K) of a weight matrix
    dtype: GGMLQuantizationType
    n_bytes: int
    offset: int  # in the file
    unsupported: str  # why the DSP cannot take it; empty if it can

    @property
    def type_name(self) -> str:
        return self.dtype.name

    @property
    def supported(self) -> bool:
        return not self.unsupported


class GGUFFile(Unique):
    """A GGUF file, mapped for reading.

    Args:
        path: the file.

    Raises:
        GGUFError: it is missing, unreadable, truncated, corrupt, of another byte order or of an unknown version.
    """

    instead = "open the file again"
    _map: mmap.mmap | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        mapped = _map_file(self.path)
        try:
            self._tensors = _Reader(mapped, self.path).tensors()
        except BaseException:
            mapped.close()
            raise
        self._map = mapped

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._map is None

    def names(self) -> list[str]:
        """The tensors' names, in the order of the file."""
        self._open_map()
        return list(self._tensors)

    def info(self, name: str) -> TensorInfo:
        """What a tensor is; raises UnknownTensorError."""
        self._open_map()
        if name not in self._tensors:
            near = difflib.get_close_matches(name, self._tensors, n=3, cutoff=0.5)
            hint = f"near names are {', '.join(near)}" if near else ""
            raise UnknownTensorError(f"{self.path}: none of the {len(self._tensors)} tensors is {name!r}", hint=hint)
        return self._tensors[name]

    def raw(self, name: str) -> npt.NDArray[np.uint8]:
        """A tensor's bytes as a read-only (rows, bytes of a row) view of the file; all leading dimensions are rows."""
        info, mapped = self.info(name), self._open_map()
        rows = prod(info.shape[:-1])
        flat = np.frombuffer(mapped, np.uint8, count=info.n_bytes, offset=info.offset)
        return flat.reshape(rows, info.n_bytes // rows)

    def close(self) -> None:
        """Unmaps the file: at once, or with the last array that `raw` gave and that is still alive."""
        mapped, self._map = self._map, None
        if mapped is not None:
            try:
                mapped.close()
            except BufferError:
                del mapped  # the arrays hold the mapping now

    def _open_map(self) -> mmap.mmap:
        if self._map is None:
            raise ClosedError(f"{self.path} was closed")
        return self._map

    def __enter__(self) -> GGUFFile:
        self._open_map()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if self._map is not None:
            warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)
            self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self._tensors)} tensors"
        return f"<GGUFFile {self.path} {state}>"


def _map_file(path: str) -> mmap.mmap:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening a pipe would wait for its writer
            raise GGUFError(f"{path}: not a regular file")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if not size:
                raise GGUFError(f"{path}: the file is empty")
            return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        if isinstance(error, GGUFError):
            raise
        raise GGUFError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


class _Reader:
    """Walks the headers once, from front to back."""

    def __init__(self, data: mmap.mmap, path: str) -> None:
        self._data, self._path = data, path
        self._at = 0
        self._strings_left = _MAX_STRINGS
        self._alignment = _DEFAULT_ALIGNMENT

    def tensors(self) -> dict[str, TensorInfo]:
        if self._data[:4] != b"GGUF":
            raise self._error(f"not a GGUF file: it starts with {self._data[:4]!r}")
        self._at = 4
        version = self._number("<I", "version")
        if version not in _VERSIONS:
            if int.from_bytes(version.to_bytes(4, "little"), "big") in _VERSIONS:
                raise self._error("a big-endian GGUF file; only little-endian ones can be used")
            raise self._error(f"GGUF version {version}; versions 2 and 3 can be read")
        n_tensors = self._number("<Q", "number of tensors")
        n_pairs = self._number("<Q", "number of metadata entries")
        self._check_count(n_pairs, _LEAST_PAIR_BYTES, "metadata entries")
        self._check_count(n_tensors, _LEAST_TENSOR_BYTES, "tensors")
        self._skip_metadata(n_pairs)
        headers: dict[str, tuple[tuple[int, ...], int, int]] = {}
        for _ in range(n_tensors):
            name = self._string("tensor name")
            if name in headers:
                raise self._error(f"two tensors are called {name!r}")
            headers[name] = self._tensor_header(name)
        start = -(-self._at // self._alignment) * self._alignment
        return {name: self._tensor(name, start, *header) for name, header in headers.items()}

    def _error(self, what: str) -> GGUFError:
        return GGUFError(f"{self._path}: {what}")

    def _skip(self, n_bytes: int, what: str) -> int:
        """Moves on and returns where it was."""
        left = len(self._data) - self._at
        if n_bytes > left:
            raise self._error(f"truncated or corrupt: {what} at byte {self._at} takes {n_bytes} bytes, {left} are left")
        self._at += n_bytes
        return self._at - n_bytes

    def _number(self, layout: str, what: str) -> int:
        number: int = struct.unpack_from(layout, self._data, self._skip(struct.calcsize(layout), what))[0]
        return number

    def _string(self, what: str) -> str:
        length = self._number("<Q", f"length of a {what}")
        at = self._skip(length, what)
        try:
            return self._data[at : self._at].decode()
        except UnicodeDecodeError:
            raise self._error(f"corrupt: the {what} at byte {at} is not UTF-8") from None

    def _check_count(self, count: int, least_bytes: int, what: str) -> None:
        left = len(self._data) - self._at
        if count * least_bytes > left:
            raise self._error(f"truncated or corrupt: {count} {what} do not fit into the {left} bytes that follow")

    def _skip_metadata(self, n_pairs: int) -> None:
        keys = set()
        for _ in range(n_pairs):
            key = self._string("metadata key")
            if key in keys:
                raise self._error(f"corrupt: two metadata entries are called {key!r}")
            keys.add(key)
            kind = self._number("<I", f"type of {key!r}")
            if key == "general.alignment":
                self._alignment = self._read_alignment(kind)
            elif kind == _ARRAY:
                self._skip_array(key)
            else:
                self._skip_values(key, kind, 1)

    def _read_alignment(self, kind: int) -> int:
        alignment = self._number("<I", "general.alignment") if kind == _UINT32 else 0
        if alignment < 1 or alignment & (alignment - 1):
            raise self._error("corrupt: general.alignment is not a uint32 power of two")
        return alignment

    def _skip_array(self, key: str) -> None:
        kind = self._number("<I", f"element type of {key!r}")
        self._skip_values(key, kind, self._number("<Q", f"length of {key!r}"))

    def _skip_values(self, key: str, kind: int, count: int) -> None:
        if kind in _SCALAR_BYTES:
            self._skip(count * _SCALAR_BYTES[kind], f"metadata {key!r}")
            return
        if kind != _STRING:
            raise self._error(f"corrupt: metadata {key!r} has the unknown value type {kind}")
        self._check_count(count, 8, f"strings of {key!r}")
        self._strings_left -= count
        if self._strings_left < 0:
            raise self._error(f"corrupt: {key!r} has {count} strings; a file may have {_MAX_STRINGS}")
        for _ in range(count):
            self._skip(self._number("<Q", f"metadata {key!r}"), f"metadata {key!r}")

    def _tensor_header(self, name: str) -> tuple[tuple[int, ...], int, int]:
        n_dims = self._number("<I", f"dimensions of {name!r}")
        if not 1 <= n_dims <= _MAX_DIMS:
            raise self._error(f"corrupt: tensor {name!r} has {n_dims} dimensions, expected 1 to {_MAX_DIMS}")
        shape = tuple(self._number("<Q", f"dimensions of {name!r}") for _ in range(n_dims))[::-1]
        return shape, self._number("<I", f"type of {name!r}"), self._number("<Q", f"offset of {name!r}")

    def _tensor(self, name: str, start: int, shape: tuple[int, ...], kind: int, offset: int) -> TensorInfo:
        try:
            dtype = GGMLQuantizationType(kind)
            block_size, block_bytes = GGML_QUANT_SIZES[dtype]
        except (ValueError, KeyError):
            raise self._error(f"tensor {name!r} is of type {kind}: corrupt, or newer than the gguf package") from None
        if not all(shape):
            raise self._error(f"corrupt: tensor {name!r} of shape {shape} is empty")
        if shape[-1] % block_size:
            raise self._error(f"corrupt: {dtype.name} tensor {name!r} has rows of {shape[-1]}, not n * {block_size}")
        if offset % self._alignment:
            raise self._error(f"corrupt: tensor {name!r} is at {offset}, no multiple of {self._alignment}")
        n_bytes = prod(shape) // block_size * block_bytes
        end = start + offset + n_bytes
        if end > len(self._data):
            what = f"{dtype.name} tensor {name!r} {shape} would end at byte {end}"
            raise self._error(f"truncated or corrupt: {what}, the file has {len(self._data)}")
        return TensorInfo(name, shape, dtype, n_bytes, start + offset, _unsupported(dtype, shape))


def _unsupported(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> str:
    if not quants.dtype_info(dtype).supported:
        return f"type {dtype.name}"
    if len(shape) < 2:
        return "1-dimensional, a weight has 2 dimensions or more"
    if shape[-1] > quants.MAX_K:
        return f"rows of {shape[-1]}, at most {quants.MAX_K}"
    return ""
