# SPDX-License-Identifier: MIT
"""The tensors of a model's file: which there must be, whether they are, and how they get to the device."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Final

import gguf
import numpy as np

from pyhexagon.device import Device
from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.config import Config
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor
from pyhexagon.weights import load_in_order

Shapes = Mapping[str, tuple[str, ...]]  # of tensors by name, in sizes that ``sizes`` knows
Progress = Callable[[int, int], None]

EMBEDDING: Final = "token_embd.weight"
OUTPUT: Final = "output.weight"
_AFTER_ALL: Final = 1 << 30
LAST_NORM: Final = "output_norm"
PLACES: Final = "position_embd.weight"
TYPES: Final = "token_types.weight"
CLASSIFIER: Final = "cls"  # of rankers
FREQUENCIES, LONG, SHORT = "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"
FACTORS: Final = frozenset({FREQUENCIES, LONG, SHORT})
DECAY: Final = "ssm_a"
TAPS: Final = "ssm_conv1d.weight"  # (channels, taps); here the other way round


def sizes(config: Config, layer: int) -> dict[str, int]:
    """What the lengths of a layer's tensors are called."""
    q, kv = config.n_heads[layer] * config.head_size, config.n_kv_heads[layer] * config.head_size
    ffn, net = config.n_ffn[layer], config.delta_net
    recurrent = {} if net is None else {
        "2 q": 2 * q, "channels": net.n_channels, "taps": net.n_taps, "state": net.size, "value heads": net.n_values,
        "values": net.n_values * net.size,
    }  # fmt: skip
    return recurrent | {
        "width": config.width, "head": config.head_size, "q": q, "kv": kv, "qkv": q + 2 * kv, "ffn": ffn,
        "2 ffn": 2 * ffn, "pairs": config.rope.n_dims // 2, "heads": config.n_heads[layer],
        "context": config.n_ctx,
        "experts": config.n_experts, "expert ffn": config.n_expert_ffn,
    }  # fmt: skip


def check(
    file: GGUFFile,
    config: Config,
    layer: Callable[[int], tuple[Shapes, Shapes]],
    model: tuple[Shapes, Shapes],
    ignored: tuple[str, ...] = (),
) -> tuple[list[str], list[str]]:
    """The names of the tensors that the model uses, and what speaks against loading them.

    Args:
        layer: what a layer must have, and what it may have, by its number.
        model: what the model must have beside its layers and its embedding, and may have beside its output matrix.
        ignored: what the names of tensors begin with that are of no use here; so are those of blocks that are not run.
    """
    expected: dict[str, tuple[tuple[int, ...], bool]] = {}
    rows = {"vocabulary": EMBEDDING, "types": TYPES, "labels": f"{CLASSIFIER}.output.weight"}
    lengths = sizes(config, 0) | {what: _n_rows(file, name) for what, name in rows.items()}
    matrix = ("vocabulary", "width")
    for named_shapes, is_needed in (({EMBEDDING: matrix, **model[0]}, True), ({OUTPUT: matrix, **model[1]}, False)):
        expected |= {name: (tuple(lengths[one] for one in named), is_needed) for name, named in named_shapes.items()}
    for index in range(config.n_layers):
        lengths = sizes(config, index)
        for shapes, is_needed in zip(layer(index), (True, False), strict=True):
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
        if not is_small(name, shape) and info.unsupported:
            problems.append(f"the tensor {name}: {info.unsupported}")
    unused = tuple(f"blk.{config.n_layers + index}." for index in range(config.n_mtp))
    for begin in unused:
        if f"{begin}attn_norm.weight" in file and not any(name.startswith(f"{begin}nextn.") for name in file):
            problems.append(f"the block {begin[:-1]} is said to predict further tokens, and has no tensors for that")
    ignored += unused
    unknown = [name for name in file if name not in expected and not name.startswith(ignored)]
    problems += [f"the tensor {name} is not known" for name in unknown]
    return names, problems


def of_layers(names: Iterable[str], layers: range, n_layers: int) -> list[str]:
    """The tensors that some layers of a model need, and what comes before the first and after the last layer."""
    is_first, is_last, is_tied = layers.start == 0, layers.stop == n_layers, OUTPUT not in (names := list(names))
    result = []
    for name in names:
        part = name.split(".")
        if part[0] == "blk":
            is_here = int(part[1]) in layers
        elif part[0] in (LAST_NORM, "output"):
            is_here = is_last
        elif name == EMBEDDING:
            is_here = is_first or (is_last and is_tied)
        else:
            is_here = is_first
        result += [name] if is_here else []
    return result


def is_on_host(name: str) -> bool:
    """Whether a tensor is not on the device: factors of rotations, and a ranker's classifier."""
    return name in FACTORS or name.startswith(f"{CLASSIFIER}.")


def is_small(name: str, shape: tuple[int, ...]) -> bool:
    """Whether it is no factor of a product: norms, biases (of experts too), taps, and the types of tokens."""
    return len(shape) == 1 or name.endswith((".bias", TAPS)) or name == TYPES


def _n_rows(file: GGUFFile, name: str) -> int:
    shape = file.info(name).shape if name in file else ()
    return shape[0] if len(shape) == 2 else 0


class Weights:
    """The tensors of a model on the device. Matrices are weights; all that is small lies together in one tensor.

    In several sessions the layers lie in a row, from the embedding to the output matrix.

    Args:
        names: of the tensors to load.
        rooms: bytes of cache that layers need beside their weights, by their numbers.
        is_tied: whether the embedding is the output matrix, too, and shall lie at both ends of the row.
        progress: called with the bytes done and the bytes in all.

    Raises:
        DspMemoryError: they do not fit; none stays loaded.
    """

    def __init__(
        self,
        device: Device,
        file: GGUFFile,
        names: list[str],
        rooms: Mapping[int, int],
        progress: Progress | None = None,
        *,
        is_tied: bool = False,
    ) -> None:
        small = {name: as_float32(file, name) for name in names if is_small(name, file.info(name).shape)}
        small |= {name: np.ascontiguousarray(one.T) for name, one in small.items() if name.endswith(TAPS)}
        matrices = sorted((name for name in names if name not in small), key=_place)
        last = {_place(name): name for name in matrices}  # of each layer
        beside = {last[index]: n_bytes for index, n_bytes in rooms.items()}
        again = EMBEDDING if is_tied else None
        self._matrices = load_in_order(device, file, matrices, beside, progress, again=again)
        self._places: dict[str, tuple[int, tuple[int, ...]]] = {}
        at = 0
        for name, array in small.items():
            self._places[name] = at, array.shape
            at += -(-array.size // 32) * 32  # whole vectors of the DSP
        packed = np.zeros(max(at, 1), np.float32)
        for name, (first, _) in self._places.items():
            packed[first : first + small[name].size] = small[name].reshape(-1)
        self._small = device.tensor(packed)
        self.digest = hashlib.sha256(packed.tobytes()).digest()  # of what is small

    @property
    def nbytes(self) -> int:
        """In DSP memory."""
        return sum(tensor.nbytes for tensor in (*self._matrices.values(), self._small))

    @property
    def names(self) -> list[str]:
        """Of the tensors that are there."""
        return [*self._matrices, *self._places]

    def types(self) -> dict[str, int]:
        """How many matrices there are of each type."""
        names = [tensor.gguf_type.name for tensor in self._matrices.values()]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def tensors(self) -> list[Tensor]:
        """All of them."""
        return [*self._matrices.values(), self._small]

    def __contains__(self, name: str) -> bool:
        return name in self._matrices or name in self._places

    def matrix(self, name: str) -> Tensor:
        """A weight."""
        return self._matrices[name]

    def small(self, p: Builder, name: str) -> Value:
        """One that is small, for a program, as float32."""
        first, shape = self._places[name]
        return p.value(self._small)[first : first + prod(shape)].reshape(shape)

    def close(self) -> None:
        """Gives their memory back."""
        for tensor in self.tensors():
            tensor.let_go()


def _place(name: str) -> int:
    """Where a tensor stands in the row: its layer, or before or after all of them."""
    part = name.split(".")
    return int(part[1]) if part[0] == "blk" else _AFTER_ALL if name == OUTPUT else -1


def as_float32(file: GGUFFile, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """A tensor of any type that stands for floats; raises UnsupportedError for integers."""
    info = file.info(name)
    raw = file.rows(name)(0, prod(info.shape[:-1]))
    try:
        return np.asarray(gguf.dequantize(raw, info.gguf_type), np.float32).reshape(info.shape)
    except NotImplementedError:
        raise UnsupportedError(f"{file.path}: the tensor {name} is of type {info.type_name}: expected floats") from None
