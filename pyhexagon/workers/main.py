# SPDX-License-Identifier: MIT
"""The main program of a worker process; ``pyhexagon.workers`` starts it.

It reads a line of JSON from its standard input: a program, its arguments, the limits, and the module search path. The
program is a Python file with a function ``prepare(**arguments)``, which returns a function from a value to a text. Then
the worker reads a line with a value for each text, and answers with a line: the text, or a description of the program's
error. It imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import importlib.util
import json
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any, Final

_LONGEST_MESSAGE: Final = 2000  # characters of an error
_MOST_RESIDENT: Final = 128 << 20  # bytes; a larger worker ends, so that the next text has all of its memory


def _shortened(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]} ..."


def _peak_resident() -> int:
    """Return the most bytes that this process has had in memory; getrusage() counts the parent's, too."""
    with open("/proc/self/status", encoding="ascii") as status:
        (line,) = (line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) << 10


def _prepared(program: str, arguments: dict[str, Any]) -> Callable[[Any], str]:
    """Import a program, and return what its ``prepare`` returns."""
    spec = importlib.util.spec_from_file_location("program", program)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[[Any], str] = module.prepare(**arguments)
    return made


def main() -> None:
    """Answer values until the standard input ends."""
    given = json.loads(sys.stdin.buffer.readline())
    sys.path[:] = given["path"]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (given["bytes"], given["bytes"]))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # whatever the parent does with it
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    program: Callable[[Any], str] | None = None
    for line in sys.stdin.buffer:
        answer: dict[str, str | bool]
        is_last = False
        signal.setitimer(signal.ITIMER_PROF, given["seconds"])  # CPU time; SIGPROF ends the process, in C code, too
        try:
            program = program or _prepared(given["program"], given["arguments"])
            answer = {"text": program(json.loads(line))}
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
