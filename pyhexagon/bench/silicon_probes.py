# SPDX-License-Identifier: MIT
"""The probes of ``bench silicon``: what each measures on the DSP, and the predicted figure.

docs/bench-silicon.md lists the predictions with their sources. No board has confirmed any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pyhexagon.process.stub import ProbeRecord

TICKS_PER_SECOND: Final = 19.2e6  # of the DSP's qtimer
BUFFER_BYTES: Final = 4 << 23  # that probes use: 8 MiB for each of four threads
FEWER: Final = 200  # a loopback runs so many times fewer repeats
_MIB: Final = 1 << 20
_LOOP_PACKETS: Final = {  # of a call of an inner loop over K = 1024, as QEMU counts them
    ("LOOP_Q4_0", 1): 1464, ("LOOP_Q4_0", 4): 1426, ("LOOP_Q4_0", 32): 1390,
    ("LOOP_Q8_0", 1): 2276, ("LOOP_Q8_0", 4): 1418, ("LOOP_Q8_0", 32): 1382,
}  # fmt: skip

_STORED_PACKETS: Final = {"STORED_Q4_0": 1407, "STORED_Q8_0": 1399, "DCFETCH_Q4_0": 1504, "DCFETCH_Q8_0": 1496}


class Prediction(NamedTuple):
    """A range of a figure, in its unit."""

    low: float
    high: float
    unit: str


class DspProbe(NamedTuple):
    """A probe that the skel runs.

    Attributes:
        name: unique, and stable across versions.
        kind: a key of ``contract.PROBES``.
        repeats: on a board; a loopback runs fewer.
        size: as the kind defines it.
        packets: of a unit of work; 0 where packets are not the measure.
    """

    name: str
    kind: str
    threads: int
    repeats: int
    size: int
    predicted: Prediction
    packets: float = 0.0

    def figure(self, records: Sequence[ProbeRecord]) -> float | None:
        """Return the figure in the prediction's unit; None without the counter that it needs.

        Threads run at the same time: a rate in cycles is that of the slowest thread, and one in bytes is that of all
        threads over the time of the slowest. What takes less than a tick of the timer counts as a tick.
        """
        unit = self.predicted.unit
        cycles = max(record.cycles for record in records)
        seconds = max(1, *(record.ticks for record in records)) / TICKS_PER_SECOND
        work = records[0].work
        if unit in ("GHz", "cycles/packet"):
            if not cycles or not work:
                return None
            return cycles / seconds / 1e9 if unit == "GHz" else cycles / (work * self.packets)
        if not work:
            return None
        if unit == "GB/s":
            return sum(record.work for record in records) / seconds / 1e9
        return seconds / work * (_MIB if unit == "us/MiB" else 1) * 1e6


def clock_probe(name: str, predicted: Prediction) -> DspProbe:
    """Return a probe of the DSP's clock: 0.1 s on a board."""
    return DspProbe(name, "NOP", 1, 60_000, 0, predicted, 1)


def dma_probe(name: str, n_threads: int, *, is_slow: bool) -> DspProbe:
    """Return a probe of the rate of user DMA on all threads; ``is_slow``: with a vote for low clocks."""
    n = min(n_threads, 4)
    return DspProbe(f"{name}/{n}", "DMA", n, 512, 1 << 18, Prediction(4 if is_slow else 12.6, 17, "GB/s"))


def dsp_probes(n_threads: int) -> Iterator[DspProbe]:
    """Yield the probes for a DSP with ``n_threads`` threads, in the order of their importance."""
    some = [n for n in (1, 2, 3, 4) if n <= n_threads]
    ends = [1, some[-1]] if some[-1] > 1 else [1]

    def rate(low: float, high: float) -> Prediction:
        return Prediction(low, high, "cycles/packet")

    yield clock_probe("clock", Prediction(1.2, 1.4, "GHz"))
    for n in some:
        yield DspProbe(f"nop/{n}", "NOP", n, 20_000, 0, rate(1, 2), 1)
    for n in some:
        yield DspProbe(f"vrmpy chain/{n}", "VRMPY_CHAIN", n, 10_000, 0, rate(2, 4), 1)
    for n in some:
        yield DspProbe(f"vrmpy pairs/{n}", "VRMPY_PAIRS", n, 10_000, 0, rate(1, 2) if n < 3 else rate(n / 2, n), 1)
    for (kind, rows), packets in _LOOP_PACKETS.items():
        for n in ends:
            name = f"loop {kind.removeprefix('LOOP_')} {rows} rows/{n}"
            yield DspProbe(name, kind, n, 65_536 // rows, rows, rate(1.7, 3.2), packets)
    for kind, packets in _STORED_PACKETS.items():
        how, dtype = kind.split("_", 1)
        for n in ends:
            predicted = rate(3.4, 9.6) if how == "STORED" else rate(1.7, 3.2)
            yield DspProbe(f"loop {dtype} 32 rows {how.lower()}/{n}", kind, n, 2_048, 32, predicted, packets)
    yield from _memory(ends)
    for n in ends[1:]:
        yield DspProbe(f"dma 256 KiB shared/{n}", "DMA_SHARED", n, 512, 1 << 18, Prediction(4.7, 9, "GB/s"))
        yield DspProbe("dispatch by spin", "DISPATCH_SPIN", n, 20_000, 0, Prediction(0.2, 0.5, "us"))
        yield DspProbe("dispatch by signal", "DISPATCH_SIGNAL", n, 5_000, 0, Prediction(3, 10, "us"))
    for kind in ("CACHE_CLEAN", "CACHE_INVALIDATE"):
        yield DspProbe(kind.lower().replace("_", " "), kind, 1, 100, _MIB, Prediction(30, 80, "us/MiB"))


def _memory(ends: Sequence[int]) -> Iterator[DspProbe]:
    """Yield the probes of memories: each thread loads or copies a part of its own."""

    def rate(low: float, high: float) -> Prediction:
        return Prediction(low, high, "GB/s")

    for n in ends:
        yield DspProbe(f"load vtcm/{n}", "LOAD_VTCM", n, 8_000, 1 << 17, rate(80 * n, 160 * n))
    for n in ends:
        yield DspProbe(f"load l2/{n}", "LOAD_MEMORY", n, 8_000, 1 << 16, rate(40, 80))
    for n in ends:
        yield DspProbe(f"load ddr/{n}", "LOAD_MEMORY", n, 4, 1 << 23, rate(0.6 * n, 6 * n))
    for n in ends:
        yield DspProbe(f"load ddr l2fetch/{n}", "LOAD_FETCHED", n, 8, 1 << 23, rate(10, 17) if n > 1 else rate(4, 17))
    for size in (1 << 12, 1 << 15, 1 << 18):
        for n in ends:
            predicted = rate(12.6, 17) if n > 1 else rate(5, 9)
            if size < 1 << 15:
                predicted = rate(1, 12.6) if n > 1 else rate(1, 9)
            repeats = (1 << 27) // size
            yield DspProbe(f"dma {size >> 10} KiB/{n}", "DMA", n, repeats, size, predicted)
