# SPDX-License-Identifier: MIT
"""Measure latency and throughput of a server with many clients, also beside llama.cpp's server.

    .venv/bin/python -m benchmarks.serve http://127.0.0.1:8080
    .venv/bin/python -m benchmarks.serve model.gguf --clients 8 --requests 64 -p 512 -n 128 --against llama.cpp -r 3
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, Final

from benchmarks import command, serve_load, servers
from pyhexagon.cli import llm_options
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output, add_device_options
from pyhexagon.errors import ArgumentError
from pyhexagon.models.store import resolve

_MAX_PARALLEL: Final = 32
_FIGURES: Final = (
    ("time to first token, ms", "ttft_ms"), ("inter-token latency, ms", "inter_token_ms"),
    ("tokens/s of a request", "tokens_per_second"),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("serve", __doc__)
    parser.add_argument(
        "model", metavar="MODEL", help="a GGUF file or a pulled model's name, to start a server; or a server's URL"
    )
    parser.add_argument("--clients", type=int, default=32, metavar="N", help="concurrent clients (default 32)")
    parser.add_argument("--requests", type=int, metavar="N", help="of all clients (default: four of each)")
    parser.add_argument("-p", type=int, default=128, metavar="N", help="prompt tokens of a request (default 128)")
    parser.add_argument("-n", type=int, default=64, metavar="N", help="most tokens of a completion (default 64)")
    parser.add_argument("-r", type=int, default=1, metavar="N", help="rounds of all requests (default 1)")
    parser.add_argument(
        "--parallel", type=int, metavar="N", help=f"sequences in a batch (default: --clients, at most {_MAX_PARALLEL})"
    )
    parser.add_argument("--threads", type=int, default=0, metavar="T", help="of each server (default: all)")
    parser.add_argument("--name", default="", help="the model of a URL's server (default: the first one it lists)")
    parser.add_argument(
        "--against", choices=("llama.cpp",), help="measure llama.cpp's server on the CPU in turns, with xllamacpp"
    )
    add_device_options(parser)
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, output: Output) -> None:
    n_requests = 4 * options.clients if options.requests is None else options.requests
    load = serve_load.Load(options.clients, n_requests, options.p, options.n)
    with ExitStack() as stack, progress(None) as (starting, done):
        starting("starting")
        measured = _measured(options, stack)
        records = serve_load.run([server for _, server in measured], load, options.r, starting, done)
    given = {"clients": load.n_clients, "n_prompt": load.n_prompt, "n_gen": load.n_gen, "rounds": options.r}
    records = [{"server": name} | given | record for (name, _), record in zip(measured, records, strict=True)]
    if output.as_json:
        output.json(records)
    else:
        _show(records, output)


def _measured(options: argparse.Namespace, stack: ExitStack) -> list[tuple[str, serve_load.MeasuredServer]]:
    """Start the servers that do not run yet."""
    if options.model.startswith(("http://", "https://")):
        if options.against:
            raise ArgumentError("--against needs a model's file, which llama.cpp's server loads, not a URL")
        return [(options.model, serve_load.MeasuredServer(options.model, options.name))]
    config, path = llm_options.header(options.model), resolve(options.model)
    parallel = min(options.clients, _MAX_PARALLEL) if options.parallel is None else options.parallel
    limits = servers.ServerLimits(options.p + options.n, parallel, servers.kv_of(config), options.threads)
    more = [
        word for name in ("device", "transport") if (value := getattr(options, name)) for word in (f"--{name}", value)
    ]
    theirs = stack.enter_context(servers.llama_cpp_server(path, limits)) if options.against else ""
    ours = stack.enter_context(servers.pyhexagon_server(path, limits, options.clients, more))
    urls = {"pyhexagon": ours} | ({"llama.cpp": theirs} if theirs else {})
    return [(name, serve_load.MeasuredServer(url)) for name, url in urls.items()]


def _show(records: list[dict[str, Any]], output: Output) -> None:
    columns = [("server", False), ("", False), *((f"p{at}", True) for at in serve_load.PERCENTILES)]
    rows = []
    for record in records:
        for title, name in _FIGURES:
            values = ("-" if value is None else f"{value:,.1f}" for value in record[name].values())
            rows.append([record["server"], title, *values])
    output.table(columns, rows, n_keys=2)
    for record in records:
        told = f"{record['throughput']:,.1f} tokens/s of {record['clients']} clients, {record['requests']} requests"
        told += f", {record['failed']} failed: {record['failure']}" if record["failed"] else ""
        output.facts([(record["server"], told)])


if __name__ == "__main__":
    sys.exit(main())
