# SPDX-License-Identifier: MIT
"""What a program tells of a run: what it cost, and what ran where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple


class ThreadReport(NamedTuple):
    """What one DSP thread did in an op; all zero for a thread that had no part in it.

    Packets and instructions are None where nothing counts them.

    Attributes:
        start_nanoseconds: of the DSP's clock, when its first piece of work began.
        nanoseconds: from there to the end of its last one.
        busy_nanoseconds: of these, without waiting for other threads.
    """

    start_nanoseconds: int
    nanoseconds: int
    busy_nanoseconds: int
    packets: int | None
    hvx_instructions: int | None


class OpReport(NamedTuple):
    """What one op cost, part of the time for quantising activations, and which of the device's sessions ran it.

    Packets and instructions are None where nothing counts them (a board, the host engine).

    Attributes:
        busy_nanoseconds: of all threads; 0 when the device is not traced.
        start_nanoseconds: of the DSP's clock.
        threads: what each did; empty when the device is not traced. Packets, HVX instructions and busy time add up to
            the op's.
        joined: it ran together with the op before it, whose figures are those of both: its own are 0.
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
    joined: bool = False


class Report(NamedTuple):
    """What a run of a program cost, and where it ran.

    Attributes:
        device: name of the device.
        transport: what carried it.
        seconds: on the host, from the call to the answer.
        dsp_nanoseconds: on the DSP, from taking the request up to writing the response; the sum, if there were several.
        dsp_start_nanoseconds: of the DSP's clock, when it took the first request up.
        ops: one per op, in order; a product has one for each part of its weight.
        packets: of the thread that took the requests, without waiting for others; the ops and what counts them are in
            it. None where nothing counts them.
        n_hand_overs: pieces of work that were given to other threads.
        n_signals: sleeping threads that were woken for that.
        switches: those of the device that were on; see ``Switches``.
    """

    device: str
    transport: str
    seconds: float
    dsp_nanoseconds: int
    dsp_start_nanoseconds: int
    ops: tuple[OpReport, ...]
    packets: int | None = None
    n_hand_overs: int = 0
    n_signals: int = 0
    switches: Mapping[str, object] = MappingProxyType({})


def together(reports: Sequence[Report]) -> Report | None:
    """The report of requests that were sent one after the other; None if there were none."""
    if len(reports) < 2:
        return reports[0] if reports else None
    return reports[0]._replace(
        seconds=sum(report.seconds for report in reports),
        dsp_nanoseconds=sum(report.dsp_nanoseconds for report in reports),
        ops=tuple(op for report in reports for op in report.ops),
        packets=sum(report.packets or 0 for report in reports) or None,
        n_hand_overs=sum(report.n_hand_overs for report in reports),
        n_signals=sum(report.n_signals for report in reports),
    )
