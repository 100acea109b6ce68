# SPDX-License-Identifier: MIT
"""``pyhexagon selftest``: does this device give the bits that were recorded?"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Final

from pyhexagon import selftest
from pyhexagon.cli.output import Output, add_device_options, add_trace_option, tracing
from pyhexagon.device import Device
from pyhexagon.selftest import Outcome

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_ON_BOARD: Final = (
    "The skel was linked by LLVM's lld, not by Qualcomm's linker. That this DSP's loader took it and its kernels ran "
    "is what this run shows."
)
_NO_BOARD: Final = (
    "No DSP was used. That a board's loader takes this skel, linked by LLVM's lld, is untested until "
    "`pyhexagon selftest --device cdsp` passes on the board."
)


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("selftest", help="check the device's products, bit for bit, against recorded ones")
    add_device_options(parser)
    add_trace_option(parser)
    return parser


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
    rows = list(_summary(outcomes))
    if output.as_json:
        output.json({
            "device": info.device,
            "arch": info.arch,
            "skel": info.skel,
            "build_id": f"{info.build_id:016x}",
            "passed": not bad,
            "first_problem": _facts(bad[0]) if bad else None,
            "results": rows,
            "transports_not_tested": not_used,
            "scope": scope,
        })
        return 1 if bad else 0
    columns = (("transport", False), ("kernels", False), ("type", False), ("products", True), ("equal", True))
    output.table(columns, ([str(row[name]) for name, _ in columns] for row in rows))
    facts = [("device", f"{info.device} ({info.arch}), skel {info.skel}")]
    facts += [(name, f"not tested: {reason}") for name, reason in not_used.items()]
    if bad:
        first = bad[0]
        facts.append(("first problem", f"{first.kernels} kernel of {first.case}, through {first.transport}"))
        facts.append(("", first.problem))
    facts.append(("result", f"FAILED: {len(bad)} of {len(outcomes)} products" if bad else "passed"))
    output.facts([*facts, ("scope", scope)])
    return 1 if bad else 0


def _summary(outcomes: Iterable[Outcome]) -> Iterable[dict[str, Any]]:
    """Outcomes counted by transport, kernels and type."""
    groups: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.transport, outcome.kernels, outcome.case.type), []).append(outcome)
    for (transport, kernels, dtype), group in groups.items():
        yield {
            "transport": transport,
            "kernels": kernels,
            "type": dtype,
            "products": len(group),
            "equal": sum(not outcome.problem for outcome in group),
            "seconds": sum(outcome.seconds for outcome in group),
        }


def _facts(outcome: Outcome) -> dict[str, Any]:
    case = outcome.case
    row, column = outcome.place or (None, None)
    return {
        "transport": outcome.transport,
        "kernels": outcome.kernels,
        "type": case.type,
        "n": case.n,
        "k": case.k,
        "m": case.m,
        "seed": case.seed,
        "problem": outcome.problem,
        "x_row": row,
        "weight_row": column,
    }
