# SPDX-License-Identifier: MIT
"""The session numbers of the CDSP in this process, and opening our skel in one of them.

A process has four: session 0, and three that are reserved on demand and never returned to the library. They are kept
here and used again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from pyhexagon._ffi import aee, loopback, remote
from pyhexagon._ffi.library import Handle64, Library
from pyhexagon.errors import ArgumentError, DeviceNotFoundError, HexagonError
from pyhexagon.locate import SKEL_FILE, Target

MODULE_URI: Final = f"file:///{SKEL_FILE}?pyhexagon_skel_handle_invoke&_modver=1.0"
_QEMU_HINT: Final = (
    "pyhexagon get-qemu finds or fetches QEMU; in a checkout, scripts/venv test builds what else loopback:qemu needs"
)


class Domain(NamedTuple):
    """A session number: what calls name it by, and what opens it."""

    effective_id: int
    uri: str


_lock: Final = threading.Lock()
_free: Final[dict[Library, list[Domain]]] = {}
_failed: Final[dict[int, int]] = {}  # effective id -> the thread whose open failed


def take(library: Library) -> Domain:
    """A session number that no open session of this process has."""
    with _lock:
        if library not in _free:
            _free[library] = [Domain(remote.CDSP, f"{MODULE_URI}&_dom={remote.CDSP_NAME}")]
        if _free[library]:
            return _free[library].pop()
        try:
            session = remote.reserve_session(library, remote.CDSP_NAME, "pyhexagon")
        except HexagonError as error:
            if error.code != aee.NOSESSION:
                raise
            raise type(error)(
                "every session of this process is in use: it has four for all its devices",
                call=error.call,
                code=error.code,
                hint="close a device, or share one between threads",
            ) from None
        uri = remote.get_uri(library, remote.CDSP_NAME, session.session_id, MODULE_URI)
        return Domain(session.effective_id, uri)


def give_back(library: Library, domain: Domain) -> None:
    """The session with this number is closed."""
    with _lock:
        _free[library].append(domain)


def open_module(library: Library, domain: Domain, target: Target) -> Handle64:
    """Makes the DSP process, unsigned, and opens our skel in it; on the calling thread.

    The packaged version of the real library keeps a lock when it cannot create a session, and the next open from
    another thread hangs: that one is refused here.
    """
    with _lock:
        thread = threading.get_ident()
        if not library.is_loopback and _failed.get(domain.effective_id, thread) != thread:
            raise DeviceNotFoundError(
                "an earlier open failed on another thread; this one would hang (a flaw of some libcdsprpc versions)",
                hint="open the device on the thread that failed, or start the program anew",
            )
        remote.enable_unsigned(library, domain.effective_id)
        with _search_path(target.skel.parent):
            try:
                handle = remote.handle64_open(library, domain.uri)
            except HexagonError as error:
                if library.is_loopback:
                    raise _with_reason(library, error) from None
                if error.origin != "dsp":
                    _failed[domain.effective_id] = thread
                raise
        _failed.pop(domain.effective_id, None)
        return handle


def _with_reason(library: Library, error: HexagonError) -> HexagonError:
    """The error with the last line of the loopback's log, which has the engine's or the loader's own words."""
    lines = loopback.log(library).splitlines()
    if not lines:
        return error
    hint = _QEMU_HINT if lines[-1].startswith("qemu: ") else ""
    return type(error)(f"{error.detail}: {lines[-1]}", call=error.call, code=error.code, hint=hint)


@contextmanager
def _search_path(folder: Path) -> Iterator[None]:
    """Puts a folder before those in which the library looks for skels, and takes it out again."""
    if ";" in str(folder):
        raise ArgumentError(f"the skel's folder must not have a semicolon in its name: {folder}")
    name = "DSP_LIBRARY_PATH" if "DSP_LIBRARY_PATH" in os.environ else "ADSP_LIBRARY_PATH"
    old = os.environ.get(name)
    os.environ[name] = f"{folder};{old}" if old else str(folder)
    try:
        yield
    finally:
        if old is None:
            del os.environ[name]
        else:
            os.environ[name] = old
