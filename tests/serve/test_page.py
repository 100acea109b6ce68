# SPDX-License-Identifier: MIT
"""The chat page, in a real browser."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import needs
import pytest

from pyhexagon import LLM
from pyhexagon.llm.runner import ModelRunner
from pyhexagon.serve import guard
from pyhexagon.serve.app import Server
from pyhexagon.serve.keys import Keys
from pyhexagon.serve.limits import Limits
from pyhexagon.serve.pool import ModelPool
from pyhexagon.serve.pooled_model import PooledModel
from serve.browser import Page, chromium
from serve.serving import NAME, Serving, model, serving, serving_of

PICTURES = "PYHEXAGON_PICTURES"
SEND = "document.getElementById('send').click()"
ANSWERED = "document.querySelector('.message.assistant:last-child .told')"
IDLE = "document.getElementById('send').textContent == 'Send'"


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
def page(tmp_path: Path, here: Serving) -> Iterator[Page]:
    needs.require("chromium")
    with chromium(tmp_path) as page:
        page.size(390, 844, is_phone=True)
        page.open(here.url)
        yield page
        assert page.problems == []


def picture(page: Page, name: str, tmp_path: Path) -> None:
    """Save a screenshot in the folder from which CI collects them, if it is set."""
    page.until("document.getAnimations().every(one => one.effect.getTiming().iterations == Infinity)")
    folder = Path(os.environ.get(PICTURES) or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    page.picture(folder / f"chat-{name}.png")


def ask(page: Page, text: str) -> None:
    page.run("document.getElementById('question').focus()")
    page.type(text)
    page.press("Enter", 13)


def test_a_conversation_on_a_phone(page: Page, here: Serving, tmp_path: Path, llm: LLM) -> None:
    page.until(f"document.getElementById('name').textContent == '{NAME}'")
    page.run("document.getElementById('settings').click()")
    for name, value in (("temperature", "0"), ("max_tokens", "12"), ("system", "thin")):
        page.run(f"document.querySelector('[name={name}]').value = {value!r}")
    picture(page, "phone-settings", tmp_path)
    page.run("document.querySelector('dialog button.main').click()")
    page.until("settings.max_tokens == 12")  # the close event comes later
    ask(page, "the and he")
    page.until(f"{IDLE} && {ANSWERED}")
    messages = [{"role": "system", "content": "thin"}, {"role": "user", "content": "the and he"}]
    wanted = "".join(part.text for part in llm.chat(messages, 12, 0))
    assert page.run("document.querySelector('.message.assistant span').dataset.text") == wanted
    assert page.run(f"{ANSWERED}.textContent").startswith("stopped at the token limit, ")
    assert "tokens/s, first token after" in page.run(f"{ANSWERED}.textContent")
    # Figures are shown each second: the next ones begin with the tokens of the context.
    figures = r"/^(\d+ of \d+ tokens)?loopback .CPU. \d+ %[\d.]+ t.s.*\d+ MiB$/"
    page.until(f"{figures}.test(document.getElementById('live').textContent)")
    assert "DSP" not in page.run("document.body.innerText")
    assert page.run("document.documentElement.scrollWidth") == 390  # nothing overflows the width
    small = "[...document.querySelectorAll('header button, #send')].filter(one => one.offsetHeight < 40).length"
    assert page.run(small) == 0
    picture(page, "phone", tmp_path)
    page.open(here.url)  # reload: the conversation is kept
    page.run("document.getElementById('toggle').click()")
    picture(page, "phone-history", tmp_path)
    page.run("document.querySelector('#history .open').click()")
    assert page.run("document.querySelectorAll('.message').length") == 2
    page.run("document.querySelector('#history .remove').click()")
    assert page.run("document.querySelectorAll('.message, #history li').length") == 0


def test_an_answer_is_stopped(page: Page, here: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = ModelRunner.send

    def slowly(runner: ModelRunner[Any], *given: Any) -> Any:
        time.sleep(0.02)  # the completion must still run when it is stopped
        return run(runner, *given)

    monkeypatch.setattr(ModelRunner, "send", slowly)
    page.size(1200, 800, is_dark=True)
    # One seed in sixty ends the answer at once.
    page.run("settings = { temperature: 2, top_k: 0, top_p: 1, min_p: 0, seed: 7 }")
    ask(page, "the and he " * 12)
    page.until("document.querySelector('.message.assistant span').textContent.length > 40")
    assert page.run("document.getElementById('send').textContent") == "Stop"
    picture(page, "dark", tmp_path)
    page.run(SEND)
    page.until(f"{IDLE} && {ANSWERED}")
    assert page.run(f"{ANSWERED}.textContent").endswith("stopped")
    assert page.run("document.querySelectorAll('.message').length") == 2
    while here.loaded.backend.counts != (0, 0):
        page.run("1")


def test_what_the_server_refuses_is_shown(page: Page) -> None:
    page.run("settings = { temperature: -1 }")
    ask(page, "the")
    page.until(f"{IDLE} && {ANSWERED}")
    assert "temperature is -1" in page.run(f"{ANSWERED}.textContent")
    assert page.run("document.querySelectorAll('#history li').length") == 1
    page.problems = [one for one in page.problems if "400" not in one]


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


def test_code_is_shown_as_code_and_nothing_becomes_html(page: Page, tmp_path: Path) -> None:
    page.run(f"talks = [{{title: 'Vectors with HVX', messages: {json.dumps(TALK)}}}]; choose(talks[0])")
    page.until("document.querySelector('.message.assistant .rendered')")
    assert page.run("document.querySelectorAll('.message b').length") == 0
    assert page.run("document.querySelector('.code .about').textContent") == "cCopy"
    assert page.run("getComputedStyle(document.querySelector('.code .kt')).color") == "rgb(139, 61, 136)"
    assert "<b>not bold</b>" in page.run("document.querySelector('.message pre code').textContent")
    assert page.run("document.querySelector('.message strong').textContent") == "one instruction"
    assert page.run("document.querySelector('math msup').getBoundingClientRect().height") > 8
    for text in ("a ``` b", "```\nnever closed", "**a", "` `", "", "<script>", "``````", "a\n```py\nb\n```"):
        told = f"[...marked({json.dumps(text)})].map(one => one.textContent ?? one).join('')"
        shown, wanted = page.run(told), text.replace("```py", "")
        assert re.sub(r"[`\s]", "", shown) == re.sub(r"[`\s]", "", wanted)
    picture(page, "phone-code", tmp_path)
    for name, is_dark in (("wide", False), ("wide-dark", True)):
        page.size(1200, 800, is_dark=is_dark)
        picture(page, name, tmp_path)
    page.run("choose(null)")
    picture(page, "wide-empty", tmp_path)


def test_the_key_that_a_server_needs_is_asked_for(tmp_path: Path, here: Serving, llm: LLM) -> None:
    needs.require("chromium")
    with serving(llm, ("correct-horse",)) as there, chromium(tmp_path) as page:
        page.size(1200, 800)
        page.open(there.url)
        page.until("document.getElementById('dialog').open")
        assert page.run("document.activeElement.name") == "key"
        assert "The server needs an API key." in page.run("document.getElementById('dialog').innerText")
        assert page.run("document.querySelector('[name=system]').offsetHeight") == 0
        page.type("wrong-horse")
        page.press("Enter", 13)
        page.until("document.getElementById('why').textContent.includes('does not accept')")
        assert page.run("document.activeElement.name") == "key"
        picture(page, "key", tmp_path)
        page.run("document.activeElement.select()")
        page.type("correct-horse")
        page.press("Enter", 13)
        page.until(f"document.getElementById('name').textContent == '{NAME}'")
        page.run("document.getElementById('settings').click()")
        assert page.run("document.querySelector('[name=system]').offsetHeight") > 0
        page.run("document.querySelector('[name=system]').value = 'correct-horse'")
        page.run("document.querySelector('[name=max_tokens]').value = 5")
        page.run("document.querySelector('dialog button.main').click()")
        page.until("settings.max_tokens == 5")  # the close event comes later
        ask(page, "the")
        page.until(f"{IDLE} && {ANSWERED}")
        assert page.run("document.querySelector('.message.assistant span').dataset.text")
        assert page.run("JSON.stringify([{...localStorage}, settings, talks]).includes('horse')") is False
        assert all("401" in one for one in page.problems)


def test_keys_and_another_answer(page: Page, here: Serving) -> None:
    page.run("settings = { temperature: 0, max_tokens: 5 }; document.activeElement.blur()")
    page.press("/", 191)
    assert page.run("document.activeElement.id") == "question"
    page.type("the")
    page.press("Enter", 13)
    page.until(f"{IDLE} && {ANSWERED}")
    first = page.run("document.querySelector('.message.assistant span').dataset.text")
    page.run("document.querySelectorAll('.below button')[1].click()")
    page.until(f"{IDLE} && {ANSWERED}")
    assert page.run("document.querySelectorAll('.message').length") == 2
    assert page.run("document.querySelector('.message.assistant span').dataset.text") == first
    assert [one["role"] for one in page.run("talks[0].messages")] == ["user", "assistant"]
    page.run("document.dispatchEvent(new KeyboardEvent('keydown', { code: 'KeyN', altKey: true }))")
    assert page.run("document.querySelectorAll('.message').length") == 0


def test_a_cut_answer_is_continued(page: Page, here: Serving, llm: LLM) -> None:
    page.run("settings = { temperature: 0, max_tokens: 5 }")
    ask(page, "the")
    page.until(f"{IDLE} && {ANSWERED}")
    text = "document.querySelector('.message.assistant span').dataset.text"
    first = page.run(text)
    choose = "[...document.querySelectorAll('.below button')].find(one => one.textContent == 'Continue')"
    page.run(f"choose(talks[0]); {choose}.click()")
    page.until(f"{IDLE} && {text}.length > {len(first)}")
    messages: list[Any] = [{"role": "user", "content": "the"}, {"role": "assistant", "content": first}]
    more = "".join(part.text for part in llm.chat(messages, 5, 0, continue_final_message=True))
    assert page.run(text) == first + more
    assert [one["role"] for one in page.run("talks[0].messages")] == ["user", "assistant"]
    assert page.run("talks[0].messages[1].content") == first + more
    assert page.run("document.querySelectorAll('.message').length") == 2
    page.run("delete talks[0].messages[1].isCut; choose(talks[0])")
    assert page.run(f"{choose} == null")  # a complete answer has no such button


def test_a_model_is_picked(tmp_path: Path, here: Serving) -> None:
    needs.require("chromium")
    loaded = here.loaded
    pool = ModelPool([PooledModel(name, loaded.model.path, loaded=loaded) for name in ("one", "two")], "loopback")
    routes = Server(pool, loaded.metrics, limits=Limits(), keys=Keys(()), hosts=guard.LOCAL)
    with serving_of(routes) as there, chromium(tmp_path) as page:
        page.size(1200, 800)
        page.open(there.url)
        page.until("model == 'one'")
        assert page.run("getComputedStyle(document.getElementById('name')).display") == "none"
        page.run("models.value = 'two'; models.dispatchEvent(new Event('change')); settings = { max_tokens: 2 }")
        page.run("sent = []; send = fetch; fetch = (u, o) => { sent.push([u, o?.body]); return send(u, o); }")
        ask(page, "the")
        page.until(f"{IDLE} && {ANSWERED}")
        assert page.run("JSON.parse(sent.find(one => one[0].includes('chat'))[1]).model") == "two"
        page.open(there.url)
        page.until("model == 'two'")
        assert page.problems == []


def test_conversations_are_found_edited_exported_and_brought_back(page: Page, here: Serving, tmp_path: Path) -> None:
    page.size(1200, 800)
    page.run("settings = { max_tokens: 2, temperature: 0 }")
    for question in ("the and", "he in"):
        page.run("choose(null)")
        ask(page, question)
        page.until(f"{IDLE} && {ANSWERED}")
    shown = "[...document.querySelectorAll('#history .open')].map(one => one.textContent).join()"
    assert page.run(shown) == "he in,the and"
    page.run("search.value = 'AND'; search.dispatchEvent(new Event('input'))")
    assert page.run(shown) == "the and"
    page.run("search.value = ''; search.dispatchEvent(new Event('input'))")
    page.until(f"document.getElementById('live').textContent.includes(' of {here.loaded.model.n_ctx} tokens')")
    page.run("document.querySelector('#history .remove').click()")
    assert page.run(shown) == "the and"
    page.run("document.querySelector('#undo button').click()")
    assert page.run(shown) == "he in,the and"
    assert page.run("document.querySelectorAll('.message').length") == 2
    ask(page, "thin")
    page.until(f"{IDLE} && {ANSWERED} && document.querySelectorAll('.message').length == 4")
    page.run("document.querySelectorAll('.message.user')[1].querySelector('button').click()")
    assert page.run("document.getElementById('question').value") == "thin"
    page.run("question.value = ''")
    ask(page, "the")
    page.until(f"{IDLE} && {ANSWERED} && document.querySelectorAll('.message').length == 4")
    assert page.run(shown) == "he in (edited),he in,the and"
    assert page.run("talks.slice(0, 2).map(talk => talk.messages[2].content).join()") == "the,thin"
    page.run("window.saved = ''; URL.createObjectURL = blob => { blob.text().then(text => saved = text); return '#'; }")
    page.run("document.getElementById('export').click()")
    page.until("saved.startsWith('# he in (edited)') && saved.includes('## You\\n\\nthe')")
    picture(page, "wide-branched", tmp_path)
    for key, code, title in (("Escape", 27, "he in (edited)"), ("Enter", 13, "thin")):
        page.run("document.getElementById('rename').click()")
        assert page.run("document.activeElement.value") == "he in (edited)"
        page.type("thin")
        page.press(key, code)
        assert page.run(shown) == f"{title},he in,the and"
    assert page.run("kept.read('talks')[0].title") == "thin"
