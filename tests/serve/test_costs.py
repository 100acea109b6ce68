# SPDX-License-Identifier: MIT
"""The cost of a served token and of a request in Python, on the engine's thread and in the event loop together."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from waiting import PACKAGE

from pyhexagon import LLM, Device
from pyhexagon._ffi import invoke
from serve import serving
from serve.test_connections import until

MAX_CALLS = 100  # of a token of one chat
MAX_REQUEST_CALLS, MAX_REQUEST_FILES = 330, 63  # of a chat with a completion of one token
MESSAGES: Any = [{"role": "user", "content": "hi"}]


class Calls:
    """Calls of the package's Python functions by file, of all threads that begin while it counts."""

    def __init__(self) -> None:
        self.by_file: Counter[str] = Counter()

    def count(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name != "on_tick":  # by the clock
            self.by_file[code.co_filename.removeprefix(PACKAGE)] += 1

    def __enter__(self) -> Calls:
        threading.setprofile(self.count)
        return self

    def __exit__(self, *_: object) -> None:
        threading.setprofile(None)

    def of(self, work: Callable[[], None]) -> Counter[str]:
        """Return the calls of ``work``, by file."""
        before = self.by_file.copy()
        work()
        return self.by_file - before


@contextmanager
def counted(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[serving.Serving, Calls]]:
    """Serve a model on threads whose calls are counted."""
    monkeypatch.setattr(invoke, "_SLICE", 5.0)  # wait for the DSP in one call, however long a busy machine takes
    with (
        Calls() as calls,
        Device("loopback", transport="invoke") as device,
        LLM(serving.model(path), 256, device=device) as llm,
        serving.serving(llm) as here,
    ):
        yield here, calls


def test_a_served_token_passes_few_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Any
) -> None:
    """Compare streams of two lengths, which begin and end alike."""
    with counted(tmp_path, monkeypatch) as (here, calls):
        client = here.client()

        def stream(n_tokens: int) -> None:
            made = client.chat.completions.create(
                model=serving.NAME, messages=MESSAGES, max_tokens=n_tokens, temperature=0, stream=True
            )
            assert len([*made]) > n_tokens

        stream(40)
        # The fewest of several: some steps also poll the transport again.
        short, long = (min(calls.of(lambda n=n: stream(n)).total() for _ in range(3)) for n in (8, 40))  # type: ignore[misc]
    per_token = (long - short) / 32
    figure(f"serve: a token of one chat: {per_token:.1f} Python calls")
    assert per_token <= MAX_CALLS


def test_a_chat_request_passes_few_functions_and_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, figure: Any
) -> None:
    with counted(tmp_path, monkeypatch) as (here, calls):
        client = here.client()

        def chat() -> None:
            made = client.chat.completions.create(
                model=serving.NAME, messages=MESSAGES, max_tokens=1, temperature=0
            )
            assert made.choices[0].finish_reason == "length"
            until(lambda: here.loaded.backend.counts == (0, 0))

        chat()
        by_file = min((calls.of(chat) for _ in range(8)), key=Counter.total)  # threads that wait look around, too
    figure(f"serve: a chat request of one token: {by_file.total()} Python calls in {len(by_file)} files")
    assert by_file.total() <= MAX_REQUEST_CALLS
    assert len(by_file) <= MAX_REQUEST_FILES
