# SPDX-License-Identifier: MIT
"""What tests of the chat page share: a server, questions, scripted answers, and the conversations that are stored."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from pyhexagon import LLM
from serve.browser import OpenPage, until
from serve.serving import Serving, model, serving

PICTURES: Final = "PYHEXAGON_PICTURES"
TEXT: Final = ".message.assistant .content"


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    path = model(tmp_path_factory.mktemp("model"), n_ctx=8192)
    with LLM(path, 8192, n_sequences=2, device="loopback") as llm:
        yield llm


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, n_parallel=2) as served:
        yield served


@pytest.fixture
def page(open_page: OpenPage, here: Serving) -> Page:
    """The chat page, whose answers the test scripts."""
    page = open_page(here.url)
    script_answers(page)
    return page


def picture(page: Page, name: str, tmp_path: Path) -> None:
    """Save a screenshot in the folder from which CI collects them, if it is set."""
    until(page, "document.getAnimations().every(each => each.effect.getTiming().iterations == Infinity)")
    page.screenshot(path=Path(os.environ.get(PICTURES) or tmp_path, f"chat-{name}.png"))


def settle(page: Page, **settings: object) -> None:
    """Store settings, and let the page read them."""
    page.evaluate("text => localStorage.setItem('pyhexagon.settings', text)", json.dumps(settings))
    page.reload()


def ask(page: Page, text: str) -> None:
    page.fill("#question", text)
    page.press("#question", "Enter")


def answered(page: Page) -> str:
    """Wait for the end of the last answer, and until it is stored; return the line below it."""
    note = page.locator(".message.assistant.last:not(.running) .note")
    expect(note).not_to_be_empty()
    expect(page.locator("#send")).to_have_attribute("aria-label", "Send")
    return str(note.inner_text())


def texts(page: Page) -> list[str]:
    """Return the texts of the messages that are shown."""
    return list(page.locator(".message .content").all_inner_texts())


def tool(page: Page, at: int, name: str) -> Locator:
    """Return a button below a message."""
    return page.locator(".message").nth(at).get_by_role("button", name=name, exact=True)


# Reads the conversations that are stored, the one changed last first.
_STORED: Final = """async () => {
  const database = await new Promise(resolve => {
    const request = indexedDB.open("pyhexagon");
    request.onsuccess = () => resolve(request.result);
  });
  const request = database.transaction("conversations").objectStore("conversations").getAll();
  const all = await new Promise(resolve => { request.onsuccess = () => resolve(request.result); });
  database.close();
  return all.sort((a, b) => b.changed - a.changed);
}"""


def stored(page: Page) -> list[dict[str, Any]]:
    """Return the records of the conversations, newest first."""
    return list(page.evaluate(_STORED))


def stored_texts(page: Page) -> list[list[str]]:
    """Return the texts of the messages of all conversations."""
    return [[message["content"] for message in record["messages"]] for record in stored(page)]


# Lets a test send the events of answers: requests[N].send(event), requests[N].end(). The clock stands still; each event
# says how many milliseconds it took.
_SCRIPTED: Final = """
  window.requests = [];
  let clock = 1000;
  performance.now = () => clock;
  const real = fetch, bytes = new TextEncoder();
  window.fetch = (url, given) => {
    if (url !== "v1/chat/completions") return real(url, given);
    let output;
    const stream = new ReadableStream({ start(controller) { output = controller; } });
    given.signal.addEventListener("abort", () => output.error(new DOMException("aborted", "AbortError")));
    requests.push({
      body: JSON.parse(given.body),
      send(event) {
        clock += event.ms ?? 0;
        output.enqueue(bytes.encode(`data: ${JSON.stringify(event)}\\n\\n`));
      },
      end() { output.close(); },
      fail() { output.error(new TypeError("network error")); },
    });
    return Promise.resolve(new Response(stream));
  };
"""


def script_answers(page: Page) -> None:
    """Let the test answer the requests of a page, from now on and after it is loaded again."""
    page.add_init_script(_SCRIPTED)
    page.evaluate(f"() => {{{_SCRIPTED}}}")


def delta(ms: int = 0, finish_reason: str | None = None, **words: str) -> dict[str, Any]:
    """Return a chunk of a completion."""
    return {"ms": ms, "choices": [{"delta": words, "finish_reason": finish_reason}]}


def send(page: Page, number: int, events: Sequence[dict[str, Any]] = (), *, end: str = "") -> None:
    """Send events to a request of the page, once it is there, each after the page has seen the one before."""
    until(page, f"requests.length > {number}")
    for event in events:
        page.evaluate("([number, event]) => requests[number].send(event)", [number, event])
        page.evaluate("() => new Promise(resolve => setTimeout(resolve))")
    if end:
        page.evaluate(f"requests[{number}].{end}()")


def answer(page: Page, number: int, text: str) -> None:
    """Send a whole answer, and wait until the page shows it."""
    send(page, number, [delta(100, content=text), delta(100, "stop")], end="end")
    answered(page)
