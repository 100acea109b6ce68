# SPDX-License-Identifier: MIT
"""Markdown becomes HTML without anything that runs, loads or looks like the page's own controls."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from effort import counted

from pyhexagon import LLM
from pyhexagon.serve.page import formulas
from pyhexagon.serve.page.html import as_html
from serve.serving import serving

HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![a](http://example.org/a.png)",
    "[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "<a href='javascript:alert(1)'>a</a>", "[a](http://a 'x\" onmouseover=\"alert(1)')",
    "```<img/onerror=alert(1)>\ncode\n```", "```python\n<script>alert(1)</script>\n```",
    "<iframe src=//example.org></iframe>", "<style>body{display:none}</style>", "[a]: javascript:alert(1)\n\n[a]",
    r"\(\text{<img src=x onerror=alert(1)>}\)", r"$\href{javascript:alert(1)}{x}$", "$$<script>alert(1)</script>$$",
    r"\[\text{</mtext></math><style>}\]", r"$\style{background:url(//example.org)}{x}$",
    "<form action=//example.org><input name=key>", "|<b>|\n|-|\n|<svg/onload=alert(1)>|", "\x00<script>", "<<script>>",
]  # fmt: skip


MOST_LINES = 360  # of Python for each character


class Elements(HTMLParser):
    """Collects elements and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.attributes = set[str](), set[tuple[str, str]]()
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_model_runs_or_loads(text: str) -> None:
    for words in (text, f"> - {text}", f"**{text}**", text * 3):
        found = Elements(as_html(words))
        assert not found.tags & {"script", "img", "iframe", "style", "form", "input", "svg", "link", "object"}
        known = {"href", "title", "class", "rel", "target", "start"}.union(*formulas.ATTRIBUTES.values())
        assert {name for name, _ in found.attributes} <= known
        assert all(value.startswith("http://") for name, value in found.attributes if name == "href")


def test_what_models_write_is_shown() -> None:
    html = as_html(
        "# Title\n\nA *b* **c** ~~d~~ `e < f`\nnext\n\n1. one\n2. two\n   - deep\n\n> said\n\n"
        "| a | b |\n|--|--|\n| 1 | 2 |\n\n"
        "[link](https://example.org)\n\n```python\ndef f(): return '<b>'  # x\n```\n\n```unknown\nx < y\n```\n\n---\n"
    )
    found = Elements(html)
    wanted = {"h1", "em", "strong", "s", "code", "br", "ol", "ul", "blockquote", "table", "th", "td", "a", "pre", "hr"}
    assert wanted <= found.tags
    assert all(text in found.text for text in ("def f(): return '<b>'  # x", "x < y", "e < f"))
    assert ("class", "language-python") in found.attributes
    assert ("class", "k") in found.attributes
    assert {("target", "_blank"), ("rel", "noopener noreferrer")} <= found.attributes
    unfinished = as_html("```python\ndef")  # in the middle of a stream
    assert "<pre>" in unfinished


FRACTION = "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"
SMALL, LARGE = '<math display="inline">', '<math display="block">'


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        (r"so $\frac{a}{b}$ it is", SMALL), (r"so \(\frac{a}{b}\), then", SMALL), (r"- so \( \frac{a}{b} \)", SMALL),
        (r"so $$\frac{a}{b}$$ it is", LARGE), (r"so \[ \frac{a}{b} \].", LARGE), ("$$\n\\frac{a}{b}\n$$", LARGE),
        ("so\n\\[\n\\frac{a}{b}\n\\]\nit is", LARGE), ("1. so\n   \\[\n   \\frac{a}{b}\n\n   \\]\n2. c", LARGE),
        ("> \\[\n> \\frac{a}{b}\n> \\]", LARGE),
        (r"\[\begin{aligned} x &= \frac{a}{b} \\ y &= z \end{aligned}\]", LARGE),
    ],
)  # fmt: skip
def test_formulas_become_mathml(text: str, opening: str) -> None:
    html = as_html(text)
    assert opening in html
    assert FRACTION in html
    assert "\\" not in html


@pytest.mark.parametrize(
    ("text", "url", "words"),
    [
        ("see www.example.org/a.", "http://www.example.org/a", "www.example.org/a"),
        ("(WWW.Example.org)", "http://WWW.Example.org", "WWW.Example.org"),
        ("http://example.org/a_(b),", "http://example.org/a_(b)", "http://example.org/a_(b)"),
    ],
)
def test_bare_addresses_are_links(text: str, url: str, words: str) -> None:
    found = Elements(as_html(text))
    assert ("href", url) in found.attributes
    assert as_html(text).count(f">{words}</a>") == 1
    for other in ("awww.example.org", "www.", "a@www.example.org", "`www.example.org`", "x/www.a.org"):
        assert "href" not in as_html(other)


def test_lines_of_a_formula_are_no_list_and_no_heading() -> None:
    html = as_html("so\n\\[\na\n- b\n\n+ c\n= d\n\\]\n")
    assert {"math", "p"} <= Elements(html).tags
    assert not Elements(html).tags & {"ul", "h1", "h2", "br"}


@pytest.mark.parametrize(
    "text", ["$5 and $6", r"`\(x\)`", "```\n\\[x\\]\n```", r"a \(x", "\\[\nx", "$ x $", r"C:\\(x86\\)"]
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert "math" not in as_html(text)


@pytest.mark.parametrize("formula", [r"\frac{", "a^b^c", "{" * 900, "x" * 5000, r"\sqrt" * 600])
def test_a_formula_that_cannot_be_typeset_is_shown_as_code(formula: str) -> None:
    assert Elements(as_html(f"so ${formula}$ it is")).text.strip() == f"so {formula} it is"


@pytest.mark.parametrize("text", ["\\[\n" * 10000, "$a" * 16000, "\\(" * 16000, "\\[x" * 10000, "\\(x\\)" * 6500])
def test_hostile_formulas_take_few_lines_per_character(text: str) -> None:
    """A quarter of the longest text: its square would already be too much."""
    with counted(MOST_LINES << 13, 0):
        as_html(text[: 1 << 13])


def test_the_route(llm: LLM) -> None:
    with serving(llm) as here:
        http = here.http()
        assert http.post("/markdown", json={"text": "**a**"}).json() == {"html": "<p><strong>a</strong></p>\n"}
        assert http.post("/markdown", json={"text": "a" * (1 << 16)}).status_code == 400
        assert http.post("/markdown", json={}).status_code == 400
