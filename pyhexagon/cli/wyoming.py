# SPDX-License-Identifier: MIT
"""``pyhexagon wyoming``: serve a speech model to Home Assistant with the Wyoming protocol.

It is a command of its own, not a part of ``serve``: the protocol has no keys, and a board of Home Assistant needs a
speech model and nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import Final

from pyhexagon import extras
from pyhexagon.cli import speech_options
from pyhexagon.cli.output import Output, printable
from pyhexagon.errors import ArgumentError
from pyhexagon.models import store

_HOST: Final = "127.0.0.1"
_PORT: Final = 10300  # as wyoming-faster-whisper


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="a whisper.cpp file, or a pulled model's name")
    parser.add_argument("--host", default=_HOST, help=f"address to listen on (default {_HOST}: this machine only)")
    parser.add_argument("--port", type=int, default=_PORT, help=f"port to listen on (default {_PORT}; 0: a free one)")
    parser.add_argument("--language", metavar="CODE", help="language of requests that name none (default: detected)")
    speech_options.add(parser, parser.add_argument_group("device"))


def run(options: argparse.Namespace, output: Output) -> None:
    with extras.needed("Wyoming servers", "speech"):
        from pyhexagon.speech.wyoming_server import WyomingServer
    if not 0 <= options.port <= 65535:
        raise ArgumentError(f"--port is {options.port}: expected 0 to 65535")
    name = options.model if store.resolve(options.model) != options.model else Path(options.model).stem
    with speech_options.loaded(options, output, n_sequences=10) as shared:
        model = shared.model
        if options.language is not None and options.language not in model.languages:
            raise ArgumentError(f"--language is {options.language}: expected one of {', '.join(model.languages)}")

        def ready(host: str, port: int) -> None:
            uri = f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"
            if output.as_json:
                output.json({"uri": uri, "model": name, "device": model.device.name})
            else:
                print(f"{printable(name)} at {uri}", flush=True)

        server = WyomingServer(shared, name, model.languages, language=options.language)
        asyncio.run(server.serve(options.host, options.port, ready))
