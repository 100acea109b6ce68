# SPDX-License-Identifier: MIT
"""LoRA adapters: GGUF files with two thin matrices A and B for weights of a model.

A weight W with an adapter multiplies as ``W x + scale * B (A x)``, as in llama.cpp: the weight stays quantized.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import isfinite
from typing import Final, NamedTuple

from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.gguf_headers import TensorInfo
from pyhexagon.llm.weights import EMBEDDING, POSITION_EMBEDDING, Thin, is_on_host, is_vector
from pyhexagon.reading import Rows

LoRA = str | os.PathLike[str] | tuple[str | os.PathLike[str], float]
"""The path of an adapter, or the path and the factor on its products."""

_A, _B = ".lora_a", ".lora_b"
_LOOKED_UP: Final = frozenset({EMBEDDING, POSITION_EMBEDDING})


class _Adapter(NamedTuple):
    """Attributes:
    file: of the adapter.
    scales: the factor on the products of each weight that it changes.
    """

    file: GGUFFile
    scales: dict[str, float]


class AdaptedFile:
    """The weights of a model's file and of its adapters, as one source; see ``pyhexagon.sources.Source``.

    Args:
        file: the model's file.
        names: the model's tensors.
        adapters: their paths, with factors.

    Raises:
        ArgumentError: a file is no adapter or belongs to another model; or a factor is not finite.
        UnsupportedError: the adapter changes what cannot be changed here: embeddings, experts, or norms.
        GGUFError: a file is damaged or no GGUF file.
    """

    def __init__(self, file: GGUFFile, names: Collection[str], adapters: Sequence[LoRA] = ()) -> None:
        self._file, self._adapters = file, list[_Adapter]()
        self.path = file.path
        try:
            for one in adapters:
                path, factor = one if isinstance(one, tuple) else (one, 1.0)
                if not isfinite(factor):
                    raise ArgumentError(f"the factor of {os.fspath(path)} is {factor}: expected a finite number")
                opened = GGUFFile(path)
                self._adapters.append(_Adapter(opened, {}))
                self._adapters[-1].scales.update(_scales(opened, file, names, factor))
        except BaseException:
            self.close()
            raise

    def thin(self, names: Collection[str]) -> dict[str, list[Thin]]:
        """Return the thin matrices of each of these weights that an adapter changes."""
        return {
            name: [
                Thin(f"{name}{_A}:{number}", f"{name}{_B}:{number}", adapter.scales[name])
                for number, adapter in enumerate(self._adapters)
                if name in adapter.scales
            ]
            for name in names
            if any(name in adapter.scales for adapter in self._adapters)
        }

    def digest(self) -> bytes:
        """Return a hash of the adapters; empty if there is none."""
        hashes = (f"{_hash(adapter.file)} {sorted(adapter.scales.items())}" for adapter in self._adapters)
        return "\n".join(hashes).encode()

    def names(self) -> list[str]:
        """Return the names of the model's tensors."""
        return list(self._file)

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description, with this name."""
        file, inner = self._find(name)
        return replace(file.info(inner), name=name)

    def rows(self, name: str) -> Rows:
        """Return a function that gives GGUF bytes of a tensor's rows, on any thread."""
        file, inner = self._find(name)
        return file.rows(inner)

    def _find(self, name: str) -> tuple[GGUFFile, str]:
        inner, _, number = name.partition(":")
        return (self._adapters[int(number)].file, inner) if number else (self._file, name)

    def close(self) -> None:
        """Close the adapters' files, not the model's."""
        for adapter in self._adapters:
            adapter.file.close()


def _scales(adapter: GGUFFile, model: GGUFFile, names: Collection[str], factor: float) -> dict[str, float]:
    """Check an adapter, and return the factor on the products of each weight that it changes."""
    metadata = adapter.metadata
    if metadata.get("general.type") != "adapter" or metadata.get("adapter.type") != "lora":
        raise ArgumentError(f"{adapter.path} is not a LoRA adapter: general.type is {metadata.get('general.type')!r}")
    if "adapter.alora.invocation_tokens" in metadata:
        raise UnsupportedError(f"{adapter.path} is an activated LoRA, which is not supported")
    ours, theirs = metadata.get("general.architecture"), model.metadata.get("general.architecture")
    if ours != theirs:
        raise ArgumentError(f"{adapter.path} is an adapter for the architecture {ours}, the model's is {theirs}")
    alpha = metadata.get("adapter.lora.alpha", 0.0)
    if not isinstance(alpha, float) or not isfinite(alpha):
        raise ArgumentError(f"{adapter.path}: adapter.lora.alpha is {alpha!r}: expected a finite number")
    scales: dict[str, float] = {}
    for name in adapter:
        base = name.removesuffix(_A).removesuffix(_B)
        if base == name or f"{base}{_A}" not in adapter or f"{base}{_B}" not in adapter:
            raise ArgumentError(f"{adapter.path}: the tensor {name} is not half of a pair {_A[1:]}, {_B[1:]}")
        if base not in names:
            raise ArgumentError(f"{adapter.path}: {name} changes a tensor that {model.path} does not have")
        shape, a, b = model.info(base).shape, adapter.info(f"{base}{_A}"), adapter.info(f"{base}{_B}")
        if len(shape) != 2 or is_vector(base, shape) or base in _LOOKED_UP or is_on_host(base):
            raise UnsupportedError(f"{adapter.path} changes {base}: adapters of that tensor are not supported")
        if len(a.shape) != 2 or (b.shape, a.shape[1:]) != ((shape[0], a.shape[0]), shape[1:]):
            raise ArgumentError(f"{adapter.path}: {base} has the shape {shape}, its pair has {b.shape} and {a.shape}")
        for info in (a, b):
            if info.unsupported:
                raise UnsupportedError(f"{adapter.path}: the tensor {info.name}: {info.unsupported}")
        scales[base] = factor * alpha / a.shape[0] if alpha else factor
    if not scales:
        raise ArgumentError(f"{adapter.path} has no tensors")
    return scales


def _hash(file: GGUFFile) -> str:
    """Return the hash of a file's bytes."""
    whole = hashlib.sha256()
    for path in file.paths:
        with open(path, "rb") as content:
            while block := content.read(1 << 20):
                whole.update(block)
    return whole.hexdigest()
