# SPDX-License-Identifier: MIT
"""``pyhexagon serve``: a language model over HTTP, in OpenAI's form."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyhexagon.cli import llm_options
from pyhexagon.cli.output import Output, printable
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.llm import LLM

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_HOST: Final = "127.0.0.1"
_PORT: Final = 8080


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("serve", help="a language model over HTTP: OpenAI's interface, and a chat page")
    llm_options.add_model_options(parser)
    parser.add_argument("--host", default=_HOST, help=f"address to listen to (default {_HOST}: this machine only)")
    parser.add_argument("--port", type=int, default=_PORT, help=f"(default {_PORT}; 0 takes a free one)")
    parser.add_argument("--alias", metavar="NAME", help="what clients call the model (default: the file's name)")
    parser.add_argument("--parallel", metavar="N", type=int, default=4, help="texts that go on at once (default 4)")
    parser.add_argument("--queue", metavar="N", type=int, default=64, help="texts that may wait (default 64)")
    parser.add_argument("--timeout", metavar="S", type=float, default=600, help="seconds for a request (default 600)")
    parser.add_argument("--max-body", metavar="KIB", type=int, default=4096, help="of a request, in KiB (default 4096)")
    parser.add_argument(
        "--api-key-file", metavar="FILE", type=Path,
        help="a key a line, of which a client must have one; another one may be in PYHEXAGON_API_KEY",
    )  # fmt: skip
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    try:
        from pyhexagon.serve import app, guard, server
        from pyhexagon.serve.metrics import Metrics
        from pyhexagon.serve.scheduler import Scheduler
    except ImportError as missing:
        raise UnsupportedError(
            f"the server needs the package {missing.name}", hint="pip install 'pyhexagon[llm,serve]'"
        ) from None
    for name, value, least, most in (
        ("--port", options.port, 0, 65535), ("--parallel", options.parallel, 1, 32),
        ("--queue", options.queue, 0, 4096), ("--timeout", options.timeout, 1, 86400),
        ("--max-body", options.max_body, 1, 1 << 20),
    ):  # fmt: skip
        if not least <= value <= most:
            raise ArgumentError(f"{name} is {value}: expected {least} to {most}")
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s")
    keys = guard.keys_from(options.api_key_file)
    limits = app.Limits(options.parallel, options.queue, options.timeout, options.max_body << 10)
    with server.listen(options.host, options.port) as listener:
        address, port = listener.getsockname()[:2]
        is_local = address in ("127.0.0.1", "::1")
        if not keys and not is_local:
            print(
                f"pyhexagon: warning: anyone who reaches {address} may use the model: --api-key-file", file=sys.stderr
            )
        with llm_options.loaded(options, output, n_sequences=options.parallel) as llm:
            name = options.alias or Path(options.model).stem
            hosts = guard.LOCAL if is_local and not keys else frozenset[str]()
            shown = f"[{address}]" if ":" in address else address
            url = f"http://{shown}:{port}"
            metrics = Metrics()
            with Scheduler(llm, metrics, n_parallel=limits.n_parallel, n_waiting=limits.n_waiting) as scheduler:
                one = app.Server(llm, scheduler, metrics, name=name, limits=limits, keys=keys, hosts=hosts)
                server.run(one, listener, lambda: _tell(url, name, llm, output))


def _tell(url: str, name: str, llm: LLM, output: Output) -> None:
    if output.as_json:
        output.json({"url": url, "model": name, "device": llm.device.name, "n_ctx": llm.n_ctx})
    else:
        print(f"{printable(name)} at {url}", flush=True)
