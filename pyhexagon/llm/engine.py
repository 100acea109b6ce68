# SPDX-License-Identifier: MIT
"""Texts that go on side by side, one message a step for all of them. Texts come and go between steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from pyhexagon.llm.batch import Asked, Batch

T = TypeVar("T")


class Running(Generic[T]):
    """A text on its way.

    Args:
        course: what it asks for, and what that gives.

    Attributes:
        made: what the last steps gave.
        asked: what it waits for; None before it has begun, and when it has ended.
        error: why it ended before its time; the others go on.
    """

    def __init__(self, course: Iterator[Asked | T]) -> None:
        self._course = course
        self.made: list[T] = []
        self.asked: Asked | None = None
        self.error: Exception | None = None

    def taken(self) -> list[T]:
        """What was made since this was called last."""
        made, self.made = self.made, []
        return made

    def advance(self) -> None:
        """As far as it comes with what is known."""
        try:
            for one in self._course:
                if isinstance(one, Asked):
                    self.asked = one
                    return
                self.made.append(one)
        except Exception as problem:
            self.error = problem
        self.asked = None


class Engine(Generic[T]):
    """Args:
        batch: of the model; others that are asked are drafts. None: texts that never ask.

    Attributes:
        running: texts that have not ended.
    """

    def __init__(self, batch: Batch | None) -> None:
        self._batch = batch
        self.running: list[Running[T]] = []

    def add(self, one: Running[T]) -> None:
        """Begins a text, or resumes one; where it asks for nothing, the next step gives what it makes."""
        if one.asked is None:
            one.advance()
        self.running.append(one)

    def remove(self, one: Running[T]) -> None:
        """Ends or suspends a text, between steps. What is cached of it may be evicted, and is computed again then."""
        self.running.remove(one)
        if one.asked is not None:
            one.asked.batch.leave(one.asked.request)

    def step(self) -> list[Running[T]]:
        """Sends one message, and gives those texts that go on by it; those that end are no longer running.

        Where some ask a draft, the message is for these: the others wait, so that all share the next one. A text that
        came last is looked at first: what it shares with one that goes on is still there then.

        Raises:
            HexagonError: the device fails. No text has changed: the step can be tried again.
        """
        asked = [one.asked for one in reversed(self.running) if one.asked is not None]
        if asked:
            batch = next((one.batch for one in asked if one.batch is not self._batch), asked[0].batch)
            batch.step([one.request for one in asked if one.batch is batch])
        moved = [one for one in self.running if one.asked is None or one.asked.request.is_ready]
        for one in moved:
            if one.asked is not None:
                one.advance()
        self.running = [one for one in self.running if one.asked is not None]
        return moved
