# SPDX-License-Identifier: MIT
"""Several models of ``pyhexagon serve``: their options, their names, and the pool that loads them."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyhexagon import extras
from pyhexagon.cli import llm_options
from pyhexagon.cli.output import device_options, printable
from pyhexagon.device import MAX_SESSIONS, Device
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.chat.given_template import given_template
from pyhexagon.llm.engine.speculation import MTP
from pyhexagon.llm.tokens.tokenizer import Tokenizer
from pyhexagon.llm.vision.pulled import pulled_mmproj
from pyhexagon.memory.capacity import ADDRESS_SPACE
from pyhexagon.models import store
from pyhexagon.speech.ggml_file import WhisperFile

if TYPE_CHECKING:
    from pyhexagon.serve.http.limits import Limits
    from pyhexagon.serve.http.metrics import Metrics
    from pyhexagon.serve.models.pool import ModelPool
    from pyhexagon.serve.models.pooled_model import Kind

_PART: Final = re.compile(r"-(\d{5})-of-\d{5}$")  # of the name of a split model's file, without its ending
_KEEP_ALIVE: Final = 300.0
_NAMES: Final = ("*.gguf", "*/*.gguf", "ggml-*.bin", "*/ggml-*.bin")  # of models; whisper.cpp's are named so


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--models-dir", metavar="DIR", type=Path,
        help="serve the models of a folder (GGUF, ggml-*.bin of whisper.cpp) as well, also later ones",
    )
    parser.add_argument(
        "--keep-alive", metavar="S", type=float, default=_KEEP_ALIVE,
        help=f"seconds that an idle one of several models stays loaded (default {_KEEP_ALIVE:g}; negative: for good)",
    )  # fmt: skip
    parser.add_argument(
        "--memory-budget", metavar="MIB", type=int,
        help="memory of all loaded models (default: the address space of the DSP's processes)",
    )  # fmt: skip


def name_of(model: str) -> str:
    """Return a pulled model's name as it is, and a file's name without its ending."""
    return model if store.resolve(model) != model else Path(model).stem


class ModelsFolder:
    """The GGUF files of a folder and of the folders in it.

    Attributes:
        models: the paths of the models that were there at first.

    Raises:
        ArgumentError: there were none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[Path, tuple[int, int]] = {}
        self._found: set[Path] = set()
        self._refused: set[Path] = set()
        self.models = self.new()
        if not self.models:
            raise ArgumentError(f"--models-dir: {folder} has no GGUF file of a model, and no file of whisper.cpp")

    def new(self) -> list[str]:
        """Return the paths of the models that no call has returned yet.

        A warning tells once why a file cannot be served. Such a file is read again when any file has changed, because
        it may be a copy that was not complete.
        """
        files = {}
        for path in sorted(found for name in _NAMES for found in self._folder.glob(name)):
            if not _is_utf8(path.name):
                self._refuse(path, "its name is not UTF-8, and clients could not ask for it")
                continue
            with suppress(OSError):  # it was removed, or is a link to nothing
                status = path.stat()
                files[path] = status.st_size, status.st_mtime_ns
        if files == self._files:
            return []
        self._files = files
        found = []
        for path in files:
            part = _PART.search(path.stem)
            if path in self._found or "mmproj" in path.name or (part is not None and part[1] != "00001"):
                continue
            try:
                check(str(path))
            except HexagonError as problem:
                self._refuse(path, str(problem))
            else:
                self._found.add(path)
                found.append(str(path))
        return found

    def mmproj(self, model: str) -> str:
        """Return the mmproj file of a model that has a subfolder with it, as in llama.cpp's folders of models; else
        nothing."""
        at = Path(model).parent
        if at == self._folder or is_speech(model):
            return ""
        found = min(at.glob("*mmproj*.gguf"), default=None)
        if found is None:
            return ""
        try:
            llm_options.check_mmproj(model, str(found), None)
        except HexagonError as problem:
            self._refuse(found, str(problem))
            return ""
        return str(found)

    def _refuse(self, path: Path, reason: str) -> None:
        if path not in self._refused:
            _warn(f"{path} is not served: {reason}")
            self._refused.add(path)


def check(model: str, draft: str | None = None, mmproj: str | None = None) -> None:
    """Raise, before a device is opened, if a file is no model that can be served, or cannot use a draft model or an
    mmproj file.

    Args:
        model: a file, or the name of a pulled model.
        draft: as of ``--draft``; None: none.
        mmproj: the mmproj file; None: none.
    """
    path = store.resolve(model)
    if _kind(path) == "text":
        llm_options.header(model)
        llm_options.check_draft(model, draft)
        if mmproj is not None:
            llm_options.check_mmproj(model, mmproj, draft)
        return
    with extras.needed("speech models", "speech"):
        import soundfile  # noqa: F401 - an early error
    WhisperFile(path)
    for option, value in (("--draft", draft), ("--mmproj", mmproj)):
        if value is not None:
            raise ArgumentError(f"{option}: {model} is a speech model")


def _check_template(model: str, template: str) -> None:
    """Raise ArgumentError if a file is no chat template for a model."""
    if is_speech(model):
        raise ArgumentError(f"--chat-template-file: {model} is a speech model")
    with GGUFFile(store.resolve(model)) as file:
        given_template(template, **Tokenizer(file).template_names)


def is_speech(model: str) -> bool:
    """Return whether a file, or a pulled model, is a speech model."""
    return _kind(store.resolve(model)) == "speech"


def _kind(path: str) -> Kind:
    return "speech" if store.is_whisper_file(path) else "text"


def _is_utf8(name: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _warn(text: str) -> None:
    print(printable(f"pyhexagon: warning: {text}"), file=sys.stderr)


def _short_name(model: str) -> str:
    """Return the name of a model for clients; a split model has no part number."""
    return _PART.sub("", name_of(model))


def _named(models: Sequence[str], aliases: Sequence[str]) -> dict[str, tuple[str, frozenset[str]]]:
    """Return the model and the aliases of each name."""
    names: dict[str, str] = {}
    if len(models) == 1 and aliases and "=" not in aliases[0]:
        names[aliases[0]], aliases, models = models[0], aliases[1:], []
    for model in models:
        name = _short_name(model)
        if name in names:
            hint = "pyhexagon pull FILE --name NAME gives a file another name"
            raise ArgumentError(f"two models are called {name}: {names[name]} and {model}", hint=hint)
        names[name] = model
    further: dict[str, set[str]] = {name: set() for name in names}
    taken = set(names)
    for given in aliases:
        alias, _, name = given.partition("=")
        if name not in names or not alias or alias in taken:
            raise ArgumentError(f"--alias is {given}: expected a new name, =, and one of {', '.join(names)}")
        further[name].add(alias)
        taken.add(alias)
    return {name: (model, frozenset(further[name])) for name, model in names.items()}


def by_model(
    given: Sequence[str], names: Sequence[str], option: str = "--draft", what: str = "MODEL"
) -> dict[str, str]:
    """Return the values of an option by the names of their models; one model needs no name.

    Args:
        what: the name of a value in the message of the error.
    """
    found: dict[str, str] = {}
    for text in given:
        name, _, value = text.partition("=")
        if len(names) == 1 and name != names[0]:
            name, value = names[0], text
        if name not in names or not value or name in found:
            raise ArgumentError(f"{option} is {text}: expected NAME={what}, once for each of {', '.join(names)}")
        found[name] = value
    return found


def templates(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the files of ``--chat-template-file`` by the names of their models."""
    return by_model(given, names, "--chat-template-file", "FILE")


def mmprojs(given: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the files of ``--mmproj`` by the names of their models."""
    return by_model(given, names, "--mmproj", "FILE")


def pulled_mmproj_of(model: str) -> str:
    """Return the mmproj file that was pulled with a model; empty if there is none, or it cannot be run."""
    path, problem = pulled_mmproj(model)
    if problem:
        _warn(f"{model} takes no images: {problem}")
    return "" if problem else path


@contextmanager
def opened(
    models: Sequence[str], folder: ModelsFolder | None, options: argparse.Namespace, limits: Limits, metrics: Metrics
) -> Iterator[ModelPool]:
    """Open the devices, and yield the pool of the models, of which none is loaded yet.

    Args:
        models: all of them.
        folder: may get more models later.
    """
    from pyhexagon.serve.models.loading import DeviceLoader
    from pyhexagon.serve.models.pool import ModelPool
    from pyhexagon.serve.models.pooled_model import PooledModel

    if options.cluster is not None:
        raise ArgumentError("--cluster: a cluster serves one model")
    if options.lora:
        raise ArgumentError("--lora: adapters belong to one model, and several are served")
    named = _named(models, options.alias)
    draft_of, template_of = by_model(options.draft, list(named)), templates(options.chat_template_file, list(named))
    mmproj_of = mmprojs(options.mmproj, list(named))
    for name, (model, _) in named.items():
        if not options.no_mmproj and draft_of.get(name) != MTP:
            found = folder.mmproj(model) if folder and model in folder.models else pulled_mmproj_of(model)
            if found:
                mmproj_of.setdefault(name, found)
    for name, (model, _) in named.items():
        check(model, draft_of.get(name), mmproj_of.get(name))
        if name in template_of:
            _check_template(model, template_of[name])
    pooled = [
        PooledModel(
            name, path := store.resolve(model), aliases, draft=draft_of.get(name, ""), mmproj=mmproj_of.get(name, ""),
            template=template_of.get(name, ""), kind=_kind(path),
        )
        for name, (model, aliases) in named.items()
    ]  # fmt: skip
    taken = {name for model in pooled for name in (model.name, *model.aliases)}

    def find_new() -> list[PooledModel]:
        new = []
        for path in folder.new() if folder else ():
            name = _short_name(path)
            if name in taken:
                _warn(f"{path} is not served: another model is called {name}")
                continue
            taken.add(name)
            mmproj = folder.mmproj(path) if folder and not options.no_mmproj else ""
            new.append(PooledModel(name, path, mmproj=mmproj, kind=_kind(path)))
        return new

    names = options.device.split(",") if options.device else [None]
    with ExitStack() as stack:
        devices = [stack.enter_context(Device(name, cpu_share="auto", **device_options(options))) for name in names]
        space = len(devices) * MAX_SESSIONS * ADDRESS_SPACE
        budget = space if options.memory_budget is None else options.memory_budget << 20
        keep_alive = options.keep_alive if options.keep_alive >= 0 else math.inf
        n_ctx, context_bytes = options.c, 0
        if n_ctx == llm_options.AUTO:
            n_ctx, context_bytes = None, min(budget, llm_options.free_bytes()) // len(pooled)
            llm_options.dim(f"(-c auto: {context_bytes >> 20:,} MiB for each of {len(pooled)} models and its context)")
        loader = DeviceLoader(
            devices, limits, metrics, n_ctx=n_ctx, kv=options.kv, n_batch=options.b,
            mmproj_weights=options.mmproj_weights, context_bytes=context_bytes,
        )  # fmt: skip
        yield stack.enter_context(ModelPool(
            pooled, ",".join(device.name for device in devices), loader, n_bytes=budget, keep_alive=keep_alive,
            n_waiting=limits.n_waiting, find_new=find_new,
        ))  # fmt: skip
