# SPDX-License-Identifier: MIT
"""Which tests pytest-xdist keeps in one process."""

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

# Tests that share what takes long to make: the wheels, the skels for several versions of the DSP.
_TOGETHER = {
    "wheels": ("tests/wheels/", "tests/deploy/"),
    "skels": ("tests/audit/test_archs.py", "tests/audit/test_rebuild.py", "tests/audit/test_skel.py"),
}


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """A file's tests run in one process, those of each group in _TOGETHER too.

    pytest-xdist's own groups are marks that it reads from names, and pytest 9.2 keeps no names that could be changed.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((name for name, paths in _TOGETHER.items() if file.startswith(paths)), file)
