# SPDX-License-Identifier: MIT
"""Public names that a package imports when they are first used (PEP 562).

The package imports the same names within ``if TYPE_CHECKING`` for type checkers and editors;
tests/unit/test_start.py compares the two lists.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence


def attributes(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package.

    Args:
        package: its ``__name__``.
        names: the public names that each of its modules defines.
    """
    modules = {name: f"{package}.{module}" for module, some in names.items() for name in some}

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)  # the next access does not come here
        return value

    return get
