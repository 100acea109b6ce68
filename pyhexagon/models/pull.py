# SPDX-License-Identifier: MIT
"""Pull a model into the local store: huggingface_hub's client downloads, this module checks and keeps."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from pyhexagon import extras
from pyhexagon.errors import ArgumentError, BusyError, HexagonError
from pyhexagon.models import catalogue, hub, store
from pyhexagon.models.store import HUB, Entry, StoredFile

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo, RepoSibling

_MOST_DESCRIBED: Final = 16 << 20  # bytes of a repository's description
_BLOBS: Final = Path("../../blobs")  # from a name's folder


class _Reference(NamedTuple):
    """What a name stands for: a repository, the choice of a model in it, and of its mmproj file.

    Attributes:
        repo: ORG/REPO.
        selector: see ``hub.choose``.
        mmproj: see ``hub.choose_mmproj``; None: no mmproj file is wanted.
        hashes: the SHA-256 of the model's file and of the mmproj file that the catalogue knows; empty: it does not.
    """

    repo: str
    selector: str
    mmproj: str | None
    hashes: tuple[str, str] = ("", "")


def pull(model: str, name: str | None = None, *, mmproj: str | bool = True) -> Entry:
    """Download a model with its mmproj file, or continue an interrupted download; return its entry of the store.

    ``HF_ENDPOINT``, ``HF_TOKEN`` and the other variables of huggingface_hub are honoured. A model that is here and
    has not changed on the hub is not downloaded again.

    Args:
        model: a name of the catalogue, of which the smallest model is taken without its tag ("qwen3" is
            "qwen3:0.6b"), or "hf:ORG/REPO[:QUANT]", also written as ORG/REPO or as the repository's address. QUANT may
            be the name of a file; see ``hub.choose`` for what is taken without it.
        name: in the store; None: ``model``, in the first of these forms.
        mmproj: the quantisation or the name of the repository's mmproj file; True: the catalogue's choice, or that of
            ``hub.choose_mmproj``; False: none.

    Raises:
        ArgumentError: the name is unknown, or the repository has no such model; the message lists its models.
        UnsupportedError: the packages of ``pyhexagon[llm]`` are missing.
        BusyError: another process downloads the same model.
        HexagonError: the hub cannot be reached, refuses, or sent wrong bytes; or the disk is full.
    """
    with extras.needed("models from a hub", "llm"):
        import huggingface_hub  # noqa: F401 - its absence is told here
    model = store.canonical(model)
    reference = _reference(model, mmproj)
    repo = reference.repo
    name = name or model
    at = store.place(name)
    with _explained(repo):
        info = _info(repo)
        siblings = {sibling.rfilename: sibling for sibling in info.siblings or ()}
        paths = hub.choose(repo, list(siblings), reference.selector)
        encoder = ""
        if reference.mmproj is not None and paths[0].endswith(".gguf"):
            encoder = hub.choose_mmproj(repo, list(siblings), paths[0], reference.mmproj)
        held = [_described(repo, siblings[path]) for path in paths]
        _check_hash(repo, held[0], reference.hashes[0], held[0].name)
        if encoder:
            paths.append(encoder)
            held.append(_described(repo, siblings[encoder]))
            _check_hash(repo, held[-1], reference.hashes[1], held[0].name)
        source = f"{HUB}{repo}@{info.sha}"
        _check_space(at, held)
        at.mkdir(parents=True, exist_ok=True)
        store.blobs().mkdir(exist_ok=True)
        done = [_fetched(repo, str(info.sha), path, at, file) for path, file in zip(paths, held, strict=True)]
    with store.changing():
        if not all((at / f".{file.name}").exists() for file in done):
            raise BusyError(f"another process pulled or removed {name} meanwhile")
        return store.keep(name, source, done, has_mmproj=bool(encoder))


def _check_hash(repo: str, file: StoredFile, sha256: str, model: str) -> None:
    """Raise HexagonError if a file of the catalogue has been replaced; ``model`` names the new one for ``pull``."""
    if sha256 and file.sha256 not in ("", sha256):
        raise HexagonError(
            f"{file.name} of {repo} has changed: its SHA-256 is {file.sha256}, the catalogue has {sha256}",
            hint=f"pyhexagon pull {HUB}{repo}:{model} takes the new file",
        )


def _reference(model: str, mmproj: str | bool) -> _Reference:
    """Return what a model's name stands for; see ``pull``."""
    given = mmproj if isinstance(mmproj, str) else "" if mmproj else None
    known = catalogue.published().get(model)
    if known is not None:
        if mmproj is not True:
            return _Reference(known.repo, known.file, given, (known.sha256, ""))
        return _Reference(known.repo, known.file, known.mmproj or None, (known.sha256, known.mmproj_sha256))
    repo, _, selector = model.removeprefix(HUB).partition(":")
    if model.startswith(HUB) and repo.count("/") == 1:
        return _Reference(repo, selector, given)
    if os.path.isdir(model):
        raise ArgumentError(f"{model} is a folder, not a GGUF file")
    if model.endswith(".gguf") or model.startswith(("/", ".", "~")):
        raise ArgumentError(f"{model}: No such file")
    near = store.near_names(model, catalogue.published())
    hint = f"near names are {', '.join(near)}; " if near else ""
    raise ArgumentError(
        f"the catalogue has no model {model!r}", hint=f"{hint}pyhexagon list --all, or pull hf:ORG/REPO[:QUANT]"
    )


def _info(repo: str) -> ModelInfo:
    """Return the hub's description of a repository, as ``HfApi.model_info`` would, which reads one of any length."""
    from huggingface_hub import ModelInfo, constants
    from huggingface_hub import utils as lazy

    utils: Any = lazy  # it imports lazily
    utils.validate_repo_id(repo)
    address, content = f"{constants.ENDPOINT}/api/models/{repo}", bytearray()
    headers = utils.build_hf_headers() | {"Accept-Encoding": "identity"}
    with utils.get_session().stream("GET", address, headers=headers, params={"blobs": "true"}, timeout=60) as response:
        for chunk in response.iter_bytes():
            content += chunk
            if len(content) > _MOST_DESCRIBED:
                raise HexagonError(f"the hub describes {repo} in more than {_MOST_DESCRIBED >> 20} MiB: that is no hub")
        made = type(response)(
            response.status_code, headers=_plain(response.headers), content=bytes(content), request=response.request
        )
    utils.hf_raise_for_status(made)
    try:
        info = ModelInfo(**json.loads(content))  # type: ignore[no-untyped-call]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        raise HexagonError(f"the hub describes {repo} in a form that is not known: {_first_line(problem)}") from None
    return info


def _plain(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a body that has been received and decoded."""
    return {name: value for name, value in headers.items() if not name.lower().startswith(("content-", "transfer-"))}


def _described(repo: str, file: RepoSibling) -> StoredFile:
    """Return a file with the size and the SHA-256 that the hub has of it; empty if it has none.

    Raises:
        HexagonError: they are in a form that cannot be compared.
    """
    sha256 = "" if file.lfs is None else file.lfs.sha256
    if not isinstance(file.size, int) or file.size <= 0:
        raise HexagonError(f"the hub says that {file.rfilename} of {repo} has {file.size!r} bytes")
    if not isinstance(sha256, str) or not re.fullmatch("([0-9a-f]{64})?", sha256) or (file.lfs and not sha256):
        raise HexagonError(f"the hub says that the SHA-256 of {file.rfilename} of {repo} is {str(sha256)[:80]!r}")
    return StoredFile(os.path.basename(file.rfilename), file.size, sha256)


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
        try:
            _download(repo, revision, path, stream, file)
        except _TooMuch:
            part.unlink()
            raise HexagonError(
                f"the hub sends more of {path} of {repo} than its {file.size:,} bytes",
                hint="what arrived was removed; pull again",
            ) from None
        found = store.sha256_of(stream)
        if file.sha256 not in ("", found):
            part.unlink()
            raise HexagonError(
                f"{path} of {repo} arrived damaged: its SHA-256 is {found}, expected {file.sha256}",
                hint="what arrived was removed; pull again",
            )
        os.fsync(stream.fileno())
        os.fchmod(stream.fileno(), 0o444)
        store.point(at, file, _BLOBS / found)
        part.replace(store.blobs() / found)
    return file._replace(sha256=found)


def _is_here(file: StoredFile) -> bool:
    """Return whether the blob of a file is here, and has its hash."""
    return bool(file.sha256) and store.is_blob_right(file.sha256)


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
        _Bounded(stream, file.size),  # type: ignore[arg-type]  # it has what the client calls
        resume_size=stream.seek(0, os.SEEK_END),
        headers=build_hf_headers() | {"Accept-Encoding": "identity"},
        expected_size=file.size,
        displayed_filename=file.name,
    )
    stream.flush()


class _TooMuch(Exception):
    """A file is longer than the hub says."""


class _Bounded:
    """A file that takes a number of bytes at most; the client compares sizes when all have arrived."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        self._stream, self._most = stream, most

    def write(self, content: bytes) -> int:
        if self._stream.tell() + len(content) > self._most:
            raise _TooMuch
        return self._stream.write(content)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _explained(repo: str) -> Iterator[None]:
    """Turn errors of the hub, its client and the disk into HexagonErrors that say what to do."""
    from huggingface_hub import errors

    log_in = "set HF_TOKEN, or run: hf auth login"
    try:
        yield
    except (HexagonError, _TooMuch):
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
