# SPDX-License-Identifier: MIT
"""What a timeline needs of a run under QEMU: messages, and their ops in order with packets and bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pyhexagon.program.report import Report

ATTENTION: Final = "flash_attn_ext"
_FETCHING: Final = frozenset({"gated_delta_net", "ssm_conv", ATTENTION})  # vector kernels with l2fetch


class CacheRead(NamedTuple):
    """What an attention op reads of the KV cache.

    Attributes:
        n_bytes: of the pages that it sees.
        fetched: vector kernels fetch them ahead: in decode, from a quantized cache.
    """

    n_bytes: int
    fetched: bool


class RecordedOp(NamedTuple):
    """Attributes:
    fused: the op before it includes its packets and bytes.
    packets: by thread.
    dma_bytes: weights.
    demand_bytes: of the KV cache.
    read_bytes, written_bytes: rows: activations and recurrent states.
    fetched: the kernels that ran fetch what they read ahead.
    """

    op: str
    fused: bool
    packets: tuple[int, ...]
    dma_bytes: int
    demand_bytes: int
    read_bytes: int
    written_bytes: int
    fetched: bool = False


class RecordedMessage(NamedTuple):
    """Attributes:
    packets_between: of the thread that executes the message, between its ops.
    ops: in order.
    """

    packets_between: int
    ops: tuple[RecordedOp, ...]

    def described(self) -> dict[str, Any]:
        """Return the message in the form of JSON."""
        return {"packets_between": self.packets_between, "ops": [op._asdict() for op in self.ops]}


def recorded(
    reports: Sequence[Report],
    packets: Sequence[int],
    described: Sequence[Sequence[dict[str, Any]]],
    cache_reads: Iterator[CacheRead],
) -> list[RecordedMessage]:
    """Return the messages of a traced run whose packets were counted.

    Args:
        packets: for each report, those of the thread that executed the message in a run that was not traced.
        described: for each report, the facts about each op that tracers get.
        cache_reads: of each attention op, in order.
    """
    messages = []
    for report, n_packets, facts in zip(reports, packets, described, strict=True):
        ops = []
        for op, about in zip(report.ops, facts, strict=True):
            by_thread = tuple(thread.packets or 0 for thread in op.threads)
            cache = next(cache_reads) if op.op == ATTENTION else CacheRead(0, fetched=True)
            read, written = (n + about["slot_bytes"] for n in _read_and_written(op.op, about["row_bytes"]))
            fetched = op.op in _FETCHING and op.kernels != "ref" and cache.fetched
            ops.append(RecordedOp(op.op, op.fused, by_thread, op.dma_bytes, cache.n_bytes, read, written, fetched))
        between = n_packets - sum(op.packets[0] for op in ops if op.packets)
        messages.append(RecordedMessage(max(between, 0), tuple(ops)))
    return messages


def _read_and_written(op: str, row_bytes: Sequence[int]) -> tuple[int, int]:
    """Return the bytes that an op reads and writes; of a table whose rows are picked, only the picked rows."""
    *sources, result = row_bytes
    if op == "get_rows":
        return sum(sources[1:]) + result, result
    return sum(sources), min(result, max(sources)) if op == "set_rows" else result
