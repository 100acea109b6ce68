# SPDX-License-Identifier: MIT
"""Views of values against NumPy's views of an array."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyhexagon import ArgumentError
from pyhexagon.program.views import View, contiguous

SHAPES = st.lists(st.integers(0, 5), max_size=4).map(tuple)


def seen(view: View, base: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return the elements of an array that a view selects."""
    array: npt.NDArray[np.float32] = np.ndarray(view.shape, np.float32, base.data, view.offset, view.strides)
    return array


@st.composite
def indices(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Draw an index of any kind that makes a view, for all dimensions or fewer."""
    parts: list[Any] = []
    for n in shape[: draw(st.integers(0, len(shape)))]:
        start, stop, step = draw(st.integers(-6, 6)), draw(st.integers(-6, 6)), draw(st.integers(1, 3))
        kinds = [slice(start, stop, step), slice(None)] + ([draw(st.integers(-n, n - 1))] if n else [])
        parts.append(draw(st.sampled_from(kinds)))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return (*parts, Ellipsis) if draw(st.booleans()) else tuple(parts)


@given(st.data())
def test_views_are_those_of_numpy(data: st.DataObject) -> None:
    shape = data.draw(SHAPES)
    base = np.arange(max(math.prod(shape), 1), dtype=np.float32)
    array = base[: math.prod(shape)].reshape(shape)
    view = View(shape, contiguous(shape, 4))
    for _ in range(data.draw(st.integers(1, 4))):
        match data.draw(st.sampled_from(["pick", "transpose", "broadcast", "reshape"])):
            case "pick":
                index = data.draw(indices(view.shape))
                array, view = np.asarray(array[index]), view.pick(index)
            case "transpose":
                axes = tuple(data.draw(st.permutations(range(array.ndim))))
                array, view = array.transpose(axes), view.transpose(axes)
            case "broadcast":
                ahead = data.draw(st.lists(st.integers(1, 3), max_size=2))
                lengths: tuple[int, ...] = array.shape
                wanted = (*ahead, *(n if n != 1 else data.draw(st.integers(1, 3)) for n in lengths))
                array, view = np.broadcast_to(array, wanted), view.broadcast_to(wanted)
            case _:
                wanted = tuple(data.draw(st.permutations([*array.shape, 1])))
                if data.draw(st.booleans()):
                    wanted = (math.prod(array.shape),)
                try:
                    view = view.reshape(wanted, 4)
                except ArgumentError:  # then NumPy cannot do it either
                    copied = array.reshape(wanted)
                    assert array.size
                    assert not np.shares_memory(copied, base)
                else:
                    array = array.reshape(wanted)
        assert view.shape == array.shape
        if array.size:
            np.testing.assert_array_equal(seen(view, base), array)
            assert view.is_contiguous(4) == (array.flags.c_contiguous and not set(array.strides) - {*array.strides})


@pytest.mark.parametrize("index", [[0, 1], np.ones(1), True, slice(None, None, -1), (0, slice(3, 0, -1)), 1.5, "a"])
def test_what_is_no_view_is_refused(index: Any) -> None:
    with pytest.raises(ArgumentError):
        View((4, 4), (16, 4)).pick(index)


def test_shapes_that_do_not_fit_are_refused() -> None:
    view = View((4, 6), (24, 4))
    for wanted in ((5, 5), (-1, -1), (-2, 12), (24, 0), (-1, 7)):
        with pytest.raises(ArgumentError, match="24 elements"):
            view.reshape(wanted, 4)
    assert view.reshape((2, -1), 4).shape == (2, 12)
    with pytest.raises(ArgumentError, match="needs a copy to be reshaped"):
        view.transpose(()).reshape((24,), 4)
    with pytest.raises(ArgumentError, match="cannot be broadcast"):
        view.broadcast_to((4, 7))
    with pytest.raises(IndexError):
        view.pick(4)
