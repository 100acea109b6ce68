# SPDX-License-Identifier: MIT
"""``pyhexagon get-qemu``: the QEMU that ``--device loopback:qemu`` needs, downloaded if it is missing."""

from __future__ import annotations

import argparse

from pyhexagon.cli.output import Output
from pyhexagon.fetch import qemu


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", nargs="?", choices=qemu.TARGETS, default=qemu.TARGETS[0],
        help="the emulated machine (default hexagon)",
    )  # fmt: skip


def run(options: argparse.Namespace, output: Output) -> None:
    path = str(qemu.find(options.target))
    if output.as_json:
        output.json({"path": path})
    else:
        print(path)
