# SPDX-License-Identifier: MIT
"""Reports of a run: the cost of each op, and where it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple


class ThreadReport(NamedTuple):
    """The work of one DSP thread in an op; all zero for a thread that took no part.

    Packets and instructions are None where they are not counted.

    Attributes:
        start_nanoseconds: the start of its first work unit, on the DSP's clock.
        nanoseconds: from there to the end of its last work unit.
        busy_nanoseconds: the part of that time without waiting for other threads.
    """

    start_nanoseconds: int
    nanoseconds: int
    busy_nanoseconds: int
    packets: int | None
    hvx_instructions: int | None
    cycles: int | None = None


class OpReport(NamedTuple):
    """The cost of one op, including the time for quantising activations, and the session that ran it.

    Packets and instructions are None where they are not counted (a board, the host engine).

    Attributes:
        busy_nanoseconds: the sum over all threads; 0 when the device is not traced.
        start_nanoseconds: on the DSP's clock.
        threads: one entry per thread; empty when the device is not traced. Their packets, HVX instructions and busy
            times add up to the op's.
        cycles: of the DSP's clock while threads worked on the op, summed over threads; None without a cycle counter
            (the loopback; a board that does not let user code read it). No board has reported them yet.
        cycles_max_thread: of the thread with most cycles.
        fused: it was fused with the op before it, whose figures include it: its own are 0.
        cpu_rows: the weight rows of a matmul that CPU threads computed for the DSP (``Device.cpu_share``).
        taken_rows: the weight rows that the CPU did not compute in time, so that the DSP did.
    """

    op: str
    kernels: str
    session: int
    n_threads: int
    nanoseconds: int
    quantise_nanoseconds: int
    packets: int | None
    packets_max_thread: int | None
    hvx_instructions: int | None
    dma_bytes: int
    busy_nanoseconds: int
    start_nanoseconds: int
    threads: tuple[ThreadReport, ...]
    fused: bool = False
    cycles: int | None = None
    cycles_max_thread: int | None = None
    cpu_rows: int = 0
    taken_rows: int = 0


class Report(NamedTuple):
    """The cost of a program's run, and where it ran.

    Attributes:
        device: the device's name.
        transport: the transport's name.
        seconds: on the host, from the call to the answer.
        dsp_nanoseconds: on the DSP, from receiving the request to writing the response; summed over requests.
        dsp_start_nanoseconds: when the DSP received the first request, on the DSP's clock.
        ops: one entry per op, in order; a matmul has one for each part of its weight.
        packets: of the thread that executed the requests, without waiting for others; includes the ops and the
            counting. None where packets are not counted.
        n_dispatches: the number of work units dispatched to other threads.
        n_signals: the number of sleeping threads woken: workers, and the job thread that waits for them.
        n_dma_failures: the number of DMA transfers that stopped with an error or did not complete in time.
        n_dma_fallbacks: the number of pieces of weights that the DSP therefore read from memory, with the same results
            but slower.
        switches: the switches of the device that were on; see ``Switches``.
    """

    device: str
    transport: str
    seconds: float
    dsp_nanoseconds: int
    dsp_start_nanoseconds: int
    ops: tuple[OpReport, ...]
    packets: int | None = None
    n_dispatches: int = 0
    n_signals: int = 0
    n_dma_failures: int = 0
    n_dma_fallbacks: int = 0
    switches: Mapping[str, object] = MappingProxyType({})


def merged(reports: Sequence[Report]) -> Report | None:
    """Merge the reports of consecutive requests; None if there were none."""
    if len(reports) < 2:
        return reports[0] if reports else None
    return reports[0]._replace(
        seconds=sum(report.seconds for report in reports),
        dsp_nanoseconds=sum(report.dsp_nanoseconds for report in reports),
        ops=tuple(op for report in reports for op in report.ops),
        packets=sum(report.packets or 0 for report in reports) or None,
        n_dispatches=sum(report.n_dispatches for report in reports),
        n_signals=sum(report.n_signals for report in reports),
        n_dma_failures=sum(report.n_dma_failures for report in reports),
        n_dma_fallbacks=sum(report.n_dma_fallbacks for report in reports),
    )
