# SPDX-License-Identifier: MIT
"""Measure the cost of sharing rows between CPU and DSP: meetings per token, and the time of both sides for each.

    .venv/bin/python -m benchmarks.sharing model.gguf --device loopback --cpu-share 0.3,0.6

On a loopback, CPU and "DSP" are the same machine: tokens per second say nothing there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any, Final

import numpy as np

from benchmarks import command
from pyhexagon.cli import bench_model
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.device import Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage
from pyhexagon.program.sharing import Totals

WARM_UP: Final = 2  # tokens: the programs are compiled
_COLUMNS: Final = (
    ("CPU share", True), ("t/s", True), ("meetings/token", True), ("CPU rows", True), ("taken back", True),
    ("CPU us/meeting", True), ("CPU waits", True), ("DSP waits", True),
)  # fmt: skip


def run(
    shares: Sequence[float],
    n_tokens: int,
    open_file: Callable[[], AbstractContextManager[GGUFFile]],
    *,
    device: str | None,
    transport: str | None,
    patience_us: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Decode tokens with each share of the rows on the CPU.

    Args:
        shares: 0 to 0.9.
        n_tokens: to decode with each of them.
        open_file: opens the model's file.
        patience_us: of the DSP for the CPU; None takes the default.

    Yields:
        One record per share; times in microseconds.
    """
    for share in shares:
        with open_file() as file, Device(device, transport=transport, cpu_share=share) as opened:
            sharing = opened._runner.sharing
            if sharing is not None and patience_us is not None:
                sharing.patience_us = patience_us
            model = Model(opened, file, checked(file))
            with closing(EngineCore(Stage(model, WARM_UP + n_tokens))) as context:
                tokens = np.random.default_rng(0).integers(0, context.stages.n_tokens, WARM_UP + n_tokens).tolist()
                for end in range(1, WARM_UP + 1):
                    context.logits(tokens[:end])
                if sharing is not None:
                    sharing.totals = Totals()
                start = time.perf_counter()
                for end in range(WARM_UP + 1, len(tokens) + 1):
                    context.logits(tokens[:end])
                seconds = time.perf_counter() - start
            totals = Totals() if sharing is None else sharing.totals
            yield {
                "device": opened.name,
                "loopback": opened.info().loopback,
                "share": share,
                "cpu_threads": 0 if sharing is None else sharing.n_threads,
                "tokens": n_tokens,
                "tokens_per_second": n_tokens / seconds,
                "meetings_per_token": totals.n_meetings / n_tokens,
                "rows_per_token": totals.rows / n_tokens,
                "cpu_rows_per_token": totals.cpu_rows / n_tokens,
                "taken_rows_per_token": totals.taken_rows / n_tokens,
                "quantizations_per_token": totals.n_quantized / n_tokens,
                "cpu_us_per_meeting": _each(totals.busy_ns, totals),
                "cpu_wait_us_per_meeting": _each(totals.wait_ns, totals),
                "dsp_wait_us_per_meeting": _each(totals.dsp_wait_ns, totals),
            }


def _each(nanoseconds: int, totals: Totals) -> float:
    return nanoseconds / 1e3 / max(totals.n_meetings, 1)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("sharing", __doc__)
    bench_model.add_what(parser)
    parser.add_argument(
        "--cpu-share", type=_shares, default=[0.0, 0.3], metavar="S,...", help="of the rows (default 0,0.3)"
    )
    parser.add_argument("-n", type=int, default=16, metavar="N", help="tokens to generate (default 16)")
    parser.add_argument("--patience", type=int, metavar="US", help="how long the DSP waits for the CPU, microseconds")
    add_device_options(parser)
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, output: Output) -> None:
    _, open_file = bench_model.what(options)
    records = []
    with progress(len(options.cpu_share)) as (_, done):
        where = {"device": options.device, "transport": options.transport}
        for record in run(options.cpu_share, options.n, open_file, **where, patience_us=options.patience):
            records.append(record)
            done()
    if output.as_json:
        output.json(records)
        return
    rows = []
    for record in records:
        every = max(record["rows_per_token"], 1)
        rows.append([
            f"{record['share']:g}",
            f"{record['tokens_per_second']:.2f}",
            f"{record['meetings_per_token']:.0f}",
            *(f"{record[name] / every:.1%}" for name in ("cpu_rows_per_token", "taken_rows_per_token")),
            *(f"{record[f'{name}_us_per_meeting']:.1f}" for name in ("cpu", "cpu_wait", "dsp_wait")),
        ])  # fmt: skip
    output.table(_COLUMNS, rows, n_keys=1)
    if records[0]["loopback"]:
        output.facts([("", f"{records[0]['device']}: no DSP was used, so t/s say nothing about a board")])


def _shares(text: str) -> list[float]:
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"a share is a number from 0 to 0.9, not {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
