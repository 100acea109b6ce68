# SPDX-License-Identifier: MIT
"""Errors as HTTP responses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine.errors import (
    DeadlineError,
    QueueFullError,
    RequestError,
    RequestLostError,
    ShutdownError,
    StepError,
)

_KINDS: Final = {401: "authentication_error", 429: "rate_limit_error"}
_RESPONSES: Final[dict[type[RequestError], tuple[int, str]]] = {  # status and code
    QueueFullError: (429, "queue_full"),
    DeadlineError: (504, "timeout"),
    ShutdownError: (503, "shutting_down"),
    RequestLostError: (503, "device_lost"),
    StepError: (500, "step_failed"),
}
TOO_LONG: Final = "context_length_exceeded"
_INTERNAL: Final = 500, "internal_error"
_MAX_CHARACTERS: Final = 2000  # of a message; parsers and templates may produce far longer ones


class ServeError(Exception):
    """An error response.

    Args:
        status: HTTP status.
        message: for people; truncated to 2,000 characters.
        code: error code for programs; OpenAI's where it has one.
        param: the invalid field.
        retry_after: seconds after which the client may retry.
        more: further fields of OpenAI's error object.
        is_last: whether the connection closes after the response.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after: int = 0,
        more: Mapping[str, Any] = MappingProxyType({}),
        is_last: bool = False,
    ) -> None:
        message = message if len(message) <= _MAX_CHARACTERS else f"{message[:_MAX_CHARACTERS]}..."
        super().__init__(message)
        self.status, self.message, self.code, self.param, self.retry_after = status, message, code, param, retry_after
        self.more, self.is_last = more, is_last

    def body(self, path: str = "") -> dict[str, Any]:
        """Return the error object in the form of the API that has the route ``path``; OpenAI's by default."""
        kind = _KINDS.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        if path.startswith("/api/"):  # Ollama's
            return {"error": self.message}
        if path.startswith("/v1/messages"):  # Anthropic's
            kind = "api_error" if kind == "server_error" else "not_found_error" if self.status == 404 else kind
            begin = "prompt is too long: " if self.code == TOO_LONG else ""  # which Anthropic's clients look for
            return {"type": "error", "error": {"type": kind, "message": begin + self.message}}
        return {"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code, **self.more}}


def wrong(message: str, param: str | None = None, code: str | None = None) -> ServeError:
    """Return the error for an invalid request, status 400."""
    return ServeError(400, message, param=param, code=code)


def too_long(
    name: str, n_tokens: int, n_ctx: int, n_ctx_train: int, *, has_answer: bool = True, is_least: bool = False
) -> ServeError:
    """Return the error for a prompt that does not fit the context.

    Args:
        name: of the field.
        n_tokens: of the prompt.
        n_ctx: context length.
        n_ctx_train: context length that the model was trained for.
        has_answer: whether the completion needs room, too.
        is_least: whether the prompt may have more tokens, as it was not tokenized.
    """
    answer = ", for the answer, too" if has_answer else ""
    message = (
        f"{name} has {'at least ' if is_least else ''}{n_tokens} tokens: the model's context has {n_ctx}{answer}; "
        f"pyhexagon serve -c N sets its length, and the model was trained for {n_ctx_train}"
    )
    return ServeError(400, message, param=name, code=TOO_LONG, more={"n_prompt_tokens": n_tokens, "n_ctx": n_ctx})


def serve_error(error: Exception) -> ServeError:
    """Return the error response for what an engine delivers or raises."""
    if isinstance(error, ServeError):
        return error
    if isinstance(error, RequestError):
        status, code = _RESPONSES.get(type(error), _INTERNAL)
        return ServeError(status, str(error), code=code, retry_after=error.retry_after)
    if isinstance(error, ArgumentError):
        return wrong(str(error))
    return ServeError(500, f"{type(error).__name__}: {error}", code="internal_error")
