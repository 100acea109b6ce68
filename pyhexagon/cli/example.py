# SPDX-License-Identifier: MIT
"""``pyhexagon example``: a small GGUF file to try the other commands on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pyhexagon import example
from pyhexagon.cli.output import Output

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser("example", help="write a small GGUF file to try things on")
    parser.add_argument("file", metavar="FILE", type=Path, help="to be written; one that exists is replaced")
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    size = example.write(options.file)
    if output.as_json:
        output.json({"file": str(options.file), "bytes": size, "tensors": list(example.TENSORS)})
    else:
        print(f"wrote {options.file} ({size:,} bytes)")
