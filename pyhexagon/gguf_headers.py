# SPDX-License-Identifier: MIT
"""The headers of a GGUF file: read once from front to back, checked, and looked up by name.

A file may have a million tensors, or claim to. So a tight loop scans it and keeps 16 bytes per name. The other facts
about a tensor are read again on request, and are checked with NumPy for all tensors at once. Where the loop or NumPy
finds a fault, slower functions read the same place again and produce the message.
"""

from __future__ import annotations

import contextlib
import mmap
import struct
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon import quants
from pyhexagon.errors import GGUFError
from pyhexagon.reading import Copy, OpenFile

_VERSIONS: Final = (2, 3)
_MAX_DIMS: Final = 4
_MAX_NAME_BYTES: Final = 1 << 16  # of a tensor's name or a metadata key
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
_MOST_PLAIN_BYTES: Final = 8 + _MAX_NAME_BYTES + 4 + max(_TENSOR_BYTES.values())  # of an entry of ``skip_plain``

_MAX_MESSAGE: Final = 200
_MAX_QUOTED: Final = 60

_u32 = struct.Struct("<I").unpack_from
_u64 = struct.Struct("<Q").unpack_from

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


def quoted(name: str) -> str:
    """Shorten a name for a message: it may have 64 KiB."""
    shown = repr(name[:_MAX_QUOTED])
    return shown if len(name) <= _MAX_QUOTED and len(shown) <= _MAX_QUOTED + 2 else f"{shown[:_MAX_QUOTED]}...'"


class _Names:
    """The places of names in the file. Names with equal hashes are distinguished by comparing the names."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data  # the file's bytes, with the names already read
        self.places = array("Q")
        self.hashes = array("q")
        self._sorted = np.empty(0, np.int64)
        self._order = np.empty(0, np.int64)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, index: int) -> str:
        place = self.places[index]
        return self._data[place + 8 : place + 8 + _u64(self._data, place)[0]].decode()

    def index(self) -> str | None:
        """Build the search index. Return a duplicate name, or None."""
        hashes = np.frombuffer(self.hashes, np.int64)
        self._order = np.argsort(hashes)
        self._sorted = hashes[self._order]
        del hashes
        self.hashes = array("q")
        for at in np.flatnonzero(self._sorted[1:] == self._sorted[:-1]):
            name = self[self._order[at]]
            if name == self[self._order[at + 1]]:
                return name
        return None

    def find(self, name: str) -> int | None:
        wanted = hash(name)
        for at in range(int(np.searchsorted(self._sorted, wanted)), len(self)):
            if self._sorted[at] != wanted:
                break
            if self[self._order[at]] == name:
                return int(self._order[at])
        return None


class _Reader:
    """Reads values one after the other; raises an error that describes a fault."""

    def __init__(self, copy: Copy, path: str, at: int) -> None:
        self._data, self._need, self._path, self.at = copy.bytes, copy.need, path, at

    def error(self, what: str) -> GGUFError:
        return GGUFError(f"{self._path}: {what if len(what) <= _MAX_MESSAGE else what[: _MAX_MESSAGE - 3] + '...'}")

    def skip(self, n_bytes: int, what: str, of: str | None = None) -> int:
        """Skip bytes; return the position before them."""
        at = self.at
        left = len(self._data) - at
        if n_bytes > left:
            what = what if of is None else f"{what} {quoted(of)}"
            raise self.error(f"truncated or corrupt: {what} at byte {at} takes {n_bytes} bytes, {left} are left")
        self.at += n_bytes
        return at

    def take(self, n_bytes: int, what: str, of: str | None = None) -> int:
        """Read bytes, advance, and return the position before them."""
        at = self.skip(n_bytes, what, of)
        self._need(at, self.at)
        return at

    def u32(self, what: str, of: str | None = None) -> int:
        number: int = _u32(self._data, self.take(4, what, of))[0]
        return number

    def u64(self, what: str, of: str | None = None) -> int:
        number: int = _u64(self._data, self.take(8, what, of))[0]
        return number

    def name(self, what: str) -> str:
        length = self.u64(f"length of a {what}")
        at = self.skip(length, what)
        if length > _MAX_NAME_BYTES:
            raise self.error(f"corrupt: the {what} at byte {at} has {length} bytes; it may have {_MAX_NAME_BYTES}")
        self._need(at, self.at)
        try:
            return self._data[at : self.at].decode()
        except UnicodeDecodeError:
            raise self.error(f"corrupt: the {what} at byte {at} is not UTF-8") from None

    def texts(self, count: int) -> list[str]:
        """Return strings of the metadata whose lengths were checked by a skip before; invalid UTF-8 becomes U+FFFD."""
        data, at, here, texts = self._data, self.at, 0, []
        for _ in range(count):
            if at + 8 > here:
                here = self._need(at, at + 8)
            begin = at + 8
            at = begin + _u64(data, at)[0]
            if at > here:
                here = self._need(begin, at)
            texts.append(data[begin:at].decode(errors="replace"))
        self.at = at
        return texts

    def check_count(self, count: int, least_bytes: int, what: str, of: str | None = None) -> None:
        left = len(self._data) - self.at
        if count * least_bytes > left:
            what = what if of is None else f"{what} {quoted(of)}"
            raise self.error(f"truncated or corrupt: {count} {what} do not fit into the {left} bytes that follow")

    def skip_plain(self, names: _Names, count: int, widths: Mapping[int, int]) -> int:
        """Skip entries that consist of a name, a number, and as many bytes as ``widths`` has for that number.

        Stop at an entry of another form or a broken one. Return how many entries remain.
        """
        data, size, place, here = self._data, len(self._data), self.at, 0
        add_place, add_hash = names.places.append, names.hashes.append
        with contextlib.suppress(struct.error, UnicodeDecodeError):
            while count:
                if place + _MOST_PLAIN_BYTES > here:
                    here = self._need(place, place + _MOST_PLAIN_BYTES)
                length = _u64(data, place)[0]
                if length > _MAX_NAME_BYTES:
                    break
                end = place + 8 + length
                hashed = hash(data[place + 8 : end].decode())
                width = widths.get(_u32(data, end)[0])
                if width is None or end + 4 + width > size:
                    break
                add_place(place)
                add_hash(hashed)
                place = end + 4 + width
                count -= 1
        self.at = place
        return count

    def skip_strings(self, count: int, what: str, of: str) -> None:
        data, at, size, here = self._data, self.at, len(self._data), 0
        for _ in range(count):
            if at + 8 > here:
                here = self._need(at, at + 8)
            after = at + 8 + _u64(data, at)[0] if at + 8 <= size else size + 1
            if after > size:
                break
            at = after
        self.at = at
        if count and after > size:
            self.skip(self.u64(what, of), what, of)


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
        self._keys, self._tensors = _Names(self._data), _Names(self._data)
        self._strings_left = _MAX_STRINGS
        reader = _Reader(self._copy, path, 0)
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
        reader = _Reader(self._copy, self._path, self._keys.places[index])
        reader.name("metadata key")
        kind = reader.u32("type of", key)
        if kind != _ARRAY:
            value = self._values(reader, key, kind, 1)
            return value[0] if isinstance(value, list) else value[0].item()
        kind = reader.u32("element type of", key)
        return self._values(reader, key, kind, reader.u64("length of", key))

    def _values(self, reader: _Reader, key: str, kind: int, count: int) -> npt.NDArray[Any] | list[str]:
        if kind == _STRING:
            return reader.texts(count)
        dtype = _VALUES[kind]
        at = reader.take(count * dtype.itemsize, "metadata", key)
        values: npt.NDArray[Any] = np.frombuffer(self._data, np.uint8 if dtype == np.bool_ else dtype, count, at)
        return values.astype(dtype)

    def _counts(self, reader: _Reader) -> tuple[int, int]:
        self._copy.need(0, 4)
        magic = self._data[:4]
        if magic != b"GGUF":
            raise reader.error(f"not a GGUF file: it starts with {magic!r}")
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

    def _check_duplicates(self, reader: _Reader, names: _Names, what: str) -> None:
        duplicate = names.index()
        if duplicate is not None:
            raise reader.error(f"corrupt: two {what} are called {quoted(duplicate)}")

    def _skip_pair(self, reader: _Reader) -> None:
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
        reader = _Reader(self._copy, self._path, self._keys.places[index])
        key = reader.name("metadata key")
        alignment = reader.u32(key) if reader.u32(key) == _UINT32 else 0
        if alignment < 1 or alignment & (alignment - 1):
            raise reader.error("corrupt: general.alignment is not a uint32 power of two")
        return alignment

    def _skip_values(self, reader: _Reader, key: str, kind: int, count: int) -> None:
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

    def _tensor_header(self, reader: _Reader) -> tuple[str, tuple[int, ...], int, int]:
        """Read name, shape, type and offset."""
        name = reader.name("tensor name")
        n_dims = reader.u32("dimensions of", name)
        if not 1 <= n_dims <= _MAX_DIMS:
            raise reader.error(f"corrupt: tensor {quoted(name)} has {n_dims} dimensions, expected 1 to {_MAX_DIMS}")
        shape = tuple(reader.u64("dimensions of", name) for _ in range(n_dims))[::-1]
        return name, shape, reader.u32("type of", name), reader.u64("offset of", name)

    def _tensor(self, index: int) -> TensorInfo:
        """Read a tensor's header and check it by itself."""
        reader = _Reader(self._copy, self._path, self._tensors.places[index])
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
        return TensorInfo(name, shape, dtype, n_bytes, self._start + offset, _unsupported(dtype, shape))

    def _check_tensors(self, reader: _Reader) -> None:
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


def _unsupported(dtype: GGMLQuantizationType, shape: tuple[int, ...]) -> str:
    if not quants.dtype_info(dtype).supported:
        return f"type {dtype.name}"
    if len(shape) < 2:
        return "1-dimensional, a weight has 2 dimensions or more"
    if shape[-1] > quants.MAX_K:
        return f"rows of {shape[-1]}, the maximum is {quants.MAX_K}"
    return ""
