# SPDX-License-Identifier: MIT
"""Hostile code blocks: the lexers' work is bounded, is another process's, delays no other client and ends in time."""

from __future__ import annotations

import random
import signal
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pygments.lexers import get_all_lexers  # type: ignore[import-untyped]
from waiting import LONG

from pyhexagon import LLM, workers
from pyhexagon.serve.page import html, markdown
from serve.serving import Serving, serving
from serve.test_markdown import Elements

LONGEST = 1 << 14  # characters of a code block that is highlighted
FILLERS = [
    *"\n \t\r\f\v()[]{}<>\"'`\\/|0.-+*#=;:,!?@$%^&~_aZé", "\n ", "\\\n", "/*", "(*", "{-", "<!--", '"""', "a.", "1e",
]  # fmt: skip
ENDLESS = """
def prepare(is_highlighted):
    def render(text):
        while text.startswith("endless") and is_highlighted:
            pass
        return f"<p>{text}</p>"
    return render
"""


@pytest.fixture(autouse=True)
def no_worker() -> Iterator[None]:
    workers._close_all()
    yield
    workers._close_all()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, str]]:
    """The work that is given to workers: the limit of CPU time of each text, and its outcome."""
    given: list[tuple[float, str]] = []
    ask = workers.ask

    def counted(*arguments: Any, cpu_seconds: float, **limits: Any) -> dict[str, Any]:
        try:
            answer = ask(*arguments, cpu_seconds=cpu_seconds, **limits)
        except workers.WorkerEnded as reason:
            given.append((cpu_seconds, str(reason)))
            raise
        given.append((cpu_seconds, "answered"))
        return answer

    monkeypatch.setattr(workers, "ask", counted)
    return given


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let texts that begin with "endless" take as long as they are let."""
    program = tmp_path / "endless.py"
    program.write_text(ENDLESS)
    monkeypatch.setattr(markdown, "_PROGRAM", program)
    monkeypatch.setattr(markdown, "_CPU_SECONDS", 600.0)


def block(language: str, filler: str, n: int = LONGEST) -> str:
    code = ("a " + filler * n)[: n - 2] + "!\n"
    return f"```{language}\n{code}```"


def text_of(made: str) -> str:
    return Elements(made).text


def rendered(text: str) -> str:
    return markdown.rendered(markdown.MarkdownRequest(text=text))


def test_code_of_any_language_is_shown_whatever_its_lexer_takes(
    seed: int, monkeypatch: pytest.MonkeyPatch, asked: list[tuple[float, str]]
) -> None:
    monkeypatch.setattr(markdown, "_CPU_SECONDS", 1.0)
    monkeypatch.setattr(html, "highlight", lambda *_: pytest.fail("this process highlights"))
    chance = random.Random(seed)
    languages = sorted(aliases[0] for _, aliases, _, _ in get_all_lexers() if aliases)
    assert len(languages) > 400
    for language in chance.sample(languages, 10):
        text = block(language, chance.choice(FILLERS), chance.choice([LONGEST, LONGEST // 2]))
        asked.clear()
        shown = text_of(rendered(text)).replace("\r\n", "\n").replace("\r", "\n")
        code = text.partition("\n")[2].removesuffix("```").replace("\r\n", "\n").replace("\r", "\n")
        assert shown.strip() == code.strip()
        outcomes = [outcome for _, outcome in asked]
        assert all(limit == 1.0 for limit, _ in asked)
        assert outcomes[-1] == "answered"
        assert outcomes[:-1] in ([], ["it takes more than 1 seconds of CPU time"])


@pytest.mark.parametrize(("language", "filler"), [("autohotkey", "\n"), ("easytrieve", "\n")])
def test_what_takes_too_long_is_shown_without_colours(
    language: str, filler: str, monkeypatch: pytest.MonkeyPatch, asked: list[tuple[float, str]]
) -> None:
    monkeypatch.setattr(markdown, "_CPU_SECONDS", 1.0)
    found = Elements(rendered(f"**a**\n{block(language, filler)}"))
    assert asked == [(1.0, "it takes more than 1 seconds of CPU time"), (1.0, "answered")]
    assert {"strong", "pre", "code"} <= found.tags
    assert "span" not in found.tags
    assert workers._idle[-1].setup.count('"is_highlighted": false') == 1


def test_a_text_that_no_worker_answers_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: Any, **__: Any) -> dict[str, Any]:
        raise workers.WorkerEnded("Killed")

    monkeypatch.setattr(workers, "ask", ended)
    assert rendered("**<b>**") == "<pre><code>**&lt;b&gt;**</code></pre>\n"
    monkeypatch.setattr(workers, "ask", lambda *_, **__: {"problem": "it takes more than 512 MiB"})
    assert rendered("a & b") == "<pre><code>a &amp; b</code></pre>\n"


def send(here: Serving, text: str, address: str = "127.0.0.1") -> int:
    with httpx2.Client(
        base_url=here.url, timeout=LONG, transport=httpx2.HTTPTransport(local_address=address)
    ) as client:
        return int(client.post("/markdown", json={"text": text}).status_code)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def computing() -> list[workers._Worker]:
    """Return the workers that have a text and live."""
    busy = [one for one in list(workers._all) if one._n_texts and one not in workers._idle]
    return [one for one in busy if one._process.poll() is None]


@pytest.mark.usefixtures("endless")
def test_other_clients_and_requests_do_not_wait_and_a_client_that_leaves_ends_the_work(llm: LLM) -> None:
    with serving(llm) as here:
        address = here.url.removeprefix("http://").split(":")
        head = b"POST /markdown HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        left = []
        for _ in range(12):
            connection = socket.create_connection((address[0], int(address[1])), LONG)
            connection.sendall(head + b'Content-Length: 19\r\n\r\n{"text": "endless"}')
            left.append(connection)
        until(lambda: len(computing()) == 1 and len(here.server.pages._waiting) == 11)
        assert send(here, "b", "127.0.0.2") == 200
        assert here.http().post("/tokenize", json={"content": "the"}).status_code == 200
        assert len(computing()) == 1  # a client has one place of two
        (first,) = computing()
        for connection in left:
            connection.close()
        until(lambda: not computing())
        assert first._process.wait() == -signal.SIGKILL
        assert send(here, "b") == 200


@pytest.mark.usefixtures("endless")
def test_the_server_ends_while_it_renders(llm: LLM) -> None:
    with ThreadPoolExecutor(3) as pool:
        sent: list[Future[int]] = []
        with serving(llm, grace=1) as here:
            sent = [pool.submit(send, here, "endless") for _ in range(3)]
            until(lambda: len(computing()) == 1 and len(here.server.pages._waiting) == 2)
            (worker,) = computing()
        assert worker._process.wait() == -signal.SIGKILL
        assert [one.result() for one in sent] == [503] * 3


@pytest.mark.usefixtures("endless")
def test_a_cancelled_text_starts_no_worker_and_leaves_none() -> None:
    cancellation = workers.Cancellation()
    with ThreadPoolExecutor(1) as pool:

        def render() -> str:
            with workers.cancelled_by(cancellation):
                return rendered("endless")

        made = pool.submit(render)
        until(lambda: len(computing()) == 1)
        cancellation.cancel()
        made.result()  # as a text without highlighting, or as it is
    assert not cancellation.workers
    assert not computing()
