# SPDX-License-Identifier: MIT
"""What people do with messages and conversations on the chat page: versions, edits, deletions, titles, menus."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from pyhexagon import LLM
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
    send,
    settle,
    stored,
    stored_texts,
    texts,
    tool,
)  # fmt: skip
from serve.serving import Serving

__all__ = ["chromium", "here", "llm", "open_page", "page", "problems"]  # fixtures


def conversation(page: Page, *words: str) -> None:
    """Hold a conversation: questions, and an answer to each."""
    n = page.evaluate("requests.length")
    for number, (question, text) in enumerate(zip(words[::2], words[1::2], strict=True)):
        ask(page, question)
        answer(page, n + number, text)


def test_regenerate_keeps_the_earlier_answer(page: Page, tmp_path: Path) -> None:
    conversation(page, "one", "first")
    tool(page, 1, "Regenerate").click()
    answer(page, 1, "second")
    assert page.evaluate("requests[1].body.messages") == [{"role": "user", "content": "one"}]
    expect(page.locator(".versions")).to_have_text("2/2")
    expect(tool(page, 1, "Later version")).to_be_disabled()
    conversation(page, "two", "after the second")
    picture(page, "wide-versions", tmp_path)
    tool(page, 1, "Earlier version").click()
    assert texts(page) == ["one", "first"]
    expect(page.locator(".versions")).to_have_text("1/2")
    page.reload()  # the version is remembered
    expect(page.locator(".message .content")).to_have_text(["one", "first"])
    ask(page, "three")
    answer(page, 0, "after the first")
    assert [body["content"] for body in page.evaluate("requests[0].body.messages")] == ["one", "first", "three"]
    tool(page, 1, "Later version").click()
    assert texts(page) == ["one", "second", "two", "after the second"]


def test_any_answer_is_regenerated_and_only_the_last_continued(page: Page) -> None:
    ask(page, "one")
    send(page, 0, [delta(1, content="cut"), delta(1, "length")], end="end")
    answered(page)
    tool(page, 1, "Continue").wait_for()
    ask(page, "two")
    answer(page, 1, "whole")
    for name, count in (("Continue", 0), ("Regenerate", 2), ("Answer", 0)):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(count)
    tool(page, 1, "Regenerate").click()
    expect(page.locator(".message.running")).to_have_count(1)
    assert (
        page.locator(".below button:not(:disabled)").evaluate_all(
            "all => all.filter(button => button.title !== 'Copy').length"
        )
        == 0
    )  # nothing that would not work now
    answer(page, 2, "again")
    assert texts(page) == ["one", "again"]
    assert [body["content"] for body in page.evaluate("requests[2].body.messages")] == ["one"]


def test_a_cut_answer_of_the_model_is_continued(open_page: OpenPage, here: Serving, llm: LLM) -> None:
    page = open_page(here.url)
    settle(page, temperature=0, max_tokens=5)
    ask(page, "the")
    answered(page)
    (first,) = (message["content"] for message in stored(page)[0]["messages"][1:])
    page.reload()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".message.running")).to_have_count(1)
    answered(page)
    messages = [{"role": "user", "content": "the"}, {"role": "assistant", "content": first}]
    whole = first + "".join(part.text for part in llm.chat(messages, 5, 0, continue_final_message=True))
    assert stored_texts(page) == [["the", whole]]


def test_messages_are_deleted_and_come_back(page: Page) -> None:
    conversation(page, "one", "1", "two", "2", "three", "3")
    tool(page, 3, "Delete").click()
    assert texts(page) == ["one", "1", "two", "three", "3"]
    ask(page, "four")
    answer(page, 3, "4")
    assert [body["content"] for body in page.evaluate("requests[3].body.messages")] == [
        "one", "1", "two\n\nthree", "3", "four",
    ]  # fmt: skip
    page.get_by_role("button", name="Undo").click()
    assert texts(page) == ["one", "1", "two", "2", "three", "3", "four", "4"]
    tool(page, 0, "Delete").click()
    assert texts(page)[0] == "1"
    page.reload()
    expect(page.locator(".message .content")).to_have_text(["1", "two", "2", "three", "3", "four", "4"])


def test_a_deleted_version_leaves_what_follows_to_the_other_one(page: Page) -> None:
    conversation(page, "one", "first")
    tool(page, 1, "Regenerate").click()
    answer(page, 1, "second")
    conversation(page, "two", "2")
    tool(page, 1, "Delete").click()
    assert texts(page) == ["one", "first", "two", "2"]
    expect(page.locator(".versions")).to_have_count(0)


def test_messages_are_edited(page: Page, tmp_path: Path) -> None:
    conversation(page, "one", "1", "two", "2")
    tool(page, 3, "Edit").click()
    field = page.get_by_role("textbox", name="Message").nth(0)
    expect(field).to_be_focused()
    field.fill("**changed**")
    picture(page, "wide-edited", tmp_path)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".message strong")).to_have_text("changed")
    tool(page, 2, "Edit").click()
    page.locator(".editing textarea").fill("never")
    page.keyboard.press("Escape")
    assert texts(page) == ["one", "1", "two", "changed"]
    tool(page, 0, "Edit").click()
    page.locator(".editing textarea").fill("uno")
    page.get_by_role("button", name="Send").and_(page.locator(".editing button")).click()
    answer(page, 2, "eins")
    assert texts(page) == ["uno", "eins"]
    assert page.evaluate("requests[2].body.messages") == [{"role": "user", "content": "uno"}]
    tool(page, 0, "Earlier version").click()
    assert texts(page) == ["one", "1", "two", "changed"]
    assert stored_texts(page) == [["one", "1", "two", "**changed**", "uno", "eins"]]


def test_text_is_copied_where_the_browser_has_no_clipboard_for_it(page: Page) -> None:
    """As over http to a board."""
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.addEventListener('copy', () => { window.copied = getSelection().toString(); })")
    conversation(page, "one", "*four*")
    page.evaluate("""() => {
      const real = HTMLTextAreaElement.prototype.select;
      HTMLTextAreaElement.prototype.select = function () { window.selected = this.value; real.call(this); };
    }""")
    tool(page, 1, "Copy").click()
    until(page, "window.copied !== undefined")
    assert page.evaluate("selected") == "*four*"


def test_conversations_are_found_renamed_exported_and_brought_back(page: Page, tmp_path: Path) -> None:
    conversation(page, "the and", "1")
    page.click("#new")
    conversation(page, "he in", "2")
    titles = page.locator("#history .title")
    expect(titles).to_have_text(["he in", "the and"])
    page.fill("#search", "AND")
    expect(titles).to_have_text(["the and"])
    page.fill("#search", "nowhere")
    expect(page.locator("#history")).to_have_text("Nothing found")
    page.fill("#search", "")
    titles.nth(1).click()
    conversation(page, "thin", "3")  # goes on, and so to the top
    expect(titles).to_have_text(["the and", "he in"])
    picture(page, "wide-history", tmp_path)

    page.locator("#history .icon").nth(1).click()
    page.click("#menu-delete")
    expect(titles).to_have_text(["the and"])
    page.get_by_role("button", name="Undo").click()
    expect(titles).to_have_text(["the and", "he in"])
    assert texts(page) == ["the and", "1", "thin", "3"]

    for key, title in (("Escape", "the and"), ("Enter", "A: new/title?")):
        page.locator("#history .icon").nth(0).click()
        page.click("#menu-rename")
        expect(page.locator("#history input")).to_have_value("the and")
        page.keyboard.insert_text("A: new/title?")
        page.keyboard.press(key)
        expect(titles).to_have_text([title, "he in"])
    page.locator("#history .icon").nth(0).click()
    with page.expect_download() as download:
        page.click("#menu-export")
    assert download.value.suggested_filename == "A-new-title.md"
    exported = "# A: new/title?\n\n## You\n\nthe and\n\n## Assistant\n\n1\n\n## You\n\nthin\n\n## Assistant\n\n3\n"
    assert download.value.path().read_text() == exported
    page.reload()
    expect(titles).to_have_text(["A: new/title?", "he in"])


def test_a_conversation_has_an_address(page: Page) -> None:
    conversation(page, "one", "1")
    first = page.url
    page.click("#new")
    conversation(page, "two", "2")
    assert len({first, page.url}) == 2
    page.go_back()
    page.go_back()
    expect(page.locator(".message .content")).to_have_text(["one", "1"])
    page.go_forward()
    page.go_forward()
    expect(page.locator(".message .content")).to_have_text(["two", "2"])
    page.goto(f"{first}x")
    page.reload()
    expect(page.locator(".message")).to_have_count(0)


def test_titles_are_whole_in_their_tooltips(page: Page) -> None:
    words = "How do I sort ten million numbers on a phone without running out of memory?"
    conversation(page, words, "1")
    assert (page.locator("#history .open").get_attribute("title") or "").startswith(f"{words}\n")
    assert page.locator("#history time").inner_text()
    page.clock.set_fixed_time("2031-05-07T12:00:00")
    page.reload()
    expect(page.locator("#history time")).to_have_text(re.compile(r"^[A-Z][a-z]{2} \d{1,2}, 20\d\d$"))
