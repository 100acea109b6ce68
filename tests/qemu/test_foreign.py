# SPDX-License-Identifier: MIT
"""Skels that others built with the SDK, for this DSP.

Those of the board's Debian package are fetched (outside the tree). The test skels of qualcomm/fastrpc are in no
package: PYHEXAGON_FASTRPC_SKELS names a checkout's test/v68 folder for those who have one.
"""

from __future__ import annotations

import array
import os
import re
from pathlib import Path

import needs
import pd
import pytest

from pyhexagon._ffi.library import Library
from pyhexagon.errors import HexagonError

pytest_plugins = ("qemu_plugin",)


@pytest.fixture
def sdk_skels() -> Path:
    needs.require("fastrpc skels")
    return Path(os.environ[needs.FASTRPC_SKELS])


def test_the_benchmark_skel_of_the_board_runs(library: Library, board_files: Path) -> None:
    with pd.opened(library, board_files / "libbenchmark_skel.so") as skel, pytest.raises(HexagonError) as caught:
        skel.invoke(30, [], [])
    assert caught.value.code == 0x80000414  # its own answer to a method it does not have


def test_what_needs_services_of_the_board_is_refused_by_name(library: Library, board_files: Path) -> None:
    with pytest.raises(HexagonError) as caught, pd.opened(library, board_files / "libsysmonquery_skel.so"):
        pass
    assert caught.value.code == 0x80000406
    assert "undefined symbol qurt_qdi_qhi4" in pd.log(library)


def test_calculator(library: Library, sdk_skels: Path) -> None:
    numbers = array.array("i", [i * 7919 - 123456 for i in range(1000)])
    total, largest = bytearray(8), bytearray(4)
    arguments = [len(numbers).to_bytes(4, "little"), numbers.tobytes()]
    with pd.opened(library, sdk_skels / "libcalculator_skel.so", options="&_idlver=1.2.3") as skel:
        skel.invoke(2, arguments, [total])
        skel.invoke(3, arguments, [largest])
        assert int.from_bytes(total, "little", signed=True) == sum(numbers)
        assert int.from_bytes(largest, "little", signed=True) == max(numbers)
        with pytest.raises(HexagonError) as caught:
            skel.invoke(2, [arguments[0], bytes(12)], [total])  # its own check of the lengths
        assert caught.value.code == 0x8000040E


@pytest.mark.parametrize("_", range(5))
def test_multithreading(library: Library, sdk_skels: Path, _: int) -> None:
    with pd.opened(library, sdk_skels / "libmultithreading_skel.so") as skel:
        for method in (2, 3, 4):  # parallel sum, barriers, mutexes: it asserts its own results
            skel.invoke(method, [], [])


def test_hap_example_opens(library: Library, sdk_skels: Path) -> None:
    with pd.opened(library, sdk_skels / "libhap_example_skel.so"):
        pass


def test_a_pd_offers_no_name_that_the_board_lacks(board_files: Path) -> None:
    source = (pd.ROOT / "dsp/loopback/pd/exports.c").read_text()
    names = set(re.findall(r"\bX\((\w+)[,)]", source)) | set(re.findall(r'\{"(\w+)"', source))
    shell = (board_files / "fastrpc_shell_unsigned_3").read_bytes()
    absent = {name for name in names if b"\0" + name.encode() + b"\0" not in shell}
    replaced_by_its_loader = {"malloc", "calloc", "realloc", "free", "memalign"}
    assert len(names) > 200
    assert absent - replaced_by_its_loader == {"phx_pd_counters", "phx_pd_mapping_bytes"}
