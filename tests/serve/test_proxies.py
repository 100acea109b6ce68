# SPDX-License-Identifier: MIT
"""Who a client is, behind proxies and for those who claim to be one."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from pyhexagon import LLM
from pyhexagon.cli import main
from pyhexagon.errors import ArgumentError
from pyhexagon.serve import serve
from pyhexagon.serve.http import guard
from serve.serving import Serving, serving

HEADERS = ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Client-IP", "True-Client-IP", "X-Forwarded-Host")


def seen(here: Serving, monkeypatch: pytest.MonkeyPatch, headers: Any, address: str = "127.0.0.1") -> str:
    """Return the client that the server sees."""
    clients = []
    client_of = guard.client_of

    def noted(*given: Any) -> str:
        clients.append(client_of(*given))
        return clients[-1]

    with monkeypatch.context() as patch:
        patch.setattr(guard, "client_of", noted)
        transport = httpx2.HTTPTransport(local_address=address)
        with httpx2.Client(base_url=here.url, transport=transport) as client:
            assert client.get("/v1/models", headers=headers).status_code == 200
    (one,) = clients
    return one


@pytest.mark.parametrize("variable", ["", "127.0.0.1", "*"])
def test_no_header_names_a_client(llm: LLM, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", variable)
    with serving(llm) as here:
        for name in HEADERS:
            for value in ("1.1.1.1", "for=1.1.1.1", "1.1.1.1, 127.0.0.1", "::1", ""):
                assert seen(here, monkeypatch, {name: value}) == "127.0.0.1"
        assert seen(here, monkeypatch, {HEADERS[0]: "1.1.1.1"}, "127.0.0.7") == "127.0.0.7"


def test_a_trusted_proxy_names_the_client_and_nobody_else_does(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(llm, proxies=("127.0.0.2", "127.0.1.0/24")) as here:
        for proxy in ("127.0.0.2", "127.0.1.9"):
            assert seen(here, monkeypatch, {HEADERS[0]: "1.1.1.1"}, proxy) == "1.1.1.1"
            assert seen(here, monkeypatch, {HEADERS[0]: "2.2.2.2, 1.1.1.1"}, proxy) == "1.1.1.1"  # what it saw itself
            assert seen(here, monkeypatch, {HEADERS[0]: "1.1.1.1, 127.0.1.3"}, proxy) == "1.1.1.1"  # two of them
            assert seen(here, monkeypatch, {"Forwarded": "for=1.1.1.1"}, proxy) == proxy
            assert seen(here, monkeypatch, {}, proxy) == proxy
        for other in ("127.0.0.1", "127.0.0.3", "127.0.2.1"):
            assert seen(here, monkeypatch, {HEADERS[0]: "1.1.1.1"}, other) == other


@pytest.mark.parametrize("proxy", ["", "*", "localhost", "127.0.0.1/8", "1.2.3", "127.0.0.1, ::1"])
def test_what_is_no_address_and_no_network_is_no_proxy(llm: LLM, proxy: str) -> None:
    with pytest.raises(ArgumentError, match="expected an IP address or a network"):
        serve(llm, port=0, trusted_proxies=[proxy])


def test_the_option_names_the_proxies(llm: LLM, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr("pyhexagon.serve.serving.serve", lambda *_, **more: given.update(more))
    arguments = ["--trusted-proxy", "10.0.0.1", "--trusted-proxy", "fd00::/8"]
    assert main(["serve", llm.path, "--device", "loopback", "--port", "0", *arguments]) == 0
    assert given["trusted_proxies"] == ["10.0.0.1", "fd00::/8"]
