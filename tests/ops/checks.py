# SPDX-License-Identifier: MIT
"""Compare matmuls with the specification, and count the comparisons."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from ops.cases import Case
from ops.placed import F32, Edge, run
from pyhexagon import Device
from pyhexagon.process import locate

Packed = tuple[list[tuple[str, tuple[str, str, str], list[int]]], list[str]]


class Matrix:
    """Counts comparisons, type -> (engine, transport, kernels) -> [equal, all], and collects the accuracy table."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[tuple[str, str, str], list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        self.accuracy: list[str] = []

    def count(self, dtype: str, device: Device, kernels: str, equal: bool) -> None:
        cell = self.counts[dtype][device.name, device._session.transport.name, kernels]
        cell[0] += equal
        cell[1] += 1

    def packed(self) -> Packed:
        """Return the content in a form that can be sent to another process."""
        cells = [(dtype, column, cell) for dtype, row in self.counts.items() for column, cell in row.items()]
        return cells, self.accuracy

    def add(self, packed: Packed) -> None:
        """Add the counts of another process."""
        cells, accuracy = packed
        self.accuracy += accuracy
        for dtype, (engine, transport, kernels), (equal, n) in cells:
            cell = self.counts[dtype][engine, transport, kernels]
            cell[0] += equal
            cell[1] += n

    def lines(self) -> Iterator[str]:
        columns = sorted({column for row in self.counts.values() for column in row})
        for at, title in enumerate(("engine", "transport", "kernels")):
            yield f"{title:9}" + "".join(f"{column[at]:>15}" for column in columns)
        for dtype, row in self.counts.items():
            cells = (row[column] for column in columns)
            yield f"{dtype:9}" + "".join(f"{f'{equal} of {n}':>15}" for equal, n in cells)


def kernels_of(device: Device) -> tuple[str, ...]:
    """Return the kernels of a skel, by the names to request them with."""
    return ("ref",) if device.info().arch == "host" and locate.cpu_level() == "ref" else ("hvx", "ref")


def recorded_as(device: Device, kernels: str) -> str:
    """Return the name that records use for requested kernels."""
    if device.info().arch != "host" or kernels == "ref":
        return kernels
    return "ref" if locate.cpu_level() == "ref" else "cpu"


class Checker:
    """Compares matmuls with the specification and updates the matrix."""

    def __init__(self, device: Device, matrix: Matrix) -> None:
        self.device = device
        self.matrix = matrix
        self.kernels = kernels_of(device)

    def check(self, edge: Edge, cases: Sequence[tuple[Case, int]], most_ref: int = sys.maxsize) -> None:
        """Run the first m rows of each case, all in one program, on every set of kernels.

        Args:
            most_ref: the reference kernels run no case with a larger m.
        """
        every = cases
        for kernels in self.kernels:
            cases = every if kernels != "ref" else [(case, m) for case, m in every if m <= most_ref]
            products = [case.rows(m) for case, m in cases]
            results, ran = run(self.device, edge, kernels, products)
            assert ran == recorded_as(self.device, kernels)
            differences = []
            for (case, m), got in zip(cases, results, strict=True):
                difference = first_difference(got, case.want[:m])
                self.matrix.count(case.weight.dtype.name, self.device, kernels, not difference)
                if difference:
                    differences.append(f"{case.name}, first {m} rows, {kernels}, {edge}: {difference}")
            assert not differences, "\n".join(differences)


def first_difference(got: F32, want: F32) -> str:
    assert got.shape == want.shape
    got_bits, want_bits = got.view(np.uint32), np.ascontiguousarray(want).view(np.uint32)
    places = np.argwhere(got_bits != want_bits)
    if not len(places):
        return ""
    m, n = map(int, places[0])
    return (
        f"{len(places)} of {got.size} differ, the first in row {m} of x, row {n} of the weight: "
        f"{got[m, n]} ({got_bits[m, n]:08x}) instead of {want[m, n]} ({want_bits[m, n]:08x})"
    )
