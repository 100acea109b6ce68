# SPDX-License-Identifier: MIT
"""The main program of a child process that runs kernels for CPUs: isolation.py."""

from __future__ import annotations

import resource
import socket
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyhexagon._ffi.native_library import native_library
from pyhexagon.errors import HexagonError
from pyhexagon.kernels import load
from pyhexagon.kernels.elementwise import ElementwiseCode
from pyhexagon.kernels.isolation import Array, receive, send
from pyhexagon.kernels.kernel import Code, Kernel
from pyhexagon.kernels.signature import Params, Results

if TYPE_CHECKING:
    from pyhexagon.device import Device


def main(open_device: Callable[..., Any]) -> None:
    """Answer calls until the parent closes its end.

    Args:
        open_device: ``Device``, which this package does not know.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    native_library().phx_report_faults(2)
    with socket.socket(fileno=0) as parent, parent.makefile("rwb") as stream:
        setup, _ = receive(stream)
        kernels: dict[str, Kernel] = {}
        with open_device(setup["name"], threads=setup["threads"], profile=False) as device:
            while True:
                try:
                    request, arrays = receive(stream)
                except EOFError:
                    break
                _serve(device, kernels, request, arrays, stream)
            for kernel in kernels.values():
                kernel.close()


def _serve(
    device: Device, kernels: dict[str, Kernel], request: Mapping[str, Any], arrays: list[Array], stream: Any
) -> None:
    try:
        if "kernel" in request:
            kernels[request["key"]] = _loaded(device, request["kernel"], arrays.pop().tobytes())
            send(stream, {}, [])
        shape = request["shape"]
        made = kernels[request["key"]](
            *arrays, shape=None if shape is None else load.tuples(shape), dtype=request["dtype"],
            timeout=request["timeout"] + 60, **request["params"],
        )  # fmt: skip
        results = made if isinstance(made, tuple) else (made,)
        send(stream, {}, [result.numpy() for result in results])
    except HexagonError as error:
        send(stream, {"error": type(error).__name__, "detail": error.detail, "hint": error.hint}, [])


def _loaded(device: Device, declared: Mapping[str, Any], image: bytes) -> Kernel:
    adapter = None if declared["elementwise"] is None else ElementwiseCode(*declared["elementwise"])
    code = Code("", declared["name"], (), {declared["target"]: image})
    params = Params({name: np.dtype(dtype) for name, dtype in declared["params"].items()})
    return load.make(device, declared["name"], code, params, Results(declared["like"]), isolated=False, adapter=adapter)
