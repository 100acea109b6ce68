# SPDX-License-Identifier: MIT
"""The tensors of a model's file: which there must be, whether they are, and how they get to the device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import gguf
import numpy as np

from pyhexagon.device import Device
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.config import Config
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor

Shapes = Mapping[str, tuple[str, ...]]  # of tensors by name, in sizes that ``sizes`` knows
Progress = Callable[[int, int], None]

EMBEDDING: Final = "token_embd.weight"
OUTPUT: Final = "output.weight"
_MODEL: Final[Shapes] = {EMBEDDING: ("vocabulary", "width"), "output_norm.weight": ("width",)}
_MODEL_OPTIONAL: Final[Shapes] = {OUTPUT: ("vocabulary", "width")}


def sizes(config: Config, layer: int) -> dict[str, int]:
    """What the lengths of a layer's tensors are called."""
    q, kv = config.n_heads[layer] * config.head_size, config.n_kv_heads[layer] * config.head_size
    ffn = config.n_ffn[layer]
    return {
        "width": config.width, "head": config.head_size, "q": q, "kv": kv, "qkv": q + 2 * kv, "ffn": ffn,
        "2 ffn": 2 * ffn, "pairs": config.rope.n_dims // 2,
    }  # fmt: skip


def check(
    file: GGUFFile, config: Config, layer: Shapes, optional: Shapes, model_optional: Shapes
) -> tuple[list[str], list[str]]:
    """The names of the tensors that the model uses, and what speaks against loading them.

    Args:
        layer: what each layer must have.
        optional: what each may have.
        model_optional: what the model may have beside its embedding, its last norm and its output matrix.
    """
    embedding = file.info(EMBEDDING) if EMBEDDING in file else None
    n_tokens = embedding.shape[0] if embedding is not None and len(embedding.shape) == 2 else 0
    expected: dict[str, tuple[tuple[int, ...], bool]] = {}
    for shapes, is_needed in ((_MODEL, True), ({**_MODEL_OPTIONAL, **model_optional}, False)):
        lengths = sizes(config, 0) | {"vocabulary": n_tokens}
        expected |= {name: (tuple(lengths[one] for one in named), is_needed) for name, named in shapes.items()}
    for index in range(config.n_layers):
        lengths = sizes(config, index)
        for shapes, is_needed in ((layer, True), (optional, False)):
            for name, named in shapes.items():
                expected[f"blk.{index}.{name}"] = tuple(lengths[one] for one in named), is_needed
    names, problems = [], []
    for name, (shape, is_needed) in expected.items():
        if name not in file:
            problems += [f"the tensor {name} is missing"] if is_needed else []
            continue
        names.append(name)
        info = file.info(name)
        if info.shape != shape:
            problems.append(f"the tensor {name} has the shape {info.shape}, not {shape}")
        if len(shape) > 1 and info.unsupported:
            problems.append(f"the tensor {name}: {info.unsupported}")
    problems += [f"the tensor {name} is not known" for name in file if name not in expected]
    return names, problems


class Weights:
    """The tensors of a model on the device. Matrices are weights; all vectors together lie in one tensor.

    Args:
        names: of the tensors to load.
        progress: called with the bytes done and the bytes in all.

    Raises:
        DspMemoryError: they do not fit; none stays loaded.
    """

    def __init__(self, device: Device, file: GGUFFile, names: list[str], progress: Progress | None = None) -> None:
        vectors = [name for name in names if len(file.info(name).shape) == 1]
        self._matrices = device.load_all(file, [name for name in names if name not in set(vectors)], progress=progress)
        self._places: dict[str, tuple[int, int]] = {}
        arrays = {name: vector(file, name) for name in vectors}
        at = 0
        for name, array in arrays.items():
            self._places[name] = at, at + len(array)
            at += -(-len(array) // 32) * 32  # whole vectors of the DSP
        packed = np.zeros(max(at, 1), np.float32)
        for name, (first, end) in self._places.items():
            packed[first:end] = arrays[name]
        self._vectors = device.tensor(packed)

    @property
    def nbytes(self) -> int:
        """In DSP memory."""
        return sum(tensor.nbytes for tensor in (*self._matrices.values(), self._vectors))

    def types(self) -> dict[str, int]:
        """How many matrices there are of each type."""
        names = [tensor.gguf_type.name for tensor in self._matrices.values()]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def __contains__(self, name: str) -> bool:
        return name in self._matrices or name in self._places

    def matrix(self, name: str) -> Tensor:
        """A weight."""
        return self._matrices[name]

    def vector(self, p: Builder, name: str) -> Value:
        """A vector, for a program."""
        first, end = self._places[name]
        return p.value(self._vectors)[first:end]

    def close(self) -> None:
        """Gives their memory back."""
        for tensor in (*self._matrices.values(), self._vectors):
            tensor.close()


def vector(file: GGUFFile, name: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A tensor of one dimension, as float32."""
    info = file.info(name)
    return np.asarray(gguf.dequantize(file.raw(name), info.gguf_type).reshape(-1), np.float32)
