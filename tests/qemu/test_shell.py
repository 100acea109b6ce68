# SPDX-License-Identifier: MIT
"""Names of the board's shell that skels of others import: threads by number, facts of the system, VTCM, files."""

from __future__ import annotations

import struct
from pathlib import Path

import pd
import pytest

from pyhexagon._ffi import loopback
from pyhexagon._ffi.library import Library

pytest_plugins = ("qemu_plugin",)

MIB = 1 << 20


def test_threads_know_the_number_they_were_given(library: Library, probe_path: Path) -> None:
    with pd.opened(library, probe_path) as probe:
        assert probe.probe(pd.NUMBERED, 8)[:2] == (0x11111111, 0xFFFE)  # and who was given none has QuRT's


def test_a_skel_learns_what_it_runs_on(library: Library, probe_path: Path) -> None:
    loopback.set_option(library, "threads", 3)
    with pd.opened(library, probe_path) as probe:
        assert probe.probe(pd.SYSTEM)[:5] == (3, 0x68, 3_000_000, 0, 1)


def test_vtcm_can_be_waited_for(library: Library, probe_path: Path) -> None:
    loopback.set_option(library, "vtcm", 2 * MIB)
    with pd.opened(library, probe_path) as probe:
        got, total, free, by_pages, timed_out, got_later = probe.probe(pd.VTCM_LATER, 2 * MIB)[:6]
    assert (got, timed_out, got_later) == (1, 1, 1)
    assert (total, free, by_pages) == (2 * MIB, 0, 2 * MIB)


def write_file(library: Library, probe_path: Path, name: str) -> tuple[int, int]:
    """Bytes that the skel read back, and of them those that fwrite wrote."""
    out = bytearray(32)
    with pd.opened(library, probe_path) as probe:
        probe.invoke(pd.FILES, [pd.words(), name.encode() + b"\0"], [out])
    return struct.unpack_from("<2I", out)


def test_files_lie_in_the_folder_that_was_named(
    library: Library, probe_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    monkeypatch.setenv("PYHEXAGON_DSP_FILES", str(folder))
    for name in ("a.txt", "/data/b.txt", "../c.txt", str(tmp_path / "d.txt")):
        assert write_file(library, probe_path, name) == (13, 4)
    assert {file.name: file.read_text() for file in folder.iterdir()} == dict.fromkeys(
        ("a.txt", "b.txt", "c.txt", "d.txt"), "from the DSP\n"
    )
    assert list(tmp_path.iterdir()) == [folder]


def test_no_file_leads_out_of_the_folder(
    library: Library, probe_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert write_file(library, probe_path, str(tmp_path / "a.txt")) == (0, 0)  # no folder was named
    assert "PYHEXAGON_DSP_FILES names no folder" in pd.log(library)
    folder, outside = tmp_path / "files", tmp_path / "outside.txt"
    folder.mkdir()
    outside.write_text("not the DSP's")
    (folder / "link").symlink_to(outside)
    monkeypatch.setenv("PYHEXAGON_DSP_FILES", str(folder))
    for name in ("link", "..", ".", "", "x/"):
        assert write_file(library, probe_path, name) == (0, 0)
    assert outside.read_text() == "not the DSP's"
