# SPDX-License-Identifier: MIT
"""What need not be done again for the second product of a kind.

``device.matmul(x, w)`` with an array is a batch of one op: a copy of x, room for the result, a message. The next call
with an x of the same shape sends the same message but for the memory of x and of the result. So a weight keeps the
message of each shape, its *plan*, and such a call needs no batch. What is out of the ordinary is left to the batch: the
plan then says None.
"""

from __future__ import annotations

import threading
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from gguf import GGMLQuantizationType

from pyhexagon._ffi import contract
from pyhexagon.arguments import F32
from pyhexagon.buffer import Buffer, Pin
from pyhexagon.message import Message
from pyhexagon.session import check_timeout
from pyhexagon.tensor import Tensor

if TYPE_CHECKING:
    from pyhexagon.device import Device
    from pyhexagon.graph import Batch

_MAX_PLANS: Final = 16  # of a weight


class Plan:
    """The message of a product with an array of one shape. It must not refer to the weight, which refers to it."""

    def __init__(self, epoch: int, message: Message) -> None:
        (op,) = message.ops
        buffers = [message.views[index].buffer for index in (*op.sources, op.result)]
        self._weight, x, y = buffers
        self._epoch = epoch
        self._session = message.session
        self._encoded = bytearray(message.encoded)
        self._x_at, self._y_at = (contract.BATCH.size + contract.BUFFER.size * message.buffers.index(b) for b in (x, y))
        self._shape = message.views[op.result].tensor.shape
        self._response_bytes = message.response_bytes
        good = contract.RESPONSE_MAGIC, contract.VERSION, self._response_bytes, contract.OK
        self._good = contract.RESPONSE_START.pack(*good)
        self._encoding = threading.Lock()

    def run(self, device: Device, x: np.ndarray[Any, Any], w: Tensor, timeout: float) -> Tensor | None:
        """The product, or None if the plan does not hold at present or the DSP was not content."""
        memory = device.memory
        n_bytes = prod(self._shape) * 4
        staged = memory.allocate(x.nbytes)
        result: Buffer | None = None
        try:
            result = memory.allocate(n_bytes)
            np.ndarray(x.shape, F32, staged.bytes)[...] = x
            response = self._send(device, w, staged, result, timeout)
        except BaseException:
            memory.dropped.extend(buffer for buffer in (staged, result) if buffer)  # the DSP may still use them
            raise
        memory.release(staged)
        if not response.startswith(self._good):
            memory.release(result)
            return None
        return Tensor(device, result, GGMLQuantizationType.F32, self._shape, n_bytes)

    def _send(self, device: Device, w: Tensor, x: Buffer, y: Buffer, timeout: float) -> bytes:
        """The response; nothing if the plan does not hold."""
        memory, session, buffers = device.memory, self._session, (self._weight, x, y)
        with self._encoding:  # before anything is pinned: Ctrl-C may end this wait
            with memory.lock:
                holds = not w.closed and memory.placement.epoch == self._epoch
                if not holds or session not in x.mapped or session not in y.mapped:
                    return b""
                pin = Pin(buffers)
            contract.BUFFER.pack_into(self._encoded, self._x_at, x.fd, 0)
            contract.BUFFER.pack_into(self._encoded, self._y_at, y.fd, 0)
            return session.run(self._encoded, self._response_bytes, timeout, pin)


def run(device: Device, x: object, w: Tensor, timeout: float | None) -> Tensor | None:
    """The product by the weight's plan; None if there is none for this x."""
    if type(x) is not np.ndarray or x.dtype != F32 or not isinstance(w, Tensor) or w.device is not device:
        return None
    plan = w.plans.get(x.shape)
    if plan is None or device.tracer is not None:
        return None
    return plan.run(device, x, w, check_timeout(device.timeout if timeout is None else timeout))


def keep(batch: Batch, x: object, w: Tensor) -> None:
    """Makes the plan of a product that has just been run as a batch."""
    planned = batch.only_message()
    if planned is None or type(x) is not np.ndarray:
        return
    if len(w.plans) >= _MAX_PLANS:
        w.plans.clear()
    w.plans[x.shape] = Plan(*planned)
