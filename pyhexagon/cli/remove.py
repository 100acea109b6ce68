# SPDX-License-Identifier: MIT
"""``pyhexagon rm``: remove models that were pulled, and the names of linked files."""

from __future__ import annotations

import argparse

from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output
from pyhexagon.models import store


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", metavar="NAME", nargs="+", help="a name that pyhexagon list shows; linked files stay")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    freed = sum(store.remove(name) for name in options.names)
    if output.as_json:
        output.json({"removed": options.names, "freed": freed})
    else:
        output.facts([("removed", ", ".join(options.names)), ("freed", f"{freed:,} bytes")])
