# SPDX-License-Identifier: MIT
"""CPU threads that compute rows of products beside the DSP (dsp/sharing/sharing.h)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData
from pyhexagon.errors import LibraryError


class Counts(NamedTuple):
    """What a team did in a run; sharing.h describes the fields."""

    n_meetings: int
    n_tiles: int
    n_quantized: int
    busy_ns: int
    wait_ns: int


NOTHING: Final = Counts(0, 0, 0, 0, 0)


class Product(NamedTuple):
    """A product of which the CPU computes the last tiles; sharing.h describes the fields."""

    dtype: int
    k: int
    n: int
    first_tile: int
    weights: int
    activations: int
    meeting: int
    meeting_offset: int
    activations_offset: int
    group: int
    ne: tuple[int, ...]
    nb: tuple[int, ...]
    n_experts: int = 0
    n_used: int = 0
    ids: int = 0
    ids_offset: int = 0
    ids_stride: int = 0


class Products:
    """The products of one request, and the addresses of the buffers that they name by number."""

    def __init__(self, products: Sequence[Product], n_buffers: int) -> None:
        self.table = ffi.new("struct sharing_product[]", [tuple(product) for product in products])
        self.n = len(products)
        self.addresses = ffi.new("uint64_t[]", n_buffers)


class Team:
    """Threads that sleep between runs; they end with this object.

    Args:
        path: of the library with this CPU's kernels.

    Raises:
        LibraryError: the library cannot be loaded, or the system has no thread for the team.
    """

    def __init__(self, path: Path, n_threads: int) -> None:
        self._library = _loaded(path)
        start, stop = self._library.phx_sharing_start, self._library.phx_sharing_stop
        owned: list[CData] = []
        owned.extend(map(ffi.gc, map(start, (n_threads,)), (stop,)))  # C only: Ctrl-C cannot come in between
        (self._team,) = owned
        if not self._team:
            raise LibraryError("the system cannot create the threads that share products with the DSP")
        self._counts = ffi.new("struct sharing_counts *")

    def begin(self, products: Products, run: int, patience_us: int, grace_us: int) -> None:
        """Let the threads take part in a run. Products and buffers must stay until ``finish`` has returned.

        Args:
            run: number of the run.
            patience_us: how long the DSP waits for tiles of one product.
            grace_us: how long it waits for tiles that no thread has begun.
        """
        self._library.phx_sharing_begin(
            self._team, products.table, products.n, products.addresses, run, patience_us, grace_us
        )

    def finish(self) -> Counts:
        """Wait until the threads are idle, a tile at most, and return what they did in the run."""
        self._library.phx_sharing_finish(self._team, self._counts)
        counts = self._counts[0]
        return Counts(counts.n_meetings, counts.n_tiles, counts.n_quantized, counts.busy_ns, counts.wait_ns)


@cache
def _loaded(path: Path) -> CData:
    """Return the library. It stays: a team ends in it, whenever that is collected."""
    try:
        return ffi.dlopen(str(path), ffi.RTLD_LOCAL | ffi.RTLD_NOW)
    except OSError as problem:
        raise LibraryError(str(problem), hint="reinstall pyhexagon for this machine") from None
