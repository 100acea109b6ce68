# SPDX-License-Identifier: MIT
"""The cost of a served token in Python, on the scheduler's thread and in the event loop together."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from waiting import PACKAGE

from pyhexagon import LLM, Device
from pyhexagon._ffi import invoke
from serve import serving

MAX_CALLS = 108  # of a token of one chat


def test_a_served_token_passes_few_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Any
) -> None:
    """Compare streams of two lengths, which begin and end alike."""
    n_calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name != "on_tick":  # by the clock
            n_calls[threading.current_thread().name] += 1

    monkeypatch.setattr(invoke, "_SLICE", 5.0)  # wait for the DSP in one call, however long a busy machine takes
    threading.setprofile(count)
    try:
        with (
            Device("loopback", transport="invoke") as device,
            LLM(serving.model(tmp_path), 256, device=device) as llm,
            serving.serving(llm) as one,
        ):
            client = one.client()

            def cost(n_tokens: int) -> int:
                before = n_calls.total()
                messages: Any = [{"role": "user", "content": "hi"}]
                made = client.chat.completions.create(
                    model=serving.NAME, messages=messages, max_tokens=n_tokens, temperature=0, stream=True
                )
                assert len([*made]) > n_tokens
                return n_calls.total() - before

            cost(40)
            # The fewest of several: some steps also poll the transport again.
            short, long = (min(cost(n) for _ in range(3)) for n in (8, 40))
    finally:
        threading.setprofile(None)
    per_token = (long - short) / 32
    figure(f"serve: a token of one chat: {per_token:.1f} Python calls")
    assert per_token <= MAX_CALLS
