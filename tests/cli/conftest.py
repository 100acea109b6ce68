# SPDX-License-Identifier: MIT
"""Tests of the command line run without the config file of the user who runs them."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def no_config_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Look for the config file in an empty folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
