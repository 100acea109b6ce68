# SPDX-License-Identifier: MIT
"""Tiny models with random weights, and vocabularies, written as GGUF files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type

from llm.k_quants import QUANTISE, quantise

LETTERS = [chr(one) for one in range(ord("a"), ord("z") + 1)]
WORDS = ["▁", "th", "the", "▁the", "he", "in", "er", "é", "▁▁", "▁▁▁▁", "an", "and", "▁and", "▁a", "✓"]
SPM = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *LETTERS, *WORDS]
N_TOKENS = 512  # rows of the embeddings; no prompt contains the rest of the vocabulary
TINY: Mapping[str, Mapping[str, Any]] = {
    "llama": {},
    "qwen2": {"qkv_bias": True},
    "qwen3": {"qk_norm": True, "head": 48},
    "qwen3moe": {"qk_norm": True, "experts": 6, "experts_used": 3},
    "gpt-oss": {
        "qkv_bias": True, "out_bias": True, "sinks": True, "post_norm": True, "window": 24, "experts": 5,
        "expert_bias": True, "tied": False, "expert_type": Type.MXFP4, "yarn": 4.0,
    },
    "smollm3": {"layers": 4},
    "phi3": {"fused": True},
    "gemma3": {"qk_norm": True, "post_norm": True, "window": 32, "layers": 7},
}  # fmt: skip


def vocabulary(writer: gguf.GGUFWriter) -> int:
    """Add a SentencePiece vocabulary of letters and a few words to a file, and return its number of tokens."""
    tokens = [*SPM, *(f"▁unsaid{number}" for number in range(N_TOKENS - len(SPM)))]
    special = {0: gguf.TokenType.UNKNOWN, 1: gguf.TokenType.CONTROL, 2: gguf.TokenType.CONTROL}
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(number) for number in range(len(tokens))])
    writer.add_token_types([
        special.get(number, gguf.TokenType.BYTE if token.startswith("<0x") else gguf.TokenType.NORMAL)
        for number, token in enumerate(tokens)
    ])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    return len(tokens)


def write(
    path: Path,
    architecture: str,
    *,
    layers: int = 2,
    width: int = 128,
    heads: int = 4,
    kv_heads: int = 2,
    head: int = 32,
    ffn: int = 256,
    n_ctx: int = 512,
    weights: Type = Type.Q8_0,
    qk_norm: bool = False,
    qkv_bias: bool = False,
    tied: bool = True,
    post_norm: bool = False,
    fused: bool = False,
    window: int = 0,
    out_bias: bool = False,
    sinks: bool = False,
    experts: int = 0,
    experts_used: int = 2,
    expert_ffn: int = 96,
    expert_bias: bool = False,
    expert_type: Type | None = None,
    yarn: float = 0,
    seed: int = 1,
    vocabulary: Callable[[gguf.GGUFWriter], int] = vocabulary,
    edit: Callable[[gguf.GGUFWriter], None] = lambda _: None,
    leave_out: Sequence[str] = (),
    no_keys: Sequence[str] = (),
) -> Path:
    """Write a model, and return its path.

    Args:
        vocabulary: adds the keys of the vocabulary, and returns its number of tokens.
        edit: adds keys or tensors.
        leave_out: tensors to leave out.
        no_keys: keys of the architecture to leave out.
    """
    chance = np.random.default_rng(seed)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(n_ctx)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(ffn)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(head)
    if window:
        writer.add_sliding_window(window)
    if experts:
        writer.add_expert_count(experts)
        writer.add_expert_used_count(experts_used)
        writer.add_expert_feed_forward_length(expert_ffn)
    if yarn:
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(yarn)
        writer.add_rope_scaling_orig_ctx_len(512)
    n_tokens = vocabulary(writer)

    def matrix(name: str, *shape: int, kind: Type = weights) -> None:
        values = (chance.standard_normal(shape) / shape[-1] ** 0.5).astype(np.float32)
        if name not in leave_out:
            blocks = quantise(values, kind) if kind in QUANTISE else gguf.quants.quantize(values, kind)
            writer.add_tensor(name, blocks, raw_dtype=kind)

    def vector(name: str, *shape: int, mean: float = 1.0) -> None:
        values = (mean + 0.1 * chance.standard_normal(shape)).astype(np.float32)
        if name not in leave_out:
            writer.add_tensor(name, values)

    matrix("token_embd.weight", n_tokens, width, kind=Type.Q8_0)
    if not tied:
        matrix("output.weight", n_tokens, width)
    vector("output_norm.weight", width)
    for index in range(layers):
        at = f"blk.{index}."
        vector(f"{at}attn_norm.weight", width)
        if fused:
            matrix(f"{at}attn_qkv.weight", (heads + 2 * kv_heads) * head, width)
        for name, n in () if fused else (("q", heads), ("k", kv_heads), ("v", kv_heads)):
            matrix(f"{at}attn_{name}.weight", n * head, width)
            if qkv_bias:
                vector(f"{at}attn_{name}.bias", n * head, mean=0)
        matrix(f"{at}attn_output.weight", width, heads * head)
        if out_bias:
            vector(f"{at}attn_output.bias", width, mean=0)
        if sinks:
            vector(f"{at}attn_sinks.weight", heads, mean=0)
        for name, length, is_there in (
            ("attn_q_norm", head, qk_norm), ("attn_k_norm", head, qk_norm),
            ("ffn_norm", width, architecture != "gpt-oss"), ("post_attention_norm", width, post_norm),
            ("post_ffw_norm", width, post_norm and architecture == "gemma3"),
        ):  # fmt: skip
            if is_there:
                vector(f"{at}{name}.weight", length)
        if experts:
            matrix(f"{at}ffn_gate_inp.weight", experts, width, kind=Type.F32)
            for name, n, k in (("gate", expert_ffn, width), ("up", expert_ffn, width), ("down", width, expert_ffn)):
                matrix(f"{at}ffn_{name}_exps.weight", experts, n, k, kind=expert_type or weights)
                if expert_bias:
                    vector(f"{at}ffn_{name}_exps.bias", experts, n, mean=0)
            if expert_bias:
                vector(f"{at}ffn_gate_inp.bias", experts, mean=0)
            continue
        if not fused:
            matrix(f"{at}ffn_gate.weight", ffn, width)
        matrix(f"{at}ffn_up.weight", 2 * ffn if fused else ffn, width)
        matrix(f"{at}ffn_down.weight", width, ffn)
    edit(writer)
    for key in no_keys:
        del writer.kv_data[0][f"{architecture}.{key}"]
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


FIRST_LETTERS = [f"\u2581{letter}" for letter in LETTERS]
WORD_PIECES = ["[UNK]", "[CLS]", "[SEP]", *FIRST_LETTERS, *LETTERS, "\u2581the", "\u2581.", "ing"]


def write_encoder(
    path: Path,
    architecture: str,
    *,
    layers: int = 2,
    width: int = 96,
    heads: int = 3,
    ffn: int = 128,
    pooling: int | None = 1,
    labels: int = 0,
    leave_out: Sequence[str] = (),
) -> Path:
    """Write a model of BERT's kind ("bert" or "nomic-bert") for 128 tokens, and return its path.

    Args:
        pooling: 1: mean; 2: first token; 3: last token; None: the file does not say.
        labels: of a ranker's classifier.
        leave_out: tensors to leave out.
    """
    chance = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(128)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(ffn)
    writer.add_head_count(heads)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    if pooling is not None:
        writer.add_pooling_type(gguf.PoolingType(pooling))
    writer.add_tokenizer_model("bert")
    writer.add_token_list(WORD_PIECES)
    types = gguf.TokenType.NORMAL, gguf.TokenType.CONTROL
    writer.add_token_types([types[token.startswith("[")] for token in WORD_PIECES])
    writer.add_token_type_count(2)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_sep_token_id(2)

    def add(name: str, *shape: int, mean: float = 0, scale: float = 0.1, kind: Type = Type.F32) -> None:
        values = (mean + scale * chance.standard_normal(shape)).astype(np.float32)
        if name not in leave_out:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    def matrix(name: str, n: int, k: int, *, has_bias: bool) -> None:
        add(f"{name}.weight", n, k, scale=1.5 * k**-0.5, kind=Type.Q8_0)
        if has_bias:
            add(f"{name}.bias", n)

    def norm(name: str) -> None:
        add(f"{name}.weight", width, mean=1)
        add(f"{name}.bias", width)

    is_bert = architecture == "bert"
    add("token_embd.weight", len(WORD_PIECES), width, scale=1, kind=Type.Q8_0)
    add("token_types.weight", 2, width)
    if is_bert:
        add("position_embd.weight", 128, width, scale=0.5)
    norm("token_embd_norm")
    for index in range(layers):
        at = f"blk.{index}."
        for name in ("attn_q", "attn_k", "attn_v") if is_bert else ():
            matrix(f"{at}{name}", width, width, has_bias=True)
        if not is_bert:
            matrix(f"{at}attn_qkv", 3 * width, width, has_bias=False)
            matrix(f"{at}ffn_gate", ffn, width, has_bias=False)
        matrix(f"{at}attn_output", width, width, has_bias=is_bert)
        matrix(f"{at}ffn_up", ffn, width, has_bias=is_bert)
        matrix(f"{at}ffn_down", width, ffn, has_bias=is_bert)
        norm(f"{at}attn_output_norm")
        norm(f"{at}layer_output_norm")
    if labels:
        matrix("cls", width, width, has_bias=True)
        matrix("cls.output", labels, width, has_bias=True)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
