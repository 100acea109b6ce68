# SPDX-License-Identifier: MIT
"""The program that makes safe HTML of Markdown, in a worker process (``pyhexagon.workers``).

Lexers of Pygments take minutes for some texts of 16 KiB, and whether they do cannot be told from the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from pyhexagon.serve.page import formulas, inline

_MOST_HIGHLIGHTED: Final = 1 << 14  # characters of a code block
_FORMATTER: Final = HtmlFormatter(nowrap=True)
_TAGS: Final = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", *formulas.TAGS, *inline.TAGS,
}  # fmt: skip
_ATTRIBUTES: Final = {
    "a": {"href", "title"}, "code": {"class"}, "li": {"class"}, "ol": {"start"}, "span": {"class"}, "td": {"class"},
    "th": {"class"}, **formulas.ATTRIBUTES,
}  # fmt: skip


def prepare(*, is_highlighted: bool) -> Callable[[str], str]:
    """Return ``as_html``, with highlighted code or without."""
    return lambda text: as_html(text, is_highlighted=is_highlighted)


def as_html(text: str, *, is_highlighted: bool = True) -> str:
    """Return Markdown as HTML without scripts, images, styles and forms.

    Of HTML in the text, ``<br>`` and pairs of ``inline.TAGS`` format it; all other is shown as text.
    """
    return nh3.clean(
        _parser(is_highlighted).render(text), tags=_TAGS, attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"}, link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )  # fmt: skip


def _parser(is_highlighted: bool) -> MarkdownIt:
    options: dict[str, Any] = {"html": False, "breaks": True}
    if is_highlighted:
        options["highlight"] = _highlighted
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    formulas.enable(parser)
    inline.enable(parser)
    return parser


def _highlighted(code: str, language: str, _: str) -> str:
    """Return a code block as HTML with Pygments' classes; empty if the language is unknown."""
    if not language or len(code) > _MOST_HIGHLIGHTED:
        return ""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, _FORMATTER))
