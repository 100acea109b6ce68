# SPDX-License-Identifier: MIT
"""KV caches: pages of 64 tokens, which sequences share. docs/attention.md describes their layout.

    cache = Cache(device, n_layers=16, n_pages=64, n_kv_heads=8, head_size=64)
    one = cache.sequence()
    positions = one.append(7)           # slots for 7 tokens; a program writes them there
    other = one.fork()                  # the same tokens, copy-on-write

A page belongs to the sequences that hold it. A sequence that appends to a shared page gets a copy of it first.

For a sliding window, ``drop`` releases pages that are no longer visible, and ``shift`` removes them from the sequence's
page table, so that tables stay short for sequences of any length. Keys keep the rotation of their token's original
position, and only differences of positions matter: nothing is rotated again, and no bit of a result changes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType

from pyhexagon import interrupts, saved
from pyhexagon.errors import ArgumentError, ClosedError, DspMemoryError, UnsupportedError
from pyhexagon.gguf.pages import KINDS, MAX_HEAD_SIZE, PAGE_TOKENS, SAVED_AS, bits_of_tokens, padded, page_bytes
from pyhexagon.program.program import Program
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device

NO_PAGE: Final = -1

_PAIRS: Final = 8  # pages that one message copies at most

__all__ = ["KINDS", "MAX_HEAD_SIZE", "NO_PAGE", "PAGE_TOKENS", "Cache", "CacheTensor", "CachedSequence", "PageTable",
           "new_pages", "page_bytes"]  # fmt: skip

I32 = npt.NDArray[np.int32]


class CacheTensor(Tensor):
    """Pages of keys and values: (pages, KV heads, head size). Only ops read and write it."""

    @property
    def is_cache(self) -> bool:
        """Always True."""
        return True

    def numpy(self) -> NoReturn:
        """Raise ArgumentError: the host cannot read it."""
        raise ArgumentError(f"{self!r} is a KV cache, which only attention reads")


def new_pages(device: Device, n_pages: int, n_kv_heads: int, head_size: int, *, kind: str = "q8_0") -> CacheTensor:
    """Allocate pages for one layer's keys and values; their content is undefined until it is written.

    Raises:
        ArgumentError: as ``page_bytes``; or ``n_pages`` is below 1.
        DspMemoryError: the cache does not fit.
    """
    n_bytes = page_bytes(n_kv_heads, head_size, kind)
    if n_pages < 1:
        raise ArgumentError(f"a cache of {n_pages} pages: expected 1 or more")
    gguf_type = GGMLQuantizationType[kind.upper()]
    buffer = device._memory.allocate(n_pages * n_bytes, is_lasting=True)
    return CacheTensor(device, buffer, gguf_type, (n_pages, n_kv_heads, padded(head_size)), n_pages * n_bytes)


class PageTable(ABC):
    """The pages of a cache and the sequences that hold them, wherever the cache lies. Not thread-safe.

    Args:
        n_pages: pages of 64 tokens, for all sequences together.
    """

    def __init__(self, n_pages: int) -> None:
        self._holders = [0] * n_pages
        self._free = list(range(n_pages - 1, -1, -1))

    @property
    def free_pages(self) -> int:
        """The number of pages that no sequence holds."""
        return len(self._free)

    def sequence(self) -> CachedSequence:
        """Return a new, empty sequence."""
        return CachedSequence(self, [], 0)

    def tables(self, sequences: Iterable[CachedSequence], n_pages: int) -> I32:
        """Return the page tables of sequences for the ops, (sequences, n_pages), padded with -1.

        Raises:
            ArgumentError: a sequence has more pages.
        """
        rows = [sequence.pages for sequence in sequences]
        table = np.full((len(rows), n_pages), NO_PAGE, np.int32)
        for number, row in enumerate(rows):
            if len(row) > n_pages:
                raise ArgumentError(f"a sequence of {len(row)} pages in a table of {n_pages}")
            table[number, : len(row)] = row
        return table

    def take(self, n_pages: int) -> list[int]:
        """Take free pages; each then has one holder.

        Raises:
            DspMemoryError: too few pages are free; none is taken.
        """
        if n_pages > len(self._free):
            raise DspMemoryError(
                f"the KV cache has {len(self._free)} free pages of the {n_pages} needed",
                hint="drop or close sequences, or make a larger cache",
            )
        pages = [self._free.pop() for _ in range(n_pages)]
        self.hold(pages)
        return pages

    def hold(self, pages: Iterable[int]) -> None:
        """Add a holder to each of these pages."""
        for page in pages:
            if page != NO_PAGE:
                self._holders[page] += 1

    def release(self, pages: Iterable[int]) -> None:
        """Remove a holder from each of these pages; pages without a holder become free."""
        for page in pages:
            if page != NO_PAGE:
                self._holders[page] -= 1
                if not self._holders[page]:
                    self._free.append(page)

    def is_shared(self, page: int) -> bool:
        """Return whether the page has several holders."""
        return self._holders[page] > 1

    def n_holders(self, page: int) -> int:
        """Return how often sequences hold the page."""
        return self._holders[page]

    @abstractmethod
    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy pages (source, target) in all layers."""


class Cache(PageTable):
    """The KV cache of a model's layers, and its page table. Not thread-safe.

    Args:
        n_layers: the number of layers with a cache, perhaps none; page numbers are the same in all of them.
        n_pages: pages of 64 tokens, for all sequences together.
        n_kv_heads, head_size: of all layers, or of each one; see ``page_bytes``.
        kind: see ``page_bytes``.

    Attributes:
        kind: "q8_0", "q4_0" or "f16".
        layers: one tensor per layer, for ``cache_append`` and ``flash_attn_ext``.

    Raises:
        ArgumentError: as ``page_bytes``; or there is no page.
        DspMemoryError: the cache does not fit.
    """

    def __init__(
        self,
        device: Device,
        *,
        n_layers: int,
        n_pages: int,
        n_kv_heads: int | Sequence[int],
        head_size: int | Sequence[int],
        kind: str = "q8_0",
    ) -> None:
        if n_layers < 0:
            raise ArgumentError(f"a cache of {n_layers} layers: expected 0 or more")
        self.device = device
        self.kind = kind
        heads, sizes = ([one] * n_layers if isinstance(one, int) else one for one in (n_kv_heads, head_size))
        shapes = list(zip(heads, sizes, strict=True))
        self.layers = tuple(new_pages(device, n_pages, *shape, kind=kind) for shape in shapes)
        super().__init__(n_pages)
        self.page_bytes = max((page_bytes(*shape, kind) for shape in shapes), default=0)
        self._staging: list[CacheTensor] = []  # one of each shape, with a page for each of its layers
        self._staged = [list(dict.fromkeys(shapes)).index(shape) for shape in shapes]  # which one each layer uses
        self._programs: dict[str, Program] = {}
        self._new_staging = [partial(new_pages, device, n, *shape, kind=kind) for shape, n in Counter(shapes).items()]

    def copy(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Copy pages (source, target) in all layers."""
        for at in range(0, len(pairs) if self.layers else 0, _PAIRS):
            batch = np.full((_PAIRS, 2), NO_PAGE, np.int32)
            batch[: len(pairs[at : at + _PAIRS])] = pairs[at : at + _PAIRS]
            self._program("copy").run(batch)

    # --- Save and load ---

    def read(self, page: int) -> npt.NDArray[np.uint8]:
        """Return a copy of a page's content, (layers, bytes of the largest layer's page), padded with zeros."""
        if not self.layers:
            return np.zeros((0, 0), np.uint8)
        self._program("read").run(self._pairs_of_layers(page, to_staging=True))
        content = np.zeros((len(self.layers), self.page_bytes), np.uint8)
        for row, staged in zip(content, self._staging_bytes(), strict=True):
            row[: staged.size] = staged
        return content

    def write(self, page: int, content: npt.NDArray[np.uint8]) -> None:
        """Write the content of a page; the inverse of ``read``."""
        if not self.layers:
            return
        for row, staged in zip(content, self._staging_bytes(), strict=True):
            staged[:] = row[: staged.size]
        for staging in self._staging:
            staging.buffer.note_write()
        self._program("write").run(self._pairs_of_layers(page, to_staging=False))

    def _staging_bytes(self) -> list[npt.NDArray[np.uint8]]:
        """Return each layer's page in the staging tensors."""
        if not self._staging:
            self._staging = [new() for new in self._new_staging]
            for tensor in self._staging:
                tensor.is_staging = True
        pages = [iter(tensor.buffer.bytes[: tensor.nbytes].reshape(tensor.shape[0], -1)) for tensor in self._staging]
        return [next(pages[which]) for which in self._staged]

    def _pairs_of_layers(self, page: int, *, to_staging: bool) -> I32:
        before = [self._staged[:layer].count(which) for layer, which in enumerate(self._staged)]
        pairs = np.array([(page, number) for number in before], np.int32)
        return pairs if to_staging else np.ascontiguousarray(pairs[:, ::-1])

    def _program(self, name: str) -> Program:
        if name not in self._programs:
            p = self.device.program()
            if name == "copy":
                pairs = p.input((_PAIRS, 2), np.int32)
                for layer in self.layers:
                    p.cache_copy(layer, layer, pairs)
            else:
                self._staging_bytes()
                pairs = p.input((len(self.layers), 2), np.int32)
                for number, layer in enumerate(self.layers):
                    staging: Any = self._staging[self._staged[number]]
                    source, target = (layer, staging) if name == "read" else (staging, layer)
                    p.cache_copy(source, target, pairs[number : number + 1])
            self._programs[name] = p.compile()
        return self._programs[name]

    def close(self) -> None:
        """Free the memory."""
        self._programs.clear()
        for tensor in (*self.layers, *self._staging):
            tensor.let_go()

    def __repr__(self) -> str:
        used = len(self._holders) - len(self._free)
        return f"<Cache of {len(self.layers)} layers, {used} of {len(self._holders)} pages in use>"


class CachedSequence:
    """A sequence of tokens; made by ``Cache.sequence`` and ``fork``. It closes itself when it is garbage.

    Attributes:
        pages: the page table: page i holds positions 64 i to 64 i + 63; -1 for dropped pages.
        shifted: the number of tokens removed before position 0, a multiple of 64. A position of ``append`` plus this is
            the token's original position, by which its key and its query are rotated.
    """

    def __init__(self, cache: PageTable, pages: list[int], length: int) -> None:
        self.cache = cache
        self.pages = pages
        self.shifted = 0
        self._length = length
        self._closed = False

    def __len__(self) -> int:
        """Return the number of tokens, dropped ones included: the position of the next token."""
        return self._length

    def append(self, n_tokens: int) -> I32:
        """Reserve slots for more tokens; return their positions, for the ``cache_append`` that must follow.

        If other sequences hold the page to append to, this sequence gets a copy of it first.

        Raises:
            DspMemoryError: the cache has too few free pages; nothing has changed.
        """
        self._check()
        if n_tokens < 0:
            raise ArgumentError(f"{n_tokens} tokens: expected 0 or more")
        at, used = self._length // PAGE_TOKENS, self._length % PAGE_TOKENS
        is_copied = n_tokens > 0 and used > 0 and self.cache.is_shared(self.pages[at]) and self._is_of_others(at)
        n_new = -(-(self._length + n_tokens) // PAGE_TOKENS) - len(self.pages)
        taken = self._take(n_new, int(is_copied)) if n_new or is_copied else []
        if is_copied:
            page = taken.pop()
            try:
                self.cache.copy([(self.pages[at], page)])
            except BaseException:
                self.cache.release([page, *taken])
                raise
            self.cache.release([self.pages[at]])
            self.pages[at] = page
        self.pages += taken
        first, self._length = self._length, self._length + n_tokens
        return np.arange(first, self._length, dtype=np.int32)

    def _is_of_others(self, at: int) -> bool:
        """Return whether others than this sequence are among the holders of its page ``at``, which has several."""
        return True

    def _take(self, n_new: int, n_copies: int) -> list[int]:
        """Take pages for new tokens, then pages for copies."""
        return self.cache.take(n_new + n_copies)

    def fork(self) -> CachedSequence:
        """Return another sequence with the same tokens. Pages are copied only when one of them appends."""
        self._check()
        self.cache.hold(self.pages)
        other = CachedSequence(self.cache, list(self.pages), self._length)
        other.shifted = self.shifted
        return other

    def truncate(self, length: int) -> None:
        """Roll back to ``length`` tokens.

        Raises:
            ArgumentError: the sequence is shorter, or has dropped the page to continue on.
        """
        self._check()
        n_pages = -(-length // PAGE_TOKENS)
        if not 0 <= length <= self._length:
            raise ArgumentError(f"{length} tokens of a sequence of {self._length}")
        if length % PAGE_TOKENS and self.pages[n_pages - 1] == NO_PAGE:
            raise ArgumentError(f"the tokens before position {length} were dropped")
        self.cache.release(self.pages[n_pages:])
        del self.pages[n_pages:]
        self._length = length

    def drop(self, position: int) -> None:
        """Release the pages that only hold tokens before this position; nothing may attend to these any more."""
        self._check()
        n_pages = min(position, self._length) // PAGE_TOKENS
        self.cache.release(self.pages[:n_pages])
        self.pages[:n_pages] = [NO_PAGE] * n_pages

    def shift(self) -> int:
        """Remove dropped pages at the start from the page table; positions then begin at the first kept page.

        Returns:
            The number of tokens by which positions have decreased: a multiple of 64, perhaps 0.
        """
        self._check()
        n_pages = next((number for number, page in enumerate(self.pages) if page != NO_PAGE), len(self.pages))
        n_pages = min(n_pages, self._length // PAGE_TOKENS)
        del self.pages[:n_pages]
        self.shifted += n_pages * PAGE_TOKENS
        self._length -= n_pages * PAGE_TOKENS
        return n_pages * PAGE_TOKENS

    def to_bytes(self) -> bytes:
        """Serialize the sequence for ``from_bytes``. Equal tokens give equal bytes, whatever pages hold them."""
        return saved.pack(self._belongs_to(), self.save())

    def from_bytes(self, data: bytes) -> None:
        """Restore a sequence saved by ``to_bytes``. The present pages are released.

        Raises:
            ArgumentError: the bytes are not a saved sequence, are damaged, or belong to another kind or shape of cache.
            DspMemoryError: the cache has too few free pages; nothing has changed.
        """
        self._check()
        self.load(saved.unpack(data, self._belongs_to()))

    def _belongs_to(self) -> dict[str, str | int]:
        """Return the properties that a cache must share with the saved pages."""
        cache = self._content
        heads, sizes = ([layer.shape[axis] for layer in cache.layers] for axis in (1, 2))
        n_kv_heads, head_size = (str(some) if len(set(some)) > 1 else some[0] for some in (heads, sizes))
        kind, n_layers = SAVED_AS[cache.kind], len(cache.layers)
        return {"kind": kind, "layers": n_layers, "KV heads": n_kv_heads, "head size": head_size}

    def save(self) -> dict[str, npt.NDArray[Any]]:
        """Return the content for ``numpy.savez`` and ``load``: length, shifted tokens, indices of the kept pages, and
        their bytes."""
        self._check()
        kept = [number for number, page in enumerate(self.pages) if page != NO_PAGE]
        content = [self._content.read(self.pages[number]) for number in kept]
        used = self._length % PAGE_TOKENS
        if content and used:
            for row, layer in zip(content[-1], self._content.layers, strict=True):
                mask = bits_of_tokens(layer.shape[1], layer.shape[2], self._content.kind, used)
                row[: mask.size] &= mask  # clear bits of other tokens
        shape = (0, len(self._content.layers), self._content.page_bytes)
        return {
            "length": np.array(self._length),
            "shifted": np.array(self.shifted),
            "kept": np.array(kept, np.int32),
            "content": np.stack(content) if content else np.zeros(shape, np.uint8),
        }

    def load(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Restore what ``save`` returned, in a cache of the same kind and layers. The present pages are released.

        Raises:
            ArgumentError: the arrays belong to another cache, or are not from ``save``.
            DspMemoryError: the cache has too few free pages; nothing has changed.
        """
        self._check()
        try:
            length, kept = int(arrays["length"]), [int(number) for number in arrays["kept"]]
            shifted = int(arrays["shifted"])
            content = np.asarray(arrays["content"])
        except (KeyError, TypeError, ValueError) as problem:
            raise ArgumentError(f"the saved sequence is incomplete: {problem}") from None
        n_pages = -(-length // PAGE_TOKENS)
        wanted = (len(kept), len(self._content.layers), self._content.page_bytes)
        if content.shape != wanted or content.dtype != np.uint8:
            raise ArgumentError(f"saved content {content.shape} of {content.dtype}: expected {wanted} of uint8")
        if shifted < 0 or shifted % PAGE_TOKENS:
            raise ArgumentError(f"a saved sequence has {shifted} shifted tokens: expected a multiple of {PAGE_TOKENS}")
        if length < 0 or kept != sorted(set(kept)) or (kept and not 0 <= kept[0] <= kept[-1] < n_pages):
            raise ArgumentError(f"saved pages {kept} of {length} tokens")
        if length % PAGE_TOKENS and n_pages - 1 not in kept:
            raise ArgumentError(f"the last page of {length} tokens was not saved")
        taken = self.cache.take(len(kept))
        try:
            for page, one in zip(taken, content, strict=True):
                self._content.write(page, one)
        except BaseException:
            self.cache.release(taken)
            raise
        self.cache.release(self.pages)
        self.pages = [NO_PAGE] * n_pages
        for number, page in zip(kept, taken, strict=True):
            self.pages[number] = page
        self._length, self.shifted = length, shifted

    def close(self) -> None:
        """Release the pages. A second call is a no-op."""
        if not self._closed:
            self._closed = True
            self.cache.release(self.pages)
            self.pages = []

    @property
    def _content(self) -> Cache:
        if not isinstance(self.cache, Cache):
            raise UnsupportedError("a KV cache on several devices cannot be saved or loaded")
        return self.cache

    def _check(self) -> None:
        if self._closed:
            raise ClosedError("the sequence was closed")

    def __del__(self) -> None:
        try:
            if hasattr(self, "_closed"):
                self.close()
        except KeyboardInterrupt:
            interrupts.raise_again()

    def __repr__(self) -> str:
        return f"<CachedSequence of {self._length} tokens in {sum(page != NO_PAGE for page in self.pages)} pages>"
