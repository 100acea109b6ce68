# SPDX-License-Identifier: MIT
"""Run kernels for CPUs in a child process: a fault or an endless loop ends the child, and a new one serves later calls.

Requests and answers are a line of JSON followed by the bytes of the arrays.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon import errors
from pyhexagon.errors import DeviceLostError, DspTimeoutError, HexagonError
from pyhexagon.kernels import faults

if TYPE_CHECKING:
    from pyhexagon.kernels.kernel import Kernel

START_TIMEOUT: Final = 60.0
_MAIN: Final = "from pyhexagon.device import Device; from pyhexagon.kernels.child import main; main(Device)"
_CRASH: Final = re.compile(r"at address (\S+), pc kernel\+0x([0-9a-f]+)")

Array = npt.NDArray[Any]


class Isolation:
    """A child process with a device of its own. Any thread may call it, one at a time.

    Args:
        name: the device's name.
        n_threads: the number of its threads.
    """

    def __init__(self, name: str, n_threads: int) -> None:
        self._setup = {"name": name, "threads": n_threads, "path": sys.path}
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def call(
        self, kernel: Kernel, arrays: Sequence[Array], arguments: Mapping[str, Any], timeout: float
    ) -> list[Array]:
        """Run a kernel and return its results.

        Raises:
            DeviceLostError: it crashed. DspTimeoutError: it took longer. Others: as in this process.
        """
        with self._lock:
            return self._call(kernel, arrays, arguments, timeout)

    def _call(
        self, kernel: Kernel, arrays: Sequence[Array], arguments: Mapping[str, Any], timeout: float
    ) -> list[Array]:
        child = self._child = self._child or _Child(self._setup)
        try:
            return child.call(kernel, arrays, arguments, timeout)
        except TimeoutError:
            self._end()
            raise DspTimeoutError(
                f"the kernel {kernel.name} did not return within {timeout:g} s; its process was ended",
                hint="does a loop of it end?",
            ) from None
        except (ConnectionError, EOFError):
            where, why = child.crash(kernel)
            self._end()
            raise DeviceLostError(
                f"the kernel {kernel.name} ended its process ({why}){where}",
                hint="this process and its device go on",
            ) from None
        except HexagonError:
            raise
        except BaseException:
            self._end()  # its answer may still come
            raise

    def close(self) -> None:
        """End the child. A second call does nothing."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()


class _Child:
    def __init__(self, setup: Mapping[str, Any]) -> None:
        self._known: set[str] = set()
        self._faults = os.memfd_create("faults", os.MFD_CLOEXEC)
        self._socket, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _MAIN],
                stdin=its.fileno(), stdout=subprocess.DEVNULL, stderr=self._faults, start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, setup["path"]))},
            )  # fmt: skip
        self._stream = self._socket.makefile("rwb")
        self._socket.settimeout(START_TIMEOUT)
        send(self._stream, {"name": setup["name"], "threads": setup["threads"]}, [])

    def call(
        self, kernel: Kernel, arrays: Sequence[Array], arguments: Mapping[str, Any], timeout: float
    ) -> list[Array]:
        declared = {
            "name": kernel.name,
            "target": kernel.target,
            "params": {name: dtype.name for name, dtype in kernel.params.dtypes.items()},
            "like": kernel.results.like,
            "elementwise": None if kernel.adapter is None else kernel.adapter.declared,
        }
        key = json.dumps([kernel.label, declared])  # one image may be declared in several ways
        request = {"key": key, "timeout": timeout, **arguments}
        self._socket.settimeout(START_TIMEOUT + timeout if key not in self._known else timeout + 1)
        if key not in self._known:
            request["kernel"] = declared
            image = np.frombuffer(kernel.code.images[kernel.target], np.uint8)
            send(self._stream, request, [*arrays, image])
            loaded, _ = receive(self._stream)
            if "error" in loaded:
                raise _error(loaded)
            self._known.add(key)
            self._socket.settimeout(timeout)
        else:
            send(self._stream, request, arrays)
        answer, results = receive(self._stream)
        if "error" in answer:
            raise _error(answer)
        return results

    def crash(self, kernel: Kernel) -> tuple[str, str]:
        """Return where the process ended, if it is known, and why."""
        self._socket.close()
        status = self._process.wait()
        why = faults.reason(-status) if status < 0 else f"exit status {status}"
        text = os.pread(self._faults, 1 << 16, 0).decode(errors="replace")
        found = _CRASH.search(text)
        if found is not None:
            return kernel.place(int(found[2], 16), int(found[1], 16) if -status in faults.MEMORY else None), why
        return "", why if status < 0 else f"{why}: {text.strip()[-500:]}"

    def close(self) -> None:
        self._socket.close()
        self._stream.close()
        self._process.kill()
        self._process.wait()
        os.close(self._faults)


def send(stream: Any, header: Mapping[str, Any], arrays: Sequence[Array]) -> None:
    """Write a line of JSON and arrays."""
    described = [{"dtype": array.dtype.str, "shape": array.shape} for array in arrays]
    stream.write(json.dumps({**header, "arrays": described}).encode() + b"\n")
    for array in arrays:
        stream.write(np.ascontiguousarray(array).tobytes())
    stream.flush()


def receive(stream: Any) -> tuple[dict[str, Any], list[Array]]:
    """Return a line of JSON and the arrays that follow it.

    Raises:
        EOFError: the other side has ended.
    """
    line = stream.readline()
    if not line.endswith(b"\n"):
        raise EOFError
    header: dict[str, Any] = json.loads(line)
    arrays = []
    for entry in header.pop("arrays"):
        dtype = np.dtype(entry["dtype"])
        n_bytes = int(np.prod(entry["shape"], dtype=np.int64)) * dtype.itemsize
        data = stream.read(n_bytes)
        if len(data) < n_bytes:
            raise EOFError
        arrays.append(np.frombuffer(data, dtype).reshape(entry["shape"]))
    return header, arrays


def _error(answer: Mapping[str, Any]) -> HexagonError:
    kind = getattr(errors, str(answer["error"]), HexagonError)
    found = kind(str(answer["detail"]), hint=str(answer["hint"]))
    assert isinstance(found, HexagonError)
    return found
