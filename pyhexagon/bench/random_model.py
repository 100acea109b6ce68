# SPDX-License-Identifier: MIT
"""Models of published shapes with random weights: the cost of a token does not depend on the weights.

A model is a GGUF file whose tensor data is a hole: it has the size of a real file and takes no disk space. Reading a
tensor returns random bytes; all layers share them, but each has its own DSP memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

from pyhexagon.bench.blocks import random_blocks
from pyhexagon.bench.mixes import MIXES, matrix_type
from pyhexagon.errors import ArgumentError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.gguf.reading import Rows
from pyhexagon.llm.architectures import ARCHITECTURES
from pyhexagon.llm.files import hyper_parameters
from pyhexagon.llm.files.config import Config
from pyhexagon.llm.files.weights import DECAY, is_vector, sizes
from pyhexagon.llm.graph.delta_net import DeltaNet

_ALIGNMENT: Final = 32
_BIASES: Final = ("attn_q.bias", "attn_k.bias", "attn_v.bias")


class Shape(NamedTuple):
    """The shape of a published model."""

    width: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    ffn: int
    vocabulary: int
    is_tied: bool = True
    n_rotated: int = 0  # rotated elements of a head; 0: all
    window: int = 0
    delta_net: DeltaNet | None = None
    n_experts: int = 0
    n_experts_used: int = 0
    expert_ffn: int = 0
    expert_type: GGMLQuantizationType | None = None  # of the experts in all mixes; None: as other matrices
    has_mtp: bool = False


SHAPES: Final = {
    "gemma3:270M": Shape(640, 18, 4, 1, 256, 2048, 262144, window=512),
    "gemma3:1B": Shape(1152, 26, 4, 1, 256, 6912, 262144, window=512),
    "gemma3:4B": Shape(2560, 34, 8, 4, 256, 10240, 262208, window=1024),
    "gpt-oss:20B": Shape(
        2880, 24, 64, 8, 64, 2880, 201088, is_tied=False, window=128, n_experts=32, n_experts_used=4, expert_ffn=2880,
        expert_type=GGMLQuantizationType.MXFP4,
    ),
    "llama:135M": Shape(576, 30, 9, 3, 64, 1536, 49152),  # SmolLM2
    "llama:360M": Shape(960, 32, 15, 5, 64, 2560, 49152),
    "llama:1B": Shape(2048, 16, 32, 8, 64, 8192, 128256),  # Llama 3.2
    "llama:3B": Shape(3072, 28, 24, 8, 128, 8192, 128256),
    "llama:8B": Shape(4096, 32, 32, 8, 128, 14336, 128256, is_tied=False),
    "phi3:3.8B": Shape(3072, 32, 24, 8, 128, 8192, 200064, n_rotated=96),  # Phi 4 mini
    "qwen2:0.5B": Shape(896, 24, 14, 2, 64, 4864, 151936),
    "qwen2:1.5B": Shape(1536, 28, 12, 2, 128, 8960, 151936),
    "qwen2:7B": Shape(3584, 28, 28, 4, 128, 18944, 152064, is_tied=False),
    "qwen3:0.6B": Shape(1024, 28, 16, 8, 128, 3072, 151936),
    "qwen3:1.7B": Shape(2048, 28, 16, 8, 128, 6144, 151936),
    "qwen3:4B": Shape(2560, 36, 32, 8, 128, 9728, 151936),
    "qwen3:8B": Shape(4096, 36, 32, 8, 128, 12288, 151936, is_tied=False),
    "qwen3moe:30B": Shape(  # Qwen3 30B A3B
        2048, 48, 32, 4, 128, 6144, 151936, is_tied=False, n_experts=128, n_experts_used=8, expert_ffn=768,
    ),
    "qwen35:0.8B": Shape(
        1024, 24, 8, 2, 256, 3584, 248320, n_rotated=64, delta_net=DeltaNet(4, 16, 16, 128), has_mtp=True,
    ),
    "smollm3:3B": Shape(2048, 36, 16, 4, 128, 11008, 128256),
}  # fmt: skip


class RandomFile(GGUFFile):
    """A GGUF file without tensor data: matrices are random, vectors about 1, decays about -1."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(path)
        self._made: dict[tuple[GGMLQuantizationType, tuple[int, ...], float], npt.NDArray[np.uint8]] = {}

    def raw(self, name: str) -> npt.NDArray[np.uint8]:
        """Return random bytes, the same for all tensors of one type and shape."""
        info = self.info(name)
        sign = -1.0 if name.endswith(DECAY) else 1.0
        key = info.gguf_type, info.shape, sign
        if key not in self._made:
            if is_vector(name, info.shape):
                values = sign + 0.1 * np.random.default_rng(0).standard_normal(info.shape)
                self._made[key] = values.astype(np.float32).view(np.uint8).reshape(-1, 4 * info.shape[-1])
            else:
                self._made[key] = random_blocks(info.gguf_type, prod(info.shape[:-1]), info.shape[-1], len(self._made))
        return self._made[key]

    def rows(self, name: str) -> Rows:
        """What gives the random bytes of a tensor's rows: loads ask for these."""
        raw = self.raw(name)
        return lambda first, last: raw[first:last]


@contextmanager
def opened(name: str, mix: str = "") -> Iterator[RandomFile]:
    """Open a model of a published shape.

    Args:
        name: a key of ``SHAPES``, "llama:1B" for example.
        mix: one of ``MIXES``; without one, all matrices have the type Q4_0.

    Raises:
        ArgumentError: there is no shape or mix of this name.
    """
    if name not in SHAPES:
        raise ArgumentError(f"unknown model shape {name!r}: expected one of {', '.join(SHAPES)}")
    if mix and mix not in MIXES:
        raise ArgumentError(f"unknown mix {mix!r}: expected one of {', '.join(MIXES)}")
    with opened_shape(name.partition(":")[0], SHAPES[name], mix) as file:
        yield file


@contextmanager
def opened_shape(architecture: str, shape: Shape, mix: str = "") -> Iterator[RandomFile]:
    """Open a model of any shape; see ``opened``."""
    with TemporaryDirectory(prefix="pyhexagon-") as folder:
        path = Path(folder) / f"{architecture}.gguf"
        _write(path, architecture, shape, {}, mix)
        with GGUFFile(path) as file:
            traits = {architecture: ARCHITECTURES[architecture].traits}
            config, _ = hyper_parameters.read(file, traits, has_mtp=shape.has_mtp)
        _write(path, architecture, shape, _tensors(config, shape), mix)
        random = RandomFile(path)
        with random:
            yield random


def _tensors(config: Config, shape: Shape) -> dict[str, tuple[int, ...]]:
    """Return the tensors of such a model with their shapes."""
    graph = ARCHITECTURES[config.architecture]
    tensors: dict[str, tuple[int, ...]] = {"token_embd.weight": (shape.vocabulary, shape.width)}
    if not shape.is_tied:
        tensors["output.weight"] = tensors["token_embd.weight"]
    lengths = sizes(config, 0)
    model_wide = {"output_norm.weight": ("width",), **graph.model_optional}
    tensors |= {name: tuple(lengths[axis] for axis in named) for name, named in model_wide.items()}
    biases = _BIASES if config.architecture == "qwen2" else ()
    for index in config.blocks:
        lengths = sizes(config, index)
        required, optional = graph.tensors_of(config, index, lambda _: False)
        of_layer = {**required, **{name: optional[name] for name in biases}}
        tensors |= {f"blk.{index}.{name}": tuple(lengths[axis] for axis in named) for name, named in of_layer.items()}
    return tensors


def _write(
    path: Path,
    architecture: str,
    shape: Shape,
    tensors: dict[str, tuple[int, ...]],
    mix: str,
) -> None:
    """Write the headers, followed by a hole."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(131072)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers + shape.has_mtp)
    if shape.has_mtp:
        writer.add_nextn_predict_layers(1)
    writer.add_feed_forward_length(shape.ffn)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.kv_heads)
    writer.add_key_length(shape.head_size)
    writer.add_value_length(shape.head_size)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(500000.0)
    writer.add_rope_dimension_count(shape.n_rotated or shape.head_size)
    if shape.window:
        writer.add_sliding_window(shape.window)
    if net := shape.delta_net:
        for name, number in (
            ("ssm.conv_kernel", net.n_taps), ("ssm.state_size", net.size), ("ssm.group_count", net.n_keys),
            ("ssm.time_step_rank", net.n_values), ("ssm.inner_size", net.n_values * net.size),
            ("full_attention_interval", 4),
        ):  # fmt: skip
            writer.add_uint32(f"{architecture}.{name}", number)
    if shape.n_experts:
        writer.add_expert_count(shape.n_experts)
        writer.add_expert_used_count(shape.n_experts_used)
        writer.add_expert_feed_forward_length(shape.expert_ffn)
    size = 0
    for name, lengths in tensors.items():
        gguf_type = _type(shape, mix, name, lengths)
        block_size, block_bytes = GGML_QUANT_SIZES[gguf_type]
        n_bytes = prod(lengths) // block_size * block_bytes
        writer.add_tensor_info(name, lengths, np.dtype(np.float32), n_bytes, gguf_type)
        size += -(-n_bytes // _ALIGNMENT) * _ALIGNMENT
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    headers = -(-path.stat().st_size // _ALIGNMENT) * _ALIGNMENT
    os.truncate(path, headers + size)


def _type(shape: Shape, mix: str, name: str, lengths: tuple[int, ...]) -> GGMLQuantizationType:
    if is_vector(name, lengths):
        return GGMLQuantizationType.F32
    if shape.expert_type is not None and name.endswith("_exps.weight"):
        return shape.expert_type
    if not mix:
        return GGMLQuantizationType.Q4_0
    return matrix_type(mix, name, lengths[-1], shape.layers, is_tied=shape.is_tied)
