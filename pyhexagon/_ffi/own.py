# SPDX-License-Identifier: MIT
"""A library of ours beside the loopback, which is no part of FastRPC: what Python has done in C (native/)."""

from __future__ import annotations

from functools import cache
from typing import Final

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, lib_folders, package_folders
from pyhexagon.errors import LibraryError

_FILE: Final = "libpyhexagon_native.so"


@cache
def own_library() -> CData:
    """Its functions, which release the GIL.

    Raises:
        LibraryError: it is missing, or made for another machine.
    """
    for folder in (*lib_folders(), *(package / "lib" for package in package_folders())):
        path = folder / _FILE
        if path.exists():
            try:
                return ffi.dlopen(str(path), ffi.RTLD_LOCAL | ffi.RTLD_NOW)
            except OSError as problem:
                raise LibraryError(str(problem), hint="install pyhexagon anew for this machine") from None
    raise LibraryError(f"{_FILE} is missing", hint="install pyhexagon anew (it builds what Python has done in C)")
