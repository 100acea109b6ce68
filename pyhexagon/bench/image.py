# SPDX-License-Identifier: MIT
"""The cost of a picture in an image encoder: packets and bytes of each op, and what ``timeline`` needs.

A picture's tiles of one size cost the same, so that one tile of each size is encoded and counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pyhexagon.bench.timed import traced
from pyhexagon.bench.timeline_record import CacheRead, RecordedMessage, recorded
from pyhexagon.device import Device
from pyhexagon.llm.vision.encoder import ImageEncoder


class ImageCost(NamedTuple):
    """What a picture costs.

    Attributes:
        n_tiles, n_tokens: of the picture: tiles that are encoded, and their embeddings.
        seconds: of this machine, for all tiles; each program ran once before.
        packets, packets_max_thread: of all threads, and of the busiest one in each op; None where they are not counted.
        n_bytes: of weights that are read.
        by_kind: these three by kind of op: "packets", "packets_max_thread", "bytes".
        messages: of all tiles; empty if packets are not counted.
    """

    n_tiles: int
    n_tokens: int
    seconds: float
    packets: int | None
    packets_max_thread: int | None
    n_bytes: int
    by_kind: dict[str, dict[str, int]]
    messages: list[RecordedMessage]


def measured(device: Device, encoder: ImageEncoder, size: tuple[int, int], *, is_timed: bool = True) -> ImageCost:
    """Encode a picture of random pixels, and return what it costs.

    Args:
        size: width and height of the picture.
        is_timed: encode a second time for ``ImageCost.seconds``, which is NaN otherwise: emulators are slow.

    Raises:
        HexagonError: the device fails.
    """
    picture = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), np.uint8)
    tiles = encoder.tiles(picture)
    counts = Counter(tile.shape for tile in (*tiles.parts, tiles.whole))
    one_of = {tile.shape: tile for tile in (*tiles.parts, tiles.whole)}
    n_tokens, seconds = 0, 0.0
    messages: list[RecordedMessage] = []
    by_kind: dict[str, dict[str, int]] = {}
    are_counted = True
    for shape, n in counts.items():
        with traced(device) as tracer:
            n_tokens += n * len(encoder.embed(one_of[shape]))
        start = time.perf_counter()
        if is_timed:
            encoder.embed(one_of[shape])
        seconds += n * (time.perf_counter() - start if is_timed else np.nan)
        (report,) = tracer.reports
        are_counted = are_counted and report.packets is not None
        for op in report.ops:
            costs = by_kind.setdefault(op.op, {"packets": 0, "packets_max_thread": 0, "bytes": 0})
            costs["packets"] += n * (op.packets or 0)
            costs["packets_max_thread"] += n * (op.packets_max_thread or 0)
            costs["bytes"] += n * op.dma_bytes
        if report.packets is not None:
            executed = sum(op.threads[0].packets or 0 for op in report.ops)
            messages += n * recorded([report], [executed], tracer.described, _cache_reads(encoder))
    totals = [sum(costs[name] for costs in by_kind.values()) for name in ("packets", "packets_max_thread", "bytes")]
    return ImageCost(
        len(tiles.parts) + 1, n_tokens, seconds, totals[0] if are_counted else None,
        totals[1] if are_counted else None, totals[2], by_kind, messages if are_counted else [],
    )  # fmt: skip


def _cache_reads(encoder: ImageEncoder) -> Iterator[CacheRead]:
    """Yield what each attention op of the last tile reads: all keys and values, which nothing fetches ahead."""
    while True:
        yield CacheRead(encoder.cache_bytes, fetched=False)
