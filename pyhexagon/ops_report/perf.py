# SPDX-License-Identifier: MIT
"""The cost of whole ops in packets, on shapes of language models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any, Final

from pyhexagon import cache
from pyhexagon.device import Device
from pyhexagon.kernels.cycles import QemuLogs, costs_of
from pyhexagon.op_cases.case import Case
from pyhexagon.op_cases.case_builder import CaseBuilder
from pyhexagon.op_cases.entries import all_cases
from pyhexagon.program.graph import Node
from pyhexagon.program.report import OpReport

Record = dict[str, Any]

ROUNDS: Final = 3
LANES: Final = 32  # float32 elements per vector


def cases() -> Iterator[Case]:
    """Yield the measured cases of all ops, named by the shape of the result and other relevant sizes."""
    return (case for case in all_cases() if case.is_measured)


def run(
    device: str | None,
    transport: str | None,
    threads: Sequence[int],
    pattern: str,
    done: Callable[[], None],
    *,
    cycles: bool = False,
) -> Iterator[Record]:
    """Measure the cases that match a regular expression, on one device per number of threads.

    Args:
        done: called after each case.
        cycles: also model cycles, on a device that counts packets; see bench/cycles.py. Times are meaningless then.

    Yields:
        Records; packets are None where they are not counted.
    """
    chosen = [case for case in cases() if matches(case, pattern)]
    for n_threads in threads:
        with (
            QemuLogs() if cycles else nullcontext() as traced,
            Device(device, transport=transport, threads=n_threads) as opened,
        ):
            for case in chosen:
                yield _measure(opened, case, traced)
                done()


def matches(case: Case, pattern: str) -> bool:
    """Return whether a case matches the regular expression."""
    return re.search(pattern, f"{case.op}({case.type}, {case.name})", re.IGNORECASE) is not None


def _measure(device: Device, case: Case, traced: QemuLogs | None) -> Record:
    builder = CaseBuilder(device, str(case))
    skel = Path(device.info().skel)
    try:
        builder.add(case.build)
        node = next(node for node in reversed(builder.p.nodes) if node.row.name == case.op)
        program = builder.p.compile()
        ops = []
        for _ in range(ROUNDS):
            if traced:
                traced.costs(skel)  # discard the costs of earlier calls
            ops.append(_op(program.run_with_report(*builder.inputs)[1].ops, case.op))
        costs = traced.costs(skel) if traced else {}
    finally:
        builder.close()
    op, elements = ops[-1], _elements(node)
    return {
        "op": case.op,
        "type": case.type,
        "shape": case.name,
        "threads": device.info().threads,
        "kernels": op.kernels,
        "elements": elements,
        "packets": op.packets,
        "packets_max_thread": op.packets_max_thread,
        "packets_per_32": None if op.packets is None else round(op.packets * LANES / elements, 3),
        "cycles_model": op.packets + sum(cost.stalls for cost in costs.values()) if costs and op.packets else None,
        "functions": costs_of(costs),
        "us_dsp": median(op.nanoseconds for op in ops) / 1e3,
    }


def _op(ops: Sequence[OpReport], name: str) -> OpReport:
    return next(op for op in reversed(ops) if op.op == name)


def _elements(node: Node) -> int:
    """Return the unit count to divide the cost by: multiplications, heads times visible tokens, elements of a state at
    each token, or elements."""
    op, first, result = node.row.name, node.sources[0], node.result
    assert first is not None
    if op in ("mul_mat", "mul_mat_id"):
        return result.size * first.shape[-1]
    if op == "flash_attn_ext":
        pages = node.sources[2]
        assert pages is not None
        return first.shape[0] * first.shape[1] * pages.size * cache.PAGE_TOKENS
    if op == "gated_delta_net":
        k, v = node.sources[2:4]
        assert k is not None
        assert v is not None
        return v.size * k.shape[-1]
    if op == "cache_copy":
        return first.size // first.shape[0] * cache.PAGE_TOKENS
    if op in ("set_rows", "cache_append"):
        return first.size
    return result.size if op in ("get_rows", "concat", "ssm_conv") else max(result.size, first.size)
