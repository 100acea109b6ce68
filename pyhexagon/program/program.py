# SPDX-License-Identifier: MIT
"""A program: compiled once, kept by the DSP, run repeatedly.

Its pieces go to their sessions one after the other. The first request of a piece carries its definition, which the skel
checks and keeps under a number; later requests only name the buffers of the run's inputs and results. The program is
compiled again after a change that a patch cannot express (a weight has moved, a session was opened again, other kernels
are requested); a piece that the skel has dropped is defined again. Callers do not notice.

The memory of a run is its own: copies of the input arrays, and the results, which stay valid when the program runs
again. Intermediates lie in arenas that the program keeps, alone or shared with other programs.
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
from gguf import GGMLQuantizationType

from pyhexagon._ffi import contract
from pyhexagon.elements import host_shape
from pyhexagon.errors import ArgumentError, ClosedError, DeviceLostError, DspMemoryError, DspTimeoutError
from pyhexagon.memory.buffer import Buffer, Pin
from pyhexagon.memory.memory import allocation_size
from pyhexagon.process.session import Session, check_timeout
from pyhexagon.program import blame, retry, run_inputs, wire
from pyhexagon.program.arenas import Arenas
from pyhexagon.program.compile import Piece, Plan
from pyhexagon.program.describe import describe, line
from pyhexagon.program.fusions import RULES, apply_rules
from pyhexagon.program.graph import Graph, Kind
from pyhexagon.program.numbers import Numbers
from pyhexagon.program.report import Report, merged
from pyhexagon.program.runner import Runner
from pyhexagon.program.sharing import Meetings, SharedPiece
from pyhexagon.program.switches import Stages
from pyhexagon.tensor import Tensor

_LEAST_TIMEOUT: Final = 1e-3  # seconds, if the allocation used up the timeout

Input = npt.ArrayLike | Tensor
_Lent = list[tuple[Tensor, Buffer]]


_NOTHING: Final = Report("", "", 0.0, 0, 0, ())


class _MovedError(Exception):
    """Sessions or weights have changed since the program was compiled."""


class Program:
    """Ops that run together; created by ``compile`` of the builder that ``Device.program`` returns.

    Any thread may run it, one run at a time. It keeps the tensors that it reads alive.
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
        """Compile a graph.

        Args:
            graph: the graph to compile; later changes to it have no effect on this program.
            runner: the state that all programs of the device share.
            keep: whether the program keeps the tensors that it reads alive.
            without: the names of fusion rules to skip.
            arenas: shared with programs that do not run at the same time.

        Raises:
            ArgumentError: the graph has no output, and writes to no tensor.
            ClosedError: a tensor that the graph reads was closed.
        """
        written = [value.storage for node in graph.nodes for value in node.results]
        if not graph.outputs and all(storage.kind is Kind.RESULT for storage in written):
            raise ArgumentError("a program without outputs", hint="p.output(value) makes a value one")
        self.runner = runner
        self._owner = graph.owner
        self._nodes, self._without = tuple(graph.nodes), tuple(without)
        self._inputs, self._outputs = tuple(graph.inputs), tuple(graph.outputs)
        self._constants = [ref(tensor) for tensor in graph.tensors]
        self._tensors = list(graph.tensors) if keep else []
        self._expected, self._returned = (
            [(host_shape(port.storage.gguf_type, port.shape), port.storage.dtype, port.order) for port in ports]
            for ports in (self._inputs, self._outputs)
        )
        self._written = [storage.tensor for storage in written if storage.kind is Kind.CONSTANT]
        # Results first, so that a loop that drops them gets the same memory from the pool each time.
        storages = [port.storage for port in (*self._outputs, *self._inputs)]
        self._sizes = [allocation_size(max(storage.nbytes + storage.slack, 1)) for storage in storages]
        self._arenas = arenas or Arenas(runner.memory)
        self._lock = self._arenas.lock
        self._meetings = Meetings(runner.memory)
        self._compiled: list[_CompiledPiece] = []
        with self._lock:
            self._compile()

    # --- For users ---

    def __call__(self, *inputs: Input, out: Tensor | None = None, timeout: float | None = None) -> Tensor:
        """Run the program and return its only output; otherwise like ``run``.

        Args:
            out: a float32 tensor of the output's shape for the result; by default a new one. Its content is undefined
                if the DSP fails.
        """
        if len(self._outputs) != 1:
            raise ArgumentError(f"{self!r} has {len(self._outputs)} outputs", hint="program.run(...) returns them all")
        if out is not None:
            self._run(inputs, timeout, 0, out)
            return out
        return self._as_tensors(self._run(inputs, timeout, 0)[0])[0]

    def run(self, *inputs: Input, timeout: float | None = None) -> tuple[Tensor, ...]:
        """Run the program and return its outputs, each a new tensor.

        Args:
            inputs: an array or a tensor for each input, of its shape and dtype; arrays are copied, tensors are not.
            timeout: seconds; by default the device's.

        Raises:
            ArgumentError: the inputs do not match; the message names the difference.
            DspTimeoutError: no answer in time; the device needs ``reopen``.
            DeviceLostError: the DSP process died; the device needs ``reopen``.
            ProgramError: the skel refused the program, or an op failed.
            ClosedError: a tensor was closed.
        """
        return self._as_tensors(self._run(inputs, timeout, 0)[0])

    def run_numpy(self, *inputs: Input, timeout: float | None = None) -> list[npt.NDArray[Any]]:
        """Run the program and return copies of its outputs, as ``Tensor.numpy`` shows them; otherwise like ``run``."""
        results, _ = self._run(inputs, timeout, 0)
        arrays: list[npt.NDArray[Any]] = []
        try:
            for (shape, dtype, order), buffer in zip(self._returned, results, strict=True):
                arrays.append(np.ndarray(shape, dtype, buffer.bytes, 0, None, order).copy("K"))
        finally:
            self.runner.memory.dropped.extend(results)
        return arrays

    def run_with_report(self, *inputs: Input, timeout: float | None = None) -> tuple[tuple[Tensor, ...], Report]:
        """Run the program; return its outputs and a report of what each op cost."""
        results, report = self._run(inputs, timeout, contract.RECORDS)
        return self._as_tensors(results), report

    @property
    def shapes(self) -> list[tuple[tuple[int, ...], GGMLQuantizationType]]:
        """The shape and the type of each output."""
        return [(port.shape, port.storage.gguf_type) for port in self._outputs]

    def __repr__(self) -> str:
        return f"<Program of {len(self._nodes)} ops on {self.runner.name}>"

    # --- A run ---

    def _run(
        self, inputs: Sequence[Input], timeout: float | None, flags: int, out: Tensor | None = None
    ) -> tuple[list[Buffer], Report]:
        """Run the program; return the buffers of its results, none with ``out``, and a report."""
        runner = self.runner
        timeout = runner.timeout if timeout is None else check_timeout(timeout)
        memory = runner.memory
        if len(inputs) != len(self._inputs):
            raise ArgumentError(f"{self!r} has {len(self._inputs)} inputs, not {len(inputs)}")
        operands: list[npt.NDArray[Any] | Tensor] = []
        sizes, n_results = self._sizes, len(self._outputs)
        lent: _Lent = []
        for (shape, dtype, _), argument in zip(self._expected, inputs):  # noqa: B905 - of equal length
            if type(argument) is np.ndarray and argument.shape == shape and argument.dtype == dtype:
                operands.append(argument)
                continue
            port = self._inputs[len(operands)]
            x = run_inputs.checked_input(self._owner, f"input {len(operands)} of {self!r}", port, argument)
            operands.append(x)
            if isinstance(x, Tensor):
                lent.append((x, x.buffer))
        if out is not None:
            run_inputs.check_out(self._owner, self._outputs[0], out)
            if any(x is out for x in operands) or any(constant() is out for constant in self._constants):
                raise ArgumentError("out is also an operand: programs do not compute in place")
            out.buffer.note_write()  # programs that read it as a constant must invalidate their caches
            n_results = 0
        if lent or out is not None:
            of_inputs = zip(sizes[len(self._outputs) :], operands, strict=True)
            sizes = [*sizes[:n_results], *(size for size, x in of_inputs if not isinstance(x, Tensor))]
        results: list[Buffer] = []
        staging: list[Buffer] = []
        try:  # not inside the lock: Ctrl-C on the `try` line would leave it held
            with self._lock:
                fresh = memory.take(sizes)
                results, staging = fresh[:n_results], fresh[n_results:]
                bound = self._stage_inputs(operands, staging)
                if out is None:
                    bound += results
                else:
                    lent.append((out, out.buffer))
                    bound.append(out.buffer)
                report = self._run_pieces(bound, lent, timeout, flags)
                self._mark_written()
        except BaseException:
            for buffer in results:
                buffer.reusable = False  # the DSP's caches may hold dirty lines of it
            memory.dropped.extend(results)
            raise
        finally:
            memory.dropped.extend(staging)
        return results, report

    def _as_tensors(self, results: Sequence[Buffer]) -> tuple[Tensor, ...]:
        tensors = []
        for (storage, shape, order), buffer in zip(self._outputs, results, strict=True):
            tensors.append(Tensor(self._owner, buffer, storage.gguf_type, shape, storage.nbytes, order=order))
        return tuple(tensors)

    def _mark_written(self) -> None:
        """Mark tensors that ops have written, so that other sessions invalidate their cached lines."""
        if len(self.runner.memory.placement.sessions) > 1:
            for tensor in self._written:
                if tensor is not None and tensor._buffer is not None:
                    tensor._buffer.note_write()

    def _stage_inputs(self, operands: Sequence[npt.NDArray[Any] | Tensor], staging: Sequence[Buffer]) -> list[Buffer]:
        """Return the buffers of all inputs; arrays are copied into staging buffers."""
        tracer = self.runner.tracer
        supplied: list[Buffer] = []
        places = iter(staging)
        for (shape, dtype, order), x in zip(self._expected, operands):  # noqa: B905 - of equal length
            if isinstance(x, Tensor):
                supplied.append(x.buffer)
                continue
            buffer = next(places)
            buffer.version += 1
            supplied.append(buffer)
            staged: npt.NDArray[Any] = np.ndarray(shape, dtype, buffer.bytes, 0, None, order)
            if tracer is None:
                staged[...] = x
            else:
                with tracer.span("copy", bytes=x.nbytes):
                    staged[...] = x
        return supplied

    def _run_pieces(self, supplied: list[Buffer], lent: _Lent, timeout: float, flags: int) -> Report:
        """Run all pieces; compile and start again if sessions or weights change in between.

        Args:
            supplied: the buffers of inputs and results.
            lent: the tensors that own some of these buffers.
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
                while at < len(self._compiled):
                    if at and time.monotonic() > deadline:
                        done, n_ops = self._compiled[at].piece.first, self._compiled[-1].piece.end
                        raise DspTimeoutError(f"{done} of {n_ops} ops took {timeout:g} s; the others were not sent")
                    compiled = self._compiled[at]
                    bound = supplied.copy()
                    for user in self._plan.arenas:
                        bound.append(self._arenas.buffers[user])
                    if self._plan.meeting_bytes:
                        bound.append(self._meetings.buffer(self._plan.meeting_bytes))
                    if self._switches.verbose:
                        _print_ops(compiled)
                    if flags or runner.tracer is not None:
                        report = self._run_watched(compiled, bound, lent, deadline)
                        is_done = report is not None
                        reports += [report] if report is not None else []
                    else:
                        is_done = compiled.send(self, bound, lent, deadline) is not None
                    if is_done:
                        at += 1
                    else:
                        self._split(at)
            except _MovedError:
                if time.monotonic() > deadline:
                    raise DspTimeoutError(f"weights kept moving between sessions for {timeout:g} s") from None
                self._compile()
                continue
            if not flags:
                return _NOTHING
            return merged(reports) or _NOTHING._replace(device=runner.name, transport=self._transport)

    def _run_watched(self, compiled: _CompiledPiece, bound: list[Buffer], lent: _Lent, until: float) -> Report | None:
        """Run a piece and return its report; None if its buffers cannot all be mapped at once."""
        runner, flags = self.runner, contract.RECORDS
        piece, tracer, start = compiled.piece, runner.tracer, 0
        if tracer is not None:
            flags |= contract.THREAD_RECORDS
            tracer.prepare(piece.session, runner.name, runner.timeout)
            start = time.perf_counter_ns()
        try:
            response = compiled.send(self, bound, lent, until, flags=flags)
        except BaseException as problem:
            if tracer is not None:
                tracer.failed(start, len(piece.ops), problem)
            raise
        if response is None:
            return None
        sent, received = compiled.marks
        report = wire.report(piece, response, flags, runner.name, (received - sent) / 1e9)
        if compiled.shared is not None:
            report = compiled.shared.annotate(report)
        if self._switches.on:
            report = report._replace(switches=self._switches.on)
        if tracer is not None:
            marks = start, sent, received, time.perf_counter_ns()
            tracer.request(piece.session, marks, report, partial(describe, piece))
        return report

    # --- Memory ---

    def _pin(self, compiled: _CompiledPiece, bound: list[Buffer], lent: _Lent, deadline: float) -> Pin | None:
        """Pin a piece's buffers and map them into its session; return None if they do not fit at once.

        If other threads' runs occupy the memory, wait for their end.
        """
        memory, piece = self.runner.memory, compiled.piece
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
                for entry in piece.buffers:
                    buffer = bound[entry] if isinstance(entry, int) else entry
                    buffers.append(buffer)
                    if session not in buffer.mapped:
                        missing.append(buffer)
                pin = Pin(buffers, memory.releases)
            if not missing:
                return pin
            turn = memory.releases.count
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
            if not memory.wait(turn + 1, deadline):  # one release was our own
                raise memory.out_of_memory("an op", sum(buffer.size for buffer in missing), DspMemoryError())

    def _check_homes(self) -> None:
        """Raise _MovedError unless sessions and weights are where the program was compiled for."""
        placement = self.runner.memory.placement
        for compiled in self._compiled:
            piece = compiled.piece
            weights = (buffer for buffer in piece.buffers if isinstance(buffer, Buffer) and not buffer.pooled)
            if piece.session not in placement.sessions or not all(
                weight.is_resident_in(piece.session) for weight in weights
            ):
                raise _MovedError
        self._epoch = placement.epoch

    def _compile(self) -> None:
        """Assign sessions and memory again."""
        runner, placement = self.runner, self.runner.memory.placement
        placement.check()
        self._kernels, self._switches, self._epoch = runner.kernels, runner.switches, placement.epoch
        self._transport = placement.sessions[0].transport.name
        switches = self._switches
        nodes = apply_rules(self._nodes, RULES if switches.on else self._without)
        sharing = runner.sharing if switches.stages == Stages.ALL else None
        self._plan = Plan(
            nodes, self._inputs, self._outputs, placement.sessions[0], one_by_one=switches.sync,
            cpu_tiles=None if sharing is None else sharing.n_tiles,
        )  # fmt: skip
        self._meetings.abandon()
        self._compiled = [self._compiled_piece(piece) for piece in self._plan.pieces]
        self._arenas.reserve(self._plan.arenas)

    def _compiled_piece(self, piece: Piece[Session]) -> _CompiledPiece:
        kernels = [self._switches.kernels(op.node.row.name, self._kernels) for op, *_ in piece.ops]
        kind = _CompiledPiece if Stages.QUEUE in self._switches.stages else _DryRunPiece
        compiled = kind(
            piece, self.runner.numbers(piece.session), kernels, self._switches.stages, dcfetch=self.runner.dcfetch
        )
        if piece.meetings and self.runner.sharing is not None:
            compiled.shared = SharedPiece(piece, self.runner.sharing, self._meetings)
        return compiled

    def _split(self, at: int) -> None:
        """Split a piece in two: then fewer inputs and results must be mapped at once, and weights may move."""
        piece = self._compiled[at].piece
        middle = (piece.first + piece.end) // 2
        halves = self._plan.piece(piece.first, middle), self._plan.piece(middle, piece.end)
        self._compiled[at : at + 1] = [self._compiled_piece(half) for half in halves]


def _print_ops(compiled: _CompiledPiece) -> None:
    """Print a line for each op, before they are sent."""
    for index, kernels in enumerate(compiled.kernels):
        print(line(compiled.piece, index, kernels), file=sys.stderr, flush=True)


class _CompiledPiece:
    """A piece, and its state in its session.

    Attributes:
        number: the session keeps the piece under it; -1 if it has none.
        run: the request that runs it; None until it has run under this number, and while that is unknown.
        is_busy: a request with its number is in flight, or about to be.
        used: the time of its last run, by the clock of its session's numbers.
        kernels: the kernels of each op, names of ``contract.KERNELS``.
        stages: the stages of its ops.
        dcfetch: whether its matmuls prefetch activations.
        marks: when the last request was sent and answered, in ``time.perf_counter_ns``.
        shared: its products that CPU threads share, or None.
    """

    def __init__(
        self, piece: Piece[Session], numbers: Numbers, kernels: Sequence[str], stages: Stages, *, dcfetch: bool
    ) -> None:
        self.piece = piece
        self.stages = stages
        self.dcfetch = dcfetch
        self.number = -1
        self.run: wire.WireRequest | None = None
        self.is_busy = False
        self.used = 0
        self.marks = 0, 0
        self.shared: SharedPiece | None = None
        self._numbers = numbers
        self.kernels = kernels
        constants = (
            (index, piece.buffers[at])
            for index, (operand, at, flags) in enumerate(piece.tensors)
            if flags & contract.HOST_WROTE and operand.layout == contract.LAYOUT_ROWS
        )
        self._rows = [(index, buffer) for index, buffer in constants if isinstance(buffer, Buffer)]
        self._versions: list[int] = []  # the versions of these buffers that the session has seen
        self._checked: object = None  # ``HostWrites.latest`` at a time when it had seen all of them
        self._fds: list[int] = []  # fds of the last run, if they need not be sent again

    def forget(self) -> None:
        """Forget the number: another piece has it now."""
        self.number, self.run = -1, None

    def send(
        self, program: Program, bound: list[Buffer], lent: _Lent, deadline: float, *, flags: int = 0
    ) -> bytes | None:
        """Run the piece and return the response; None if its buffers cannot all be mapped at once."""
        numbers, session, runner = self._numbers, self.piece.session, program.runner
        releases = runner.memory.releases
        earlier: bytes | None = None  # the response to the attempts for which the workspace was too small
        while True:
            with numbers.lock:
                self.is_busy = True
                self.used = next(numbers.clock)
                run = self.run
            try:
                fds: list[int] = []
                latest = runner.memory.writes.latest  # before the versions are read
                if run is None or flags or (self._rows and latest is not self._checked and self._has_new_versions()):
                    request, versions = self._other_request(run, bound, flags)
                    message, latest = request.message, None
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
                if not session.is_coherent:
                    pin.reads = self._host_reads(pin.buffers, len(program._inputs) + len(program._outputs))
                self.run = None
                sent = time.perf_counter_ns() if flags else 0
                timeout = max(deadline - time.monotonic(), _LEAST_TIMEOUT)
                if earlier is not None:
                    message = retry.go_on(message, earlier)
                try:
                    if self.shared is None:
                        response = session.run(message, request.response_bytes, timeout, pin)
                    else:
                        response = self.shared.run(session, message, request, timeout, pin)
                except (DeviceLostError, DspTimeoutError) as error:
                    raise blame.named(error, self.piece) from None
                if earlier is not None:
                    response = retry.join(earlier, response)
                buffers = pin.buffers
                del pin  # the last reference
                with releases.lock:
                    releases.count += 1
                    is_waited_for = releases.n_waiting
                if is_waited_for:
                    releases.notify()
                if response.startswith(request.success):
                    self.marks = sent, time.perf_counter_ns() if flags else 0
                    self.run = run or self._defined(buffers)
                    self._versions, self._checked, self._fds = versions, latest, fds
                    return response
                answer = wire.Response.of(response)
                forgotten = answer.status == contract.E_PROGRAM and run is not None
                if answer.status == contract.E_NO_MEMORY:
                    # Later attempts begin with the op that failed: those before it may have changed a state.
                    n_bytes, earlier = answer.workspace_needed, response
                    refusal = runner.memory.grow_workspace(session, n_bytes, deadline) if n_bytes else ""
                    if (refusal or not n_bytes) and not runner.drop_idle(session, timeout):
                        raise wire.failure(self.piece, response, refusal)
                elif not forgotten:
                    raise wire.failure(self.piece, response)
            finally:
                self.is_busy = False

    def _host_reads(self, buffers: Sequence[Buffer], n_supplied: int) -> list[Buffer]:
        """Return the buffers that the CPU reads after the run: they hold results and tensors that ops have written.

        Args:
            buffers: of the piece, in its order.
            n_supplied: the number of buffers that a run supplies; higher numbers are arenas, which only DSPs use.
        """
        found = {at for _, at, flags in self.piece.tensors if flags & contract.HOST_READS}
        users = ((self.piece.buffers[at], buffers[at]) for at in sorted(found))
        return [buffer for user, buffer in users if not isinstance(user, int) or user < n_supplied]

    def _has_new_versions(self) -> bool:
        """Return whether the host may have written a constant that the session has seen, or may be writing one."""
        for (_, buffer), version in zip(self._rows, self._versions, strict=True):
            if buffer.views or buffer.version != version:
                return True
        return False

    def _other_request(
        self, run: wire.WireRequest | None, bound: list[Buffer], flags: int
    ) -> tuple[wire.WireRequest, list[int]]:
        """Return a request that defines and runs the piece, asks for records, or names tensors written by the host."""
        versions = [buffer.version for _, buffer in self._rows]
        if run is None:
            number = self._numbers.give(self)
            buffers = [bound[entry] if isinstance(entry, int) else entry for entry in self.piece.buffers]
            request = wire.definition(
                self.piece, buffers, self.kernels, number, flags=flags, stages=self.stages, dcfetch=self.dcfetch
            )
            return request, versions
        seen = zip(self._rows, self._versions, strict=True)
        written = [index for (index, buffer), version in seen if buffer.views or buffer.version != version]
        fds = [bound[which].fd for which, _ in run.fds]
        return wire.run(self.piece, self.number, fds, written, flags), versions

    def _defined(self, buffers: Sequence[Buffer]) -> wire.WireRequest | None:
        """Return the request for later runs after a definition; None if the session does not keep the piece."""
        for operand, at, _ in self.piece.tensors:
            if operand.layout == contract.LAYOUT_TILES:
                buffers[at].seen.add(self.piece.session)
        return wire.run(self.piece, self.number) if self.number >= 0 else None


class _DryRunPiece(_CompiledPiece):
    """A piece that is prepared as if it had run before, but not sent."""

    def send(
        self, program: Program, bound: list[Buffer], lent: _Lent, deadline: float, *, flags: int = 0
    ) -> bytes | None:
        """Return an empty response; None if the piece's buffers cannot all be mapped at once."""
        request = self.run = self.run or wire.run(self.piece, 0)
        for which, place in request.fds:
            wire.WORD.pack_into(request.message, place, bound[which].fd)
        if program._pin(self, bound, lent, deadline) is None:
            return None
        return request.success.ljust(contract.RESPONSE.size, b"\0")
