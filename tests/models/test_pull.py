# SPDX-License-Identifier: MIT
"""Pulls from a hub on this machine, with huggingface_hub's own client."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from llm import tiny
from split_gguf import write_parts
from waiting import LONG

from models.fake_hub import COMMIT, FakeHub
from pyhexagon import LLM
from pyhexagon.cli import main
from pyhexagon.errors import ArgumentError, BusyError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.models import catalogue, store
from pyhexagon.models.catalogue import Published
from pyhexagon.models.hub import choose
from pyhexagon.models.pull import pull

REPO = "hf:a/b-GGUF"


@pytest.fixture
def model(hub: FakeHub, tmp_path: Path) -> bytes:
    """Publish a model as Q8_0, and other bytes as Q4_0; return the model's bytes."""
    data = tiny.write(tmp_path / "tiny.gguf", "llama").read_bytes()
    hub.files["a/b-GGUF"] = {"README.md": b"text", "b-Q8_0.gguf": data, "b-Q4_0.gguf": b"GGUF"}
    return data


def test_a_pulled_model_runs_by_name(model: bytes, store_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ArgumentError, match=r"hf:a/b-GGUF:q8_0 has not been pulled.*pyhexagon pull hf:a/b-GGUF:q8_0"):
        LLM(f"{REPO}:q8_0")
    assert main(["pull", f"{REPO}:q8_0"]) == 0
    assert "pyhexagon run hf:a/b-GGUF:q8_0 PROMPT" in capsys.readouterr().out
    entry = store.find(f"{REPO}:q8_0")
    assert entry is not None
    assert entry.source == f"{REPO}@{COMMIT}"
    assert os.path.realpath(entry.path) == str(store_folder / "blobs" / hashlib.sha256(model).hexdigest())
    with LLM(f"{REPO}:q8_0", 64, device="loopback") as llm:
        assert llm.path == entry.path
    assert main(["run", f"{REPO}:q8_0", "--tokens", "1,2", "-n", "1", "--device", "loopback"]) == 0


def test_a_broken_connection_is_resumed(model: bytes, hub: FakeHub) -> None:
    hub.cut_after = 5000
    entry = pull(f"{REPO}:Q8_0", "m")
    assert Path(entry.path).read_bytes() == model
    assert hub.ranges == [0, 5000]


def test_a_killed_pull_leaves_no_model_and_continues(
    model: bytes, hub: FakeHub, store_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.cut_after, hub.hangs = 5000, True
    command = [sys.executable, "-m", "pyhexagon", "pull", f"{REPO}:Q8_0", "--name", "m"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        assert hub.hung.wait(LONG)
        part = store_folder / f"names/m/{hashlib.sha256(model).hexdigest()}.part"
        while not part.exists():
            assert process.poll() is None
        with pytest.raises(BusyError, match=r"another process downloads b-Q8_0\.gguf of a/b"):
            pull(f"{REPO}:Q8_0", "m")
        process.send_signal(signal.SIGKILL)
    with open(part, "r+b") as file:  # the client's buffer may not have been written
        file.write(model[:3000])
    assert main(["list"]) == 0
    assert "incomplete" in capsys.readouterr().out
    with pytest.raises(ArgumentError, match="has not been pulled completely"):
        LLM("m")
    entry = pull(f"{REPO}:Q8_0", "m")
    assert hub.ranges[-1] >= 3000
    assert Path(entry.path).read_bytes() == model
    assert not part.exists()


def test_damaged_bytes_are_refused(model: bytes, hub: FakeHub) -> None:
    hub.damaged = True
    with pytest.raises(HexagonError, match=r"b-Q8_0\.gguf of a/b-GGUF arrived damaged: its SHA-256 is"):
        pull(f"{REPO}:Q8_0", "m")
    hub.damaged = False
    assert Path(pull(f"{REPO}:Q8_0", "m").path).read_bytes() == model


def test_the_disk_is_full(model: bytes, hub: FakeHub, monkeypatch: pytest.MonkeyPatch, store_folder: Path) -> None:
    usage = shutil.disk_usage("/")._replace(free=len(model) - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(HexagonError, match=rf"needs {len(model):,} bytes, and .* has {len(model) - 1:,} bytes free"):
        pull(f"{REPO}:Q8_0", "m")
    assert hub.ranges == []
    usage = usage._replace(free=len(model))

    def is_full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", is_full)
        with pytest.raises(HexagonError, match=rf"cannot write to {store_folder}: No space left on device"):
            pull(f"{REPO}:Q8_0", "m")
    assert Path(pull(f"{REPO}:Q8_0", "m").path).read_bytes() == model
    assert hub.ranges == [0]  # all of it was here


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ((401, "RepoNotFound"), r"no x/y for you \(HTTP 401\).*if the repository is private, set HF_TOKEN"),
        ((404, "RepoNotFound"), r"no x/y for you \(HTTP 404\).*check the name"),
        ((403, "GatedRepo"), r"x/y is for users who accepted its conditions.*on its page, then set HF_TOKEN"),
        ((500, ""), r"the hub answers HTTP 500 for x/y"),
    ],
)
def test_the_hub_refuses(hub: FakeHub, refusal: tuple[int, str], words: str) -> None:
    hub.refusals["x/y"] = refusal
    with pytest.raises(HexagonError, match=words):
        pull("hf:x/y")


def test_there_is_no_hub(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HexagonError, match=r"the download of x/y failed: .*check the network and HF_ENDPOINT"):
        pull("hf:x/y")


def test_quantisations(hub: FakeHub, model: bytes) -> None:
    assert [file.name for file in pull(REPO, "m").files] == ["b-Q4_0.gguf"]  # the first of those preferred
    with pytest.raises(ArgumentError, match=r"a/b-GGUF has no Q2_K: it has Q4_0, Q8_0.*pull hf:a/b-GGUF:Q4_0"):
        pull(f"{REPO}:Q2_K")
    hub.files["a/b-GGUF"]["c-q8_0.gguf"] = b"GGUF"
    with pytest.raises(ArgumentError, match=r"has several Q8_0: it has b-Q8_0.gguf, c-q8_0.gguf"):
        pull(f"{REPO}:Q8_0")
    assert pull(f"{REPO}:C-Q8_0.gguf", "c").files[0].name == "c-q8_0.gguf"
    hub.files["a/b-GGUF"] = {"README.md": b""}
    with pytest.raises(ArgumentError, match="it has no GGUF file of a model"):
        pull(REPO)


@pytest.mark.parametrize(
    ("names", "selector", "chosen"),
    [
        # what lies beside models in repositories of 2026: draft models, dynamic quantisations, full precision
        (["M-Q4_K_M.gguf", "mtp-M-Q4_K_M.gguf", "eagle3-M.gguf", "M-dflash-Q4_K_M.gguf"], "", "M-Q4_K_M.gguf"),
        (["M-Q4_K_M.gguf", "MTP/mtp-M-Q4_K_M.gguf"], "mtp-M-Q4_K_M.gguf", "MTP/mtp-M-Q4_K_M.gguf"),
        (["M-MTP-Q4_K_M.gguf", "M-MTP-BF16.gguf"], "", "M-MTP-Q4_K_M.gguf"),
        (["M-UD-Q4_K_XL.gguf", "M-UD-Q2_K_XL.gguf", "M-BF16.gguf"], "", "M-UD-Q4_K_XL.gguf"),
        (["M-UD-Q4_K_XL.gguf", "M-BF16.gguf"], "q4_k_xl", "M-UD-Q4_K_XL.gguf"),
        (["M-UD-Q4_K_M.gguf", "M-Q4_K_M.gguf"], "Q4_K_M", "M-Q4_K_M.gguf"),
        (["M-NVFP4.gguf", "M-BF16.gguf"], "NVFP4", "M-NVFP4.gguf"),
        (["M-MXFP4_MOE.gguf", "M-BF16.gguf"], "", "M-MXFP4_MOE.gguf"),
        (["draft-M-Q8_0.gguf"], "", "draft-M-Q8_0.gguf"),
        (["M-Q8_0.gguf", "mmproj-M-Q8_0.gguf", "imatrix.gguf"], "", "M-Q8_0.gguf"),
        (["M-Q4_K_M.gguf", "draft/M-Q4_K_M.gguf", "drafts/N-Q4_K_M.gguf"], "Q4_K_M", "M-Q4_K_M.gguf"),
        (["M-Q4_K_M.gguf", "draft/M-Q4_K_M.gguf"], "draft/M-Q4_K_M.gguf", "draft/M-Q4_K_M.gguf"),
        (["m-fp16.gguf", "m-q4_k_m.gguf"], "fp16", "m-fp16.gguf"),
        (["m-fp16.gguf", "m-q8_0.gguf"], "F16", "m-fp16.gguf"),
        (["m-f32.gguf", "m-q8_0.gguf"], "FP32", "m-f32.gguf"), (["m-BF16.gguf", "m-f16.gguf"], "bf16", "m-BF16.gguf"),
    ],
)
def test_which_file_is_the_model(names: list[str], selector: str, chosen: str) -> None:
    assert choose("o/r", names, selector) == [chosen]


def test_the_hint_is_the_nearest_quantisation() -> None:
    names = ["M-BF16.gguf", "M-Q2_K.gguf", "M-Q5_K_S.gguf", "mtp-M-BF16.gguf"]
    with pytest.raises(ArgumentError, match=r"has no Q4_K_M: it has BF16, Q2_K, Q5_K_S.*pull hf:o/r:Q5_K_S"):
        choose("o/r", names)
    with pytest.raises(ArgumentError, match=r"has no Q6_K: .*pull hf:o/r:UD-Q4_K_XL"):
        choose("o/r", [*names, "M-UD-Q4_K_XL.gguf"], "Q6_K")


def test_forms_of_a_repository(hub: FakeHub, model: bytes) -> None:
    for given in ("a/b-GGUF:Q8_0", "hf.co/a/b-GGUF:Q8_0", "https://huggingface.co/a/b-GGUF/blob/main/b-Q8_0.gguf"):
        entry = pull(given)
        assert entry.name.startswith("hf:a/b-GGUF:")
        assert Path(store.resolve(given)).read_bytes() == model


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("nofile.gguf", "nofile.gguf: No such file"),
        ("./none", "./none: No such file"),
        ("llama3", "has no model 'llama3'.*near names are llama3.2:.b, llama3.2:.b"),
        ("qwen35:4b", "near names are qwen3.5:4b"),
        ("Qwen3.6", "near names are qwen3"),
        ("zzz", "has no model 'zzz'. Hint: pyhexagon list --all"),
    ],
)
def test_names_that_are_no_model(given: str, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        pull(given)


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "dir.gguf").mkdir()
    with pytest.raises(ArgumentError, match="is a folder"):
        pull(str(tmp_path / "dir.gguf"))


def test_a_split_model(hub: FakeHub, tmp_path: Path) -> None:
    names = [f"q/m-{number}-of-00003.gguf" for number in ("00001", "00002", "00003")]
    write_parts(tmp_path)
    hub.files["a/b"] = {name: (tmp_path / name[2:]).read_bytes() for name in names}
    entry = pull("hf:a/b", "m")
    with GGUFFile(entry.path) as file:
        assert file.names() == ["1.a", "1.b", "2.a", "2.b"]
    del hub.files["a/b"][names[1]]
    with pytest.raises(ArgumentError, match=r"a/b has 2 of the 3 parts of q/m-00001-of-00003.gguf"):
        pull("hf:a/b")


def test_a_model_of_the_catalogue(hub: FakeHub, model: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"tiny:1b": Published("a/b-GGUF", "B-Q8_0.GGUF", len(model), hashlib.sha256(model).hexdigest())}
    monkeypatch.setattr(catalogue, "published", lambda: known)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert pull("tiny:1b").name == "tiny:1b"
    assert hub.tokens == {"Bearer hf_secret"}
    pull("tiny:1b")
    assert hub.ranges == [0]  # it is here
    hub.files["a/b-GGUF"]["b-Q8_0.gguf"] += b"\0"
    with pytest.raises(HexagonError, match=r"has changed: .*pull hf:a/b-GGUF:b-Q8_0.gguf takes the new file"):
        pull("tiny:1b")
    hub.files["a/b-GGUF"]["b-Q8_0.gguf"] = model
    assert pull("tiny").name == "tiny:1b"
    with pytest.raises(ArgumentError, match=r"the catalogue has no model 'tny'.*tiny:1b.*pyhexagon list --all"):
        pull("tny")


def test_an_update_replaces_the_old_file(hub: FakeHub, model: bytes, store_folder: Path) -> None:
    pull(f"{REPO}:Q8_0", "m")
    (store_folder / f"names/m/{'0' * 64}.part").write_bytes(b"GGUF")  # of a version in between
    hub.files["a/b-GGUF"]["b-Q8_0.gguf"] += bytes(8)
    entry = pull(f"{REPO}:Q8_0", "m")
    assert Path(entry.path).stat().st_size == len(model) + 8
    assert [path.name for path in (store_folder / "blobs").iterdir()] == [entry.files[0].sha256]
    assert sorted(path.name for path in (store_folder / "names/m").iterdir()) == ["b-Q8_0.gguf", "model.json"]
