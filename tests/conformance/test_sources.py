# SPDX-License-Identifier: MIT
"""Weights from arrays, dictionaries and safetensors: the same bits as from GGUF bytes."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gguf
import ml_dtypes
import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q
from safetensors.numpy import save_file

from pyhexagon import ArgumentError, ClosedError, Device, Tensor, UnknownTensorError, UnsupportedError, extras

N, K = 70, 256
W = np.random.default_rng(0).standard_normal((N, K), dtype=np.float32)
X = np.random.default_rng(1).standard_normal((3, K), dtype=np.float32)
MADE = [Q.F32, Q.F16, Q.BF16, Q.Q4_0, Q.Q4_1, Q.Q5_0, Q.Q5_1, Q.Q8_0, Q.MXFP4]


@pytest.fixture
def device() -> Iterator[Device]:
    with Device("loopback", transport="invoke") as device:
        yield device


def bits(device: Device, w: Tensor) -> bytes:
    return device.matmul(X, w).numpy().tobytes()


def packed(device: Device, array: Any, dtype: Q) -> bytes:
    raw = gguf.quantize(np.asarray(array, np.float32), dtype)
    return bits(device, device.pack(dtype, raw.view(np.uint8), np.shape(array)))


@pytest.mark.parametrize("dtype", MADE, ids=lambda dtype: dtype.name)
def test_a_weight_is_quantised_as_the_gguf_package_does(device: Device, dtype: Q) -> None:
    want = packed(device, W, dtype)
    for name in (dtype, dtype.name, dtype.name.lower()):
        w = device.weight(W, dtype=name)
        assert (w.gguf_type, w.shape) == (dtype, W.shape)
        assert bits(device, w) == want
    cube = device.weight(np.stack([W, -W]), dtype=dtype)
    assert device.matmul(np.stack([X, X]), cube).numpy()[0].tobytes() == want


def test_a_weight_gives_its_values(device: Device) -> None:
    cube = np.stack([W, -W, 2 * W])
    for dtype in (Q.F16, Q.Q8_0, Q.Q4_1):
        raw = gguf.quantize(cube, dtype)
        got, want = device.pack(dtype, raw.view(np.uint8), cube.shape).dequantize(), gguf.dequantize(raw, dtype)
        assert (got.shape, got.dtype) == (cube.shape, np.dtype(np.float32))
        assert np.abs(got - want).max() <= np.abs(want).max() * 2**-12
    w = device.weight(np.eye(70, 40, dtype=np.float32))
    np.testing.assert_array_equal(w.dequantize(), np.eye(70, 40))
    with pytest.raises(ArgumentError, match=r"Hint: w\.dequantize\(\)"):
        w.numpy()
    with pytest.raises(ArgumentError, match=r"Hint: y\.numpy\(\)"):
        device.tensor(X).dequantize()
    w.close()
    with pytest.raises(ClosedError):
        w.dequantize()


def test_a_weight_in_several_sessions_gives_all_its_values(faults: Faults) -> None:
    faults.set("map_limit", 1 << 20)
    with Device("loopback", transport="invoke") as device:
        values = np.random.default_rng(2).integers(-64, 64, (2, 1000, 512)).astype(np.float32)
        w = device.weight(values)
        assert len(w.parts) > 1
        np.testing.assert_array_equal(w.dequantize(), values)


@pytest.mark.parametrize("dtype", [Q.Q2_K, Q.Q4_K, Q.Q6_K, Q.IQ4_NL], ids=lambda dtype: dtype.name)
def test_types_that_the_gguf_package_does_not_make_say_so(device: Device, dtype: Q) -> None:
    with pytest.raises(UnsupportedError, match=rf"not quantise to {dtype.name}, but to F32.*Q8_0.*llama-quantize"):
        device.weight(W, dtype=dtype)
    assert device.info().memory_bytes == 0


def test_the_arrays_own_type_is_kept(device: Device) -> None:
    for dtype, gguf_type in ((np.float32, Q.F32), (np.float16, Q.F16), (ml_dtypes.bfloat16, Q.BF16)):
        w = device.weight(W.astype(dtype))
        assert w.gguf_type == gguf_type
        assert bits(device, w) == packed(device, W.astype(dtype), gguf_type)
    for array in (W.astype(np.float64), W.tolist(), W.astype(np.int8)):
        with pytest.raises(ArgumentError, match=r'expected float32, float16, bfloat16.*dtype="F32"'):
            device.weight(array)
        assert device.weight(array, dtype="F32").shape == W.shape


def test_what_cannot_be_quantised_is_refused(device: Device) -> None:
    with pytest.raises(ArgumentError, match="multiple of 32"):
        device.weight(W[:, :33], dtype="Q4_0")
    for value in (np.nan, np.inf, -np.inf):
        with pytest.raises(ArgumentError, match="NaN or infinity"):
            device.weight(np.where(W > 2, value, W), dtype="Q4_0")
    with pytest.raises(ArgumentError, match="no type 'Q4'"):
        device.weight(W, dtype="Q4")
    with pytest.raises(ArgumentError, match="has the shape"):
        device.weight(W[0], dtype="Q4_0")
    assert device.info().memory_bytes == 0


def test_many_arrays_are_loaded_by_name(device: Device) -> None:
    arrays = {"up": W, "down": np.ascontiguousarray(W.T[:, :64]), "norm": W[0], "half": W.astype(np.float16)}
    done: list[tuple[int, int]] = []
    loaded = device.load_all(arrays, progress=lambda *step: done.append(step))
    assert {name: w.gguf_type.name for name, w in loaded.items()} == {"up": "F32", "down": "F32", "half": "F16"}
    assert bits(device, loaded["up"]) == packed(device, W, Q.F32)
    assert done[-1][0] == done[-1][1]
    loaded = device.load_all(arrays, ["up"], dtype="Q8_0")
    assert list(loaded) == ["up"]
    assert bits(device, loaded["up"]) == packed(device, W, Q.Q8_0)
    before = device.info().memory_bytes
    with pytest.raises(UnknownTensorError, match="none of the 4 tensors is 'none'"):
        device.load_all(arrays, ["none"])
    for bad, error in (
        ({"up": W, "ids": np.ones((2, 32), np.int64)}, UnsupportedError),
        ({"up": W[:, :33], "dtype": W}, UnsupportedError),
        ({"up": "text"}, ArgumentError),
    ):
        with pytest.raises(error, match=r"up|ids"):
            device.load_all(bad, dtype="Q4_0" if "dtype" in bad else None)  # type: ignore[arg-type]
    assert device.info().memory_bytes == before
    for nothing in (None, 3, [W]):
        with pytest.raises(ArgumentError, match="expected a GGUFFile, the path"):
            device.load_all(nothing)  # type: ignore[arg-type]


def test_safetensors_are_loaded(device: Device, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    arrays: dict[str, Any] = {"a": W, "b": W.astype(np.float16), "norm": W[0], "wide": W.astype(np.float64)}
    save_file(arrays, path)
    loaded = device.load_all(path, ["a", "b"])
    assert bits(device, loaded["a"]) == packed(device, W, Q.F32)
    assert bits(device, loaded["b"]) == packed(device, W.astype(np.float16), Q.F16)
    with pytest.raises(UnsupportedError, match=r"'wide' cannot go to the DSP: .*float64"):
        device.load_all(str(path))
    assert {w.gguf_type for w in device.load_all(path, dtype="Q5_0").values()} == {Q.Q5_0}
    assert bits(device, device.load(path, "a", dtype="Q4_1")) == packed(device, W, Q.Q4_1)
    with pytest.raises(ArgumentError, match="'norm' has the shape"):
        device.load(path, "norm")
    with pytest.raises(UnknownTensorError, match="none of the 4"):
        device.load(path, "none")


def test_bfloat16_of_safetensors_stays_what_it_is(device: Device, tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"w": W.astype(ml_dtypes.bfloat16)}, path)
    w = device.load(path, "w")
    assert w.gguf_type == Q.BF16
    assert bits(device, w) == packed(device, W.astype(ml_dtypes.bfloat16), Q.BF16)


def test_safetensors_that_cannot_be_read_are_named(
    device: Device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.safetensors"
    with pytest.raises(ArgumentError, match="No such file"):
        device.load_all(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(ArgumentError, match=r"model\.safetensors: .*header"):
        device.load_all(path)
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(UnsupportedError, match=re.escape(extras.install_command("safetensors"))):
        device.load_all(path)


class TorchDtype:
    """A substitute for torch.dtype."""

    __module__ = "torch"

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"torch.{self.name}"


class TorchTensor:
    """A substitute for a PyTorch tensor, which the tests do not require: it refuses NumPy in the same cases."""

    def __init__(self, array: Any, *, requires_grad: bool = False) -> None:
        self._array, self.requires_grad = array, requires_grad
        self.shape, self.dtype = array.shape, TorchDtype(array.dtype.name)

    def detach(self) -> TorchTensor:
        return TorchTensor(self._array)

    def view(self, dtype: Any) -> TorchTensor:
        return TorchTensor(self._array.view(dtype))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.dtype.name == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self._array

    def __repr__(self) -> str:
        return f"tensor({self._array},\n       requires_grad={self.requires_grad})"


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_parameters_of_pytorch_are_weights(device: Device, monkeypatch: pytest.MonkeyPatch, dtype: Any) -> None:
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(int16=np.int16))
    array = W.astype(dtype)
    parameter: Any = TorchTensor(array, requires_grad=True)
    wanted = np.asarray(device.matmul(X, device.weight(array)))
    assert np.array_equal(device.matmul(X, device.weight(parameter)), wanted)
    assert np.array_equal(device.matmul(X, device.load_all({"w": parameter})["w"]), wanted)
    assert np.array_equal(device.tensor(parameter, dtype="float32"), array.astype(np.float32))


def test_a_tensor_of_pytorch_is_no_result_and_is_named_in_a_line(device: Device) -> None:
    out: Any = TorchTensor(np.zeros((3, N), np.float32))
    words = rf"^out is a tensor of PyTorch's \(3, {N}\) of torch.float32: expected .*device\.empty\(\(3, {N}\)\)\.$"
    with pytest.raises(ArgumentError, match=words):
        device.matmul(X, device.weight(W), out=out)


def test_a_gguf_files_tensors_keep_their_types(device: Device, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="a GGUF file's tensors have their types"):
        device.load_all(tmp_path / "x.gguf", dtype="Q4_0")
