# SPDX-License-Identifier: MIT
"""Partitions the layers of a model into pipeline stages, one per device or board."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import inf

from pyhexagon.errors import ArgumentError, DspMemoryError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.memory import planned


def cut(
    layers: Sequence[int], fixed: int, capacities: Sequence[int], n_stages: int | None = None
) -> list[tuple[int, range]]:
    """Return the index of a device and its layers for each stage, in the order of the model.

    The partition minimizes the size of the largest stage, because the slowest stage bounds the throughput of a
    pipeline. Devices with more capacity are used first.

    Args:
        layers: bytes of each layer with its KV cache. The first one includes the embedding, the last one the output
            matrix.
        fixed: bytes that each device needs beside its layers.
        capacities: bytes that each device can allocate.
        n_stages: number of stages; None: the fewest that hold the model.

    Raises:
        ArgumentError: n_stages is more than the number of devices or of layers.
        DspMemoryError: the devices cannot hold the model.
    """
    most = min(len(layers), len(capacities))
    if n_stages is not None and not 1 <= n_stages <= most:
        limits = f"{len(layers)} layers, {len(capacities)} devices"
        raise ArgumentError(f"{n_stages} stages: expected 1 to {most} ({limits})")
    largest = sorted(range(len(capacities)), key=lambda board: -capacities[board])
    for n in range(1, most + 1) if n_stages is None else (n_stages,):
        boards = sorted(largest[:n])
        ends = _ends(layers, [capacities[board] - fixed for board in boards])
        if ends:
            return [(board, range(first, end)) for board, first, end in zip(boards, [0, *ends[:-1]], ends, strict=True)]
    raise DspMemoryError(
        f"{len(layers)} layers of {sum(layers):,} bytes in all, the largest of {max(layers):,}, and {fixed:,} bytes on "
        f"each device beside them; the devices can take {', '.join(f'{capacity:,}' for capacity in capacities)}",
        hint="more devices, a smaller n_ctx, or a smaller model",
    )


def _ends(layers: Sequence[int], rooms: Sequence[int]) -> list[int]:
    """Return the index after the last layer of each stage; empty if the stages do not fit.

    Dynamic programming: ``best[k][j]`` has the size of the largest of k stages that hold the first j layers, at its
    minimum, and the first layer of the k-th stage.
    """
    sums, n = [0, *accumulate(layers)], len(layers)
    best: list[list[tuple[float, int]]] = [[(0, 0)] + [(inf, 0)] * n]
    for room in rooms:
        row: list[tuple[float, int]] = [(inf, 0)]
        for end in range(1, n + 1):
            sizes = ((max(best[-1][first][0], sums[end] - sums[first]), first) for first in range(end)
                     if sums[end] - sums[first] <= room)  # fmt: skip
            row.append(min(sizes, default=(inf, 0)))
        best.append(row)
    if best[-1][n][0] == inf:
        return []
    ends = [n]
    for row in best[:1:-1]:
        ends.append(row[ends[-1]][1])
    return ends[::-1]


def sizes(
    file: GGUFFile, checked: tuple[Config, list[str]], n_ctx: int, *, n_sequences: int, kind: str
) -> tuple[list[int], int]:
    """Return the bytes of each layer with its KV cache, and the further bytes that each device needs, for ``cut``."""
    plans = [
        planned(file, checked, n_ctx, n_sequences=n_sequences, kind=kind, layers=range(layer, layer + 1))
        for layer in range(checked[0].n_layers)
    ]
    return [plan.model + plan.context for plan in plans], max(plan.compute for plan in plans)
