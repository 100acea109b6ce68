# SPDX-License-Identifier: MIT
"""What a client is told when it gets no answer."""

from __future__ import annotations

import logging
from typing import Any, Final

_MAX_CHARACTERS: Final = 2000  # of a message; a parser or a template may have much more to say


class ServeError(Exception):
    """A request that is not answered.

    Args:
        status: of HTTP.
        message: for people; cut at 2,000 characters.
        code: for programs, as OpenAI has them where it has one.
        param: the field that is wrong.
        retry_after: seconds after which it may be tried again.
        is_last: whether the connection ends with the answer.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after: int = 0,
        is_last: bool = False,
    ) -> None:
        message = message if len(message) <= _MAX_CHARACTERS else f"{message[:_MAX_CHARACTERS]}..."
        super().__init__(message)
        self.status, self.message, self.code, self.param, self.retry_after = status, message, code, param, retry_after
        self.is_last = is_last

    def body(self) -> dict[str, Any]:
        """In OpenAI's form."""
        kinds = {401: "authentication_error", 429: "rate_limit_error"}
        kind = kinds.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def log_failure(log: logging.Logger, what: str, error: BaseException) -> None:
    """Writes one line about an error that nobody expected; its traceback only where debugging is on."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    place = "" if last is None else f" ({last.tb_frame.f_code.co_filename}:{last.tb_lineno})"
    told = " ".join(str(error).split())[:_MAX_CHARACTERS]
    log.error("%s: %s: %s%s", what, type(error).__name__, told, place)
    log.debug("%s", what, exc_info=error)


def wrong(message: str, param: str | None = None, code: str | None = None) -> ServeError:
    """The request cannot be meant so."""
    return ServeError(400, message, param=param, code=code)
