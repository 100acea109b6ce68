# SPDX-License-Identifier: MIT
"""``pyhexagon cache``: show the downloaded programs and their sizes, or remove them."""

from __future__ import annotations

import argparse

from pyhexagon.cli.output import Output
from pyhexagon.fetch import cache


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--clear", action="store_true", help="remove everything; commands download what they need again"
    )


def run(options: argparse.Namespace, output: Output) -> None:
    entries = cache.entries()
    freed = cache.clear() if options.clear else 0
    if output.as_json:
        output.json({"folder": str(cache.folder()), "bytes": entries, "freed": freed})
        return
    rows = [(name, f"{size:,} bytes") for name, size in entries.items()] if not options.clear else []
    result = f"{freed:,} bytes removed" if options.clear else f"{sum(entries.values()):,} bytes"
    output.facts([("folder", str(cache.folder())), *rows, ("result" if options.clear else "total", result)])
