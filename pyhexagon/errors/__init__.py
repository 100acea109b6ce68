# SPDX-License-Identifier: MIT
"""The exceptions of this package, and the functions that make them from error codes.

Every class also inherits the builtin that a Python programmer would expect, so ``except TimeoutError`` works. They
can be pickled. A caught error has ``.call`` (the C function), ``.code`` (unsigned), ``.name``, ``.origin`` ("host",
"dsp" or "kernel"), ``.detail`` and ``.hint``; those without a code have ``code`` None.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, TypeVar

from pyhexagon.errors import aee

_E = TypeVar("_E", bound="HexagonError")


class HexagonError(Exception):
    """Base class of this package's exceptions.

    Args:
        detail: what went wrong, with the expected and the actual value.
        call: name of the function that failed.
        code: its error code, signed or unsigned.
        hint: what to do next; by default the hint for the code.
    """

    def __init__(self, detail: str = "", *, call: str = "", code: int | None = None, hint: str = "") -> None:
        self.detail = detail
        self.call = call
        self.code: int | None = None
        self.name = ""
        self.origin: aee.Origin | None = None
        self.hint = hint
        if code is not None:
            self.code = aee.normalise(code)
            self.name = aee.name(code)
            self.origin = aee.origin(code)
            self.hint = hint or aee.hint(call, code) or _cause(call, code)
        super().__init__(self._message())

    def _message(self) -> str:
        what = self.detail
        if self.code is not None:
            what = f"{self.name} (0x{self.code:x}, from {self.origin})" + (f": {what}" if what else "")
        if self.call:
            what = f"{self.call}: {what}" if what else f"{self.call} failed"
        if self.hint:
            hint = f"Hint: {self.hint}{'' if self.hint.endswith('?') else '.'}"
            what = f"{what.rstrip('.')}. {hint}" if what else hint
        return what

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.detail, self.call, self.code, self.hint), self.__dict__


def _cause(call: str, code: int) -> str:
    """Return cause and command for an open that failed with a code without a hint."""
    if call != "remote_handle64_open":
        return ""
    from pyhexagon.errors import causes  # most programs never need it

    return causes.hint(code)


def _rebuild(cls: type[_E], detail: str, call: str, code: int | None, hint: str) -> _E:
    return cls(detail, call=call, code=code, hint=hint)


class DeviceNotFoundError(HexagonError, OSError):
    """There is no DSP, or no permission to use it."""


class LibraryError(HexagonError, OSError):
    """A libcdsprpc was found but cannot be used."""


class DeviceLostError(HexagonError, ConnectionError):
    """The DSP process died. Its session is unusable until it is reopened."""


class DspTimeoutError(HexagonError, TimeoutError):
    """The DSP did not answer before the timeout."""


class DspMemoryError(HexagonError, MemoryError):
    """Shared memory, the DSP's address space or its workspace is exhausted."""


class ArgumentError(HexagonError, ValueError):
    """An argument is wrong; the message gives the expected and the actual value."""


class OperandError(HexagonError, TypeError):
    """A tensor or a program's value was used as an array; the hint says what to write."""


class UnsupportedError(HexagonError, NotImplementedError):
    """The library, the firmware or the skel cannot do this."""


class SkelLoadError(HexagonError, OSError):
    """The skel was not found, or the DSP's loader refused it."""


class ContractError(HexagonError, RuntimeError):
    """The skel does not fit this package: it has another contract version or architecture."""


class ProgramError(HexagonError, RuntimeError):
    """The skel refused a program or a run, or an op failed; ``code`` is a status of idl/contract.h."""


class KernelError(HexagonError, RuntimeError):
    """A user kernel does not compile, cannot be loaded, or returned an error."""


class GGUFError(HexagonError, ValueError):
    """A GGUF file is truncated, corrupt, or has unexpected content."""


class AudioError(HexagonError, ValueError):
    """Audio is corrupt, empty, too long, or of a kind that cannot be read."""


class ClosedError(HexagonError, ValueError):
    """The object was closed, or belongs to the parent of this forked process."""


class BusyError(HexagonError, BufferError):
    """Memory cannot be freed: NumPy views of it exist, or the DSP may still use it."""


class ClusterError(HexagonError, RuntimeError):
    """A cluster failed: it has no boards, a board cannot be reached, or the boards differ."""


class DeployError(HexagonError, RuntimeError):
    """A deployment failed; the board keeps its current version."""


_CLASSES: Final = MappingProxyType({
    0x2: DspMemoryError,
    0xC: DspTimeoutError,
    0xE: ArgumentError,
    0x14: UnsupportedError,
    0x2C: ClosedError,
    0x2E: DeviceLostError,
    0x39: ArgumentError,
    0x43: DeviceNotFoundError,
    0x48: ArgumentError,
    0x4D: ArgumentError,
    0x68: DeviceLostError,
    0x6C: UnsupportedError,
    0x72: DeviceNotFoundError,
    0x80000402: DspMemoryError,
    0x80000404: ContractError,
    0x80000406: SkelLoadError,
    0x8000040C: DspTimeoutError,
    0x8000040D: DeviceLostError,
    0x8000040E: ArgumentError,
    0x80000410: ArgumentError,
    0x80000414: UnsupportedError,
    0x8000042C: DeviceLostError,
    0x8000043E: ClosedError,
    0x80000442: SkelLoadError,
    0x80000448: ArgumentError,
    0x8000044D: ArgumentError,
    0x80000468: DspMemoryError,
    0x80000481: SkelLoadError,
    0x80000482: SkelLoadError,
    0x8000054B: DspMemoryError,
    0x80000594: ContractError,
    4099: ContractError,
    4113: DspMemoryError,
    4117: KernelError,
})


def error_class(code: int) -> type[HexagonError]:
    """Return the exception class of an error code."""
    code = aee.normalise(code)
    if code in _CLASSES:
        return _CLASSES[code]
    return ProgramError if aee.SKEL_FIRST <= code <= aee.SKEL_LAST else HexagonError


def error(call: str, rc: int, detail: str = "", **context: object) -> HexagonError:
    """Return the exception for a code of ``call``; its detail ends with ``context`` as ``name value``."""
    parts = [detail or aee.meaning(rc)] + [f"{name.replace('_', ' ')} {value}" for name, value in context.items()]
    return error_class(rc)(", ".join(part for part in parts if part), call=call, code=rc)


def check(call: str, rc: int, detail: str = "", **context: object) -> None:
    """Raise the exception of a C function's result unless it is 0."""
    if rc:
        raise error(call, rc, detail, **context)
