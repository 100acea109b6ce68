# SPDX-License-Identifier: MIT
"""``pyhexagon kernel``: compile a kernel of yours, check it on random data, and save it for boards."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from pyhexagon import files
from pyhexagon.cli.output import Output
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="C source, or a kernel that was saved (.phxk)")
    parser.add_argument("--check", action="store_true", help="compare CPU and emulator on random data, count packets")
    parser.add_argument(
        "--source", metavar="DTYPE:MxN", action="append", default=[],
        help="dtype and shape of a source, in order, such as uint8:480x640 (default float32:64x1024 for each)",
    )  # fmt: skip
    parser.add_argument(
        "--param", metavar="NAME=DTYPE:VALUE", action="append", default=[],
        help="a parameter, such as limit=float32:0.5",
    )  # fmt: skip
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="seed of the data (default 0)")
    parser.add_argument("--out", metavar="FILE.phxk", type=Path, help="save the compiled kernel")


def run(options: argparse.Namespace, output: Output) -> None:
    if options.out is not None:
        files.check(options.out)
    params = dict(_parameter(text) for text in options.param)
    declared = {name: dtype for name, (dtype, _) in params.items()}
    with Device("cpu", profile=False) as device:
        kernel = device.kernel(options.file, params=declared or None)
        found = None
        if options.check:
            rng = np.random.default_rng(options.seed)
            texts = options.source or ["float32:64x1024"] * kernel.descriptor.n_src
            values = {name: dtype.type(value).item() for name, (dtype, value) in params.items()}
            found = kernel.check(*(_random(rng, text) for text in texts), **values)
        if options.out is not None:
            kernel.save(options.out)
        if output.as_json:
            output.json({"kernel": kernel.name, "check": None if found is None else found._asdict()})
        else:
            print(found or f"{kernel.name} compiles")


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
        shape = tuple(int(one) for one in lengths.split("x"))
    except ValueError:
        raise ArgumentError(f"--source {text!r}: expected DTYPE:MxN, such as uint8:480x640") from None
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
