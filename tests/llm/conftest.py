# SPDX-License-Identifier: MIT
from __future__ import annotations

from typing import Any

import pytest

from pyhexagon.llm.context import Context


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """How many tokens of each text went in each message."""
    seen: list[list[int]] = []
    run = Context._run

    def counted(context: Context[Any], batch: Any, *given: Any) -> Any:
        seen.append([len(piece) for _, piece in batch])
        return run(context, batch, *given)

    monkeypatch.setattr(Context, "_run", counted)
    return seen
