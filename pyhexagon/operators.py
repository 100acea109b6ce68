# SPDX-License-Identifier: MIT
"""Errors for array operations on tensors, which point to the array.

The DSP runs ops by name, and the CPU computes nothing unless asked. So a tensor supports matmuls, but no other
operator, no indexing and no truth value; ``tensor.numpy()`` is an array over the same memory that supports all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pyhexagon.errors import OperandError


class NoArray:
    """Base of classes that support matmuls: all other operations of arrays raise OperandError."""

    as_array = "y.numpy()"  # the expression that returns an array

    def __matmul__(self, other: Any) -> Any:
        raise NotImplementedError

    __rmatmul__ = __matmul__

    def _refuse(self, *_: object) -> NoReturn:
        raise OperandError(
            f"{self!r} is not an array: it supports matmuls with weights only",
            hint=f"{self.as_array} is an array of its elements; compute with that",
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Take ``array @ tensor`` and numpy.matmul; refuse other ufuncs."""
        if ufunc is np.matmul and method == "__call__" and not options:
            left, right = inputs
            return self.__rmatmul__(left) if right is self else self.__matmul__(right)
        raise OperandError(
            f"numpy.{ufunc.__name__} does not take {self!r}", hint=f"pass {self.as_array} to compute on the CPU"
        )

    if not TYPE_CHECKING:  # type checkers refuse them, too
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = _refuse
        __neg__ = __pos__ = __abs__ = __invert__ = _refuse
        __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
        __bool__ = __int__ = __float__ = _refuse
        __getitem__ = __setitem__ = __iter__ = __contains__ = _refuse
        __hash__ = object.__hash__

        def __getattr__(self, name: str) -> NoReturn:
            way_out = f": use {self.as_array}.{name}" if not name.startswith("_") and hasattr(np.ndarray, name) else ""
            raise AttributeError(f"a {type(self).__name__} has no {name!r}{way_out}", name=name, obj=self)
