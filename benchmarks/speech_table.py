# SPDX-License-Identifier: MIT
"""Count what whisper models cost on the DSP, under QEMU: packets of the busiest of four threads, and bytes of a token.

    .venv/bin/python -m benchmarks.speech_table tiny base small --weights q8_0 --kv q8_0

The weights are random, of published shapes. pyhexagon/bench/speech.py says how they are counted.
"""

from __future__ import annotations

import argparse
from typing import Final

from pyhexagon.bench.speech import SHAPES, RandomWeights, costs
from pyhexagon.cache import KINDS

HEAD: Final = (
    "| model | weights, keys and values | encoder, packets | token, packets | token, MiB | real-time factor |\n"
    "|---|---|--:|--:|--:|--:|"
)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(SHAPES), help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--weights", choices=("file", "q8_0"), default="q8_0", help="F16 as in files, or Q8_0")
    parser.add_argument("--kv", choices=KINDS, default="q8_0", help="the type of keys and values")
    options = parser.parse_args()
    print(HEAD)
    for name in options.models:
        found = costs(RandomWeights(SHAPES[name]), weights=options.weights, kv=options.kv)
        factors = " / ".join(f"{factor:.3f}" for factor in found.factors().values())
        print(
            f"| {name} | {options.weights}, {options.kv} | {found.encoding.busiest / 1e6:.1f} M "
            f"| {found.token.busiest / 1e6:.2f} M | {found.token.bytes / (1 << 20):.1f} | {factors} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
