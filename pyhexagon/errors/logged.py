# SPDX-License-Identifier: MIT
"""Logs exceptions that nobody foresaw."""

from __future__ import annotations

import logging
from typing import Final

_MAX_CHARACTERS: Final = 2000  # of a message; parsers and templates may produce far longer ones


def log_failure(log: logging.Logger, what: str, error: BaseException) -> None:
    """Log one line about an unexpected error; its traceback at level DEBUG."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = "" if last is None else f" ({last.tb_frame.f_code.co_filename}:{last.tb_lineno})"
    reason = " ".join(str(error).split())[:_MAX_CHARACTERS]
    log.error("%s: %s: %s%s", what, type(error).__name__, reason, place)
    log.debug("%s", what, exc_info=error)
