# SPDX-License-Identifier: MIT
"""What a kernel takes and returns: its parameters, and the rule for the shapes and types of its results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon._ffi import contract
from pyhexagon.arguments import Shape, checked_shape
from pyhexagon.elements import ALL_ELEMENTS, KERNEL_ELEMENTS, element_type
from pyhexagon.errors import ArgumentError

ShapeRule = Callable[..., Any]
Shapes = Shape | Sequence[Shape] | ShapeRule
DTypes = npt.DTypeLike | Sequence[npt.DTypeLike]
Operand = tuple[tuple[int, ...], Type]  # shape and type

TYPES: Final = frozenset({Type.F32, Type.F16, Type.I32, *KERNEL_ELEMENTS})
_NAMES: Final = "float32, float16, int8, uint8, int16, uint16 or int32"
_NARROWER: Final = {"int64": "int32", "uint64": "int32", "uint32": "int32", "bool": "uint8"}
_TAKEN: Final = frozenset({"self", "p", "kernel", "shape", "dtype", "timeout", "against"})  # arguments of calls
_WORDS: Final = {kind: np.dtype(name) for kind, name in zip("fiub", ("f4", "i4", "u4", "u4"), strict=True)}


class Params:
    """The parameters of a kernel by name, in the order of their words: 32 bits each.

    Args:
        declared: the dtype of each: float32, or an integer or bool of at most 32 bits.
    """

    def __init__(self, declared: Mapping[str, npt.DTypeLike]) -> None:
        self.dtypes = {name: np.dtype(dtype) for name, dtype in declared.items()}
        for name, dtype in self.dtypes.items():
            if name in _TAKEN:
                raise ArgumentError(f"the parameter {name}: calls of kernels have an argument of this name")
            if not name.isidentifier() or dtype.kind not in _WORDS or dtype.itemsize > 4 or dtype == np.float16:
                raise ArgumentError(f"the parameter {name} of dtype {dtype}: expected float32 or an integer of 32 bits")
        if len(self.dtypes) > contract.MAX_PARAMS - 1:
            raise ArgumentError(f"{len(self.dtypes)} parameters: expected at most {contract.MAX_PARAMS - 1}")

    def pack(self, what: str, values: Mapping[str, float]) -> bytes:
        """Return the words.

        Raises:
            ArgumentError: a parameter is missing, unknown, or does not fit.
        """
        if set(values) != set(self.dtypes):
            expected = ", ".join(self.dtypes) or "none"
            raise ArgumentError(f"{what} with the parameters {', '.join(values) or 'none'}: expected {expected}")
        return b"".join(self._word(what, name, values[name]) for name in self.dtypes)

    def _word(self, what: str, name: str, value: float) -> bytes:
        dtype = self.dtypes[name]
        try:
            if dtype.kind != "f" and int(value) != value:
                raise ValueError("it is no whole number")
            limits = np.iinfo(dtype) if dtype.kind in "iu" else None
            if limits is not None and not limits.min <= value <= limits.max:
                raise ValueError(f"expected {limits.min} to {limits.max}")
            return np.array(value).astype(_WORDS[dtype.kind]).tobytes()
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(f"{what} with {name} = {value!r} ({dtype}): {error}") from None


def source_types(dtypes: DTypes | None, what: str) -> tuple[Type, ...]:
    """Return the types of the sources that a kernel declares; nothing if it takes any.

    Raises:
        ArgumentError: kernels take no such elements.
    """
    return () if dtypes is None else tuple(kernel_type(one, f"a source of {what}") for one in _each(dtypes, _is_dtype))


class Results(NamedTuple):
    """The rule for the results of a call, as ``Device.kernel`` takes it; ``None``: like the source ``like``."""

    like: int = 0
    shape: Shapes | None = None
    dtype: DTypes | None = None

    def of(self, what: str, sources: Sequence[Operand], n_dst: int, params: Mapping[str, float]) -> list[Operand]:
        """Return the shape and type of each result.

        Raises:
            ArgumentError: the rule does not give as many results as the kernel has.
        """
        shape, gguf_type = sources[self.like]
        rule = self.shape
        if callable(rule):
            given = [one for one, _ in sources]
            try:
                rule = rule(*given, **params)
            except Exception as error:
                listed = ", ".join([*map(str, given), *(f"{name}={value!r}" for name, value in params.items())])
                raise ArgumentError(
                    f"the function for the shape of the result of {what} fails for {listed}: "
                    f"{type(error).__name__}: {error}",
                    hint=_shape_hint(rule, len(given), params) if isinstance(error, TypeError) else "",
                ) from error
        shapes = [shape] * n_dst if rule is None else [checked_shape(one) for one in _each(rule, _is_shape)]
        dtypes = [gguf_type] * n_dst
        if self.dtype is not None:
            dtypes = [kernel_type(one, f"a result of {what}") for one in _each(self.dtype, _is_dtype)]
            dtypes = dtypes * n_dst if len(dtypes) == 1 else dtypes
        if len(shapes) == 1:
            shapes = shapes * n_dst
        if len(shapes) != n_dst or len(dtypes) != n_dst:
            raise ArgumentError(f"{what} has {n_dst} results: {len(shapes)} shapes and {len(dtypes)} dtypes are given")
        return list(zip(shapes, dtypes, strict=True))


def _shape_hint(rule: ShapeRule, n_src: int, params: Mapping[str, float]) -> str:
    """Return how to declare a function for the shape, if this one does not take what it gets."""
    try:
        inspect.signature(rule).bind(*range(n_src), **params)
    except (TypeError, ValueError):
        names = ["x"] if n_src == 1 else [f"x{i}" for i in range(n_src)]
        listed = ", ".join([*names, *params])
        return f"it gets the shapes of the sources, then the parameters by name: lambda {listed}: ..."
    return ""


def kernel_type(dtype: npt.DTypeLike | Type, what: str, wanted: np.dtype[Any] | None = None) -> Type:
    """Return the type of elements that kernels take.

    Args:
        wanted: the only dtype that the kernel takes, for the error.

    Raises:
        ArgumentError: kernels take no such elements.
    """
    try:
        found = element_type(dtype, what)
    except ArgumentError:
        found = None
    if found not in TYPES:
        name = getattr(dtype, "__name__", dtype)
        raise ArgumentError(
            f"{what} of dtype {name}: expected {wanted or _NAMES}",
            hint=f'x.astype("{wanted or _NARROWER.get(str(name), "float32")}") converts it',
        )
    return found


def dtype_of(gguf_type: Type) -> np.dtype[Any]:
    """Return the NumPy dtype of a type that kernels take."""
    return ALL_ELEMENTS[gguf_type].dtype


def dtype_names(dtype: Any) -> Any:
    """Return the names of dtypes, for JSON."""
    if dtype is None:
        return None
    return [np.dtype(one).name for one in dtype] if isinstance(dtype, (list, tuple)) else np.dtype(dtype).name


def _each(value: Any, is_one: Callable[[Any], bool]) -> list[Any]:
    return [value] if is_one(value) else list(value)


def _is_shape(value: Any) -> bool:
    if isinstance(value, (int, np.integer)):
        return True
    return not any(isinstance(one, (tuple, list)) for one in value)


def _is_dtype(value: Any) -> bool:
    return not isinstance(value, (tuple, list))
