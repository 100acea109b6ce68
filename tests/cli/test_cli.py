# SPDX-License-Identifier: MIT
"""The command line: what it prints, how it fails, what it leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import accuracy
import needs
import numpy as np
import oracle
import pytest
import weights
from conftest import Faults
from gguf import GGMLQuantizationType as Q

import pyhexagon
from pyhexagon import cli
from pyhexagon.errors import DeviceNotFoundError
from pyhexagon.process import locate

N, K = 70, 512
SEED = 3


@pytest.fixture(autouse=True)
def no_default_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYHEXAGON_DEVICE", raising=False)


@pytest.fixture
def raw() -> weights.U8:
    return weights.quantize(np.random.default_rng(0).standard_normal((N, K), dtype=np.float32), Q.Q4_K)


@pytest.fixture
def model(gguf_file: Callable[..., Path], raw: weights.U8) -> Path:
    norm = np.ones((1, 8), np.float32).view(np.uint8)[0]
    return gguf_file(**{"blk.0.ffn_up.weight": (Q.Q4_K, raw), "norm.weight": (Q.F32, norm)})


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, Any]]:
    code = cli.main([*map(str, arguments), "--json"])
    out = capsys.readouterr()
    assert out.err == ""
    return code, json.loads(out.out)


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pyhexagon", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_info_shows_the_device_and_why_the_transport(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, info = as_json(capsys, "info", "--device", engine)
    assert code == 0
    assert info["device"] == engine
    assert info["loopback"] is True
    assert info["transport"] in info["transports"]
    assert {"arch", "threads", "vtcm_bytes", "memory_bytes", "library", "skel"} <= set(info)
    assert cli.main(["info", "--device", engine, "--transport", "invoke"]) == 0
    text = capsys.readouterr().out
    assert "(no DSP is used)" in text
    assert "not tried: invoke was asked for" in text


def test_info_measures_memory_when_asked(engine: str, faults: Faults, capsys: pytest.CaptureFixture[str]) -> None:
    faults.set("map_limit", 8 << 20)
    code, info = as_json(capsys, "info", "--device", engine, "--memory")
    assert code == 0
    (room,) = info["capacity"]
    assert info["sessions"] == [room["mapped_bytes"]]
    mapped = room["mapped_bytes"] - sum(info["workspace_bytes"])  # the limit is set beside the workspace
    assert (8 << 20) - 4096 < mapped + room["free_bytes"] <= 8 << 20
    assert cli.main(["info", "--device", engine, "--memory"]) == 0
    assert f"{room['free_bytes']:,} more can be" in capsys.readouterr().out


class DeviceAfterMatmul(pyhexagon.Device):
    """A device that has run one matmul when it is asked for its properties."""

    def info(self) -> pyhexagon.DeviceInfo:
        self.matmul(np.ones((1, 256), np.float32), self.weight(np.ones((4096, 256), np.float32)))
        return super().info()


def dma_lines(text: str) -> list[str]:
    """Return the lines of ``info`` about requests and DMA, with single spaces."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if line.startswith(("requests ", "DMA "))]


@pytest.mark.parametrize("fails", [False, True])
def test_info_shows_failures_and_fallbacks_of_dma(
    qemu: str, faults: Faults, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fails: bool
) -> None:
    faults.set("dma", 0 if fails else 1)  # never copies, copies in the wait
    assert cli.main(["info", "--device", "loopback:qemu"]) == 0
    assert dma_lines(capsys.readouterr().out) == ["requests 0", "DMA failures 0", "DMA fallbacks 0"]
    monkeypatch.setattr("pyhexagon.cli.info.Device", DeviceAfterMatmul)
    code, info = as_json(capsys, "info", "--device", "loopback:qemu")
    assert (code, info["n_requests"]) == (0, 1)
    assert (info["n_dma_failures"] > 0, info["n_dma_fallbacks"] > 0) == (fails, fails)
    assert cli.main(["info", "--device", "loopback:qemu"]) == 0
    counts = [f"DMA failures {info['n_dma_failures']:,}", f"DMA fallbacks {info['n_dma_fallbacks']:,}"]
    assert dma_lines(capsys.readouterr().out) == ["requests 1", *counts]


def test_without_a_dsp_info_fails_with_the_remedy() -> None:
    needs.require("no DSP")
    run = run_command("info")  # in a process without the loopback
    assert (run.returncode, run.stdout) == (1, "")
    assert len(run.stderr.splitlines()) == 1
    assert "--device cpu" in run.stderr
    run = run_command("info", "--json")
    assert (run.returncode, run.stderr) == (1, "")
    error = json.loads(run.stdout)["error"]
    assert error["type"] == "DeviceNotFoundError"
    assert "--device cpu" in error["hint"]


def test_tensors_lists_names_and_what_the_dsp_takes(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = as_json(capsys, "tensors", model)
    assert code == 0
    weight, norm = answer["tensors"]
    assert weight == {
        "name": "blk.0.ffn_up.weight",
        "shape": [N, K],
        "type": "Q4_K",
        "bytes": N * K * 144 // 256,
        "dsp_bytes": 2 * 64 * (K * 144 // 256 + 4),
        "dsp": True,
        "vector": False,
        "reason": "",
    }
    assert not norm["dsp"]
    assert norm["vector"]
    assert "dimension" in norm["reason"]
    assert cli.main(["tensors", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "blk.0.ffn_up.weight  70 x 512  Q4_K  20,160  yes                    37,376" in shown
    assert "yes, as a vector" in shown
    assert "no:" not in shown


def test_example_writes_a_file_that_the_others_take(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "example.gguf"
    code, answer = as_json(capsys, "example", path)
    assert (code, answer["bytes"]) == (0, path.stat().st_size)
    content = path.read_bytes()
    assert cli.main(["example", str(path)]) == 0
    assert "wrote" in capsys.readouterr().out
    assert path.read_bytes() == content
    code, answer = as_json(capsys, "tensors", path)
    assert [(tensor["type"], tensor["dsp"]) for tensor in answer["tensors"]] == [
        ("F16", True), ("Q8_0", True), ("Q4_0", True), ("F32", True)
    ]  # fmt: skip
    assert cli.main(["example", str(tmp_path / "none" / "x.gguf")]) == 1
    assert "there is no folder" in capsys.readouterr().err


def test_matmul_multiplies_and_reports(
    engine: str, transport: str, model: Path, raw: weights.U8, capsys: pytest.CaptureFixture[str]
) -> None:
    out = model.parent / "y.npy"
    batch = 4
    code, answer = as_json(
        capsys, "matmul", model, "blk.0.ffn_up.weight", "--batch", batch, "--seed", SEED, "--device", engine,
        "--transport", transport, "--out", out,
    )  # fmt: skip
    assert code == 0
    x = np.random.default_rng(SEED).standard_normal((batch, K), dtype=np.float32)
    y = np.load(out)
    np.testing.assert_array_equal(y, oracle.matmul_exact(Q.Q4_K, raw, N, K, x))
    exact = x.astype(np.float64) @ weights.dequantize(raw, Q.Q4_K).T
    assert answer["nmse"] == pytest.approx(accuracy.nmse(y, exact), rel=1e-9)
    assert 0 < answer["nmse"] < 1e-3
    expected = {"device": engine, "transport": transport, "shape": [batch, N], "type": "Q4_K", "out": str(out)}
    assert expected.items() <= answer.items()
    assert answer["kernels"] in ("ref", "cpu", "hvx")
    assert list(out.parent.glob(".y.npy*")) == []


def test_matmul_prints_the_same_as_text(engine: str, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["matmul", str(model), "blk.0.ffn_up.weight", "--device", engine]) == 0
    text = capsys.readouterr().out
    assert f"(1, {N}) float32" in text
    assert "on this machine's CPU: no DSP was used" in text
    assert "NMSE" in text
    assert f"{engine} (" in text


def test_matmul_takes_a_tensor_of_many_matrices(
    engine: str, gguf_file: Callable[..., Path], raw: weights.U8, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = gguf_file(exps=(Q.Q4_K, np.stack([raw, raw[::-1]])))
    out = tmp_path / "y.npy"
    code, result = as_json(capsys, "matmul", model, "exps", "--batch", 3, "--device", engine, "--out", out)
    assert (code, result["matrices"], result["n"], result["k"]) == (0, 2, N, K)
    assert result["shape"] == [2, 3, N]
    assert result["nmse"] < 1e-4
    x = np.random.default_rng(0).standard_normal((2, 3, K), dtype=np.float32)
    want = oracle.matmul_exact(Q.Q4_K, raw[::-1].copy(), N, K, x[1])
    np.testing.assert_array_equal(np.load(out)[1], want)


def test_matmul_without_rows_has_no_error_figure(
    engine: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer = as_json(capsys, "matmul", model, "blk.0.ffn_up.weight", "--batch", 0, "--device", engine)
    assert (code, answer["nmse"], answer["shape"]) == (0, None, [0, N])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tensors", "/nowhere/x.gguf"], "No such file"),
        (["matmul", "{model}", "blk.0.ffn_up", "--device", "loopback"], "near names are blk.0.ffn_up.weight"),
        (["matmul", "{model}", "norm.weight", "--device", "loopback"], "(..., N, K)"),
        (["matmul", "{model}", "blk.0.ffn_up.weight", "--device", "dsp9"], "no device 'dsp9'"),
        (["matmul", "{model}", "x", "--device", "loopback", "--out", "/nowhere/y.npy"], "no folder /nowhere"),
        (["matmul", "{model}", "x", "--device", "loopback", "--out", "/dev/null"], "not a regular file"),
        (["matmul", "{model}", "blk.0.ffn_up.weight", "--device", "loopback", "--batch", "9" * 20], "2 GiB"),
    ],
)
def test_errors_are_one_line_or_an_object(
    arguments: list[str], message: str, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [argument.format(model=model) for argument in arguments]
    assert cli.main(arguments) == 1
    out = capsys.readouterr()
    assert out.out == ""
    assert len(out.err.splitlines()) == 1
    assert message in out.err
    code, answer = as_json(capsys, *arguments)
    assert code == 1
    assert message in answer["error"]["message"]


@pytest.mark.parametrize(
    "arguments", [[], ["dance"], ["tensors"], ["matmul", "f", "t", "--batch", "-1"], ["info", "--transport", "tcp"]]
)
def test_wrong_usage_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage: pyhexagon" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code", "shown"),
    [
        ("", 2, "language models:"),
        ("help", 0, "language models:"),
        ("help run", 0, "usage: pyhexagon run [OPTION ...] MODEL [PROMPT]\n"),
        ("version", 0, f"pyhexagon {pyhexagon.__version__}\n"),
        ("-v", 0, f"pyhexagon {pyhexagon.__version__}\n"),
        ("lst", 2, "there is no command lst: did you mean list"),
        ("download x", 2, "there is no command download: did you mean pull?"),
        ("zzzz", 2, "there is no command zzzz; pyhexagon --help lists the commands"),
        ("run --help", 0, "\nsampling:\n"),
        ("chat --help", 0, "\nexamples:\n  pyhexagon chat "),
        ("bench model --help", 0, "usage: pyhexagon bench model [OPTION ...] "),
    ],
)
def test_ways_to_help(line: str, code: int, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(line.split())
    captured = capsys.readouterr()
    assert caught.value.code == code
    assert shown in (captured.err if code else captured.out)


def test_ls_lists_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ls", "--all"]) == 0
    assert "smollm2:135m" in capsys.readouterr().out


def test_a_pc_has_no_dsp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The remedy of a PC comes first; a board gets all reasons, and how to solve them."""
    problems = [DeviceNotFoundError("no library", hint="install it"), DeviceNotFoundError("no node", hint="load it")]
    monkeypatch.setattr(locate, "_present_nodes", lambda _: [])
    monkeypatch.setattr(locate, "_DEVICE_TREE", tmp_path / "none")
    remedy = "to compute on the CPU: --device cpu, or PYHEXAGON_DEVICE=cpu in the environment"
    pc = str(locate.no_device(problems))
    assert pc.startswith(f"this machine has no Hexagon DSP: no node. Hint: {remedy}")
    monkeypatch.setattr(locate, "_DEVICE_TREE", tmp_path)
    board = str(locate.no_device(problems))
    assert board.startswith("no Hexagon CDSP can be used here: no library; no node. Hint: install it; load it; to ")


def test_a_full_disk_leaves_no_partial_file(engine: str, model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "y.npy"
    out.parent.mkdir()
    out.write_bytes(b"old")

    # Files of this process may grow to 64 bytes from the moment of saving on.
    script = textwrap.dedent("""
        import resource, signal, sys
        from pyhexagon import files
        from pyhexagon.cli import main
        save = files.save
        def save_to_full_disk(*arguments):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
            save(*arguments)
        files.save = save_to_full_disk
        sys.exit(main())
    """)
    arguments = ["matmul", str(model), "blk.0.ffn_up.weight", "--device", engine, "--out", str(out)]
    run = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    assert run.returncode == 1
    assert f"cannot write {out}" in run.stderr
    assert [path.name for path in out.parent.iterdir()] == ["y.npy"]
    assert out.read_bytes() == b"old"


def test_names_from_a_file_cannot_control_the_terminal(
    gguf_file: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    raw = weights.random_bytes(Q.Q8_0, 1, 32, np.random.default_rng(0))
    assert cli.main(["tensors", str(gguf_file(**{"\x1b[2Jevil [red]": (Q.Q8_0, raw)}))]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "[2Jevil [red]" in out


def test_the_module_and_a_broken_pipe(model: Path) -> None:
    command = f"{sys.executable} -m pyhexagon tensors {model} | true"
    run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False, timeout=600)
    assert (run.returncode, run.stderr) == (0, "")
    assert run_command("--version").stdout == f"pyhexagon {pyhexagon.__version__}\n"


def test_a_file_of_keys_that_others_can_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = tmp_path / "keys"
    keys.write_text("correct-horse\n")
    for mode, is_told in ((0o644, True), (0o600, False)):
        keys.chmod(mode)
        assert cli.main(["serve", str(tmp_path / "none.gguf"), "--port", "0", "--api-key-file", str(keys)]) == 1
        said = capsys.readouterr().err
        assert (f"others of this machine can read {keys}: chmod 600" in said) is is_told
        assert "correct-horse" not in said


@pytest.mark.parametrize("command", [["serve", "m.gguf"], ["map", "m.gguf", "p.jsonl", "--out", "a.jsonl"]])
def test_stages_are_of_a_cluster(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "--stages", "2"]) == 1
    assert "--stages is 2: without --cluster it has no boards" in capsys.readouterr().err
    assert cli.main([*command, "--cluster", "--stages", "-1"]) == 1
    assert "--stages is -1: expected 0 or more" in capsys.readouterr().err
