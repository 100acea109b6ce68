# SPDX-License-Identifier: MIT
"""``pyhexagon bench speech``: what a whisper model costs on the DSP, and the estimated real-time factor."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from pyhexagon.bench import speech
from pyhexagon.cache import KINDS
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output
from pyhexagon.models.store import resolve
from pyhexagon.speech.ggml_file import WhisperFile

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_MIB: Final = 1 << 20
_NOTE: Final = (
    "low / expected / high: a model that no board has confirmed, of 1, 1.5 and 2 cycles a packet at 1.25 GHz, 17, 12.6 "
    "and 8 GB/s, and 3.5 tokens a second"
)


def add_parser(kinds: _SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = kinds.add_parser("speech", help="packets of a whisper model, and its estimated real-time factor")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("model", nargs="?", metavar="MODEL", help="a whisper.cpp file, or a pulled model's name")
    group.add_argument("--random", choices=speech.SHAPES, help="random F16 weights of a published model's shapes")
    parser.add_argument(
        "--weights", choices=("file", "q8_0"), default="file", help="types of the file (default), or float ones as Q8_0"
    )
    parser.add_argument("--kv", choices=KINDS, default="f16", help="type of keys and values (default f16)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, output: Output) -> None:
    name = f"random {options.random}" if options.random else options.model
    shape = speech.SHAPES[options.random] if options.random else None
    file = speech.RandomWeights(shape) if shape else WhisperFile(resolve(options.model))
    with progress(None) as (starting, _):
        starting(name)
        costs = speech.costs(file, weights=options.weights, kv=options.kv)
    factors = costs.factors()
    if output.as_json:
        output.json({
            "model": name, "weights": options.weights, "kv": options.kv, "threads": speech.THREADS,
            "encoding": costs.encoding._asdict(), "token": costs.token._asdict(), "real_time_factor": factors,
        })  # fmt: skip
        return
    output.facts([
        ("model", f"{name}, weights {options.weights}, keys and values {options.kv}"),
        ("threads", f"{speech.THREADS}; packets are those of the busiest one"),
        ("encoding of 30 s", f"{costs.encoding.busiest / 1e6:,.1f} M packets"),
        ("token", f"{costs.token.busiest / 1e6:,.2f} M packets, {costs.token.bytes / _MIB:,.1f} MiB"),
        ("real-time factor", " / ".join(f"{factor:.3f}" for factor in factors.values())),
    ])  # fmt: skip
    print(f"\n{_NOTE}")
