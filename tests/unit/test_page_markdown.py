# SPDX-License-Identifier: MIT
"""What models write beyond CommonMark, as the chat page shows it: prices, links, tags, images, tasks, tables, names."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from effort import counted

from pyhexagon.serve.page.html import as_html


class Shown(HTMLParser):
    """The text of HTML, and the elements with their attributes in order."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.text = ""
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(as_html(markdown))
        self.text = self.text.strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def links(self) -> list[str | None]:
        return [attributes.get("href") for tag, attributes in self.elements if tag == "a"]

    def count(self, tag: str) -> int:
        return sum(found == tag for found, _ in self.elements)


@pytest.mark.parametrize("text", [
    "It costs $10 depending on `$HOME`.", "$5, or 5$ in all", "from $10 to $20", "$HOME and $PATH",
    "$HOME/$USER is set",
    "US$ or AU$ alike", "cheap ($) to dear ($$$)", "the $a`$`b", "`$a` or `$b`", "$10 (or 10$)", r"\$5 and x$",
    "a $ b $ c",
    "$HOME$PATH is two", "pay $3 for two and 4$ for three",
])  # fmt: skip
def test_prices_and_variables_are_no_formulas(text: str) -> None:
    shown = Shown(text)
    assert shown.count("math") == 0
    assert shown.text == text.replace("`", "").replace(r"\$", "$")


@pytest.mark.parametrize(("text", "wanted"), [
    ("$x$", 1), ("the $n$th of $k$", 2), ("($x$), $y$-axis", 2), ("`$x` is $x$", 1), ("$x$ costs $5", 1),
    ("$2^7$ bytes", 1),
    ("so $$x$$ or $$ y $$", 2), (r"$5\text{ apples}$", 1), ("|a|\n|-|\n|$O(n)$|", 1), (r"$\$5$", 1), ("**$x$**", 1),
])  # fmt: skip
def test_formulas_beside_prose_are_formulas(text: str, wanted: int) -> None:
    assert Shown(text).count("math") == wanted


@pytest.mark.parametrize(("text", "url"), [
    ("see https://example.org.", "https://example.org"), ("(http://a.org/b_(c)?d=1&e=2#f)",
    "http://a.org/b_(c)?d=1&e=2#f"),
    ("https://a.org/x_y_z, and", "https://a.org/x_y_z"), ("**https://a.org**", "https://a.org"),
    ("- https://a.org/", "https://a.org/"),
    ("|a|\n|-|\n|https://a.org|", "https://a.org"), ("HTTPS://a.org/B", "HTTPS://a.org/B"), ("'https://a.org/'",
    "https://a.org/"),
    ("<https://a.org>", "https://a.org"), ("[text](https://a.org)", "https://a.org"),
    ("[https://a.org](https://a.org)", "https://a.org"),
    ("https://a.org:8080/b", "https://a.org:8080/b"), ("https://[::1]/", None), ("https://", None),
    ("xhttps://a.org", None),
    ("`https://a.org`", None), ("```\nhttps://a.org\n```", None), ("javascript:alert(1)", None), ("data://a", None),
    ("https://a.org/\"onmouseover=alert(1)", "https://a.org/"), ("https://a.org/<script>", "https://a.org/"),
])  # fmt: skip
def test_bare_addresses_are_links(text: str, url: str | None) -> None:
    shown = Shown(text)
    if text != "https://[::1]/":  # it may be either
        assert shown.links() == ([url] if url else [])
    assert all(attributes["rel"] == "noopener noreferrer" for tag, attributes in shown.elements if tag == "a")
    assert not {tag for tag, _ in shown.elements} & {"script", "img"}


def test_tags_that_models_write() -> None:
    assert "<td>1<br>\n2</td>" in as_html("|a|\n|-|\n|1<br>2|")
    assert as_html("a<BR/>b<br />c").count("<br>") == 2
    assert as_html("H<sub>2</sub>O, x<sup>*n*</sup>, <kbd>Ctrl</kbd>") == (
        "<p>H<sub>2</sub>O, x<sup><em>n</em></sup>, <kbd>Ctrl</kbd></p>\n"
    )


@pytest.mark.parametrize("text", [
    "a <sub>b", "a</sup>", "<sub><b>x</sub>", "use the <b> tag", "<sub class=x>a</sub>", "<script>x</script>",
    "<br onload=x>",
    "<img src=x>", "`<sub>x</sub>`", "```\n<br>\n```", "<details><summary>x</summary></details>",
])  # fmt: skip
def test_all_other_html_is_text(text: str) -> None:
    shown = Shown(text)
    assert shown.text == text.strip("`\n")
    assert {tag for tag, _ in shown.elements} <= {"p", "pre", "code"}


@pytest.mark.parametrize(("text", "words", "links"), [
    ("![a *cat*](http://a.org/c.png)", "a cat", ["http://a.org/c.png"]), ("![](http://a.org/c.png)",
    "image", ["http://a.org/c.png"]),
    ("[![badge](http://i.org/b.svg)](http://a.org)", "badge", ["http://a.org"]),
    ("![x](data:image/png;base64,AA)", "x", [None]),
    ("![a](javascript:b)", "![a](javascript:b)", []),
])  # fmt: skip
def test_images_are_links_with_their_text_and_load_nothing(text: str, words: str, links: list[str | None]) -> None:
    shown = Shown(text)
    assert shown.text == words
    assert [attributes.get("href") for tag, attributes in shown.elements if tag == "a"] == links
    assert shown.count("img") == 0


def test_task_lists_have_boxes() -> None:
    shown = Shown("- [x] done\n- [ ] **open**\n- [X]also\n- none\n\n1. [ ] one\n\n[ ] no item")
    assert [attributes.get("class") for tag, attributes in shown.elements if tag == "li"] == [
        "task", "task", None, None, "task",
    ]  # fmt: skip
    assert shown.text.split("\n")[:3] == ["☑ done", "☐ open", "[X]also"]
    assert shown.text.endswith("[ ] no item")


def test_columns_keep_their_alignment() -> None:
    shown = Shown("|a|b|c|d|\n|--|:-|:-:|-:|\n|1|2|3|4|")
    for cell in ("th", "td"):
        found = [attributes.get("class") for tag, attributes in shown.elements if tag == cell]
        assert found == [None, "left", "center", "right"]


THIN = '<mspace width="0.1667em"></mspace>'


@pytest.mark.parametrize(("formula", "wanted"), [
    (r"n\log n", f"<mi>n</mi>{THIN}<mi>log</mi>{THIN}<mi>n</mi>"),
    (r"\sin(x)", '<mi>sin</mi><mo stretchy="false">(</mo>'),
    (r"\log_2 n", f"<msub><mi>log</mi><mn>2</mn></msub>{THIN}<mi>n</mi>"),
    (r"a + \ln b", f"<mo>+</mo><mi>ln</mi>{THIN}<mi>b</mi>"),
    (r"2\sin^2 x", f"<mn>2</mn>{THIN}<msup><mi>sin</mi><mn>2</mn></msup>{THIN}<mi>x</mi>"),
    (r"\log\log n", f"<mi>log</mi>{THIN}<mi>log</mi>{THIN}<mi>n</mi>"),
    (r"\frac{\log n}{n}", f"<mfrac><mrow><mi>log</mi>{THIN}<mi>n</mi></mrow>"),
    (r"x^{\log n}", f"<mrow><mi>log</mi>{THIN}<mi>n</mi></mrow></msup>"),
    (r"a\implies b", "<mi>a</mi><mo>⟹</mo><mi>b</mi>"), (r"a\iff b", "<mi>a</mi><mo>⟺</mo><mi>b</mi>"),
    (r"a\to b", "<mi>a</mi><mo>→</mo><mi>b</mi>"),
])  # fmt: skip
def test_names_of_functions_and_arrows_have_space(formula: str, wanted: str) -> None:
    assert wanted in re.sub(r"\s*\n\s*", "", as_html(f"${formula}$"))


@pytest.mark.parametrize("text", [
    "$" * 30000, "$`a" * 10000, "$`" * 15000, "<sub>" * 6000, "<sub>a</sub>" * 2600, "https://a." * 3000,
    "- [x] " * 5000,
    "$a\\" * 10000, "https://a.org" + ")" * 30000, "".join("$" + "`" * n for n in range(240)),
])  # fmt: skip
def test_hostile_texts_take_few_lines_per_character(text: str) -> None:
    with counted(360 << 13, 0):
        as_html(text[: 1 << 13])
