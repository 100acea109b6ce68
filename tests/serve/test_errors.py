# SPDX-License-Identifier: MIT
"""The engine's errors as responses."""

from __future__ import annotations

import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.engine import errors
from pyhexagon.serve.http.errors import ServeError, serve_error

STATUSES = [
    (errors.QueueFullError, 429, "queue_full"),
    (errors.DeadlineError, 504, "timeout"),
    (errors.ShutdownError, 503, "shutting_down"),
    (errors.RequestLostError, 503, "device_lost"),
    (errors.StepError, 500, "step_failed"),
    (errors.InternalError, 500, "internal_error"),
]


@pytest.mark.parametrize(("kind", "status", "code"), STATUSES)
def test_an_error_of_the_engine_has_a_status_and_a_code(
    kind: type[errors.RequestError], status: int, code: str
) -> None:
    made = serve_error(kind("why").after(7))
    assert (made.status, made.code, made.message, made.retry_after) == (status, code, "why", 7)
    assert serve_error(kind("why")).retry_after == 0


def test_no_error_of_the_engine_is_forgotten() -> None:
    assert {kind for kind, _, _ in STATUSES} == set(errors.RequestError.__subclasses__())


def test_other_errors_keep_their_meaning() -> None:
    wrong = serve_error(ArgumentError("top_k is -1"))
    assert (wrong.status, wrong.message) == (400, "top_k is -1")
    unforeseen = serve_error(RuntimeError("oh"))
    assert (unforeseen.status, unforeseen.code, unforeseen.message) == (500, "internal_error", "RuntimeError: oh")
    given = ServeError(404, "none")
    assert serve_error(given) is given
