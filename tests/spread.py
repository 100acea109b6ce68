# SPDX-License-Identifier: MIT
"""Distribution of tests over pytest-xdist's processes."""

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

# Tests that share slow fixtures: the wheels, the skels for several versions of the DSP.
_TOGETHER = {
    "wheels": ("tests/wheels/", "tests/deploy/"),
    "skels": ("tests/audit/test_archs.py", "tests/audit/test_rebuild.py", "tests/audit/test_skel.py"),
}


class ByFile(LoadScopeScheduling):  # type: ignore[misc]
    """Runs a file's tests in one process, and also those of each group in _TOGETHER.

    pytest-xdist's own groups are marks that it reads from test ids, and pytest 9.2 does not allow changing the ids.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return next((name for name, paths in _TOGETHER.items() if file.startswith(paths)), file)
