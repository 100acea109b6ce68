# SPDX-License-Identifier: MIT
"""The headers of a GGUF file: read once from front to back, checked, and looked up by name.

A file may have a million tensors, or claim to. A tight loop, ``HeaderReader.skip_plain``, scans it and keeps 16 bytes
per name. The other facts about a tensor are read again on request, and are checked with NumPy for all tensors at once.
Where the loop or NumPy finds a fault, slower functions read the same place again and produce the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.gguf.kinds import N_BYTES, kind_of
from pyhexagon.gguf.reader import HeaderNames, HeaderReader, quoted
from pyhexagon.gguf.reading import Copy, OpenFile

_VERSIONS: Final = (2, 3)
_MAX_DIMS: Final = 4
_MAX_PAIRS: Final = 1 << 16
_MAX_STRINGS: Final = 1 << 22  # in all arrays of a file; the largest vocabularies and their merges have fewer than 2^20
_DEFAULT_ALIGNMENT: Final = 32
_TENSORS_AT_ONCE: Final = 1 << 14  # checked by NumPy in one go

# GGUF's metadata value types.
_UINT32, _STRING, _ARRAY = 4, 8, 9
_SCALAR_BYTES: Final = {0: 1, 1: 1, 2: 2, 3: 2, _UINT32: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_VALUES: Final = {  # NumPy dtypes; a boolean is a byte
    number: np.dtype(code)
    for number, code in zip(
        _SCALAR_BYTES, ("u1", "i1", "<u2", "<i2", "<u4", "<i4", "<f4", "?", "<u8", "<i8", "<f8"), strict=True
    )
}
_LEAST_PAIR_BYTES: Final = 8 + 4 + 1  # key length, type, a byte
_LEAST_TENSOR_BYTES: Final = 8 + 4 + 8 + 4 + 8  # name length, dimensions, one of them, type, offset
# After a tensor's number of dimensions: the dimensions, type, offset.
_TENSOR_BYTES: Final = {n_dims: 8 * n_dims + 4 + 8 for n_dims in range(1, _MAX_DIMS + 1)}

# Numbers per block and bytes per block, by type number. The last row stands for every number that is not a type.
_BLOCKS: Final = np.zeros((max(GGML_QUANT_SIZES) + 2, 2), np.uint64)
for _dtype, _sizes in GGML_QUANT_SIZES.items():
    _BLOCKS[_dtype] = _sizes


Value = bool | int | float | str | npt.NDArray[np.generic] | list[str]


@dataclass(frozen=True)
class TensorInfo:
    """One tensor of a file."""

    name: str
    shape: tuple[int, ...]  # NumPy order: (rows, K) for a weight matrix
    gguf_type: GGMLQuantizationType
    n_bytes: int
    offset: int  # in the file
    unsupported: str  # why the DSP does not support it; empty if it does

    @property
    def type_name(self) -> str:
        """The name of its GGUF type, "Q4_0" for example."""
        return self.gguf_type.name

    @property
    def supported(self) -> bool:
        """Whether the DSP supports it as a weight."""
        return not self.unsupported


class Headers:
    """The parsed headers of a file.

    Args:
        file: the file; only its headers are read.
        path: its name, for messages.

    Raises:
        GGUFError: the file is truncated, corrupt, of another byte order or of an unknown version.
    """

    def __init__(self, file: OpenFile) -> None:
        self._copy, path = Copy(file), file.path
        self._data, self._path = self._copy.bytes, path
        self._keys, self._tensors = HeaderNames(self._data), HeaderNames(self._data)
        self._strings_left = _MAX_STRINGS
        reader = HeaderReader(self._copy, path, 0)
        n_tensors, n_pairs = self._counts(reader)
        while n_pairs := reader.skip_plain(self._keys, n_pairs, _SCALAR_BYTES):
            self._skip_pair(reader)
            n_pairs -= 1
        self._check_duplicates(reader, self._keys, "metadata entries")
        self._alignment = self._read_alignment()
        if reader.skip_plain(self._tensors, n_tensors, _TENSOR_BYTES):
            self._tensor_header(reader)  # raises
        self._start = -(-reader.at // self._alignment) * self._alignment  # of the tensors' bytes
        self._check_duplicates(reader, self._tensors, "tensors")
        self._check_tensors(reader)

    def __len__(self) -> int:
        return len(self._tensors)

    def __iter__(self) -> Iterator[str]:
        """Yield the tensors' names in the order of the file."""
        return (self._tensors[index] for index in range(len(self)))

    def find(self, name: str) -> TensorInfo | None:
        """Return the tensor of this name, or None."""
        index = self._tensors.find(name)
        return None if index is None else self._tensor(index)

    def keys(self) -> list[str]:
        """Return the metadata's keys in the order of the file."""
        return [self._keys[index] for index in range(len(self._keys))]

    def has_key(self, key: str) -> bool:
        """Return whether the metadata has the key."""
        return self._keys.find(key) is not None

    def value(self, key: str) -> Value:
        """Return the metadata's value of a key; KeyError if there is none. Large arrays are read each time."""
        index = self._keys.find(key)
        if index is None:
            raise KeyError(key)
        reader = HeaderReader(self._copy, self._path, self._keys.places[index])
        reader.name("metadata key")
        kind = reader.u32("type of", key)
        if kind != _ARRAY:
            value = self._values(reader, key, kind, 1)
            return value[0] if isinstance(value, list) else value[0].item()
        kind = reader.u32("element type of", key)
        return self._values(reader, key, kind, reader.u64("length of", key))

    def _values(self, reader: HeaderReader, key: str, kind: int, count: int) -> npt.NDArray[Any] | list[str]:
        if kind == _STRING:
            return reader.texts(count)
        dtype = _VALUES[kind]
        at = reader.take(count * dtype.itemsize, "metadata", key)
        values: npt.NDArray[Any] = np.frombuffer(self._data, np.uint8 if dtype == np.bool_ else dtype, count, at)
        return values.astype(dtype)

    def _counts(self, reader: HeaderReader) -> tuple[int, int]:
        self._copy.need(0, 4)
        magic = self._data[:4]
        if magic != b"GGUF":
            raise reader.error(f"not a GGUF file: {kind_of(bytes(self._data[:N_BYTES]))}")
        reader.skip(4, "magic")
        version = reader.u32("version")
        if version not in _VERSIONS:
            if int.from_bytes(version.to_bytes(4, "little"), "big") in _VERSIONS:
                raise reader.error("a big-endian GGUF file; only little-endian ones can be used")
            raise reader.error(f"GGUF version {version}; versions 2 and 3 can be read")
        n_tensors = reader.u64("number of tensors")
        n_pairs = reader.u64("number of metadata entries")
        reader.check_count(n_pairs, _LEAST_PAIR_BYTES, "metadata entries")
        reader.check_count(n_tensors, _LEAST_TENSOR_BYTES, "tensors")
        if n_pairs > _MAX_PAIRS:
            raise reader.error(f"corrupt: {n_pairs} metadata entries; a file may have {_MAX_PAIRS}")
        return n_tensors, n_pairs

    def _check_duplicates(self, reader: HeaderReader, names: HeaderNames, what: str) -> None:
        duplicate = names.index()
        if duplicate is not None:
            raise reader.error(f"corrupt: two {what} are called {quoted(duplicate)}")

    def _skip_pair(self, reader: HeaderReader) -> None:
        place = reader.at
        key = reader.name("metadata key")
        self._keys.places.append(place)
        self._keys.hashes.append(hash(key))
        kind = reader.u32("type of", key)
        if kind == _ARRAY:
            kind = reader.u32("element type of", key)
            self._skip_values(reader, key, kind, reader.u64("length of", key))
        else:
            self._skip_values(reader, key, kind, 1)

    def _read_alignment(self) -> int:
        index = self._keys.find("general.alignment")
        if index is None:
            return _DEFAULT_ALIGNMENT
        reader = HeaderReader(self._copy, self._path, self._keys.places[index])
        key = reader.name("metadata key")
        alignment = reader.u32(key) if reader.u32(key) == _UINT32 else 0
        if alignment < 1 or alignment & (alignment - 1):
            raise reader.error("corrupt: general.alignment is not a uint32 power of two")
        return alignment

    def _skip_values(self, reader: HeaderReader, key: str, kind: int, count: int) -> None:
        if kind in _SCALAR_BYTES:
            reader.skip(count * _SCALAR_BYTES[kind], "metadata", key)
            return
        if kind != _STRING:
            raise reader.error(f"corrupt: metadata {quoted(key)} has the unknown value type {kind}")
        reader.check_count(count, 8, "strings of", key)
        self._strings_left -= count
        if self._strings_left < 0:
            raise reader.error(f"corrupt: {quoted(key)} has {count} strings; a file may have {_MAX_STRINGS}")
        reader.skip_strings(count, "metadata", key)

    def _tensor_header(self, reader: HeaderReader) -> tuple[str, tuple[int, ...], int, int]:
        """Read name, shape, type and offset."""
        name = reader.name("tensor name")
        n_dims = reader.u32("dimensions of", name)
        if not 1 <= n_dims <= _MAX_DIMS:
            raise reader.error(f"corrupt: tensor {quoted(name)} has {n_dims} dimensions, expected 1 to {_MAX_DIMS}")
        shape = tuple(reader.u64("dimensions of", name) for _ in range(n_dims))[::-1]
        return name, shape, reader.u32("type of", name), reader.u64("offset of", name)

    def _tensor(self, index: int) -> TensorInfo:
        """Read a tensor's header and check it by itself."""
        reader = HeaderReader(self._copy, self._path, self._tensors.places[index])
        name, shape, kind, offset = self._tensor_header(reader)
        what = quoted(name)
        try:
            dtype = GGMLQuantizationType(kind)
            block_size, block_bytes = GGML_QUANT_SIZES[dtype]
        except (ValueError, KeyError):
            raise reader.error(f"tensor {what} is of type {kind}: corrupt, or newer than the gguf package") from None
        if not all(shape):
            raise reader.error(f"corrupt: tensor {what} of shape {shape} is empty")
        if shape[-1] % block_size:
            raise reader.error(f"corrupt: {dtype.name} tensor {what} has rows of {shape[-1]}, not n * {block_size}")
        if offset % self._alignment:
            raise reader.error(f"corrupt: tensor {what} is at {offset}, not a multiple of {self._alignment}")
        n_bytes = prod(shape) // block_size * block_bytes
        end = self._start + offset + n_bytes
        if end > len(self._data):
            size = len(self._data)
            end_text = f"end at byte {end}, the file has {size}"
            raise reader.error(f"truncated or corrupt: {dtype.name} tensor {what} {shape} would {end_text}")
        return TensorInfo(name, shape, dtype, n_bytes, self._start + offset, unsupported(dtype, shape))

    def _check_tensors(self, reader: HeaderReader) -> None:
        """Check every tensor by itself, and that no two overlap."""
        begins, ends = np.empty(len(self), np.uint64), np.empty(len(self), np.uint64)
        for first in range(0, len(self), _TENSORS_AT_ONCE):
            part = slice(first, first + _TENSORS_AT_ONCE)
            begins[part], ends[part], sound = self._extents(part)
            for index in np.flatnonzero(~sound):
                self._tensor(first + int(index))
        if (begins[1:] >= ends[:-1]).all():
            return
        order = np.argsort(begins)
        for at in np.flatnonzero(begins[order[1:]] < ends[order[:-1]]):
            one, other = (quoted(self._tensors[index]) for index in order[at : at + 2])
            raise reader.error(f"corrupt: tensors {one} and {other} overlap")

    def _extents(self, part: slice) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
        """Return begins and ends relative to the data's start, and a mask of the tensors that are certainly sound."""
        size = len(self._data)
        u64 = np.ndarray(size - 7, np.dtype("<u8"), self._data, strides=(1,))  # an unaligned view: starts at every byte
        u32 = np.ndarray(size - 3, np.dtype("<u4"), self._data, strides=(1,))
        at = np.frombuffer(self._tensors.places, np.uint64)[part].astype(np.int64) + 8
        at += u64[at - 8].astype(np.int64)
        n_dims = u32[at].astype(np.int64)
        row = u64[at + 4]
        n, n_about, sound = row.copy(), row.astype(np.float64), row > 0
        for dim in range(1, _MAX_DIMS):
            length = np.where(dim < n_dims, u64[at + 4 + 8 * np.minimum(dim, n_dims - 1)], np.uint64(1))
            sound &= length > 0
            n *= length
            n_about *= length
        at += 4 + 8 * n_dims
        block_size, block_bytes = _BLOCKS[np.minimum(u32[at], len(_BLOCKS) - 1)].T
        sound &= block_size > 0
        block_size = np.maximum(block_size, 1)
        begins = u64[at + 4]
        ends = begins + n // block_size * block_bytes
        sound &= (row % block_size == 0) & (begins % np.uint64(self._alignment) == 0)
        sound &= (n_about < 2.0**56) & (begins <= size) & (ends <= max(0, size - self._start))
        return begins, ends, sound


def unsupported(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> str:
    """Return why the DSP does not support a tensor as a weight; empty if it does."""
    if not quants.dtype_info(dtype).supported:
        return f"type {dtype.name}"
    if len(shape) < 2:
        return "1-dimensional, a weight has 2 dimensions or more"
    if shape[-1] > quants.MAX_K:
        return f"rows of {shape[-1]}, the maximum is {quants.MAX_K}"
    return ""
