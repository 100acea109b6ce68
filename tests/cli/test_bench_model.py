# SPDX-License-Identifier: MIT
"""``pyhexagon bench model``: figures that add up, the same twice, and shapes that the architectures take."""

from __future__ import annotations

import csv
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import tiny, vision_files
from sysfs import tree

from pyhexagon.bench import random_model
from pyhexagon.cli import bench_image, image_options, main
from pyhexagon.llm.engine.model import checked

SUMS = {"packets": "packets_token", "packets_max_thread": "packets_token_max_thread"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama")


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", "model", *arguments, "--json"]) == 0
    records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return records


def test_energy_temperatures_and_throttling_stand_beside_the_speed(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("pyhexagon.bench.sensors.Board", lambda: tree(tmp_path))
    common = (str(model), "--device", "loopback", "-p", "0", "-n", "200", "-r", "2")
    start = time.perf_counter()
    (record,) = bench(capsys, *common)
    longest = (time.perf_counter() - start) / 400
    shortest = float(np.mean([1 / sample for sample in record["samples"]]))
    assert 6.1 * shortest * 0.99 < record["joules_token"]["ina226 1"] < 6.1 * longest
    assert record["sensors"]["after"]["throttled"] == {"cpufreq-cpu4": 3}
    assert main(["bench", "model", *common]) == 0
    text = capsys.readouterr().out
    assert "| J/token, ina226 1 |" in text
    assert "tg200, 4 threads, temperatures: cpu0-thermal 48 to 48 C, nspss-thermal 51 to 51 C" in text
    assert "tg200, 4 threads, throttled: cpufreq-cpu4 3" in text


def test_a_context_behind_the_window_is_filled_again_outside_the_measurement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "gemma3", **tiny.TINY["gemma3"])
    common = (str(path), "--device", "loopback", "-r", "2", "-p", "130", "-n", "2", "-d", "200")
    for more in (), ("--compute-depth",):
        records = bench(capsys, *common, *more)
        assert [record["messages_token"] for record in records] == [3 / 130, 1]


def test_packets_add_up_whatever_the_context_is_made_of(
    qemu: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    common = (str(model), "--device", "loopback:qemu", "-r", "0")
    records = bench(capsys, *common, "-p", "9", "-n", "2", "-d", "0,70", "--threads", "2")
    records += bench(capsys, *common, "-p", "0", "-n", "2", "-d", "70", "--threads", "1", "--compute-depth")
    names = ("test", "n_prompt", "n_gen", "n_depth", "threads", "messages_token")
    assert [tuple(one[name] for name in names) for one in records] == [
        ("pp9", 9, 0, 0, 2, 2 / 9), ("tg2", 0, 2, 0, 2, 1), ("pp9 @ d70", 9, 0, 70, 2, 2 / 9),
        ("tg2 @ d70", 0, 2, 70, 2, 1), ("tg2 @ d70", 0, 2, 70, 1, 1),
    ]  # fmt: skip
    for record in records:
        for name, total in SUMS.items():
            assert sum(one[name] for one in record["by_kind"].values()) == pytest.approx(record[total])
            assert record[name] == pytest.approx(record[total] * (record["n_prompt"] or 1))
        assert (record["packets_max_thread"] == record["packets"]) == (record["threads"] == 1)
        assert record["by_kind"]["between ops"]["packets"] > 0
        assert record["tokens_per_second"] is None
        speeds = [*record["estimate"]["by_memory_speed"].values(), 1 / record["estimate"]["compute_seconds"]]
        assert speeds == sorted(speeds)
        assert record["estimate"]["tokens_per_second"] == speeds[2]
    _, at_start, _, later, computed = (record["by_kind"] for record in records)
    assert at_start["flash_attn_ext"]["packets"] < later["flash_attn_ext"]["packets"]
    assert later["flash_attn_ext"]["packets"] == pytest.approx(computed["flash_attn_ext"]["packets"], rel=0.1)


def test_what_is_printed(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["bench", "model", str(model), "--device", "loopback", "-p", "3", "-n", "2", "-r", "2"]
    assert main([*common, "--estimate"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {line.count("|") for line in lines[:4]} == {12}
    assert "| pp3 |" in " ".join(lines[2].split())
    assert "±" in lines[3]
    assert any("a model, not a measurement" in line for line in lines)
    assert "those of this machine's CPU" in lines[-1]
    assert main([*common, "-o", "csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["test"] for row in rows] == ["pp3", "tg2"]
    assert float(rows[1]["tokens_per_second"]) > 0
    assert int(float(rows[1]["mul_mat_ops"])) == 15


def test_an_image_before_the_first_token(
    qemu: str, tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_image, "PICTURE", (64, 64))
    monkeypatch.setattr(image_options, "_LONG", 0.0)
    mmproj = vision_files.write(tmp_path / "m.gguf", "internvl")
    common = [str(model), "--mmproj", str(mmproj), "-p", "8", "-n", "0"]
    prompt, of_image = bench(capsys, *common, "--device", "loopback:qemu", "-r", "0", "--estimate", "--threads", "2")
    assert (of_image["test"], of_image["tiles"], of_image["tokens"]) == ("image", 5, 5 * 16)
    assert sum(one["packets"] for one in of_image["by_kind"].values()) == of_image["packets"]
    assert of_image["packets"] / 2 <= of_image["packets_max_thread"] < of_image["packets"]
    for case, seconds in of_image["estimate_range"].items():
        tokens = of_image["tokens"] / prompt["estimate_range"][case]
        assert of_image["first_token_range"][case] == pytest.approx(seconds + tokens)
    assert bench_image.lines(of_image)[-1] == "the encoder's weights are floats: --mmproj-weights q8_0 is faster"
    assert main(["bench", "model", *common, "--device", "cpu", "-r", "1"]) == 0
    shown = r"with m.gguf \(F16 15\), \d+ threads: 5 tiles, 80 tokens, \d+\.\d\d s\n"
    assert re.search(shown, capsys.readouterr().out)
    options = "--device", "loopback:qemu", "-r", "0", "--threads", "2", "--mmproj-weights", "q8_0"
    _, quantized = bench(capsys, *common, *options)
    assert quantized["faster_with"] == ""
    assert (quantized["types"], quantized["quantized"]) == ({"Q8_0": 14, "F16": 1}, 14)
    assert quantized["by_kind"]["mul_mat"]["bytes"] < 0.7 * of_image["by_kind"]["mul_mat"]["bytes"]


def test_modelled_cycles_of_each_kind_of_op(qemu: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--device", "loopback:qemu", "--threads", "1", "-p", "0", "-n", "1", "-r", "0"]
    (plain,) = bench(capsys, str(model), *common)
    (record,) = bench(capsys, str(model), *common, "--cycles")
    assert record["by_kind"].keys() >= {"mul_mat", "rms_norm", "flash_attn_ext"}
    for costs in record["by_kind"].values():
        assert costs["packets"] <= costs["cycles_model"] < 2 * costs["packets"]
    assert record["by_kind"]["mul_mat"]["cycles_model"] > record["by_kind"]["mul_mat"]["packets"]
    assert not any("cycles_model" in costs for costs in plain["by_kind"].values())
    assert main(["bench", "model", str(model), *common, "--cycles"]) == 0
    assert "cycles of all threads" in capsys.readouterr().out


@pytest.mark.parametrize("name", random_model.SHAPES)
def test_published_shapes_can_be_run(name: str) -> None:
    with random_model.opened(name) as file:
        config, tensors = checked(file, has_mtp=random_model.SHAPES[name].has_mtp)
        weights = sum(file.info(tensor).n_bytes for tensor in tensors)
        assert set(tensors) == set(file)
    millions = {"M": 1, "B": 1000}[name[-1]] * float(name.partition(":")[2][:-1])
    assert weights / 4.5 * 8 / 1e6 == pytest.approx(millions, rel=0.35)  # 7B has 7.6, with the vocabulary
    assert config.n_layers == random_model.SHAPES[name].layers


def test_loads_read_the_random_weights() -> None:
    with random_model.opened("llama:135M") as file:
        for name in ("blk.0.attn_q.weight", "output_norm.weight", "rope_freqs.weight"):
            rows = file.rows(name)(0, 1)
            assert np.array_equal(rows, file.raw(name)[:1])
            assert rows.any()


def test_random_weights_of_a_shape(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    small = random_model.Shape(64, 2, 4, 2, 32, 128, 300)
    monkeypatch.setitem(random_model.SHAPES, "qwen2:tiny", small)
    (record,) = bench(capsys, "--random", "qwen2:tiny", "--device", "loopback", "-p", "0", "-n", "1", "-r", "1")
    assert record["model"] == "random qwen2:tiny"
    assert record["types"] == {"Q4_0": 15}
    assert record["by_kind"]["add"]["ops"] == 2 * (3 + 2)


def test_contexts_cost_time_and_memory(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "context", "128,1K", str(model), "--device", "loopback", "-p", "8", "-n", "1"]
    assert main([*command, "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["n_ctx"] for record in records] == [128, 1024]
    assert [record["prompt"]["n_depth"] for record in records] == [120, 1016]
    sizes = [record["memory"]["context"] - 4096 for record in records]  # without the table of rotations
    assert sizes[1] == pytest.approx(8 * sizes[0], rel=0.1)
    compute = [record["memory"]["compute"] for record in records]
    assert compute[1] - compute[0] < sizes[0]  # the pool does not keep the cache of the context before
    assert all(record["generation"]["tokens_per_second"] > 0 for record in records)
    assert main([*command, "-r", "0", "--kv", "f16"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split()[0] == "1,024"
    assert main(["bench", "context", "4", str(model), "--device", "loopback", "-p", "8"]) == 1
    assert "a context of 4 is too short" in capsys.readouterr().err


def test_what_cannot_be_measured(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for tokens, words in ((["-p", "0", "-n", "0"], "nothing to measure"), (["-p", "999999999"], " needs ")):
        assert main(["bench", "model", str(model), "--device", "loopback", *tokens]) == 1
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["x.gguf", "--random", "llama:1B"], ["--random", "llama:2B"], ["x", "-p", "-1"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "model", *arguments])
