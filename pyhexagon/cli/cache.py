# SPDX-License-Identifier: MIT
"""``pyhexagon cache``: what was fetched, how much room it takes, and its end."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pyhexagon.cli.output import Output
from pyhexagon.fetch import cache

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("cache", help="show the folder of fetched programs, or empty it")
    parser.add_argument("--clear", action="store_true", help="remove all of it; what is needed is fetched again")
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    entries = cache.entries()
    freed = cache.clear() if options.clear else 0
    if output.as_json:
        output.json({"folder": str(cache.folder()), "bytes": entries, "freed": freed})
        return
    rows = [(name, f"{size:,} bytes") for name, size in entries.items()] if not options.clear else []
    result = f"{freed:,} bytes removed" if options.clear else f"{sum(entries.values()):,} bytes"
    output.facts([("folder", str(cache.folder())), *rows, ("result" if options.clear else "total", result)])
