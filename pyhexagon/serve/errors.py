# SPDX-License-Identifier: MIT
"""What a client is told when it gets no answer."""

from __future__ import annotations

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
    """

    def __init__(
        self, status: int, message: str, *, code: str | None = None, param: str | None = None, retry_after: int = 0
    ) -> None:
        message = message if len(message) <= _MAX_CHARACTERS else f"{message[:_MAX_CHARACTERS]}..."
        super().__init__(message)
        self.status, self.message, self.code, self.param, self.retry_after = status, message, code, param, retry_after

    def body(self) -> dict[str, Any]:
        """In OpenAI's form."""
        kinds = {401: "authentication_error", 429: "rate_limit_error"}
        kind = kinds.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}}


def wrong(message: str, param: str | None = None, code: str | None = None) -> ServeError:
    """The request cannot be meant so."""
    return ServeError(400, message, param=param, code=code)
