# SPDX-License-Identifier: MIT
"""A batch: ops over tensors, sent to the DSP as one message and run there in order.

    with device.batch() as batch:
        h = batch.matmul(x, w_up)
        y = batch.matmul(h, w_down)
        report = batch.run()
    y.numpy()

Within the ``with`` statement ``x @ w.T`` and ``w @ x`` belong to the batch, too.

Building a batch checks shapes and types and allocates the results; nothing is computed before ``run``. It may be run
again, with new content in the same tensors.

Where its weights lie in several sessions, the batch is cut where the session changes, and also where a session cannot
map all its activations at once; the messages are sent one after the other. A weight that lies in several sessions makes
one op of each part: it writes its columns of the result.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pyhexagon import ops
from pyhexagon._ffi import contract
from pyhexagon.buffer import Buffer, Pin
from pyhexagon.errors import ArgumentError, ClosedError, DspMemoryError, DspTimeoutError
from pyhexagon.message import Message, Op, View, decode, encode
from pyhexagon.report import Report
from pyhexagon.session import check_timeout
from pyhexagon.tensor import Tensor, entered

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.session import Session

_OTHERS_TURN: Final = 0.001  # seconds
_LEAST_TIMEOUT: Final = 0.001
_NOT_RUN: Final = "the batch that computes it has not run"

Operand = tuple[Tensor, tuple[int, ...]]  # a tensor, and its shape as an op sees it: at most 4 dimensions


class Batch:
    """Ops to be run together; made by ``Device.batch``. Not for several threads at once."""

    hidden = frozenset({"activations", "add", "hidden", "only_message", "operand"})

    def __init__(self, device: Device) -> None:
        self.device = device
        self._views: list[View] = []
        self._indices: dict[tuple[object, ...], int] = {}
        self._buffers: set[Buffer] = set()
        self._ops: list[Op] = []
        self._staged: list[Tensor] = []
        self._messages: dict[int, tuple[int, Message]] = {}  # by their first op: the placement's epoch, and the message

    # --- Building ---

    def matmul(self, x: npt.ArrayLike | Tensor, w: Tensor, *, out: Tensor | None = None) -> Tensor:
        """Adds ``x @ w.T``; see ``Device.matmul``."""
        return ops.matmul.add(self, x.in_rows() if isinstance(x, Tensor) else x, w, out)

    def weight_matmul(self, w: Tensor, x: npt.ArrayLike | Tensor) -> Tensor:
        """Adds ``w @ x``; see ``Device.weight_matmul``."""
        return ops.matmul.add_from_left(self, w, x.in_rows(transposed=True) if isinstance(x, Tensor) else x)

    def mul_mat_id(self, x: npt.ArrayLike | Tensor, experts: Tensor, ids: npt.ArrayLike | Tensor) -> Tensor:
        """Adds a mixture of experts; see ``Device.mul_mat_id``."""
        return ops.mul_mat_id.add(self, x, experts, ids)

    def operand(self, array: npt.NDArray[Any] | Tensor, dtype: npt.DTypeLike, what: str) -> Tensor:
        """The operand as a tensor of this device and this type: an array is copied to DSP memory."""
        if isinstance(array, Tensor):
            if array.device is not self.device:
                raise ArgumentError(f"{array!r} lies on another device")
            if array.is_weight:
                raise ArgumentError(f"{array!r} is a weight; {what} are arrays or tensors of {np.dtype(dtype)}")
            if array.dtype != dtype:
                raise ArgumentError(f"{array!r}: {what} are arrays or tensors of {np.dtype(dtype)}")
            return array
        tracer = self.device.tracer
        if tracer is None:
            tensor = self.device.tensor(array)
        else:
            with tracer.span("copy", bytes=array.nbytes):
                tensor = self.device.tensor(array)
        self._staged.append(tensor)
        return tensor

    def activations(self, x: npt.NDArray[np.float32] | Tensor) -> Tensor:
        """An operand of float32."""
        return self.operand(x, np.float32, "activations")

    def add(self, code: contract.OpCode, sources: Sequence[Operand], result: Operand) -> None:
        """Adds an op; one whose result has no elements is left out.

        The first operand is the weight: where it lies the op will run.
        """
        if result[0].size == 0:
            return
        weight, (*matrices, _, k) = sources[0]
        y, (*rows, n) = result
        others = [self._index(View(x, x.buffer, 0, shape, shape[-1])) for x, shape in sources[1:]]
        weight.buffer  # noqa: B018 - raises when closed
        for buffer, first, end in weight.parts:
            source = self._index(View(weight, buffer, 0, (*matrices, end - first, k), k))
            part = self._index(View(y, y.buffer, first * 4, (*rows, end - first), n))
            self._ops.append(Op(code, (source, *others), part, buffer))
        if (
            len(self._buffers) > contract.MAX_BUFFERS
            or len(self._views) > contract.MAX_TENSORS
            or len(self._ops) > contract.MAX_OPS
        ):
            raise ArgumentError(
                f"a batch has at most {contract.MAX_BUFFERS} buffers, {contract.MAX_TENSORS} tensors "
                f"and {contract.MAX_OPS} ops"
            )
        y.pending = _NOT_RUN
        self._messages.clear()

    def _index(self, view: View) -> int:
        key = (id(view.buffer), *view[2:])
        index = self._indices.get(key)
        if index is None:
            index = self._indices[key] = len(self._views)
            self._views.append(view)
            self._buffers.add(view.buffer)
        return index

    # --- Running ---

    def run(self, *, timeout: float | None = None) -> Report:
        """Sends the batch and waits for its end.

        Args:
            timeout: seconds; by default the device's.

        Raises:
            DspTimeoutError: no answer in time; the device needs ``reopen``.
            DeviceLostError: the DSP process died; the device needs ``reopen``.
            BatchError: the skel refused the batch.
            ClosedError: a tensor was closed, or is the result of another batch that has not run.
        """
        device = self.device
        timeout = check_timeout(device.timeout if timeout is None else timeout)
        device.memory.placement.check()
        self._check_sources()
        if not self._ops:
            return Report(device.name, device.session.transport.name, 0.0, 0, 0, ())
        report = self._run_from(0, timeout)
        n_done, ops = len(report.ops), report.ops
        while n_done < len(self._ops):
            left = timeout - report.seconds
            if left <= 0:
                raise DspTimeoutError(f"{n_done} of {len(self._ops)} ops took {timeout:g} s; the rest was not sent")
            more = self._run_from(n_done, left)
            n_done, ops = n_done + len(more.ops), ops + more.ops
            report = report._replace(
                seconds=report.seconds + more.seconds,
                dsp_nanoseconds=report.dsp_nanoseconds + more.dsp_nanoseconds,
                ops=ops,
            )
        return report

    def _check_sources(self) -> None:
        """Raises when an op reads the result of another batch that has not run."""
        results = {self._views[op.result].tensor for op in self._ops}
        for op in self._ops:
            for source in (self._views[index].tensor for index in op.sources):
                if source.pending and source not in results:
                    raise ClosedError(f"{source!r} has no content: {source.pending}")

    def _run_from(self, first: int, timeout: float) -> Report:
        """Runs ops, beginning with this one, as far as one message goes."""
        tracer = self.device.tracer
        if tracer is None:
            message, report, _ = self._send(first, timeout, 0)
        else:
            tracer.prepare(self._session_of(first), self.device)
            start = time.perf_counter_ns()
            try:
                message, report, (start, sent, received) = self._send(first, timeout, contract.THREAD_RECORDS)
            except BaseException as problem:
                tracer.failed_batch(start, len(self._ops) - first, problem)
                raise
            end = time.perf_counter_ns()
            tracer.batch(message.session, (start, sent, received, end), report, message.describe)
        self._sent(message)
        return report

    def _send(self, first: int, timeout: float, flags: int) -> tuple[Message, Report, tuple[int, int, int]]:
        """The message and its report, and when the call began, was sent and was answered."""
        start = time.perf_counter_ns()
        deadline = time.monotonic() + timeout
        message, pin = self._claim(first, flags, deadline)
        sent = time.perf_counter_ns()
        timeout = max(deadline - time.monotonic(), _LEAST_TIMEOUT)
        response = message.session.run(message.encoded, message.response_bytes, timeout, pin)
        received = time.perf_counter_ns()
        report = decode(message, response, self.device.name, (received - start) / 1e9)
        return message, report, (start, sent, received)

    def _claim(self, first: int, flags: int, deadline: float) -> tuple[Message, Pin]:
        """The message that begins with this op, its buffers pinned and mapped where it will run.

        What does not fit because of other threads' batches waits for their end.
        """
        memory = self.device.memory
        placement = memory.placement
        most = len(self._ops)
        alone = False
        while True:
            epoch, message = self._messages.get(first, (-1, None))
            if message is None or epoch != placement.epoch or message.flags != flags or len(message.ops) > most:
                epoch, message = self._messages[first] = placement.epoch, self._encode(first, flags, most)
            with memory.lock:
                for view in message.views:
                    view.tensor.buffer  # noqa: B018 - raises when closed
                if epoch != placement.epoch:
                    continue  # a weight has just been moved
                pin = Pin(message.buffers)
                missing = [buffer for buffer in message.buffers if message.session not in buffer.mapped]
            fits = False
            try:
                fits = not missing or memory.reach(message.session, missing, deadline)
            finally:
                if not fits:
                    pin.release()
            if fits:
                return message, pin
            if len(message.ops) > 1:
                most = len(message.ops) // 2  # then fewer activations have to be there at once, and weights may move
                continue
            was_alone, alone = alone, not placement.in_use()
            if (was_alone and alone) or time.monotonic() > deadline:
                raise memory.refused("an op", sum(buffer.size for buffer in missing), DspMemoryError())
            time.sleep(_OTHERS_TURN)

    def _encode(self, first: int, flags: int, most: int) -> Message:
        """At most so many ops, beginning with this one, that run in one session."""
        session, end = self._session_of(first), first + 1
        while end < min(len(self._ops), first + most) and self._ops[end].weight.home is session:
            end += 1
        alone = len(self.device.sessions) == 1
        ops, kernels = self._ops[first:end], self.device.kernels
        return encode(session, self._views, first, ops, kernels=kernels, flags=flags, alone=alone)

    def _session_of(self, op: int) -> Session:
        session = self._ops[op].weight.home
        if session is None:
            raise ClosedError("a weight of this batch was closed")
        return session

    def _sent(self, message: Message) -> None:
        """The message has run: its results have content, and the DSP has looked at its weights."""
        if message.fresh_weights:
            for op in message.ops:
                op.weight.unseen = False
            self._messages.pop(message.first, None)  # to be encoded anew
        next_result = self._views[self._ops[message.end].result].tensor if message.end < len(self._ops) else None
        for op in message.ops:
            y = message.views[op.result].tensor
            if y is not next_result:  # else its last columns are still to come
                y.pending = ""

    def only_message(self) -> tuple[int, Message] | None:
        """The placement's epoch and the message, if this batch is one op and would be sent so again."""
        return self._messages.get(0) if len(self._ops) == 1 else None

    # --- Life ---

    def close(self) -> None:
        """Gives up the copies of arrays that were passed in; the batch cannot be run any more."""
        for tensor in self._staged:
            tensor.drop()
        self._staged.clear()

    def __enter__(self) -> Batch:
        entered.set((*entered.get(), weakref.ref(self)))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        entered.set(tuple(batch for batch in entered.get() if batch() not in (None, self)))
        self.close()

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in self.hidden]

    def __repr__(self) -> str:
        return f"<Batch of {len(self._ops)} ops on {self.device.name}>"
