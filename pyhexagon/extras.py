# SPDX-License-Identifier: MIT
"""Optional packages: errors for missing packages name the command that installs them for this interpreter."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pyhexagon.errors import UnsupportedError

PIP: Final = f"{shlex.quote(sys.executable or 'python3')} -m pip"
_CHECKOUT: Final = Path(__file__).resolve().parents[1]


def install_command(extras: str) -> str:
    """Return the command that adds extras to the running interpreter's pyhexagon.

    Args:
        extras: as in the brackets of a requirement, "llm,serve".
    """
    script = _CHECKOUT / "scripts/venv"
    if not script.is_file():  # an installed wheel; pip takes only the extras' packages from an index
        return f"{PIP} install 'pyhexagon[{extras}]'"
    if Path(sys.prefix).resolve() == _CHECKOUT / ".venv":
        return f"{shlex.quote(str(script))} {extras}"
    return f"{PIP} install --editable {shlex.quote(f'{_CHECKOUT}[{extras}]')}"


def missing(purpose: str, package: str | None, extras: str) -> UnsupportedError:
    """Return the error for a missing package.

    Args:
        purpose: the feature that needs it, in the plural: "grammars".
        package: as it is imported.
        extras: the extras of pyhexagon that contain it.
    """
    return UnsupportedError(f"{purpose} need the package {package}", hint=install_command(extras))


@contextmanager
def needed(purpose: str, extras: str) -> Iterator[None]:
    """Surround imports: a missing package raises the error of ``missing``."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("pyhexagon"):  # a mistake in this package, not a missing one
            raise
        raise missing(purpose, error.name, extras) from None
