# SPDX-License-Identifier: MIT
"""SharedMemory: freed with its last reference, also when Ctrl-C comes at that moment, and never by a forked child."""

from __future__ import annotations

import _thread
import gc
import multiprocessing
import signal
from collections import deque
from itertools import chain

import pytest
from holdings import held

from pyhexagon._ffi.library import load
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.process.locate import find_target

LIBRARY = load(find_target("loopback", None).library)


def n_mapped() -> object:
    gc.collect()  # earlier tests' garbage
    return held()["maps"]


def test_memory_is_freed_with_its_last_reference_or_on_request() -> None:
    before = n_mapped()
    first, second = SharedMemory(LIBRARY, 4096), SharedMemory(LIBRARY, 4096)
    assert n_mapped() != before
    first.free()
    first.free()
    assert first.fd == -1
    del first, second
    assert n_mapped() == before


def test_ctrl_c_as_the_last_reference_goes_leaves_no_memory() -> None:
    """Both calls are made in C, so Python handles the signal at the first Python code that the drop may run."""
    before = n_mapped()
    buffers = [SharedMemory(LIBRARY, 4096)]
    with pytest.raises(KeyboardInterrupt):
        deque(chain(map(_thread.interrupt_main, (signal.SIGINT,)), map(list.clear, (buffers,))), 0)
    assert n_mapped() == before


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_does_not_free_its_parents_memory() -> None:
    buffer = SharedMemory(LIBRARY, 4096)
    context = multiprocessing.get_context("fork")
    reader, writer = context.Pipe(duplex=False)

    def child() -> None:
        before = n_mapped()
        buffer.free()
        buffer._owned.clear()
        writer.send(n_mapped() == before)

    process = context.Process(target=child)
    process.start()
    assert reader.recv()
    process.join()
    buffer.bytes[:] = 7
    buffer.free()
