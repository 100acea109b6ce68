# SPDX-License-Identifier: MIT
"""The exception family: messages, classes, builtins, pickling."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

from pyhexagon import errors
from pyhexagon.errors import HexagonError, aee, check, error, error_class
from pyhexagon.errors.aee import signed

CLASSES = [value for value in vars(errors).values() if inspect.isclass(value) and issubclass(value, HexagonError)]


def test_message_tells_call_name_code_side_detail_and_hint() -> None:
    caught = error("fastrpc_munmap", 0x48, "fd 37 is not mapped")
    assert str(caught) == (
        "fastrpc_munmap: AEE_ENOSUCHMAP (0x48, from host): fd 37 is not mapped. "
        "Hint: map the fd with fastrpc_mmap in this session first."
    )


def test_message_without_a_code_is_the_detail() -> None:
    caught = errors.ArgumentError("x is int8, expected float32")
    assert str(caught) == "x is int8, expected float32"
    assert (caught.code, caught.name, caught.origin, caught.call, caught.hint) == (None, "", None, "", "")


def test_message_without_detail_or_hint_still_tells_the_call() -> None:
    assert str(error("dspqueue_read", 0x1)) == "dspqueue_read: AEE_EFAILED (0x1, from host)"
    assert str(HexagonError(call="stop")) == "stop failed"


def test_a_hint_that_asks_ends_as_a_question() -> None:
    assert str(HexagonError("no answer.", hint="is it on?")) == "no answer. Hint: is it on?"


def test_attributes_of_a_dsp_code_that_arrives_as_a_negative_int() -> None:
    caught = error("remote_handle64_invoke", signed(0x8000040E), method=7, fd=37)
    assert isinstance(caught, errors.ArgumentError)
    assert (caught.code, caught.name, caught.origin) == (0x8000040E, "AEE_EBADPARM", "dsp")
    assert (caught.call, caught.detail) == ("remote_handle64_invoke", "method 7, fd 37")


def test_unshifted_codes_come_from_the_host() -> None:
    for code in (0x2E, 0x68, 0x204):
        assert aee.origin(code) == "host"
    assert aee.name(0x68) == "AEE_ECONNRESET or AEE_ENORPCMEMORY"
    assert aee.name(0x80000468) == "AEE_ENORPCMEMORY"


def test_negative_kernel_numbers_get_their_errno_name() -> None:
    assert (aee.name(-13), aee.origin(-13)) == ("EACCES", "kernel")
    assert (aee.name(-1), aee.origin(-1)) == ("AEE_EUNKNOWN", "kernel")


@pytest.mark.parametrize("code", [0x77, 0x3FF, 0x70000000, 0x800007FF, 0xFFFFF002, 0x1FFF])
def test_unknown_codes_still_print(code: int) -> None:
    caught = error("remote_handle64_invoke", signed(code))
    assert f"0x{code:x}" in str(caught)
    assert "unknown" in caught.name


@pytest.mark.parametrize(
    ("code", "cls", "builtin"),
    [
        (0x2, errors.DspMemoryError, MemoryError),
        (0xC, errors.DspTimeoutError, TimeoutError),
        (0xE, errors.ArgumentError, ValueError),
        (0x14, errors.UnsupportedError, NotImplementedError),
        (0x2E, errors.DeviceLostError, ConnectionError),
        (0x68, errors.DeviceLostError, ConnectionError),
        (0x72, errors.DeviceNotFoundError, OSError),
        (0x80000406, errors.SkelLoadError, OSError),
        (0x8000040D, errors.DeviceLostError, ConnectionError),
        (0x80000442, errors.SkelLoadError, OSError),
        (0x80000468, errors.DspMemoryError, MemoryError),
        (4099, errors.ContractError, RuntimeError),
        (4106, errors.ProgramError, RuntimeError),
        (4113, errors.DspMemoryError, MemoryError),
        (0x200, HexagonError, Exception),
    ],
)
def test_code_becomes_the_class_that_also_is_the_builtin(
    code: int, cls: type[HexagonError], builtin: type[BaseException]
) -> None:
    caught = error("f", signed(code))
    assert type(caught) is cls
    assert isinstance(caught, builtin)


def test_status_of_the_contract_gets_its_sentence() -> None:
    caught = error("run", 4109, op=3, tensor=5)
    assert caught.origin == "dsp"
    assert caught.detail == "a tensor reaches outside its buffer, op 3, tensor 5"


def test_hint_depends_on_the_call_where_the_call_tells_more() -> None:
    assert "rpcmem buffer" in error("remote_handle64_invoke", 0xE).hint
    assert "imported" in error("dspqueue_close", 0xE).hint
    assert error("remote_session_control", 0xE).hint == ""


def test_given_hint_wins() -> None:
    assert HexagonError("no", code=0x68, hint="wait").hint == "wait"


def test_check_returns_on_success_and_raises_otherwise() -> None:
    check("f", 0)
    with pytest.raises(errors.DeviceLostError, match="f: AEE_EBADSTATE"):
        check("f", signed(0x8000040D))


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda caught: pickle.loads(pickle.dumps(caught))])
def test_every_class_survives_pickling_and_copying(cls: type[HexagonError], remake: object) -> None:
    assert callable(remake)
    caught = cls("fd 37", call="dspqueue_write", code=signed(0x8000040E), hint="map it")
    again = remake(caught)
    assert type(again) is cls
    assert (str(again), vars(again)) == (str(caught), vars(caught))


def test_every_number_of_the_table_becomes_a_printable_error() -> None:
    for number in aee.CODES.values():
        for code in (number, signed(aee.DSP_BASE + (number & 0x3FF))):
            caught = error("f", code)
            assert type(caught) is error_class(code)
            assert caught.name in str(caught)
