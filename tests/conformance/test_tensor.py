# SPDX-License-Identifier: MIT
"""Tensors as memory: their views for NumPy and others, and when the memory is freed."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import Faults
from gguf import GGMLQuantizationType as Q

from pyhexagon import (
    ArgumentError,
    BusyError,
    ClosedError,
    Device,
    DspMemoryError,
    Tensor,
    UnsupportedError,
)
from pyhexagon.memory import memory


def ones(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.ones(shape, np.float32)


def test_numpy_is_a_view_of_the_memory(device: Device) -> None:
    x = device.tensor(ones(3, 4))
    view = x.numpy()
    view[1, 2] = 7
    assert x.numpy()[1, 2] == 7
    assert np.shares_memory(view, x.numpy())
    assert view.flags.c_contiguous


def test_the_array_protocol_copies_only_when_it_must(device: Device) -> None:
    x = device.tensor(ones(3))
    assert np.shares_memory(np.asarray(x), x.numpy())
    assert not np.shares_memory(np.array(x), x.numpy())
    assert np.asarray(x, np.float64).dtype == np.float64
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match=r"(without a|avoid) copy"):
            np.asarray(x, np.float64, copy=False)
    assert x.__array__(copy=True).base is None


def test_dlpack_shares_the_memory(device: Device) -> None:
    x = device.tensor(ones(2, 2))
    view = np.from_dlpack(x)
    x.numpy()[0, 0] = 5
    assert view[0, 0] == 5
    assert x.__dlpack_device__() == (1, 0)


def test_the_buffer_protocol_shares_the_memory(device: Device) -> None:
    x = device.tensor(ones(2, 2))
    # Before Python 3.12 a class written in Python cannot offer the protocol to C: there the method alone is tested.
    view = memoryview(x) if sys.version_info >= (3, 12) else x.__buffer__(0)
    assert view.shape == (2, 2)
    view[0, 1] = 7
    assert x.numpy()[0, 1] == 7


@pytest.mark.parametrize("dtype", ["int64", "uint8", ">i4"])
def test_integers_are_ids_and_of_32_bits(device: Device, dtype: str) -> None:
    with pytest.raises(ArgumentError, match="int32 for ids"):
        device.tensor(np.ones(3, dtype))


def test_a_weight_is_not_read_back(device: Device) -> None:
    with pytest.raises(ArgumentError, match="packed for the DSP"):
        np.asarray(device.weight(ones(4, 32)))


def test_measures_and_repr(device: Device) -> None:
    x, w = device.tensor(ones(2, 3)), device.weight(np.ones((4, 32), np.float16))
    assert (x.shape, x.ndim, x.size, x.nbytes, len(x)) == ((2, 3), 2, 6, 24, 2)
    assert repr(x) == f"<Tensor (2, 3) F32 on {device.name} 24 bytes>"
    assert repr(w) == f"<Tensor weight (4, 32) F16 on {device.name} {w.nbytes} bytes>"
    x.close()
    assert repr(x).endswith("closed>")


def test_close_may_be_repeated_and_use_afterwards_is_refused(device: Device) -> None:
    w = device.weight(ones(4, 32))
    with device.tensor(ones(1, 32)) as x:
        assert device.matmul(x, w).shape == (1, 4)
    assert x.closed
    x.close()
    for use in (x.numpy, lambda: device.matmul(x, w), lambda: np.asarray(x)):
        with pytest.raises(ClosedError):
            use()
    w.close()
    with pytest.raises(ClosedError):
        device.matmul(ones(1, 32), w)


def test_a_tensor_closed_after_a_program_was_made_with_it_is_refused_at_run(device: Device) -> None:
    w, x = device.weight(ones(4, 32)), device.tensor(ones(1, 32))
    with device.program() as p, device.program() as q:
        p.output(p.matmul(p.input((1, 32)), w))
        q.output(q.matmul(x, w))
    of_weight, of_constant = p.compile(), q.compile()
    of_constant()
    x.close()
    with pytest.raises(ClosedError):
        of_constant()
    with pytest.raises(ClosedError):
        of_weight(x)
    of_weight(ones(1, 32))
    w.close()
    with pytest.raises(ClosedError):
        of_weight(ones(1, 32))
    with pytest.raises(ClosedError):
        p.compile()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_what_owns_memory_is_not_copied(device: Device, copied: Callable[[object], object]) -> None:
    x = device.tensor(ones(64))
    for one in (x, device, device.weight(ones(4, 32))):
        with pytest.raises(UnsupportedError, match=r"neither copied nor pickled.*Hint"):
            copied(one)
    gc.collect()
    device.tensor(np.zeros(64, np.float32))
    assert (x.numpy() == 1).all()


def test_an_error_that_ends_a_with_statement_is_not_replaced(device: Device, faults: Faults) -> None:
    def interrupt(one: Device | Tensor) -> None:
        with one:
            raise KeyboardInterrupt

    x = device.tensor(ones(4))
    view = x.numpy()
    with pytest.raises(KeyboardInterrupt):
        interrupt(x)
    assert x.closed
    faults.fail("fastrpc_munmap", 0xE)
    with pytest.warns(RuntimeWarning, match="munmap"), pytest.raises(KeyboardInterrupt):
        interrupt(device)
    assert device.closed
    assert (view == 1).all()


def test_close_is_refused_while_a_view_lives(device: Device) -> None:
    x = device.tensor(ones(4, 4))
    part = x.numpy()[1:, 1:].T
    with pytest.raises(BusyError, match="1 NumPy view"):
        x.close()
    del part
    x.close()


def test_a_view_keeps_the_memory_when_the_tensor_is_dropped(device: Device) -> None:
    view = device.tensor(ones(64)).numpy()
    for _ in range(4):
        other = device.tensor(np.zeros(64, np.float32))
        assert not np.shares_memory(view, other.numpy())
    assert (view == 1).all()


def test_a_view_outlives_the_device(engine: str) -> None:
    with Device(engine) as device:
        x = device.tensor(ones(64))
        view = x.numpy()
    assert (view == 1).all()
    with pytest.raises(ClosedError):
        x.numpy()
    x.drop()
    del x, device
    gc.collect()
    assert (view == 1).all()


def test_dropped_tensors_are_used_again(device: Device) -> None:
    w = device.weight(ones(64, 64))
    device.matmul(ones(2, 64), w)
    before = device.info().memory_bytes
    for _ in range(50):
        device.matmul(ones(2, 64), w)
    assert device.info().memory_bytes == before


def test_a_closed_weight_gives_its_memory_back(device: Device) -> None:
    before = device.info().memory_bytes
    w = device.weight(ones(256, 256))
    assert device.info().memory_bytes >= before + w.nbytes
    w.close()
    assert device.info().memory_bytes == before


def test_two_gibibytes_are_refused_before_anything_is_allocated(device: Device) -> None:
    before = device.info().memory_bytes
    with pytest.raises(ArgumentError, match=r"2,147,483,648"):
        device.empty((1 << 15, 1 << 14))
    assert device.info().memory_bytes == before


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((-1, 4), "f4"), ((-2, -2), np.int32), ((4,), np.float64), ((4,), "Q4_0"), ((4,), None), ((2.5,), "f4"),
        (None, "f4"), ("4", "f4"), ((4,), Q.Q4_K),
    ],
    ids=str,
)  # fmt: skip
def test_room_that_no_tensor_has_is_refused(device: Device, shape: Any, dtype: Any) -> None:
    with pytest.raises(ArgumentError, match=r"a (tensor|shape) of .*(expected|negative)"):
        device.empty(shape, dtype=dtype)
    assert device.info().memory_bytes == 0


def test_a_shape_is_what_numpy_takes_for_one(device: Device) -> None:
    assert device.empty(5).shape == (5,)
    assert device.empty((np.int64(2), 3), dtype=np.int32).numpy().shape == (2, 3)
    assert device.empty([], dtype="float32").shape == ()
    assert device.empty(np.array([2, 2])).shape == (2, 2)


def test_pool_sizes_hold_what_is_asked_for() -> None:
    for n_bytes in (1, 4096, 4097, 8193, 12289, 100_000, 1 << 20, (1 << 20) + 1):
        size = memory.size_class(n_bytes)
        assert size >= n_bytes
        assert size % 4096 == 0
        assert size <= max(4096, 2 * n_bytes)


def test_tensors_of_two_devices_do_not_mix(engine: str) -> None:
    with Device(engine) as one, Device(engine) as two:
        w = one.weight(ones(4, 32))
        with pytest.raises(ArgumentError, match="another device"):
            two.matmul(ones(1, 32), w)
        with pytest.raises(ArgumentError, match="another device"):
            one.matmul(two.tensor(ones(1, 32)), w)


def test_memory_errors_name_the_numbers_and_leak_nothing(device: Device, faults: Faults) -> None:
    w = device.weight(ones(64, 64))
    before = device.info().memory_bytes
    for call in ("rpcmem_alloc", "rpcmem_alloc2"):
        faults.fail(call, 0)
    with pytest.raises(DspMemoryError, match=r"532,480 bytes.*this device holds 12,288 bytes in 1 buffers"):
        device.weight(ones(512, 512))
    for call in ("rpcmem_alloc", "rpcmem_alloc2"):
        faults.fail(call, 0, nth=0)
    assert device.info().memory_bytes == before
    assert device.matmul(ones(1, 64), w).numpy()[0, 0] == 64
