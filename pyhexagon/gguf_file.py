# SPDX-License-Identifier: MIT
"""GGUF files: the names, shapes and types of their tensors, and the raw bytes through mmap.

The gguf package has a reader, too. It believes the file: beyond its end NumPy slices come back empty, so a corrupt
count of 2^40 numbers runs until memory is gone; and it makes Python objects of every token of the vocabulary. So the
headers are read here (`gguf_headers.py`): every length is checked against what is left of the file before it is used,
metadata is skipped except for the alignment, and each tensor's bytes are checked to lie inside the file, apart from
those of every other.

A mapped file that something else truncates makes a read of the lost pages fatal (SIGBUS), as with any mmap.
"""

from __future__ import annotations

import contextlib
import difflib
import mmap
import os
import stat
import warnings
from collections.abc import Iterator, Mapping
from math import prod
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon.errors import ArgumentError, ClosedError, GGUFError
from pyhexagon.gguf_headers import Headers, TensorInfo, Value, quoted
from pyhexagon.unique import Unique

_MOST_NAMES_COMPARED: Final = 10_000
_LONGEST_NAME_COMPARED: Final = 200


class UnknownTensorError(GGUFError, KeyError):
    """The file has no tensor of this name; the hint tells the names that come near."""


class Metadata(Mapping[str, Value]):
    """The metadata of a GGUF file: ``file.metadata["general.architecture"]``.

    Values are bool, int, float and str; arrays are NumPy arrays, of strings lists. Each is read from the file when it
    is asked for, as vocabularies are large.
    """

    def __init__(self, file: GGUFFile) -> None:
        self._file = file

    def __getitem__(self, key: str) -> Value:
        return self._file.headers.value(key)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._file.headers.has_key(key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.headers.keys())

    def __len__(self) -> int:
        return len(self._file.headers.keys())

    def __repr__(self) -> str:
        return f"<Metadata of {self._file!r}>"


class GGUFFile(Unique, Mapping[str, TensorInfo]):
    """A GGUF file, mapped for reading: its tensors by name, ``file["token_embd.weight"].shape`` for example.

    Args:
        path: the file.

    Raises:
        GGUFError: it is missing, unreadable, truncated, corrupt, of another byte order or of an unknown version.
    """

    instead = "open the file again"
    hidden = frozenset({"headers", "hidden", "instead"})
    _map: mmap.mmap | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        mapped = _map_file(self.path)
        try:
            self._headers = Headers(mapped, self.path)
        except BaseException:
            _unmap(mapped)
            raise
        self._map = mapped

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._map is None

    @property
    def headers(self) -> Headers:
        """What the file says of itself; of use to this package only."""
        self._open_map()
        return self._headers

    @property
    def metadata(self) -> Metadata:
        """What the file says besides its tensors."""
        return Metadata(self)

    def names(self) -> list[str]:
        """The tensors' names, in the order of the file."""
        return list(self.headers)

    def __iter__(self) -> Iterator[str]:
        return iter(self.headers)

    def __len__(self) -> int:
        return len(self.headers)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.headers.find(name) is not None

    def __getitem__(self, name: str) -> TensorInfo:
        return self.info(name)

    def __bool__(self) -> bool:
        return True  # an empty file is one, too

    __eq__ = object.__eq__  # a file is itself only
    __hash__ = object.__hash__

    def info(self, name: str) -> TensorInfo:
        """What a tensor is; raises UnknownTensorError."""
        if not isinstance(name, str):
            raise ArgumentError(f"the name of a tensor is {name!r}: expected a text")
        info = self.headers.find(name)
        if info is None:
            near = self._near(name)
            hint = f"near names are {', '.join(near)}" if near else ""
            detail = f"{self.path}: none of the {len(self._headers)} tensors is {quoted(name)}"
            raise UnknownTensorError(detail, hint=hint)
        return info

    def _near(self, name: str) -> list[str]:
        """Names that look like this one, where finding them takes no time."""
        if len(self._headers) > _MOST_NAMES_COMPARED or len(name) > _LONGEST_NAME_COMPARED:
            return []
        short = [known for known in self._headers if len(known) <= _LONGEST_NAME_COMPARED]
        return difflib.get_close_matches(name, short, n=3, cutoff=0.5)

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
            del self._headers  # it holds the mapping, too
            _unmap(mapped)

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

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self._headers)} tensors"
        return f"<GGUFFile {self.path} {state}>"


def _unmap(mapped: mmap.mmap) -> None:
    with contextlib.suppress(BufferError):  # arrays hold the mapping: the last of them unmaps it
        mapped.close()


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
