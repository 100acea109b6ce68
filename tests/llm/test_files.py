# SPDX-License-Identifier: MIT
"""Files that a language model reads and writes: damaged files are rejected, and their access rights are restricted."""

from __future__ import annotations

import random
import shutil
import stat
import zipfile
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Type

from llm import tiny
from pyhexagon import LLM, GGUFFile, Trace
from pyhexagon.errors import ArgumentError, UnsupportedError

N_DAMAGED = 1_500


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny.write(tmp_path / "tiny.gguf", "llama", **tiny.TINY["llama"])


def test_a_saved_text_is_its_owners_alone(model: Path, tmp_path: Path) -> None:
    with LLM(model, 64, device="loopback") as llm:
        llm.save(tmp_path / "text.npz", [1, 5, 6])
        assert stat.S_IMODE((tmp_path / "text.npz").stat().st_mode) == 0o600


def test_a_trace_is_its_owners_alone(tmp_path: Path) -> None:
    with Trace(tmp_path / "trace.json"):
        pass
    assert stat.S_IMODE((tmp_path / "trace.json").stat().st_mode) == 0o600


def test_a_save_that_is_damaged_anywhere_is_refused_or_whole(model: Path, tmp_path: Path, seed: int) -> None:
    """Most damage is one byte; zipfile raises another exception for each field that it does not know."""
    chance, path, n_refused = random.Random(seed), tmp_path / "text.npz", 0
    with LLM(model, 64, device="loopback") as llm:
        llm.save(path, [1, 5, 6])
        whole = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            places = [one.header_offset for one in archive.infolist()]
            places += [archive.start_dir + 46 * at for at in range(len(places))]
        methods = [place + at for place in places for at in (6, 8, 10)]  # flags and compression in each kind of header
        for at in range(N_DAMAGED):
            damaged = bytearray(whole)
            place = methods[at // 4 % len(methods)] if at % 4 == 0 else chance.randrange(len(whole))
            damaged[place] ^= 1 << chance.randrange(8)
            path.write_bytes(damaged)
            try:
                llm.load(path)
            except ArgumentError:
                n_refused += 1
    assert n_refused > N_DAMAGED / 2


def test_a_norm_of_integers_is_refused_by_name(model: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(model, tmp_path / "integers.gguf"))
    name = "output_norm.weight"
    header = b"".join((len(name).to_bytes(8, "little"), name.encode(), (1).to_bytes(4, "little")))
    content = bytearray(path.read_bytes())
    with GGUFFile(model) as file:
        assert file.info(name).gguf_type == Type.F32
    at = content.index(header) + len(header) + 8
    content[at : at + 4] = int(Type.I8).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(UnsupportedError, match=rf"the tensor {name} is of type I8: expected floats"):
        LLM(path, 64, device="loopback")
    with pytest.raises(NotImplementedError):
        gguf.dequantize(np.zeros((1, 8), np.uint8), Type.I8)
