# SPDX-License-Identifier: MIT
"""Images on the chat page: chosen, pasted and dropped; sent, kept and exported; and what the page refuses."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from llm import vision_files
from llm.test_vision_chat import write
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from pyhexagon import LLM, Device
from pyhexagon.serve.http.limits import IMAGES_BODY_BYTES
from serve.browser import OpenPage, chromium, open_page, problems, until
from serve.chat_page import answer, answered, ask, picture, script_answers, settle, stored, texts, tool
from serve.serving import NAME, Serving, serving
from serve.serving import model as text_model

__all__ = ["chromium", "open_page", "problems"]  # fixtures


def file(width: int, height: int, form: str = "PNG", *, name: str = "", seed: int = 0, **more: Any) -> dict[str, Any]:
    """Return a picture as a file for Playwright."""
    stream = io.BytesIO()
    Image.fromarray(vision_files.picture(width, height, seed)).save(stream, form, **more)
    kind = f"image/{form.lower()}"
    return {"name": name or f"picture.{form.lower()}", "mimeType": kind, "buffer": stream.getvalue()}


SMALL, OTHER = file(40, 24), file(24, 40, seed=5)


def url_of(given: dict[str, Any]) -> str:
    return f"data:{given['mimeType']};base64,{base64.b64encode(given['buffer']).decode()}"


def parts(*given: dict[str, Any], text: str = "") -> list[dict[str, Any]]:
    """Return the content of a request's message."""
    images = [{"type": "image_url", "image_url": {"url": url_of(one)}} for one in given]
    return [*images, {"type": "text", "text": text}] if text else images


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    text, mmproj = write(tmp_path_factory.mktemp("model"), "internvl")
    with Device("cpu") as device, LLM(text, 512, mmproj=mmproj, n_sequences=2, device=device) as llm:
        yield llm


@pytest.fixture(scope="module")
def here(seeing: LLM) -> Iterator[Serving]:
    with serving(seeing, n_parallel=2, body_bytes=IMAGES_BODY_BYTES) as served:
        yield served


@pytest.fixture
def page(open_page: OpenPage, here: Serving) -> Page:
    """The chat page, whose answers the test scripts."""
    page = open_page(here.url)
    script_answers(page)
    return page


def attach(page: Page, *given: dict[str, Any]) -> None:
    """Choose files with the button, and wait until the message has them."""
    n = thumbnails(page).count()
    expect(page.locator("#attach")).to_be_visible()
    page.set_input_files("#images-file", list(given))
    expect(thumbnails(page)).to_have_count(n + len(given))


def thumbnails(page: Page) -> Locator:
    return page.locator("#images img")


def sent(page: Page, number: int) -> Any:
    """Return the messages of a scripted request."""
    until(page, f"requests.length > {number}")
    return page.evaluate(f"requests[{number}].body.messages")


def give(page: Page, event: str, given: dict[str, Any], text: str = "") -> None:
    """Paste a file into the page, or drop it there."""
    page.evaluate(
        """([event, name, type, data, text]) => {
          const transfer = new DataTransfer();
          const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
          transfer.items.add(new File([bytes], name, { type }));
          if (text) transfer.setData("text/plain", text);
          const field = event === "paste" ? "clipboardData" : "dataTransfer";
          const options = { bubbles: true, cancelable: true, [field]: transfer };
          const made = event === "paste" ? new ClipboardEvent(event, options) : new DragEvent(event, options);
          document.querySelector("#question").dispatchEvent(made);
        }""",
        [event, given["name"], given["mimeType"], base64.b64encode(given["buffer"]).decode(), text],
    )


def test_a_model_answers_about_an_image(open_page: OpenPage, here: Serving, seeing: LLM, tmp_path: Path) -> None:
    page = open_page(here.url, is_phone=True)
    settle(page, temperature=0, max_tokens=6)
    for given in (SMALL, OTHER):
        page.click("#new-small")
        attach(page, given)
        picture(page, "phone-image-chosen", tmp_path)
        ask(page, "an he")
        answered(page)
        wanted = seeing.chat([{"role": "user", "content": parts(given, text="an he")}], 6, 0)
        assert stored(page)[0]["messages"][1]["content"] == "".join(part.text for part in wanted)
    picture(page, "phone-image", tmp_path)
    expect(thumbnails(page)).to_have_count(0)
    shown = page.locator(".message.user .images img")
    page.reload()
    expect(shown).to_have_attribute("src", url_of(OTHER))
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_images_are_chosen_pasted_dropped_and_removed(page: Page, tmp_path: Path) -> None:
    expect(page.locator("#send")).to_be_disabled()
    attach(page, SMALL, OTHER)
    expect(page.locator("#send")).to_be_enabled()
    give(page, "paste", SMALL)
    expect(thumbnails(page)).to_have_count(3)
    give(page, "paste", SMALL, text="cells of a table")  # the text is meant
    give(page, "drop", OTHER)
    expect(thumbnails(page)).to_have_count(4)
    picture(page, "wide-images", tmp_path)
    page.get_by_role("button", name="Remove the image").nth(1).click()
    expect(thumbnails(page)).to_have_count(3)
    page.click("#send")  # without a text
    assert sent(page, 0) == [{"role": "user", "content": parts(SMALL, SMALL, OTHER)}]
    answer(page, 0, "three")
    expect(page.locator("#history .title")).to_have_text("Image")
    attach(page, SMALL)
    ask(page, "one")
    assert sent(page, 1)[2] == {"role": "user", "content": parts(SMALL, text="one")}


def test_images_stay_with_their_message(page: Page, tmp_path: Path) -> None:
    attach(page, SMALL)
    ask(page, "one")
    answer(page, 0, "first")
    tool(page, 1, "Regenerate").click()
    answer(page, 1, "second")
    assert sent(page, 1) == sent(page, 0)
    page.reload()
    tool(page, 0, "Edit").click()
    page.locator(".editing textarea").fill("")
    page.get_by_role("button", name="Send").and_(page.locator(".editing button")).click()
    answer(page, 0, "third")  # an edited question, which keeps its image
    assert sent(page, 0) == [{"role": "user", "content": parts(SMALL)}]
    tool(page, 0, "Earlier version").click()
    expect(page.locator(".message .content")).to_have_text(["one", "second"])
    expect(page.locator(".message .images img")).to_have_attribute("src", url_of(SMALL))
    tool(page, 1, "Delete").click()
    tool(page, 1, "Delete").click()  # the earlier answer
    ask(page, "two")
    answer(page, 1, "fourth")  # questions beside each other are one
    assert sent(page, 1) == [
        {"role": "user", "content": [*parts(SMALL, text="one"), {"type": "text", "text": "two"}]}
    ]

    page.locator("#history .icon").click()
    with page.expect_download() as download:
        page.click("#menu-export")
    head = f"# one\n\n## You\n\n![Image]({url_of(SMALL)})\n\none\n\n## You\n\ntwo\n"
    assert download.value.path().read_text().startswith(head)
    with page.expect_download() as download:
        page.click("#export-all")
    exported = download.value.path().read_text()
    before = stored(page)[0]["messages"]
    page.set_input_files("#file", download.value.path())
    expect(page.locator(".notice[data-kind=import]")).to_contain_text("0 imported, 1 were there already")
    page.locator("#history .icon").click()
    page.click("#menu-delete")
    expect(page.locator("#history li")).to_have_count(0)
    changed = json.loads(exported)
    changed["conversations"][0]["messages"][0]["images"] += ["https://example.org/a.png", 7, "data:text/html;base64,AA"]
    (tmp_path / "changed.json").write_text(json.dumps(changed))
    page.set_input_files("#file", tmp_path / "changed.json")
    expect(page.locator(".notice[data-kind=import]")).to_contain_text("1 imported")
    after = stored(page)[0]["messages"]
    contents = [[[message["content"], message.get("images")] for message in each] for each in (before, after)]
    assert contents[0] == contents[1]


def test_a_photo_is_sent_upright_and_small(page: Page) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    photo = file(3000, 2000, "JPEG", quality=97, exif=exif)
    transparent = io.BytesIO()
    Image.new("RGBA", (2100, 10), (255, 0, 0, 0)).save(transparent, "PNG")
    attach(page, photo, {"name": "line.png", "mimeType": "image/png", "buffer": transparent.getvalue()})
    ask(page, "one")
    urls = [part["image_url"]["url"] for part in sent(page, 0)[0]["content"][:2]]
    assert all(url.startswith("data:image/jpeg;base64,") for url in urls)
    first, second = (Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) for url in urls)
    assert first.size == (1365, 2048)
    wanted = Image.open(io.BytesIO(photo["buffer"])).rotate(-90, expand=True).resize(first.size)
    assert np.abs(np.asarray(first, float) - np.asarray(wanted, float)).mean() < 6
    assert second.size == (2048, 10)
    assert np.asarray(second).min() > 250  # white


def test_what_is_no_image_and_what_is_too_large_is_said(
    open_page: OpenPage, page: Page, seeing: LLM, tmp_path: Path, problems: list[str]
) -> None:
    notes = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"no image"}
    page.set_input_files("#images-file", [notes, SMALL])
    expect(page.locator(".notice")).to_contain_text("notes.txt is no image that this browser can read")
    expect(thumbnails(page)).to_have_count(1)
    picture(page, "wide-no-image", tmp_path)
    with serving(seeing, n_parallel=2, body_bytes=1 << 16) as small, open_page(small.url) as there:
        expect(there.locator("#state")).to_have_text("CPU")
        attach(there, file(300, 200))
        ask(there, "one")
        note = answered(there)
        assert note.endswith("MiB, and the server 0.1 MiB at most (serve --max-body)")
        there.route("**/props?*", lambda route: route.fulfill(json={"default_generation_settings": {"n_ctx": 8}}))
        there.reload()  # now only the server knows its limit
        tool(there, 1, "Try again").click()
        expect(there.locator(".note.wrong")).to_contain_text("the body is larger than 65536 bytes")
        problems[:] = [line for line in problems if "413" not in line]
        expect(there.locator(".message.user .images img")).to_have_count(1)


def test_a_model_that_takes_no_images_says_so(open_page: OpenPage, tmp_path: Path) -> None:
    refusal = f"{NAME} takes no images. The server needs the mmproj file of a model: pyhexagon serve --mmproj FILE."
    with (
        LLM(text_model(tmp_path), 256, device="loopback") as blind,
        serving(blind, n_parallel=1) as there,
        open_page(there.url) as page,
    ):
        script_answers(page)
        expect(page.locator("#name")).to_have_text(NAME)
        expect(page.locator("#attach")).to_be_hidden()
        for event in ("paste", "drop"):
            give(page, event, SMALL)
            expect(page.locator(".notice")).to_have_text(refusal)
            page.get_by_role("button", name="Close this message").click()
        expect(thumbnails(page)).to_have_count(0)
        exported = {"title": "seen", "messages": [{"role": "user", "content": "one", "images": [url_of(SMALL)]}]}
        (tmp_path / "seen.json").write_text(
            json.dumps({"format": "pyhexagon conversations", "version": 1, "conversations": [exported]})
        )
        page.set_input_files("#file", tmp_path / "seen.json")
        page.locator("#history .open").click()
        expect(page.locator(".message .images img")).to_have_count(1)
        expect(page.locator(".notice[data-kind=images]")).to_contain_text("takes no images")
        picture(page, "wide-unseen", tmp_path)
        assert texts(page) == ["one"]


@pytest.mark.parametrize(("width", "is_dark"), [(320, False), (1200, True)])
def test_large_images_fit_the_screen(
    open_page: OpenPage, here: Serving, tmp_path: Path, width: int, is_dark: bool
) -> None:
    page = open_page(here.url, is_phone=width < 1000, width=width, is_dark=is_dark)
    script_answers(page)
    attach(page, file(1600, 1200, "JPEG", quality=85), *(file(600, 900, seed=seed) for seed in range(4)))
    page.fill("#question", "Which of these")
    picture(page, f"{width}-images-chosen", tmp_path)
    ask(page, "Which of these pictures shows the street, and how many cars are there?")
    answer(page, 0, "The **first** one: it shows a street with three cars.")
    for size in ("small", "large"):
        page.evaluate("document.querySelector('#thread').scrollTop = 0")
        picture(page, f"{width}-images-{size}", tmp_path)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate("document.querySelector('#thread').scrollWidth <= innerWidth")
        page.get_by_role("button", name="Enlarge image 1").click()
