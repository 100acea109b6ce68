# SPDX-License-Identifier: MIT
"""The microphone button of the chat page, in a real browser with Chromium's fake microphone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import needs
import pytest
from playwright.sync_api import Page, expect, sync_playwright
from speech.scripted import ScriptedModel

from pyhexagon import LLM
from serve.browser import CHROMIUM, MILLISECONDS
from serve.serving import model as text_model
from serve.serving import serving
from serve.test_transcriptions import speaking

FAKE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--disable-gpu")



@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    with LLM(text_model(tmp_path_factory.mktemp("model")), 256, n_sequences=2, device="loopback") as llm:
        yield llm


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """A page of a browser whose microphone beeps once a second."""
    needs.require("chromium")
    with sync_playwright() as playwright, ExitStack() as stack:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FAKE, timeout=MILLISECONDS)
        stack.callback(browser.close)
        page = browser.new_context(permissions=["microphone"]).new_page()
        page.set_default_timeout(MILLISECONDS)
        yield page


def test_what_is_said_goes_into_the_field(page: Page, llm: LLM, tmp_path: Path) -> None:
    model, problems = ScriptedModel(), list[str]()
    page.on("pageerror", lambda error: problems.append(error.message))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    with speaking(model, llm) as here:
        page.goto(here.url)
        expect(page.locator("#name")).to_have_text("tiny")  # the model that transcribes does not answer
        button = page.locator("#microphone")
        expect(button).to_have_attribute("title", "Speak")
        page.fill("#question", "He said:")
        button.click()
        expect(button).to_have_attribute("title", "Stop recording")
        page.screenshot(path=tmp_path / "recording.png")
        page.wait_for_timeout(1500)  # of a recording; its length decides nothing
        button.click()
        expect(button).to_have_attribute("title", "Speak")
        page.wait_for_function("() => document.getElementById('question').value.startsWith('He said: ')")
        words = page.input_value("#question").removeprefix("He said: ").split()
        assert words
        assert all(word.lstrip("-").isdecimal() for word in words)  # levels of the beeps
        expect(page.locator("#send")).to_be_enabled()
        (call,) = model.calls
        assert call["task"] == "transcribe"
        model.before = lambda _: 1 / 0  # type: ignore[assignment]
        button.click()
        expect(button).to_have_attribute("title", "Stop recording")
        page.wait_for_timeout(200)
        button.click()
        expect(page.locator("#notices")).to_contain_text("The recording was not transcribed: ")
    assert [problem for problem in problems if "500" not in problem] == []


def test_the_button_is_hidden_without_a_speech_model_or_a_microphone(page: Page, llm: LLM) -> None:
    with serving(llm) as here:
        page.goto(here.url)
        expect(page.locator("#name")).to_have_text("tiny")
        expect(page.locator("#microphone")).to_be_hidden()
    with speaking(ScriptedModel(), llm) as here:
        page.add_init_script("navigator.mediaDevices.enumerateDevices = async () => []")
        page.goto(here.url)
        expect(page.locator("#name")).to_have_text("tiny")
        expect(page.locator("#microphone")).to_be_hidden()
