# SPDX-License-Identifier: MIT
"""Simulate a decode step or a prompt on a board: tokens per second, and where each ms goes.

    .venv/bin/python -m benchmarks.timeline --random llama:1B -d 2048 --trace timeline.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks import command, timeline_trace
from pyhexagon import files
from pyhexagon._ffi import contract
from pyhexagon.bench import matmul, model, silicon, silicon_estimate, timeline
from pyhexagon.cli import bench_model
from pyhexagon.cli.bench_options import progress, threads
from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.program.sharing import checked_share

if TYPE_CHECKING:
    from pyhexagon.bench.silicon_estimate import Assumptions
    from pyhexagon.bench.timeline import Timeline

_MIB: Final = 1 << 20
_SHOWN: Final = "expected"  # the case whose parts are shown
_RATES: Final = (
    ("test", False),
    ("threads", True),
    ("CPU share", True),
    *((f"{case} t/s", True) for case in silicon_estimate.CASES),
    ("MiB/token", True),
)
_KINDS: Final = (("op", False), ("ops", True), ("ms", True), *((part, True) for part in timeline.PARTS))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("timeline", __doc__)
    bench_model.add_what(parser)
    parser.add_argument(
        "-p", type=bench_model.count, default=0, metavar="N", help="prompt tokens, instead of one decode step"
    )
    parser.add_argument(
        "-d", type=bench_model.counts, default=[2048], metavar="N,...",
        help="tokens in the KV cache before (default 2048)",
    )  # fmt: skip
    parser.add_argument("--threads", type=threads, default=[4], metavar="T,...", help="DSP threads (default 4)")
    parser.add_argument("--silicon", type=Path, metavar="FILE", help="use the figures of this result of bench silicon")
    parser.add_argument(
        "--assume", type=_assumption, action="append", default=[], metavar="NAME=VALUE",
        help=f"replace an assumption, in SI units: {', '.join(silicon_estimate.Assumptions._fields)}",
    )  # fmt: skip
    parser.add_argument(
        "--cpu-share", type=float, default=0.0, metavar="S", help="of each product's rows for the CPU (default 0)"
    )
    parser.add_argument(
        "--fetched", type=_names, metavar="OP,...",
        help="only these ops fetch the KV cache, states or rows ahead; none: no op does (default: as recorded)",
    )  # fmt: skip
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="write the simulated timeline for https://ui.perfetto.dev"
    )
    add_device_options(parser)
    parser.set_defaults(device="loopback:qemu")
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, output: Output) -> None:
    if options.trace is not None:
        files.check(options.trace)
    share, given = checked_share(options.cpu_share) or 0.0, dict(options.assume)
    hardware = silicon.load(options.silicon) if options.silicon else None
    assumed = silicon_estimate.assumptions(hardware, given)
    matmul.check_packets(options.device, options.transport)
    prompts, generated = ([options.p], []) if options.p else ([], [1])
    cases = model.ModelCases(prompts, generated, options.d, 0, False, is_recorded=True)
    name, open_file = bench_model.what(options)
    where = {"threads": options.threads, "device": options.device, "transport": options.transport}
    lines, records, shown = silicon_estimate.describe(assumed, hardware, given), [], []
    with progress(len(cases.tests()) * len(options.threads)) as (starting, done):
        for record in model.run(cases, open_file, name, **where, starting=starting):
            timelines = {
                case: timeline.simulate(record["messages"], one, share, options.fetched)
                for case, one in assumed.items()
            }
            shown.append((f"{name}, {record['test']}, {record['threads']} threads", timelines[_SHOWN]))
            records.append(_record(record, timelines, assumed) | {"cpu_share": share, "assumed": lines})
            done()
    if options.trace is not None:
        timeline_trace.write(options.trace, shown, lines)
    if output.as_json:
        output.json(records)
        return
    _print(records, output)
    print("\nlow / expected / high: a model that no board has confirmed, of")
    print("\n".join(f"- {line}" for line in lines))


def _record(record: dict[str, Any], timelines: dict[str, Timeline], assumed: dict[str, Assumptions]) -> dict[str, Any]:
    names = ("model", "test", "n_prompt", "n_depth", "threads", "version")
    n_tokens = record["n_prompt"] or 1
    return {one: record[one] for one in names} | {
        "cases": {
            case: {
                "tokens_per_second": n_tokens / one.seconds,
                "seconds": one.seconds,
                "memory_bytes": one.memory_bytes,
                "by_kind": {kind: {"seconds": costs.seconds} | costs._asdict() for kind, costs in one.by_kind.items()},
                "assumptions": assumed[case]._asdict(),
            }
            for case, one in timelines.items()
        },
        "messages": [message.described() for message in record["messages"]],
    }


def _print(records: list[dict[str, Any]], output: Output) -> None:
    rows = []
    for record in records:
        cases = record["cases"]
        n_bytes = cases[_SHOWN]["memory_bytes"] / (record["n_prompt"] or 1)
        rows.append([
            record["test"], str(record["threads"]), f"{record['cpu_share']:g}",
            *(f"{one['tokens_per_second']:.1f}" for one in cases.values()), f"{n_bytes / _MIB:.1f}",
        ])  # fmt: skip
    output.table(_RATES, rows, n_keys=1)
    for record in records:
        print(f"\n{record['model']}, {record['test']}, {record['threads']} threads, {_SHOWN}, ms:")
        by_kind = sorted(record["cases"][_SHOWN]["by_kind"].items(), key=lambda item: -item[1]["seconds"])
        rows = [
            [kind, str(costs["ops"]), *(f"{costs[one] * 1e3:.3f}" for one in ("seconds", *timeline.PARTS))]
            for kind, costs in by_kind
        ]
        sums = [sum(costs[one] for _, costs in by_kind) * 1e3 for one in ("seconds", *timeline.PARTS)]
        rows.append(["together", str(sum(costs["ops"] for _, costs in by_kind)), *(f"{one:.3f}" for one in sums)])
        output.table(_KINDS, rows, n_keys=1)


def _names(text: str) -> frozenset[str]:
    names = frozenset(() if text == "none" else text.split(","))
    if unknown := names - set(contract.OPS):
        raise argparse.ArgumentTypeError(f"no op {', '.join(sorted(unknown))}: pyhexagon ops lists them")
    return names


def _assumption(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE such as bytes_per_second=8e9, not {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
