# SPDX-License-Identifier: MIT
"""GGUF files: the names, shapes and types of their tensors, and the raw bytes.

The gguf package has a reader, too. It trusts the file: NumPy slices beyond its end are empty, so a corrupt count of
2^40 numbers runs until memory is exhausted; and it makes Python objects of every token of the vocabulary. So the
headers are read here (`headers.py`): every length is checked against the rest of the file before it is used,
metadata is skipped except for the alignment, and each tensor's bytes must lie inside the file and must not overlap
another tensor's.

A model may be split over several files, model-00001-of-00003.gguf and so on. The first one stands for all of them.

Headers and loaded data are read by position (`reading.py`): if another process truncates the file meanwhile, that is an
error. ``raw`` is a view of the mapped file; touching lost pages of it is fatal (SIGBUS).
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import mmap
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from math import prod
from types import TracebackType
from typing import Final

import numpy as np
import numpy.typing as npt

from pyhexagon import interrupts
from pyhexagon.errors import ArgumentError, ClosedError, GGUFError
from pyhexagon.gguf.headers import Headers, TensorInfo, Value
from pyhexagon.gguf.reader import quoted
from pyhexagon.gguf.reading import OpenFile, Rows
from pyhexagon.unique import Unique

_MOST_NAMES_COMPARED: Final = 10_000
_LONGEST_NAME_COMPARED: Final = 200
_MOST_KEYS_SHOWN: Final = 50
_FIRST_PART: Final = re.compile(r"(.*)-00001-of-(\d{5})\.gguf", re.DOTALL)


class UnknownTensorError(GGUFError, KeyError):
    """The file has no tensor of this name; the hint suggests similar names."""


class Metadata(Mapping[str, Value]):
    """The metadata of a GGUF file: ``file.metadata["general.architecture"]``.

    Values are bool, int, float and str; arrays are NumPy arrays, or lists for strings. Each value is read from the file
    on access, because vocabularies are large.
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
        if self._file.closed:
            return f"<Metadata of {self._file!r}>"
        keys = list(itertools.islice(self, _MOST_KEYS_SHOWN))
        more = f", {len(self) - len(keys)} more" if len(self) > len(keys) else ""
        return f"<Metadata of {self._file.path}: {', '.join(map(quoted, keys))}{more}>"


class GGUFFile(Unique, Mapping[str, TensorInfo]):
    """A GGUF file, open for reading: its tensors by name, ``file["token_embd.weight"].shape`` for example.

    Replace a file that may be in use by renaming another one to its name: an open file keeps its content. If a file is
    truncated in place, loading from it raises GGUFError, but touching arrays of ``raw`` ends the process (SIGBUS).

    Args:
        path: the file; or the first part of a split model, whose other parts must lie beside it.

    Raises:
        GGUFError: the file is missing, unreadable, truncated, corrupt, of another byte order or of an unknown version;
            or one of its parts is, or does not belong to the others.
    """

    _instead = "open the file again"
    hidden = frozenset({"headers", "hidden", "rows"})
    _map: mmap.mmap | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._opened = OpenFile(self.path, GGUFError)
        self._headers = Headers(self._opened)
        self._others: list[GGUFFile] = []  # the parts after the first
        self._map = _map_file(self._opened)
        try:
            self._open_others()
        except BaseException:
            self.close()
            raise

    def _open_others(self) -> None:
        n_parts, number, n_tensors = (self.metadata.get(f"split.{key}") for key in ("count", "no", "tensors.count"))
        if not isinstance(n_parts, int) or n_parts < 2 or number != 0:
            return
        paths = part_paths(self.path)
        if n_parts != len(paths):
            ending = _ending(0, n_parts)
            raise GGUFError(f"{self.path} is the first of {n_parts} parts: its name must end with {ending}")
        for number, path in enumerate(paths[1:], 1):
            part = GGUFFile(path)
            self._others.append(part)
            of = part.metadata.get("split.no"), part.metadata.get("split.count")
            if of != (number, n_parts):
                raise GGUFError(
                    f"{part.path} is part {of[0]} of {of[1]}, counted from 0: expected {number} of {n_parts}"
                )
        names = self.names()
        if len(set(names)) != len(names):
            raise GGUFError(f"{self.path}: tensors of its {n_parts} parts have the same names")
        if isinstance(n_tensors, int) and n_tensors != len(names):
            raise GGUFError(f"{self.path}: its {n_parts} parts have {len(names)} tensors: expected {n_tensors}")

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._map is None

    @property
    def headers(self) -> Headers:
        """The file's headers; for this package only."""
        self._open_map()
        return self._headers

    @property
    def metadata(self) -> Metadata:
        """The file's metadata."""
        return Metadata(self)

    @property
    def paths(self) -> list[str]:
        """The paths of all parts; one, if the model is not split."""
        return [part.path for part in self._all()]

    def names(self) -> list[str]:
        """Return the tensors' names in the order of the file."""
        return [name for part in self._all() for name in part.headers]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return sum(len(part.headers) for part in self._all())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __getitem__(self, name: str) -> TensorInfo:
        return self.info(name)

    def __bool__(self) -> bool:
        return True  # also a file without tensors

    __eq__ = object.__eq__  # a file only equals itself
    __hash__ = object.__hash__

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description; raises UnknownTensorError."""
        if not isinstance(name, str):
            raise ArgumentError(f"the name of a tensor is {name!r}: expected a string")
        return self._found(name)[0]

    def _found(self, name: str) -> tuple[TensorInfo, GGUFFile]:
        """Return a tensor's description, and the part that contains it."""
        found = self._find(name)
        if found is None:
            near = self._near(name)
            hint = f"near names are {', '.join(near)}" if near else ""
            detail = f"{self.path}: none of the {len(self)} tensors is {quoted(name)}"
            raise UnknownTensorError(detail, hint=hint)
        return found

    def _all(self) -> list[GGUFFile]:
        return [self, *self._others]

    def _find(self, name: str) -> tuple[TensorInfo, GGUFFile] | None:
        for part in self._all():
            info = part.headers.find(name)
            if info is not None:
                return info, part
        return None

    def _near(self, name: str) -> list[str]:
        """Return similar names, unless the search would take long."""
        if len(self) > _MOST_NAMES_COMPARED or len(name) > _LONGEST_NAME_COMPARED:
            return []
        short = [known for known in self if len(known) <= _LONGEST_NAME_COMPARED]
        return difflib.get_close_matches(name, short, n=3, cutoff=0.5)

    def raw(self, name: str) -> npt.NDArray[np.uint8]:
        """Return a tensor's bytes as a read-only (rows, bytes per row) view of the file, leading dimensions flattened.

        Touching it after the file was truncated is fatal (SIGBUS); see above.
        """
        info, part = self._found(name)
        rows = prod(info.shape[:-1])
        flat = np.frombuffer(part._open_map(), np.uint8, count=info.n_bytes, offset=info.offset)
        return flat.reshape(rows, info.n_bytes // rows)

    def rows(self, name: str) -> Rows:
        """Return a function that gives copies of a tensor's rows; for this package only."""
        info, part = self._found(name)
        part._open_map()
        return partial(part._opened.rows, info.offset, info.n_bytes // prod(info.shape[:-1]))

    def close(self) -> None:
        """Unmap the file: at once, or with the last living array from `raw`."""
        for part in self._others:
            part.close()
        mapped, self._map = self._map, None
        if mapped is not None:
            del self._headers, self._opened
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
        try:
            if self._map is not None:
                warnings.warn(f"{self!r} was not closed", ResourceWarning, source=self, stacklevel=2)
                self.close()
        except KeyboardInterrupt:
            interrupts.raise_again()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"{len(self)} tensors"
        return f"<GGUFFile {self.path} {state}>"


def part_paths(path: str) -> list[str]:
    """Return the paths of the parts of a split model, whose first part is called so; ``path`` alone for other names."""
    name = _FIRST_PART.fullmatch(path)
    return [path] if name is None else [f"{name[1]}{_ending(number, int(name[2]))}" for number in range(int(name[2]))]


def _ending(number: int, n_parts: int) -> str:
    """Return the ending of a part's name."""
    return f"-{number + 1:05}-of-{n_parts:05}.gguf"


def _unmap(mapped: mmap.mmap) -> None:
    with contextlib.suppress(BufferError):  # arrays hold the mapping: the last of them unmaps it
        mapped.close()


def _map_file(file: OpenFile) -> mmap.mmap:
    try:
        return mmap.mmap(file.fd, file.size, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise GGUFError(f"{file.path}: {getattr(error, 'strerror', None) or error}") from error
