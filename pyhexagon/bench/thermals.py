# SPDX-License-Identifier: MIT
"""Decoding for minutes: tokens per second and the board's sensors, one sample after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from itertools import count
from typing import Any, Final

from pyhexagon.bench.sensors import EnergyMeter, Sensors
from pyhexagon.device import Device
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.engine_core import EngineCore
from pyhexagon.llm.engine.model import Model, checked
from pyhexagon.llm.engine.stage import Stage

_CONTEXT: Final = 256  # tokens; then the context begins again
_PERIOD: Final = 10.0  # seconds of a sample


def decode(
    device: Device,
    open_file: Callable[[], AbstractContextManager[GGUFFile]],
    seconds: float,
    sensors: Sensors,
) -> Iterator[dict[str, Any]]:
    """Decode for some seconds, and yield a sample of each 10 s, at least two.

    Args:
        open_file: opens the model's file.

    Yields:
        "seconds" since the start, "tokens_per_second", "joules_token" by power sensor, and ``Sensors.read``.
    """
    period = min(_PERIOD, seconds / 2)
    with open_file() as file:
        model = Model(device, file, checked(file))
        with closing(EngineCore(Stage(model, _CONTEXT))) as context:
            context.logits([0])
            start = time.perf_counter()
            for number in count(1):
                before, n_tokens = time.perf_counter(), 0
                with EnergyMeter(sensors) as meter:
                    while n_tokens == 0 or time.perf_counter() < start + number * period:
                        n_tokens += 1
                        if (place := n_tokens % _CONTEXT) == 0:
                            context.truncate(0)
                        context.logits([0] * (place + 1))
                now = time.perf_counter()
                yield {
                    "seconds": now - start,
                    "tokens_per_second": n_tokens / (now - before),
                    "joules_token": {name: joules / n_tokens for name, joules in meter.joules.items()},
                    **sensors.read(),
                }
                if number >= 2 and now - start >= seconds:
                    return
