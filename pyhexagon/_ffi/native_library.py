# SPDX-License-Identifier: MIT
"""Our native helper library (native/): repacking and the calling thread in C. It is not part of FastRPC."""

from __future__ import annotations

from functools import cache
from typing import Final

from pyhexagon._ffi._generated import ffi
from pyhexagon._ffi.library import CData, lib_folders, package_folders
from pyhexagon.errors import LibraryError

_FILE: Final = "libpyhexagon_native.so"


@cache
def native_library() -> CData:
    """Load the library and return its functions, which release the GIL.

    Raises:
        LibraryError: the file is missing, or was built for another machine.
    """
    for folder in (*lib_folders(), *(package / "lib" for package in package_folders())):
        path = folder / _FILE
        if path.exists():
            try:
                return ffi.dlopen(str(path), ffi.RTLD_LOCAL | ffi.RTLD_NOW)
            except OSError as problem:
                raise LibraryError(str(problem), hint="reinstall pyhexagon for this machine") from None
    raise LibraryError(f"{_FILE} is missing", hint="reinstall pyhexagon (that builds the native library)")
