# SPDX-License-Identifier: MIT
"""The worker that renders one chat template in a process of its own; ``template_workers.py`` starts it.

It reads a line of JSON from its standard input: the template, its names, the limits, and the module search path. Then
it reads a line of values for each text, and answers with a line: the text, or a description of the template's error.
It imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from jinja2 import Template

_LONGEST_MESSAGE: Final = 2000  # characters of an error
_MOST_RESIDENT: Final = 128 << 20  # bytes; a larger worker ends, so that the next text has all of its memory


def compiled(source: str, names: Mapping[str, str]) -> Template:
    """Return a template in Jinja's sandbox, with the extensions that transformers gives it."""
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationTag(Extension):
        """``{% generation %}``: marks completions for training; the text within is rendered as it is."""

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
    return environment.from_string(source)


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


def _peak_resident() -> int:
    """Return the most bytes that this process has had in memory; getrusage() counts the parent's, too."""
    with open("/proc/self/status", encoding="ascii") as status:
        (line,) = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def main() -> None:
    """Answer requests until the standard input ends."""
    given = json.loads(sys.stdin.buffer.readline())
    sys.path[:] = given["path"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (given["bytes"], given["bytes"]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # whatever the parent does with it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    template: Template | None = None
    for line in sys.stdin.buffer:
        answer: dict[str, str | bool]
        is_last = False
        signal.setitimer(signal.ITIMER_PROF, given["seconds"])  # CPU time; SIGPROF ends the process, in C code, too
        try:
            template = template or compiled(given["source"], given["names"])
            answer = {"text": template.render(json.loads(line))}
            json.dumps(answer)
        except MemoryError:
            answer, is_last = {"problem": f"it takes more than {given['bytes'] >> 20} MiB"}, True
        except Exception as problem:  # a stranger's program can raise anything
            answer = {"problem": _shortened(str(problem)) or type(problem).__name__}
        signal.setitimer(signal.ITIMER_PROF, 0)
        is_last = is_last or _peak_resident() > _MOST_RESIDENT
        sys.stdout.buffer.write(json.dumps({**answer, "is_last": is_last}).encode() + b"\n")
        sys.stdout.buffer.flush()
        if is_last:
            return


if __name__ == "__main__":
    main()
