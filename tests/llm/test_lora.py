# SPDX-License-Identifier: MIT
"""LoRA adapters against the same model with the product B A added to its weights, and damaged or foreign adapters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt
import pytest
from gguf import GGMLQuantizationType as Q

from llm import tiny
from pyhexagon import LLM, ArgumentError, GGUFFile, UnsupportedError, cli
from pyhexagon.compat import Llama
from pyhexagon.llm.lora import LoRA

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


def pairs(model: Path, names: tuple[str, ...] = CHANGED, seed: int = 3) -> dict[str, tuple[F32, F32]]:
    """Return random A (RANK, K) and B (N, RANK) for weights of a model."""
    chance = np.random.default_rng(seed)
    with GGUFFile(model) as file:
        shapes = {name: file.info(name).shape for name in names}
    return {
        name: (
            chance.standard_normal((RANK, k), dtype=np.float32) * np.float32(0.2),
            chance.standard_normal((n, RANK), dtype=np.float32) * np.float32(0.2),
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
                    part[name].tensor = (whole + np.float32(factor * ALPHA / RANK) * (b @ a)).astype(np.float32)

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
