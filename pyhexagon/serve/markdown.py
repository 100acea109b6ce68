# SPDX-License-Identifier: MIT
"""Markdown of a model as safe HTML, for the chat page."""

from __future__ import annotations

from typing import Final

import nh3
from markdown_it import MarkdownIt
from pygments import highlight  # type: ignore[import-untyped]
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

from pyhexagon.serve import formulas
from pyhexagon.serve.errors import wrong
from pyhexagon.serve.fields import Fields

_MOST: Final = 1 << 15  # characters; nested brackets of that length take a second
_MOST_HIGHLIGHTED: Final = 1 << 14  # characters of a code block
_FORMATTER: Final = HtmlFormatter(nowrap=True)
_TAGS: Final = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul", *formulas.TAGS,
}  # fmt: skip
_ATTRIBUTES: Final = {
    "a": {"href", "title"}, "code": {"class"}, "span": {"class"}, "ol": {"start"}, **formulas.ATTRIBUTES,
}  # fmt: skip


def _highlighted(code: str, language: str, _: str) -> str:
    """Return a code block as HTML with Pygments' classes; empty if the language is unknown."""
    if not language or len(code) > _MOST_HIGHLIGHTED:
        return ""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, _FORMATTER))


_PARSER: Final = MarkdownIt("commonmark", {"html": False, "breaks": True, "highlight": _highlighted}).enable(
    ["table", "strikethrough"]
)
formulas.enable(_PARSER)


def as_html(text: str) -> str:
    """Return Markdown as HTML without scripts, images, styles and forms; HTML in the text is shown as text."""
    return nh3.clean(
        _PARSER.render(text), tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer", set_tag_attribute_values={"a": {"target": "_blank"}},
    )  # fmt: skip


def rendered(fields: Fields) -> str:
    """Return the HTML for a request to ``/markdown``.

    Raises:
        ServeError: a field is invalid.
    """
    text = fields.text("text")
    if len(text) > _MOST:
        raise wrong(f"text has {len(text)} characters: expected {_MOST} at most", "text")
    return as_html(text)
