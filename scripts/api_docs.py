#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes docs/api.md from the docstrings of what ``pyhexagon`` exports: ``scripts/api_docs.py``, in a checkout.

It is committed; tests/unit/test_api_docs.py makes it again and compares.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pyhexagon

OUTPUT = Path(__file__).resolve().parents[1] / "docs/api.md"
HEAD = """# API

Made by `scripts/api_docs.py` from the docstrings; do not edit. The ops of a program are the methods of
[Builder](#builder); [ops.md](ops.md) has their formulas.
"""
SECTION = re.compile(r"(Args|Attributes|Returns|Raises|Yields):")
ITEM = re.compile(r"([\w, *]+): (.*)")
STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
WIDTH = 110


def generate() -> str:
    """The text of docs/api.md for the package as it is now."""
    exported = [getattr(pyhexagon, name) for name in pyhexagon.__all__]
    errors = [one for one in exported if issubclass(one, Exception)]
    parts = [HEAD, *(_of_class(one) for one in exported if one not in errors), "## Errors\n"]
    parts += [f"### {one.__name__}\n\nBases: {_bases(one)}.\n\n{_markdown(one)}" for one in errors]
    return "\n".join(parts).rstrip() + "\n"


def _bases(error: type) -> str:
    return ", ".join(f"`{base.__name__}`" for base in error.__bases__)


def _of_class(cls: type) -> str:
    lines = [f"## {cls.__name__}\n"]
    if "made by" not in (cls.__doc__ or "") and not issubclass(cls, Enum):
        lines.append(_signature(cls.__name__, cls))
    lines.append(_markdown(cls))
    for name, member in _members(cls):
        title = f"### {cls.__name__}.{name}\n"
        if isinstance(member, property):
            lines += [title, f"Property, {_annotation(inspect.signature(_getter(member)).return_annotation)}.\n"]
        else:
            lines += [title, _signature(name, member)]
        lines.append(_markdown(member))
    return "\n".join(lines)


def _getter(member: property) -> Callable[..., Any]:
    assert member.fget is not None
    return member.fget


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    """Methods and properties for users, as the source has them, those of the package's base classes first."""
    hidden: frozenset[str] = getattr(cls, "hidden", frozenset())
    seen: set[str] = set()
    for base in reversed(cls.__mro__):
        if not base.__module__.startswith("pyhexagon"):
            continue
        for name, member in vars(base).items():
            is_ours = inspect.isfunction(member) and member.__module__.startswith("pyhexagon")
            public = (name == "__call__" or not name.startswith("_")) and name not in hidden | seen
            if public and (is_ours or isinstance(member, property)):
                seen.add(name)
                yield name, getattr(cls, name)


def _annotation(value: Any) -> str:
    """As the source has it."""
    value = getattr(value, "__forward_arg__", value)
    return value if isinstance(value, str) else inspect.formatannotation(value)


def _default(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return value.__name__ if isinstance(value, type) else repr(value)


def _signature(name: str, function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    is_method = inspect.isfunction(function)
    texts, stars = [], False
    for parameter in list(signature.parameters.values())[is_method:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not stars:
            texts.append("*")
        stars = stars or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        text = STARS.get(parameter.kind, "") + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {_annotation(parameter.annotation)}"
        texts.append(text if parameter.default is parameter.empty else f"{text} = {_default(parameter.default)}")
    end = ")"
    if is_method and signature.return_annotation is not signature.empty:
        end += f" -> {_annotation(signature.return_annotation)}"
    line = f"{name}({', '.join(texts)}{end}"
    if len(line) > WIDTH:
        line = "\n    ".join([f"{name}(", *(f"{text}," for text in texts)]) + f"\n{end}"
    return f"```python\n{line}\n```\n"


def _markdown(documented: Any) -> str:
    """A docstring, its sections as lists."""
    text = inspect.getdoc(documented)
    if not text:
        raise ValueError(f"{documented!r} has no docstring")
    lines: list[str] = []
    in_section = False
    for line in text.replace("``", "`").splitlines():
        if SECTION.fullmatch(line):
            in_section = True
            lines += [f"**{line[:-1]}**", ""]
        elif in_section and line.startswith("    ") and not line.startswith("     "):
            item = ITEM.fullmatch(line.strip())
            if item:
                lines.append(f"- `{item[1]}`: {item[2]}")
            else:  # "Returns:" has no names
                lines.append(f"{'  ' if lines[-1] else '- '}{line.strip()}")
        elif in_section and line:
            in_section = line.startswith(" ")
            lines.append(f"  {line.strip()}" if in_section else line)
        else:
            lines.append(line)
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    OUTPUT.write_text(generate(), encoding="utf-8")
    sys.exit()
