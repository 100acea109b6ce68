# SPDX-License-Identifier: MIT
"""``pyhexagon get-qemu``: the QEMU that ``--device loopback:qemu`` needs, fetched if need be."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pyhexagon.cli.output import Output
from pyhexagon.fetch import qemu

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("get-qemu", help="print the path of a QEMU for loopback:qemu, fetched if need be")
    parser.add_argument("target", nargs="?", choices=qemu.TARGETS, default=qemu.TARGETS[0], help="default hexagon")
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    path = str(qemu.find(options.target))
    if output.as_json:
        output.json({"path": path})
    else:
        print(path)
