# SPDX-License-Identifier: MIT
"""The program that renders a chat template, in a process of its own: ``templates.py`` starts it.

It gets one JSON object on its standard input: the template, what it may use, the limits, and where modules are found.
It writes one: the text, or what the template did wrong. It imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NoReturn

_LONGEST_MESSAGE: Final = 2000  # characters of what a template says of an error


def render(source: str, names: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """The text that a template makes, in Jinja's sandbox, with the extensions that transformers gives it."""
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationTag(Extension):
        """``{% generation %}``: marks for training what the model says; the text within is rendered as it is."""

        tags = {"generation"}  # noqa: RUF012 - as Jinja declares it

        def parse(self, parser: Parser) -> nodes.Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_refuse, strftime_now=_now, **names)
    return environment.from_string(source).render(values)


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _shortened(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]} ..."


def _refuse(message: object) -> NoReturn:
    raise ValueError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def main() -> None:
    given = json.load(sys.stdin)
    sys.path[:] = given["path"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (given["seconds"], given["seconds"] + 1))  # SIGXCPU first, then SIGKILL
    resource.setrlimit(resource.RLIMIT_AS, (given["bytes"], given["bytes"]))
    try:
        answer = {"text": render(given["source"], given["names"], given["values"])}
    except MemoryError:
        answer = {"problem": f"it takes more than {given['bytes'] >> 20} MiB"}
    except Exception as problem:  # whatever a stranger's program does
        answer = {"problem": _shortened(str(problem)) or type(problem).__name__}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
