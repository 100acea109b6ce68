# SPDX-License-Identifier: MIT
"""What is read of a model before its weights, and what is refused then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from llm import tiny
from pyhexagon.errors import UnsupportedError
from pyhexagon.gguf_file import GGUFFile
from pyhexagon.llm.config import Config
from pyhexagon.llm.model import checked

Edit = Callable[[gguf.GGUFWriter], None]


def config_of(path: Path) -> Config:
    with GGUFFile(path) as file:
        return checked(file)[0]


def test_defaults_are_llama_cpp_s(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(64)
    writer.add_block_count(1)
    writer.add_feed_forward_length(96)
    writer.add_head_count(8)
    writer.add_layer_norm_rms_eps(1e-5)
    for name, shape in {
        "token_embd": (10, 64), "output_norm": (64,), "blk.0.attn_norm": (64,), "blk.0.ffn_norm": (64,),
        "blk.0.attn_q": (64, 64), "blk.0.attn_k": (64, 64), "blk.0.attn_v": (64, 64), "blk.0.attn_output": (64, 64),
        "blk.0.ffn_gate": (96, 64), "blk.0.ffn_up": (96, 64), "blk.0.ffn_down": (64, 96),
    }.items():  # fmt: skip
        writer.add_tensor(f"{name}.weight", np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    config = config_of(tmp_path / "m.gguf")
    assert (config.n_heads, config.n_kv_heads, config.head_size) == ((8,), (8,), 8)
    assert (config.scale, config.window_of(0)) == (8**-0.5, 0)
    rope = config.rope
    assert (rope.n_dims, rope.freq_base, rope.freq_scale, rope.ext_factor, rope.n_ctx_orig) == (8, 10000, 1, 0, 128)


def test_keys_are_read(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
        writer.add_rope_scaling_factor(4.0)
        writer.add_rope_scaling_orig_ctx_len(64)
        writer.add_vocab_size(tiny.N_TOKENS)
        writer.add_float32("llama.attention.scale", 0.25)

    config = config_of(tiny.write(tmp_path / "m.gguf", "llama", heads=6, kv_heads=3, head=32, edit=edit))
    assert (config.n_heads, config.n_kv_heads, config.head_size) == ((6, 6), (3, 3), 32)
    assert (config.scale, config.rope.freq_scale, config.rope.ext_factor, config.rope.n_ctx_orig) == (0.25, 0.25, 1, 64)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda w: w.add_uint32("llama.magic", 3), "the key llama.magic = 3 is not known"),
        (lambda w: w.add_expert_count(8), "llama.expert_count is 8, only 0 is supported"),
        (lambda w: w.add_causal_attention(False), "llama.attention.causal is False, only True is supported"),
        (lambda w: w.add_attn_logit_softcapping(30.0), "attn_logit_softcapping is 30.0, only 0.0"),
        (lambda w: w.add_string("llama.attention.scale", "big"), "llama.attention.scale is 'big', not a number"),
        (lambda w: w.add_rope_scaling_type(gguf.RopeScalingType("none")), ""),
        (lambda w: w.add_string("llama.rope.scaling.type", "su"), "rope.scaling.type is 'su'; known are none, linear"),
        (lambda w: w.add_uint32("llama.pooling_type", 4), "llama.pooling_type is 4, a ranker's or unknown"),
        (lambda w: w.add_uint16("split.no", 1), "is part 2 of 0: give the first, -00001-of-"),
        (lambda w: w.add_tensor("blk.0.gate.weight", np.zeros(4, np.float32)), "tensor blk.0.gate.weight is not known"),
        (lambda w: w.add_tensor("blk.0.attn_q.bias", np.zeros(4, np.float32)), "attn_q.bias has the shape"),
    ],
)
def test_what_changes_the_mathematics_is_refused(tmp_path: Path, edit: Edit, words: str) -> None:
    path = tiny.write(tmp_path / "m.gguf", "llama", edit=edit)
    if not words:
        config_of(path)
        return
    with pytest.raises(UnsupportedError) as error:
        config_of(path)
    assert words in str(error.value)


def test_experts_that_the_keys_contradict(tmp_path: Path) -> None:
    path = tiny.write(tmp_path / "m.gguf", "qwen3moe", qk_norm=True, experts=4, experts_used=5)
    with pytest.raises(UnsupportedError, match="5 of 4 experts are used"):
        config_of(path)
    left_out = ["blk.0.ffn_gate_inp.weight"]
    path = tiny.write(tmp_path / "n.gguf", "qwen3moe", qk_norm=True, experts=4, leave_out=left_out)
    with pytest.raises(UnsupportedError, match=r"blk\.0\.ffn_gate_inp\.weight is missing"):
        config_of(path)
    config = config_of(tiny.write(tmp_path / "o.gguf", "gpt-oss", **tiny.TINY["gpt-oss"]))
    assert (config.n_experts, config.n_experts_used, config.n_expert_ffn) == (5, 2, 96)
    assert [config.window_of(layer) for layer in range(2)] == [24, 0]
    assert (config.rope.freq_scale, config.rope.freq_scale_window, config.rope.ext_factor) == (0.25, 0.25, 1)


def test_all_reasons_are_told_at_once(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_uint32("llama.one", 1)
        writer.add_uint32("llama.two", 2)

    with pytest.raises(UnsupportedError, match=r"llama\.one = 1 is not known; the key llama\.two = 2 is not known"):
        config_of(tiny.write(tmp_path / "m.gguf", "llama", edit=edit))
    left_out = ["blk.1.attn_k.weight", "output_norm.weight"]
    with pytest.raises(UnsupportedError, match=r"output_norm\.weight is missing; .*blk\.1\.attn_k\.weight is missing"):
        config_of(tiny.write(tmp_path / "n.gguf", "llama", leave_out=left_out))


def test_types_that_the_dsp_does_not_take(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_tensor(
            "blk.0.attn_q.weight", np.zeros((128, 54), np.uint8), raw_dtype=Type.TQ1_0
        )

    path = tiny.write(tmp_path / "m.gguf", "llama", width=256, heads=4, edit=edit, leave_out=["blk.0.attn_q.weight"])
    with pytest.raises(UnsupportedError, match=r"the tensor blk\.0\.attn_q\.weight: .*TQ1_0"):
        config_of(path)


def test_unknown_architectures(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"its architecture is 'mamba'; known are bert, gemma3, gpt-oss, llama"):
        config_of(tiny.write(tmp_path / "m.gguf", "mamba"))


def test_shapes_that_contradict_the_keys(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"\(4, 4\) heads over \(3, 3\) KV heads: they do not divide"):
        config_of(tiny.write(tmp_path / "m.gguf", "llama", heads=4, kv_heads=3))
    with pytest.raises(UnsupportedError, match="heads of 288: at most 256"):
        config_of(tiny.write(tmp_path / "n.gguf", "llama", head=288))
