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
from pyhexagon.doctor.findings import PIP, Problem, of_error
from pyhexagon.errors import HexagonError
from pyhexagon.process import domains, locate
from pyhexagon.process.stub import Stub
from pyhexagon.process.transport.invoke import InvokeTransport

ECHO_TIMEOUT: Final = 5.0
_KERNEL_LOG: Final = "sudo dmesg | grep -iE 'fastrpc|remoteproc|smmu' | tail -30"
_REINSTALL: Final = (
    "sudo apt install --reinstall libcdsprpc1 (Radxa) or sudo apt install --reinstall libfastrpc1 (Debian, Ubuntu); "
    "it needs glibc 2.38 or newer, libbsd0 and libyaml-0-2"
)
_JOURNAL: Final = "journalctl -b | grep -iE 'fastrpc|dynamic loading failed' | tail -30"
_OPEN_REMEDIES: Final = {
    0x68: "ls -l /dev/dma_heap/system; sudo dmesg | grep -i fastrpc",
    0x80000406: _JOURNAL,
    0x80000442: PIP,
    0x80000600: f"{_KERNEL_LOG}; sudo reboot; if the error persists: the device tree lacks memory for the CDSP",
}


class Probe:
    """A library, and at most one open handle of our skel."""

    def __init__(self, target: locate.Target) -> None:
        self._named = target
        self._domain: domains.Domain | None = None
        self._handle: Handle64 | None = None
        self._unsigned_bit: int | None = None

    @property
    def library(self) -> Library:
        return load(self._named.library)

    @cached_property
    def target(self) -> locate.Target:
        """The target with the skel for this DSP's version, which the library reports."""
        return locate.with_skel_for(self._named, remote.arch(self.library))

    # --- Checks ---

    def symbols(self) -> str:
        try:
            library = self.library
        except HexagonError as error:
            raise of_error(error, PIP if self._named.is_loopback else _REINSTALL) from None
        absent = sorted(set(FEATURES) - {"loopback"} - library.features)
        if "dspqueue" in absent:
            raise Problem(
                f"{library.path} has no dspqueue: requests travel by invoke only",
                "sudo apt install --only-upgrade libcdsprpc1 (Radxa) or libfastrpc1 (Debian), if that is wanted",
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
        try:
            values = {name: remote.dsp_info(self.library, remote.CDSP, number) for name, number in names.items()}
        except HexagonError as error:
            raise of_error(error, "cat /sys/class/remoteproc/*/state; ls -l /dev/fastrpc-*") from None
        if not values["domain"]:
            raise Problem(
                "the library reports that there is no CDSP (capability 0 reads 0)",
                "cat /sys/class/remoteproc/*/state; ls -l /dev/fastrpc-*",
            )
        arch = values["arch"] & 0xFF
        try:
            locate.check_skel(self.target, arch or None)
        except HexagonError as error:
            raise of_error(error, "install a pyhexagon with a skel for this DSP") from None
        self._unsigned_bit = values["unsigned process"]
        facts = ", ".join(f"{name} {value}" for name, value in values.items() if name != "arch")
        skel = f"; skel {self.target.skel_reason}" if self.target.skel_reason else ""
        return f"arch {f'v{arch:x}' if arch else 'not reported'}, {facts}{skel}"

    def open(self) -> str:
        try:
            self._open()
        except HexagonError as error:
            remedy = _OPEN_REMEDIES.get(error.code or 0, "" if error.hint else _KERNEL_LOG)
            raise of_error(error, remedy) from None
        lies = "; unsigned processes work although the capability reads 0" if self._unsigned_bit == 0 else ""
        return f"an unsigned process runs, and our skel is open in it{lies}"

    def contract(self) -> str:
        info = Stub(self.library, self._open()).info()
        if info.contract_version != contract.VERSION:
            raise Problem(
                f"{self.target.skel} has contract version {info.contract_version}, this package {contract.VERSION}",
                f"{PIP}; unset PYHEXAGON_LIB",
            )
        return (
            f"contract {info.contract_version}, build {info.build_id:016x}, {info.n_threads} threads, "
            f"VTCM {info.vtcm_bytes:,} bytes"
        )

    def echo_invoke(self) -> str:
        transport = InvokeTransport(Stub(self.library, self._open()))
        try:
            for _ in range(3):
                transport.echo(ECHO_TIMEOUT)
        finally:
            transport.end(ECHO_TIMEOUT)
        return "the echo matches"

    # --- The handle ---

    def _open(self) -> Handle64:
        if self._handle is None:
            domain = domains.take(self.library, 0)
            try:
                self._handle, _ = domains.open_module(self.library, domain, self.target)
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
        self._open()
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
