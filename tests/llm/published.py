# SPDX-License-Identifier: MIT
"""Headers of published files, and tiny files with all of their keys and tensors: small sizes, random weights.

recorded/published-files.json has the headers, and the names and shapes of each architecture's tensors. They are known
from converters, from logs of loaders and from dumps of files, not from this project.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFValueType, TokenType

from llm.tiny import LETTERS

_CONTENT: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "recorded" / "published-files.json").read_text(encoding="utf-8")
)
N_TOKENS: Final = 512
N_CTX: Final = 128  # of encoders, whose files hold a row for each position
WINDOW: Final = 24
WHOLE: Final = (
    "llama", "mistral3", "qwen2", "qwen3", "qwen3moe", "qwen35", "phi3", "gemma3", "gpt-oss", "smollm3",
    "bert", "nomic-bert", "lfm2", "lfm2moe", "ernie4_5", "granite", "granitemoe",
    "olmo2", "hunyuan-dense", "glm4", "gemma2", "starcoder2", "stablelm", "command-r", "cohere2", "exaone4",
    "minicpm", "ernie4_5-moe", "qwen35moe", "phi2", "phimoe", "qwen2vl", "qwen3vl", "qwen3vlmoe", "qwen3next",
    "glm4moe", "bitnet", "minicpm3", "deepseek2", "gemma-embedding", "modern-bert", "jina-bert-v3", "nomic-bert-moe",
    "gemma4", "granitehybrid", "falcon-h1", "jina-bert-v2", "gemma3n", "nemotron_h", "olmoe", "seed_oss", "exaone",
    "smallthinker", "eurobert", "granite_swa", "apertus", "neo-bert", "arcee", "nemotron", "gemma", "llama-embed",
    "internlm2", "maincoder", "bailingmoe2", "spark2_5", "k2-horizon", "gemma-embedding2", "nanbeige",
    "paddleocr",
)  # fmt: skip
REFUSED: Final = {  # models of these architectures that are not supported, with words of the error
    "EXAONE 4.5 33B": "nextn_predict_layers is 1, only 0 is supported",
    "DeepSeek V2 Lite (since April 2025)":
        r"attention over the narrow rows \(attention.key_length_mla\) is not supported",
}
# Enough layers for one of each kind; other models get 2. EXAONE 4 has windows only with 64 layers, and no key for them;
# DeepSeek 2 has no rank of queries with 26 layers, and no key for that.
_LAYERS: Final = {
    "gemma3": 7, "qwen35": 4, "qwen35moe": 4, "smollm3": 4, "lfm2": 4, "lfm2moe": 4, "olmo2": 4, "cohere2": 4,
    "qwen3next": 4, "qwen3vl": 4, "qwen3vlmoe": 4, "gemma-embedding": 7, "gemma-embedding2": 7, "gemma4": 10,
    "gemma3n": 22, "SmallThinker 21B A3B": 5, "granite_swa": 4, "spark2_5": 4,
    "modern-bert": 4, "nomic-bert-moe": 4, "granitehybrid": 7, "nemotron_h": 14,
    "EXAONE 4.0 32B": 64, "DeepSeek V2 Lite (2024 uploads)": 26,
}  # fmt: skip
_GEMMA4: Final = "gemma4", "gemma-embedding2"
_TIED: Final = ("gemma", "gemma2", "gemma3", "gemma3n", "gemma4", "command-r", "cohere2")
_EXPERTS: Final = (
    "ffn_gate_inp.", "exp_probs_b.", *(f"ffn_{name}_{end}exp" for name in ("gate", "up", "down") for end in ("", "sh")),
)
_DENSE: Final = "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight"
_JINA_CODE: Final = "jina-embeddings v2 base code, with gates of their own"
_GEMMA3N_OWN_KV: Final = 20  # layers with keys and values of their own: llama.cpp knows no other number
_BRANCH_NORMS: Final = "post_attention_norm.weight", "post_ffw_norm.weight", ".post_norm.weight"
_MAMBA: Final = "granitehybrid", "falcon-h1", "nemotron_h"
_FLOATS: Final = (  # quantizers leave these matrices alone
    "ssm_a", "ssm_conv1d", "conv", "ssm_d", "ssm_norm", "ssm_alpha", "ssm_beta", "attn_sinks", "token_types",
    "position_embd", "ffn_gate_inp",
)  # fmt: skip
_PER_LAYER: Final = "inp_gate.", "proj.", "post_norm.", "per_layer_"
_MIXTURE: Final = *_EXPERTS, "ffn_gate_up_exps.", "pre_ffw_norm_2.", "post_ffw_norm_1.", "post_ffw_norm_2."
_KEYS: Final = "attn_k.weight", "attn_k_norm.weight", "attn_v.weight"
_RECURRENT: Final = ("ssm_", "attn_qkv", "attn_gate", "shortconv.")


class Header(NamedTuple):
    """The header of a published file.

    Attributes:
        metadata: the architecture's keys, without its name, with their values.
        tokenizer: the keys after tokenizer.ggml. with their values.
    """

    model: str
    architecture: str
    note: str
    metadata: Mapping[str, Any]
    tokenizer: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.model, self.architecture))

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of one of the architecture's keys."""
        return self.metadata.get(name, default)

    @property
    def is_encoder(self) -> bool:
        """Whether the model makes embeddings, with bidirectional attention."""
        return is_encoder(self.architecture, is_causal=self.get("attention.causal", True))


def named(model: str) -> Header:
    """Return the header of a model."""
    (header,) = (one for one in headers() if one.model == model)
    return header


def headers() -> list[Header]:
    """Return all headers."""
    result = [Header(**one) for one in _CONTENT["headers"]]
    # The file of ModernBERT base does not say how to pool; fine-tuned models do.
    return [_with(one, "pooling_type", 1) if one.model == "ModernBERT base" else one for one in result]


def neutral_values() -> dict[str, list[Any]]:
    """Return the neutral values of keys that change the computation at any other value."""
    return dict(_CONTENT["neutral_values"])


def with_key(header: Header, name: str, value: Any) -> Header:
    """Return a header with another key, or with another value of a key."""
    return _with(header, name, value)._replace(model=f"{header.model}: {name}")


def _with(header: Header, name: str, value: Any) -> Header:
    return header._replace(metadata={**header.metadata, name: value})


def _without(header: Header, *names: str) -> Header:
    """Return a header without some of its keys."""
    metadata = {name: one for name, one in header.metadata.items() if name not in names}
    return header._replace(model=f"{header.model} without {', '.join(names)}", metadata=metadata)


def short(header: Header) -> Header:
    """Return a header whose tiny file has few layers."""
    return header._replace(model=f"{header.model} with few layers") if header.model in _LAYERS else header


def is_encoder(architecture: str, *, is_causal: bool = True) -> bool:
    """Return whether a model makes embeddings, with bidirectional attention.

    Args:
        is_causal: the value of its key; converters write it where an architecture has both.
    """
    return "bert" in architecture or "embed" in architecture or not is_causal


def derived() -> list[Header]:
    """Return variants of headers: smaller original context lengths, which short texts exceed, and irregular layer
    patterns.
    """
    by_model = {header.model: header for header in headers()}
    granite = with_key(with_key(by_model["Granite 3.1 3B A800M"], "embedding_scale", 0.5), "logit_scale", 0.9)
    original, uneven = "rope.scaling.original_context_length", [True, False, False, True, True, False, True]
    return [
        with_key(by_model["Phi 4 mini"], original, 64),
        with_key(by_model["Qwen3 8B 128K (YaRN upload)"], original, 32),
        with_key(by_model["gpt-oss 20B"], original, 32),
        with_key(by_model["Gemma 3 4B"], "attention.sliding_window_pattern", uneven),
        # Soft caps matter, layers add more to the residual than rounding does, and logits are not flat.
        with_key(with_key(by_model["Gemma 2 2B"], "attn_logit_softcapping", 1.5), "final_logit_softcapping", 2.0),
        with_key(with_key(by_model["Granite 3.1 2B"], "embedding_scale", 0.5), "logit_scale", 0.9),
        granite,
        with_key(granite, "expert_shared_feed_forward_length", 1024),
        with_key(with_key(by_model["MiniCPM 2B"], "embedding_scale", 0.5), "logit_scale", 0.9),
        _without(by_model["MiniCPM 2B"], "embedding_scale", "residual_scale", "logit_scale"),
        with_key(with_key(by_model["Granite 4.0 H Tiny"], "embedding_scale", 0.5), "logit_scale", 0.9),
        with_key(with_key(by_model["Granite 4.0 H Micro"], "embedding_scale", 0.5), "logit_scale", 0.9),
        with_key(with_key(by_model["Granite 4.0 H Micro"], "rope.scaling.finetuned", True), "ssm.group_count", 2),
        with_key(by_model["Granite 3.1 2B"], "rope.scaling.finetuned", False),
        by_model["jina-embeddings v2 base en"]._replace(model=_JINA_CODE),
        with_key(by_model["Falcon-H1 0.5B"], "ssm.group_count", 2),
        with_key(with_key(by_model["Nanbeige 4.2 3B"], "num_loops", 3), "skip_loop_final_norm", True),
        with_key(by_model["Qwen3.5 0.8B (first uploads)"], "attention.recurrent_layers", [True, False, False, True]),
    ]


def has_tensors(header: Header) -> bool:
    """Return whether the tiny file of a header is a whole model: the tensors and sizes of its architecture are known.
    """
    return header.architecture in WHOLE and header.model not in REFUSED


def write(path: Path, header: Header, seed: int = 1, *, is_hollow: bool = False, **more: Any) -> Path:
    """Write the tiny file of a header; without tensors if nobody has listed its architecture's.

    Args:
        is_hollow: whether to leave out the vocabulary, and to write zeros as weights.
        **more: keys of the architecture, written with exactly these values.
    """
    writer = gguf.GGUFWriter(path, header.architecture)
    sizes = _sizes(header)
    for name, value in (more | _small(header, sizes) | more).items():
        prefix = "" if name.startswith("xielu.") else f"{header.architecture}."
        writer.add_key_value(f"{prefix}{name}", value, *_types(value))
    if not is_hollow:
        _add_vocabulary(writer, header)
    for name, blocks, kind in _zeros(header) if is_hollow else _weights(header, seed):
        writer.add_tensor(name, blocks, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    if is_hollow:
        writer.write_ti_data_to_file()
    else:
        writer.write_tensors_to_file()
    writer.close()
    if is_hollow:
        n_bytes = sum(writer.ggml_pad(one.nbytes, 32) for one in writer.tensors[0].values())
        os.truncate(path, writer.ggml_pad(path.stat().st_size, 32) + n_bytes)
    return path


@functools.lru_cache(maxsize=1)
def _weights(header: Header, seed: int) -> list[tuple[str, np.ndarray, Type]]:
    """Return the name, the quantized values and the type of each tensor."""
    chance, result = np.random.default_rng(seed), []
    for name, shape in _tensors(header, _sizes(header)).items():
        values, kind = _values(name, shape, chance), _type(name, shape)
        if header.architecture in _GEMMA4 and name.endswith(("attn_q_norm.weight", "attn_k_norm.weight")):
            values *= np.float32(shape[0] ** -0.25)  # their products have no other factor
        if header.architecture == "gemma3n" and name.endswith(_BRANCH_NORMS):
            values *= np.float32(0.2)  # 22 random layers make a difference of the last bit large
        result.append((name, gguf.quants.quantize(values, kind), kind))
    return result


@functools.lru_cache(maxsize=1)
def _zeros(header: Header) -> list[tuple[str, np.ndarray, Type]]:
    """Return zeros for the quantized values of each tensor, with names and types."""
    result = []
    for name, shape in _tensors(header, _sizes(header)).items():
        kind = _type(name, shape)
        dtype = {Type.F32: np.float32, Type.F16: np.float16}.get(kind, np.uint8)
        stored = gguf.quant_shape_to_byte_shape(shape, kind) if dtype == np.uint8 else shape
        result.append((name, np.zeros(stored, dtype), kind))
    return result


def _types(value: Any) -> tuple[GGUFValueType, GGUFValueType | None]:
    """Return the GGUF type of a value and, for an array, of its elements."""
    if isinstance(value, list):
        kinds = {int: GGUFValueType.INT32, float: GGUFValueType.FLOAT32}
        return GGUFValueType.ARRAY, kinds.get(type(value[0])) or _types(value[0])[0]
    kinds = {
        int: GGUFValueType.UINT32, float: GGUFValueType.FLOAT32, bool: GGUFValueType.BOOL, str: GGUFValueType.STRING,
    }  # fmt: skip
    return kinds[type(value)], None


def _sizes(header: Header) -> dict[str, int]:
    """Return small sizes in place of a header's, by their names in the lists of tensors."""
    heads, kv_heads, head = 4, 2, 64
    of_file = header.get("attention.head_count", 1)
    of_file_kv, width = header.get("attention.head_count_kv", of_file), header.get("embedding_length", 1)
    if (max(of_file_kv) if isinstance(of_file_kv, list) else of_file_kv) == of_file:
        kv_heads = heads
    length = header.get("attention.key_length", width // of_file)
    is_latent = header.get("attention.kv_lora_rank") is not None
    is_gemma4 = header.architecture in _GEMMA4
    head = 512 if is_gemma4 else 96 if is_latent else head
    small_width = heads * head if length * of_file == width else 256 if is_latent else 128
    rotated = 32 if is_latent else header.get("rope.dimension_count", length) * head // length // 2 * 2
    has_shared_size = "expert_shared_feed_forward_length" in header.metadata
    shared = 64 if has_shared_size else 96 * header.get("expert_shared_count", 1)
    state, keys = 32, 2
    values = keys * header.get("ssm.time_step_rank", 1) // header.get("ssm.group_count", 1)
    n_layers = _LAYERS.get(header.model, _LAYERS.get(header.architecture, 2))
    per_layer = 32 if header.get("embedding_length_per_layer_input") else 0
    mamba = {}
    if header.architecture in _MAMBA:
        groups, inner, state = header.get("ssm.group_count"), 2 * small_width, 48
        mamba = {
            "groups": groups, "inner": inner, "inner/groups": inner // groups, "ssm heads": 8,
            "channels": inner + 2 * groups * state,
        }  # fmt: skip
    return {
        "width": small_width, "head": head, "heads": heads, "q": heads * head, "kv": kv_heads * head, "ffn": 256,
        "kv heads": kv_heads, "vocabulary": N_TOKENS, "rotated": rotated, "rotated/2": rotated // 2,
        "head/2": head // 2,
        "context": N_CTX, "types": header.tokenizer.get("token_type_count", 2),
        "labels": len(header.get("classifier.output_labels", ())),
        "experts": 6, "used": 3, "expert ffn": 96, "2 expert ffn": 192, "shared ffn": shared,
        "plain": head - rotated, "value": 64 if is_latent else head, "kv rank": 64, "q rank": 96,
        "state": state, "key heads": keys, "value heads": values,
        "channels": (2 * keys + values) * state, "taps": header.get("ssm.conv_kernel", 3),
        "layers": n_layers, "embedding": 96,
        "mtp": header.get("nextn_predict_layers", 0),
        "window head": 256, "p": per_layer, "p layers": per_layer * n_layers,
        "sharing": 5 if header.get("attention.shared_kv_layers") else 0, **mamba,
    }  # fmt: skip


def _small(header: Header, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return the keys of a header with the sizes of a tiny model; keys that are no sizes keep their values."""
    n_layers, n_mtp = sizes["layers"], sizes["mtp"]
    named: dict[str, Any] = {
        "block_count": n_layers + n_mtp, "embedding_length": sizes["width"], "feed_forward_length": sizes["ffn"],
        "attention.head_count": sizes["heads"], "attention.head_count_kv": sizes["kv heads"],
        "attention.key_length": sizes["head"], "attention.value_length": sizes["value"],
        "attention.kv_lora_rank": sizes["kv rank"], "attention.q_lora_rank": sizes["q rank"],
        "rope.dimension_count": sizes["rotated"], "vocab_size": N_TOKENS, "expert_count": sizes["experts"],
        "expert_used_count": sizes["used"], "expert_feed_forward_length": sizes["expert ffn"],
        "expert_shared_feed_forward_length": sizes["shared ffn"],
        "ssm.state_size": sizes["state"], "ssm.group_count": sizes["key heads"],
        "ssm.time_step_rank": sizes["value heads"], "ssm.inner_size": sizes["value heads"] * sizes["state"],
        "embedding_length_out": sizes["embedding"],
    }  # fmt: skip
    if header.architecture in _GEMMA4:
        named |= {
            "attention.key_length_swa": sizes["window head"], "attention.value_length_swa": sizes["window head"],
            "rope.dimension_count_swa": sizes["window head"], "embedding_length_per_layer_input": sizes["p"],
            "attention.shared_kv_layers": sizes["sharing"],
        }  # fmt: skip
    if header.architecture == "spark2_5":
        named["rope.dimension_count_swa"] = sizes["head"]
    if header.architecture == "gemma3n":
        named |= {"attention.shared_kv_layers": float(sizes["layers"] - _GEMMA3N_OWN_KV)}
    if header.architecture in _MAMBA:
        named |= {
            "ssm.group_count": sizes["groups"], "ssm.time_step_rank": sizes["ssm heads"],
            "ssm.inner_size": sizes["inner"],
        }  # fmt: skip
    if header.get("expert_group_count", 1) > 1:
        named |= {"expert_group_count": 3, "expert_group_used_count": 2}
    if not header.get("expert_count"):
        named |= {"expert_count": 0, "expert_used_count": 0}
    if header.is_encoder:
        named["context_length"] = N_CTX
    window, is_free = header.get("attention.sliding_window", 0), header.architecture != "smallthinker"  # 4096 there
    if is_free and 0 < window < header.get("context_length", 0):
        named["attention.sliding_window"] = WINDOW
    result: dict[str, Any] = {}
    for name, of_file in header.metadata.items():
        value = of_file
        if name == "rope.dimension_sections":
            pairs = sizes["rotated/2"]
            if "vl" in header.architecture or header.architecture == "paddleocr":
                value = [one * pairs // sum(value) for one in value]
            else:
                value = [*(sum(pair % 3 == which for pair in range(pairs)) for which in range(3)), 0]
        elif isinstance(value, list) and len(value) == header.get("block_count"):
            value = [*value[:n_layers], *value[len(value) - n_mtp :]]
            value = [-math.inf if one == "-inf" else one for one in value]
        if name == "attention.head_count_kv" and isinstance(value, list):
            value = [n and (sizes["kv heads"] if n == max(value) else 1) for n in value]
        if name == "feed_forward_length" and isinstance(value, list):
            is_gemma4 = header.architecture in _GEMMA4
            value = [n and (_of_layer(header, sizes, at) if is_gemma4 else sizes)["ffn"] for at, n in enumerate(value)]
        result[name] = value if isinstance(value, list) else named.get(name, value)
    return result


def _of_layer(header: Header, sizes: Mapping[str, int], layer: int) -> Mapping[str, int]:
    """Return the sizes of a layer of Gemma 4: sliding windows have smaller heads, sharing layers wider networks."""
    pattern = header.get("attention.sliding_window_pattern")
    head = sizes["window head"] if pattern[layer] else sizes["head"]
    ffn = sizes["ffn"] * (2 if layer >= sizes["layers"] - sizes["sharing"] else 1)
    kv_heads = header.get("attention.head_count_kv")
    n_kv = sizes["kv heads"] if isinstance(kv_heads, int) or kv_heads[layer] == max(kv_heads) else 1
    return {**sizes, "head": head, "q": sizes["heads"] * head, "kv": n_kv * head, "ffn": ffn}


def _tensors(header: Header, sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the tensors that such a file has."""
    if not has_tensors(header):
        return {}
    tensors = _CONTENT["architectures"][header.architecture]
    result = {}
    for name, shape in _shapes(tensors["model_tensors"], sizes).items():
        is_there = {
            "output": header.architecture not in _TIED and "tied" not in header.note and not sizes["labels"],
            "rope_freqs": "rope_freqs" in header.note or header.architecture == "gemma4",
            "rope_factors_long": header.get("rope.scaling.attn_factor") is not None,
            "rope_factors_short": header.get("rope.scaling.attn_factor") is not None,
            "cls": sizes["labels"] > 0,
            "per_layer": sizes["p"] > 0,
            "dense_2": header.get("embedding_length_out") is not None,
        }
        if is_there.get("per_layer" if name.startswith("per_layer_") else name.split(".")[0], True):
            result[name] = shape
    recurrent = header.get("attention.recurrent_layers", ())
    if isinstance(kv_heads := header.get("attention.head_count_kv"), list):
        recurrent = [not n for n in kv_heads]
    of_layer, n_dense = _shapes(tensors["layer_tensors"], sizes), header.get("leading_dense_block_count", 0)
    if header.architecture in _MAMBA:
        others = _DENSE if header.get("expert_count") else _EXPERTS
        others = () if header.architecture == "nemotron_h" else others
        others += ("ssm_norm.",) if header.model == "Falcon-H1 0.5B" else ()
        of_layer = {name: shape for name, shape in of_layer.items() if not name.startswith(others)}
        # Quantizers drop a first dimension of 1.
        of_layer = {name: shape[1:] if shape[0] == 1 else shape for name, shape in of_layer.items()}
    if header.model == _JINA_CODE:
        of_layer["ffn_up.weight"] = of_layer["ffn_gate.weight"] = sizes["ffn"], sizes["width"]
        for name in ("attn_q_norm", "attn_k_norm", "attn_norm_2"):
            of_layer |= {f"{name}.{end}": (sizes["width"],) for end in ("weight", "bias")}
    if header.get("expert_shared_feed_forward_length", header.get("expert_shared_count")) is None:
        of_layer = {name: shape for name, shape in of_layer.items() if "_shexp." not in name}
    has_both = any(name.startswith(("ssm_", "shortconv.")) for name in of_layer) and header.architecture != "falcon-h1"
    for index in range(sizes["layers"] + sizes["mtp"]):
        is_mtp = index >= sizes["layers"]
        interval = header.get("full_attention_interval", 4)
        is_recurrent = has_both and not is_mtp and (recurrent[index] if recurrent else (index + 1) % interval > 0)
        if header.architecture in _GEMMA4:
            of_layer = _shapes(tensors["layer_tensors"], _of_layer(header, sizes, index))
            absent = () if header.get("expert_count") else _MIXTURE
            if not sizes["p"]:  # full attention has its keys as values, too
                absent += _PER_LAYER + (() if header.get("attention.sliding_window_pattern")[index] else ("attn_v.",))
            of_layer = {name: shape for name, shape in of_layer.items() if not name.startswith(absent)}
        if header.architecture == "nemotron_h":
            kind = "ffn_" if header.get("feed_forward_length")[index] else "ssm_" if recurrent[index] else "attn_"
            every = _shapes(tensors["layer_tensors"], sizes).items()
            of_layer = {name: one for name, one in every if name.startswith((kind, "attn_norm"))}
            is_recurrent = kind == "ssm_"
        for name, shape in of_layer.items():
            if header.architecture == "gemma4" and index > sizes["layers"] - sizes["sharing"] and name in _KEYS:
                continue  # the first layer that shares keys and values has tensors for its own, which are not used
            is_attention = name.startswith("attn_") and name != "attn_norm.weight" and not name.startswith(_RECURRENT)
            if has_both and (is_attention if is_recurrent else name.startswith(_RECURRENT)):
                continue
            if n_dense and (name.startswith(_EXPERTS) if index < n_dense else name in _DENSE):
                continue
            if header.architecture == "nomic-bert-moe" and name.startswith(
                ("ffn_up.", "ffn_down.") if index % 2 else _EXPERTS
            ):
                continue
            if header.architecture == "modern-bert" and (index, name) == (0, "attn_norm.weight"):
                continue
            if is_mtp or not name.startswith("nextn."):
                result[f"blk.{index}.{name}"] = shape
    if any(name.startswith("vision.") for name in header.metadata):
        images = "v.patch_embd", "v.blk.0.attn_q", "mm.mm_input_projection"
        result |= {f"{name}.weight": (32, 32) for name in images}
    return result


def _shapes(tensors: Mapping[str, str], sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of tensors; shapes are such as "q + 2 kv,width"."""
    return {name: tuple(_length(one, sizes) for one in shape.split(",")) for name, shape in tensors.items()}


def _length(expression: str, sizes: Mapping[str, int]) -> int:
    """Evaluate a length such as "q + 2 kv" or "2 key heads*state + value heads*state"."""
    total = 0
    for term in expression.split(" + "):
        product = 1
        for factor in term.split("*"):
            number, name = re.fullmatch(r"(\d*) ?(.*)", factor.strip()).groups()  # type: ignore[union-attr]
            product *= int(number or 1) * (sizes[name] if name else 1)
        total += product
    return total


def _type(name: str, shape: tuple[int, ...]) -> Type:
    """Return the type of a tensor."""
    last = name.removesuffix(".weight").rsplit(".", 1)[-1]
    if len(shape) == 1 or name.endswith(".bias") or last in _FLOATS or last.startswith("rope_"):
        return Type.F32
    if last.startswith(("altup_", "laurel_")):
        return Type.F32 if last.endswith("_coef") else Type.F16
    return Type.MXFP4 if len(shape) == 3 and "_exps" in last else Type.Q8_0


def _values(name: str, shape: tuple[int, ...], chance: np.random.Generator) -> np.ndarray:
    """Return random values of a tensor, scaled so that activations stay in a usual range."""
    values = chance.standard_normal(shape).astype(np.float32)
    last = name.removesuffix(".weight").rsplit(".", 1)[-1]
    if last == "ssm_a":
        return np.asarray(-np.exp(0.5 * values - 1))
    if last in ("ssm_conv1d", "conv"):
        return 0.2 + 0.3 * values
    if last == "rope_freqs" and shape[0] == 256:  # Gemma 4 rotates a part of the pairs
        return np.where(np.arange(256) < 64, 1, 1e30).astype(np.float32)
    if last.startswith("rope_"):
        return np.linspace(1, 1.2 if "short" in last else 8, shape[0]).astype(np.float32)
    if name.endswith(".bias") or last == "attn_sinks":
        return 0.1 * values
    if len(shape) == 1 or last in ("ssm_d", "ssm_norm"):
        return 1 + 0.1 * values
    return np.asarray(values * np.float32(shape[-1] ** -0.5))


def _add_vocabulary(writer: gguf.GGUFWriter, header: Header) -> None:
    """Add the keys of a tokenizer with a small vocabulary: letters, bytes, a few words, and the special tokens."""
    kind = header.tokenizer.get("model")
    if kind is None:
        return
    special: dict[int, str] = {}
    for key, value in header.tokenizer.items():
        number = value
        if key.endswith("_token_id"):
            number = value if value < 5 else N_TOKENS - 1 - value % 89
            special.setdefault(number, f"<{key.removesuffix('_token_id')}>")
        writer.add_key_value(f"tokenizer.ggml.{key}", number, *_types(number))
    merges = [(left, right) for left in "then" for right in "aeiou"]
    if kind == "gpt2":
        plain, space = [*byte_letters(), *("".join(one) for one in merges)], ""
        writer.add_token_merges([" ".join(one) for one in merges])
    else:
        plain, space = [*LETTERS, "\u2581", "\u2581the", "in", "\u2581a"], "\u2581"
    if kind == "gemma4":
        plain += ["".join(one) for one in merges]
        writer.add_token_merges([" ".join(one) for one in merges])
    bytes_of = [f"<0x{byte:02X}>" for byte in range(256)] if kind in ("llama", "gemma4") else []
    rest = iter([*bytes_of, *plain, *(f"{space}unsaid{number}" for number in range(N_TOKENS))])
    tokens = [special.get(number) or next(rest) for number in range(N_TOKENS)]
    writer.add_token_list(tokens)
    writer.add_token_scores([-float(number) for number in range(N_TOKENS)])
    types = dict.fromkeys(bytes_of, TokenType.BYTE)
    types |= {token: TokenType.UNKNOWN if token == "<unknown>" else TokenType.CONTROL for token in special.values()}
    writer.add_token_types([types.get(token, TokenType.NORMAL) for token in tokens])


def byte_letters() -> list[str]:
    """Return the letters that stand for the bytes 0 to 255 in BPE vocabularies."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + at) for at, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]
