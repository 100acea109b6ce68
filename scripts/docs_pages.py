# SPDX-License-Identifier: MIT
"""Generated pages of the site (an MkDocs hook): home, API, ops, command line, contributing."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from types import FunctionType
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import pyhexagon
from pyhexagon import cli
from pyhexagon._ffi import build

ROOT: Final = Path(__file__).resolve().parents[1]
BLOB: Final = "https://github.com/pyhexagon/pyhexagon/blob/main/"
RAW: Final = "https://raw.githubusercontent.com/pyhexagon/pyhexagon/main/docs/"
PAGES: Final = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    pages = {"api.md": api(), "ops.md": build.generate_table(), "cli.md": command_line()}
    pages |= {page: (ROOT / name).read_text(encoding="utf-8") for name, page in PAGES.items()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=for_the_site(text)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Let links from docs/ to other files of the repository lead to GitHub."""
    return for_the_site(markdown)


def for_the_site(text: str) -> str:
    """Return Markdown whose links to pages of the site are relative, and those to other files absolute.

    A path behind a fence's language becomes the block's title.
    """
    text = re.sub(r"^```(\w+) ([^\s'\"]+/[^\s'\"]+)$", r'```\1 title="\2"', text, flags=re.MULTILINE)
    text = text.replace(f"]({RAW}", "](").replace(f"]({BLOB}docs/", "](").replace("](docs/", "](")
    for name, page in PAGES.items():
        text = re.sub(rf"\]\((?:{re.escape(BLOB)}|\.\./)?{re.escape(name)}", f"]({page}", text)
    return text.replace("](../", f"]({BLOB}")


def api() -> str:
    """Return the page of everything that ``pyhexagon`` exports; mkdocstrings fills in the docstrings."""
    ops = {name: value for name, value in vars(pyhexagon.Builder).items() if isinstance(value, FunctionType)}
    ops = {name: value for name, value in ops.items() if not value.__qualname__.startswith("Builder.")}
    lines = ["# Python API", ""]
    for name in pyhexagon.__all__:
        lines += [_documented(getattr(pyhexagon, name))]
        if name == "Builder":
            lines += ["    options:", f"      filters: ['!^_', '!^({'|'.join(ops)})$']"]
        lines += [""]
    lines += ["## Ops", "", "Methods of `Builder`, which is `p` in `p.add(x, y)`. [Ops](ops.md) has all formulas.", ""]
    for value in ops.values():
        lines += [_documented(value), "    options:", "      heading_level: 3", ""]
    return "\n".join(lines)


def _documented(target: type | FunctionType) -> str:
    return f"::: {target.__module__}.{target.__qualname__}"


def command_line() -> str:
    """Return the page of all commands, with their ``--help``."""
    lines = ["# Command line", ""]
    for name, parser in _commands(cli._parser()):
        lines += [f"## {name}", "", "```", parser.format_help().rstrip(), "```", ""]
    return "\n".join(lines)


def _commands(parser: argparse.ArgumentParser) -> list[tuple[str, argparse.ArgumentParser]]:
    found = [(parser.prog, parser)]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                if isinstance(command, cli._CommandParser):
                    command.load()
                found += _commands(command)
    return found
