# SPDX-License-Identifier: MIT
"""Models with their mmproj files: which one is pulled, the pair in the store, and models that find their own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from llm import vision_files
from llm.test_vision_chat import PICTURE, content, write

from models.fake_hub import FakeHub
from pyhexagon import LLM
from pyhexagon.cli import main, serve
from pyhexagon.deploy.systemd_unit import ServiceFile
from pyhexagon.errors import ArgumentError, HexagonError, UnsupportedError
from pyhexagon.models import catalogue, store
from pyhexagon.models.catalogue import Published
from pyhexagon.models.hub import choose_mmproj
from pyhexagon.models.pull import pull

REPO = "hf:a/b-GGUF"
MODEL = "b-Q4_0.gguf"


@pytest.fixture
def pair(hub: FakeHub, tmp_path: Path) -> dict[str, bytes]:
    """Publish a model that sees, with mmproj files of two types; return the repository's files."""
    text, mmproj = write(tmp_path, "internvl")
    hub.files["a/b-GGUF"] = {
        MODEL: text.read_bytes(), "mmproj-b-F16.gguf": mmproj.read_bytes(),
        "mmproj-b-Q8_0.gguf": vision_files.write(tmp_path / "other.gguf", "internvl", seed=2).read_bytes(),
    }  # fmt: skip
    return hub.files["a/b-GGUF"]


@pytest.mark.parametrize(
    ("names", "model", "selector", "chosen"),
    [
        (["mmproj-M-F16.gguf", "mmproj-M-Q8_0.gguf", "mmproj-M-BF16.gguf"], "M-Q4_K_M.gguf", "", "mmproj-M-Q8_0.gguf"),
        (["mmproj-F16.gguf", "mmproj-BF16.gguf", "mmproj-F32.gguf"], "M-UD-Q4_K_XL.gguf", "", "mmproj-F16.gguf"),
        (["mmproj-M-f16.gguf", "mmproj-M-Q8_0.gguf"], "M-F16.gguf", "", "mmproj-M-f16.gguf"),
        (["mmproj-M-F16.gguf", "mmproj-M-Q8_0.gguf"], "M-Q4_0.gguf", "f16", "mmproj-M-F16.gguf"),
        (["mmproj-M-F16.gguf", "mmproj-M-Q8_0.gguf"], "M-Q4_0.gguf", "mmproj-M-F16.gguf", "mmproj-M-F16.gguf"),
        (["M-BF16-mmproj.gguf", "M-F16-mmproj.gguf"], "M-Q4_K_M.gguf", "", "M-F16-mmproj.gguf"),
        (["mmproj-model-f16.gguf"], "gemma-3-4b-it-Q4_K_M.gguf", "", "mmproj-model-f16.gguf"),
        (["mmproj-model-f16-4B.gguf"], "M-Q4_0.gguf", "", "mmproj-model-f16-4B.gguf"),
        (["a/mmproj-F16.gguf", "b/mmproj-F16.gguf"], "b/M-Q4_0.gguf", "", "b/mmproj-F16.gguf"),
        (["mmproj-F16.gguf"], "q/M-00001-of-00002.gguf", "", "mmproj-F16.gguf"),
        (["mmproj-Q8_0.gguf", "q/mmproj-F16.gguf"], "q/M-Q4_0.gguf", "", "q/mmproj-F16.gguf"),
        (["a/mmproj-F16.gguf", "README-mmproj.md"], "M-Q4_0.gguf", "", ""),
    ],
)
def test_which_file_is_the_mmproj_file(names: Sequence[str], model: str, selector: str, chosen: str) -> None:
    assert choose_mmproj("o/r", [*names, model, "README.md"], model, selector) == chosen


def test_no_mmproj_file_or_several_are_meant() -> None:
    names = ["mmproj-x-F16.gguf", "mmproj-y-F16.gguf"]
    with pytest.raises(ArgumentError, match=r"has several mmproj files: .*--mmproj mmproj-x-F16.gguf, or --no-mmproj"):
        choose_mmproj("o/r", names, MODEL)
    with pytest.raises(ArgumentError, match=r"has no mmproj file Q8_0: it has mmproj-x-F16.gguf, mmproj-y-F16.gguf"):
        choose_mmproj("o/r", names, MODEL, "Q8_0")
    with pytest.raises(ArgumentError, match="has no mmproj file Q8_0: it has none"):
        choose_mmproj("o/r", [], MODEL, "Q8_0")


def test_a_pulled_pair_is_one_model(
    pair: dict[str, bytes], store_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pull", REPO, "--name", "sees:1b"]) == 0
    shown = capsys.readouterr().out
    assert "mmproj-b-Q8_0.gguf" in shown
    assert re.search("images +yes", shown)
    entry = store.find("sees:1b")
    assert entry is not None
    assert [file.name for file in entry.files] == [MODEL, "mmproj-b-Q8_0.gguf"]
    assert entry.size == sum(len(pair[file.name]) for file in entry.files)
    assert Path(entry.mmproj).read_bytes() == pair["mmproj-b-Q8_0.gguf"]
    with LLM("sees:1b", 256, device="cpu") as llm, LLM(entry.path, 256, device="cpu", mmproj=False) as blind:
        assert llm.has_vision
        assert not blind.has_vision
        assert [chunk.token for chunk in llm.chat(content(PICTURE, "the"), 3)]
        with pytest.raises(UnsupportedError, match=r"takes no images without an mmproj file. Hint: LLM\(mmproj='"):
            next(iter(blind.chat(content(PICTURE, "the"), 3)))
    assert main(["list", "--json"]) == 0
    (model,) = json.loads(capsys.readouterr().out)["models"]
    assert (model["images"], model["bytes"]) == (True, entry.size)
    blob = Path(entry.mmproj).resolve()
    blob.chmod(0o644)
    blob.write_bytes(b"GGUF")
    assert main(["list", "--check"]) == 1
    with pytest.raises(HexagonError, match=r"the SHA-256 of mmproj-b-Q8_0.gguf is another one"):
        LLM("sees:1b")
    pull(REPO, "sees:1b")
    assert blob.read_bytes() == pair["mmproj-b-Q8_0.gguf"]
    assert main(["rm", "sees:1b"]) == 0
    assert not list((store_folder / "blobs").iterdir())


def test_another_mmproj_file_or_none(pair: dict[str, bytes]) -> None:
    assert Path(pull(REPO, "m", mmproj="F16").mmproj).read_bytes() == pair["mmproj-b-F16.gguf"]
    entry = pull(REPO, "m", mmproj=False)
    assert ([file.name for file in entry.files], entry.mmproj) == ([MODEL], "")
    assert main(["run", "m", "--tokens", "1,2", "-n", "1", "--device", "cpu", "-c", "64"]) == 0


def test_the_catalogue_decides(
    pair: dict[str, bytes], hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    size, sha256 = len(pair[MODEL]), hashlib.sha256(pair[MODEL]).hexdigest()
    blind = Published("a/b-GGUF", MODEL, size, sha256)
    known = {"blind:1b": blind, "sees:1b": blind._replace(
        mmproj="mmproj-b-F16.gguf", mmproj_size=7, mmproj_sha256=hashlib.sha256(pair["mmproj-b-F16.gguf"]).hexdigest()
    )}  # fmt: skip
    monkeypatch.setattr(catalogue, "published", lambda: known)
    assert pull("blind:1b").mmproj == ""
    assert pull("blind:1b", mmproj="Q8_0").mmproj.endswith("mmproj-b-Q8_0.gguf")
    assert pull("sees:1b").mmproj.endswith("mmproj-b-F16.gguf")
    pair["mmproj-b-F16.gguf"] += bytes(8)
    with pytest.raises(HexagonError, match=rf"mmproj-b-F16.gguf of a/b-GGUF has changed: .*{REPO}:{MODEL} takes"):
        pull("sees:1b")


def test_an_mmproj_file_of_another_kind_leaves_a_model_that_reads(
    pair: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = vision_files.write(tmp_path / "x.gguf", "internvl", keys={"clip.projector_type": "of_2030"})
    pair["mmproj-b-Q8_0.gguf"] = other.read_bytes()
    assert main(["pull", REPO, "--name", "m"]) == 0
    assert "clip.projector_type is 'of_2030'" in "".join(capsys.readouterr().out.split("\n")).replace("  ", "")
    with pytest.warns(RuntimeWarning, match="takes no images: .*of_2030"), LLM("m", 64, device="cpu") as llm:
        assert not llm.has_vision
    assert main(["run", "m", "--tokens", "1,2", "-n", "1", "--device", "cpu", "-c", "64"]) == 0
    assert "(m takes no images: " in capsys.readouterr().err
    assert main(["run", "m", "--tokens", "1,2", "-n", "1", "--device", "cpu", "-c", "64", "--no-mmproj"]) == 0
    assert "takes no images" not in capsys.readouterr().err


def test_linked_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, mmproj = write(tmp_path, "internvl")
    assert main(["pull", str(text), "--name", "m", "--mmproj", str(text)]) == 1
    assert "an mmproj file's is 'clip'" in capsys.readouterr().err
    assert main(["pull", str(text), "--name", "blind"]) == 0
    assert f"--mmproj {mmproj}" in "".join(capsys.readouterr().out.split("\n"))
    assert main(["pull", str(text), "--name", "m", "--mmproj", str(mmproj)]) == 0
    with LLM("m", 64, device="cpu") as llm:
        assert llm.has_vision
    service = serve.as_service("m", "", "cdsp")
    assert service.model == store.resolve("m")
    assert ServiceFile(store.mmproj_of("m")) in service.arguments
    assert "--mmproj" not in serve.as_service("m", "--no-mmproj", "cdsp").arguments
    assert main(["rm", "m"]) == 0
    assert mmproj.exists()
    (tmp_path / "b").mkdir()
    twin = vision_files.write(tmp_path / "b" / text.name, "internvl")
    with pytest.raises(ArgumentError, match="have the same name"):
        store.link("twins", text, twin)
