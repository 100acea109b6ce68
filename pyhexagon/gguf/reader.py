# SPDX-License-Identifier: MIT
"""Read the values and names of a GGUF file one after the other, each length checked against the rest of the file."""

from __future__ import annotations

import contextlib
import mmap
import struct
from array import array
from collections.abc import Mapping
from typing import Final

import numpy as np

from pyhexagon.errors import GGUFError
from pyhexagon.gguf.reading import Copy

_MAX_NAME_BYTES: Final = 1 << 16  # of a tensor's name or a metadata key
_MAX_MESSAGE: Final = 200
_MAX_QUOTED: Final = 60

_u32 = struct.Struct("<I").unpack_from
_u64 = struct.Struct("<Q").unpack_from


def quoted(name: str) -> str:
    """Shorten a name for a message: it may have 64 KiB."""
    shown = repr(name[:_MAX_QUOTED])
    return shown if len(name) <= _MAX_QUOTED and len(shown) <= _MAX_QUOTED + 2 else f"{shown[:_MAX_QUOTED]}...'"


class HeaderNames:
    """The places of names in the file. HeaderNames with equal hashes are distinguished by comparing the names."""

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
        """Return the number of a name, or None."""
        wanted = hash(name)
        for at in range(int(np.searchsorted(self._sorted, wanted)), len(self)):
            if self._sorted[at] != wanted:
                break
            if self[self._order[at]] == name:
                return int(self._order[at])
        return None


class HeaderReader:
    """Reads values one after the other; raises an error that describes a fault."""

    def __init__(self, copy: Copy, path: str, at: int) -> None:
        self._data, self._need, self._path, self.at = copy.bytes, copy.need, path, at

    def error(self, what: str) -> GGUFError:
        """Return an error about the file."""
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
        """Read a uint32."""
        number: int = _u32(self._data, self.take(4, what, of))[0]
        return number

    def u64(self, what: str, of: str | None = None) -> int:
        """Read a uint64."""
        number: int = _u64(self._data, self.take(8, what, of))[0]
        return number

    def name(self, what: str) -> str:
        """Read a name: its length, and UTF-8."""
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
        """Raise an error if ``count`` entries of ``least_bytes`` or more do not fit into the rest of the file."""
        left = len(self._data) - self.at
        if count * least_bytes > left:
            what = what if of is None else f"{what} {quoted(of)}"
            raise self.error(f"truncated or corrupt: {count} {what} do not fit into the {left} bytes that follow")

    def skip_plain(self, names: HeaderNames, count: int, widths: Mapping[int, int]) -> int:
        """Skip entries that consist of a name, a number, and as many bytes as ``widths`` has for that number.

        Stop at an entry of another form or a broken one. Return how many entries remain.
        """
        data, size, place, here = self._data, len(self._data), self.at, 0
        most = 8 + _MAX_NAME_BYTES + 4 + max(widths.values())
        add_place, add_hash = names.places.append, names.hashes.append
        with contextlib.suppress(struct.error, UnicodeDecodeError):
            while count:
                if place + most > here:
                    here = self._need(place, place + most)
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
        """Skip strings, and check their lengths."""
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
