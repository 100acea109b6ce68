# SPDX-License-Identifier: MIT
"""``pyhexagon kernel``: compile a kernel of yours, check it on random data, and save it for boards."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from pyhexagon import files
from pyhexagon.arguments import checked_shape
from pyhexagon.cli.output import Output
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError
from pyhexagon.kernels.signature import kernel_type


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="C source, or a kernel that was saved (.phxk)")
    parser.add_argument("--check", action="store_true", help="compare CPU and emulator on random data, count packets")
    parser.add_argument(
        "--shape", metavar="MxN", default="64x1024", help="shape of the sources, such as 480x640 (default %(default)s)"
    )
    parser.add_argument(
        "--dtype", metavar="DTYPE", default="float32", help="dtype of the sources, such as uint8 (default %(default)s)"
    )
    parser.add_argument(
        "--source", metavar="DTYPE:MxN", action="append", default=[],
        help="dtype and shape of a source, in order, where they differ: uint8:480x640",
    )  # fmt: skip
    parser.add_argument(
        "--param", metavar="NAME=DTYPE:VALUE", action="append", default=[],
        help="a parameter, such as limit=float32:0.5",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="seed of the data (default 0)")
    parser.add_argument(
        "--save", "--out", metavar="FILE.phxk", type=Path, nargs="?", const=Path(),
        help="save the compiled kernel for boards (default: as FILE, with the suffix .phxk)",
    )  # fmt: skip


def run(options: argparse.Namespace, output: Output) -> None:
    path = options.save
    if path == Path():
        path = Path(options.file).with_suffix(".phxk")
    if path is not None:
        files.check(path)
    params = dict(_parameter(text) for text in options.param)
    declared = {name: dtype for name, (dtype, _) in params.items()}
    with Device("cpu", profile=False) as device:
        kernel = device.kernel(options.file, params=declared or None)
        found = None
        if options.check:
            rng = np.random.default_rng(options.seed)
            texts = _sources(options, kernel.descriptor.n_src)
            values = {name: dtype.type(value).item() for name, (dtype, value) in params.items()}
            found = kernel.check(*(_random(rng, text) for text in texts), **values)
        if path is not None:
            kernel.save(path)
        if output.as_json:
            saved = None if path is None else str(path)
            output.json({"kernel": kernel.name, "check": None if found is None else found._asdict(), "saved": saved})
        else:
            print(found or f"{kernel.name} compiles")
            if path is not None:
                print(f"saved as {path}")


def _sources(options: argparse.Namespace, n_src: int) -> list[str]:
    """Return the dtype and shape of each source."""
    given: list[str] = options.source
    if len(given) > n_src:
        raise ArgumentError(f"{len(given)} times --source, for a kernel of {n_src}")
    return given + [f"{options.dtype}:{options.shape}"] * (n_src - len(given))


def _dtype(text: str) -> np.dtype[Any]:
    try:
        return np.dtype(text)
    except TypeError:
        raise ArgumentError(f"{text!r} is no dtype of NumPy") from None


def _parameter(text: str) -> tuple[str, tuple[np.dtype[Any], float]]:
    name, _, rest = text.partition("=")
    dtype, _, value = rest.partition(":")
    try:
        return name, (_dtype(dtype), float(value))
    except ValueError:
        raise ArgumentError(f"--param {text!r}: expected NAME=DTYPE:VALUE, such as limit=float32:0.5") from None


def _random(rng: np.random.Generator, text: str) -> np.ndarray[tuple[int, ...], np.dtype[Any]]:
    """Return random data: floats of a normal distribution, integers of all values."""
    kind, _, lengths = text.partition(":")
    dtype = _dtype(kind)
    try:
        shape = checked_shape(tuple(int(length) for length in lengths.split("x")))
    except ValueError:
        raise ArgumentError(f"the shape {lengths!r} of a source: expected MxN, such as 480x640") from None
    kernel_type(dtype, "a source")
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
