# SPDX-License-Identifier: MIT
"""GGUF files of the gguf package are read back. Other files: test_gguf_damaged.py, test_gguf_parts.py."""

import copy
import gc
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import gguf
import numpy as np
import pytest
from gguf_bytes import header, string, write_model

from pyhexagon.errors import ArgumentError, ClosedError, GGUFError, UnsupportedError
from pyhexagon.gguf.file import GGUFFile, UnknownTensorError


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("gguf") / "model.gguf")


def test_names_shapes_types_and_bytes_are_those_of_the_gguf_package(model: Path) -> None:
    reader = gguf.GGUFReader(model)
    with GGUFFile(model) as file:
        assert file.names() == [tensor.name for tensor in reader.tensors]
        for want in reader.tensors:
            info, raw = file.info(want.name), file.raw(want.name)
            assert info.shape == tuple(want.shape.tolist())[::-1]
            assert info.gguf_type == want.tensor_type
            assert info.type_name == want.tensor_type.name
            assert info.n_bytes == want.n_bytes == raw.nbytes
            assert raw.ndim == 2
            assert raw.tobytes() == want.data.tobytes()
            assert not raw.flags.writeable
            if len(info.shape) == 2:
                assert len(raw) == info.shape[0]


def test_a_file_is_a_mapping_of_its_tensors(model: Path) -> None:
    with GGUFFile(model) as file:
        assert isinstance(file, Mapping)
        assert list(file) == list(file.keys()) == file.names()
        assert len(file) == len(file.names())
        for name in file:
            assert name in file
            assert file[name] == file.info(name)
        assert dict(file)["norm.weight"].shape == (64,)
        assert file.get("none") is None
        for none in ("none", 3, None):
            assert none not in file
        assert file
        with pytest.raises(KeyError, match="none of the"):
            file["none"]
        for no_name in (None, 3, b"norm.weight"):
            with pytest.raises(ArgumentError, match="expected a string"):
                file.info(no_name)  # type: ignore[arg-type]
        with GGUFFile(model) as other:
            assert file != other
            assert len({file, other}) == 2
    uses: list[Callable[[], object]] = [
        lambda: list(file), lambda: len(file), lambda: "norm.weight" in file, lambda: file.metadata["x"]
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(ClosedError):
            use()


def test_metadata_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "metadata.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    scalars = {
        "uint8": 200, "int8": -3, "uint16": 60_000, "int16": -300, "uint32": 1 << 31, "int32": -(1 << 31),
        "float32": 0.5, "bool": True, "string": "sch\xf6n", "uint64": 1 << 63, "int64": -(1 << 63), "float64": 0.1,
    }  # fmt: skip
    for kind, value in scalars.items():
        getattr(writer, f"add_{kind}")(f"a.{kind}", value)
    writer.add_array("a.texts", ["one", "", "three"])
    writer.add_array("a.numbers", [1, -2, 3])
    writer.add_array("a.flags", [True, False])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with GGUFFile(path) as file:
        metadata = file.metadata
        for kind, value in scalars.items():
            assert metadata[f"a.{kind}"] == value
            assert type(metadata[f"a.{kind}"]) is type(value)
        assert metadata["general.architecture"] == "llama"
        assert metadata["a.texts"] == ["one", "", "three"]
        np.testing.assert_array_equal(np.asarray(metadata["a.numbers"]), [1, -2, 3])
        flags = metadata["a.flags"]
        assert isinstance(flags, np.ndarray)
        assert (flags.dtype, flags.tolist()) == (np.dtype(bool), [True, False])
        assert set(metadata) == {key for key in gguf.GGUFReader(path).fields if not key.startswith("GGUF.")}
        assert len(metadata) == len(list(metadata))
        assert "a.texts" in metadata
        assert metadata.get("none") is None
    with pytest.raises(ClosedError):
        metadata["a.texts"]


def test_metadata_that_is_no_text_is_shown_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(header(0, 2) + string(b"k") + struct.pack("<I", 8) + string(b"a\xff")
                     + string(b"flag") + struct.pack("<IB", 7, 2))  # fmt: skip
    with GGUFFile(path) as file:
        assert dict(file.metadata) == {"k": "a\ufffd", "flag": True}


def test_a_file_says_what_the_dsp_can_take_and_why_not(model: Path) -> None:
    with GGUFFile(model) as file:
        assert {name: file.info(name).unsupported for name in file.names() if not file.info(name).supported} == {
            "blk.19.q8_k.weight": "type Q8_K",
            "norm.weight": "1-dimensional, a weight has 2 dimensions or more",
        }
        assert file.raw("norm.weight").shape == (1, 256)
        assert file.raw("experts.weight").shape == (12, 128)


def test_an_unknown_tensor_is_refused_with_near_names(model: Path) -> None:
    with GGUFFile(model) as file:
        for ask in (file.info, file.raw):
            with pytest.raises(UnknownTensorError, match=r"'blk.9.q4_k'.*near names are.* blk.9.q4_k.weight"):
                ask("blk.9.q4_k")
        with pytest.raises(KeyError, match="none of the 22 tensors"):
            file.info("?")
        with pytest.raises(GGUFError):
            file.info("")


def mapped(path: Path) -> bool:
    return str(path) in Path("/proc/self/maps").read_text()


def test_close_unmaps_and_may_be_called_twice(model: Path) -> None:
    file = GGUFFile(model)
    assert mapped(model)
    assert "22 tensors" in repr(file)
    assert "'general.architecture'" in repr(file.metadata)
    file.close()
    file.close()
    assert file.closed
    assert not mapped(model)
    assert "closed" in repr(file)
    assert "closed" in repr(file.metadata)
    for use in (file.names, lambda: file.info("norm.weight"), lambda: file.raw("norm.weight"), file.__enter__):
        with pytest.raises(ClosedError, match="closed"):
            use()


def test_an_array_keeps_its_bytes_after_close_and_unmaps_with_its_end(model: Path) -> None:
    with GGUFFile(model) as file:
        raw = file.raw("norm.weight")
    assert (raw.view(np.float32) == 1).all()
    assert mapped(model)
    del raw
    gc.collect()
    assert not mapped(model)


def test_a_file_is_not_copied(model: Path) -> None:
    with GGUFFile(model) as file:
        with pytest.raises(UnsupportedError, match="open the file again"):
            copy.copy(file)
        assert file.names()


def test_a_forgotten_file_warns_and_unmaps(model: Path) -> None:
    with pytest.warns(ResourceWarning, match="not closed"):
        GGUFFile(model)
    assert not mapped(model)
