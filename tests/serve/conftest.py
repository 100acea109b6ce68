# SPDX-License-Identifier: MIT
"""The model of the tests' servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pyhexagon import LLM, Device
from serve.repeated import pytest_runtest_protocol
from serve.serving import model

__all__ = ["pytest_runtest_protocol"]  # a hook


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    path = model(tmp_path_factory.mktemp("model"))
    with Device("loopback") as device, LLM(path, 256, n_sequences=8, device=device) as llm:
        yield llm
