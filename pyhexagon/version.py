# SPDX-License-Identifier: MIT
"""The package's version; pyproject.toml has it, too."""

from typing import Final

VERSION: Final = "0.1.0"
