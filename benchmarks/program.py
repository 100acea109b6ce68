# SPDX-License-Identifier: MIT
"""Measure the benefit of a program: 300 small ops as one request, next to the same ops as 300 requests, in one run.

    .venv/bin/python -m benchmarks.program --device loopback:qemu

The ops are those of a small model's step: RMS_NORM of a row, a matmul with a square weight, ADD of its result. Both
variants give the same bits. Packets, dispatches and signals come from responses without records, because records would
cost packets; microseconds are medians over rounds in which the two alternate.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, Final

import numpy as np
from gguf import GGMLQuantizationType

from benchmarks import command
from pyhexagon.bench import accuracy, blocks
from pyhexagon.bench.timed import CountedTransport
from pyhexagon.cli.bench_options import progress, threads
from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.device import Device
from pyhexagon.errors import HexagonError
from pyhexagon.tensor import Tensor

Record = dict[str, Any]
ROUNDS: Final = 10
STEPS: Final = 100
OPS_OF_STEP: Final = 3
_TYPE: Final = GGMLQuantizationType.Q4_0
_K: Final = 256
_COLUMNS: Final = (
    ("way", False), ("threads", True), ("requests", True), ("bytes", True), ("packets", True), ("hand-overs", True),
    ("signals", True), ("us", True), ("DSP us", True),
)  # fmt: skip


def run(
    device: str | None, transport: str | None, threads: Sequence[int], done: Callable[[], None]
) -> Iterator[Record]:
    """Measure both variants, with one session per number of threads.

    Args:
        done: called after each of ``ROUNDS`` rounds.

    Yields:
        Two records per session: "one program", and "programs of one op".

    Raises:
        HexagonError: the variants give different bits.
    """
    for n_threads in threads:
        with Device(device, transport=transport, threads=n_threads) as opened:
            yield from _of_device(opened, done)


def _of_device(device: Device, done: Callable[[], None]) -> Iterator[Record]:
    weight = device.pack(_TYPE, blocks.random_blocks(_TYPE, _K, _K, 0), (_K, _K))
    scale, x = device.tensor(np.ones(_K, np.float32)), device.tensor(accuracy.normal(1, _K, 0))
    ways = {"one program": _whole(device, weight, scale), "programs of one op": _in_parts(device, weight, scale)}
    results = [np.array(way(x)) for way in ways.values()]
    if results[0].tobytes() != results[1].tobytes():
        raise HexagonError("one program and programs of one op differ")
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.perf_counter()
            way(x)
            times[name].append((time.perf_counter() - start) * 1e6)
        done()
    info = device.info()
    for name, way in ways.items():
        counted = CountedTransport(device._session)
        with counted:
            way(x)
        yield {
            "way": name, "device": device.name, "transport": info.transport, "threads": info.threads,
            "ops": STEPS * OPS_OF_STEP, "runs": ROUNDS, "us": median(times[name]),
        } | _figures(counted)  # fmt: skip


def _whole(device: Device, weight: Tensor, scale: Tensor) -> Callable[[Tensor], Tensor]:
    with device.program() as p:
        x = p.input((1, _K))
        for _ in range(STEPS):
            x = p.add(x, p.matmul(p.rms_norm(x, scale), weight))
        p.output(x)
    return p.compile()


def _in_parts(device: Device, weight: Tensor, scale: Tensor) -> Callable[[Tensor], Tensor]:
    with device.program() as norm:
        norm.output(norm.rms_norm(norm.input((1, _K)), scale))
    with device.program() as product:
        product.output(product.matmul(product.input((1, _K)), weight))
    with device.program() as add:
        add.output(add.add(add.input((1, _K)), add.input((1, _K))))
    parts = norm.compile(), product.compile(), add.compile()

    def call(x: Tensor) -> Tensor:
        for _ in range(STEPS):
            x = parts[2](x, parts[1](parts[0](x)))
        return x

    return call


def _figures(counted: CountedTransport) -> Record:
    responses = counted.responses
    return {
        "requests": len(responses),
        "request_bytes": counted.request_bytes,
        # of the thread that receives requests, without waiting for others
        "packets": sum(response.packets for response in responses) or None,
        "hand_overs": sum(response.n_dispatches for response in responses),
        "signals": sum(response.n_signals for response in responses),
        "us_dsp": sum(response.end_ns - response.start_ns for response in responses) / 1e3,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("program", __doc__)
    parser.add_argument("--threads", type=threads, default=[1, 4], metavar="T,...", help="of the DSP (default 1,4)")
    add_device_options(parser)
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, output: Output) -> None:
    with progress(ROUNDS * len(options.threads)) as (_, done):
        records = list(run(options.device, options.transport, options.threads, done))
    if output.as_json:
        output.json(records)
        return
    rows = []
    for record in records:
        counts = (record[name] for name in ("requests", "request_bytes", "packets", "hand_overs", "signals"))
        times = (record["us"], record["us_dsp"])
        rows.append([
            record["way"], str(record["threads"]), *(_number(count, ",") for count in counts),
            *(_number(time, ",.0f") for time in times),
        ])  # fmt: skip
    output.table(_COLUMNS, rows, n_keys=2)
    output.facts([("device", f"{records[0]['device']}, {records[0]['transport']}, {records[0]['ops']} ops a run")])


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


if __name__ == "__main__":
    sys.exit(main())
