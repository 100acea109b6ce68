# SPDX-License-Identifier: MIT
"""Places are shared by clients: none has them all, those that wait take turns, and none is lost."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import anyio
import pytest
from anyio.lowlevel import checkpoint

from pyhexagon.serve.http.limits import Places


class Clients:
    """Tasks that hold places of ``n`` until they are told to leave."""

    def __init__(self, n: int) -> None:
        self.places, self.held, self.order = Places(n), Counter[str](), list[str]()
        self.leave: dict[str, list[anyio.Event]] = {}
        self.scopes: dict[str, list[anyio.CancelScope]] = {}

    async def hold(self, client: str) -> None:
        with anyio.CancelScope() as scope:
            self.scopes.setdefault(client, []).append(scope)
            async with self.places.one(client):
                self.held[client] += 1
                self.order.append(client)
                event = anyio.Event()
                self.leave.setdefault(client, []).append(event)
                try:
                    await event.wait()
                finally:
                    self.held[client] -= 1


async def settled() -> None:
    for _ in range(20):
        await checkpoint()


def run(check: Callable[[Clients, anyio.abc.TaskGroup], object], n: int) -> None:
    async def main() -> None:
        clients = Clients(n)
        async with anyio.create_task_group() as group:
            await check(clients, group)  # type: ignore[misc]
            group.cancel_scope.cancel()
        assert (clients.places._quota.held, len(clients.places._waiting)) == (0, 0)

    anyio.run(main)


def test_one_client_never_has_all_places() -> None:
    async def check(clients: Clients, group: anyio.abc.TaskGroup) -> None:
        for client, most in (("a", 4), ("b", 2), ("c", 1), ("d", 1)):
            for _ in range(20):
                group.start_soon(clients.hold, client)
            await settled()
            assert clients.held[client] == most
        assert sum(clients.held.values()) == 8

    run(check, 8)


def test_a_single_place_goes_round() -> None:
    async def check(clients: Clients, group: anyio.abc.TaskGroup) -> None:
        for client in "aaaabbc":
            group.start_soon(clients.hold, client)
        await settled()
        for _ in range(7):
            (client,) = (one for one, n in clients.held.items() if n)
            clients.leave[client].pop().set()
            await settled()
        assert clients.order == list("aabcaba")

    run(check, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 8])
def test_places_of_those_that_leave_or_give_up_are_not_lost(n: int, seed: int) -> None:
    chance = random.Random(seed)

    async def check(clients: Clients, group: anyio.abc.TaskGroup) -> None:
        for _ in range(300):
            client = chance.choice("abc")
            match chance.randrange(3):
                case 0:
                    group.start_soon(clients.hold, client)
                case 1 if clients.leave.get(client):
                    clients.leave[client].pop(0).set()
                case 2 if clients.scopes.get(client):
                    clients.scopes[client].pop().cancel()
            await settled()
            assert sum(clients.held.values()) <= n
            assert clients.places._quota.held == sum(clients.held.values())
            assert not len(clients.places._waiting) or clients.places._quota.held  # nobody waits for a free server

    run(check, n)
