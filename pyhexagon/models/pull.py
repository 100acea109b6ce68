# SPDX-License-Identifier: MIT
"""Pull a model into the local store: huggingface_hub's client downloads, this module checks and keeps."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from pyhexagon import extras
from pyhexagon.errors import ArgumentError, BusyError, HexagonError
from pyhexagon.models import catalogue, hub, store
from pyhexagon.models.store import HUB, Entry, StoredFile

if TYPE_CHECKING:
    from huggingface_hub.hf_api import BlobLfsInfo

_BLOBS: Final = Path("../../blobs")  # from a name's folder


def pull(model: str, name: str | None = None) -> Entry:
    """Download a model, or continue an interrupted download; return its entry of the store.

    ``HF_ENDPOINT``, ``HF_TOKEN`` and the other variables of huggingface_hub are honoured. A model that is here and
    has not changed on the hub is not downloaded again.

    Args:
        model: a name of the catalogue, or "hf:ORG/REPO[:QUANT]"; QUANT may be the name of a file. Without it the
            repository's only model is taken, or Q4_K_M, Q4_0, Q8_0, MXFP4, the first that it has.
        name: in the store; None: ``model``.

    Raises:
        ArgumentError: the name is unknown, or the repository has no such model; the message lists its models.
        UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
        BusyError: another process downloads the same model.
        HexagonError: the hub cannot be reached, refuses, or sent wrong bytes; or the disk is full.
    """
    with extras.needed("models from a hub", "llm"):
        import huggingface_hub
    repo, selector, sha256 = _reference(model)
    name = name or model
    at = store.place(name)
    with _explained(repo):
        info = huggingface_hub.HfApi().model_info(repo, files_metadata=True)
        sizes = {one.rfilename: (one.size or 0, _hash(one.lfs)) for one in info.siblings or ()}
        paths = hub.choose(repo, list(sizes), selector)
        held = [StoredFile(os.path.basename(path), *sizes[path]) for path in paths]
        if sha256 and held[0].sha256 not in ("", sha256):
            raise HexagonError(
                f"{paths[0]} of {repo} has changed: its SHA-256 is {held[0].sha256}, the catalogue has {sha256}",
                hint=f"pyhexagon pull {HUB}{repo}:{held[0].name} takes the new file",
            )
        source = f"{HUB}{repo}@{info.sha}"
        _check_space(at, held)
        at.mkdir(parents=True, exist_ok=True)
        store.blobs().mkdir(exist_ok=True)
        done = [_fetched(repo, str(info.sha), path, at, file) for path, file in zip(paths, held, strict=True)]
    with store.changing():
        if not all((at / f".{file.name}").exists() for file in done):
            raise BusyError(f"another process pulled or removed {name} meanwhile")
        return store.keep(name, source, done)


def _reference(model: str) -> tuple[str, str, str]:
    """Return repository, selector and, if the catalogue has it, SHA-256."""
    known = catalogue.published().get(model)
    if known is not None:
        return known.repo, known.file, known.sha256
    repo, _, selector = model.removeprefix(HUB).partition(":")
    if not model.startswith(HUB) or repo.count("/") != 1:
        raise ArgumentError(
            f"the catalogue has no model {model!r}", hint="pyhexagon list --all, or pull hf:ORG/REPO[:QUANT]"
        )
    return repo, selector, ""


def _hash(lfs: BlobLfsInfo | None) -> str:
    """Return the SHA-256 that the hub has of a file; empty if it has none."""
    return lfs.sha256 if lfs and re.fullmatch("[0-9a-f]{64}", lfs.sha256) else ""


def _check_space(at: Path, held: list[StoredFile]) -> None:
    """Raise HexagonError if the disk has no room for the missing bytes."""
    present = sum(path.stat().st_size for file in held if (path := _part(at, file)).exists())
    needed = sum(file.size for file in held if not _is_here(file)) - present
    store.folder().mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(store.folder()).free
    if needed > free:
        raise HexagonError(
            f"the download needs {needed:,} bytes, and {store.folder()} has {free:,} bytes free",
            hint="remove models (pyhexagon list, pyhexagon rm), or set XDG_DATA_HOME to a folder on another disk",
        )


def _fetched(repo: str, revision: str, path: str, at: Path, file: StoredFile) -> StoredFile:
    """Download one file of a repository to the blobs, unless it is there; return it with its SHA-256."""
    if _is_here(file):
        store.point(at, file, _BLOBS / file.sha256)
        return file
    part = _part(at, file)
    with open(part, "a+b") as stream:
        if not _is_locked(stream, part):
            raise BusyError(f"another process downloads {path} of {repo}")
        _download(repo, revision, path, stream, file)
        found = _sha256(stream)
        if file.sha256 not in ("", found):
            part.unlink()
            raise HexagonError(
                f"{path} of {repo} arrived damaged: its SHA-256 is {found}, expected {file.sha256}",
                hint="what arrived was removed; pull again",
            )
        os.fsync(stream.fileno())
        store.point(at, file, _BLOBS / found)
        part.replace(store.blobs() / found)
    return file._replace(sha256=found)


def _is_here(file: StoredFile) -> bool:
    return bool(file.sha256) and (store.blobs() / file.sha256).exists()


def _part(at: Path, file: StoredFile) -> Path:
    """Return the path of a download that is not complete; a new version of the file has another one."""
    return at / f"{file.sha256 or file.name}.part"


def _is_locked(stream: BinaryIO, part: Path) -> bool:
    """Lock a partial file for as long as it is open; return whether this process has it for itself."""
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return part.exists() and os.path.samestat(os.fstat(stream.fileno()), part.stat())
    except BlockingIOError:
        return False


def _download(repo: str, revision: str, path: str, stream: BinaryIO, file: StoredFile) -> None:
    """Append the missing bytes of a file. The client retries and resumes a connection that breaks."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]  # it imports lazily

    if stream.seek(0, os.SEEK_END) > file.size:
        stream.truncate(0)
    http_get(
        hf_hub_url(repo, path, revision=revision),
        stream,
        resume_size=stream.seek(0, os.SEEK_END),
        headers=build_hf_headers() | {"Accept-Encoding": "identity"},
        expected_size=file.size,
        displayed_filename=file.name,
    )
    stream.flush()


def _sha256(stream: BinaryIO) -> str:
    digest = hashlib.sha256()
    stream.seek(0)
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


@contextmanager
def _explained(repo: str) -> Iterator[None]:
    """Turn errors of the hub, its client and the disk into HexagonErrors that say what to do."""
    from huggingface_hub import errors

    log_in = "set HF_TOKEN, or run: hf auth login"
    try:
        yield
    except HexagonError:
        raise
    except errors.GatedRepoError:
        raise HexagonError(
            f"{repo} is for users who accepted its conditions", hint=f"accept them on its page, then {log_in}"
        ) from None
    except errors.HfHubHTTPError as error:
        code = error.response.status_code
        if code in (401, 403, 404):
            hint = f"check the name; if the repository is private, {log_in}"
            raise HexagonError(f"the hub has no {repo} for you (HTTP {code})", hint=hint) from None
        raise HexagonError(f"the hub answers HTTP {code} for {repo}", hint="pull again: it continues") from None
    except errors.HFValidationError as error:
        raise ArgumentError(f"{repo} is no repository: {_first_line(error)}") from None
    except Exception as error:  # of the disk, or of the client's HTTP library
        if isinstance(error, OSError) and error.errno is not None:
            raise HexagonError(f"cannot write to {store.folder()}: {error.strerror}") from None
        hint = "check the network and HF_ENDPOINT, and pull again: it continues"
        raise HexagonError(f"the download of {repo} failed: {_first_line(error)}", hint=hint) from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
