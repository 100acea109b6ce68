# SPDX-License-Identifier: MIT
"""The chat page loses no conversation: tabs, reloads, a full or forbidden storage, earlier versions, files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from serve.browser import OpenPage, chromium, open_page, problems, until
from serve.chat_page import (
    answer,
    answered,
    ask,
    delta,
    here,
    llm,
    page,
    picture,
    script_answers,
    send,
    stored,
    stored_texts,
    texts,
    tool,
)  # fmt: skip
from serve.serving import Serving

__all__ = ["chromium", "here", "llm", "open_page", "page", "problems"]  # fixtures


def test_two_tabs_keep_the_conversations_of_both(page: Page, open_page: OpenPage, here: Serving) -> None:
    other = open_page.tab(page, here.url)
    script_answers(other)
    for tab, words in ((page, "one"), (other, "two")):
        ask(tab, words)
    for tab in (other, page):
        answer(tab, 0, "yes")
    for tab in (page, other):
        expect(tab.locator("#history .title")).to_have_count(2)
    assert sorted(stored_texts(page)) == [["one", "yes"], ["two", "yes"]]


def test_two_tabs_ask_in_one_conversation_and_nothing_is_lost(page: Page, open_page: OpenPage, here: Serving) -> None:
    ask(page, "one")
    answer(page, 0, "yes")
    other = open_page.tab(page, page.url)
    script_answers(other)
    expect(other.locator(".message")).to_have_count(2)
    for tab in (page, other):
        tab.evaluate("BroadcastChannel.prototype.postMessage = () => {}")  # each sees what it had
    ask(page, "a")
    ask(other, "b")
    send(page, 1, [delta(1, content="to a"), delta(1, "stop")])
    send(other, 0, [delta(1, content="to b"), delta(1, "stop")])
    page.evaluate("requests[1].end()")
    other.evaluate("requests[0].end()")
    for tab in (page, other):
        answered(tab)
    assert sorted(*stored_texts(page)) == ["a", "b", "one", "to a", "to b", "yes"]
    page.reload()
    assert texts(page)[:2] == ["one", "yes"]
    arrow = page.locator(".message.user .versions button:not(:disabled)")
    shown = texts(page)[2:]
    arrow.click()
    expect(page.locator(".message.user .content").nth(1)).not_to_have_text(shown[0])
    assert sorted([shown, texts(page)[2:]]) == [["a", "to a"], ["b", "to b"]]


def test_an_answer_goes_on_while_another_conversation_is_open(page: Page, open_page: OpenPage, here: Serving) -> None:
    ask(page, "one")
    send(page, 0, [delta(1, content="It ")])
    page.click("#new")
    expect(page.locator(".message")).to_have_count(0)
    expect(page.locator("#history .dot.running")).to_have_count(1)
    other = open_page.tab(page, here.url)
    expect(other.locator("#history .dot.running")).to_have_count(1)
    other.locator("#history .open").click()
    expect(other.locator(".message.assistant")).to_have_count(1)
    expect(other.get_by_role("button", name="Continue")).to_have_count(0)  # it goes on in the first tab
    ask(page, "two")
    send(page, 0, [delta(1, content="goes on."), delta(1, "stop")], end="end")
    expect(page.locator("#history .dot:not(.running)")).to_have_count(1)
    expect(other.locator(".message.assistant .content")).to_have_text("It goes on.")
    answer(page, 1, "meanwhile")
    page.locator("#history .open", has_text="one").click()
    expect(page.locator(".message.assistant .content")).to_have_text("It goes on.")
    expect(page.locator("#history .dot")).to_have_count(0)


def test_a_reload_keeps_what_had_come_and_the_open_conversation(page: Page, tmp_path: Path) -> None:
    ask(page, "one")
    send(page, 0, [delta(500, reasoning_content="Hm. "), delta(2000, content="It is "), delta(2000, content="four")])
    until(page, "document.querySelector('.message.assistant .content').textContent.includes('four')")
    expect(page.locator(".message.running")).to_have_count(1)
    expect_stored(page, ["one", "It is four"])
    page.fill("#question", "not sent yet")
    page.reload()
    expect(page.locator(".message.assistant .content")).to_have_text("It is four")
    expect(page.locator(".thoughts summary")).to_have_text("Thought for 2 s")
    expect(page.locator(".note")).to_have_text(["", "interrupted"])
    expect(page.locator("#question")).to_have_value("not sent yet")
    picture(page, "interrupted", tmp_path)
    page.get_by_role("button", name="Continue").click()
    answer(page, 0, ".")
    assert stored_texts(page) == [["one", "It is four."]]


def expect_stored(page: Page, wanted: list[str]) -> None:
    """Wait until the only conversation has these texts."""
    page.wait_for_function(
        """async wanted => {
          const request = indexedDB.open("pyhexagon");
          await new Promise(resolve => { request.onsuccess = resolve; });
          const all = request.result.transaction("conversations").objectStore("conversations").getAll();
          await new Promise(resolve => { all.onsuccess = resolve; });
          request.result.close();
          return JSON.stringify(all.result.map(record => record.messages.map(message => message.content))) === wanted;
        }""",
        arg=json.dumps([wanted], separators=(",", ":")),
    )


def test_what_has_come_is_stored_when_a_phone_goes_to_sleep(page: Page) -> None:
    ask(page, "one")
    send(page, 0, [delta(1, content="It "), delta(1, content="is "), delta(1, content="four")])
    expect_stored(page, ["one", "It "])  # the clock stands still: the next copy would come after a second
    page.evaluate("Object.defineProperty(document, 'hidden', { value: true })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect_stored(page, ["one", "It is four"])


def test_a_question_without_an_answer_is_asked_again(page: Page) -> None:
    ask(page, "one")
    until(page, "requests.length == 1")
    expect_stored(page, ["one"])
    page.reload()
    expect(page.locator(".message")).to_have_count(1)
    tool(page, 0, "Answer").click()
    answer(page, 0, "yes")
    assert stored_texts(page) == [["one", "yes"]]
    ask(page, "two")
    until(page, "requests.length == 2")
    page.click("#send")  # stopped before anything has come
    tool(page, 2, "Answer").wait_for()
    ask(page, "three")
    until(page, "requests.length == 3")
    roles = page.evaluate("requests[2].body.messages.map(({ role, content }) => [role, content])")
    assert roles == [["user", "one"], ["assistant", "yes"], ["user", "two\n\nthree"]]


@pytest.mark.parametrize("end", ["end", "fail"])
def test_a_connection_that_ends_early_leaves_a_cut_answer(page: Page, end: str) -> None:
    ask(page, "one")
    send(page, 0, [delta(1, content="It is")], end=end)
    assert answered(page).endswith({"end": "the connection ended early", "fail": "network error"}[end])
    expect(page.get_by_role("button", name="Continue")).to_have_count(1)


def test_a_full_storage_is_told_and_what_did_not_fit_is_saved_later(
    open_page: OpenPage, here: Serving, tmp_path: Path
) -> None:
    page = open_page("about:blank")
    session = page.context.new_cdp_session(page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": here.url, "quotaSize": 1})
    page.goto(here.url)
    script_answers(page)
    ask(page, "one")
    answer(page, 0, "x" * 100000)
    notice = page.locator(".notice[data-kind=storage]")
    expect(notice).to_contain_text("the browser's storage is full")
    page.click("#new")
    ask(page, "two")
    answer(page, 1, "yes")
    picture(page, "full", tmp_path)
    with page.expect_download() as download:
        notice.get_by_role("button", name="Export all").click()
    exported = json.loads(download.value.path().read_text())
    assert sorted(record["title"] for record in exported["conversations"]) == ["one", "two"]
    session.send("Storage.overrideQuotaForOrigin", {"origin": here.url})
    ask(page, "three")
    answer(page, 2, "yes")
    expect(notice).to_have_count(0)
    assert sorted(stored_texts(page)) == [["one", "x" * 100000], ["two", "yes", "three", "yes"]]


def test_a_browser_that_stores_nothing_says_so_and_goes_on(open_page: OpenPage, here: Serving) -> None:
    page = open_page("about:blank")
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: undefined })")
    page.goto(here.url)
    script_answers(page)
    ask(page, "one")
    answer(page, 0, "yes")
    expect(page.locator(".notice")).to_contain_text("does not let the page store anything")
    page.click("#new")
    page.locator("#history .open").click()
    assert texts(page) == ["one", "yes"]


def test_conversations_of_earlier_versions_are_taken_over_once(page: Page, open_page: OpenPage, here: Serving) -> None:
    old = [
        {"title": title, "tokens": 9, "messages": [
            {"role": "user", "content": title},
            {"role": "assistant", "content": "yes", "told": "5 tokens/s", "isCut": True, "reasoning": "Hm."},
        ]}
        for title in ("newest", "older", "older still")
    ]  # fmt: skip
    page.evaluate("text => localStorage.setItem('pyhexagon.talks', text)", json.dumps(old))
    page.reload()
    titles = page.locator("#history .title")
    expect(titles).to_have_text(["newest", "older", "older still"])
    assert page.evaluate("localStorage.getItem('pyhexagon.talks')") is None
    page.evaluate("text => localStorage.setItem('pyhexagon.talks', text)", json.dumps(old))  # a tab with the old page
    page.reload()
    titles.nth(0).click()
    expect(page.locator(".message.assistant .note")).to_have_text("5 tokens/s")
    expect(page.locator(".thoughts div")).to_have_text("Hm.")
    tool(page, 1, "Continue").wait_for()
    assert len(stored(page)) == 3


def test_everything_is_exported_and_imported(page: Page, open_page: OpenPage, here: Serving) -> None:
    ask(page, "one")
    answer(page, 0, "yes")
    tool(page, 1, "Regenerate").click()
    answer(page, 1, "no")
    page.click("#new")
    ask(page, "two")
    answer(page, 2, "maybe")
    with page.expect_download() as download:
        page.click("#export-all")
    assert re.fullmatch(r"conversations-\d{4}-\d\d-\d\d\.json", download.value.suggested_filename)
    file = download.value.path()
    page.set_input_files("#file", file)  # nothing twice
    expect(page.locator(".notice")).to_contain_text("0 imported, 2 were there already")
    other = open_page(here.url)  # another profile
    other.set_input_files("#file", file)
    expect(other.locator("#history .title")).to_have_text(["two", "one"])
    other.locator("#history .open").nth(1).click()
    expect(other.locator(".versions")).to_have_text("2/2")
    assert texts(other) == ["one", "no"]
    other.reload()
    assert sorted(stored_texts(other)) == [["one", "yes", "no"], ["two", "maybe"]]


@pytest.mark.parametrize("content", [
    "", "[]", "null", "<html>", '{"format": "other", "conversations": []}', '{"format": "pyhexagon conversations"}',
])  # fmt: skip
def test_a_file_that_is_no_export_is_refused(page: Page, tmp_path: Path, content: str) -> None:
    (tmp_path / "some.json").write_text(content)
    page.set_input_files("#file", tmp_path / "some.json")
    expect(page.locator(".notice")).to_have_text("some.json is no export of conversations.")


def test_an_export_that_somebody_has_changed_does_no_harm(page: Page, tmp_path: Path) -> None:
    text = "<img src=x onerror=alert(1)>"
    bad = [
        None, 5, {"messages": "none"}, {"title": text, "messages": [
            {"id": "a", "parent": "b", "role": "system", "content": text, "note": text, "thinking": "x"},
            {"id": "b", "parent": "a", "role": "assistant", "content": ["a"], "reasoning": text},
            None, {"id": 7, "parent": "nobody", "role": "assistant", "content": text},
        ], "chosen": {"": "b", "__proto__": "a"}, "changed": "today"},
    ]  # fmt: skip
    content = {"format": "pyhexagon conversations", "version": 1, "conversations": bad}
    (tmp_path / "some.json").write_text(json.dumps(content))
    page.set_input_files("#file", tmp_path / "some.json")
    expect(page.locator(".notice")).to_have_text("1 imported.")
    page.locator("#history .open").click()
    expect(page.locator(".message .content").nth(0)).to_have_text(text)
    assert page.locator("main img").count() == 0
