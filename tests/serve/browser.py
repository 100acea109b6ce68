# SPDX-License-Identifier: MIT
"""Debian's Chromium, which tests control with Playwright.

One browser lasts for a module of tests, and not for a session: until it ends, Playwright's synchronous API marks its
event loop as the running one of the main thread, so ``asyncio.run`` would fail in each later test of the process.

A browser that died, which happens to busy machines, costs no result. Each test begins with a live one, and a test that
fails with its browser or with Playwright's driver dead is repeated once (serve/repeated.py). A page that crashes, in a
browser that lives, is a problem of the page, and fails its test.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from typing import Final, Protocol

import needs
import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright
from waiting import LONG

from serve.repeated import LOST

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
MILLISECONDS: Final = 1000 * LONG
expect.set_options(timeout=MILLISECONDS)


class Chromium:
    """A headless Chromium, started when it is asked for, and again after it or Playwright's driver has died."""

    def __init__(self) -> None:
        self._running = ExitStack()
        self._browser: Browser | None = None

    def is_alive(self) -> bool:
        """Return whether the browser does what it is told; ``is_connected`` stays true after the driver has died."""
        try:
            if self._browser:
                self._browser.new_context().close()
        except Error:
            return False
        return self._browser is not None

    def browser(self) -> Browser:
        """Return the live browser."""
        if self._browser is None or not self.is_alive():
            self.close()
            chromium = self._running.enter_context(sync_playwright()).chromium
            # Playwright's own options keep it from the network, and from the sandbox, which root may not use.
            self._browser = chromium.launch(executable_path=CHROMIUM, args=["--disable-gpu"], timeout=MILLISECONDS)
            self._running.enter_context(self._browser)
        return self._browser

    def close(self) -> None:
        """End the browser and Playwright's driver."""
        with suppress(Error):  # it has died
            self._running.close()


class OpenPage(Protocol):
    """Opens a page with an empty profile."""

    def __call__(self, url: str, *, is_phone: bool = False, is_dark: bool = False, width: int = 0) -> Page: ...

    def tab(self, page: Page, url: str) -> Page:
        """Open another tab of the browser that has a page, with the same profile."""
        ...


class _Pages:
    """Opens pages, and appends what goes wrong in them to a list."""

    def __init__(self, browser: Browser, contexts: ExitStack, problems: list[str]) -> None:
        self._browser, self._contexts, self._problems = browser, contexts, problems

    def __call__(self, url: str, *, is_phone: bool = False, is_dark: bool = False, width: int = 0) -> Page:
        context = self._browser.new_context(
            viewport={"width": width or (390 if is_phone else 1200), "height": 844 if is_phone else 800},
            device_scale_factor=2,
            is_mobile=is_phone,
            has_touch=is_phone,
            color_scheme="dark" if is_dark else "light",
        )
        self._contexts.enter_context(context).set_default_timeout(MILLISECONDS)
        return self._opened(context, url)

    def tab(self, page: Page, url: str) -> Page:
        return self._opened(page.context, url)

    def _opened(self, context: BrowserContext, url: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: self._problems.append(error.stack or error.message))
        page.on("console", lambda line: self._problems.append(line.text) if line.type == "error" else None)
        page.on("crash", lambda _: self._problems.append("the page crashed"))
        page.goto(url)
        return page


def until(page: Page, script: str) -> None:
    """Wait until a JavaScript expression in the page is true."""
    # A function, for the policy of the page lets no poll but the first evaluate a string.
    page.wait_for_function(f"() => {script}", timeout=MILLISECONDS)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """Return the browser of a module's tests."""
    needs.require("chromium")
    with closing(Chromium()) as one:
        yield one


@pytest.fixture
def problems() -> list[str]:
    """Return the list of what went wrong in the scripts of a test's pages, or was refused to them."""
    return []


@pytest.fixture
def open_page(request: pytest.FixtureRequest, chromium: Chromium, problems: list[str]) -> Iterator[OpenPage]:
    """Return a function that opens pages; at the end, no problem may be left that the test did not expect."""
    try:
        browser = chromium.browser()
        with ExitStack() as contexts:
            yield _Pages(browser, contexts, problems)
    finally:
        if not chromium.is_alive():
            request.node.stash[LOST] = "Chromium or Playwright's driver died"
    assert problems == [], problems
