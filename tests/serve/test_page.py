# SPDX-License-Identifier: MIT
"""The chat page, in a real browser: questions, answers, settings, keys and models."""

from __future__ import annotations

import json
import re
import threading
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
from serve.chat_page import (
    TEXT,
    answer,
    answered,
    ask,
    delta,
    here,
    llm,
    picture,
    script_answers,
    send,
    settle,
    stored,
    texts,
    tool,
)  # fmt: skip
from serve.serving import NAME, Serving, serving, serving_of
from serve.test_connections import until as until_so

__all__ = ["chromium", "here", "llm", "open_page", "problems"]  # fixtures


@pytest.fixture
def page(open_page: OpenPage, here: Serving) -> Page:
    return open_page(here.url, is_phone=True)


def test_a_conversation_on_a_phone(page: Page, here: Serving, tmp_path: Path, llm: LLM) -> None:
    expect(page.locator("#name")).to_have_text(NAME)
    page.click("#settings")
    for name, value in (("temperature", "0"), ("max_tokens", "12"), ("system", "thin")):
        page.fill(f"[name={name}]", value)
    picture(page, "phone-settings", tmp_path)
    page.click("dialog button.main")
    until(page, "localStorage.getItem('pyhexagon.settings')?.includes('12')")  # the close event comes later
    ask(page, "the and he")
    note = answered(page)
    messages = [{"role": "system", "content": "thin"}, {"role": "user", "content": "the and he"}]
    wanted = "".join(part.text for part in llm.chat(messages, 12, 0))
    (record,) = stored(page)
    assert [message["content"] for message in record["messages"]] == ["the and he", wanted]
    assert note.startswith("stopped at the token limit, 12 tokens, ")
    assert "tokens/s, first token after" in note
    expect(page.locator("#context")).to_have_text(re.compile(rf"^\d+ of {here.loaded.model.n_ctx:,} tokens$"))
    expect(page.locator("#state")).to_have_text("CPU (loopback)")
    page.click("#toggle")
    expect(page.locator("#figures dt")).to_have_text(["CPU (loopback)", "Speed", "Requests", "Memory of models"])
    units = (" %", " tokens/s", "", " MiB")
    expect(page.locator("#figures dd")).to_have_text([re.compile(rf"^\d.*{unit}$") for unit in units])
    picture(page, "phone-history", tmp_path)
    assert "DSP" not in page.inner_text("body")


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
    settle(page, temperature=2, top_k=0, top_p=1, min_p=0, seed=1)
    ask(page, "the and he " * 12)
    until(page, f"document.querySelector('{TEXT}')?.textContent.length > 40")
    expect(page.locator("#send")).to_have_attribute("aria-label", "Stop")
    picture(page, "dark", tmp_path)
    page.click("#send")
    assert answered(page).endswith("stopped")
    assert page.locator(".message").count() == 2
    until_so(cancelled.is_set)
    until_so(lambda: here.loaded.backend.counts == (0, 0))
    assert n_sent < 120


def test_what_the_server_refuses_is_shown_and_tried_again(page: Page, problems: list[str]) -> None:
    settle(page, temperature=101)
    ask(page, "the")
    assert "temperature is 101" in answered(page)
    expect(page.locator(".message.assistant .note")).to_have_class(re.compile("wrong"))
    settle(page, temperature=0, max_tokens=2)
    tool(page, 1, "Try again").click()
    expect(page.locator(".note.wrong")).to_have_count(0)
    assert "2 tokens" in answered(page)
    assert len(stored(page)[0]["messages"]) == 2  # the failure is no version of the answer
    problems[:] = [line for line in problems if "400" not in line]


CODE = """With **one instruction** for 32 words, `Q6_Vw_vadd_VwVw`:

```c
for (uint32_t i = 0; i < n; i++) {
    dst[i] = Q6_Vw_vadd_VwVw(a[i], b[i]); // <b>not bold</b>
}
```
All three must be *aligned* to $2^7$ bytes."""


@pytest.mark.parametrize(("name", "screen"), [
    ("phone-code", {"is_phone": True}), ("wide", {}), ("wide-dark", {"is_dark": True}),
])  # fmt: skip
def test_code_is_shown_as_code(
    open_page: OpenPage, here: Serving, tmp_path: Path, name: str, screen: dict[str, bool]
) -> None:
    page = open_page(here.url, **screen)
    script_answers(page)
    ask(page, "How do I add two vectors with HVX?")
    answer(page, 0, CODE)
    expect(page.locator(".message strong")).to_have_text("one instruction")
    assert page.locator(".message b").count() == 0
    assert page.text_content(".code .about") == "c"
    keyword = "rgb(215, 161, 212)" if screen.get("is_dark") else "rgb(139, 61, 136)"
    assert page.evaluate("getComputedStyle(document.querySelector('.code .kt')).color") == keyword
    assert "<b>not bold</b>" in page.inner_text(".message pre code")
    assert page.evaluate("document.querySelector('math msup').getBoundingClientRect().height") > 8
    picture(page, name, tmp_path)


def test_without_the_servers_html_nothing_becomes_html(page: Page, problems: list[str]) -> None:
    page.route("**/markdown", lambda route: route.abort())
    script_answers(page)
    given = [
        "a ``` b", "```\nnever closed", "**a", "` `", "<script>x</script>", "``````", "a\n```py\nb\n```", "<img src=x>",
    ]  # fmt: skip
    for number, text in enumerate(given):
        ask(page, "?")
        answer(page, number, text)
        shown, wanted = texts(page)[-1], text.replace("```py", "")
        assert re.sub(r"[`\s]", "", shown) == re.sub(r"[`\s]", "", wanted)
    assert page.locator(".content script, .content img").count() == 0
    problems[:] = [line for line in problems if "ERR_FAILED" not in line]


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
        expect(page.locator("#reason")).to_contain_text("does not accept")
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
        until(page, "localStorage.getItem('pyhexagon.settings') == '{\"max_tokens\":5}'")
        ask(page, "the")
        answered(page)
        assert "horse" not in json.dumps([page.evaluate("({...localStorage})"), stored(page)])
    problems[:] = [line for line in problems if "401" not in line]


def test_reasoning_and_speed_of_an_answer(page: Page, tmp_path: Path) -> None:
    """On a clock of the test: 6 tokens in 12.5 seconds after the first one, which took half a second."""
    script_answers(page)
    ask(page, "2 + 2?")
    summary = page.locator(".message.assistant .thoughts summary")
    send(page, 0, [delta(500, reasoning_content="Let me <b>think")])
    expect(summary).to_have_text("Thinking, 1 s")
    send(page, 0, [delta(12000, reasoning_content="</b>: 2 + 2.")])
    expect(summary).to_have_text("Thinking, 12 s")
    picture(page, "thinking", tmp_path)
    usage = {"prompt_tokens": 7, "completion_tokens": 6}
    send(page, 0, [
        delta(100, content="It is "), delta(200, "length", content="four"), {"ms": 200, "choices": [], "usage": usage},
    ], end="end")  # fmt: skip
    assert answered(page) == "stopped at the token limit, 6 tokens, 0.4 tokens/s, first token after 0.5 s"
    expect(summary).to_have_text("Thought for 12 s")
    thoughts = page.locator(".message.assistant .thoughts")
    assert thoughts.locator("b").count() == 0
    assert thoughts.get_attribute("open") is None
    summary.click()
    expect(thoughts.locator("div")).to_have_text("Let me <b>think</b>: 2 + 2.")
    picture(page, "reasoning", tmp_path)
    assert stored(page)[0]["tokens"] == 13

    page.get_by_role("button", name="Continue").click()  # keeps the reasoning, which no request contains
    answer(page, 1, ".")
    question = {"role": "user", "content": "2 + 2?"}
    assert page.evaluate("requests.map(({ body }) => body.messages)") == [
        [question], [question, {"role": "assistant", "content": "It is four"}],
    ]  # fmt: skip
    page.reload()
    expect(summary).to_have_text("Thought for 12 s")
    expect(page.locator(".message.assistant .content")).to_have_text("It is four.")


def test_a_model_is_picked_and_its_loading_shown(open_page: OpenPage, here: Serving) -> None:
    loaded = here.loaded
    models = [PooledModel(name, loaded.model.path, loaded=loaded) for name in ("one", "two", "a-very-long-name" * 9)]
    routes = Server(ModelPool(models, "loopback"), loaded.metrics, limits=Limits(), keys=Keys(()), hosts=guard.LOCAL)
    with serving_of(routes) as there, open_page(there.url) as page:
        expect(page.locator("#models")).to_have_value("one")
        assert page.is_hidden("#name")
        page.select_option("#models", "two")
        settle(page, max_tokens=2)
        expect(page.locator("#models")).to_have_value("two")
        with page.expect_request("**/v1/chat/completions") as request:
            ask(page, "the")
        answered(page)
        assert (request.value.post_data_json or {})["model"] == "two"
        script_answers(page)
        models[1].loaded = None
        expect(page.locator("#state")).to_have_text("CPU (loopback)")
        ask(page, "he")
        expect(page.locator(".message.running .waits")).to_have_text("Loading two…")
        expect(page.locator("#state")).to_have_text("not loaded")
        models[1].loaded = loaded
        expect(page.locator("#state")).to_have_text("CPU (loopback)")
        expect(page.locator(".message.running .waits")).to_have_text("Reading the prompt…")
        answer(page, 0, "then")


def test_a_model_without_a_chat_template_says_so(open_page: OpenPage, here: Serving) -> None:
    page = open_page("about:blank")
    page.route("**/props?*", lambda route: route.fulfill(json={"default_generation_settings": {"n_ctx": 8}}))
    page.goto(here.url)
    expect(page.locator(".notice")).to_contain_text(f"{NAME} has no chat template")


def test_keys(open_page: OpenPage, here: Serving) -> None:
    page = open_page(here.url)
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#send")).to_be_disabled()
    script_answers(page)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.insert_text("the")
    page.keyboard.press("Enter")
    send(page, 0, [delta(1, content="and")])
    page.keyboard.press("Escape")
    assert answered(page).endswith("stopped")
    page.keyboard.press("Alt+n")
    expect(page.locator(".message")).to_have_count(0)
    expect(page.locator("#question")).to_be_focused()
