# SPDX-License-Identifier: MIT
"""The place of deployed versions on a board, for commands that run there and need nothing else of ``deploy``."""

from __future__ import annotations

from typing import Final

PREFIX: Final = "~/.local/share/pyhexagon"
