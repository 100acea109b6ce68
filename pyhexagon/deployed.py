# SPDX-License-Identifier: MIT
"""The place of deployed versions on a board, for commands that run there and need nothing else of ``deploy``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

PREFIX: Final = "~/.local/share/pyhexagon"


def kernels_folder() -> Path | None:
    """Return the folder of deployed user kernels; None if this Python is not that of a deployed version."""
    version = Path(sys.prefix).resolve()  # PREFIX/versions/V, also by way of PREFIX/current
    is_deployed = version.parent.name == "versions" and (version / ".complete").exists()
    return version.parent.parent / "kernels" if is_deployed else None
