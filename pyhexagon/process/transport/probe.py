# SPDX-License-Identifier: MIT
"""Probe the transports of a new session and choose one.

dspqueue is unreliable: on some kernels the first round trip hangs or ends with AEE_EINTERRUPTED (0x2e) while plain
invokes work; and on firmware of the first generation each write and read costs an RPC signal, so that it is no faster.
So each transport makes a few round trips with a deadline, and the faster one that works is used.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from statistics import median
from typing import Final

from pyhexagon.errors import ArgumentError, HexagonError, UnsupportedError
from pyhexagon.process.transport import NAMES, Transport

TIMEOUT: Final = 1.0
ROUND_TRIPS: Final = 8


def check_name(name: str | None) -> None:
    if name is not None and name not in NAMES:
        raise ArgumentError(f"no transport {name!r}: expected None, {' or '.join(map(repr, NAMES))}")


def choose(
    transports: Sequence[Transport],
    problems: dict[str, str],
    forced: str | None,
    timeout: float,
    preferred: str | None = None,
) -> tuple[Transport, dict[str, float | str]]:
    """Probe the transports in order.

    Args:
        transports: the transports that could be set up.
        problems: why the other transports could not, by name.
        forced: the name of the transport to use; the others are not probed.
        timeout: seconds for an answer to an invoke, which has no fallback.
        preferred: the name of the transport to use if it works, else the fastest.

    Returns:
        The transport to use, and for each name its round trip in microseconds or why it is not used.
    """
    results: dict[str, float | str] = dict(problems)
    for transport in transports:
        if forced in (None, transport.name):
            try:
                limit = timeout if transport.name == "invoke" else TIMEOUT
                results[transport.name] = _round_trip_us(transport, limit)
            except HexagonError as error:
                results[transport.name] = str(error)
        else:
            results[transport.name] = f"not tried: {forced} was asked for"
    working = {name: figure for name, figure in results.items() if isinstance(figure, float)}
    if not working:
        raise UnsupportedError(
            "; ".join(f"transport {name} does not work: {results[name]}" for name in NAMES if name in results),
            hint="" if forced is None else "leave the choice of the transport to the device",
        )
    best = preferred if preferred in working else min(working, key=lambda name: working[name])
    return next(transport for transport in transports if transport.name == best), results


def _round_trip_us(transport: Transport, timeout: float) -> float:
    transport.echo(timeout)  # the first round trip includes set-up
    times = []
    for _ in range(ROUND_TRIPS):
        start = time.perf_counter()
        transport.echo(timeout)
        times.append(time.perf_counter() - start)
    return median(times) * 1e6
