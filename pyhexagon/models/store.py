# SPDX-License-Identifier: MIT
"""The local store of models, in ``$XDG_DATA_HOME/pyhexagon/store``.

::

    blobs/SHA-256               a complete file
    blobs/SHA-256.stamp         its size and times when it had this SHA-256
    names/NAME/model.json       the files of the name; written last, by renaming
    names/NAME/FILE.gguf        a link to a blob or to a file elsewhere; the parts of a split model lie side by side
    names/NAME/.FILE.gguf       the same for a pull that is not complete
    names/NAME/SHA-256.part     an interrupted download, which the next pull continues

``pyhexagon deploy`` keeps its versions and copied models beside it, and touches nothing in the store.
"""

from __future__ import annotations

import difflib
import fcntl
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple
from urllib.parse import quote, unquote

from pyhexagon import files
from pyhexagon.errors import ArgumentError, GGUFError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.kinds import N_BYTES, is_whisper
from pyhexagon.models import catalogue

HUB: Final = "hf:"
_STAMP: Final = ".stamp"
_TICK: Final = 1_000_000_000  # nanoseconds; no file system has coarser times of change than seconds
_MANIFEST: Final = "model.json"
_ADDRESS: Final = re.compile(
    r"(?:https?://)?(?:www\.)?(?:hf\.co|huggingface\.co)/([\w.-]+/[\w.-]+)"
    r"(?:/?|:([^/?#]+)|/(?:resolve|blob|tree)/[^?#]*?(?:/([^/?#]+\.(?:gguf|bin)))?)(?:[?#].*)?"
)
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*(?::[^/]+)?")
_NAME: Final = re.compile(r"\w[\w.:/+-]{0,149}", re.ASCII)


class StoredFile(NamedTuple):
    """A file of a model: its name, its size in bytes, and its SHA-256, which is empty for a linked file."""

    name: str
    size: int
    sha256: str


class Entry(NamedTuple):
    """A model of the store.

    Attributes:
        name: what users call it.
        source: "hf:ORG/REPO" at a commit, or the path of a linked file; empty while its pull is incomplete.
        files: the model's file, or the parts of a split model in order; then its mmproj file, if it has one.
        path: of the file to open, the first part of a split model.
        size: bytes of all files; of an incomplete pull, the bytes that are here.
        mmproj: path of the mmproj file; empty: it has none.
    """

    name: str
    source: str
    files: tuple[StoredFile, ...]
    path: str
    size: int
    mmproj: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether all files are here."""
        return bool(self.source)


def folder() -> Path:
    """Return the store's folder, whether it exists or not."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "pyhexagon/store"


def blobs() -> Path:
    """Return the folder of complete files, named by their SHA-256."""
    return folder() / "blobs"


def place(name: str) -> Path:
    """Return the folder of a name.

    Raises:
        ArgumentError: it is no name for a model.
    """
    if not _NAME.fullmatch(name):
        expected = "expected up to 150 of A-Z a-z 0-9 _ . : / + -"
        raise ArgumentError(f"{name!r} is no name for a model: {expected}", hint="pyhexagon pull MODEL --name NAME")
    return folder() / "names" / quote(name, safe="")


def entries() -> list[Entry]:
    """Return all models, sorted by name; incomplete pulls included."""
    names = folder() / "names"
    found = sorted(unquote(path.name) for path in names.iterdir()) if names.is_dir() else []
    return [entry for name in found if (entry := find(name)) is not None]


def find(name: str) -> Entry | None:
    """Return the model of this name, complete or not; None if the store does not have it.

    Raises:
        HexagonError: the store's record of it is damaged.
    """
    at = place(name)
    try:
        record = json.loads((at / _MANIFEST).read_text(encoding="utf-8"))
        held = tuple(StoredFile(**fields) for fields in record["files"])
        return _entry(name, record["source"], held, record.get("mmproj", False))
    except FileNotFoundError:
        if not at.is_dir():
            return None
        size = sum(path.stat().st_size for path in at.iterdir() if path.exists())
        return Entry(name, "", (), str(at), size)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise HexagonError(f"{at / _MANIFEST} is damaged: {error}", hint=f"pyhexagon rm {name}") from None


def _entry(name: str, source: str, held: Sequence[StoredFile], has_mmproj: object) -> Entry:
    """Return the entry of a complete model, whose last file may be an mmproj file."""
    at = place(name)
    mmproj = str(at / held[-1].name) if has_mmproj else ""
    return Entry(name, source, tuple(held), str(at / held[0].name), sum(file.size for file in held), mmproj)


def mmproj_of(model: str | os.PathLike[str]) -> str:
    """Return the path of the mmproj file of a model in the store; empty if it has none, or is not in the store.

    Args:
        model: the name of a pulled or linked model, or what ``resolve`` gave for it.

    Raises:
        ArgumentError, GGUFError, HexagonError: as ``resolve`` and ``find``.
    """
    at = Path(resolve(model)).parent
    entry = find(unquote(at.name)) if at.parent == folder() / "names" else None
    return entry.mmproj if entry is not None else ""


def canonical(model: str) -> str:
    """Return the form in which the store names a model: the catalogue's name with its tag, or hf:ORG/REPO[:QUANT].

    Args:
        model: one of these; a name without its tag; ORG/REPO[:QUANT] if no such file exists; or the address of a
            repository or of a file in it, with or without "https://".
    """
    if found := _ADDRESS.fullmatch(model):
        file = found[3] or found[2] or ""
        return f"{HUB}{found[1]}{f':{os.path.basename(file)}' if file else ''}"
    if _REPOSITORY.fullmatch(model) and not model.endswith(".gguf") and not os.path.exists(model):
        return f"{HUB}{model}"
    return catalogue.smallest(model)


def near_names(model: str, known: Iterable[str]) -> list[str]:
    """Return up to four names that are most like a wrong one, or begin like it."""
    known = list(known)
    first = re.split(r"[:.\d]", model.lower())[0]
    begin = [name for name in known if len(first) > 2 and name.startswith(first)]
    return list(dict.fromkeys([*difflib.get_close_matches(model.lower(), known, n=3, cutoff=0.5), *begin]))[:4]


def resolve(model: str | os.PathLike[str]) -> str:
    """Return the path of a model's file: ``model`` itself if it is a path, else the file that the name stands for.

    Raises:
        ArgumentError: it is the name of a model that has not been pulled; the hint is the command.
        GGUFError: it is neither a file nor a name in the store.
    """
    path = os.fspath(model)
    is_folder = os.path.isdir(path)
    if not isinstance(model, str) or not _NAME.fullmatch(path) or (os.path.exists(path) and not is_folder):
        return path
    entry = find(path) or _only_tag(path) or find(canonical(path))
    if entry is not None and entry.is_complete:
        path = entry.name
        if damaged := changed_files(entry):
            raise GGUFError(
                f"{path} has changed since it was pulled: the SHA-256 of {', '.join(damaged)} is another one",
                hint=f"pyhexagon pull {path} downloads it again",
            )
        return entry.path
    name = path if is_folder or path.endswith(".gguf") else canonical(path)
    if entry is not None or name in catalogue.published() or name.startswith(HUB):
        state = "has not been pulled" if entry is None else "has not been pulled completely"
        no_file = f"{path}: No such file, and " if "/" in path and not path.startswith(HUB) else ""
        raise ArgumentError(f"{no_file}the model {name} {state}", hint=f"pyhexagon pull {name}")
    if is_folder or "/" in path or path.endswith(".gguf"):
        return path
    near = near_names(path, [*catalogue.published(), *(entry.name for entry in entries())])
    hint = f"near names are {', '.join(near)}" if near else "pyhexagon list --all shows the names"
    raise GGUFError(f"{path}: No such file, and no model of this name was pulled", hint=hint)


def _only_tag(name: str) -> Entry | None:
    """Return the model for a name without its tag, if one tag of it was pulled."""
    pulled = [entry for entry in entries() if entry.is_complete] if ":" not in name and "/" not in name else []
    found = catalogue.tagged(name, (entry.name for entry in pulled))
    return find(found[0]) if len(found) == 1 else None


def sha256_of(stream: BinaryIO) -> str:
    """Return the SHA-256 of a whole file."""
    digest = hashlib.sha256()
    stream.seek(0)
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def changed_files(entry: Entry, *, is_thorough: bool = False) -> list[str]:
    """Return the names of a model's files whose blobs do not have their SHA-256 any more.

    Args:
        entry: of a complete model.
        is_thorough: whether all bytes are read; else only those of blobs that something has written to.
    """
    return [
        file.name for file in entry.files
        if file.sha256 and (blobs() / file.sha256).exists() and not is_blob_right(file.sha256, is_thorough=is_thorough)
    ]  # fmt: skip


def is_blob_right(sha256: str, *, is_thorough: bool = False) -> bool:
    """Return whether a blob is here and has its SHA-256; see ``changed_files``.

    The stamp of a blob that was right stands beside it, in SHA-256.stamp: size, time of change, and number of the file.
    """
    path, note = blobs() / sha256, blobs() / f"{sha256}{_STAMP}"
    try:
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            stamp = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
            with suppress(OSError):
                if not is_thorough and note.read_text(encoding="ascii") == stamp:
                    return True
            is_right = sha256_of(stream) == sha256
    except FileNotFoundError:
        return False
    with suppress(OSError):  # a store that belongs to somebody else
        if is_right and time.time_ns() - status.st_ctime_ns > _TICK:  # else a change could leave the same time
            note.write_text(stamp, encoding="ascii")
        else:
            note.unlink(missing_ok=True)
    return is_right


def link(name: str, path: str | os.PathLike[str], mmproj: str | os.PathLike[str] | None = None) -> Entry:
    """Add a name for a GGUF file or a file of whisper.cpp that stays where it is; for a split model, its first part.

    Args:
        name: of the model.
        path: of its file.
        mmproj: path of its mmproj file, which stays as well; None: it has none.

    Raises:
        ArgumentError: the name is taken, or no name for a model.
        GGUFError: the file is missing or damaged.
    """
    if is_whisper_file(path):
        parts = [os.path.abspath(path)]
    else:
        with GGUFFile(os.path.abspath(path)) as file:
            parts = file.paths
    if mmproj is not None:
        with GGUFFile(os.path.abspath(mmproj)) as file:
            parts = [*parts, file.path]
        if len({os.path.basename(part) for part in parts}) < len(parts):
            raise ArgumentError(f"{path} and its mmproj file {mmproj} have the same name")
    held = [StoredFile(os.path.basename(part), os.path.getsize(part), "") for part in parts]
    with changing():
        entry = find(name)
        if entry is not None:
            raise ArgumentError(f"the store has a model {name}", hint=f"pyhexagon rm {name}, or another --name")
        place(name).mkdir(parents=True)
        for one, part in zip(held, parts, strict=True):
            point(place(name), one, part)
        return keep(name, parts[0], held, has_mmproj=mmproj is not None)


def is_whisper_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a speech model of whisper.cpp."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return is_whisper(file.read(N_BYTES))


def point(at: Path, file: StoredFile, target: str | Path) -> None:
    """Make the link for a file of an incomplete model in ``at``; from then on, its blob is in use."""
    link_path = at / f".{file.name}"
    link_path.unlink(missing_ok=True)
    link_path.symlink_to(target)


def keep(name: str, source: str, held: Sequence[StoredFile], *, has_mmproj: bool = False) -> Entry:
    """Make a name stand for files that ``point`` has linked, in ``changing()``; its earlier files lose it.

    Args:
        name: of the model.
        source: see ``Entry``.
        held: the files, in order.
        has_mmproj: the last file is the model's mmproj file.
    """
    at = place(name)
    for file in held:
        (at / f".{file.name}").replace(at / file.name)
    record: dict[str, Any] = {"source": source, "files": [file._asdict() for file in held], "mmproj": has_mmproj}
    files.save(at / _MANIFEST, lambda file: file.writelines([json.dumps(record, indent=1).encode()]))
    for path in at.iterdir():
        if path.name not in (_MANIFEST, *(file.name for file in held)):
            path.unlink()
    _remove_unused_blobs()
    return _entry(name, source, held, has_mmproj)


def remove(name: str) -> int:
    """Remove a name and the files that no other name uses; return the bytes freed. Linked files stay.

    Raises:
        ArgumentError: the store has no such name.
    """
    with changing():
        at = place(name)
        if not at.is_dir():
            raise ArgumentError(f"there is no model {name}", hint="pyhexagon list")
        freed = sum(path.lstat().st_size for path in at.glob("*.part"))
        (at / _MANIFEST).unlink(missing_ok=True)  # first: a removal that is killed leaves an incomplete pull
        shutil.rmtree(at)
        return freed + _remove_unused_blobs()


def _remove_unused_blobs() -> int:
    """Remove the blobs that no name links to; return their bytes."""
    used = {os.path.basename(os.path.realpath(path)) for path in (folder() / "names").glob("*/*")}
    freed = 0
    for blob in list(blobs().iterdir()) if blobs().is_dir() else ():
        if blob.name.removesuffix(_STAMP) not in used:
            freed += blob.stat().st_size
            blob.unlink()
    return freed


@contextmanager
def changing() -> Iterator[None]:
    """Hold the store's lock, for a moment: names and blobs then change together. OSErrors become HexagonErrors."""
    try:
        folder().mkdir(parents=True, exist_ok=True)
        lock = os.open(folder(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
    except HexagonError:
        raise
    except OSError as error:
        raise HexagonError(f"cannot change the store in {folder()}: {error.strerror or error}") from None
