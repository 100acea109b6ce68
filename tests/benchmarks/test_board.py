# SPDX-License-Identifier: MIT
"""benchmarks.board: one row a type, the CPU beside it, and results of several machines together."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import baseline, environment, on_board
from benchmarks.board import main
from pyhexagon import Device, quants
from pyhexagon.doctor.board import Board

SMALL = ("--device", "loopback", "--shape", "64x256")
LLAMA_LINES = """\
Backend 1/1: CPU
  MUL_MAT(type_a=f32,type_b=f32,m=4096,n=1,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3],k_v=0,o=1):  104 runs -  9638.20 us/run - 117.44 MFLOP/run -  12.19 GFLOPS
  MUL_MAT(type_a=q4_K,type_b=f32,m=4096,n=1,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3],k_v=0,o=1):  852 runs -  1360.5 us/run - 117.44 MFLOP/run -  86.32 GFLOPS
  MUL_MAT(type_a=q4_0,type_b=f32,m=4096,n=2,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3],k_v=0,o=1):  852 runs -  9999.99 us/run - 234.88 MFLOP/run -  23.49 GFLOPS
  MUL_MAT(type_a=bf16,type_b=f32,m=4096,n=1,k=14336,bs=[1,1],nr=[1,1],per=[0,1,2,3],k_v=0,o=1): not supported
"""  # noqa: E501 - as the tool prints them


def bench_board(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["--json", *arguments]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def fake_llama(folder: Path, script: str) -> str:
    tool = folder / baseline.LLAMA_TOOL
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    return str(tool)


def test_every_type_has_times_that_add_up(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = bench_board(capsys, "--device", engine, "--shape", "64x256")
    assert [record["type"] for record in result["records"]] == [dtype.name for dtype in quants.tile_types()]
    for record in result["records"]:
        assert record["error"] is None
        assert (record["n"], record["k"], record["m"]) == (64, 256, 1)
        assert record["us_total"] > record["us_dsp"] > record["us_quantise"] > 0
        assert record["us_upload"] > 0
        parts = record["us_python"], record["us_transport"], record["us_dsp"]
        assert min(parts) > 0
        assert record["nmse"] < 1e-4
    assert [one["type"] for one in result["cpu"]] == [dtype.name for dtype in quants.tile_types()]
    assert all(one["us"] > 0 and one["error"] is None for one in result["cpu"])
    (of_numpy,) = result["numpy"]
    assert (of_numpy["n"], of_numpy["k"]) == (64, 256)
    assert of_numpy["us"] > 0
    where = result["environment"]
    assert where["kernel"]
    assert where["memory_bytes"] > 1 << 28
    assert where["device"]["device"] == engine


def test_llama_cpps_figures_stand_beside_those_of_its_shape(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "LLAMA_SHAPE", (128, 256))
    (tmp_path / "lines").write_text(LLAMA_LINES)
    tool = fake_llama(tmp_path, f'[ "$*" = "perf -o MUL_MAT -b CPU" ] && cat {tmp_path}/lines')
    result = bench_board(capsys, *SMALL, "--types", "Q4_0,Q4_K", "--llama", tool)
    assert result["llama"] == {"shape": [128, 256], "us": {"F32": 9638.2, "Q4_K": 1360.5}, "error": None}
    shapes = [(record["type"], record["n"]) for record in result["records"]]
    assert shapes == [("Q4_0", 64), ("Q4_K", 64), ("Q4_0", 128), ("Q4_K", 128)]
    assert [(one["n"], one["k"]) for one in result["numpy"]] == [(64, 256), (128, 256)]
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    assert main([str(path)]) == 0
    assert "1,360" in capsys.readouterr().out


def test_the_table_has_every_part_of_the_time_and_the_cpu_beside_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = bench_board(capsys, *SMALL, "--types", "F32,Q8_0,Q4_0")
    times = {"us_upload": 11e3, "us_total": 600.0, "us_python": 100.0, "us_transport": 200.0, "us_dsp": 300.0}
    for number, (record, of_cpu) in enumerate(zip(result["records"], result["cpu"], strict=True)):
        record.update(times, us_quantise=40.0)
        of_cpu["us"] = 1200.0 + number
    result["numpy"][0]["us"] = 2000.0
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    assert main([str(path)]) == 0
    text = capsys.readouterr().out
    for number, dtype in enumerate(("F32", "Q8_0", "Q4_0")):
        (line,) = (line for line in text.splitlines() if line.startswith(f"{dtype} "))
        cells = line.split()
        assert cells[4:11] == ["11,000", "600", "100", "200", "300", "40", "260"]
        assert cells[-4:] == [f"1,20{number}", "2,000", "-", "2.00"]
    assert "llama.cpp was not run" in text
    assert "is not on PATH" in text
    assert bench_board(capsys, "--device", "cpu", "--shape", "64x256", "--types", "Q4_0")["cpu"] == []


@pytest.mark.parametrize("script", ["echo it is broken >&2; exit 3", "echo nothing to see"])
def test_a_llama_cpp_that_fails_is_told_and_the_rest_stays(
    script: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(baseline, "LLAMA_SHAPE", (64, 256))
    arguments = [*SMALL, "--types", "Q4_0", "--llama", fake_llama(tmp_path, script)]
    result = bench_board(capsys, *arguments)
    assert result["llama"]["us"] == {}
    assert "0 figures" in result["llama"]["error"]
    assert main([*arguments]) == 0
    assert "llama.cpp was not run" in capsys.readouterr().out
    assert main([*SMALL, "--llama", str(tmp_path / "none")]) == 1
    assert "is not a program" in capsys.readouterr().err


def test_a_product_too_large_for_the_cpu_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baseline, "available", lambda: 1000)
    assert baseline.numpy_product(16, 16) == {
        "n": 16, "k": 16, "us": None, "error": "it takes 1,024 bytes, 1,000 are available"
    }  # fmt: skip


def test_several_results_are_shown_and_drawn_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    paths = []
    for machine in ("Board A", "Board B"):
        result = bench_board(capsys, *SMALL, "--types", "Q4_0,F16")
        result["environment"]["machine"] = machine
        paths.append(tmp_path / f"{machine[-1]}.json")
        paths[-1].write_text(json.dumps(result))
    picture = tmp_path / "both.svg"
    assert main([*map(str, paths), "--picture", str(picture)]) == 0
    shown = capsys.readouterr().out
    assert "Board A, loopback" in shown
    assert "Board B, loopback" in shown
    assert "<svg" in picture.read_text()


def test_the_axis_is_logarithmic_where_one_time_dwarfs_the_rest(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = bench_board(capsys, *SMALL, "--types", "Q4_0,Q8_0,F32")
    result["numpy"] = []
    file = tmp_path / "result.json"
    for largest, is_log in ((900.0, False), (90_000.0, True)):
        for record, total in zip(result["records"], (100.0, 200.0, largest), strict=True):
            record |= {"us_total": total, "us_dsp": total / 2, "us_quantise": total / 4}
        file.write_text(json.dumps(result))
        picture = tmp_path / f"{is_log}.svg"
        assert main([str(file), "--picture", str(picture)]) == 0
        axis = "milliseconds, logarithmic" if is_log else "milliseconds"
        assert f">{axis}<" in picture.read_text()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"{", "is not JSON"),
        (b"\x80PNG", "is not JSON"),
        (b"{}", "is not a result"),
        (b"[1]", "is not a result"),
        (b'{"error": 1}', "is not a result"),
        (b'{"format": 1, "environment": {}}', "is not a result"),
        (b'{"error": {"message": "no DSP"}}', "is an error: no DSP"),
        (None, "cannot read"),
    ],
)
def test_other_files_are_refused(
    text: bytes | None, says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "result.json"
    if text is not None:
        path.write_bytes(text)
    assert main([str(path)]) == 1
    assert says in capsys.readouterr().err


def parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every dictionary or list within a value, with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from parts(value[key])


def test_a_result_with_anything_else_in_a_place_is_shown_or_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    result = bench_board(capsys, *SMALL, "--types", "Q4_0")
    result["llama"] = {"shape": [64, 256], "us": {"Q4_0": 3.5}, "error": None}
    result["environment"]["cpu_clocks"] = [dict.fromkeys(("cpus", "governor", "min_khz", "max_khz"), "1")]
    path = tmp_path / "result.json"
    refused = 0
    others: list[Any] = [None, "text", [], {}]
    for holder, key in parts(result):
        good = holder[key]
        for other in others:
            holder[key] = other
            path.write_text(json.dumps(result))
            refused += main([str(path)])
        holder[key] = good
    assert refused > 100
    path.write_text(json.dumps(result))
    assert main([str(path)]) == 0


def test_a_busy_moment_does_not_count_as_the_cpus_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of its own, for this machine may be busy, too."""
    calls, now = 0, 0.0

    def slow_at_first(x: object, w: object) -> None:
        nonlocal calls, now
        calls += 1
        now += 0.01 if calls < 10 else 0.0001

    monkeypatch.setattr(np, "matmul", slow_at_first)
    monkeypatch.setattr(baseline, "time", SimpleNamespace(perf_counter=lambda: now))
    assert baseline.numpy_product(16, 16)["us"] == pytest.approx(100)


def test_the_environment_is_read_from_the_machine(tmp_path: Path) -> None:
    files = {
        "proc/device-tree/model": "Radxa Dragon Q6A\0",
        "proc/sys/kernel/osrelease": "6.18.2-qcom\n",
        "proc/meminfo": "MemTotal:        7654321 kB\nMemAvailable:    1000 kB\n",
        "etc/os-release": 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04 LTS"\n',
    }
    policy = "sys/devices/system/cpu/cpufreq/policy4"
    files |= {f"{policy}/related_cpus": "4 5 6\n", f"{policy}/scaling_governor": "schedutil\n"}
    files |= {f"{policy}/scaling_min_freq": "691200\n", f"{policy}/scaling_max_freq": "2400000\n"}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with Device("loopback") as device:
        where = environment.describe(device, Board(tmp_path))
    assert where["machine"] == "Radxa Dragon Q6A"
    assert where["kernel"] == "6.18.2-qcom"
    assert where["os"] == "Ubuntu 24.04 LTS"
    assert where["memory_bytes"] == 7654321 * 1024
    clock = {"cpus": "4 5 6", "governor": "schedutil", "min_khz": "691200", "max_khz": "2400000"}
    assert where["cpu_clocks"] == [clock]


def test_a_comparison_of_which_no_case_ran_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments, path = ["--device", "loopback", "--shape", "8x100", "--types"], tmp_path / "board.json"
    assert main(["--json", *arguments, "Q4_0,F32"]) == 0
    capsys.readouterr()
    assert main(["--json", *arguments, "Q4_0"]) == 1
    out = capsys.readouterr().out
    assert "multiple of 32" in out
    path.write_text(out)
    assert main([*arguments, "Q4_0"]) == 1
    assert "was not run" in capsys.readouterr().out
    assert main([str(path)]) == 1


def test_the_picture_does_not_replace_a_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    one, other = str(tmp_path / "x.svg"), str(tmp_path / "link" / "x.svg")
    assert main([one, "--picture", other]) == 1
    assert "are one file" in capsys.readouterr().err
    assert on_board.main(["nobody@nowhere.invalid", "--out", one, "--picture", other]) == 1
    assert "are one file" in capsys.readouterr().err
    assert not Path(one).exists()
