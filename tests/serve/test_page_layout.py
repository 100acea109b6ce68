# SPDX-License-Identifier: MIT
"""How the chat page lies on screens of every width, and what its policy allows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from pyhexagon.serve.app import Server
from pyhexagon.serve.http import guard
from pyhexagon.serve.http.keys import Keys
from pyhexagon.serve.http.limits import Limits
from pyhexagon.serve.models.pool import ModelPool
from pyhexagon.serve.models.pooled_model import PooledModel
from serve.browser import OpenPage, chromium, open_page, problems
from serve.chat_page import answer, ask, here, llm, picture, script_answers, tool
from serve.serving import Serving, serving_of

__all__ = ["chromium", "here", "llm", "open_page", "problems"]  # fixtures

TEXT = """Sorting ten million numbers, of which each is a supercalifragilisticexpialidocious-one-with-no-end-at-all:

| Algorithm | Average time | Worst time | Stable | Notes |
|:--|:-:|--:|---|---|
| Quicksort | $O(n\\log n)$ | $O(n^2)$ | no | partitions around a pivot element |
| Mergesort | $O(n\\log n)$ | $O(n\\log n)$ | yes | needs memory<br>for n elements |

```python
numbers = sorted(number for number in numbers if number is not None and number > 0 and number < 10000000)
```

- [x] see https://example.org/a/rather/long/address/that/has/no/place/to/break
- [ ] $$\\sum_{i=1}^n i = \\frac{n(n+1)}{2} + a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11}$$
"""
# What is cut: elements that reach over the edge of the screen, and are in nothing that scrolls.
CUT = """() => [...document.querySelectorAll("header *, main *")].filter(element => {
  const { left, right, width } = element.getBoundingClientRect();
  return width && !element.closest("table, pre, math, .hidden, option") && (left < -0.5 || right > innerWidth + 0.5);
}).map(element => element.outerHTML.slice(0, 80))"""
LONG_NAME = "unsloth-Qwen3-Coder-30B-A3B-Instruct-UD-Q4_K_XL"


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("width", [320, 360, 390, 1200])
def test_nothing_is_cut_and_nothing_scrolls_sideways(
    open_page: OpenPage, here: Serving, tmp_path: Path, width: int, is_dark: bool
) -> None:
    loaded = here.loaded
    models = [PooledModel(name, loaded.model.path, loaded=loaded) for name in (LONG_NAME, "two")]
    routes = Server(ModelPool(models, "loopback"), loaded.metrics, limits=Limits(), keys=Keys(()), hosts=guard.LOCAL)
    name = f"{width}{'-dark' if is_dark else ''}"
    with (
        serving_of(routes) as there,
        open_page(there.url, is_phone=width < 1000, is_dark=is_dark, width=width) as page,
    ):
        script_answers(page)
        expect(page.locator("#models")).to_have_value(LONG_NAME)
        picture(page, f"{name}-empty", tmp_path)
        ask(page, "How do I sort ten million numbers? " + "x" * 200)
        answer(page, 0, TEXT)
        expect(page.locator(".rendered table")).to_have_count(1)
        picture(page, f"{name}-end", tmp_path)
        page.evaluate("document.querySelector('#thread').scrollTop = 0")
        picture(page, f"{name}-top", tmp_path)
        for _ in ("with an answer", "with the conversations", "with a notice"):
            assert page.evaluate("document.documentElement.scrollWidth") == width
            assert page.evaluate("document.querySelector('#thread').scrollWidth <= innerWidth")
            assert page.evaluate(CUT) == []
            if page.locator("#toggle").is_visible():
                page.click("#toggle")
                picture(page, f"{name}-side", tmp_path)
            page.locator("#history .icon").click()
            box = page.locator("#menu").bounding_box()
            assert box is not None
            assert 0 <= box["x"] <= width - box["width"]
            picture(page, f"{name}-menu", tmp_path)
            page.keyboard.press("Escape")
            if page.locator("#toggle").is_visible():
                page.mouse.click(width - 5, 400)
            tool(page, 0, "Copy").hover()
            page.set_input_files("#file", __file__)
        words = page.evaluate("""() => {
          const range = document.createRange(), cell = document.querySelector(".rendered td").firstChild;
          range.selectNodeContents(cell);
          return [cell.data, range.getClientRects().length];
        }""")
        assert words == ["Quicksort", 1]  # in one line
        if width >= 1000:
            return
        small = "all => all.filter(each => each.offsetParent && each.offsetHeight < 36).map(each => each.outerHTML)"
        assert page.locator("header button, .below button, #send").evaluate_all(small) == []


def test_what_cannot_be_used_looks_so(open_page: OpenPage, here: Serving) -> None:
    page = open_page(here.url)
    opacity = "element => Number(getComputedStyle(element).opacity)"
    assert page.locator("#send").evaluate(opacity) < 0.5
    page.fill("#question", "the")
    assert page.locator("#send").evaluate(opacity) == 1


def test_the_page_loads_only_what_it_has(open_page: OpenPage, here: Serving) -> None:
    addresses: list[str] = []
    page = open_page("about:blank")
    page.on("request", lambda request: addresses.append(request.url.removeprefix(here.url).partition("?")[0]))
    response = page.goto(here.url)
    assert response is not None
    expect(page.locator("#state")).to_have_text("CPU (loopback)")
    assert set(addresses) <= {"/", "/v1/models", "/props", "/metrics", "data:,"}
    policy = dict(line.strip().split(" ", 1) for line in response.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert all(source.startswith("'sha256-") for name in ("script-src", "style-src") for source in policy[name].split())


def test_the_policy_refuses_other_scripts(open_page: OpenPage, here: Serving, problems: list[str]) -> None:
    page: Any = open_page(here.url)
    page.evaluate(f"""() => {{
      const script = document.createElement("script");
      script.textContent = {json.dumps("window.wrong = true")};
      document.body.append(script);
    }}""")
    assert page.evaluate("window.wrong") is None
    assert any("Content Security Policy" in line for line in problems)
    problems.clear()
