# SPDX-License-Identifier: MIT
"""A hub that sends nonsense or without end, and blobs that change after their download."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from models.fake_hub import COMMIT, FakeHub
from pyhexagon import cli
from pyhexagon.errors import GGUFError, HexagonError
from pyhexagon.models import store
from pyhexagon.models.pull import pull

REPO, NAME = "org/repo", "m-Q4_0.gguf"
MODEL = f"hf:{REPO}"
CONTENT = b"GGUF" + bytes(range(256)) * 40
SHA = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def files(hub: FakeHub) -> None:
    hub.files[REPO] = {NAME: CONTENT}


def described(**file: Any) -> bytes:
    lfs = {"sha256": SHA, "size": len(CONTENT), "pointerSize": 134} | file.pop("lfs", {})
    sibling = {"rfilename": NAME, "size": len(CONTENT), "blobId": "0", "lfs": lfs} | file
    return json.dumps({"id": REPO, "sha": COMMIT, "siblings": [sibling], "tags": [], "private": False}).encode()


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


@pytest.mark.parametrize("status", [200, 404])
def test_a_description_without_end_is_refused(hub: FakeHub, status: int) -> None:
    hub.endless = "/api/models/"
    if status == 404:
        hub.refusals[REPO] = (404, "RepoNotFound")
    with pytest.raises(HexagonError, match="in more than 16 MiB"):
        pull(MODEL)
    assert hub.n_sent < 64 << 20  # what was read, and what lies in the sockets' buffers


def test_a_file_without_end_is_refused_and_leaves_nothing(hub: FakeHub, store_folder: Path) -> None:
    hub.endless = "/resolve/"
    with pytest.raises(HexagonError, match="sends more of m-Q4_0"):
        pull(MODEL)
    assert hub.n_sent < 64 << 20
    assert bytes_in(store_folder) == 0
    hub.endless = ""
    assert pull(MODEL).size == len(CONTENT)


def test_one_byte_too_many_is_refused(hub: FakeHub, store_folder: Path) -> None:
    hub.descriptions[REPO] = described(size=len(CONTENT) - 1)
    with pytest.raises(HexagonError, match="sends more of"):
        pull(MODEL)
    assert bytes_in(store_folder) == 0


HASHES = (
    SHA.upper(), SHA[:-1], SHA + "0", SHA[:40], f"sha256:{SHA}", f" {SHA}", f"{SHA}\n", "", "g" * 64, None, 7, [SHA],
)  # fmt: skip


@pytest.mark.parametrize("sha256", HASHES, ids=map(str, range(len(HASHES))))
def test_a_hash_in_another_form_is_refused(hub: FakeHub, store_folder: Path, sha256: Any) -> None:
    hub.descriptions[REPO] = described(lfs={"sha256": sha256})
    with pytest.raises(HexagonError):
        pull(MODEL)
    assert bytes_in(store_folder) == 0


@pytest.mark.parametrize("size", [None, -1, 0, "9", 1.5, [], 1 << 70])
def test_a_size_that_is_none_is_refused(hub: FakeHub, store_folder: Path, size: Any) -> None:
    hub.descriptions[REPO] = described(size=size)
    with pytest.raises(HexagonError):
        pull(MODEL)
    assert bytes_in(store_folder) == 0


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"7", b"{}", b"{", b"[" * 100_000, b'{"id": 1, "siblings": 7}', b"<html>",
             b'{"siblings": [[]]}', b'{"siblings": [{}]}', b'{"siblings": [{"rfilename": 7}]}',
             b'{"siblings": {"a": 1}}', b"\xff\xfe"],
)  # fmt: skip
def test_a_description_that_is_none_is_refused(hub: FakeHub, text: bytes) -> None:
    hub.descriptions[REPO] = text
    with pytest.raises(HexagonError):
        pull(MODEL)


def flipped(blob: Path) -> None:
    blob.write_bytes(CONTENT[:-1] + b"!")


def flipped_with_its_times(blob: Path) -> None:
    status = blob.stat()
    flipped(blob)
    os.utime(blob, ns=(status.st_atime_ns, status.st_mtime_ns))


def replaced(blob: Path) -> None:
    blob.unlink()
    flipped(blob)


def truncated(blob: Path) -> None:
    os.truncate(blob, 9)


def grown(blob: Path) -> None:
    with blob.open("ab") as file:
        file.write(b"!")


CHANGES = [flipped, flipped_with_its_times, replaced, truncated, grown]


@pytest.mark.parametrize("is_noted", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_blob_is_noticed_and_downloaded_again(
    store_folder: Path, change: Callable[[Path], None], is_noted: bool, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = pull(MODEL).path
    blob = store_folder / "blobs" / SHA
    assert blob.stat().st_mode & 0o777 == 0o444
    if is_noted:  # as a second later
        now = time.time_ns()
        monkeypatch.setattr(time, "time_ns", lambda: now + (2 << 30))
        assert store.resolve(MODEL) == path
        assert (store_folder / "blobs" / f"{SHA}.stamp").exists()
    assert cli.main(["list", "--check"]) == 0
    assert "pulled" in capsys.readouterr().out
    blob.chmod(0o644)
    change(blob)
    with pytest.raises(GGUFError, match="has changed since it was pulled"):
        store.resolve(MODEL)
    assert cli.main(["list", "--check"]) == 1
    assert "changed" in capsys.readouterr().out
    assert cli.main(["list", "--check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["models"][0]["state"] == "changed"
    pull(MODEL)
    assert store.resolve(MODEL) == path
    assert Path(path).read_bytes() == CONTENT
    assert cli.main(["list", "--check"]) == 0


def test_a_blob_is_read_once_and_its_stamp_goes_with_it(store_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pull(MODEL)
    now, read, sha256_of = time.time_ns(), [], store.sha256_of

    def noted(stream: BinaryIO) -> str:
        read.append(stream.name)
        return sha256_of(stream)

    monkeypatch.setattr(time, "time_ns", lambda: now + (2 << 30))
    monkeypatch.setattr(store, "sha256_of", noted)
    for _ in range(3):
        store.resolve(MODEL)
    assert len(read) == 1
    (store_folder / "blobs" / SHA).touch()  # nothing has changed
    for _ in range(3):
        store.resolve(MODEL)
    assert len(read) == 2
    (entry,) = store.entries()
    assert store.changed_files(entry, is_thorough=True) == []
    assert len(read) == 3
    store.remove(MODEL)
    assert list((store_folder / "blobs").iterdir()) == []
