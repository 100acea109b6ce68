# SPDX-License-Identifier: MIT
"""Why a scheduler refuses a request or ends it early. A server makes HTTP responses of these errors."""

from __future__ import annotations

from pyhexagon.errors import HexagonError


class RequestError(HexagonError, RuntimeError):
    """A request was refused, or ended early.

    Attributes:
        retry_after: seconds after which another try may succeed; 0: unknown.
    """

    retry_after = 0

    def after(self, seconds: float) -> RequestError:
        """Set ``retry_after``, 1 to 600 seconds, and return the error."""
        self.retry_after = max(1, min(round(seconds), 600))
        return self


class QueueFullError(RequestError):
    """Too many requests wait, of this client or of all."""


class DeadlineError(RequestError):
    """The request was not finished at its deadline."""


class ShutdownError(RequestError):
    """The scheduler ends."""


class RequestLostError(RequestError):
    """The DSP was lost while the request ran, or cannot be used."""


class StepError(RequestError):
    """The message that the request had a part in failed."""


class InternalError(RequestError):
    """The request failed for a reason that nobody foresaw."""
