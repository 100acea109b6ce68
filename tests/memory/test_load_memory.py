# SPDX-License-Identifier: MIT
"""Loading: the memory it takes besides the weights, and files that are truncated meanwhile.

Loads of truncated files run in a separate process, which SIGBUS would end.
"""

from __future__ import annotations

import errno
import mmap
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import weights
from gguf import GGMLQuantizationType as Q
from safetensors.numpy import save_file

from memory.models import MIB
from pyhexagon import Device, GGUFFile
from pyhexagon.errors import ArgumentError, GGUFError
from pyhexagon.gguf.headers import Headers
from pyhexagon.gguf.reading import OpenFile
from pyhexagon.gguf.safetensors import SafetensorsFile

Write = Callable[..., Path]
K = 2048

TRUNCATES = """
import os, sys, time
from pyhexagon import Device, HexagonError
path = sys.argv[1]
with Device("loopback") as device:
    try:
        device.load_all(path, progress=lambda done, size: os.truncate(path, 4096))
    except HexagonError as error:
        print(type(error).__name__, error)
    deadline = time.monotonic() + 20
    while device._memory.allocated and time.monotonic() < deadline:  # another thread may be in the midst of its job
        time.sleep(0.01)
        device._memory.trim()
    assert device._memory.allocated == 0
"""


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


@pytest.fixture
def gguf_path(gguf_file: Write) -> Path:
    """Write a file with 48 MiB of rows."""
    rows = weights.random_bytes(Q.Q8_0, 256, K, np.random.default_rng(0)).reshape(256, -1)
    large, small = np.tile(rows, (64, 1)), np.tile(rows, (27, 1))
    return gguf_file(a=(Q.Q8_0, large), b=(Q.Q8_0, small), c=(Q.Q8_0, small[:256]))


@pytest.fixture
def safetensors_path(tmp_path: Path) -> Path:
    """Write a file with 48 MiB of float32."""
    path = tmp_path / "model.safetensors"
    rows = np.random.default_rng(0).standard_normal((512, K), dtype=np.float32)
    save_file({"a": np.tile(rows, (8, 1)), "b": np.tile(rows, (4, 1))}, path)
    return path


def peak_of_load(path: Path, dtype: str | None = None) -> tuple[int, int, int]:
    """Return the peak of Python's memory while a file is loaded, the memory for the DSP, and the weights' size."""
    with Device("loopback") as device:
        before = device._memory.allocated
        tracemalloc.start()
        try:
            tensors = device.load_all(path, dtype=dtype)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        return peak, device._memory.allocated - before, sum(one.nbytes for one in tensors.values())


def test_loading_takes_a_tenth_more_than_the_weights(gguf_path: Path, figure: Callable[[str], None]) -> None:
    peak, allocated, size = peak_of_load(gguf_path)
    assert 45 * MIB < size < 1.05 * gguf_path.stat().st_size
    figure(f"memory of a load: {(peak + allocated) / size:.3f} of the weights")
    assert size <= allocated
    assert peak + allocated < 1.1 * gguf_path.stat().st_size


def test_what_is_converted_while_it_is_loaded_is_not_in_memory_as_a_whole(safetensors_path: Path) -> None:
    peak, allocated, size = peak_of_load(safetensors_path, "F16")
    assert peak + allocated < size + 16 * MIB  # a tensor has 32 MiB of float32


@pytest.mark.parametrize(("kind", "error"), [("gguf", "GGUFError"), ("safetensors", "ArgumentError")])
def test_a_file_that_is_truncated_meanwhile_is_an_error(
    kind: str, error: str, request: pytest.FixtureRequest
) -> None:
    path = request.getfixturevalue(f"{kind}_path")
    told = run(TRUNCATES, path)
    assert told.startswith(f"{error} {path}: truncated while it was read")
    assert "renaming" in told


def test_headers_of_a_file_that_is_truncated_meanwhile_are_an_error(gguf_path: Path) -> None:
    file = OpenFile(str(gguf_path), GGUFError)
    gguf_path.write_bytes(gguf_path.read_bytes()[:16])
    with pytest.raises(GGUFError, match=r"truncated while it was read: it had 5[0-9]+ bytes"):
        Headers(file)


def test_what_was_opened_outlives_a_rename(gguf_path: Path, tmp_path: Path) -> None:
    with GGUFFile(gguf_path) as file:
        want = file.raw("c").copy()
        other = tmp_path / "other"
        other.write_bytes(b"nonsense")
        other.replace(gguf_path)
        np.testing.assert_array_equal(file.rows("c")(0, len(want)), want)


@pytest.mark.parametrize(
    "header",
    [
        b"[]",
        b"{",
        b'{"a": {}}',
        b'{"a": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 16]}}',
        b'{"a": {"dtype": "F32", "shape": [2, 4], "data_offsets": [8, 40]}}',
        b'{"a": {"dtype": "F32", "shape": [-2, -4], "data_offsets": [0, 32]}}',
        b'{"a": {"dtype": "F32", "shape": [2, 4], "data_offsets": [32, 0]}}',
        b'{"a": {"dtype": [], "shape": [2, 4], "data_offsets": [0, 32]}}',
        b"[" * 100_000,
    ],
)
def test_damaged_safetensors_headers_are_refused(header: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(32))
    with pytest.raises(ArgumentError, match=r"m\.safetensors: its header is damaged"):
        SafetensorsFile(str(path))


def test_a_file_for_which_there_are_no_addresses_is_refused(gguf_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", no_room)
    with pytest.raises(GGUFError, match=r"no room for .* Cannot allocate memory"):
        GGUFFile(gguf_path)
