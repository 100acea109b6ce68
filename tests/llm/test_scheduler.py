# SPDX-License-Identifier: MIT
"""The scheduler's policies, without a model: requests whose forward passes an engine of the test computes."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pyhexagon.errors import DeviceLostError
from pyhexagon.llm.engine.errors import DeadlineError, QueueFullError, RequestError, ShutdownError
from pyhexagon.llm.engine.forward import ForwardPass
from pyhexagon.llm.engine.request import Request, RequestStatus
from pyhexagon.llm.engine.scheduler import Scheduler


class FakeEngine:
    """An engine that completes passes at once.

    Attributes:
        batches: the first tokens of the passes of each message.
        aborted: first tokens of the passes that were given up.
        is_broken: the next message fails.
    """

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.aborted: list[int] = []
        self.is_broken = False

    def compute(self, forwards: Sequence[ForwardPass]) -> None:
        if self.is_broken:
            raise DeviceLostError("gone")
        self.batches.append([forward.tokens[0] for forward in forwards])
        for forward in forwards:
            forward.is_done = True

    def finish(self, forward: ForwardPass) -> None:
        self.compute([forward])

    def abort(self, forward: ForwardPass) -> None:
        self.aborted.append(forward.tokens[0])


def request(engine: FakeEngine, name: int, n: int = 3, *, is_of_draft: bool = False, **more: Any) -> Request:
    """Return a request of n passes, each with an output: its number."""

    def steps() -> Iterator[Any]:
        for number in range(n):
            yield ForwardPass([name, number], engine=engine, is_of_draft=is_of_draft)
            yield number

    made = Request([name], **more)
    made.steps = steps()
    return made


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


def test_requests_run_until_they_end_and_others_take_their_places(engine: FakeEngine) -> None:
    scheduler = Scheduler(2)
    requests = [request(engine, 10, 1), request(engine, 11, 3), request(engine, 12, 2)]
    scheduler.submit(requests)
    assert [one.status for one in requests] == [RequestStatus.WAITING] * 3
    assert scheduler.counts == (0, 3)
    seen: list[list[Any]] = []
    while scheduler.counts != (0, 0):
        seen.append([(one.tokens[0], one.take(), one.status is RequestStatus.FINISHED) for one in scheduler.step()])
    assert engine.batches == [[11, 10], [12, 11], [12, 11]]  # the last admitted first
    assert seen == [
        [(10, [0], True), (11, [0], False)], [(11, [1], False), (12, [0], False)], [(11, [2], True), (12, [1], True)],
    ]  # fmt: skip


def test_a_message_is_the_draft_model_s_while_requests_wait_for_it(engine: FakeEngine) -> None:
    draft, scheduler = FakeEngine(), Scheduler(3)
    scheduler.submit([request(engine, 10, 2), request(draft, 11, 1, is_of_draft=True), request(engine, 12, 1)])
    assert len(scheduler.step()) == 1
    assert engine.batches == []
    while scheduler.counts != (0, 0):
        scheduler.step()
    assert draft.batches == [[11]]
    assert engine.batches == [[12, 10], [10]]


def test_clients_take_turns_and_the_greedy_one_gives_up_a_place(engine: FakeEngine) -> None:
    scheduler = Scheduler(2)
    greedy = [request(engine, 10 + at, 4, client="greedy") for at in range(3)]
    scheduler.submit(greedy)
    scheduler.step()
    modest = request(engine, 20, 1, client="modest")
    scheduler.submit([modest])
    scheduler.step()
    assert [one.status for one in (greedy[0], greedy[1], modest)] == [
        RequestStatus.RUNNING, RequestStatus.PREEMPTED, RequestStatus.FINISHED,
    ]
    assert engine.aborted == [11]
    scheduler.step()
    running, waiting = RequestStatus.RUNNING, RequestStatus.WAITING
    assert [one.status for one in greedy] == [running, running, waiting]  # where it was
    while scheduler.counts != (0, 0):
        scheduler.step()
    assert [one.take() for one in greedy] == [[0, 1, 2, 3]] * 3


@pytest.mark.parametrize("clients", [("a", "a", "b"), ("a", "b", "c")])
def test_no_request_is_preempted_for_a_client_that_has_one_less(engine: FakeEngine, clients: tuple[str, ...]) -> None:
    scheduler = Scheduler(2)
    first = [request(engine, 10 + at, 2, client=client) for at, client in enumerate(clients[:2])]
    scheduler.submit(first)
    scheduler.step()
    scheduler.submit([request(engine, 12, 2, client=clients[2]), request(engine, 13, 2, client=clients[2])])
    scheduler.step()
    assert engine.aborted == ([11] if clients[0] == clients[1] else [])


def test_a_queue_has_a_limit_and_shares(engine: FakeEngine) -> None:
    scheduler = Scheduler(1, 4)
    with pytest.raises(QueueFullError, match="0 of 4 places of the queue are taken, 0 of them by you") as full:
        scheduler.submit([request(engine, 10, client="a") for _ in range(4)])
    assert full.value.retry_after == 3
    assert scheduler.counts == (0, 0)  # all or none
    scheduler.submit([request(engine, 10, client="a") for _ in range(3)])
    with pytest.raises(QueueFullError, match="3 of 4 places of the queue are taken, 3 of them by you"):
        scheduler.submit([request(engine, 10, client="a")])
    scheduler.submit([request(engine, 10, client="b")])
    assert scheduler.counts == (0, 4)
    Scheduler(1, 1).submit([request(engine, 10), request(engine, 11)])  # the last free place, too


def test_a_request_waits_for_the_first_output_of_the_one_with_its_prompt(engine: FakeEngine) -> None:
    scheduler = Scheduler(4)
    first = request(engine, 10)
    second, third = request(engine, 11, after=first), request(engine, 12)
    scheduler.submit([first, second, third])
    scheduler.step()
    assert (second.status, third.status) == (RequestStatus.WAITING, RequestStatus.RUNNING)
    assert first.take() == [0]
    scheduler.step()
    assert second.status is RequestStatus.RUNNING
    ended, late = request(engine, 13), request(engine, 14)
    late.after = ended
    scheduler.submit([ended, late])
    scheduler.cancel([ended])
    scheduler.expire()
    scheduler.step()
    assert late.status is RequestStatus.RUNNING  # although the other one never had an output


def test_cancelled_and_late_requests_end_wherever_they_are(engine: FakeEngine) -> None:
    scheduler = Scheduler(2)
    running = [request(engine, 10), request(engine, 11, deadline=-math.inf)]
    waiting = [request(engine, 12), request(engine, 13, deadline=-math.inf), request(engine, 14)]
    scheduler.submit([*running, *waiting])
    scheduler.step()
    scheduler.cancel([running[0], waiting[0]])
    ended = scheduler.expire()
    assert ended == [running[0], waiting[0], running[1], waiting[1]]
    assert [type(one.error) for one in ended] == [type(None)] * 2 + [DeadlineError] * 2
    assert {one.status for one in ended} == {RequestStatus.FINISHED}
    assert engine.aborted == [10, 11]
    scheduler.cancel(ended)
    assert scheduler.expire() == []
    assert scheduler.counts == (0, 1)
    while scheduler.counts != (0, 0):
        scheduler.step()
    assert waiting[2].take() == [0, 1, 2]


def test_a_failed_message_changes_no_request_and_an_error_ends_one_only(engine: FakeEngine) -> None:
    scheduler = Scheduler(2)
    good, bad = request(engine, 10), request(engine, 11)

    def steps() -> Iterator[Any]:
        yield ForwardPass([11], engine=engine)
        raise ValueError("no token")

    bad.steps = steps()
    scheduler.submit([good, bad])
    engine.is_broken = True
    with pytest.raises(DeviceLostError):
        scheduler.step()
    assert scheduler.counts == (2, 0)
    engine.is_broken = False
    assert scheduler.step() == [good, bad]
    assert isinstance(bad.error, ValueError)
    assert (good.status, bad.status) == (RequestStatus.RUNNING, RequestStatus.FINISHED)


def test_what_is_left_when_it_closes_ends_with_an_error(engine: FakeEngine) -> None:
    scheduler = Scheduler(1)
    requests = [request(engine, 10), request(engine, 11)]
    scheduler.submit(requests)
    scheduler.step()
    assert scheduler.close() == requests
    assert [type(one.error) for one in requests] == [ShutdownError] * 2
    assert engine.aborted == [10]
    with pytest.raises(ShutdownError) as ends:
        scheduler.submit([request(engine, 12)])
    assert ends.value.retry_after == 5


def test_plain_requests_and_errors_cross_to_other_machines(engine: FakeEngine) -> None:
    first = request(engine, 10, client="a", sampling={"seed": 5}, max_tokens=7, deliver=lambda *_: None)
    second = request(engine, 11, after=first, deadline=3.0, deliver=lambda *_: None)
    second.status, second.n_deaths = RequestStatus.RUNNING, 2
    for given in (first, second):
        made = pickle.loads(pickle.dumps(given.plain()))
        assert (made.tokens, made.sampling, made.client) == (given.tokens, given.sampling, given.client)
        assert (made.deadline, made.max_tokens) == (given.deadline, given.max_tokens)
        assert (made.after, made.status, made.n_deaths) == (None, RequestStatus.WAITING, 0)
    for kind in RequestError.__subclasses__():
        error = pickle.loads(pickle.dumps(kind("why").after(7)))
        assert (type(error), str(error), error.retry_after) == (kind, "why", 7)
