# SPDX-License-Identifier: MIT
"""``pyhexagon example``: write a small GGUF file to try the other commands on."""

from __future__ import annotations

import argparse
from pathlib import Path

from pyhexagon import example
from pyhexagon.cli.output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="the file to write; an existing file is replaced")


def run(options: argparse.Namespace, output: Output) -> None:
    size = example.write(options.file)
    if output.as_json:
        output.json({"file": str(options.file), "bytes": size, "tensors": list(example.TENSORS)})
    else:
        print(f"wrote {options.file} ({size:,} bytes)")
