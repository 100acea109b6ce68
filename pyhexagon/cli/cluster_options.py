# SPDX-License-Identifier: MIT
"""Options of the commands that can use several boards."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from pyhexagon import extras
from pyhexagon.cli import llm_options
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.forward import MAX_BATCH_TOKENS
from pyhexagon.models.store import resolve

if TYPE_CHECKING:
    from pyhexagon.cluster import Pipeline, Router
    from pyhexagon.serve.http.metrics import Metrics


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="HOST:PORT", nargs="?", const="auto",
        help="run on the boards of a cluster; the address of its head (default: the head on this machine)",
    )  # fmt: skip
    parser.add_argument(
        "--stages", metavar="N", type=int,
        help="with --cluster: a pipeline of N boards, 0: as few as can hold the model (default: a replica on each)",
    )  # fmt: skip


def check(options: argparse.Namespace) -> None:
    """Raise ArgumentError if the options contradict each other."""
    if options.stages is not None and (options.stages < 0 or options.cluster is None):
        reason = "without --cluster it has no boards" if options.cluster is None else "expected 0 or more"
        raise ArgumentError(f"--stages is {options.stages}: {reason}")
    if options.cluster is not None and options.cpu_share not in ("auto", 0):
        raise ArgumentError("--cpu-share and --cluster: boards of a cluster share no rows with their CPUs")
    if options.cluster is not None and options.b != MAX_BATCH_TOKENS:
        raise ArgumentError("-b and --cluster: boards of a cluster take 64 tokens in a message")
    if options.cluster is not None and options.lora:
        raise ArgumentError("--lora and --cluster: boards of a cluster run models without adapters")


def needed() -> AbstractContextManager[None]:
    """Surround imports of pyhexagon.cluster: the error names the missing package."""
    return extras.needed("several boards", "llm,cluster")


@contextmanager
def opened(
    options: argparse.Namespace, n_parallel: int, n_waiting: int, metrics: Metrics | None = None
) -> Iterator[Pipeline | Router]:
    """Connect to the boards; a router counts in ``metrics``."""
    llm_options.check_model(options)
    with needed():
        from pyhexagon.cluster import Pipeline, Router
    model = resolve(options.model)
    address = None if options.cluster == "auto" else options.cluster
    common: dict[str, Any] = {"n_ctx": options.c, "kv": options.kv, "address": address, "device": options.device}
    if options.stages is None:
        with Router(model, n_parallel=n_parallel, n_waiting=n_waiting, metrics=metrics, **common) as router:
            yield router
    else:
        common["kv"] = common["kv"] or "q8_0"
        n_stages = options.stages or None
        with Pipeline(model, n_sequences=n_parallel, n_stages=n_stages, **common) as pipeline:
            yield pipeline
