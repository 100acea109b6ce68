# SPDX-License-Identifier: MIT
"""The overhead of Python on a small matmul: the whole call next to a bare C call with the same bytes, in one run.

For each transport, bursts alternate between the bare call, ``device.matmul(x, w).numpy()``, and the same matmul timed
step by step. All figures are medians. A separate program stays alive for the bare call; its request, copied into the
session's area before each burst, names memory that nothing else uses.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median
from typing import Any, Final

import cffi
import numpy as np
from gguf import GGMLQuantizationType

from pyhexagon._ffi import contract, dspqueue
from pyhexagon._ffi._generated import ffi
from pyhexagon.bench import accuracy, blocks
from pyhexagon.bench.timed import TimedTransport
from pyhexagon.device import Device
from pyhexagon.errors import HexagonError, check
from pyhexagon.process.session import Session
from pyhexagon.process.transport import NAMES, Area
from pyhexagon.process.transport.queue import QueueTransport
from pyhexagon.program import wire
from pyhexagon.tensor import Tensor

ROUNDS: Final = 40
_BURST: Final = 25
_WARM_UP: Final = 20
_N, _K, _M = 64, 256, 1
_TYPE: Final = GGMLQuantizationType.Q4_0
_READ_TIMEOUT_US: Final = 1_000_000
_FLAGS: Final = dspqueue.FLUSH_SENDER | dspqueue.INVALIDATE_RECIPIENT

BARE: Final = (
    "remote_handle64_invoke, or dspqueue_write_noblock and dspqueue_read, called through cffi on the main thread with "
    "every argument prepared; the time of a C function that does nothing, timed the same way, is subtracted once per "
    "call. The DSP's work is included."
)

Call = Callable[[], None]


def run(device: str | None, transport: str | None, done: Callable[[], None]) -> dict[str, Any]:
    """Measure the transports that work, or the requested one.

    Args:
        done: called after each of ``ROUNDS`` rounds.
    """
    with Device(device, transport=transport) as opened:
        probes = opened._session.probes
        working = [name for name in NAMES if isinstance(probes.get(name), float)]
    benches: list[_Bench] = []
    try:
        for name in working:
            benches.append(_Bench(device, name))  # noqa: PERF401 - the earlier ones are closed if a later one fails
        nothing = _nothing()
        for bench in benches:
            bench.warm_up()
        idle: list[int] = []
        for _ in range(ROUNDS):
            idle += _burst(nothing)
            for bench in benches:
                bench.round()
            done()
        overhead = median(idle) / 1e3
        return {
            "device": benches[0].device.name,
            "case": {"type": _TYPE.name, "n": _N, "k": _K, "m": _M},
            "bare": BARE,
            "us_nothing": overhead,
            "transports": [bench.result(overhead) for bench in benches],
            "transports_not_measured": {name: text for name, text in probes.items() if isinstance(text, str)},
        }
    finally:
        for bench in benches:
            bench.device.close()


class _Bench:
    """One transport: its own device, a weight, activations, and the bare call."""

    def __init__(self, device: str | None, transport: str) -> None:
        self.device = Device(device, transport=transport)
        try:
            self._weight = self.device.pack(_TYPE, blocks.random_blocks(_TYPE, _N, _K, 0), (_N, _K))
            self._x = accuracy.normal(_M, _K, 0)
            self._bare = _Bare(self.device, self._weight, self._x)
        except BaseException:
            self.device.close()
            raise
        self._bare_ns: list[int] = []
        self._matmul_ns: list[int] = []
        self._dsp_ns: list[int] = []
        self._steps_ns: list[tuple[int, ...]] = []

    def warm_up(self) -> None:
        self._bare.prepare()
        _burst(self._bare.call, _WARM_UP)
        self._bare.check()
        _burst(self._matmul, _WARM_UP)

    def round(self) -> None:
        self._bare.prepare()
        self._bare_ns += _burst(self._bare.call)
        self._matmul_ns += _burst(self._matmul)
        with TimedTransport(self.device._session) as transport:
            for _ in range(_BURST):
                self._step_by_step(transport)

    def _matmul(self) -> None:
        self.device.matmul(self._x, self._weight).numpy()

    def _step_by_step(self, transport: TimedTransport) -> None:
        clock = time.perf_counter_ns
        at = [clock()]
        y = self.device.matmul(self._x, self._weight)
        at += [round(transport.start * 1e9), round(transport.end * 1e9), clock()]
        array = y.numpy()
        at.append(clock())
        del array, y
        at.append(clock())
        self._steps_ns.append(tuple(end - start for start, end in pairwise(at)))
        if transport.sent is not None:
            area, _, response_size = transport.sent
            response = wire.Response.of(area.response(response_size).tobytes())
            self._dsp_ns.append(response.end_ns - response.start_ns)

    def result(self, overhead: float) -> dict[str, Any]:
        matmul = median(self._matmul_ns) / 1e3 - overhead
        bare = median(self._bare_ns) / 1e3 - overhead * self._bare.n_calls
        before, carried, after, array, drop = (median(column) / 1e3 for column in zip(*self._steps_ns, strict=True))
        return {
            "transport": self.device._session.transport.name,
            "runs": len(self._matmul_ns),
            "us_matmul": matmul,
            "us_bare": bare,
            "us_dsp": median(self._dsp_ns) / 1e3,
            "us_above": matmul - bare,
            "ratio": matmul / bare,
            "stages": {
                "activation copy, room for the result, message": before,
                "transport above the bare call: threads, waiting, checks": carried - bare,
                "response, giving memory back": after,
                "result array": array,
                "end of the result": drop,
            },
        }


class _Bare:
    """The C call of a session's transport, without any avoidable Python around it.

    It reaches into the session and its transport on purpose: their overhead is what the benchmark measures.
    """

    def __init__(self, device: Device, weight: Tensor, x: accuracy.F32) -> None:
        session = device._session
        with device.program() as p:
            p.output(p.matmul(p.input(x.shape), weight))
        self._program, self._x = p.compile(), device.tensor(x)  # these keep the request's buffers alive
        self._program(self._x)
        with TimedTransport(session) as transport:
            self._result = self._program(self._x)
        if transport.sent is None:
            raise HexagonError("no request was sent")
        self._area, request_size, self._response_size = transport.sent
        self._request = bytes(self._area.request(request_size))
        carrier = session.transport
        if isinstance(carrier, QueueTransport):
            self.n_calls = 2
            self.call = _bare_queue(session, carrier, self._area, request_size, self._response_size)
        else:
            self.n_calls = 1
            self.call = _bare_invoke(session, self._area, request_size, self._response_size)

    def prepare(self) -> None:
        """Copy the request into the area again."""
        self._area.request(len(self._request))[:] = np.frombuffer(self._request, np.uint8)

    def check(self) -> None:
        """Raise unless the DSP answers the bare call: a call that does nothing would be fast."""
        self._area.response(self._response_size)[:] = 0
        self.call()
        response = bytes(self._area.response(self._response_size))
        if status := wire.Response.of(response).status:
            raise HexagonError(f"the bare call was answered with status {status}")


def _bare_invoke(session: Session, area: Area, request_size: int, response_size: int) -> Call:
    prepared = session.opened.stub.prepare_run(area.request(request_size), area.response(response_size))
    invoke, handle = session._library.remote_handle64_invoke, session.opened.handle
    assert handle is not None
    scalars, arguments = prepared.scalars, prepared._arguments

    def call() -> None:
        rc = invoke(handle, scalars, arguments)
        if rc:
            check("remote_handle64_invoke", rc)

    call.__dict__["keep"] = prepared  # the arguments point into it
    return call


def _bare_queue(session: Session, carrier: QueueTransport, area: Area, request_size: int, response_size: int) -> Call:
    library, queue = session._library, carrier._queue._queue
    buffers = ffi.new(
        "struct dspqueue_buffer[]",
        [
            {"fd": area.buffer.fd, "size": request_size, "offset": 0, "flags": _FLAGS},
            {"fd": area.buffer.fd, "size": response_size, "offset": area.response_offset, "flags": _FLAGS},
        ],
    )
    request = ffi.new("uint8_t[]", contract.MESSAGE.pack(contract.MessageKind.RUN, 0, 0))
    size = contract.MESSAGE.size
    answer, read_buffers = ffi.new("uint8_t[]", size), ffi.new("struct dspqueue_buffer[]", dspqueue.MAX_BUFFERS)
    flags, n_buffers, length = (ffi.new("uint32_t *") for _ in range(3))
    write, read = library.dspqueue_write_noblock, library.dspqueue_read

    def call() -> None:
        rc = write(queue, 0, 2, buffers, size, request) or read(
            queue, flags, dspqueue.MAX_BUFFERS, n_buffers, read_buffers, size, length, answer, _READ_TIMEOUT_US
        )
        if rc:
            check("dspqueue_read", rc)

    return call


def _nothing() -> Call:
    """Return a call of a C function that does nothing, through cffi like the others."""
    c = cffi.FFI()
    c.cdef("int abs(int);")
    function: Callable[[int], int] = getattr(c.dlopen(None), "abs")  # noqa: B009 - cffi has no types for it

    def call() -> None:
        function(0)

    return call


def _burst(call: Call, count: int = _BURST) -> list[int]:
    """Return nanoseconds of each of ``count`` calls."""
    clock, times = time.perf_counter_ns, []
    for _ in range(count):
        start = clock()
        call()
        times.append(clock() - start)
    return times
