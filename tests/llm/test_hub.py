# SPDX-License-Identifier: MIT
"""Models of a hub; a folder stands for the hub."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import huggingface_hub
import pytest

from llm import tiny
from pyhexagon import LLM, extras
from pyhexagon.errors import ArgumentError, HexagonError, UnsupportedError
from pyhexagon.models.hub import download

FILES = ("a-Q4_0.gguf", "a-Q8_0.gguf", "big-Q4_K-00001-of-00002.gguf", "big-Q4_K-00002-of-00002.gguf", "README.md")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that receives the names of the downloaded files."""
    fetched: list[str] = []

    def fetch(repo: str, name: str, *, revision: str | None = None) -> str:
        if name not in FILES or repo != "a/b":
            raise huggingface_hub.errors.LocalEntryNotFoundError(f"there is no {name}")
        fetched.append(name)
        return str(tmp_path / name)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    monkeypatch.setattr(huggingface_hub, "list_repo_files", lambda repo, *, revision=None: list(FILES))
    return fetched


def test_a_file_a_pattern_and_a_split_model(hub: list[str], tmp_path: Path) -> None:
    assert download("a/b", "a-Q8_0.gguf") == str(tmp_path / "a-Q8_0.gguf")
    assert download("a/b", "*Q4_0.gguf") == str(tmp_path / "a-Q4_0.gguf")
    hub.clear()
    for name in ("*Q4_K*.gguf", "big-Q4_K-00001-of-00002.gguf"):
        assert download("a/b", name) == str(tmp_path / FILES[2])
    assert hub == [*FILES[2:4]] * 2
    tiny.write(tmp_path / "a-Q8_0.gguf", "llama")
    with LLM.from_pretrained("a/b", "*Q8_0.gguf", n_ctx=64, device="loopback") as llm:
        assert llm.n_ctx == 64


def test_what_cannot_be_had(hub: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArgumentError, match=r"expected the file of one model, found a-Q4_0.gguf, a-Q8_0.gguf"):
        download("a/b", "a-*.gguf")
    with pytest.raises(ArgumentError, match="found none"):
        download("a/b", "*Q2_K.gguf")
    with pytest.raises(HexagonError, match=r"x\.gguf of a/b cannot be had: there is no x\.gguf"):
        download("a/b", "x.gguf")

    class ConnectError(Exception):
        """The error of the HTTP library of the hub's package, which is no OSError."""

    def no_network(repo: str, *, revision: str | None = None) -> list[str]:
        raise ConnectError("Name or service not known")

    monkeypatch.setattr(huggingface_hub, "list_repo_files", no_network)
    with pytest.raises(HexagonError, match=r"\*\.gguf of a/b cannot be had: Name or service not known"):
        download("a/b", "*.gguf")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(UnsupportedError, match=re.escape(extras.install_command("llm"))):
        download("a/b", "x.gguf")
