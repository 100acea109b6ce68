# SPDX-License-Identifier: MIT
"""A program: compiled once, kept by the DSP, run again and again.

Its pieces go to their sessions one after the other. The first time a piece is sent with its definition, which the skel
checks and keeps under a number; afterwards a request only says where the inputs and results of this run lie. When
something has changed that a patch cannot say (a weight has moved, a session was opened anew, other kernels are wanted)
the program is compiled again; when the skel has dropped a piece, it is defined again. No caller notices.

What a run brings in memory is its own: copies of the arrays that are handed in, and the results, which stay as they are
when the program runs again. Intermediates lie in arenas that the program keeps, by itself or with others.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, Final
from weakref import ref

import numpy as np
import numpy.typing as npt

from pyhexagon._ffi import contract
from pyhexagon.elements import host_shape
from pyhexagon.errors import ArgumentError, ClosedError, DspMemoryError, DspTimeoutError
from pyhexagon.memory.buffer import Buffer, Pin
from pyhexagon.memory.memory import rounded
from pyhexagon.process.session import Session, check_timeout
from pyhexagon.program import handed_in, wire
from pyhexagon.program.arenas import Arenas
from pyhexagon.program.compile import Piece, Plan
from pyhexagon.program.describe import describe, line
from pyhexagon.program.fusions import RULES, rewritten
from pyhexagon.program.graph import Graph, Kind
from pyhexagon.program.numbers import Numbers
from pyhexagon.program.report import Report, together
from pyhexagon.program.runner import Runner
from pyhexagon.program.switches import Stages
from pyhexagon.tensor import Tensor

_LEAST_TIMEOUT: Final = 1e-3  # seconds, when getting memory took all there was

Input = npt.ArrayLike | Tensor
_Lent = list[tuple[Tensor, Buffer]]


_NOTHING: Final = Report("", "", 0.0, 0, 0, ())


class _MovedError(Exception):
    """Something lies elsewhere than where the program was compiled for."""


class Program:
    """Ops that run together; made by the ``compile`` of what ``Device.program`` gives.

    Any thread may run it, one run at a time. It keeps the tensors that it reads.
    """

    def __init__(
        self,
        graph: Graph,
        runner: Runner,
        *,
        keep: bool = True,
        without: Collection[str] = (),
        arenas: Arenas | None = None,
    ) -> None:
        """A compiled graph.

        Args:
            graph: what it computes; it may be built on afterwards, which changes nothing here.
            runner: what all programs of the device share.
            keep: whether it keeps the tensors that it reads.
            without: names of rules that shall not rewrite it.
            arenas: shared with programs that do not run at the same time.

        Raises:
            ArgumentError: it has no output, and writes to no tensor.
            ClosedError: a tensor that it reads was closed.
        """
        if not graph.outputs and all(node.result.storage.kind is Kind.RESULT for node in graph.nodes):
            raise ArgumentError("a program without outputs", hint="p.output(value) makes a value one")
        self.runner = runner
        self._owner = graph.owner
        self._nodes, self._without = tuple(graph.nodes), tuple(without)
        self._inputs, self._outputs = tuple(graph.inputs), tuple(graph.outputs)
        self._constants = [ref(tensor) for tensor in graph.tensors]
        self._tensors = list(graph.tensors) if keep else []
        self._expected = [
            (host_shape(port.storage.gguf_type, port.shape), port.storage.dtype, port.order) for port in self._inputs
        ]
        self._written = [
            node.result.storage.tensor for node in self._nodes if node.result.storage.kind is Kind.CONSTANT
        ]
        # Results first: so a loop that drops them gets the same memory from the pool each time.
        self._sizes = [rounded(max(port.storage.nbytes, 1)) for port in (*self._outputs, *self._inputs)]
        self._arenas = arenas or Arenas(runner.memory)
        self._lock = self._arenas.lock
        self._kept: list[_Kept] = []
        with self._lock:
            self._compile()

    # --- For users ---

    def __call__(self, *inputs: Input, out: Tensor | None = None, timeout: float | None = None) -> Tensor:
        """Runs it and returns its only output. Otherwise as ``run``.

        Args:
            out: a float32 tensor of the output's shape to write it to; by default a new one. Its content is undefined
                when the DSP fails.
        """
        if len(self._outputs) != 1:
            raise ArgumentError(f"{self!r} has {len(self._outputs)} outputs", hint="program.run(...) returns them all")
        return self._run(inputs, timeout, 0, out)[0][0]

    def run(self, *inputs: Input, timeout: float | None = None) -> tuple[Tensor, ...]:
        """Runs it and returns its outputs, each a tensor of its own.

        Args:
            inputs: an array or a tensor for each, of its shape and dtype; an array is copied, a tensor is not.
            timeout: seconds; by default the device's.

        Raises:
            ArgumentError: the inputs do not fit; the message says how.
            DspTimeoutError: no answer in time; the device needs ``reopen``.
            DeviceLostError: the DSP process died; the device needs ``reopen``.
            BatchError: the skel refused it, or an op failed.
            ClosedError: a tensor was closed.
        """
        return self._run(inputs, timeout, 0)[0]

    def run_with_report(self, *inputs: Input, timeout: float | None = None) -> tuple[tuple[Tensor, ...], Report]:
        """The same, and what each op cost."""
        return self._run(inputs, timeout, contract.RECORDS)

    def __repr__(self) -> str:
        return f"<Program of {len(self._nodes)} ops on {self.runner.name}>"

    # --- A run ---

    def _run(
        self, inputs: Sequence[Input], timeout: float | None, flags: int, out: Tensor | None = None
    ) -> tuple[tuple[Tensor, ...], Report]:
        runner = self.runner
        timeout = runner.timeout if timeout is None else check_timeout(timeout)
        memory = runner.memory
        if len(inputs) != len(self._inputs):
            raise ArgumentError(f"{self!r} has {len(self._inputs)} inputs, {len(inputs)} were given")
        taken: list[npt.NDArray[Any] | Tensor] = []
        sizes, n_results = self._sizes, len(self._outputs)
        lent: _Lent = []
        for (shape, dtype, _), given in zip(self._expected, inputs):  # noqa: B905 - they are as many
            if type(given) is np.ndarray and given.shape == shape and given.dtype == dtype:
                taken.append(given)
                continue
            port = self._inputs[len(taken)]
            x = handed_in.fitting(self._owner, f"input {len(taken)} of {self!r}", port, given)
            taken.append(x)
            if isinstance(x, Tensor):
                lent.append((x, x.buffer))
        if out is not None:
            handed_in.check_out(self._owner, self._outputs[0], out)
            if any(x is out for x in taken) or any(constant() is out for constant in self._constants):
                raise ArgumentError("out is the operand itself: it is not computed in place")
            out.buffer.version += 1  # programs of which it is a constant must look at it again
            n_results = 0
        if lent or out is not None:
            of_inputs = zip(sizes[len(self._outputs) :], taken, strict=True)
            sizes = [*sizes[:n_results], *(size for size, x in of_inputs if not isinstance(x, Tensor))]
        results: list[Buffer] = []
        staging: list[Buffer] = []
        try:  # not within the lock: Ctrl-C on the line of a `try` there would leave it held
            with self._lock:
                fresh = memory.take(sizes)
                results, staging = fresh[:n_results], fresh[n_results:]
                bound = self._bring(taken, staging)
                if out is None:
                    bound += results
                else:
                    lent.append((out, out.buffer))
                    bound.append(out.buffer)
                report = self._run_pieces(bound, lent, timeout, flags)
                self._tell_others()
        except BaseException:
            for buffer in results:
                buffer.reusable = False  # the DSP may have written there, and not yet written its caches back
            memory.dropped.extend(results)
            raise
        finally:
            memory.dropped.extend(staging)
        if out is not None:
            return (out,), report
        made = []
        for (storage, shape, order), buffer in zip(self._outputs, results, strict=True):
            made.append(Tensor(self._owner, buffer, storage.gguf_type, shape, storage.nbytes, order=order))
        return tuple(made), report

    def _tell_others(self) -> None:
        """Tensors that ops have written: what other sessions have of them in their caches is old."""
        if len(self.runner.memory.placement.sessions) > 1:
            for tensor in self._written:
                if tensor is not None and tensor._buffer is not None:
                    tensor._buffer.version += 1

    def _bring(self, taken: Sequence[npt.NDArray[Any] | Tensor], staging: Sequence[Buffer]) -> list[Buffer]:
        """The memory of all inputs, to which arrays are copied."""
        tracer = self.runner.tracer
        brought: list[Buffer] = []
        places = iter(staging)
        for (shape, dtype, order), x in zip(self._expected, taken):  # noqa: B905 - they are as many
            if isinstance(x, Tensor):
                brought.append(x.buffer)
                continue
            buffer = next(places)
            brought.append(buffer)
            staged: npt.NDArray[Any] = np.ndarray(shape, dtype, buffer.bytes, 0, None, order)
            if tracer is None:
                staged[...] = x
            else:
                with tracer.span("copy", bytes=x.nbytes):
                    staged[...] = x
        return brought

    def _run_pieces(self, brought: list[Buffer], lent: _Lent, timeout: float, flags: int) -> Report:
        """Runs all of them; from the start again when something has moved in between.

        Args:
            brought: the memory of inputs and results.
            lent: the tensors that some of it belongs to.
        """
        runner, placement = self.runner, self.runner.memory.placement
        deadline = time.monotonic() + timeout
        while True:
            if self._kernels != runner.kernels or self._switches is not runner.switches:
                self._compile()
            reports: list[Report] = []
            at = 0
            try:
                if self._epoch != placement.epoch:
                    self._check_homes()
                while at < len(self._kept):
                    if at and time.monotonic() > deadline:
                        done, n_ops = self._kept[at].piece.first, self._kept[-1].piece.end
                        raise DspTimeoutError(f"{done} of {n_ops} ops took {timeout:g} s; the rest was not sent")
                    kept = self._kept[at]
                    bound = [*brought, *(self._arenas.buffers[user] for user in self._plan.arenas)]
                    if self._switches.verbose:
                        _print_ops(kept)
                    if flags or runner.tracer is not None:
                        report = self._run_watched(kept, bound, lent, deadline)
                        is_done = report is not None
                        reports += [report] if report is not None else []
                    else:
                        is_done = kept.send(self, bound, lent, deadline) is not None
                    if is_done:
                        at += 1
                    else:
                        self._split(at)
            except _MovedError:
                if time.monotonic() > deadline:
                    raise DspTimeoutError(f"what the program needs was moved about for {timeout:g} s") from None
                self._compile()
                continue
            if not flags:
                return _NOTHING
            return together(reports) or _NOTHING._replace(device=runner.name, transport=self._transport)

    def _run_watched(self, kept: _Kept, bound: list[Buffer], lent: _Lent, deadline: float) -> Report | None:
        """Runs one and tells what it cost; None if not all it needs can be mapped at once."""
        runner, flags = self.runner, contract.RECORDS
        piece, tracer, start = kept.piece, runner.tracer, 0
        if tracer is not None:
            flags |= contract.THREAD_RECORDS
            tracer.prepare(piece.session, runner.name, runner.timeout)
            start = time.perf_counter_ns()
        try:
            response = kept.send(self, bound, lent, deadline, flags=flags)
        except BaseException as problem:
            if tracer is not None:
                tracer.failed(start, len(piece.ops), problem)
            raise
        if response is None:
            return None
        sent, received = kept.marks
        report = wire.report(piece, response, flags, runner.name, (received - sent) / 1e9)
        if self._switches.on:
            report = report._replace(switches=self._switches.on)
        if tracer is not None:
            marks = start, sent, received, time.perf_counter_ns()
            tracer.request(piece.session, marks, report, partial(describe, piece))
        return report

    # --- Memory ---

    def _pin(self, kept: _Kept, bound: list[Buffer], lent: _Lent, deadline: float) -> Pin | None:
        """The buffers of a piece, pinned and mapped where it will run; None if they do not fit all at once.

        What does not fit because of other threads' runs waits for their end.
        """
        memory, piece = self.runner.memory, kept.piece
        session = piece.session
        while True:
            with memory.lock:
                for constant in self._constants:
                    tensor = constant()
                    if tensor is None or tensor._buffer is None:
                        raise ClosedError(f"{tensor!r} of {self!r} cannot be used")
                for tensor, buffer in lent:
                    if tensor._buffer is not buffer:
                        raise ClosedError(f"{tensor!r} cannot be used")
                if memory.placement.epoch != self._epoch:
                    self._check_homes()
                buffers, missing = [], []
                for one in piece.buffers:
                    buffer = bound[one] if isinstance(one, int) else one
                    buffers.append(buffer)
                    if session not in buffer.mapped:
                        missing.append(buffer)
                pin = Pin(buffers, memory.letting_go)
            if not missing:
                return pin
            turn = memory.letting_go.turns
            fits = False
            try:
                fits = memory.reach(session, missing, deadline)
            finally:
                if not fits:
                    pin.release()
            if fits:
                return pin
            if len(piece.ops) > 1:
                return None
            if not memory.wait(turn + 1, deadline):  # one turn was our own
                raise memory.refused("an op", sum(buffer.size for buffer in missing), DspMemoryError())

    def _check_homes(self) -> None:
        """After sessions or weights have moved: raises unless these weights are where they were."""
        placement = self.runner.memory.placement
        for kept in self._kept:
            piece = kept.piece
            weights = (buffer for buffer in piece.buffers if isinstance(buffer, Buffer) and not buffer.pooled)
            if piece.session not in placement.sessions or not all(one.lies_in(piece.session) for one in weights):
                raise _MovedError
        self._epoch = placement.epoch

    def _compile(self) -> None:
        """Finds out anew where everything runs and lies."""
        runner, placement = self.runner, self.runner.memory.placement
        placement.check()
        self._kernels, self._switches, self._epoch = runner.kernels, runner.switches, placement.epoch
        self._transport = placement.sessions[0].transport.name
        switches = self._switches
        nodes = rewritten(self._nodes, RULES if switches.on else self._without)
        self._plan = Plan(nodes, self._inputs, self._outputs, placement.sessions[0], one_by_one=switches.sync)
        self._kept = [self._keep(piece) for piece in self._plan.pieces]
        self._arenas.reserve(self._plan.arenas)

    def _keep(self, piece: Piece[Session]) -> _Kept:
        kernels = [self._switches.kernels(op.node.row.name, self._kernels) for op, *_ in piece.ops]
        kind = _Kept if Stages.QUEUE in self._switches.stages else _Unsent
        return kind(piece, self.runner.numbers(piece.session), kernels, self._switches.stages)

    def _split(self, at: int) -> None:
        """Makes two of a piece: then fewer inputs and results have to be there at once, and weights may move."""
        piece = self._kept[at].piece
        middle = (piece.first + piece.end) // 2
        halves = self._plan.piece(piece.first, middle), self._plan.piece(middle, piece.end)
        self._kept[at : at + 1] = [self._keep(half) for half in halves]


def _print_ops(kept: _Kept) -> None:
    """A line for each op, before they are sent."""
    for index, kernels in enumerate(kept.kernels):
        print(line(kept.piece, index, kernels), file=sys.stderr, flush=True)


class _Kept:
    """A piece, and what its session knows of it.

    Attributes:
        number: under which the session keeps it; -1 when it has none.
        run: the request that runs it; None until it has run under this number, and while nobody knows whether it has.
        is_busy: a request with its number is on its way, or about to be.
        used: when it ran last, by the clock of its session's numbers.
        kernels: that each op may use, names of ``contract.KERNELS``.
        stages: of its ops.
        marks: when the last request was sent and answered, in ``time.perf_counter_ns``.
    """

    def __init__(self, piece: Piece[Session], numbers: Numbers, kernels: Sequence[str], stages: Stages) -> None:
        self.piece = piece
        self.stages = stages
        self.number = -1
        self.run: wire.Request | None = None
        self.is_busy = False
        self.used = 0
        self.marks = 0, 0
        self._numbers = numbers
        self.kernels = kernels
        constants = (
            (index, piece.buffers[at])
            for index, (operand, at, flags) in enumerate(piece.tensors)
            if flags & contract.HOST_WROTE and operand.layout == contract.LAYOUT_ROWS
        )
        self._rows = [(index, buffer) for index, buffer in constants if isinstance(buffer, Buffer)]
        self._versions: list[int] = []  # of these buffers: what the session has seen
        self._fds: list[int] = []  # of the last run, if they need not be sent again

    def forget(self) -> None:
        """Its number is another's."""
        self.number, self.run = -1, None

    def send(
        self, program: Program, bound: list[Buffer], lent: _Lent, deadline: float, *, flags: int = 0
    ) -> bytes | None:
        """The response to a run; None if not all it needs can be mapped at once."""
        numbers, session, runner = self._numbers, self.piece.session, program.runner
        letting_go = runner.memory.letting_go
        while True:
            with numbers.lock:
                self.is_busy = True
                self.used = next(numbers.clock)
                run = self.run
            try:
                fds: list[int] = []
                if run is None or flags or self._rows:
                    request, versions = self._uncommon(run, bound, flags)
                    message = request.message
                else:
                    request, versions = run, self._versions
                    fds = [bound[which].fd for which, _ in run.fds]
                    message = run.bare
                    if fds != self._fds:
                        message = run.message
                        for fd, (_, place) in zip(fds, run.fds, strict=True):
                            wire.WORD.pack_into(message, place, fd)
                pin = program._pin(self, bound, lent, deadline)
                if pin is None:
                    return None
                self.run = None
                sent = time.perf_counter_ns() if flags else 0
                timeout = max(deadline - time.monotonic(), _LEAST_TIMEOUT)
                response = session.run(message, request.response_bytes, timeout, pin)
                buffers = pin.buffers
                del pin  # which was the last reference
                with letting_go.lock:
                    letting_go.turns += 1
                    is_waited_for = letting_go.n_waiting
                if is_waited_for:
                    letting_go.notify()
                if response.startswith(request.good):
                    self.marks = sent, time.perf_counter_ns() if flags else 0
                    self.run = run or self._defined(buffers)
                    self._versions, self._fds = versions, fds
                    return response
                status = wire.Response.of(response).status
                forgotten = status == contract.E_PROGRAM and run is not None
                full = status == contract.E_NO_MEMORY and run is None
                if not forgotten and not (full and runner.drop_idle(session, timeout)):
                    raise wire.failure(self.piece, response)
            finally:
                self.is_busy = False

    def _uncommon(self, run: wire.Request | None, bound: list[Buffer], flags: int) -> tuple[wire.Request, list[int]]:
        """The request that defines and runs it, that asks for records, or that tells what the host has written."""
        versions = [buffer.version for _, buffer in self._rows]
        if run is None:
            number = self._numbers.give(self)
            buffers = [bound[one] if isinstance(one, int) else one for one in self.piece.buffers]
            request = wire.definition(self.piece, buffers, self.kernels, number, flags=flags, stages=self.stages)
            return request, versions
        seen = zip(self._rows, self._versions, strict=True)
        written = [index for (index, buffer), version in seen if buffer.views or buffer.version != version]
        fds = [bound[which].fd for which, _ in run.fds]
        return wire.run(self.piece, self.number, fds, written, flags), versions

    def _defined(self, buffers: Sequence[Buffer]) -> wire.Request | None:
        """After a definition: how it will be run; None if the session does not keep it."""
        for operand, at, _ in self.piece.tensors:
            if operand.layout == contract.LAYOUT_TILES:
                buffers[at].seen.add(self.piece.session)
        return wire.run(self.piece, self.number) if self.number >= 0 else None


class _Unsent(_Kept):
    """A piece that is prepared as if it had run before, and not sent."""

    def send(
        self, program: Program, bound: list[Buffer], lent: _Lent, deadline: float, *, flags: int = 0
    ) -> bytes | None:
        """A response that says nothing; None if not all it needs can be mapped at once."""
        request = self.run = self.run or wire.run(self.piece, 0)
        for which, place in request.fds:
            wire.WORD.pack_into(request.message, place, bound[which].fd)
        if program._pin(self, bound, lent, deadline) is None:
            return None
        return request.good.ljust(contract.RESPONSE.size, b"\0")
