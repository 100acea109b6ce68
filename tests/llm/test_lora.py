# SPDX-License-Identifier: MIT
"""LoRA adapters against the same model with the product B A added to its weights, and damaged or foreign adapters."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Q

from llm import tiny, tiny_qwen35
from pyhexagon import LLM, ArgumentError, GGUFFile, UnsupportedError, cli
from pyhexagon.cli import llm_options
from pyhexagon.compat import Llama
from pyhexagon.llm import Generation, prompt_lookup
from pyhexagon.llm.engine.streaming import collect_all
from pyhexagon.llm.graph.lora import LoRA, LoRAChoice

F32 = npt.NDArray[np.float32]
RANK, ALPHA = 8, 16.0
PROMPT = [1, *range(5, 25)]
# Log-probabilities after PROMPT of llama.cpp (xllamacpp 2026.10.11549) with the adapter times 0.75.
LLAMA_CPP = {
    462: -1.75364, 411: -2.5331, 196: -3.16386, 473: -3.31361, 54: -3.31551, 400: -3.36176, 421: -3.40685,
    128: -3.75721, 315: -3.88836, 217: -3.99471, 248: -4.03591, 44: -4.05418,
}  # fmt: skip
LAYERS = ("blk.0.attn_q.weight", "blk.0.ffn_down.weight", "blk.1.attn_v.weight", "blk.1.ffn_up.weight")
CHANGED = (*LAYERS, "output.weight")


def pairs(
    model: Path, names: tuple[str, ...] = CHANGED, seed: int = 3, rank: int = RANK
) -> dict[str, tuple[F32, F32]]:
    """Return random A (rank, K) and B (N, rank) for weights of a model."""
    chance = np.random.default_rng(seed)
    with GGUFFile(model) as file:
        shapes = {name: file.info(name).shape for name in names}
    return {
        name: (
            chance.standard_normal((rank, k), dtype=np.float32) * np.float32(0.2),
            chance.standard_normal((n, rank), dtype=np.float32) * np.float32(0.2),
        )
        for name, (n, k) in shapes.items()
    }


def write(
    path: Path, tensors: Mapping[str, tuple[F32, F32]], dtype: Q = Q.F32, *, of: str = "llama", kind: str = "lora"
) -> Path:
    """Write an adapter with the keys of llama.cpp's converter."""
    writer = gguf.GGUFWriter(path, of)
    writer.add_type("adapter")
    writer.add_string("adapter.type", kind)
    writer.add_float32("adapter.lora.alpha", ALPHA)
    for name, two in tensors.items():
        for end, array in zip(("lora_a", "lora_b"), two, strict=True):
            writer.add_tensor(f"{name}.{end}", gguf.quantize(array, dtype), raw_dtype=dtype)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def merged(path: Path, model: Path, tensors: Mapping[str, tuple[F32, F32]], factor: float) -> Path:
    """Write the model with ``factor * alpha / rank * B A`` added to its weights, in float32."""

    def edit(writer: gguf.GGUFWriter) -> None:
        for part in writer.tensors:
            for name, (a, b) in tensors.items():
                if name in part:
                    whole = np.asarray(part[name].tensor).view(np.float32)
                    part[name].tensor = (whole + np.float32(factor * ALPHA / len(a)) * (b @ a)).astype(np.float32)

    return tiny.write(path, "llama", weights=Q.F32, tied=False, edit=edit)


def logits(path: Path, device: str, lora: Sequence[LoRA] = ()) -> F32:
    with LLM(path, n_ctx=64, kv="f16", device=device, lora=lora) as llm:
        return llm.logits(PROMPT)


def distance(got: F32, expected: F32) -> float:
    """Return the error relative to the expected logits, as a ratio of norms."""
    return float(np.linalg.norm(got - expected) / np.linalg.norm(expected))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny.write(tmp_path / "model.gguf", "llama", weights=Q.F32, tied=False)


@pytest.mark.parametrize("device", ["cpu", "loopback:qemu"])
@pytest.mark.parametrize("factor", [1.0, -0.5])
def test_the_logits_are_those_of_merged_weights(model: Path, tmp_path: Path, device: str, factor: float) -> None:
    tensors = pairs(model)
    adapter = write(tmp_path / "adapter.gguf", tensors)
    expected = logits(merged(tmp_path / "merged.gguf", model, tensors, factor), "cpu")
    assert distance(logits(model, device, [(adapter, factor)]), expected) < 2e-3
    assert distance(logits(model, "cpu"), expected) > 0.3


def test_log_probabilities_equal_those_of_llama_cpp(model: Path, tmp_path: Path) -> None:
    adapter = write(tmp_path / "adapter.gguf", pairs(model))
    last = logits(model, "cpu", [(adapter, 0.75)])[-1].astype(np.float64)
    got = last - last.max() - np.log(np.exp(last - last.max()).sum())
    assert [got[token] for token in LLAMA_CPP] == pytest.approx(list(LLAMA_CPP.values()), abs=0.02)


def test_the_command_line_and_llama_cpp_python_take_adapters(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adapter = write(tmp_path / "adapter.gguf", pairs(model))
    with LLM(model, n_ctx=64, device="cpu", lora=[(adapter, 0.5)]) as llm:
        expected = llm.generate("the and", 8, 0).text
    with Llama(model, n_ctx=64, device="cpu", lora_path=adapter, lora_scale=0.5) as llama:
        assert llama("the and", max_tokens=8, temperature=0)["choices"][0]["text"] == expected
    run = ["run", str(model), "the and", "--device", "cpu", "-c", "64", "-n", "8", "--temp", "0"]
    assert cli.main([*run, "--lora-scaled", f"{adapter}:0.5"]) == 0
    assert capsys.readouterr().out.strip() == f"the and{expected}".strip()
    assert cli.main([*run, "--lora-scaled", f"{adapter}:0.25", "--lora-scaled", f"{adapter}:0.25"]) == 0
    assert cli.main([*run, "--lora", str(model)]) == 1
    assert "is not a LoRA adapter" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main([*run, "--lora-scaled", str(adapter)])
    assert "is not FILE:SCALE" in capsys.readouterr().err


def test_two_adapters_add_up(model: Path, tmp_path: Path) -> None:
    tensors = pairs(model)
    adapter = write(tmp_path / "adapter.gguf", tensors, Q.F16)
    once = logits(model, "cpu", [(adapter, 0.75)])
    twice = logits(model, "cpu", [(adapter, 0.5), (adapter, 0.25)])
    assert distance(twice, once) < 2e-3
    assert (logits(model, "cpu", [(adapter, 0.0)]) == logits(model, "cpu")).all()


def test_bits_do_not_depend_on_the_batch_or_the_engine(model: Path, tmp_path: Path) -> None:
    adapter = write(tmp_path / "adapter.gguf", pairs(model), Q.F16)
    results = []
    for device in ("cpu", "loopback:qemu"):
        with LLM(model, n_ctx=64, n_sequences=4, device=device, lora=adapter) as llm:
            alone = [list(llm.generate(PROMPT[:n], 6, 0).tokens) for n in (3, 9, 20)]
            streams = [llm.stream(PROMPT[:n], 6, 0) for n in (3, 9, 20)]
            together: list[list[int]] = [[], [], []]
            for _ in range(6):
                for tokens, stream in zip(together, streams, strict=True):
                    tokens += [part.token for part in [next(stream, None)] if part is not None]
            assert together == alone
            results.append(alone)
    assert results[0] == results[1]


def test_a_saved_cache_is_of_the_adapter(model: Path, tmp_path: Path) -> None:
    adapter, saved = write(tmp_path / "adapter.gguf", pairs(model)), tmp_path / "saved.npz"
    with LLM(model, n_ctx=64, device="cpu", lora=adapter) as llm:
        llm.save(saved, PROMPT)
        assert llm.load(saved) == PROMPT
    with LLM(model, n_ctx=64, device="cpu") as llm, pytest.raises(ArgumentError, match="another model"):
        llm.load(saved)


def test_adapters_that_do_not_fit_are_refused_before_a_device_opens(model: Path, tmp_path: Path) -> None:
    good = pairs(model)
    name, (a, b) = "blk.0.attn_q.weight", good["blk.0.attn_q.weight"]
    path = tmp_path / "adapter.gguf"
    cases: list[tuple[type[Exception], str, dict[str, tuple[F32, F32]], dict[str, str]]] = [
        (ArgumentError, "is not a LoRA adapter", good, {"kind": "control_vector"}),
        (ArgumentError, "for the architecture qwen2, the model's is llama", good, {"of": "qwen2"}),
        (ArgumentError, "changes a tensor that .* does not have", {"blk.7.attn_q.weight": (a, b)}, {}),
        (ArgumentError, r"has the shape \(128, 128\), its pair has", {name: (a[:, :64], b)}, {}),
        (ArgumentError, r"has the shape \(128, 128\), its pair has", {name: (a[:4], b)}, {}),
        (UnsupportedError, "changes token_embd.weight", pairs(model, ("token_embd.weight",)), {}),
        (ArgumentError, "has no tensors", {}, {}),
    ]
    for error, message, tensors, more in cases:
        write(path, tensors, **more)  # type: ignore[arg-type]
        with pytest.raises(error, match=message):
            LLM(model, device="no-such-device", lora=[path])
    write(path, good)
    with pytest.raises(ArgumentError, match=r"factor of .* is nan"):
        LLM(model, device="no-such-device", lora=[(path, float("nan"))])
    with pytest.raises(ArgumentError, match=re.escape(f"{model} is not a LoRA adapter")):
        LLM(model, device="no-such-device", lora=[model])


# --- Adapters that requests choose ---


def mixed(model: Path) -> dict[str, tuple[F32, F32]]:
    """Return pairs of two ranks for weights of which some are not in ``CHANGED``."""
    return {**pairs(model, ("blk.0.attn_q.weight", "blk.0.attn_output.weight"), 5, 3), **pairs(model, CHANGED[2:], 7)}


@pytest.fixture
def choices(model: Path, tmp_path: Path) -> dict[str, LoRA]:
    a = write(tmp_path / "a.gguf", pairs(model))
    return {"a": (a, 0.75), "b": write(tmp_path / "b.gguf", mixed(model), Q.F16)}


@pytest.mark.parametrize("device", ["cpu", "loopback:qemu"])
def test_a_request_has_the_logits_of_its_adapters(
    model: Path, tmp_path: Path, choices: dict[str, LoRA], device: str
) -> None:
    a = merged(tmp_path / "merged-a.gguf", model, pairs(model), 0.75)
    b = merged(tmp_path / "merged-b.gguf", model, mixed(model), 1.0)
    with LLM(model, n_ctx=64, kv="f16", device=device, lora=choices) as llm:
        assert llm.adapters == ["a", "b"]
        assert distance(llm.logits(PROMPT, lora="a"), logits(a, "cpu")) < 2e-3
        assert distance(llm.logits(PROMPT, lora="b"), logits(b, "cpu")) < 2e-3
        assert distance(llm.logits(PROMPT, lora="b"), logits(a, "cpu")) > 0.3
        both = logits(model, "cpu", [(tmp_path / "a.gguf", -0.5), (tmp_path / "b.gguf", 0.25)])
        assert distance(llm.logits(PROMPT, lora={"b": 0.25, "a": -0.5}), both) < 2e-3
        plain = logits(model, "cpu").tobytes()
        assert llm.logits(PROMPT).tobytes() == llm.logits(PROMPT, lora={"a": 0.0}).tobytes() == plain
        last = llm(PROMPT, lora="a").astype(np.float64)
        got = last - last.max() - np.log(np.exp(last - last.max()).sum())
        assert [got[token] for token in LLAMA_CPP] == pytest.approx(list(LLAMA_CPP.values()), abs=0.02)


ASKED: list[LoRAChoice] = [None, "a", "b", {"a": 0.5, "b": 1.0}, "a", None]


PROMPTS = [PROMPT[:n] for n in (20, 20, 20, 9, 5, 3)]


def together(llm: LLM, prompts: Sequence[Sequence[int]], **more: Any) -> list[Generation]:
    """Return completions of prompts with the adapters in ``ASKED``, which share messages."""
    streams = [llm.stream(one, 6, 0, lora=lora, **more) for one, lora in zip(prompts, ASKED, strict=True)]
    return collect_all([stream.request for stream in streams])


def bits(one: Generation) -> tuple[tuple[int, ...], bytes]:
    return one.tokens, np.array(one.logprobs).tobytes()


@pytest.mark.parametrize(("architecture", "engine"), [("llama", "loopback:qemu"), ("qwen35", "loopback")])
def test_requests_with_different_adapters_share_a_batch(tmp_path: Path, architecture: str, engine: str) -> None:
    path = tmp_path / "model.gguf"
    if architecture == "llama":
        tiny.write(path, "llama")
        names = "blk.0.attn_k.weight", "blk.1.attn_v.weight", "blk.1.ffn_down.weight"
    else:
        tiny_qwen35.write(path)
        names = "blk.0.attn_qkv.weight", "blk.1.ssm_out.weight", "blk.1.ffn_up.weight"
    files = [write(tmp_path / f"{seed}.gguf", pairs(path, names, seed, 3 + seed), of=architecture) for seed in (1, 2)]
    prompts = PROMPTS
    results = []
    for device in ("cpu", engine):
        lora = dict(zip("ab", files, strict=True))
        with LLM(path, 64, n_sequences=6, device=device, draft_model=prompt_lookup(), lora=lora) as llm:
            alone = []
            for prompt, chosen in zip(prompts, ASKED, strict=True):
                llm.clear_cache()
                alone.append(bits(llm.generate(prompt, 6, 0, lora=chosen)))
            assert len({tokens for tokens, _ in alone[:3]}) == 3
            for n_draft in (0, 4):
                assert [bits(one) for one in together(llm, prompts, num_draft_tokens=n_draft)] == alone
            assert [bits(llm.generate(*one, 6, 0)) for one in ((prompts[0],), (prompts[5],))] == [alone[0], alone[5]]
            results.append(alone)
    assert results[0] == results[1]
    with LLM(path, 64, device="cpu") as llm:
        assert [bits(llm.generate(prompts[at], 6, 0)) for at in (0, 5)] == [results[0][0], results[0][5]]


def test_messages_without_adapters_compute_no_products_of_adapters(
    model: Path, choices: dict[str, LoRA]
) -> None:
    with LLM(model, n_ctx=64, n_sequences=4, device="cpu", lora=choices) as llm:
        llm.generate_all([PROMPT, PROMPT[:3]], 4, 0)
        stage = llm._core.stages
        assert {shape.n_adapters for shape in stage._programs} == {0}
        together(llm, PROMPTS)
        assert {shape.n_adapters for shape in stage._programs} == {0, 1, 2}


def test_stages_on_several_devices_have_the_adapters_of_their_layers(model: Path, tmp_path: Path) -> None:
    first = write(tmp_path / "first.gguf", pairs(model, ("blk.0.attn_q.weight",)))
    last = write(tmp_path / "last.gguf", pairs(model, ("blk.1.ffn_up.weight", "output.weight"), 4))
    for lora in ({"a": first}, {"a": last}, {"b": last, "a": first}):
        with LLM(model, n_ctx=64, device="cpu", lora=lora) as llm:
            expected = [bits(llm.generate(PROMPT, 4, 0, lora=one)) for one in ("a", None)]
        with LLM(model, n_ctx=64, device=["loopback", "loopback1"], lora=lora) as llm:
            assert [bits(llm.generate(PROMPT, 4, 0, lora=one)) for one in ("a", None)] == expected


def test_adapters_that_cannot_be_chosen_are_refused(model: Path, tmp_path: Path, choices: dict[str, LoRA]) -> None:
    with LLM(model, n_ctx=64, device="cpu", lora=choices) as llm:
        with pytest.raises(ArgumentError, match="no LoRA adapter 'c': there are 'a', 'b'"):
            llm.stream("the", lora="c")
        with pytest.raises(ArgumentError, match="factor of a is nan"):
            llm.logits(PROMPT, lora={"a": float("nan")})
        llm.save(tmp_path / "saved.npz", PROMPT)
    with LLM(model, n_ctx=64, device="cpu") as llm:
        assert llm.load(tmp_path / "saved.npz") == PROMPT  # requests without adapters
        with pytest.raises(ArgumentError, match="no LoRA adapter 'a': none can be chosen"):
            llm.generate("the", lora="a")
    with pytest.raises(ArgumentError, match="is not a LoRA adapter"):
        LLM(model, device="no-such-device", lora={"a": choices["b"], "b": model})
    encoder = tiny.write_encoder(tmp_path / "encoder.gguf", "bert")
    adapter = write(tmp_path / "c.gguf", pairs(encoder, ("blk.0.attn_q.weight",)), of="bert")
    with pytest.raises(UnsupportedError, match="makes embeddings only"):
        LLM(encoder, device="no-such-device", lora={"a": adapter})


def test_the_server_takes_named_adapters(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    llm_options.add_model_options(parser, are_several=True)

    def given(*adapters: str) -> list[LoRA] | dict[str, LoRA]:
        options = parser.parse_args([str(model), *(word for one in adapters for word in ("--lora", one))])
        return llm_options.adapters(options, are_chosen=True)

    assert given("a=x/y.gguf", "b=C:z.gguf:0.5") == {"a": ("x/y.gguf", 1.0), "b": ("C:z.gguf", 0.5)}
    assert given("./a=b.gguf", "x.gguf") == ["./a=b.gguf", "x.gguf"]
    for wrong in (("a=x", "y"), ("a=x", "a=y")):
        with pytest.raises(ArgumentError, match="a name of its own for each adapter"):
            given(*wrong)
    assert cli.main(["run", str(model), "the", "--device", "cpu", "--lora", "a=x.gguf"]) == 1
    assert "only requests to a server choose adapters" in capsys.readouterr().err
