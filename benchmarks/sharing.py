# SPDX-License-Identifier: MIT
"""What sharing rows between CPU and DSP costs: meetings per token, and the time of both sides for each of them.

On a loopback, CPU and "DSP" are the same machine: tokens per second say nothing there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from typing import Any

import numpy as np

from pyhexagon.device import Device
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.engine_core import EngineCore
from pyhexagon.llm.model import Model, checked
from pyhexagon.llm.stage import Stage
from pyhexagon.program.sharing import Totals

WARM_UP = 2  # tokens: the programs are compiled


def run(
    shares: Sequence[float],
    n_tokens: int,
    open_file: Callable[[], AbstractContextManager[GGUFFile]],
    *,
    device: str | None,
    transport: str | None,
    patience_us: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Decode tokens with each share of the rows on the CPU.

    Args:
        shares: 0 to 0.9.
        n_tokens: to decode with each of them.
        open_file: opens the model's file.
        patience_us: of the DSP for the CPU; None takes the default.

    Yields:
        One record per share; times in microseconds.
    """
    for share in shares:
        with open_file() as file, Device(device, transport=transport, cpu_share=share) as opened:
            sharing = opened._runner.sharing
            if sharing is not None and patience_us is not None:
                sharing.patience_us = patience_us
            model = Model(opened, file, checked(file))
            with closing(EngineCore(Stage(model, WARM_UP + n_tokens))) as context:
                tokens = np.random.default_rng(0).integers(0, context.stages.n_tokens, WARM_UP + n_tokens).tolist()
                for end in range(1, WARM_UP + 1):
                    context.logits(tokens[:end])
                if sharing is not None:
                    sharing.totals = Totals()
                start = time.perf_counter()
                for end in range(WARM_UP + 1, len(tokens) + 1):
                    context.logits(tokens[:end])
                seconds = time.perf_counter() - start
            totals = Totals() if sharing is None else sharing.totals
            yield {
                "device": opened.name,
                "loopback": opened.info().loopback,
                "share": share,
                "cpu_threads": 0 if sharing is None else sharing.n_threads,
                "tokens": n_tokens,
                "tokens_per_second": n_tokens / seconds,
                "meetings_per_token": totals.n_meetings / n_tokens,
                "rows_per_token": totals.rows / n_tokens,
                "cpu_rows_per_token": totals.cpu_rows / n_tokens,
                "taken_rows_per_token": totals.taken_rows / n_tokens,
                "quantizations_per_token": totals.n_quantized / n_tokens,
                "cpu_us_per_meeting": _each(totals.busy_ns, totals),
                "cpu_wait_us_per_meeting": _each(totals.wait_ns, totals),
                "dsp_wait_us_per_meeting": _each(totals.dsp_wait_ns, totals),
            }


def _each(nanoseconds: int, totals: Totals) -> float:
    return nanoseconds / 1e3 / max(totals.n_meetings, 1)
