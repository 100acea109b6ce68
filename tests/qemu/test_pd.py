# SPDX-License-Identifier: MIT
"""The services of a PD under qemu-hexagon for a skel."""

from __future__ import annotations

import threading
from pathlib import Path

import pd
import pytest

from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import Library
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.errors import HexagonError

pytest_plugins = ("qemu_plugin",)

PAGE = 4096
VTCM_ADDRESS = 0xD0000000


def test_constructors_run_once_through_dt_init(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as first, pd.opened(library, probe_path):
        assert first.probe(pd.COUNT, 1)[4] == 1


def test_packets_and_hvx_instructions_are_counted_exactly(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        packets, hvx, has_counters, has_unknown_name = probe.probe(pd.COUNT, 1000)[:4]
        more_packets, more_hvx = probe.probe(pd.COUNT, 3000)[:2]
        assert (hvx, more_hvx) == (1000, 3000)
        assert more_packets - packets == 2000
        assert has_counters == 1
        assert has_unknown_name == 0  # a weak symbol that nobody has


def test_what_the_dma_handler_executes_is_not_counted(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        before = probe.probe(pd.COUNT, 500)
        probe.invoke(pd.DMA, [pd.words(), bytes(65536)], [bytearray(32), bytearray(65536)])
        assert probe.probe(pd.COUNT, 500) == before


@pytest.mark.parametrize("n_bytes", [64, 8192, 40008])
def test_user_dma_copies_when_it_is_waited_for(library: Library, probe_path: Path, n_bytes: int) -> None:
    source, out, target = bytes(i * 7 & 255 for i in range(n_bytes)), bytearray(32), bytearray(n_bytes)
    with pd.opened(library, probe_path) as probe:
        probe.invoke(pd.DMA, [pd.words(), source], [out, target])
    parts = [source[at : at + n_bytes // 8] for at in range(0, n_bytes, n_bytes // 8)]
    assert target == b"".join((*parts[:4], parts[4], parts[6], parts[5], parts[7]))
    assert (out[0], out[4], out[8]) == (0, 0, 1)  # idle after the wait; nothing there before it; all descriptors done
    assert int.from_bytes(out[12:16], "little") == 0  # an instruction that is emulated counts as one packet


def test_vtcm_lies_where_hardware_has_it_and_ends(library: Library, probe_path: Path) -> None:
    loopback.set_option(library, "vtcm", 2 << 20)
    with pd.opened(library, probe_path) as probe:
        assert probe.probe(pd.VTCM, 2 << 20)[:2] == (VTCM_ADDRESS, 3)
        assert probe.probe(pd.VTCM, (2 << 20) + 1)[0] == 0


def test_log_lines_arrive_before_the_call_returns(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        for i in range(20):
            probe.probe(pd.LOG, i)
            line = f"probe:1: {i} words 20015998343868 | 2.500 x 1099511627776 {i}"  # QuRT's variadic convention
            assert line in pd.log(library)


def test_threads_share_a_mutex(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        assert probe.probe(pd.THREADS, 6, 500)[:2] == (3000, 42)


def test_arguments_in_rpcmem_are_shared_and_others_copied(library: Library, probe_path: Path) -> None:
    buffer = SharedMemory(library, 3 * PAGE)
    address, fd, memory = buffer.address, buffer.fd, buffer.view
    with pd.opened(library, probe_path) as probe:
        remote.fastrpc_mmap(library, remote.CDSP, fd, address, 3 * PAGE)
        out = bytearray(32)
        probe.invoke(pd.WHERE, [pd.words(), memory[100:200], memory[PAGE:], bytes(1000)], [out])
        first, shared, later, copied = memoryview(out)[:16].cast("I")
        assert memoryview(out)[16:].cast("I").tolist() == [32, 100, 2 * PAGE, 1000]
        assert later - shared == PAGE - 100
        assert first % 128 == copied % 128 == 0
        assert abs(copied - shared) > PAGE
        remote.fastrpc_munmap(library, remote.CDSP, fd, address, 3 * PAGE)
    buffer.free()


@pytest.mark.parametrize("size", [1, PAGE, PAGE + 1])
def test_a_mapping_is_all_readable(library: Library, probe_path: Path, size: int) -> None:
    with pd.opened(library, probe_path) as probe, pd.mapped(library, size) as (memory, fd):
        memory[0] = 11
        memory[size - 1] = 22
        assert probe.probe(pd.PEEK, fd, 0)[0] == (22 if size == 1 else 11)
        assert probe.probe(pd.PEEK, fd, size - 1)[0] == 22


def test_a_buffer_that_is_not_mapped_is_not_found(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        with pd.mapped(library, PAGE) as (_, fd):
            assert probe.probe(pd.PEEK, fd, 0)[0] == 0
        with pytest.raises(HexagonError) as caught:
            probe.probe(pd.PEEK, fd, 0)
        assert caught.value.code == 0x80000448


def test_calls_run_at_once_on_a_pd_thread_each(library: Library, probe_path: Path) -> None:
    results: list[int] = []

    def call() -> None:
        results.extend(probe.probe(pd.COUNT, 1000 + i)[1] for i in range(50))

    with pd.opened(library, probe_path) as probe:
        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(results) == sorted([1000 + i for i in range(50)] * 8)


def test_large_arguments_grow_the_channel(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        for size in (1 << 12, 1 << 22, 1 << 25, 1 << 12):
            out = bytearray(32)
            probe.invoke(pd.WHERE, [pd.words(), bytes(size)], [out])
            assert int.from_bytes(out[20:24], "little") == size


def test_arguments_that_do_not_fit_are_refused_and_the_next_call_works(library: Library, probe_path: Path) -> None:
    large = bytes(3 << 29)  # pages that nobody touches
    with pd.opened(library, probe_path) as probe, pd.mapped(library, 7 << 28):  # beside 1.75 GiB there is no room
        for _ in range(2):
            with pytest.raises(MemoryError) as caught:
                probe.invoke(pd.WHERE, [pd.words(), large], [bytearray(32)])
            assert isinstance(caught.value, HexagonError)
            assert caught.value.code == 0x80000402
            assert probe.probe(pd.COUNT, 1)[1] == 1


def test_what_the_skel_answers_reaches_the_caller(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        for arguments, code in (([b"short"], 0x8000040E), ([pd.words()], 0x80000414)):
            with pytest.raises(HexagonError) as caught:
                probe.invoke(30, arguments, [bytearray(32)])
            assert caught.value.code == code
