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
from typing import Any, NoReturn


def render(source: str, names: Mapping[str, str], values: Mapping[str, Any]) -> str:
    """The text that a template makes, in Jinja's sandbox, with the extensions that transformers gives it."""
    from jinja2.ext import loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_refuse, strftime_now=_now, **names)
    return environment.from_string(source).render(values)


def _to_json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


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
        answer = {"problem": str(problem) or type(problem).__name__}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
