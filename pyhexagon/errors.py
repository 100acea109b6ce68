# SPDX-License-Identifier: MIT
"""The one family of exceptions, and the one place that turns a code into one of them.

Every class also inherits the builtin that a Python programmer would expect, so ``except TimeoutError`` works. All
survive pickling. A caught error tells ``.call`` (the C function), ``.code`` (unsigned), ``.name``, ``.origin`` ("host",
"dsp" or "kernel"), ``.detail`` and ``.hint``; those without a code have ``code`` None.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, TypeVar

from pyhexagon import aee

_E = TypeVar("_E", bound="HexagonError")


class HexagonError(Exception):
    """Root of the family.

    Args:
        detail: what went wrong, with the expected and the found value where that makes sense.
        call: name of the function that failed.
        code: what it returned, signed or unsigned.
        hint: what to do next; by default what is known about the code.
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
            self.hint = hint or aee.hint(call, code)
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


def _rebuild(cls: type[_E], detail: str, call: str, code: int | None, hint: str) -> _E:
    return cls(detail, call=call, code=code, hint=hint)


class DeviceNotFoundError(HexagonError, OSError):
    """There is no DSP to talk to, or no right to do so."""


class LibraryError(HexagonError, OSError):
    """A libcdsprpc was found but cannot be used."""


class DeviceLostError(HexagonError, ConnectionError):
    """The DSP process died. Nothing of the session is usable; it can be reopened."""


class DspTimeoutError(HexagonError, TimeoutError):
    """No answer in time."""


class DspMemoryError(HexagonError, MemoryError):
    """Shared memory, DSP address space or the DSP's heap is exhausted."""


class ArgumentError(HexagonError, ValueError):
    """An argument is wrong; the message says what was expected and what came."""


class OperandError(HexagonError, TypeError):
    """A tensor was used as an array is; the message names the way to the array."""


class UnsupportedError(HexagonError, NotImplementedError):
    """The library, the firmware or the skel cannot do this."""


class SkelLoadError(HexagonError, OSError):
    """The skel was not found, or the DSP's loader refused it."""


class ContractError(HexagonError, RuntimeError):
    """The skel and this package do not belong together: contract version or architecture."""


class BatchError(HexagonError, RuntimeError):
    """The skel's checker refused a program or a run of it, or an op failed; ``code`` is a status of idl/contract.h."""


class GGUFError(HexagonError, ValueError):
    """A GGUF file is truncated, corrupt, or holds something unexpected."""


class ClosedError(HexagonError, ValueError):
    """The object was closed, or belongs to the parent of this forked process."""


class BusyError(HexagonError, BufferError):
    """Memory cannot be given back: NumPy views of it live, or the DSP may still use it."""


class ClusterError(HexagonError, RuntimeError):
    """Several boards do not work together: none is there, one cannot be reached, or they are not alike."""


class DeployError(HexagonError, RuntimeError):
    """A deploy failed; the version that was current on the board still is."""


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
})


def error_class(code: int) -> type[HexagonError]:
    """The class that stands for a code."""
    code = aee.normalise(code)
    if code in _CLASSES:
        return _CLASSES[code]
    return BatchError if aee.SKEL_FIRST <= code <= aee.SKEL_LAST else HexagonError


def error(call: str, rc: int, detail: str = "", **context: object) -> HexagonError:
    """The exception for a code that ``call`` returned; ``context`` is appended to the detail as ``name value``."""
    parts = [detail or aee.meaning(rc)] + [f"{name.replace('_', ' ')} {value}" for name, value in context.items()]
    return error_class(rc)(", ".join(part for part in parts if part), call=call, code=rc)


def check(call: str, rc: int, detail: str = "", **context: object) -> None:
    """The door through which every result of C goes: returns on 0, raises otherwise."""
    if rc:
        raise error(call, rc, detail, **context)
