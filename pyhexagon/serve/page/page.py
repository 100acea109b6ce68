# SPDX-License-Identifier: MIT
"""The chat page and its headers.

``page.html`` names its styles and its script, an ES module that imports others. They are put into the page, so that one
response has all of it and its policy allows these texts by their hashes, and no other.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Final

from starlette.responses import Response

from pyhexagon.serve.http.json_responses import HEADERS

_FOLDER: Final = files("pyhexagon.serve.page")
_STYLE: Final = re.compile(r'<link rel="stylesheet" href="(.+?)">')
_SCRIPT: Final = re.compile(r'<script type="module" src="scripts/(\w+)\.js"></script>')
_IMPORT: Final = re.compile(r'^import (\{[^}]+\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?(?:function|class|const) ([\w$]+))", re.MULTILINE)


def _content() -> tuple[bytes, dict[str, str]]:
    """Return the page and its headers. They allow its own script and styles, and requests to this server."""
    styles: list[str] = []
    scripts: list[str] = []

    def kept(found: list[str], text: str) -> str:
        found.append(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'")
        return text

    page = _FOLDER.joinpath("page.html").read_text("utf-8")
    page = _STYLE.sub(lambda tag: f"<style>{kept(styles, _FOLDER.joinpath(tag[1]).read_text('utf-8'))}</style>", page)
    page = _SCRIPT.sub(lambda tag: f'<script type="module">{kept(scripts, joined(tag[1]))}</script>', page)
    policy = f"default-src 'none'; script-src {' '.join(scripts)}; style-src {' '.join(styles)}; connect-src 'self'; "
    policy += "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    return page.encode(), {"content-security-policy": policy, "referrer-policy": "no-referrer"}


def joined(name: str) -> str:
    """Return one script with a module and those that it imports, each a function that returns what it exports."""
    done: dict[str, str] = {}

    def add(name: str) -> None:
        text = _FOLDER.joinpath("scripts").joinpath(f"{name}.js").read_text("utf-8")
        for _, imported in _IMPORT.findall(text):
            if imported not in done:
                add(imported)
        exports = ", ".join(exported for _, exported in _EXPORT.findall(text))
        text = _EXPORT.sub(r"\1", _IMPORT.sub(r"const \1 = \2_js;", text))
        done[name] = f"const {name}_js = (() => {{\n{text}\nreturn {{ {exports} }};\n}})();\n"

    add(name)
    return "".join(done.values())


_PAGE, _PAGE_HEADERS = _content()


def page() -> Response:
    """Return the response with the chat page."""
    return Response(_PAGE, headers={**HEADERS, **_PAGE_HEADERS}, media_type="text/html; charset=utf-8")
