# SPDX-License-Identifier: MIT
"""A user kernel, loaded into all sessions of a device."""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Type

from pyhexagon.arguments import numbers
from pyhexagon.errors import ArgumentError, ClosedError
from pyhexagon.kernels import archive, cache, elf, faults, lines, toolchain
from pyhexagon.kernels.elementwise import ElementwiseCode
from pyhexagon.kernels.signature import TYPES, Operand, Params, Results, dtype_names, dtype_of, kernel_type
from pyhexagon.ops.builder import Builder
from pyhexagon.program.graph import Graph, Value
from pyhexagon.program.program import Program
from pyhexagon.program.report import Report
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device

_MAX_PROGRAMS: Final = 16  # kept for one kernel
_CRASH: Final = r"at address (\S+), pc {}\+0x([0-9a-f]+)"

Argument = npt.ArrayLike | Tensor


class Code(NamedTuple):
    """What a kernel is compiled from, or was loaded from.

    Attributes:
        source: C source; empty if the kernel's file has none.
        name: of the source in the compiler's messages.
        options: for the compiler.
        images: the compiled files by target.
        lines: the lines of the source by address, of the image that is loaded.
    """

    source: str
    name: str
    options: tuple[str, ...]
    images: Mapping[str, bytes]
    lines: lines.Table = ()


class Kernel:
    """A kernel of yours; made by ``Device.kernel`` and ``Device.elementwise``.

    Call it like a function of NumPy's, with arrays or tensors of the device and the parameters as keywords; in a
    program, write ``p.call(kernel, x, limit=1.5)``. It is loaded into every session of its device, also after
    ``reopen``, until it is closed or garbage, and no program calls it any more.

    Attributes:
        home: the device that it is loaded into.
        name: from ``PHX_KERNEL(name, ...)``.
        target: what it was compiled for: "v68", or a machine and a level of CPU kernels.
        descriptor: the numbers that its source declares.
    """

    def __init__(
        self,
        home: Device,
        number: int,
        code: Code,
        params: Params,
        results: Results,
        *,
        name: str,
        target: str,
        label: str,
        isolated: bool = False,
        sources: Sequence[Type] = (),
        adapter: ElementwiseCode | None = None,
    ) -> None:
        self.home, self._number = home, number
        self.name, self.target, self.label = name, target, label
        self.code = code
        self.params, self.results, self.isolated = params, results, isolated
        self.adapter, self.sources = adapter, tuple(sources)
        self.descriptor, _ = elf.read(code.images[target], target)
        self._programs: OrderedDict[object, Program] = OrderedDict()
        self._tried: set[object] = set()
        self._is_open = True
        if self.descriptor.n_params != len(params.dtypes):
            raise ArgumentError(
                f"{name} has {self.descriptor.n_params} words of parameters, {len(params.dtypes)} are declared",
                hint='declare them in order: params={"limit": np.float32}, or --param limit=float32:0.5 of a command',
            )
        if self.sources and len(self.sources) != self.descriptor.n_src:
            raise ArgumentError(
                f"{name} has {self.descriptor.n_src} sources, {len(self.sources)} dtypes of sources are declared"
            )
        if not 0 <= results.like < self.descriptor.n_src:
            raise ArgumentError(f"like is {results.like}: {name} has {self.descriptor.n_src} sources")

    # --- What programs need ---

    @property
    def number(self) -> int:
        """Its number in the sessions of its device."""
        if not self._is_open:
            raise ClosedError(f"{self!r} cannot be used")
        return self._number

    def where(self, log: Sequence[str]) -> str:
        """Return the place of a crash in it, given the lines of a log; an empty string if they do not say it."""
        for line in reversed(log):
            found = re.search(_CRASH.format(re.escape(self.label)), line)
            if found is not None:
                return self.place(int(found[2], 16), int(found[1], 16))
        return ""

    def place(self, offset: int, address: int | None = None) -> str:
        """Return the place of an instruction, at an offset from the start of the image, and the address it used."""
        line = lines.line_of(self.code.lines, offset)
        source = f", {self.code.name} line {line}" if line else ""
        return f" at +{offset:#x}{source}{'' if address is None else faults.used(address)}"

    def prepare(
        self, p: Graph, sources: Sequence[Value], shape: Any, dtype: Any, params: Mapping[str, float]
    ) -> tuple[Sequence[Value], list[Operand], bytes]:
        """Return the sources as the kernel takes them, the shapes and types of the results, and the parameters.

        Raises:
            ArgumentError: the arguments are not those of the kernel.
        """
        self._check_number(sources, params)
        words = self.params.pack(repr(self), params)
        for i, value in enumerate(sources):
            if value.gguf_type not in TYPES:
                kernel_type(value.gguf_type.name, f"source {i} of {self!r}")
            if self.sources and value.gguf_type != self.sources[i]:
                wanted = dtype_of(self.sources[i])
                raise ArgumentError(
                    f"source {i} of {self!r} is {value.dtype}: expected {wanted}",
                    hint=f'x.astype("{wanted}") converts it',
                )
        if self.adapter is not None:
            sources, results = self.adapter.prepare(repr(self), sources)
            return sources, results, words
        rule = self.results
        if shape is not None or dtype is not None:
            rule = Results(rule.like, rule.shape if shape is None else shape, rule.dtype if dtype is None else dtype)
        given = [(value.shape, value.gguf_type) for value in sources]
        results = rule.of(repr(self), given, self.descriptor.n_dst, params)
        return [_contiguous(value) for value in sources], results, words

    def _check_number(self, sources: Sequence[object], params: Mapping[str, float]) -> None:
        """Refuse another number of sources than the kernel has."""
        n, wanted = len(sources), self.descriptor.n_src
        if n != wanted:
            missing = [name for name in self.params.dtypes if name not in params]
            raise ArgumentError(
                f"{self!r} takes {wanted} {'source' if wanted == 1 else 'sources'}, not {n}",
                hint=f"pass parameters by name: {', '.join(f'{one}=...' for one in missing)}"
                if n > wanted and missing else "",
            )  # fmt: skip

    def shaped(self, result: Value, sources: Sequence[Value]) -> Value:
        """Return a result in the shape that users expect: that of all sources broadcast, of an elementwise kernel."""
        if self.adapter is None:
            return result
        return result.reshape(np.broadcast_shapes(*(value.shape for value in sources)))

    # --- For users ---

    def __call__(
        self,
        *sources: Argument,
        shape: Any = None,
        dtype: Any = None,
        timeout: float | None = None,
        **params: float,
    ) -> Any:
        """Run the kernel and return its result, a new tensor, or a tuple of several.

        Args:
            sources: arrays, which are copied, or tensors of the device, which are not.
            shape, dtype: of the result, or a sequence with those of several; by default as the kernel declares.
            timeout: seconds; by default the device's.
            params: the kernel's parameters by name.

        Raises:
            ArgumentError: the arguments are not those of the kernel.
            KernelError: the kernel returned an error; the message is its own.
            DeviceLostError: it crashed; DspTimeoutError: it did not return in time. On "cpu" and "loopback" with
                ``isolated``, it ends a child process, and the device goes on; otherwise the device needs ``reopen``.
        """
        return self.run_with_report(*sources, shape=shape, dtype=dtype, timeout=timeout, **params)[0]

    def run_with_report(
        self,
        *sources: Argument,
        shape: Any = None,
        dtype: Any = None,
        timeout: float | None = None,
        **params: float,
    ) -> tuple[Any, Report | None]:
        """Run the kernel; return its result and a report of what it cost, or None from a child process."""
        self._check_number(sources, params)
        given = [self._checked(i, source) for i, source in enumerate(sources)]
        if self.isolated:
            arrays = [array.numpy() if isinstance(array, Tensor) else array for array in given]
            program = self._program(given, shape, dtype, params)  # refuses wrong arguments here
            found = self.home._isolated_call(self, arrays, self._arguments(program.shapes, params), timeout)
            tensors = tuple(_copied(self.home, array) for array in found)
            return (tensors[0] if len(tensors) == 1 else tensors), None
        program = self._program(given, shape, dtype, params)
        tensors, report = program.run_with_report(*given, timeout=timeout)
        return (tensors[0] if len(tensors) == 1 else tensors), report

    def try_out(self, sources: Sequence[Value], results: Sequence[Operand], params: Mapping[str, float]) -> None:
        """Run a call of a program once in a child process, with zeros, if the kernel is isolated.

        Raises:
            DeviceLostError, DspTimeoutError, KernelError: as a call.
        """
        key = (tuple((value.shape, value.gguf_type) for value in sources), self.params.pack(repr(self), params))
        if self.isolated and key not in self._tried:
            arrays = [np.zeros(value.shape, value.dtype) for value in sources]
            self.home._isolated_call(self, arrays, self._arguments(results, params), None)
            self._tried.add(key)

    def _arguments(self, results: Sequence[Operand], params: Mapping[str, float]) -> dict[str, Any]:
        """Return the arguments of a call in another process, which knows no function for the shape."""
        values = {name: value.item() if isinstance(value, np.generic) else value for name, value in params.items()}
        if self.adapter is not None:
            return {"shape": None, "dtype": None, "params": values}
        shapes, dtypes = [shape for shape, _ in results], [dtype_of(gguf_type).name for _, gguf_type in results]
        return {"shape": shapes, "dtype": dtypes, "params": values}

    def _checked(self, i: int, source: Argument) -> npt.NDArray[Any] | Tensor:
        if isinstance(source, Tensor):
            return source
        what = f"source {i} of {self!r}"
        wanted = self._wanted(i)
        if self.adapter is not None and isinstance(source, (int, float)):
            source = np.array(source, wanted)
        array = numbers(source, what, "numbers")
        kernel_type(array.dtype, what, wanted)
        return array

    def _wanted(self, i: int) -> np.dtype[Any] | None:
        """Return the dtype that a source must have; None for any."""
        if self.adapter is not None:
            return self.adapter.dtype(i)
        return dtype_of(self.sources[i]) if self.sources else None

    def _program(
        self, given: Sequence[npt.NDArray[Any] | Tensor], shape: Any, dtype: Any, params: Mapping[str, float]
    ) -> Program:
        """Return the program of one call, which the kernel keeps."""
        words = self.params.pack(repr(self), params)
        key = (tuple((x.shape, x.gguf_type if isinstance(x, Tensor) else x.dtype.str) for x in given),
               words, repr(shape), repr(dtype))  # fmt: skip
        program = self._programs.get(key)
        if program is None:
            builder = Builder(self.home, self.home._runner)
            inputs = [builder.input(x.shape, x.gguf_type if isinstance(x, Tensor) else x.dtype) for x in given]
            prepared, results, packed = self.prepare(builder, inputs, shape, dtype, params)
            made = builder.op_call(self, prepared, results, packed)
            builder.output(*(self.shaped(value, inputs) for value in made))
            program = builder.compile()
            while len(self._programs) >= _MAX_PROGRAMS:
                self._programs.popitem(last=False)
            self._programs[key] = program
        self._programs.move_to_end(key)
        return program

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the kernel to a file, which ``Device.kernel`` opens without a compiler: on boards, for example.

        The file (.phxk) has the compiled code for v68 and for the CPUs of boards and of this machine, the source, and
        the declarations of parameters and results.

        Raises:
            ArgumentError: the result's shape is a function, which cannot be saved; pass it when you open the file.
            KernelError, UnsupportedError: it must be compiled for another target, and cannot.
        """
        results, code = self.results, self.code
        if callable(results.shape):
            raise ArgumentError(
                f"{self!r} has a function for the shape of its result, which cannot be saved",
                hint="give shape to Device.kernel when you open the file, and none now",
            )
        images = dict(code.images)
        for target in archive.BOARDS:
            if target not in images and code.source:
                images[target] = cache.compiled(code.source, code.name, target, code.options).image
        declared = {
            "name": self.name,
            "file": Path(code.name).name,
            "options": list(code.options),
            "params": {name: dtype.name for name, dtype in self.params.dtypes.items()},
            "sources": [dtype_of(source).name for source in self.sources] or None,
            "like": results.like,
            "shape": results.shape,
            "dtype": dtype_names(results.dtype),
            "elementwise": None if self.adapter is None else self.adapter.declared,
        }
        archive.save(archive.Saved(declared, code.source, images), Path(path))

    def check(
        self, *examples: Argument | Sequence[Argument], against: Any = None, timeout: float = 60.0, **params: float
    ) -> Any:
        """Compare the kernel on the CPU and in the emulator of the DSP, and measure it.

        Args:
            examples: the sources of one call; or lists of sources, one for each call.
            against: a function of arrays and the parameters, usually NumPy's, that returns what the kernel must return.
            timeout: seconds for each call.
            params: the kernel's parameters.

        Returns:
            Packets, stalls, stack and the hot loop of the last call, as attributes; as a string, a report of them.

        Raises:
            KernelError: results differ, or the kernel accesses memory outside its tensors; the message names the
                engine and the first difference.
            UnsupportedError: ``pyhexagon get-qemu`` has not been run.
        """
        return self.home._check_kernel(self, examples, against, timeout, params)

    def close(self) -> None:
        """Unload it. Programs that call it cannot run any more. A second call does nothing."""
        if self._is_open:
            self._is_open = False
            self._programs.clear()
            self.home._unload_kernel(self._number)

    def __del__(self) -> None:
        if getattr(self, "_is_open", False):
            self._is_open = False
            self.home._unload_kernel(self._number)

    def __repr__(self) -> str:
        n = self.descriptor
        names = ", ".join([f"{n.n_src} sources" if n.n_src > 1 else "1 source", *self.params.dtypes])
        machine = "DSP" if self.target == toolchain.HEXAGON else "CPU"
        return f"<Kernel {self.name}({names}) for {machine} {self.target}{'' if self._is_open else ', closed'}>"


def _contiguous(value: Value) -> Value:
    """Return a value in at least one dimension."""
    return value.reshape(1) if value.ndim == 0 else value


def _copied(home: Device, array: npt.NDArray[Any]) -> Tensor:
    """Return a tensor with the content of an array."""
    buffer = home._memory.allocate(max(array.nbytes, 1))
    gguf_type: Type = kernel_type(array.dtype, "a result")
    tensor = Tensor(home, buffer, gguf_type, array.shape, array.nbytes)
    buffer.bytes[: array.nbytes].view(dtype_of(gguf_type)).reshape(array.shape)[...] = array
    return tensor
