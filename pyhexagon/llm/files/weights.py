# SPDX-License-Identifier: MIT
"""The tensors of a model's file: which are required, whether they are present, and how they are loaded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import gguf
import numpy as np
import numpy.typing as npt

from pyhexagon.device import Device
from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.sources import Source
from pyhexagon.llm.files.config import Config
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Value
from pyhexagon.tensor import Tensor
from pyhexagon.weights import load_in_order

if TYPE_CHECKING:
    from pyhexagon.llm.graph.step_inputs import RowAdapters

Shapes = Mapping[str, tuple[str, ...]]  # tensor names with the names of their dimensions, as in ``sizes``
Progress = Callable[[int, int], None]

EMBEDDING: Final = "token_embd.weight"
OUTPUT: Final = "output.weight"
OUTPUT_BIAS: Final = "output.bias"
ALIBI: Final = "alibi_slopes"  # not in files: computed, as the next two
SUPPRESSION: Final = "token_suppression"  # added to logits
NO_ROW: Final = "no_row"  # zeros: a row beyond the end of a sequence
_SUPPRESSED: Final = np.float32(-1e30)  # a logit whose probability is 0
_AFTER_ALL: Final = 1 << 30
LAST_NORM: Final = "output_norm"
DENSE: Final = "dense_2"  # makes embeddings of rows
EMBEDDING_NORM: Final = "token_embd_norm"
POSITION_EMBEDDING: Final = "position_embd.weight"
TYPE_EMBEDDING: Final = "token_types.weight"
CLASSIFIER: Final = "cls"  # of rankers
FREQUENCIES, LONG, SHORT = "rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"
PER_LAYER_EMBEDDING: Final = "per_layer_token_embd.weight"
FACTORS: Final = frozenset({FREQUENCIES, LONG, SHORT})
KEYS_AND_VALUES: Final = "attn_k.weight", "attn_k_norm.weight", "attn_v.weight"  # of layers with their own
DECAY: Final = "ssm_a"
SKIP: Final = "ssm_d"  # factors of a scan's input, which is added to its result
SSM_NORM: Final = "ssm_norm.weight"
CONV_KERNEL: Final = "ssm_conv1d.weight"
CONV_BIAS: Final = "ssm_conv1d.bias"
SHORT_CONV_KERNEL: Final = "shortconv.conv.weight"
_KERNELS: Final = CONV_KERNEL, SHORT_CONV_KERNEL  # (channels, taps) in files; transposed on the device
N_STREAMS: Final = 4  # rows per token of AltUp's residual; llama.cpp supports no other number
_LAUREL_RANK: Final = 64  # of Gemma 3n's low-rank branch; llama.cpp supports no other rank
_COEFFICIENTS: Final = "altup_predict_coef.weight", "altup_correct_coef.weight"
_VECTORS: Final = ".bias", DECAY, SKIP, SSM_NORM, *_KERNELS, *_COEFFICIENTS
_WITHOUT_SCALE: Final = "token_embd", "position_embd", "embed_tokens", "ffn_gate_inp"
_NO_ADAPTERS: Final[Mapping[str, Sequence[Thin]]] = MappingProxyType({})
_NO_STACKS: Final[Mapping[str, Thin]] = MappingProxyType({})


class ModelFile(Source, Protocol):
    """A model's file, such as ``GGUFFile``: a source of weights that has metadata."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the file says beside its tensors, by GGUF's keys."""

    def __contains__(self, name: object) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...


def sizes(config: Config, layer: int) -> dict[str, int]:
    """Return the lengths of a layer's dimensions by name."""
    head = config.head_size_of(layer)
    q, kv = config.n_heads[layer] * head, config.n_kv_heads[layer] * head
    ffn = config.n_ffn[layer]
    recurrent, latent = {} if config.recurrence is None else config.recurrence.lengths, _latent_sizes(config, layer)
    return {
        **recurrent, **latent,
        "width": config.width, "2 width": 2 * config.width, "head": head, "q": q, "2 q": 2 * q, "kv": kv,
        "qkv": q + 2 * kv, "ffn": ffn, "2 ffn": 2 * ffn, "pairs": config.rope.n_dims // 2,
        "heads": config.n_heads[layer], "context": config.n_ctx,
        "experts": config.n_experts, "expert ffn": config.n_expert_ffn, "2 expert ffn": 2 * config.n_expert_ffn,
        "shared ffn": config.n_shared_ffn, "one": 1,
        "streams": N_STREAMS, "other streams": N_STREAMS - 1, "streams, squared": N_STREAMS**2, "laurel": _LAUREL_RANK,
        "embedding": config.embedding_length,
        "per layer": config.n_per_layer, "per layer, all": config.n_per_layer * config.n_layers,
    }  # fmt: skip


def _latent_sizes(config: Config, layer: int) -> dict[str, int]:
    """Return the lengths of dimensions that only latent attention's tensors have."""
    if config.latent is None:
        return {}
    n_heads, latent = config.n_heads[layer], config.latent
    return {
        "q rank": latent.q_rank, "kv rank": latent.kv_rank, "kv rank + rope": latent.kv_rank + config.rope.n_dims,
        "latent kv": n_heads * (config.head_size - config.rope.n_dims + latent.n_value),
        "heads of values": n_heads * latent.n_value,
    }  # fmt: skip


def check(
    file: GGUFFile,
    config: Config,
    layer: Callable[[int], tuple[Shapes, Shapes]],
    model: tuple[Shapes, Shapes],
    ignored: tuple[str, ...] = (),
) -> tuple[list[str], list[str]]:
    """Return the names of the tensors that the model uses, and the problems that prevent loading them.

    Args:
        layer: returns the required and the optional tensors of a layer by its number.
        model: the required tensors besides layers and embedding, and the optional ones besides the output matrix.
        ignored: prefixes of tensors that are not needed; the function adds prefixes of blocks that are not loaded, and
            keys and values of layers that share those of other layers.
    """
    expected: dict[str, tuple[tuple[int, ...], bool]] = {}
    rows = {"vocabulary": EMBEDDING, "types": TYPE_EMBEDDING, "labels": f"{CLASSIFIER}.output.weight"}
    lengths = sizes(config, 0) | {what: _n_rows(file, name) for what, name in rows.items()}
    matrix = ("vocabulary", "width")
    for named_shapes, is_needed in (({EMBEDDING: matrix, **model[0]}, True), ({OUTPUT: matrix, **model[1]}, False)):
        expected |= {
            name: (tuple(lengths[dimension] for dimension in named), is_needed)
            for name, named in named_shapes.items()
            if name not in expected
        }
    for index in config.own_blocks:
        has_gate = f"blk.{index}.ffn_gate.weight" in file
        up = {"ffn up": config.n_ffn[index] * (1 if has_gate else 2)}  # of files that may have both in one matrix
        lengths = sizes(config, index) | {"vocabulary": lengths["vocabulary"]} | up
        for shapes, is_needed in zip(layer(index), (True, False), strict=True):
            for name, named in shapes.items():
                # Without recurrent layers, their dimensions have no lengths: 0 makes such a tensor's shape a problem.
                expected[f"blk.{index}.{name}"] = tuple(lengths.get(dimension, 0) for dimension in named), is_needed
    matrices = {name: shape for name, (shape, _) in expected.items() if name in file and not is_vector(name, shape)}
    scales = {scale: shape for name, shape in matrices.items() if (scale := scale_of(name))}
    expected |= {scale: ((shape[0] if len(shape) == 3 else 1,), False) for scale, shape in scales.items()}
    names, problems = [], []
    for name, (shape, is_needed) in expected.items():
        if name not in file:
            problems += [f"the tensor {name} is missing"] if is_needed else []
            continue
        names.append(name)
        info = file.info(name)
        is_same = info.shape == shape or (is_vector(name, shape) and (1, *info.shape) == shape)  # quantizers drop 1s
        if not is_same:
            problems.append(f"the tensor {name} has the shape {info.shape}, not {shape}")
        if not is_vector(name, shape) and info.unsupported:
            problems.append(f"the tensor {name}: {info.unsupported}")
    unused = tuple(f"blk.{index}." for index in range(len(config.blocks), config.n_layers + config.n_mtp))
    shared = (index for index in range(config.n_layers) if config.kv_layer(index) != index)
    ignored += tuple(f"blk.{index}.{name}" for index in shared for name in KEYS_AND_VALUES)
    for begin in unused:
        if f"{begin}attn_norm.weight" in file and not any(name.startswith(f"{begin}nextn.") for name in file):
            problems.append(f"the block {begin[:-1]} should be an MTP block, but has no tensors of one")
    ignored += unused
    # Scales of activations are for kernels that quantize them to 4 bits.
    known = {*expected, *(scale.removesuffix("scale") + "input_scale" for scale in scales)}
    unknown = [name for name in file if name not in known and not name.startswith(ignored)]
    problems += [f"the tensor {name} is not known" for name in unknown]
    return names, problems


def of_layers(names: Iterable[str], layers: range, n_layers: int, last_norm: str) -> list[str]:
    """Return the tensors of some layers, including those before the first and after the last layer of the model.

    An MTP block is after the last layer.

    Args:
        last_norm: the norm after the last layer, see ``Architecture``.
    """
    is_first, is_last, is_tied = layers.start == 0, layers.stop == n_layers, OUTPUT not in (names := list(names))
    result = []
    for name in names:
        part = name.split(".")
        if part[0] == "blk":
            is_here = int(part[1]) in layers or (is_last and int(part[1]) >= n_layers)
        elif part[0] in (last_norm, "output", DENSE):
            is_here = is_last
        elif name == EMBEDDING:
            is_here = is_first or (is_last and is_tied)
        else:
            is_here = is_first
        result += [name] if is_here else []
    return result


def is_on_host(name: str) -> bool:
    """Return whether a tensor stays on the host: RoPE factors, per-layer embeddings, and a ranker's classifier."""
    return name in FACTORS or name == PER_LAYER_EMBEDDING or name.startswith(f"{CLASSIFIER}.")


def scale_of(name: str) -> str | None:
    """Return the name of a matrix's scale, an optional factor on its products (files of NVFP4 have them): one number,
    or one per expert. None: of embeddings and routers, which have none.
    """
    stem = name.removesuffix(".weight")
    return None if stem == name or stem.endswith(_WITHOUT_SCALE) else f"{stem}.scale"


def is_vector(name: str, shape: tuple[int, ...]) -> bool:
    """Return True for non-matrix tensors: norms, biases (of experts too), convolution kernels, decays, and type
    embeddings.
    """
    return len(shape) == 1 or name.endswith(_VECTORS) or name == TYPE_EMBEDDING


def _n_rows(file: GGUFFile, name: str) -> int:
    shape = file.info(name).shape if name in file else ()
    return shape[0] if len(shape) == 2 else 0


def suppression(file: ModelFile) -> npt.NDArray[np.float32] | None:
    """Return what is added to logits, (V,) float32, so that no suppressed token is sampled; None: the file has none."""
    tokens = file.metadata.get("tokenizer.ggml.suppress_tokens")
    if not isinstance(tokens, np.ndarray) or tokens.dtype.kind not in "iu" or not len(tokens):
        return None
    result = np.zeros(file.info(EMBEDDING).shape[0], np.float32)
    result[[token for token in tokens.tolist() if 0 <= token < len(result)]] = _SUPPRESSED
    return result


class Thin(NamedTuple):
    """The two thin matrices that a LoRA adapter has for a weight (N, K).

    Attributes:
        a, b: the names of the matrices (rank, K) and (N, rank).
        scale: the factor on their product.
    """

    a: str
    b: str
    scale: float


class Weights:
    """The tensors of a model on the device. Matrices are weights; all other tensors are packed into one tensor.

    With several sessions, the layers are placed in order, from the embedding to the output matrix.

    Args:
        names: the tensors to load.
        thin: the thin matrices of weights with adapters, also loaded.
        stacks: stacks of thin matrices, of which ``matmul`` takes those of each row; also loaded.
        computed: further float32 vectors by name, which are not in the file.
        rooms: bytes of KV cache to reserve beside the weights of layers, by their numbers.
        is_tied: whether the embedding is also the output matrix and is mapped at both ends.
        progress: called with the bytes done and the total bytes.

    Raises:
        DspMemoryError: the tensors do not fit; none stays loaded.
    """

    def __init__(
        self,
        device: Device,
        file: Source,
        names: list[str],
        rooms: Mapping[int, int],
        progress: Progress | None = None,
        *,
        thin: Mapping[str, Sequence[Thin]] = _NO_ADAPTERS,
        stacks: Mapping[str, Thin] = _NO_STACKS,
        is_tied: bool = False,
        computed: Mapping[str, npt.NDArray[np.float32]] = MappingProxyType({}),
    ) -> None:
        small = {name: as_float32(file, name) for name in names if is_vector(name, file.info(name).shape)}
        small |= computed
        small |= {name: np.ascontiguousarray(array.T) for name, array in small.items() if name.endswith(_KERNELS)}
        pairs = [*stacks.values(), *(pair for several in thin.values() for pair in several)]
        adapters = [name for pair in pairs for name in (pair.a, pair.b)]
        matrices = sorted((name for name in (*names, *adapters) if name not in small), key=place)
        last = {place(name): name for name in matrices}  # the last matrix of each layer
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
        self._thin, self._stacks = thin, stacks
        self.digest = hashlib.sha256(packed.tobytes()).digest()  # of the non-matrix tensors

    @property
    def nbytes(self) -> int:
        """The bytes in DSP memory."""
        return sum(tensor.nbytes for tensor in (*self._matrices.values(), self._small))

    @property
    def names(self) -> list[str]:
        """The names of the loaded tensors."""
        return [*self._matrices, *self._places]

    def types(self) -> dict[str, int]:
        """Return the number of matrices of each type."""
        names = [tensor.gguf_type.name for tensor in self._matrices.values()]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def tensors(self) -> list[Tensor]:
        """Return all tensors."""
        return [*self._matrices.values(), self._small]

    def __contains__(self, name: str) -> bool:
        return name in self._matrices or name in self._places

    def matrix(self, name: str) -> Tensor:
        """Return a weight."""
        return self._matrices[name]

    @property
    def has_stacks(self) -> bool:
        """Whether rows can have adapters of their own."""
        return bool(self._stacks)

    def matmul(self, p: Builder, x: Value, name: str, adapters: RowAdapters | None = None) -> Value:
        """Return ``x @ w.T`` times the weight's scale, plus the product of each adapter: (M, K) to (M, N)."""
        y, scale_name = p.matmul(x, self.matrix(name)), scale_of(name)
        if scale_name is not None and scale_name in self:
            y = p.mul(y, self.vector(p, scale_name))
        for a, b, scale in self._thin.get(name, ()):
            y = p.add(y, p.scale(p.matmul(p.matmul(x, self.matrix(a)), self.matrix(b)), scale))
        if adapters is None or name not in self._stacks:
            return y
        places, (a, b, _) = adapters.places, self._stacks[name]
        h = p.mul_mat_id(x.reshape(x.shape[0], 1, x.shape[1]), self.matrix(a), places)
        products = p.mul(p.mul_mat_id(h, self.matrix(b), places), adapters.scales.reshape(*places.shape, 1))
        return reduce(p.add, [y, *(products[:, number] for number in range(places.shape[1]))])

    def vector(self, p: Builder, name: str) -> Value:
        """Return a non-matrix tensor as a float32 value of a program."""
        first, shape = self._places[name]
        return p.value(self._small)[first : first + prod(shape)].reshape(shape)

    def close(self) -> None:
        """Free the memory."""
        for tensor in self.tensors():
            tensor.let_go()


def place(name: str) -> int:
    """Return a tensor's position in the placement order: its layer, or before or after all layers."""
    part = name.split(".")
    return int(part[1]) if part[0] == "blk" else _AFTER_ALL if name.startswith((OUTPUT, DENSE)) else -1


def as_float32(file: Source, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Dequantise a tensor; raises UnsupportedError for integers."""
    info = file.info(name)
    raw = file.rows(name)(0, prod(info.shape[:-1]))
    try:
        return np.asarray(gguf.dequantize(raw, info.gguf_type), np.float32).reshape(info.shape)
    except NotImplementedError:
        raise UnsupportedError(f"{file.path}: the tensor {name} is of type {info.type_name}: expected floats") from None
