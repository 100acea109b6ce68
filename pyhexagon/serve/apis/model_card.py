# SPDX-License-Identifier: MIT
"""The description of a model in Ollama's API, from the header of its file."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import suppress
from datetime import datetime, timezone
from functools import cached_property
from math import prod
from pathlib import Path

import gguf

from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.chat.openai_format import Record
from pyhexagon.llm.engine.model import checked


class ModelCard:
    """Describes a model; the file's header is read once.

    Args:
        path: of the model's file.
        name: of the model for clients.
        has_vision: whether its messages may have images.
    """

    def __init__(self, path: str, name: str, *, has_vision: bool = False) -> None:
        self._path, self._name, self._has_vision = path, name, has_vision

    def listed(self) -> Record:
        """Return the model's entry in ``/api/tags``. Its digest is a hash of the header, because hashing gigabytes of
        weights takes minutes.
        """
        facts = self._facts
        return {name: facts[name] for name in ("name", "model", "modified_at", "size", "digest", "details")}

    def details(self) -> Record:
        """Return the response of ``/api/show``; lists, such as the vocabulary, are missing in model_info."""
        facts = self._facts
        names = ("modified_at", "details", "template", "capabilities", "model_info")
        return {"modelfile": "", "parameters": "", "license": "", **{name: facts[name] for name in names}}

    @cached_property
    def _facts(self) -> Record:
        pooling = None
        with GGUFFile(self._path) as file:
            info = {key: value for key, value in file.metadata.items() if isinstance(value, (bool, int, float, str))}
            tensors = [file.info(name) for name in file]
            with suppress(UnsupportedError):  # a model that cannot be loaded is listed as well
                pooling = checked(file)[0].pooling
        n_bytes = Counter[str]()
        for tensor in tensors:
            n_bytes[tensor.type_name] += tensor.n_bytes
        n_parameters = sum(prod(tensor.shape) for tensor in tensors)
        template = str(info.pop("tokenizer.chat_template", ""))
        architecture = str(info.get("general.architecture", ""))
        name = self._name if ":" in self._name else f"{self._name}:latest"
        path = Path(self._path)
        # The first part of a split model stands for all of them.
        status = path.stat()
        identity = repr((sorted(info.items()), [(tensor.name, tensor.type_name, tensor.shape) for tensor in tensors]))
        return {
            "name": name, "model": name, "size": sum(n_bytes.values()),
            "modified_at": datetime.fromtimestamp(status.st_mtime, timezone.utc).isoformat(),
            "digest": hashlib.sha256(identity.encode()).hexdigest(),
            "details": {
                "parent_model": "", "format": "gguf", "family": architecture, "families": [architecture],
                "parameter_size": _rounded(n_parameters), "quantization_level": _file_type(info, n_bytes),
            },
            "template": template, "capabilities": _capabilities(template, pooling, has_vision=self._has_vision),
            "model_info": info | {"general.parameter_count": n_parameters},
        }  # fmt: skip


def _capabilities(template: str, pooling: str | None, *, has_vision: bool) -> list[str]:
    if pooling not in (None, "rank"):
        return ["embedding"]
    return ["completion"] + (["tools"] if "tools" in template else []) + (["vision"] if has_vision else [])


def _rounded(n_parameters: int) -> str:
    scale, unit = (1e9, "B") if n_parameters >= 1e9 else (1e6, "M")
    return f"{n_parameters / scale:.2f}{unit}"


def _file_type(info: Record, n_bytes: Counter[str]) -> str:
    """Return the name of a file's mix of types; of files that do not say it, the type with most bytes."""
    try:
        return gguf.LlamaFileType(info.get("general.file_type", -1)).name.removeprefix("MOSTLY_")
    except ValueError:
        return n_bytes.most_common(1)[0][0]
