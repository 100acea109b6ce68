# SPDX-License-Identifier: MIT
"""The chat page, in a real browser."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from waiting import LONG

from pyhexagon import LLM
from pyhexagon.llm.engine.engine_thread import EngineThread
from pyhexagon.llm.engine.runner import ModelRunner
from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from serve.browser import OpenPage, chromium, open_page, problems, until
from serve.serving import NAME, Serving, model, serving, serving_of
from serve.test_connections import until as until_so

__all__ = ["chromium", "open_page", "problems"]  # fixtures

PICTURES = "PYHEXAGON_PICTURES"
TOLD = ".message.assistant:last-child .told"
TEXT = ".message.assistant span"


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    path = model(tmp_path_factory.mktemp("model"), n_ctx=8192)
    with LLM(path, 8192, n_sequences=2, device="loopback") as llm:
        yield llm


@pytest.fixture(scope="module")
def here(llm: LLM) -> Iterator[Serving]:
    with serving(llm, n_parallel=2) as one:
        yield one


@pytest.fixture
def page(open_page: OpenPage, here: Serving) -> Page:
    return open_page(here.url, is_phone=True)


def picture(page: Page, name: str, tmp_path: Path) -> None:
    """Save a screenshot in the folder from which CI collects them, if it is set."""
    until(page, "document.getAnimations().every(one => one.effect.getTiming().iterations == Infinity)")
    page.screenshot(path=Path(os.environ.get(PICTURES) or tmp_path, f"chat-{name}.png"))


def ask(page: Page, text: str) -> None:
    page.fill("#question", text)
    page.press("#question", "Enter")


def answered(page: Page) -> str:
    """Wait for the end of an answer; return the line below it."""
    until(page, f"document.getElementById('send').textContent == 'Send' && document.querySelector('{TOLD}')")
    return str(page.inner_text(TOLD))


def text_of(page: Page) -> str:
    """Return the text of the first answer, before its Markdown is shown."""
    return page.get_attribute(TEXT, "data-text") or ""


def test_a_conversation_on_a_phone(page: Page, here: Serving, tmp_path: Path, llm: LLM) -> None:
    expect(page.locator("#name")).to_have_text(NAME)
    page.click("#settings")
    for name, value in (("temperature", "0"), ("max_tokens", "12"), ("system", "thin")):
        page.fill(f"[name={name}]", value)
    picture(page, "phone-settings", tmp_path)
    page.click("dialog button.main")
    until(page, "settings.max_tokens == 12")  # the close event comes later
    ask(page, "the and he")
    told = answered(page)
    messages = [{"role": "system", "content": "thin"}, {"role": "user", "content": "the and he"}]
    wanted = "".join(part.text for part in llm.chat(messages, 12, 0))
    assert text_of(page) == wanted
    assert told.startswith("stopped at the token limit, ")
    assert "tokens/s, first token after" in told
    # Figures are shown each second: the next ones begin with the tokens of the context.
    figures = r"^(\d+ of \d+ tokens)?loopback .CPU. \d+ %[\d.]+ t.s.*\d+ MiB$"
    expect(page.locator("#live")).to_have_text(re.compile(figures))
    assert "DSP" not in page.inner_text("body")
    assert page.evaluate("document.documentElement.scrollWidth") == 390  # nothing overflows the width
    small = "[...document.querySelectorAll('header button, #send')].filter(one => one.offsetHeight < 40).length"
    assert page.evaluate(small) == 0
    picture(page, "phone", tmp_path)
    page.reload()  # the conversation is kept
    page.click("#toggle")
    picture(page, "phone-history", tmp_path)
    page.click("#history .open")
    assert page.locator(".message").count() == 2
    page.click("#toggle")
    page.click("#history .remove")
    assert page.locator(".message, #history li").count() == 0


def test_an_answer_is_stopped(
    open_page: OpenPage, here: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_sent, cancelled, send, cancel = 0, threading.Event(), ModelRunner.send, EngineThread.cancel

    def held(runner: ModelRunner[Any], *given: Any) -> Any:
        """Hold the completion after its first words: it must still run when it is stopped."""
        nonlocal n_sent
        n_sent += 1
        assert n_sent < 100 or cancelled.wait(LONG)
        return send(runner, *given)

    def going_on(scheduler: EngineThread, *given: Any) -> None:
        cancel(scheduler, *given)
        cancelled.set()

    monkeypatch.setattr(ModelRunner, "send", held)
    monkeypatch.setattr(EngineThread, "cancel", going_on)
    page = open_page(here.url, is_dark=True)
    # Most seeds end the answer earlier than this one.
    page.evaluate("settings = { temperature: 2, top_k: 0, top_p: 1, min_p: 0, seed: 1 }")
    ask(page, "the and he " * 12)
    until(page, f"document.querySelector('{TEXT}').textContent.length > 40")
    assert page.inner_text("#send") == "Stop"
    picture(page, "dark", tmp_path)
    page.click("#send")
    assert answered(page).endswith("stopped")
    assert page.locator(".message").count() == 2
    until_so(cancelled.is_set)
    until_so(lambda: here.loaded.backend.counts == (0, 0))
    assert n_sent < 120


def test_what_the_server_refuses_is_shown(page: Page, problems: list[str]) -> None:
    page.evaluate("settings = { temperature: -1 }")
    ask(page, "the")
    assert "temperature is -1" in answered(page)
    assert page.locator("#history li").count() == 1
    problems[:] = [one for one in problems if "400" not in one]


CODE = """With **one instruction** for 32 words, `Q6_Vw_vadd_VwVw`:

```c
for (uint32_t i = 0; i < n; i++) {
    dst[i] = Q6_Vw_vadd_VwVw(a[i], b[i]); // <b>not bold</b>
}
```
All three must be *aligned* to $2^7$ bytes."""
TALK = [
    {"role": "user", "content": "How do I add two vectors with HVX?"},
    {"role": "assistant", "content": CODE, "told": "11.2 tokens/s, first token after 0.6 s"},
]


def test_code_is_shown_as_code_and_nothing_becomes_html(
    page: Page, open_page: OpenPage, here: Serving, tmp_path: Path
) -> None:
    show = f"talks = [{{title: 'Vectors with HVX', messages: {json.dumps(TALK)}}}]; choose(talks[0])"
    page.evaluate(show)
    page.wait_for_selector(".message.assistant .rendered")
    assert page.locator(".message b").count() == 0
    assert page.text_content(".code .about") == "cCopy"
    assert page.evaluate("getComputedStyle(document.querySelector('.code .kt')).color") == "rgb(139, 61, 136)"
    assert "<b>not bold</b>" in page.inner_text(".message pre code")
    assert page.inner_text(".message strong") == "one instruction"
    assert page.evaluate("document.querySelector('math msup').getBoundingClientRect().height") > 8
    for text in ("a ``` b", "```\nnever closed", "**a", "` `", "", "<script>", "``````", "a\n```py\nb\n```"):
        told = f"[...marked({json.dumps(text)})].map(one => one.textContent ?? one).join('')"
        shown, wanted = page.evaluate(told), text.replace("```py", "")
        assert re.sub(r"[`\s]", "", shown) == re.sub(r"[`\s]", "", wanted)
    picture(page, "phone-code", tmp_path)
    for name, is_dark in (("wide", False), ("wide-dark", True)):
        page = open_page(here.url, is_dark=is_dark)
        page.evaluate(show)
        page.wait_for_selector(".message.assistant .rendered")
        picture(page, name, tmp_path)
    page.evaluate("choose(null)")
    picture(page, "wide-empty", tmp_path)


def test_the_key_that_a_server_needs_is_asked_for(
    open_page: OpenPage, problems: list[str], tmp_path: Path, llm: LLM
) -> None:
    with serving(llm, ("correct-horse",)) as there, open_page(there.url) as page:
        key, system = page.locator("[name=key]"), page.locator("[name=system]")
        expect(key).to_be_focused()
        assert "The server needs an API key." in page.inner_text("#dialog")
        assert system.is_hidden()
        page.keyboard.insert_text("wrong-horse")
        page.keyboard.press("Enter")
        expect(page.locator("#why")).to_contain_text("does not accept")
        expect(key).to_be_focused()
        picture(page, "key", tmp_path)
        key.select_text()
        page.keyboard.insert_text("correct-horse")
        page.keyboard.press("Enter")
        expect(page.locator("#name")).to_have_text(NAME)
        page.click("#settings")
        assert system.is_visible()
        system.fill("correct-horse")
        page.fill("[name=max_tokens]", "5")
        page.click("dialog button.main")
        until(page, "settings.max_tokens == 5")  # the close event comes later
        ask(page, "the")
        answered(page)
        assert text_of(page)
        assert page.evaluate("JSON.stringify([{...localStorage}, settings, talks]).includes('horse')") is False
    problems[:] = [one for one in problems if "401" not in one]


def test_keys_and_another_answer(page: Page) -> None:
    page.evaluate("settings = { temperature: 0, max_tokens: 5 }; document.activeElement.blur()")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "question"
    page.keyboard.insert_text("the")
    page.keyboard.press("Enter")
    answered(page)
    first = text_of(page)
    with page.expect_request("**/v1/chat/completions"):
        page.get_by_role("button", name="Regenerate").click()
    answered(page)
    assert page.locator(".message").count() == 2
    assert text_of(page) == first
    assert [one["role"] for one in page.evaluate("talks[0].messages")] == ["user", "assistant"]
    page.keyboard.press("Alt+n")
    assert page.locator(".message").count() == 0


def test_a_cut_answer_is_continued(page: Page, llm: LLM) -> None:
    page.evaluate("settings = { temperature: 0, max_tokens: 5 }")
    ask(page, "the")
    answered(page)
    first = text_of(page)
    page.evaluate("choose(talks[0])")
    more = page.get_by_role("button", name="Continue")
    more.click()
    until(page, f"document.querySelector('{TEXT}').dataset.text.length > {len(first)}")
    answered(page)
    messages: list[Any] = [{"role": "user", "content": "the"}, {"role": "assistant", "content": first}]
    whole = first + "".join(part.text for part in llm.chat(messages, 5, 0, continue_final_message=True))
    assert text_of(page) == whole
    assert [one["role"] for one in page.evaluate("talks[0].messages")] == ["user", "assistant"]
    assert page.evaluate("talks[0].messages[1].content") == whole
    assert page.locator(".message").count() == 2
    page.evaluate("delete talks[0].messages[1].isCut; choose(talks[0])")
    assert more.count() == 0  # a complete answer has no such button


# Answers requests for completions with the events given, each of which says how many milliseconds it took.
SCRIPTED = """events => {
  let clock = 1000;
  window.asked = [];
  performance.now = () => clock;
  const parse = JSON.parse, real = fetch;
  JSON.parse = text => { const one = parse(text); clock += one?.ms ?? 0; return one; };
  const lines = events.map(one => `data: ${JSON.stringify(one)}\\n\\n`).join("");
  window.fetch = (url, given) => {
    if (url !== "v1/chat/completions") return real(url, given);
    asked.push(parse(given.body));
    return Promise.resolve(new Response(lines));
  };
}"""


def delta(ms: int, finish_reason: str | None = None, **words: str) -> dict[str, Any]:
    return {"ms": ms, "choices": [{"delta": words, "finish_reason": finish_reason}]}


def test_reasoning_and_speed_of_an_answer(page: Page, tmp_path: Path) -> None:
    """On a clock of the test: 6 tokens in 0.5 seconds after the first one, which took half a second."""
    usage = {"prompt_tokens": 7, "completion_tokens": 6}
    page.evaluate(SCRIPTED, [
        delta(500, reasoning_content="Let me <b>think"), delta(100, reasoning_content="</b>: 2 + 2."),
        delta(100, content="It is "), delta(100, "length", content="four"), {"ms": 200, "choices": [], "usage": usage},
    ])  # fmt: skip
    ask(page, "2 + 2?")
    assert answered(page) == "stopped at the token limit, 10.0 tokens/s, first token after 0.5 s"
    thoughts = page.locator(".message.assistant .thoughts")
    assert thoughts.locator("summary").inner_text() == "Reasoning"
    assert thoughts.text_content() == "ReasoningLet me <b>think</b>: 2 + 2."
    assert thoughts.locator("b").count() == 0
    assert thoughts.get_attribute("open") is None
    thoughts.locator("summary").click()
    expect(thoughts).to_have_attribute("open", "")
    picture(page, "reasoning", tmp_path)
    assert text_of(page) == "It is four"
    assert page.evaluate("talks[0].tokens") == 13

    # A continued answer keeps its reasoning, which no request contains.
    page.get_by_role("button", name="Continue").click()
    until(page, f"document.querySelector('{TEXT}').dataset.text == 'It is fourIt is four'")
    answered(page)
    assert thoughts.text_content() == "Reasoning" + "Let me <b>think</b>: 2 + 2." * 2
    question = {"role": "user", "content": "2 + 2?"}
    assert [one["messages"] for one in page.evaluate("asked")] == [
        [question], [question, {"role": "assistant", "content": "It is four"}],
    ]  # fmt: skip
    page.reload()  # the conversation is kept
    page.click("#toggle")
    page.click("#history .open")
    assert page.locator(".message.assistant .thoughts").text_content() == (
        "Reasoning" + "Let me <b>think</b>: 2 + 2." * 2
    )


def test_a_model_is_picked(open_page: OpenPage, here: Serving) -> None:
    loaded = here.loaded
    pool = ModelPool([PooledModel(name, loaded.model.path, loaded=loaded) for name in ("one", "two")], "loopback")
    routes = Server(pool, loaded.metrics, limits=Limits(), keys=Keys(()), hosts=guard.LOCAL)
    with serving_of(routes) as there, open_page(there.url) as page:
        until(page, "model == 'one'")
        assert page.is_hidden("#name")
        page.select_option("#models", "two")
        page.evaluate("settings = { max_tokens: 2 }")
        with page.expect_request("**/v1/chat/completions") as request:
            ask(page, "the")
        answered(page)
        assert (request.value.post_data_json or {})["model"] == "two"
        page.reload()
        until(page, "model == 'two'")


def test_conversations_are_found_edited_exported_and_brought_back(
    open_page: OpenPage, here: Serving, tmp_path: Path
) -> None:
    page = open_page(here.url)
    page.evaluate("settings = { max_tokens: 2, temperature: 0 }")
    for question in ("the and", "he in"):
        page.evaluate("choose(null)")
        ask(page, question)
        answered(page)
    shown = page.locator("#history .open")
    assert shown.all_inner_texts() == ["he in", "the and"]
    page.fill("#search", "AND")
    assert shown.all_inner_texts() == ["the and"]
    page.fill("#search", "")
    expect(page.locator("#live")).to_contain_text(f" of {here.loaded.model.n_ctx} tokens")
    page.click("#history .remove")
    assert shown.all_inner_texts() == ["the and"]
    page.click("#undo button")
    assert shown.all_inner_texts() == ["he in", "the and"]
    assert page.locator(".message").count() == 2
    ask(page, "thin")
    answered(page)
    assert page.locator(".message").count() == 4
    page.locator(".message.user button").nth(1).click()
    assert page.input_value("#question") == "thin"
    ask(page, "the")
    answered(page)
    assert page.locator(".message").count() == 4
    assert shown.all_inner_texts() == ["he in (edited)", "he in", "the and"]
    assert page.evaluate("talks.slice(0, 2).map(talk => talk.messages[2].content)") == ["the", "thin"]
    with page.expect_download() as download:
        page.click("#export")
    exported = download.value.path().read_text()
    assert exported.startswith("# he in (edited)")
    assert "## You\n\nthe" in exported
    picture(page, "wide-branched", tmp_path)
    for key, title in (("Escape", "he in (edited)"), ("Enter", "thin")):
        page.click("#rename")
        assert page.evaluate("document.activeElement.value") == "he in (edited)"
        page.keyboard.insert_text("thin")
        page.keyboard.press(key)
        assert shown.all_inner_texts() == [title, "he in", "the and"]
    assert page.evaluate("kept.read('talks')[0].title") == "thin"
