# SPDX-License-Identifier: MIT
"""``pyhexagon selftest``: compare the device's ops bit for bit with recorded results."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any, Final

from pyhexagon import selftest
from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output, add_device_options, add_trace_option, tracing
from pyhexagon.device import Device
from pyhexagon.selftest import Outcome

_ON_BOARD: Final = (
    "The skel was linked by LLVM's lld, not by Qualcomm's linker. This run shows that the DSP's loader accepts it and "
    "that its kernels run."
)
_NO_BOARD: Final = (
    "No DSP was used. Whether a board's loader accepts this skel, linked by LLVM's lld, is untested until "
    "`pyhexagon selftest --device cdsp` passes on the board."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_device_options(parser)
    add_trace_option(parser)
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    with Device(options.device, transport=options.transport) as device:
        info = device.info()
    cases = selftest.recorded()
    outcomes: list[Outcome] = []
    with tracing(options) as trace:
        for transport, figure in info.transports.items():
            if isinstance(figure, float):
                with (
                    Device(options.device, transport=transport) as device,
                    trace.of(device) if trace else nullcontext(),
                ):
                    outcomes += selftest.run(device, cases)
    bad = [outcome for outcome in outcomes if outcome.problem]
    not_used = {name: figure for name, figure in info.transports.items() if isinstance(figure, str)}
    scope = _NO_BOARD if info.loopback else _ON_BOARD
    if output.as_json:
        output.json({
            "device": info.device,
            "arch": info.arch,
            "skel": info.skel,
            "build_id": f"{info.build_id:016x}",
            "passed": not bad,
            "ops": len({case.op for case in cases}),
            "cases": len(cases),
            "first_problem": _facts(bad[0]) if bad else None,
            "results": list(_summary(outcomes)),
            "transports_not_tested": not_used,
            "scope": scope,
        })
        return 1 if bad else 0
    _show(outcomes, output)
    facts = [("device", f"{info.device} ({info.arch}), skel {info.skel}")]
    facts += [(name, f"not tested: {reason}") for name, reason in not_used.items()]
    if bad:
        first = bad[0]
        facts.append(("first problem", f"{first.kernels} kernels, {first.case}, through {first.transport}"))
        facts.append(("", first.problem))
    what = f"{len({case.op for case in cases})} ops, {len(cases)} cases"
    facts.append(("result", f"FAILED: {len(bad)} of {len(outcomes)} results of {what}" if bad else f"passed: {what}"))
    output.facts([*facts, ("scope", scope)])
    return 1 if bad else 0


def _show(outcomes: Iterable[Outcome], output: Output) -> None:
    """Print a row per op: the number of cases, and of equal ones per transport and kernels."""
    groups: dict[str, dict[str, list[Outcome]]] = {}
    for outcome in outcomes:
        ways = groups.setdefault(outcome.case.op, {})
        ways.setdefault(f"{outcome.transport} {outcome.kernels}", []).append(outcome)
    titles = list(dict.fromkeys(way for ways in groups.values() for way in ways))
    rows = []
    for op, ways in groups.items():
        cases = {outcome.case for group in ways.values() for outcome in group}
        types = {case.type for case in cases} - {""}
        rows.append([op.upper(), str(len(types) or "-"), str(len(cases)), *(_equal(ways.get(way)) for way in titles)])
    columns = [("op", False), ("types", True), ("cases", True), *((f"equal, {way}", True) for way in titles)]
    output.table(columns, rows, n_keys=1)


def _equal(group: list[Outcome] | None) -> str:
    return "-" if group is None else f"{sum(not verdict.problem for verdict in group)} of {len(group)}"


def _summary(outcomes: Iterable[Outcome]) -> Iterable[dict[str, Any]]:
    """Yield the outcomes counted by transport, kernels, op and type."""
    groups: dict[tuple[str, str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        op, dtype, *_ = outcome.case
        groups.setdefault((outcome.transport, outcome.kernels, op, dtype), []).append(outcome)
    for (transport, kernels, op, dtype), group in groups.items():
        yield {
            "transport": transport,
            "kernels": kernels,
            "op": op,
            "type": dtype or None,
            "cases": len(group),
            "equal": sum(not outcome.problem for outcome in group),
            "seconds": sum(outcome.seconds for outcome in group),
        }


def _facts(outcome: Outcome) -> dict[str, Any]:
    case, place = outcome.case, outcome.place
    return {
        "transport": outcome.transport,
        "kernels": outcome.kernels,
        "op": case.op,
        "type": case.type or None,
        "case": case.name,
        "problem": outcome.problem,
        "result": place.result if place else None,
        "element": list(place.at) if place else None,
    }
