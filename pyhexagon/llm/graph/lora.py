# SPDX-License-Identifier: MIT
"""LoRA adapters: GGUF files with two thin matrices A and B for weights of a model.

A weight W with an adapter multiplies as ``W x + scale * B (A x)``, as in llama.cpp: the weight stays quantized.
Adapters for all requests have products of their own. Those that requests choose are stacked: all A of a weight are one
weight (adapters + 1, rank, K), all B another one, and MUL_MAT_ID takes each row's own. The first of a stack is zero.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import isfinite, prod
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
from gguf import GGMLQuantizationType as Type

from pyhexagon import quants
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.headers import TensorInfo
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.files.weights import (
    EMBEDDING,
    POSITION_EMBEDDING,
    ModelFile,
    Thin,
    as_float32,
    is_on_host,
    is_vector,
)

LoRA = str | os.PathLike[str] | tuple[str | os.PathLike[str], float]
"""The path of an adapter, or the path and the factor on its products."""

LoRAChoice = str | Mapping[str, float] | None
"""The adapters of a request: a name, or names with factors; None: no adapter."""

Adapters = tuple[tuple[int, float], ...]
"""LoRA adapters that a request has chosen: their places in the stacks, ascending, and the factors on their products."""

_A, _B = ".lora_a", ".lora_b"
_STACK: Final = "all"
_LOOKED_UP: Final = frozenset({EMBEDDING, POSITION_EMBEDDING})


class _Adapter(NamedTuple):
    """Attributes:
    file: of the adapter.
    scales: the factor on the products of each weight that it changes.
    """

    file: GGUFFile
    scales: dict[str, float]

    @property
    def scale(self) -> float:
        """The largest factor: a stack's B has the ratio of each weight's to it, 1 for adapters with one rank."""
        return max(self.scales.values(), key=abs)


class Choice(NamedTuple):
    """An adapter that requests can choose.

    Attributes:
        place: in the stacks.
        factor: on its products, if the request has none.
        scale: further factor, of the adapter's file.
    """

    place: int
    factor: float
    scale: float


NO_CHOICES: Final[Mapping[str, Choice]] = MappingProxyType({})


def chosen(choices: Mapping[str, Choice], given: LoRAChoice) -> Adapters:
    """Return the adapters of a request: their places in the stacks, and the factors on their products.

    Args:
        choices: all adapters by name.
        given: those of the request.

    Raises:
        ArgumentError: a name is unknown, or a factor is not finite.
    """
    if given is None:
        return ()
    result = []
    for name in [given] if isinstance(given, str) else given:
        if name not in choices:
            known = f"there are {', '.join(map(repr, choices))}" if choices else "none can be chosen"
            raise ArgumentError(f"there is no LoRA adapter {name!r}: {known}")
        factor = choices[name].factor if isinstance(given, str) else given[name]
        _check(name, factor)
        if factor:
            result.append((choices[name].place, factor * choices[name].scale))
    return tuple(sorted(result))


def _check(name: str, factor: float) -> None:
    if isinstance(factor, bool) or not isinstance(factor, (int, float)) or not isfinite(factor):
        raise ArgumentError(f"the factor of {name} is {factor!r}: expected a finite number")


class AdaptedFile:
    """The weights of a model's file and of its adapters, as one source; see ``pyhexagon.gguf.sources.Source``.

    Args:
        file: the model's file.
        names: the model's tensors.
        adapters: paths of the adapters for all requests, with factors; or, by name, of those that requests choose.

    Attributes:
        choices: the adapters that requests choose.

    Raises:
        ArgumentError: a file is no adapter or belongs to another model; or a factor is not finite.
        UnsupportedError: the adapter changes what cannot be changed here: embeddings, experts, or norms.
        GGUFError: a file is damaged or no GGUF file.
    """

    def __init__(
        self, file: ModelFile, names: Collection[str], adapters: Sequence[LoRA] | Mapping[str, LoRA] = ()
    ) -> None:
        self._file, self._adapters, self._stacked = file, list[_Adapter](), list[_Adapter]()
        self.path, self.choices = file.path, dict[str, Choice]()
        is_chosen = isinstance(adapters, Mapping)
        try:
            for adapter in adapters.values() if isinstance(adapters, Mapping) else adapters:
                path, factor = adapter if isinstance(adapter, tuple) else (adapter, 1.0)
                _check(os.fspath(path), factor)
                opened = _Adapter(GGUFFile(path), {})
                (self._stacked if is_chosen else self._adapters).append(opened)
                opened.scales.update(_scales(opened.file, file, names, 1.0 if is_chosen else factor))
                if isinstance(adapters, Mapping):
                    place = len(self._stacked)
                    self.choices[list(adapters)[place - 1]] = Choice(place, factor, opened.scale)
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

    def stacks(self, names: Collection[str]) -> dict[str, Thin]:
        """Return the stacks of each of these weights that an adapter changes which requests choose."""
        return {
            name: Thin(f"{name}{_A}:{_STACK}", f"{name}{_B}:{_STACK}", 1.0)
            for name in names
            if any(name in adapter.scales for adapter in self._stacked)
        }

    def digest(self) -> bytes:
        """Return a hash of the adapters for all requests; empty if there is none."""
        hashes = (f"{_hash(adapter.file)} {sorted(adapter.scales.items())}" for adapter in self._adapters)
        return "\n".join(hashes).encode()

    def names(self) -> list[str]:
        """Return the names of the model's tensors."""
        return list(self._file)

    def info(self, name: str) -> TensorInfo:
        """Return a tensor's description, with this name."""
        file, inner = self._find(name)
        if file is not None:
            return replace(file.info(inner), name=name)
        infos = [stacked.file.info(inner) for stacked in self._stacked if inner in stacked.file]
        rows, columns = (max(sizes) for sizes in zip(*(info.shape for info in infos), strict=True))
        shape = len(self._stacked) + 1, rows, columns
        # Float32 has each number of all other types.
        gguf_type = Type.F16 if all(info.gguf_type == Type.F16 for info in infos) else Type.F32
        return TensorInfo(name, shape, gguf_type, prod(shape) * (2 if gguf_type == Type.F16 else 4), 0, "")

    def rows(self, name: str) -> Rows:
        """Return a function that gives GGUF bytes of a tensor's rows, on any thread."""
        file, inner = self._find(name)
        if file is not None:
            return file.rows(inner)
        info = self.info(name)
        stack = np.zeros(info.shape, np.float32)  # also where an adapter has a smaller rank, or no such pair
        for matrix, adapter in zip(stack[1:], self._stacked, strict=True):
            if inner in adapter.file:
                array = as_float32(adapter.file, inner)
                if inner.endswith(_B):
                    array *= adapter.scales[inner.removesuffix(_B)] / adapter.scale
                matrix[: array.shape[0], : array.shape[1]] = array
        flat = stack.reshape(-1, info.shape[-1])
        return lambda first, last: quants.quantise(flat[first:last], info.gguf_type)

    def _find(self, name: str) -> tuple[ModelFile | None, str]:
        """Return the file of a tensor and its name in it; no file for a stack."""
        inner, _, number = name.partition(":")
        if number == _STACK:
            return None, inner
        return (self._adapters[int(number)].file, inner) if number else (self._file, name)

    def close(self) -> None:
        """Close the adapters' files, not the model's."""
        for adapter in (*self._adapters, *self._stacked):
            adapter.file.close()


def _scales(adapter: GGUFFile, model: ModelFile, names: Collection[str], factor: float) -> dict[str, float]:
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
