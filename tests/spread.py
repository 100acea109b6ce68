# SPDX-License-Identifier: MIT
"""Which tests pytest-xdist keeps in one process."""

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

# Folders that share what takes long to make: the wheels.
_TOGETHER = ("tests/wheels/", "tests/deploy/")


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """A file's tests run in one process, those of the folders in _TOGETHER too.

    pytest-xdist's own groups are marks that it reads from names, and pytest 9.2 keeps no names that could be changed.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "wheels" if nodeid.startswith(_TOGETHER) else nodeid.partition("::")[0]
