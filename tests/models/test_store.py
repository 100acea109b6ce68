# SPDX-License-Identifier: MIT
"""The local store: links, names, removal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from llm import tiny
from split_gguf import write_parts

from models.fake_hub import FakeHub
from pyhexagon import LLM
from pyhexagon.cli import main, serve, serve_models
from pyhexagon.errors import ArgumentError, GGUFError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.models import catalogue, store
from pyhexagon.models.pull import pull


def test_a_linked_file_runs_by_name_and_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "llama")
    assert main(["pull", str(path), "--name", "mine:1b"]) == 0
    with LLM("mine:1b", 64, device="loopback") as llm:
        assert llm.n_ctx == 64
    assert (serve_models.name_of("mine:1b"), serve_models.name_of(str(path))) == ("mine:1b", "tiny")
    capsys.readouterr()
    assert main(["show", "mine:1b", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["architecture"] == "llama"
    with pytest.raises(ArgumentError, match=r"the store has a model mine:1b.*pyhexagon rm mine:1b"):
        store.link("mine:1b", path)
    assert main(["list", "--json"]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert (model["name"], model["state"], model["board_gb"], model["source"]) == ("mine:1b", "linked", 4, str(path))
    path.rename(tmp_path / "moved.gguf")
    assert main(["list"]) == 0
    assert "missing" in capsys.readouterr().out
    assert main(["rm", "mine:1b"]) == 0
    assert (tmp_path / "moved.gguf").exists()
    assert store.entries() == []
    assert main(["rm", "mine:1b"]) == 1


def test_deploy_copies_a_model_by_name(tmp_path: Path) -> None:
    entry = store.link("mine:1b", tiny.write(tmp_path / "tiny.gguf", "llama"))
    service = serve.as_service("mine:1b", "-c 64", "cdsp")
    assert (service.model, service.arguments) == (entry.path, ["-c", "64", "--alias", "mine:1b"])
    assert serve.as_service("mine:1b", "--alias a", "cdsp").arguments == ["--alias", "a"]
    assert serve.as_service("other:1b", "", "cdsp").model == "other:1b"
    store.link("split", write_parts(tmp_path))
    with pytest.raises(ArgumentError, match="split is split over several files"):
        serve.as_service("split", "", "cdsp")


def test_pull_names_the_command_to_try(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path, words in (
        (tiny.write_encoder(tmp_path / "encoder.gguf", "bert"), "pyhexagon embed encoder TEXT TEXT"),
        (tiny.write(tmp_path / "talks.gguf", "llama", edit=lambda writer: writer.add_chat_template("x")), "chat talks"),
        (write_parts(tmp_path), "cannot be run"),
    ):
        assert main(["pull", str(path)]) == 0
        assert words in capsys.readouterr().out


def test_a_split_file_is_linked_whole(tmp_path: Path) -> None:
    entry = store.link("m", write_parts(tmp_path))
    assert len(entry.files) == 3
    with GGUFFile(entry.path) as file:
        assert len(file) == 4


def test_blobs_live_as_long_as_a_name(hub: FakeHub, store_folder: Path) -> None:
    hub.files["a/b"] = {"b-Q8_0.gguf": bytes(1000)}
    first, second = pull("hf:a/b", "one"), pull("hf:a/b", "two")
    assert hub.ranges == [0]
    assert store.remove("one") == 0
    assert Path(second.path).exists()
    assert not Path(first.path).exists()
    assert store.remove("two") == 1000
    store.place("three").mkdir()
    (store.place("three") / "b.gguf.part").write_bytes(bytes(7))
    assert store.remove("three") == 7
    assert list((store_folder / "blobs").iterdir()) == []


def test_names_that_stand_for_nothing() -> None:
    with pytest.raises(ArgumentError, match=r"the model qwen3:0\.6b has not been pulled.*pyhexagon pull qwen3:0\.6b"):
        store.resolve("qwen3:0.6b")
    with pytest.raises(GGUFError, match=r"qwen3:06b: No such file, and no model.*near names are qwen3:0\.6b"):
        store.resolve("qwen3:06b")
    assert store.resolve("none.gguf") == "none.gguf"
    assert store.resolve("folder/deeper/none") == "folder/deeper/none"
    with pytest.raises(ArgumentError, match=r"o/r: No such file, and the model hf:o/r has not .*pyhexagon pull hf:o/r"):
        store.resolve("o/r")
    with pytest.raises(ArgumentError, match=r"the model qwen3\.5:0\.8b has not been pulled.*pull qwen3\.5:0\.8b"):
        store.resolve("qwen3.5")
    for name in ("", "../x", "-x", "a b", "x" * 151):
        with pytest.raises(ArgumentError, match="no name for a model"):
            store.find(name)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("qwen3", "qwen3:0.6b"), ("qwen3:4b", "qwen3:4b"), ("nomic-embed-text", "nomic-embed-text"), ("mine", "mine"),
        ("o/r", "hf:o/r"), ("o/r:Q4_0", "hf:o/r:Q4_0"), ("hf:o/r", "hf:o/r"), ("hf.co/o/r", "hf:o/r"),
        ("hf.co/o/r:q4_0", "hf:o/r:q4_0"), ("huggingface.co/o/r/", "hf:o/r"), ("https://hf.co/o/r?x=1", "hf:o/r"),
        ("https://huggingface.co/o/r/tree/main", "hf:o/r"),
        ("https://huggingface.co/o/r/blob/main/q/x-00001-of-00002.gguf", "hf:o/r:x-00001-of-00002.gguf"),
        ("https://huggingface.co/o/r/resolve/main/x.gguf?download=true", "hf:o/r:x.gguf"),
        ("./o/r", "./o/r"), ("/o/r", "/o/r"), ("o/r.gguf", "o/r.gguf"), ("../o", "../o"), ("a/b/c", "a/b/c"),
        ("https://example.org/o/r", "https://example.org/o/r"),
    ],
)  # fmt: skip
def test_forms_of_a_name(given: str, meant: str) -> None:
    assert store.canonical(given) == meant


def test_a_name_without_its_tag(tmp_path: Path) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "llama")
    store.link("mine:1b", path)
    store.link("hf:o/r:Q4_0", path)
    assert store.resolve("mine") == store.resolve("mine:1b")
    assert store.resolve("hf.co/o/r:Q4_0") == store.resolve("hf:o/r:Q4_0")
    store.link("mine:2b", path)
    with pytest.raises(GGUFError, match=r"mine: No such file, .*near names are mine:"):
        store.resolve("mine")


def test_a_file_comes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.link("m", tiny.write(tmp_path / "tiny.gguf", "llama"))
    monkeypatch.chdir(tmp_path)
    assert store.resolve("m").endswith("names/m/tiny.gguf")
    (tmp_path / "m").mkdir()
    assert store.resolve("m").endswith("names/m/tiny.gguf")
    (tmp_path / "m").rmdir()
    (tmp_path / "m").touch()
    assert store.resolve("m") == "m"


def test_a_damaged_record(tmp_path: Path, store_folder: Path) -> None:
    store.link("m", tiny.write(tmp_path / "tiny.gguf", "llama"))
    (store_folder / "names/m/model.json").write_text("{")
    with pytest.raises(HexagonError, match=r"model\.json is damaged.*pyhexagon rm m"):
        store.find("m")
    store.remove("m")
    assert store.entries() == []


def test_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--all"]) == 0
    shown = capsys.readouterr().out
    for name, model in catalogue.published().items():
        assert name in shown
        assert store.place(name)
        assert model.repo.count("/") == 1
        assert model.file.endswith(".bin" if name.startswith("whisper:") else ".gguf")
        assert len(model.sha256) in (0, 64)
    assert [catalogue.board(size) for size in (0, 5 << 29, (5 << 29) + 1, 29 << 29, 15 << 30)] == [4, 4, 8, 16, None]
