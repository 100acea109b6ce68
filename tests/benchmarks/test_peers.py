# SPDX-License-Identifier: MIT
"""benchmarks.peers: figures of the same case beside the measured ones, and their picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import peer_figures, peers, picture
from pyhexagon import cli

SMALL = ("--types", "Q4_0,F16", "--shape", "100x256", "--batch", "1,3", "--threads", "1,4")


def measured(capsys: pytest.CaptureFixture[str], path: Path, *arguments: str) -> Path:
    """Write the records of ``bench matmul`` to the path."""
    cli.main(["bench", "matmul", "--json", *arguments])
    path.write_text(capsys.readouterr().out)
    return path


def test_peers_and_ceilings_stand_beside(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ("--device", "loopback", "--types", "Q4_0", "--shape", "64x64", "8x100")
    path = measured(capsys, tmp_path / "records.json", *arguments)
    assert peers.main([str(path), "--json"]) == 0
    gemv, gemm = json.loads(capsys.readouterr().out)  # the other shape was not run
    assert {peer["name"]: peer["macs_per_packet"] for peer in gemv["peers"]} == {"ggml-hexagon": 30.8, "chraac": 8}
    assert {peer["name"]: peer["macs_per_packet"] for peer in gemm["peers"]} == {"ggml-hexagon": 44.3}
    assert all(peer["source"] for peer in gemv["peers"] + gemm["peers"])
    assert [ceiling["macs_per_packet"] for ceiling in gemv["ceilings"]] == [256, 227, 205]
    published = peer_figures.times_of("Q4_0", 16384, 16384, 1)
    assert [one.microseconds for one in published] == [12503, 96932]
    assert peers.main([str(path)]) == 0
    assert "ggml-hexagon of August 2026" in capsys.readouterr().out


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_picture_is_drawn(qemu: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    records, path = measured(capsys, tmp_path / "records.json", "--device", "loopback:qemu", *SMALL), tmp_path / "macs"
    path = path.with_suffix(suffix)
    assert peers.main([str(records), "--picture", str(path)]) == 0
    start = path.read_bytes()[:200]
    assert start.startswith(b"\x89PNG") if suffix == ".png" else b"<?xml" in start


def test_pictures_that_cannot_be_drawn_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--device", "loopback", "--types", "Q4_0", "--shape", "64x64")
    command = [str(measured(capsys, tmp_path / "records.json", *arguments)), "--picture"]
    for path, words in (
        (tmp_path / "macs.jpg", ".png or .svg"), (tmp_path / "no" / "macs.png", "there is no folder"),
        (tmp_path / "macs.png", "none of the cases has packets. Hint: use --device loopback:qemu"),
    ):  # fmt: skip
        assert peers.main([*command, str(path)]) == 1
        assert words in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert peers.main([*command, str(tmp_path / "macs.png")]) == 1
    assert "-m pip install -r benchmarks/requirements.txt" in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, "", "{}", "[1]", '[{"type": "Q4_0"}]'])
def test_other_files_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "records.json"
    if content is not None:
        path.write_text(content)
    assert peers.main([str(path)]) == 1
    assert str(path) in capsys.readouterr().err


def test_an_emulators_time_is_not_put_beside_that_of_a_device(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_figures, "times_of", lambda *_: peer_figures.TIMES[:1])
    arguments = ("--device", "loopback", "--types", "F32", "--shape", "64x64")
    assert peers.main([str(measured(capsys, tmp_path / "records.json", *arguments))]) == 0
    assert "no DSP was used, so there is no time to compare" in capsys.readouterr().out


def test_every_batch_has_a_colour_and_no_number_is_hidden() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    batches = (1, 2, 3, 4, 6, 8, 16, 32)
    records = [{"type": "Q8_0", "m": m, "macs_per_packet": 20 + m} for m in batches]
    picture._draw_panel(axes, records, 1)
    assert len({bar.get_facecolor() for bar in axes.patches}) == len(batches)
    numbers = {text.get_position()[0]: text.get_position()[1] for text in axes.texts if text.get_text().isdigit()}
    assert len(numbers) == len(batches)
    markers = np.array([np.ravel(line.get_xydata()) for line in axes.lines if line.get_marker() != "None"])
    assert sorted(markers[:, 1]) == [1.45, 39.1, 49.1]  # of M = 1, 1 and 32
    for x, y in markers.tolist():
        assert not numbers[x] - 3 < y < numbers[x] + 10


def test_a_picture_has_the_types_in_the_order_asked_and_peers_of_the_same_case() -> None:
    from matplotlib.figure import Figure

    records = [
        {"type": dtype, "m": m, "macs_per_packet": figure}
        for dtype, figure in (("Q4_0", 20), ("F16", 90), ("Q8_0", 50))
        for m in (1, 64)
    ]
    for threads, peers_drawn in ((1, 4), (4, 0)):
        axes = Figure().subplots()
        picture._draw_panel(axes, records, threads)
        assert [label.get_text() for label in axes.get_xticklabels()] == ["Q4_0", "F16", "Q8_0"]
        markers = [line for line in axes.lines if line.get_marker() != "None"]
        assert len(markers) == peers_drawn


def test_every_peer_has_a_marker() -> None:
    assert {peer.name for peer in peer_figures.PEERS} <= set(picture._MARKERS)
