# SPDX-License-Identifier: MIT
"""The session numbers of each compute DSP in this process, and opening our skel in one of them.

A process has four on each DSP: session 0, and three that are reserved on demand. The library cannot release a
reservation, so the numbers are kept here and reused.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from pyhexagon._ffi import loopback, remote
from pyhexagon._ffi.library import CData, Handle64, Library
from pyhexagon.errors import ArgumentError, DeviceNotFoundError, HexagonError, aee
from pyhexagon.process.callthread import CallThread
from pyhexagon.process.changes import Changes
from pyhexagon.process.locate import SKEL_FILE, Target

MODULE_URI: Final = f"file:///{SKEL_FILE}?pyhexagon_skel_handle_invoke&_modver=1.0"
FOLDER_TIMEOUT: Final = 5.0  # seconds
STACK_BYTES: Final = 128 << 10  # of each DSP thread that serves our calls
_QEMU_HINT: Final = (
    "pyhexagon get-qemu finds or fetches it (PYHEXAGON_QEMU names another one, 10 or newer); in a checkout, "
    "scripts/venv test builds what else loopback:qemu needs"
)

_logger: Final = logging.getLogger(__name__)


class Domain(NamedTuple):
    """A session number: the DSP's name, its effective id for calls, the URI that opens it, and its number there."""

    processor: str
    effective_id: int
    uri: str
    session_id: int = 0

    def described(self) -> dict[str, str | int]:
        """Return the parts by name, for ``DeviceInfo.domains``."""
        return {
            "processor": self.processor, "session_id": self.session_id, "domain_id": self.effective_id, "uri": self.uri
        }  # fmt: skip


_changes: Final = Changes()  # guards the variables below
_free: Final[dict[tuple[Library, str], list[Domain]]] = {}  # by the name of the DSP
_leaving: Final[set[Domain]] = set()  # their sessions are being closed
_failed: Final[dict[Domain, int]] = {}  # the thread whose open failed and that may hold the library's lock
_kept_threads: Final[list[CallThread]] = []  # those threads
_folders: Final[list[str]] = []  # of the skels being opened
_before: Final[dict[str, str | None]] = {}  # the environment variable, and its value without them


def take(library: Library, processor: str, timeout: float) -> Domain:
    """Return a session number that no open session of this process uses.

    Args:
        processor: the compute DSP, "cdsp" or "cdsp1".
        timeout: seconds to wait for a session that is being closed.
    """
    domain = _take_free(library, processor, 0)
    if domain is not None:
        return domain
    try:
        session = remote.reserve_session(library, processor, "pyhexagon")
    except HexagonError as error:
        if error.code != aee.NOSESSION:
            raise
        domain = _take_free(library, processor, timeout)
        if domain is not None:
            return domain
        raise type(error)(
            f"every session of this process is in use: it has four for all its devices on the {processor}",
            call=error.call,
            code=error.code,
            hint="close a device (`with Device(...)` does at its end), or share one: LLM(..., device=device)",
        ) from None
    uri = remote.get_uri(library, processor, session.session_id, MODULE_URI)
    return Domain(processor, session.effective_id, uri, session.session_id)


def _take_free(library: Library, processor: str, timeout: float) -> Domain | None:
    thread = threading.get_ident()
    first = Domain(processor, remote.DOMAIN_IDS[processor], f"{MODULE_URI}&_dom={processor}")

    def look() -> list[Domain] | None:
        free = _free.setdefault((library, processor), [first])
        if not free:
            return None if any(domain.processor == processor for domain in _leaving) else []
        best = min(free, key=lambda domain: (_failed.get(domain, thread) != thread, domain not in _failed))
        free.remove(best)
        return [best]

    return next(iter(_changes.wait_for(look, timeout) or []), None)


def mark_closing(domain: Domain) -> None:
    """Record that the session with this number is about to be closed."""
    with _changes.lock:
        _leaving.add(domain)


def mark_stuck(domain: Domain) -> None:
    """Record that the session cannot be closed: waiters must not wait for its number."""
    with _changes.lock:
        _leaving.discard(domain)
        _changes.notify()


def give_back(library: Library, domain: Domain) -> None:
    """Return the number of a closed session to the pool."""
    with _changes.lock:
        _leaving.discard(domain)
        _free[library, domain.processor].append(domain)
        _changes.notify()


def new_thread() -> CallThread:
    """Return a thread that opens a session and makes its calls."""
    return _kept_threads.pop() if _kept_threads else CallThread("pyhexagon-calls")


def end_thread(thread: CallThread, timeout: float) -> bool:
    """End the thread and wait for that; return False if it is stuck. A thread whose open failed is kept for reuse."""
    if thread.ident in _failed.values():
        thread.cancel_end_with()
        _kept_threads.append(thread)
        return True
    return thread.close(timeout)


class Module(NamedTuple):
    """Our skel, opened in a new DSP process.

    Attributes:
        handle: of the skel.
        stack_refusal: the error if the library refused STACK_BYTES for the threads that serve our calls, else None.
        status: the status that FastRPC's notifications report, or the error if the library refused to send them.
    """

    handle: Handle64
    stack_refusal: HexagonError | None
    status: CData | HexagonError


def open_module(library: Library, domain: Domain, target: Target) -> Module:
    """Create the unsigned DSP process and open our skel in it, on the calling thread and without a time limit.

    The packaged version of the real library keeps a lock when it cannot create a session, and the next open from
    another thread hangs: that open is refused here. The library's exit handler would hang too, so it is skipped.
    """
    thread = threading.get_ident()
    if not library.is_loopback and _failed.get(domain, thread) != thread:
        raise DeviceNotFoundError(
            "an earlier open failed on another thread; this one would hang (a flaw of some libcdsprpc versions)",
            hint="restart the program",
        )
    remote.enable_unsigned(library, domain.effective_id)
    refusal = _request_stack(library, domain)
    status = _request_notifications(library, domain)
    try:
        with _search_path(target.skel.parent):
            handle = remote.handle64_open(library, domain.uri)
    except HexagonError as error:
        if library.is_loopback:
            raise _with_reason(library, error) from None
        if error.origin != "dsp":
            _failed[domain] = thread
            library.skip_exit()
        raise
    _failed.pop(domain, None)
    return Module(handle, refusal, status)


def _request_stack(library: Library, domain: Domain) -> HexagonError | None:
    """Request STACK_BYTES for each FastRPC thread of the process to come; return the error if that is refused.

    FastRPC's default is 16 KiB. The skel runs jobs on threads with stacks of its own, so a refusal is not fatal.
    """
    try:
        remote.thread_params(library, domain.effective_id, stack_size=STACK_BYTES)
    except HexagonError as error:
        _logger.warning("stack of %d bytes for the DSP's FastRPC threads: refused: %s", STACK_BYTES, error)
        return error
    return None


def _request_notifications(library: Library, domain: Domain) -> CData | HexagonError:
    """Request status notifications of the process to come; return the status, or the error if that is refused.

    Without notifications, the next call finds a death between calls.
    """
    try:
        return remote.process_status(library, domain.effective_id)
    except HexagonError as error:
        _logger.info("status notifications of the DSP process: refused: %s", error)
        return error


def _with_reason(library: Library, error: HexagonError) -> HexagonError:
    """Return the error with the last line of the loopback's log, which has the engine's or the loader's message."""
    lines = loopback.log(library).splitlines()
    if not lines:
        return error
    if lines[-1].startswith("qemu: no qemu-hexagon"):
        return type(error)("loopback:qemu needs qemu-hexagon, and there is none", hint=_QEMU_HINT)
    hint = _QEMU_HINT if lines[-1].startswith("qemu: ") else ""
    return type(error)(f"{error.detail}: {lines[-1]}", call=error.call, code=error.code, hint=hint)


@contextmanager
def _search_path(folder: Path) -> Iterator[None]:
    """Prepend a folder to the library's skel search path, and remove it again.

    Skels of different folders share one name, so opens with another folder wait, but for a limited time: an open that
    hangs may never return, and it found its skel long ago.
    """
    if ";" in str(folder):
        raise ArgumentError(f"the skel's folder must not have a semicolon in its name: {folder}")
    name = str(folder)
    _changes.wait_for(lambda: all(other == name for other in _folders) or None, FOLDER_TIMEOUT)
    with _changes.lock:
        _folders.insert(0, name)
        _set_search_path()
    try:
        yield
    finally:
        with _changes.lock:
            _folders.remove(name)
            _set_search_path()
            _changes.notify()


def _set_search_path() -> None:
    if not _before:
        name = "DSP_LIBRARY_PATH" if "DSP_LIBRARY_PATH" in os.environ else "ADSP_LIBRARY_PATH"
        _before[name] = os.environ.get(name)
    ((name, before),) = _before.items()
    folders = [*dict.fromkeys(_folders), *([before] if before else [])]
    if folders:
        os.environ[name] = ";".join(folders)
    else:
        os.environ.pop(name, None)
    if not _folders:
        _before.clear()
