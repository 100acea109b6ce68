# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest

from pyhexagon.llm.engine.runner import ModelRunner


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return a list that receives the number of tokens of each sequence in each message."""
    seen: list[list[int]] = []
    send = ModelRunner.send

    def counted(runner: ModelRunner[Any], batch: Any, *given: Any) -> None:
        seen.append([len(one.chunk) for one in batch])
        send(runner, batch, *given)

    monkeypatch.setattr(ModelRunner, "send", counted)
    return seen
