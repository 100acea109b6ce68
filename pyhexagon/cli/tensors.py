# SPDX-License-Identifier: MIT
"""``pyhexagon tensors``: list the tensors of a GGUF file, and which of them the DSP can take."""

from __future__ import annotations

import argparse
from math import prod

from pyhexagon import quants
from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.models.store import resolve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a GGUF file, or a pulled model's name")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    with GGUFFile(resolve(options.file)) as file:
        tensors = [file.info(name) for name in file.names()]
    if output.as_json:
        output.json({
            "file": options.file,
            "tensors": [
                {
                    "name": tensor.name,
                    "shape": tensor.shape,
                    "type": tensor.type_name,
                    "bytes": tensor.n_bytes,
                    "dsp_bytes": _tile_bytes(tensor),
                    "dsp": tensor.supported,
                    "vector": _is_vector(tensor),
                    "reason": tensor.unsupported,
                }
                for tensor in tensors
            ],
        })
        return
    output.table(
        [
            ("name", False), ("shape", False), ("type", False), ("bytes", True), ("on the DSP", False),
            ("bytes there", True),
        ],
        (
            (
                tensor.name,
                " x ".join(map(str, tensor.shape)),
                tensor.type_name,
                f"{tensor.n_bytes:,}",
                _told(tensor),
                f"{_tile_bytes(tensor):,}" if tensor.supported else "",
            )
            for tensor in tensors
        ),
    )


def _tile_bytes(tensor: TensorInfo) -> int:
    """Return the bytes of a weight's tiles; 0 if the DSP does not take it as a weight."""
    if not tensor.supported:
        return 0
    *leading, n, k = tensor.shape
    return prod(leading) * quants.tile_bytes(tensor.gguf_type, n, k)


def _told(tensor: TensorInfo) -> str:
    if tensor.supported:
        return "yes"
    return "yes, as a vector" if _is_vector(tensor) else f"no: {tensor.unsupported}"


def _is_vector(tensor: TensorInfo) -> bool:
    """Whether the tensor is a vector, such as the weights of a norm: not the weight of a matmul, but on the DSP."""
    return len(tensor.shape) == 1 and quants.dtype_info(tensor.gguf_type).supported
