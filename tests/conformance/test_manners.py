# SPDX-License-Identifier: MIT
"""A NumPy user's first attempts: they work, or the error names a way out."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gguf
import ml_dtypes
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Q

import pyhexagon
from pyhexagon import (
    ArgumentError,
    ClosedError,
    Device,
    HexagonError,
    OperandError,
    Tensor,
    UnsupportedError,
    example,
)
from pyhexagon._ffi import contract

N, K = 6, 64
RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, K), dtype=np.float32)
W = RNG.standard_normal((N, K), dtype=np.float32)


@pytest.fixture
def loopback() -> Iterator[Device]:
    """Open one engine through one transport: these tests do not reach the DSP."""
    with Device("loopback", transport="invoke") as device:
        yield device


@pytest.fixture
def w(loopback: Device) -> Tensor:
    return loopback.weight(W)


@pytest.fixture
def y(loopback: Device, w: Tensor) -> Tensor:
    return loopback.matmul(X, w)


# --- Products ---


def test_a_tensor_is_multiplied_from_either_side_however_it_lies(device: Device) -> None:
    w, square = device.weight(W), device.weight(np.eye(N, dtype=np.float32))
    want = device.matmul(X, w).numpy()
    columns = w @ device.tensor(np.ascontiguousarray(X.T))
    np.testing.assert_array_equal(columns.numpy(), want.T)
    np.testing.assert_array_equal((w @ X.T).numpy(), want.T)
    np.testing.assert_array_equal((square @ columns).numpy(), (square @ columns.numpy()).numpy())
    through = device.weight(np.eye(3, dtype=np.float32))
    np.testing.assert_array_equal((columns @ through.T).numpy(), (columns.numpy() @ through.T).numpy())


def test_numpys_matmul_is_the_product(loopback: Device, w: Tensor, y: Tensor) -> None:
    right: Any = w.T
    for product in (np.matmul(X, right), X @ right, loopback.tensor(X) @ right):
        assert isinstance(product, Tensor)
        np.testing.assert_array_equal(product.numpy(), y.numpy())
    np.testing.assert_array_equal(np.matmul(w, X.T).numpy(), y.numpy().T)


def test_a_transposed_weight_is_told_what_to_pass(loopback: Device, w: Tensor) -> None:
    with pytest.raises(ArgumentError, match=r"Hint: pass w: matmul\(x, w\) is x @ w.T"):
        loopback.matmul(X, w.T)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="on the right of a product only"):
        w.T @ X
    assert (w.T.shape, w.T.ndim, w.T.dtype) == ((K, N), 2, np.dtype(np.float32))
    assert w.T.T is w


@pytest.mark.parametrize("weight", [None, W, "w", 3])
def test_what_is_no_weight_is_told_how_to_make_one(loopback: Device, y: Tensor, weight: Any) -> None:
    for bad in (weight, y):
        with pytest.raises(ArgumentError, match=r"device\.weight\(array\) or device\.load"):
            loopback.matmul(X, bad)
        with pytest.raises(ArgumentError, match=r"device\.weight\(array\) or device\.load"):
            loopback.mul_mat_id(X, bad, [[0], [0], [0]])
    with pytest.raises(ArgumentError, match=r"must be a weight.*Hint: make one"):
        y @ y
    with pytest.raises(ArgumentError, match=r"must be a weight.*Hint: make one"):
        X @ y
    with pytest.raises(ArgumentError, match=r"write x @ w\.T"):
        X @ loopback.weight(W)


NO_NUMBERS = [None, "x", [[1.0], [1.0, 2.0]], np.array([1j]), {}, object()]


@pytest.mark.parametrize("x", NO_NUMBERS, ids=lambda x: type(x).__name__)
def test_what_is_no_number_is_refused_by_name(loopback: Device, w: Tensor, x: Any) -> None:
    uses: list[Callable[[], object]] = [
        lambda: loopback.matmul(x, w),
        lambda: w @ x,
        lambda: loopback.tensor(x),
        lambda: loopback.tensor(x, dtype="float32"),
        lambda: loopback.weight(x),
        lambda: loopback.mul_mat_id(X, loopback.weight(W[None]), x),
    ]
    for use in uses:
        with pytest.raises(ArgumentError, match=r"expected (float32|integers)|inhomogeneous"):
            use()


def test_a_product_is_written_where_the_user_says(device: Device) -> None:
    w, x = device.weight(W), device.tensor(X)
    want = device.matmul(X, w).numpy()
    out = device.empty((3, N))
    view = out.numpy()
    for one in (X, x):
        view[...] = 0
        assert device.matmul(one, w, out=out) is out
        np.testing.assert_array_equal(view, want)
    with device.program() as p:
        p.output(p.matmul(p.input(X.shape), w))
    assert p.compile()(2 * X, out=out) is out
    np.testing.assert_array_equal(view, 2 * want)
    before = device.info().memory_bytes
    square = device.weight(np.eye(K, dtype=np.float32))
    closed = device.empty((3, N))
    closed.close()
    with Device(device.name) as other:
        bad: list[tuple[Any, str]] = [
            (np.empty((3, N), np.float32), "out is an array"), (device.empty((3, N + 1)), "expected a float32 tensor"),
            (device.empty((3, N), dtype=np.int32), "expected a float32"), (w, "expected a float32"),
            (other.empty((3, N)), "expected a float32"),
            (device.weight(X) @ np.ones((K, N), np.float32), "has the other memory order"),
        ]  # fmt: skip
        for tensor, message in bad:
            with pytest.raises(ArgumentError, match=message):
                device.matmul(x, w, out=tensor)
        del bad, tensor
    with pytest.raises(ArgumentError, match="do not compute in place"):
        device.matmul(x, square, out=x)
    with pytest.raises(ClosedError):
        device.matmul(x, w, out=closed)
    square.close()
    np.testing.assert_array_equal(view, 2 * want)
    assert out.numpy() is not None  # the refused call has not changed it
    assert device.info().memory_bytes >= before


# --- What only an array can do ---

ARRAY_USES: dict[str, Callable[[Any], object]] = {
    "add": lambda y: y + 1,
    "radd": lambda y: np.ones(3) + y,
    "isub": lambda y: operator.isub(y, 1),  # type: ignore[no-untyped-call]
    "negative": lambda y: -y,
    "equal": lambda y: y == y,  # noqa: PLR0124
    "unequal": lambda y: y != 3,
    "less": lambda y: y < 0,
    "exp": np.exp,
    "item": lambda y: y[0],
    "slice": lambda y: y[:, 1],
    "set": lambda y: operator.setitem(y, 0, 1),
    "rows": list,
    "in": lambda y: 3.0 in y,
    "truth": bool,
    "number": float,
}


# NumPy 2.4 never gives back the operand of a reduction whose __array_ufunc__ raises.
_SUM = pytest.param(np.sum, id="sum", marks=pytest.mark.leaks("NumPy"))


@pytest.mark.parametrize("use", [_SUM, *(pytest.param(use, id=name) for name, use in ARRAY_USES.items())])
def test_what_only_an_array_can_do_names_the_array(w: Tensor, y: Tensor, use: Callable[[Any], object]) -> None:
    for one, way_out in ((y, "y.numpy()"), (w, "w.dequantize()"), (w.T, "w.dequantize().T")):
        with pytest.raises(TypeError) as caught:
            use(one)
        assert isinstance(caught.value, OperandError)
        assert way_out in caught.value.hint


def test_attributes_of_arrays_are_told_where_they_are(w: Tensor, y: Tensor) -> None:
    with pytest.raises(AttributeError, match=r"use y\.numpy\(\)\.reshape"):
        y.reshape(2, 9)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"use w\.dequantize\(\)\.mean"):
        w.mean()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"has no 'nonsense'$"):
        y.nonsense  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ArgumentError, match=r"y\.numpy\(\)\.T is a view"):
        y.T  # noqa: B018


def test_tensors_can_be_kept_in_sets(y: Tensor, w: Tensor) -> None:
    assert {y, w, y} == {w, y}
    assert {y: 1}[y] == 1


def test_what_a_tensor_is_cannot_be_written(y: Tensor) -> None:
    for name in ("shape", "dtype", "gguf_type", "nbytes", "ndim", "size", "device", "is_weight", "closed", "T"):
        with pytest.raises(AttributeError):
            setattr(y, name, None)
    assert y.shape == (3, N)


def test_dtype_is_numpys_and_the_gguf_type_has_its_own_name(loopback: Device, y: Tensor) -> None:
    ids = loopback.tensor(np.zeros(2, np.int32))
    quantised = loopback.pack("Q4_0", gguf.quantize(W, Q.Q4_0), W.shape)
    for tensor, dtype, gguf_type in (
        (y, np.float32, Q.F32), (ids, np.int32, Q.I32), (quantised, np.float32, Q.Q4_0)
    ):  # fmt: skip
        assert isinstance(tensor.dtype, np.dtype)
        assert tensor.dtype == dtype
        assert tensor.gguf_type == gguf_type
    assert np.zeros_like(y.numpy(), dtype=quantised.dtype).dtype == np.float32


# --- What is converted ---


@pytest.mark.parametrize("dtype", ["f8", "f2", ml_dtypes.bfloat16, "i4", "u1", "i8", "list"], ids=str)
def test_other_numbers_become_activations_when_asked(loopback: Device, w: Tensor, dtype: Any) -> None:
    x: Any = X.tolist() if dtype == "list" else (4 * X).astype(dtype)
    for refused in (lambda: loopback.matmul(x, w), lambda: w @ x[0]):
        with pytest.raises(ArgumentError, match=r'expected float32.*device\.tensor\(x, dtype="float32"\)'):
            refused()
    made = loopback.tensor(x, dtype="float32")
    np.testing.assert_array_equal(made.numpy(), np.asarray(x, np.float32))
    assert loopback.matmul(made, w).shape == (3, N)


def test_ids_are_converted_when_they_fit(loopback: Device) -> None:
    assert loopback.tensor([1, 2], dtype="int32").numpy().tolist() == [1, 2]
    assert loopback.tensor(np.array([3.0]), dtype=np.int32).numpy().tolist() == [3]
    for bad in ([1 << 31], [1.5]):
        with pytest.raises(ArgumentError, match="does not fit into int32"):
            loopback.tensor(bad, dtype="int32")
    with pytest.raises(ArgumentError, match='dtype="int32"'):
        loopback.tensor(np.array([1]))
    for wrong in ("float64", "Q4_0", 3):
        with pytest.raises(ArgumentError, match="float32"):
            loopback.tensor([1], dtype=wrong)  # type: ignore[arg-type]


def test_pack_takes_names_and_checks_the_bytes(loopback: Device) -> None:
    raw = gguf.quantize(W, Q.Q4_0)
    w = loopback.pack("Q4_0", raw, W.shape)
    np.testing.assert_array_equal(
        loopback.matmul(X, w).numpy(), loopback.matmul(X, loopback.pack(Q.Q4_0, raw, W.shape)).numpy()
    )
    before = loopback.info().memory_bytes
    bad: list[tuple[Any, Any, Any, str]] = [
        ("Q4_0", raw[:-1], W.shape, r"expected uint8, 6 rows of 36 bytes, 216 in all"),
        ("Q4_0", raw.view(np.int8), W.shape, "expected uint8"),
        ("Q4_0", None, W.shape, "GGUF's bytes are None"),
        ("Q4_0", raw, (N, K - 1), "multiple of 32"),
        ("Q4_0", raw, (N * K,), r"has the shape \(N, K\)"),
        ("Q4_0", raw, (0, K), r"has the shape \(N, K\)"),
        ("Q4_0", raw, (N, -K), "negative"),
        ("Q9_9", raw, W.shape, "no type 'Q9_9'.*Q4_0"),
        (None, raw, W.shape, "no type None"),
    ]
    for dtype, blocks, shape, message in bad:
        with pytest.raises(ArgumentError, match=message):
            loopback.pack(dtype, blocks, shape)
    with pytest.raises(UnsupportedError, match="Q8_K"):
        loopback.pack(Q.Q8_K, raw, W.shape)
    assert loopback.info().memory_bytes == before


# --- Names ---


def public(one: object) -> set[str]:
    return {name for name in dir(one) if not name.startswith("_")}


def test_completion_offers_what_is_public(loopback: Device, y: Tensor) -> None:
    assert public(pyhexagon) == set(pyhexagon.__all__)
    assert public(y) == {
        "T", "close", "closed", "dequantize", "device", "dtype", "gguf_type", "is_cache", "is_weight", "nbytes", "ndim",
        "numpy", "shape", "size",
    }  # fmt: skip
    assert public(loopback) == {
        "all", "capacity", "close", "closed", "elementwise", "empty", "epoch", "info", "kernel", "kernels", "load",
        "load_all", "lost", "matmul", "mul_mat_id", "name", "pack", "program", "reopen", "switches", "tensor",
        "timeout", "trace", "weight", "weight_matmul",
    }  # fmt: skip
    assert public(loopback.program()) == {
        "call", "compile", "input", "matmul", "output", *(set(contract.OPS) - {"mul_mat"}),
    }  # fmt: skip


def test_completion_of_traces_and_files_offers_what_is_public(tmp_path: Path) -> None:
    with pyhexagon.Trace(tmp_path / "trace.json") as trace:
        assert public(trace) == {"of", "path", "span"}
    example.write(tmp_path / "example.gguf")
    with pyhexagon.GGUFFile(tmp_path / "example.gguf") as file:
        assert public(file) == {
            "close", "closed", "get", "info", "items", "keys", "metadata", "names", "path", "paths", "raw", "values"
        }  # fmt: skip


def test_every_public_method_has_a_docstring(loopback: Device, y: Tensor) -> None:
    for name in pyhexagon.__all__:
        assert inspect.getdoc(getattr(pyhexagon, name)), name
    for one in (loopback, y, loopback.program(), pyhexagon.GGUFFile, pyhexagon.Trace, loopback.weight(W).T):
        cls = one if isinstance(one, type) else type(one)
        for name in public(one):
            member = inspect.getattr_static(cls, name, None)
            if callable(member) or isinstance(member, property):
                assert inspect.getdoc(member), f"{cls.__name__}.{name}"


def test_help_shows_functions_of_other_modules_as_methods() -> None:
    for name in ("matmul", "weight_matmul", "mul_mat_id", "weight", "load", "load_all", "pack"):
        first, second, *_ = inspect.signature(getattr(Device, name)).parameters.values()
        assert str(first) == "self", name
        assert second.annotation is not second.empty, name
    assert str(inspect.signature(Device.matmul)).startswith("(self, x: ")


# --- Life ---


def test_with_on_what_is_closed_raises(loopback: Device, y: Tensor) -> None:
    y.close()
    with pytest.raises(ClosedError), y:
        pass
    loopback.close()
    with pytest.raises(ClosedError, match="is closed"), loopback:
        pass


def test_the_fifth_session_says_how_many_there_are() -> None:
    devices = [Device("loopback", transport="invoke") for _ in range(4)]
    try:
        with pytest.raises(HexagonError, match=r"four for all its devices.*Hint: close a device .*, or share one"):
            Device("loopback")
    finally:
        for device in devices:
            device.close()
