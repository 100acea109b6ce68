# SPDX-License-Identifier: MIT
"""A model's configuration, which is read and checked before its weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type
from gguf import GGUFValueType as Kind

from llm import tiny
from pyhexagon import LLM, cli
from pyhexagon.errors import ArgumentError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile
from pyhexagon.llm.engine.model import checked
from pyhexagon.llm.files.config import Config
from pyhexagon.models import store

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
    assert (config.n_ctx, config.longest_ctx) == (512, 512)


def test_yarn_stretches_the_longest_context(tmp_path: Path) -> None:
    config = config_of(tiny.write(tmp_path / "m.gguf", "llama", yarn=4.0))
    assert (config.n_ctx, config.longest_ctx) == (512, 2048)
    assert config_of(tiny.write(tmp_path / "n.gguf", "llama")).longest_ctx == 512


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
        (lambda w: w.add_uint32("llama.expert_group_count", 8), "expert_group_count is 8, only 0 or 1 is supported"),
        (lambda w: w.add_sliding_window(100), "sliding_window is 100: layers of this architecture have no windows"),
        (lambda w: w.add_float32("llama.residual_scale", 0.22), "residual_scale is 0.2199"),
        (lambda w: w.add_float32("llama.rope.scaling.yarn_log_multiplier", 0.7), "only 0.0 or 1.0 is supported"),
        (lambda w: w.add_array("llama.rope.dimension_sections", [4, 6, 6, 0]), "dimension_sections is array([4, 6"),
        (lambda w: w.add_uint32("llama.embedding_length_out", 64), "embeddings and activations have different lengths"),
        (lambda w: w.add_nextn_predict_layers(1), "llama.nextn_predict_layers is 1, only 0 is supported"),
        (lambda w: w.add_uint16("split.no", 1), "is part 2 of 0: open the first part, -00001-of-"),
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


@pytest.mark.parametrize(
    "edit",
    [
        lambda w: w.add_float32("llama.rope.scaling.yarn_attn_factor", 1.2),
        lambda w: w.add_float32("llama.rope.scaling.yarn_ext_factor", 1.0),
        lambda w: w.add_float32("llama.rope.scaling.yarn_log_multiplier", 0.0),
        lambda w: w.add_uint32("llama.expert_group_count", 1),
        lambda w: w.add_uint32("llama.expert_group_used_count", 1),
        lambda w: w.add_uint32("llama.expert_gating_func", 0),
        lambda w: w.add_sliding_window(0),
        lambda w: w.add_sliding_window(512),
        lambda w: w.add_array("llama.attention.sliding_window_pattern", [False, False]),
        lambda w: w.add_bool("llama.rope.scaling.finetuned", False),
        lambda w: w.add_array("llama.rope.dimension_sections", [0, 0, 0, 0]),
        lambda w: w.add_array("llama.classifier.output_labels", ["yes", "no"]),
        lambda w: w.add_uint32("llama.classifier.pooling_type", 1),
        lambda w: w.add_array("llama.deepstack_mapping", [-1, -1]),
        lambda w: w.add_uint32("llama.embedding_length_out", 128),
        lambda w: w.add_float32("llama.logit_scale", 0.0),
    ],
)
def test_what_changes_nothing_is_taken(tmp_path: Path, edit: Edit) -> None:
    plain = config_of(tiny.write(tmp_path / "m.gguf", "llama"))
    assert config_of(tiny.write(tmp_path / "n.gguf", "llama", edit=edit)) == plain


@pytest.mark.parametrize("window", [0, 100, 2047, 262144])
def test_phi_3_has_no_window_whatever_its_file_says(tmp_path: Path, window: int) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_sliding_window(window)

    config = config_of(tiny.write(tmp_path / "m.gguf", "phi3", fused=True, edit=edit))
    assert [config.window_of(layer) for layer in range(2)] == [0, 0]


def test_which_layers_of_gemma_3_have_a_window(tmp_path: Path) -> None:
    def windows(pattern: object) -> list[bool]:
        def edit(writer: gguf.GGUFWriter) -> None:
            writer.add_key_value("gemma3.attention.sliding_window_pattern", pattern, *kinds)

        is_array = isinstance(pattern, list)
        kinds = (Kind.ARRAY, Kind.BOOL) if is_array else (Kind.UINT32, None)
        more = {**tiny.TINY["gemma3"], "layers": 4, "edit": edit}
        config = config_of(tiny.write(tmp_path / "m.gguf", "gemma3", **more))
        return [config.window_of(layer) > 0 for layer in range(4)]

    assert windows(3) == [True, True, False, True]
    assert windows([True, False, False, True]) == [True, False, False, True]
    with pytest.raises(UnsupportedError, match="sliding_window_pattern has 3 numbers for 4 layers"):
        windows([True, False, False])


def test_what_ollama_s_files_of_gemma_3_leave_out(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_uint32("gemma3.mm.tokens_per_image", 256)
        writer.add_float32("gemma3.final_logit_softcapping", 30.0)

    small = {**tiny.TINY["gemma3"], "width": 32, "head": 32, "heads": 1, "kv_heads": 1, "ffn": 32}
    left_out = ["rope.freq_base", "attention.layer_norm_rms_epsilon"]
    for layers, scale in ((7, 1.0), (34, 0.125)):
        path = tiny.write(tmp_path / "m.gguf", "gemma3", **{**small, "layers": layers}, edit=edit, no_keys=left_out)
        config = config_of(path)
        assert config.eps == pytest.approx(1e-6)
        assert (config.rope.freq_base, config.rope.freq_base_window) == (1e6, 1e4)
        assert (config.rope.freq_scale, config.rope.freq_scale_window) == (scale, 1)
    with pytest.raises(UnsupportedError, match="layer_norm_rms_epsilon is missing"):  # it is not Ollama's
        config_of(tiny.write(tmp_path / "n.gguf", "gemma3", **small, no_keys=left_out))


def test_ollama_s_names_of_gemma_3_s_bases(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_float32("gemma3.rope.global.freq_base", 5e5)
        writer.add_float32("gemma3.rope.local.freq_base", 2e4)
        writer.add_uint32("gemma3.vision.block_count", 27)
        writer.add_uint32("gemma3.mm.tokens_per_image", 256)
        writer.add_tensor("v.patch_embd.weight", np.zeros((32, 32), np.float32))
        writer.add_tensor("mm.mm_input_projection.weight", np.zeros((32, 32), np.float32))

    path = tiny.write(tmp_path / "m.gguf", "gemma3", **tiny.TINY["gemma3"], edit=edit, no_keys=["rope.freq_base"])
    rope = config_of(path).rope
    assert (rope.freq_base, rope.freq_base_window) == (5e5, 2e4)


def test_a_multiplier_of_1_takes_the_magnitude_of_yarn_back(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_float32("llama.rope.scaling.yarn_log_multiplier", 1.0)

    rope = config_of(tiny.write(tmp_path / "m.gguf", "llama", yarn=4.0, edit=edit)).rope
    assert rope.attn_factor * (1 + 0.1 * np.log(4)) == pytest.approx(1)
    assert config_of(tiny.write(tmp_path / "n.gguf", "llama", edit=edit)).rope.attn_factor == 1  # there is no YaRN


def test_values_are_as_long_as_llama_cpp_takes_them_to_be(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="values and keys have different lengths"):
        config_of(tiny.write(tmp_path / "m.gguf", "llama", head=48, no_keys=["attention.value_length"]))
    config_of(tiny.write(tmp_path / "n.gguf", "llama", head=32, no_keys=["attention.value_length"]))


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
            "blk.0.attn_q.weight", np.zeros((128, 292), np.uint8), raw_dtype=Type.Q8_K
        )

    path = tiny.write(tmp_path / "m.gguf", "llama", width=256, heads=4, edit=edit, leave_out=["blk.0.attn_q.weight"])
    with pytest.raises(UnsupportedError, match=r"the tensor blk\.0\.attn_q\.weight: .*Q8_K"):
        config_of(path)


@pytest.mark.parametrize(
    ("key", "kind", "words"),
    [
        ("general.type", "mmproj", "is the part of a model that sees or hears .* open the model's own file"),
        ("general.architecture", "clip", "is the part of a model that sees or hears"),
        ("general.type", "adapter", "is an adapter: open the model's file, with --lora FILE"),
        ("general.type", "imatrix", "is an importance matrix"),
    ],
)
def test_files_beside_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, kind: str, words: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    writer = gguf.GGUFWriter(tmp_path / "m.gguf", kind if key == "general.architecture" else "llama")
    if key != "general.architecture":
        writer.add_string(key, kind)
    writer.add_tensor("x", np.zeros(32, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(UnsupportedError, match=words) as error:
        config_of(tmp_path / "m.gguf")
    assert "supported are" not in str(error.value)
    assert cli.main(["pull", str(tmp_path / "m.gguf"), "--name", "beside"]) == 1
    assert store.find("beside") is None


def test_a_part_names_the_first_one(tmp_path: Path) -> None:
    path = tiny.write(tmp_path / "m-00002-of-00003.gguf", "llama", edit=lambda w: w.add_uint16("split.no", 1))
    with pytest.raises(UnsupportedError, match=r"open the first part, m-00001-of-00003\.gguf"):
        config_of(path)


def test_unknown_architectures(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"architecture is 'mamba'; supported are apertus, arcee, bailingmoe2,"):
        config_of(tiny.write(tmp_path / "m.gguf", "mamba"))


def test_shapes_that_contradict_the_keys(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=r"\(4, 4\) heads over \(3, 3\) KV heads: they do not divide"):
        config_of(tiny.write(tmp_path / "m.gguf", "llama", heads=4, kv_heads=3))
    with pytest.raises(UnsupportedError, match="heads of 544: at most 512"):
        config_of(tiny.write(tmp_path / "n.gguf", "llama", head=544))


def test_contexts_with_a_temperature_are_refused(tmp_path: Path) -> None:
    def edit(writer: gguf.GGUFWriter) -> None:
        writer.add_float32("mistral3.attention.temperature_scale", 0.1)
        writer.add_rope_scaling_orig_ctx_len(128)

    path = tiny.write(tmp_path / "m.gguf", "mistral3", edit=edit)
    config = config_of(path)
    assert (config.n_ctx, config.longest_ctx) == (128, 128)
    with pytest.raises(ArgumentError, match="n_ctx is 129: mistral3 is supported up to 128 tokens"):
        LLM(path, 129, device="loopback")
    assert config_of(tiny.write(tmp_path / "n.gguf", "mistral3")).longest_ctx == 512


@pytest.mark.parametrize(
    ("architecture", "edit", "words"),
    [
        ("gemma2", lambda w: w.add_attn_logit_softcapping(0.0), "soft caps of 0.0 and 30.0: expected 1 to 4096"),
        ("gemma2", lambda w: w.add_final_logit_softcapping(1e6), "soft caps of 50.0 and 1000000.0: expected 1 to 4096"),
    ],
)
def test_factors_that_are_not_supported_are_refused(tmp_path: Path, architecture: str, edit: Edit, words: str) -> None:
    with pytest.raises(UnsupportedError, match=words):
        config_of(tiny.write(tmp_path / "m.gguf", architecture, edit=edit))
