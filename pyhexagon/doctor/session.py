# SPDX-License-Identifier: MIT
"""Checks of the library and of a session, one FastRPC step each. They run in the child process (stages.py).

The steps are separate calls on the main thread, so that each is a check of its own; ``compute`` uses a Device.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from pyhexagon._ffi import contract, remote
from pyhexagon._ffi.library import FEATURES, Handle64, Library, load
from pyhexagon._ffi.rpcmem import SharedMemory
from pyhexagon.doctor import known
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import KERNEL_LOG, PIP, Problem, of_error, without_hint
from pyhexagon.errors import HexagonError, causes
from pyhexagon.process import domains, locate
from pyhexagon.process.stub import Stub
from pyhexagon.process.transport.invoke import InvokeTransport

ECHO_TIMEOUT: Final = 5.0


class Probe:
    """A library, and at most one open handle of our skel."""

    def __init__(self, target: locate.Target, board: Board) -> None:
        self.board = board
        self._named = target
        self._domain: domains.Domain | None = None
        self._handle: Handle64 | None = None
        self._unsigned_bit: int | None = None
        self._domain_id = remote.DOMAIN_IDS[target.processor]

    @property
    def library(self) -> Library:
        return load(self._named.library)

    @cached_property
    def target(self) -> locate.Target:
        """The target with the skel for this DSP's version, which the library reports."""
        return locate.with_skel_for(self._named, remote.arch(self.library, self._domain_id))

    # --- Checks ---

    def symbols(self) -> str:
        try:
            library = self.library
        except HexagonError as error:
            if self._named.is_loopback:
                raise of_error(error, PIP) from None
            finding = f"{without_hint(error)} (it needs glibc 2.38 or newer, libbsd0 and libyaml-0-2)"
            raise Problem(finding, known.install(self.board, "library", again=True)) from None
        absent = sorted(set(FEATURES) - {"loopback"} - library.features)
        if "dspqueue" in absent:
            raise Problem(
                f"{library.path} has no dspqueue: requests travel by invoke only",
                known.upgrade(self.board),
                warning=True,
            )
        return f"{library.path}: all required functions" + (f"; without {', '.join(absent)}" if absent else "")

    def capabilities(self) -> str:
        names = {
            "domain": remote.DOMAIN_SUPPORT,
            "unsigned process": remote.UNSIGNED_PD_SUPPORT,
            "HVX 128 byte": remote.HVX_SUPPORT_128B,
            "VTCM pages": remote.VTCM_COUNT,
            "arch": remote.ARCH_VER,
        }
        answers = {name: self._dsp_info(number) for name, number in names.items()}
        values = {name: answer for name, answer in answers.items() if isinstance(answer, int)}
        refused = {name: without_hint(answer) for name, answer in answers.items() if isinstance(answer, HexagonError)}
        if not values.get("domain"):
            why = next(iter(refused.values()), "capability 0 reads 0")
            raise Problem(f"the library reports that there is no {self._named.processor.upper()}: {why}", causes.NODES)
        self._unsigned_bit = values.get("unsigned process")
        if refused:
            raise Problem(
                f"the library does not report {', '.join(refused)} of the DSP: {next(iter(refused.values()))}; "
                f"skel {self.target.skel_reason or self.target.skel}",
                known.upgrade(self.board),
                warning=True,
            )
        arch = values["arch"] & 0xFF
        try:
            locate.check_skel(self.target, arch or None)
        except HexagonError as error:
            raise of_error(error, PIP) from None
        facts = ", ".join(f"{name} {value}" for name, value in values.items() if name != "arch")
        skel = f"; skel {self.target.skel_reason}" if self.target.skel_reason else ""
        return f"arch {f'v{arch:x}' if arch else 'not reported'}, {facts}{skel}"

    def _dsp_info(self, number: int) -> int | HexagonError:
        try:
            return remote.dsp_info(self.library, self._domain_id, number)
        except HexagonError as error:
            return error

    def open(self) -> str:
        try:
            self.handle()
        except HexagonError as error:
            cause = None if error.code is None else causes.of(error.code)
            if cause is None:
                raise of_error(error, KERNEL_LOG) from None
            finding = f"{without_hint(error)}: {cause.text}"
            raise Problem(finding, known.command(self.board, cause.command)) from None
        lies = "; unsigned processes work although the capability reads 0" if self._unsigned_bit == 0 else ""
        return f"an unsigned process runs, and our skel is open in it{lies}"

    def contract(self) -> str:
        info = Stub(self.library, self.handle()).info()
        if info.contract_version != contract.VERSION:
            raise Problem(
                f"{self.target.skel} has contract version {info.contract_version}, this package {contract.VERSION}",
                f"unset PYHEXAGON_LIB; {PIP}",
            )
        return (
            f"contract {info.contract_version}, build {info.build_id:016x}, {info.n_threads} threads, "
            f"VTCM {info.vtcm_bytes:,} bytes"
        )

    def echo_invoke(self) -> str:
        transport = InvokeTransport(Stub(self.library, self.handle()))
        try:
            for _ in range(3):
                transport.echo(ECHO_TIMEOUT)
        finally:
            transport.end(ECHO_TIMEOUT)
        return "the echo matches"

    # --- The handle ---

    def handle(self) -> Handle64:
        """Return the open handle of our skel; the first call opens it."""
        if self._handle is None:
            domain = domains.take(self.library, self._named.processor, 0)
            try:
                self._handle = domains.open_module(self.library, domain, self.target).handle
            except BaseException:
                domains.give_back(self.library, domain)
                raise
            self._domain = domain
        return self._handle

    def close(self) -> None:
        """End the DSP process. A second call is a no-op."""
        handle, self._handle = self._handle, None
        if handle is not None and self._domain is not None:
            remote.handle64_close(self.library, handle)
            domains.give_back(self.library, self._domain)

    # --- Memory ---

    def map(self, size: int) -> SharedMemory | None:
        """Return memory mapped into the DSP process; None if no more can be mapped."""
        self.handle()
        if self._domain is None:
            return None
        try:
            buffer = SharedMemory(self.library, size)
        except HexagonError:
            return None
        try:
            remote.fastrpc_mmap(self.library, self._domain.effective_id, buffer.fd, buffer.address, size)
        except HexagonError:
            buffer.free()
            return None
        return buffer

    def unmap(self, buffer: SharedMemory) -> None:
        """Unmap and free the memory."""
        if self._domain is not None:
            remote.fastrpc_munmap(
                self.library, self._domain.effective_id, buffer.fd, buffer.address, buffer.size
            )
        buffer.free()
