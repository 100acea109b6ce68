# SPDX-License-Identifier: MIT
"""``pyhexagon matmul``: multiply a tensor of a GGUF file with random activations, and measure the error."""

from __future__ import annotations

import argparse
import time
from contextlib import nullcontext
from math import prod
from pathlib import Path
from typing import BinaryIO, Final

import gguf
import numpy as np
import numpy.typing as npt

from pyhexagon import files
from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output, add_device_options, add_trace_option, add_vote_options, device_options
from pyhexagon.device import Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.models.store import resolve

_CHECK_ELEMENTS: Final = 1 << 22  # weights dequantized at a time


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a GGUF file, or a pulled model's name")
    parser.add_argument("tensor", metavar="TENSOR", help="name of a weight in the file; pyhexagon tensors lists them")
    parser.add_argument("--batch", metavar="M", type=_count, default=1, help="rows of activations (default 1)")
    parser.add_argument("--seed", metavar="S", type=_count, default=0, help="seed of the activations (default 0)")
    parser.add_argument("--out", metavar="Y.npy", type=Path, help="save the product")
    add_device_options(parser)
    add_vote_options(parser)
    add_trace_option(parser)
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    files.check_distinct(options.file, options.out, options.trace)
    if options.out is not None:
        files.check(options.out)
    with (
        GGUFFile(resolve(options.file)) as file,
        Device(options.device, **device_options(options)) as device,
        device.trace(options.trace) if options.trace else nullcontext(),
    ):
        start = time.perf_counter()
        with output.progress(f"uploading {options.tensor}") as progress:
            weight = device.load(file, options.tensor, progress=progress)
        upload_seconds = time.perf_counter() - start
        *leading, n, k = weight.shape
        shape = (*leading, options.batch, k)
        x = device.empty(shape)
        np.random.default_rng(options.seed).standard_normal(out=x.numpy(), dtype=np.float32)
        with device.program() as p:
            p.output(p.matmul(p.input(shape), weight))
        (y,), report = p.compile().run_with_report(x)
        product = np.array(y)
        error = _nmse(file, options.tensor, x.numpy(), product)
        op = report.ops[0] if report.ops else None
        result = {
            "file": options.file,
            "tensor": options.tensor,
            "type": weight.gguf_type.name,
            "matrices": prod(leading),
            "n": n,
            "k": k,
            "batch": options.batch,
            "seed": options.seed,
            "shape": list(product.shape),
            "device": device.name,
            "arch": device.info().arch,
            "transport": report.transport,
            "kernels": op.kernels if op else None,
            "threads": op.n_threads if op else 0,
            "packets": op.packets if op else None,
            "upload_seconds": upload_seconds,
            "loopback": device.info().loopback,
            "seconds": report.seconds,
            "dsp_seconds": report.dsp_nanoseconds / 1e9,
            "nmse": error,
            "out": str(options.out) if options.out else None,
        }
    if options.out is not None:
        files.save(options.out, lambda file: _write(file, product))
    if output.as_json:
        output.json(result)
        return
    processor = "this machine's CPU: no DSP was used" if result["loopback"] else "the DSP"
    how = f"{op.kernels} kernel, {op.n_threads} threads" if op else "nothing to compute"
    output.facts([
        ("weight", f"{options.tensor} {weight.gguf_type.name} {weight.shape}"),
        ("product", f"{product.shape} float32" + (f", saved as {options.out}" if options.out else "")),
        ("ran on", f"{device.name} ({result['arch']}), {how}, through {report.transport}"),
        ("upload", f"{upload_seconds * 1e3:.2f} ms"),
        ("time", f"{report.seconds * 1e3:.2f} ms, of them {report.dsp_nanoseconds / 1e6:.2f} ms on {processor}"),
        ("NMSE", "undefined (the exact product is empty, zero or not finite)" if error is None else f"{error:.3e}"),
    ])


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number of 0 or more, not {text!r}")
    return int(text)


def _write(file: BinaryIO, array: npt.NDArray[np.float32]) -> None:
    """Write a .npy file as numpy.save does; an error keeps its reason, which ndarray.tofile loses."""
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
    file.write(array.data)


def _nmse(
    file: GGUFFile, name: str, x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]
) -> float | None:
    """Normalised mean squared error of y against the float64 product of the dequantized weights."""
    info, (*leading, batch, k), n = file.info(name), x.shape, y.shape[-1]
    n_matrices = prod(leading)
    step = max(1, _CHECK_ELEMENTS // k)
    x_step = max(1, _CHECK_ELEMENTS // min(n, step))
    wanted = difference = 0.0
    raw = file.rows(name)
    matrices = zip(range(n_matrices), x.reshape(n_matrices, batch, k), y.reshape(n_matrices, batch, n), strict=True)
    with np.errstate(all="ignore"):
        for matrix, x_part, y_part in matrices:
            for first in range(0, n, step):
                rows = raw(matrix * n + first, matrix * n + min(first + step, n))
                weights = gguf.dequantize(rows, info.gguf_type).astype(np.float64).T
                for some in (slice(start, start + x_step) for start in range(0, batch, x_step)):
                    exact = x_part[some].astype(np.float64) @ weights
                    wanted += float(np.square(exact).sum())
                    difference += float(np.square(y_part[some, first : first + step] - exact).sum())
    return difference / wanted if wanted > 0 and np.isfinite([wanted, difference]).all() else None
