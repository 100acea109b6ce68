# SPDX-License-Identifier: MIT
"""The binding where Device does not use it: every call of a queue, memory by address, session parameters."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest
from conftest import Faults

from pyhexagon import ArgumentError, ClosedError, DspTimeoutError
from pyhexagon._ffi import dspqueue, loopback, remote
from pyhexagon._ffi.contract import MESSAGE, MessageKind
from pyhexagon._ffi.dspqueue import Packet, PacketInfo, Queue, QueueBuffer
from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import PAGE
from pyhexagon.memory.buffer import Buffer
from pyhexagon.process import domains, locate
from pyhexagon.process.stub import Stub

SECOND = 1_000_000  # microseconds
IS_MESSAGE, HAS_BUFFERS = 1, 2  # packet flags
PACKET_BYTES = 8 + MESSAGE.size


class Open(NamedTuple):
    """A DSP process with our skel open in it."""

    library: Library
    domain: int
    stub: Stub


@pytest.fixture
def dsp(engine: str, faults: Faults) -> Iterator[Open]:
    library, target = faults.library, locate.find_target(engine)
    domain = domains.take(library, "cdsp", 0)
    handle = domains.open_module(library, domain, target).handle
    yield Open(library, domain.effective_id, Stub(library, handle))
    remote.handle64_close(library, handle)
    domains.give_back(library, domain)


@pytest.fixture
def queue(dsp: Open) -> Iterator[Queue]:
    """Create a queue that holds ten echoes and is not imported yet."""
    queue = Queue(dsp.library, dsp.domain, 10 * PACKET_BYTES + 8, 1024)
    yield queue
    dsp.stub.stop()
    queue.close()


def echo(number: int) -> bytes:
    return MESSAGE.pack(MessageKind.ECHO, 0, number)


def test_packets_come_back_in_order_by_every_way_to_read(dsp: Open, queue: Queue) -> None:
    assert (queue.read_noblock(), queue.peek_noblock()) == (None, None)
    for wait in (queue.read, queue.peek, queue.read_message):
        with pytest.raises(DspTimeoutError):
            wait(timeout_us=1000)
    queue.write(echo(0), timeout_us=SECOND)
    dsp.stub.start(queue.export_id(), 1)
    assert queue.peek(timeout_us=SECOND) == PacketInfo(IS_MESSAGE, 0, MESSAGE.size)
    assert queue.peek_noblock() == PacketInfo(IS_MESSAGE, 0, MESSAGE.size)
    assert queue.read_noblock() == Packet(IS_MESSAGE, echo(0), [])
    assert queue.early_wakeup(100)
    for number in (1, 2):
        assert queue.write_noblock(echo(number))
    assert queue.read(timeout_us=SECOND) == Packet(IS_MESSAGE, echo(1), [])
    assert queue.read_message(timeout_us=SECOND) == echo(2)


def test_a_packet_never_fills_a_queue_to_its_last_byte(dsp: Open) -> None:
    queue = Queue(dsp.library, dsp.domain, 10 * PACKET_BYTES, 1024)
    for number in range(9):
        assert queue.write_noblock(echo(number))
    assert not queue.write_noblock(echo(9))
    assert queue.stat(dspqueue.STAT_WRITE_QUEUE_PACKETS) == 9
    queue.close()


def test_a_full_queue_is_told_and_counted(dsp: Open, queue: Queue) -> None:
    for number in range(10):
        assert queue.write_noblock(echo(number))
    assert not queue.write_noblock(echo(10))
    assert not queue.early_wakeup()
    with pytest.raises(DspTimeoutError):
        queue.write(echo(10), timeout_us=1000)
    assert queue.stat(dspqueue.STAT_WRITE_QUEUE_PACKETS) == 10
    assert queue.stat(dspqueue.STAT_WRITE_QUEUE_BYTES) == 10 * PACKET_BYTES
    dsp.stub.start(queue.export_id(), 1)
    assert [queue.read_message(timeout_us=SECOND) for _ in range(10)] == [echo(number) for number in range(10)]
    for stat in (
        dspqueue.STAT_READ_QUEUE_PACKETS, dspqueue.STAT_READ_QUEUE_BYTES, dspqueue.STAT_EARLY_WAKEUP_MISSES,
        dspqueue.STAT_EARLY_WAKEUP_WAIT_TIME, dspqueue.STAT_SIGNALING_PERF,
    ):  # fmt: skip
        assert queue.stat(stat) == 0
    with pytest.raises(ArgumentError):
        queue.stat(99)


def test_a_packet_holds_the_buffers_it_refers_to(dsp: Open, queue: Queue) -> None:
    buffer = Buffer(dsp.library, PAGE, pooled=False)
    mapping = buffer.fd, buffer.address, buffer.size
    with pytest.raises(ArgumentError, match="0x48"):
        queue.write_noblock(echo(0), [QueueBuffer(buffer.fd)])
    remote.fastrpc_mmap(dsp.library, dsp.domain, *mapping)
    for wrong in ([QueueBuffer(buffer.fd, PAGE, 8)], [QueueBuffer(buffer.fd)] * 65, [QueueBuffer(-1)]):
        with pytest.raises(ArgumentError):
            queue.write_noblock(echo(0), wrong)
    with pytest.raises(ArgumentError):
        queue.write_noblock(bytes(1000))
    queue.write(echo(1), [QueueBuffer(buffer.fd, 64, 8, dspqueue.REF), QueueBuffer(buffer.fd)], timeout_us=SECOND)
    with pytest.raises(ArgumentError, match="read the answers first"):
        remote.fastrpc_munmap(dsp.library, dsp.domain, *mapping)
    dsp.stub.start(queue.export_id(), 1)
    assert queue.read(timeout_us=SECOND) == Packet(IS_MESSAGE | HAS_BUFFERS, echo(1), [
        QueueBuffer(buffer.fd, 64, 8, dspqueue.DEREF, buffer.address + 8),
        QueueBuffer(buffer.fd, PAGE, 0, 0, buffer.address),
    ])  # fmt: skip
    remote.fastrpc_munmap(dsp.library, dsp.domain, *mapping)
    buffer.free()


def test_a_queue_closes_when_the_skel_has_let_go_and_is_closed_then(dsp: Open) -> None:
    for size in (12, 8, 25, dspqueue.MAX_QUEUE_SIZE + 8):
        with pytest.raises(ArgumentError, match=f"not {size}"):
            Queue(dsp.library, dsp.domain, size)
    queue = Queue(dsp.library, dsp.domain)
    dsp.stub.start(queue.export_id(), 1)
    with pytest.raises(ArgumentError, match="close its side first"):
        queue.close()
    assert not queue.closed
    dsp.stub.stop()
    queue.close()
    queue.close()
    assert queue.closed
    for use in (
        queue.read_noblock,
        queue.peek_noblock,
        queue.export_id,
        queue.early_wakeup,
        lambda: queue.write_noblock(b""),
        lambda: queue.read(timeout_us=0),
        lambda: queue.stat(1),
    ):
        with pytest.raises(ClosedError):
            use()


@pytest.mark.parametrize("timeout_us", [-1, 0xFFFFFFFF])
def test_an_endless_wait_is_refused(queue: Queue, timeout_us: int) -> None:
    for wait in (queue.read, queue.peek, queue.read_message):
        with pytest.raises(ArgumentError, match="never endless"):
            wait(timeout_us=timeout_us)
    with pytest.raises(ArgumentError, match="never endless"):
        queue.write(b"", timeout_us=timeout_us)


def test_memory_is_mapped_for_good_and_taken_back(dsp: Open) -> None:
    buffer = Buffer(dsp.library, PAGE, pooled=False)
    address = remote.mem_map(dsp.library, dsp.domain, buffer.fd, buffer.address, PAGE)
    assert address
    remote.mem_unmap(dsp.library, dsp.domain, address, PAGE)
    with pytest.raises(ArgumentError):
        remote.mem_unmap(dsp.library, dsp.domain, address, PAGE)
    buffer.free()


def test_memory_of_another_allocator_is_registered_once_and_taken_back_with_its_size(dsp: Open) -> None:
    fd = os.memfd_create("test")
    os.ftruncate(fd, PAGE)
    with mmap.mmap(fd, PAGE) as memory:
        array = np.frombuffer(memory, np.uint8)
        address = array.ctypes.data
        remote.register_buf(dsp.library, address, PAGE, fd)
        for wrong in ((address, PAGE, fd), (address + 1, 0, fd), (address + 1, PAGE, -1)):
            with pytest.raises(ArgumentError):
                remote.register_buf(dsp.library, *wrong)
        array[:16] = range(16)
        reply = bytearray(16)
        dsp.stub.prepare_echo(array[:16], reply)()
        assert reply == bytes(range(16))
        remote.deregister_buf(dsp.library, address)
        with pytest.raises(ArgumentError):
            remote.deregister_buf(dsp.library, address)
        last = [call for call in loopback.calls(dsp.library) if call.startswith("remote_register_buf_attr2")][-1]
        assert last.startswith(f"remote_register_buf_attr2({address:#x}, {PAGE:#x}, 0xffffffffffffffff")
        del array
    os.close(fd)


def test_what_sessions_can_be_told_and_asked(dsp: Open) -> None:
    assert remote.process_type(dsp.library, dsp.domain) == 1
    remote.thread_params(dsp.library, dsp.domain, priority=100, stack_size=32 << 10)
    remote.thread_params(dsp.library, remote.ALL_DOMAINS, priority=192, stack_size=16 << 10)  # restore them
    with pytest.raises(ArgumentError):
        remote.thread_params(dsp.library, dsp.domain, priority=256)
    remote.enable_unsigned(dsp.library, remote.ALL_DOMAINS)
    assert [remote.effective_domain_id(dsp.library, "cdsp", number) for number in range(4)] == [3, 11, 19, 27]
    with pytest.raises(ArgumentError):
        remote.effective_domain_id(dsp.library, "cdsp", 4)


def test_a_buffer_is_not_larger_than_what_was_mapped(dsp: Open) -> None:
    buffer = Buffer(dsp.library, PAGE, pooled=False)
    mapping = buffer.fd, buffer.address, buffer.size
    remote.fastrpc_mmap(dsp.library, dsp.domain, *mapping)
    for size in (PAGE + 1, 2 * PAGE, 0xFFFFFFFF):
        with pytest.raises(ArgumentError):
            dsp.stub.map_buffer(buffer.fd, size)
    dsp.stub.map_buffer(buffer.fd, PAGE)
    dsp.stub.unmap_buffer(buffer.fd)
    remote.fastrpc_munmap(dsp.library, dsp.domain, *mapping)
