# SPDX-License-Identifier: MIT
"""The part of a device that has to do with user kernels. The compiler's side is imported when it is first used."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy.typing as npt

from pyhexagon.process.user_kernels import Image, UserKernels

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.kernels.check import Checked
    from pyhexagon.kernels.isolation import Isolation
    from pyhexagon.kernels.kernel import Kernel
    from pyhexagon.kernels.signature import DTypes, Shapes
    from pyhexagon.process.locate import Target
    from pyhexagon.process.session import Session


class KernelMethods:
    """A base class of ``Device``."""

    name: str
    _target: Target
    _lock: threading.Lock
    _isolation: Isolation | None = None

    if TYPE_CHECKING:

        @property
        def _sessions(self) -> list[Session]: ...

    def __init__(self) -> None:
        self._user_kernels = UserKernels()
        self._unloaded = deque[int]()

    def kernel(
        self,
        source: str | os.PathLike[str],
        *,
        sources: DTypes | None = None,
        params: Mapping[str, npt.DTypeLike] | None = None,
        like: int = 0,
        shape: Shapes | None = None,
        dtype: DTypes | None = None,
        isolated: bool = True,
        options: Sequence[str] = (),
    ) -> Kernel:
        """Compile a kernel of yours in C, with or without HVX intrinsics, and load it: docs/own-kernels.md.

            threshold = device.kernel(source, params={"limit": np.float32})
            y = threshold(x, limit=1.5)             # x: an array or a tensor
            y = p.call(threshold, x, limit=1.5)     # in a program p

        Args:
            source: C source that includes ``pyhexagon_kernel.h``; or the path of a file with it, or of a file (.phxk)
                that ``Kernel.save`` wrote, which needs no compiler. On a board, the name of a file that ``pyhexagon
                deploy --kernel`` copied.
            sources: the dtype of its source, or a sequence for several: a call with others raises an error. By default
                it takes any, and must look at ``call->src[i].dtype`` itself.
            params: the dtypes of its parameters by name, in the order of their words: float32, or an integer of at most
                32 bits.
            like: the source whose shape and dtype the results have, unless the next two say otherwise.
            shape: of the result; or a sequence of shapes for several; or a function that returns either, given the
                shapes of the sources, and the parameters as keywords.
            dtype: of the result, or a sequence for several.
            isolated: on "cpu" and "loopback", whether calls run in a child process, which a faulty kernel ends instead
                of this process. A call in a program runs there once, with zeros, before it runs in this process.
            options: for the compiler, such as ``["-DN=4"]``.

        Raises:
            KernelError: it does not compile, the message has the lines of the source; or the DSP refuses it.
            UnsupportedError: there is no compiler; the hint says how to install it.
            ArgumentError: the arguments do not fit the kernel.
        """
        from pyhexagon.kernels import load

        host = cast("Device", self)
        return load.kernel(
            host, source, sources=sources, params=params, like=like, shape=shape, dtype=dtype, isolated=isolated,
            options=options,
        )  # fmt: skip

    def elementwise(
        self, arrays: str, result: str, body: str, *, name: str = "elementwise", isolated: bool = True
    ) -> Kernel:
        """Make a kernel from an expression, which the compiler vectorizes for HVX and for CPUs.

            blend = device.elementwise("uint8 a, uint8 b, int32 w", "uint8 out", "out = (a * w + b * (256 - w)) >> 8")
            c = blend(a, b, w=77)

        Args:
            arrays: dtypes and names of arrays, then of parameters after a ``;``. Without one, int32, uint32 and float32
                are parameters where other dtypes are arrays.
            result: dtype and name of the result, or of several.
            body: C statements that assign the results. Arithmetic is C's: 8 and 16 bits become 32.
            name: of the kernel, in messages and reports.
            isolated: as for ``kernel``.

        Arrays are broadcast as NumPy does it. The rest is as for ``kernel``.
        """
        from pyhexagon.kernels import load

        return load.elementwise(cast("Device", self), arrays, result, body, name=name, isolated=isolated)

    # --- For kernels ---

    @property
    def _kernel_target(self) -> str:
        """What kernels of this device are compiled for."""
        from pyhexagon.kernels import toolchain

        if self._sessions[0].info.arch:
            return toolchain.HEXAGON
        return toolchain.this_cpu(self._target.skel.parent.name)

    def _load_kernel(self, image: Image) -> int:
        """Load a kernel into all sessions and return its number."""
        with self._lock:
            self._unload_dropped()
            number = self._user_kernels.add(image)
            self._load_into_sessions(number, image)
        return number

    def _load_into_sessions(self, number: int, image: Image) -> None:
        try:
            for session in self._sessions:
                session.load_kernel(number, image)
        except BaseException:
            self._user_kernels.remove(number)  # sessions that open from now on do not load it
            self._unloaded.append(number)
            raise

    def _unload_kernel(self, number: int) -> None:
        """Unload a kernel when the next one is loaded: the garbage collector may call this."""
        self._unloaded.append(number)

    def _unload_dropped(self) -> None:
        while self._unloaded:
            number = self._unloaded.popleft()
            self._user_kernels.remove(number)
            for session in self._sessions:
                session.unload_kernel(number)

    def _isolated_call(
        self, kernel: Kernel, arrays: Sequence[npt.NDArray[Any]], arguments: Mapping[str, Any], timeout: float | None
    ) -> list[npt.NDArray[Any]]:
        """Run a kernel in a child process and return its results."""
        from pyhexagon.kernels.isolation import Isolation

        if self._isolation is None:
            self._isolation = Isolation(self.name, self._sessions[0].info.n_threads)
        timeout = cast("Device", self).timeout if timeout is None else timeout
        return self._isolation.call(kernel, arrays, arguments, timeout)

    def _copy_kernel(self, kernel: Kernel) -> Kernel:
        """Load a kernel of another device, which runs in this process."""
        from pyhexagon.kernels import load

        return load.make(
            cast("Device", self), kernel.name, kernel.code, kernel.params, kernel.results, isolated=False,
            sources=kernel.sources, adapter=kernel.adapter,
        )  # fmt: skip

    def _check_kernel(
        self, kernel: Kernel, examples: Sequence[Any], against: Any, timeout: float, params: Mapping[str, Any]
    ) -> Checked:
        """Check a kernel in the emulator of the DSP."""
        from pyhexagon.kernels import check

        return check.check(type(self), kernel, examples, against, timeout=timeout, params=params)

    def _close_kernels(self) -> None:
        if self._isolation is not None:
            self._isolation.close()
