# SPDX-License-Identifier: MIT
"""Every error code that FastRPC's sources return has a cause and a command, in exceptions and in the doctor."""

from __future__ import annotations

import errno

import pytest

from pyhexagon.doctor import stages
from pyhexagon.doctor.board import Board
from pyhexagon.doctor.findings import without_hint
from pyhexagon.errors import aee, causes, error

# The names in the sources of libcdsprpc (qualcomm/fastrpc, src/, commit 29851fd) other than success.
LIBRARY = (
    "EALREADY", "EALREADYLOADED", "EBADCONTEXT", "EBADDOMAIN", "EBADFD", "EBADITEM", "EBADPARM", "EBADSIZE",
    "EBADSTATE", "EBUFFERTOOSMALL", "ECONNREFUSED", "ECONNRESET", "EEVENTREAD", "EEXPIRED", "EFAILED", "EFILE",
    "EGETENV", "EINTERRUPTED", "EINVALIDDEVICE", "EINVALIDDOMAIN", "EINVALIDFD", "EINVALIDITEM", "EINVALIDPROCNAME",
    "EINVHANDLE", "EMEMPTR", "ENOMEMORY", "ENORPCMEMORY", "ENOSESSION", "ENOSUCH", "ENOSUCHFILE", "ENOSUCHMAP",
    "ENOSUCHMOD", "ENOSUCHSYMBOL", "ENOTINITIALIZED", "EPOLL", "ERESOURCENOTFOUND", "ERPC", "ESETENV", "EUNKNOWN",
    "EUNSUPPORTED", "EUNSUPPORTEDAPI", "EWOULDBLOCK", "EBADPERMS", "ENOSUCHDEVICE",
)  # fmt: skip
# What Linux' drivers/misc/fastrpc.c returns to a program, and what the library compares the ioctl's errno with.
KERNEL = (
    "EACCES", "EADDRNOTAVAIL", "EAGAIN", "EBADF", "EBADRQC", "EBUSY", "ECHRNG", "ECONNREFUSED", "ECONNRESET",
    "EDEADLK", "EFAULT", "EINTR", "EINVAL", "EIO", "ENODEV", "ENOENT", "ENOMEM", "ENOSPC", "ENOTTY", "ENXIO",
    "EOPNOTSUPP", "EOVERFLOW", "EPIPE", "ESRCH", "ESTALE", "ETIMEDOUT",
)  # fmt: skip
CODES = [
    *(aee.CODES[f"AEE_{name}"] for name in LIBRARY),
    *(-getattr(errno, name) for name in KERNEL),
    *(aee.DSP_BASE + number for name, number in aee.CODES.items() if name not in aee.NOT_SHIFTED),  # all of the DSP's
]


@pytest.mark.parametrize("code", [aee.normalise(code) for code in CODES], ids=lambda code: f"0x{code:x}")
def test_every_code_has_a_cause_and_a_command(code: int) -> None:
    cause = causes.of(code)
    assert cause is not None
    assert len(cause.text) > 20
    assert not cause.text.endswith(".")
    assert cause.command
    assert "; " not in cause.command
    assert "666" not in cause.command
    problem = stages.of_failure("contract", error("remote_handle64_invoke", aee.signed(code)), Board())
    assert problem.remedy


@pytest.mark.parametrize("code", [0x7777, 0x80000C00, 0x800007FF, -4000, 0x1001])
def test_other_codes_have_none(code: int) -> None:
    assert causes.of(code) is None


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (0x8000044F, "no file in conf.d names this machine"),  # qualcomm-linux/qcom-deb-images#298
        (0x8000054F, "shell and firmware are of different builds"),  # qualcomm/fastrpc#188
        (0x80000541, "shell and firmware are of different builds"),
        (0x80000482, "compares the DSP's files with hashes"),
        (0xFFFFFFFB, "the DSP did not create the process"),
        (0xFFFFFFF0, "all sessions of the device tree are in use"),
        (0xFFFFFF92, "did not answer the kernel within ten seconds"),
        (0x200, "refused an ioctl"),
    ],
)
def test_a_code_of_the_field_is_explained(code: int, cause: str) -> None:
    found = causes.of(code)
    assert found is not None
    assert cause in found.text
    assert causes.of(aee.signed(code)) == found


def test_an_open_that_fails_tells_the_cause_in_its_hint() -> None:
    caught = error("remote_handle64_open", aee.signed(0x8000044F))
    assert caught.hint.startswith("the library handed the DSP no shell")
    assert caught.hint.endswith(causes.DSP_FILES)
    assert without_hint(caught) == "remote_handle64_open: AEE_EBADFD (0x8000044f, from dsp)"


def test_commands_name_the_boards_own_packages() -> None:
    tables = [*causes.HOST.values(), *causes.DSP.values(), *causes.KERNEL.values()]
    assert {cause.command for cause in tables} <= {
        value for name, value in vars(causes).items() if name.isupper() and isinstance(value, str)
    } | {"ulimit -n 65536"}
