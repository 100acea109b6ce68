# SPDX-License-Identifier: MIT
"""Costs of a cluster on this machine, in seconds: `cd tests; python -m cluster.figures [stages|returns]`.

stages     time per token on one device, and on pipelines of 1, 2 and 3 stages, each in a process of its own
returns    time from the restart of a board's node, which was killed during a completion, until the completion continues
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from pathlib import Path
from typing import Any

import needs

from cluster.conftest import Nodes, free_boards, running, until
from pyhexagon import LLM, DeviceLostError
from pyhexagon.cluster import Pipeline

N_CTX = 256
PROMPT = [1, 5, 9, 10]
WORDS = 128  # tokens per median
TIMES = 5


def token_seconds(llm: Any) -> float:
    """Return the median time per token of one sequence, in seconds."""
    list(llm.stream(PROMPT, 16, temperature=0))
    moments = [time.perf_counter() for _ in llm.stream(PROMPT, WORDS, temperature=0)]
    return statistics.median(after - before for before, after in itertools.pairwise(moments))


def stages(path: Path, nodes: Nodes) -> None:
    os.environ["PYHEXAGON_LOOPBACK"] = "threads=1"  # like the nodes'
    with LLM(path, N_CTX, device="loopback") as llm:
        one = token_seconds(llm)
    print(f"one device {1000 * one:.2f} ms a token", flush=True)
    for n in (1, 2, 3):
        with Pipeline(path, N_CTX, n_stages=n, address=nodes.address) as pipeline:
            seconds = token_seconds(pipeline)
        each = (seconds - one) / n
        print(f"{n} stages   {1000 * seconds:.2f} ms a token: {1000 * each:.2f} ms a stage", flush=True)
        until(lambda: free_boards() == 3, "a board is still held")


def returns(path: Path, nodes: Nodes) -> None:
    with Pipeline(path, N_CTX, n_stages=3, address=nodes.address) as pipeline:
        for _ in range(TIMES):
            stream = pipeline.stream(PROMPT, WORDS, temperature=0)
            tokens = [next(stream).token for _ in range(4)]
            killed = time.perf_counter()
            nodes.kill_one()
            try:
                tokens += [part.token for part in stream]
            except DeviceLostError:
                told = time.perf_counter()
            added = time.perf_counter()
            nodes.add()
            nodes.ready()
            ready = time.perf_counter()
            pipeline.device.reopen(120)
            opened = time.perf_counter()
            pipeline.generate([*PROMPT, *tokens], 1, temperature=0)
            on = time.perf_counter()
            print(
                f"error after {told - killed:.2f} s; node started in {ready - added:.2f} s, stages loaded "
                f"{opened - ready:.2f} s later, next token {on - opened:.2f} s later: {on - added:.2f} s from the "
                "start of the node",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    functions = {"stages": stages, "returns": returns}
    parser.add_argument("what", nargs="?", choices=functions, help="default: both")
    what = parser.parse_args().what
    with running(3) as nodes:
        for name, function in functions.items():
            if what in (None, name):
                function(needs.STORIES, nodes)


if __name__ == "__main__":
    main()
