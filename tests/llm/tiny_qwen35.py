# SPDX-License-Identifier: MIT
"""Tiny models of Qwen 3.5 with random weights."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from llm.tiny import N_TOKENS, vocabulary

Rows = npt.NDArray[np.float32]


def write(
    path: Path,
    *,
    layers: int = 4,
    interval: int = 4,
    said_interval: int | None = None,
    width: int = 128,
    heads: int = 4,
    head: int = 32,
    keys: int = 2,
    values: int = 4,
    size: int = 32,
    ffn: int = 256,
    seed: int = 1,
    sections: tuple[int, ...] = (3, 3, 2, 0),
    tied: bool = True,
    mtp: Collection[str] | None = None,
    change: Callable[[str, Rows], Rows] = lambda _, rows: rows,
    edit: Callable[[gguf.GGUFWriter], None] = lambda _: None,
) -> Path:
    """Write a model whose delta nets have ``values`` value heads and ``keys`` key heads of size ``size``.

    Args:
        said_interval: interval of full-attention layers in the file, if it differs from the model's.
        mtp: the optional tensors of an MTP block after the layers; None: there is no such block.
        change: returns other numbers for a tensor, float32.
        edit: adds keys.
    """
    chance = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, "qwen35")
    writer.add_context_length(512)
    writer.add_embedding_length(width)
    writer.add_block_count(layers + (mtp is not None))
    if mtp is not None:
        writer.add_nextn_predict_layers(1)
    writer.add_feed_forward_length(ffn)
    writer.add_head_count(heads)
    writer.add_head_count_kv(2)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(2 * sum(sections))
    writer.add_array("qwen35.rope.dimension_sections", list(sections))
    for name, number in (
        ("ssm.conv_kernel", 4), ("ssm.state_size", size), ("ssm.group_count", keys), ("ssm.time_step_rank", values),
        ("ssm.inner_size", values * size), ("full_attention_interval", said_interval or interval),
    ):  # fmt: skip
        writer.add_uint32(f"qwen35.{name}", number)
    vocabulary(writer)
    edit(writer)

    def matrix(name: str, *shape: int, kind: Type = Type.Q8_0) -> None:
        rows = change(name, (chance.standard_normal(shape) / shape[-1] ** 0.5).astype(np.float32))
        writer.add_tensor(name, gguf.quants.quantize(rows, kind), raw_dtype=kind)

    def vector(name: str, *shape: int, mean: float = 1.0, scale: float = 0.1) -> None:
        writer.add_tensor(name, change(name, (mean + scale * chance.standard_normal(shape)).astype(np.float32)))

    matrix("token_embd.weight", N_TOKENS, width)
    vector("output_norm.weight", width)
    if not tied:
        matrix("output.weight", N_TOKENS, width)
    channels = (2 * keys + values) * size
    for index in range(layers + (mtp is not None)):
        at = f"blk.{index}."
        for name in ("attn_norm", "post_attention_norm"):
            vector(f"{at}{name}.weight", width)
        if index < layers and (index + 1) % interval:
            matrix(f"{at}attn_qkv.weight", channels, width)
            matrix(f"{at}attn_gate.weight", values * size, width)
            vector(f"{at}ssm_conv1d.weight", channels, 4, mean=0.2, scale=0.3)
            matrix(f"{at}ssm_alpha.weight", values, width, kind=Type.F32)
            matrix(f"{at}ssm_beta.weight", values, width, kind=Type.F32)
            vector(f"{at}ssm_dt.bias", values, mean=0)
            writer.add_tensor(f"{at}ssm_a", -np.exp(chance.uniform(-3, 0.5, values)).astype(np.float32))
            vector(f"{at}ssm_norm.weight", size)
            matrix(f"{at}ssm_out.weight", width, values * size)
        else:
            matrix(f"{at}attn_q.weight", 2 * heads * head, width)
            matrix(f"{at}attn_k.weight", 2 * head, width)
            matrix(f"{at}attn_v.weight", 2 * head, width)
            vector(f"{at}attn_q_norm.weight", head)
            vector(f"{at}attn_k_norm.weight", head)
            matrix(f"{at}attn_output.weight", width, heads * head)
        matrix(f"{at}ffn_gate.weight", ffn, width)
        matrix(f"{at}ffn_up.weight", ffn, width)
        matrix(f"{at}ffn_down.weight", width, ffn)
    if mtp is not None:
        at = f"blk.{layers}.nextn."
        matrix(f"{at}eh_proj.weight", width, 2 * width)
        for name in ("enorm", "hnorm", *(one for one in mtp if one == "shared_head_norm")):
            vector(f"{at}{name}.weight", width)
        for name in ("embed_tokens", "shared_head_head"):
            if name in mtp:
                matrix(f"{at}{name}.weight", N_TOKENS, width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
