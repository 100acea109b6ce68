# SPDX-License-Identifier: MIT
"""``pyhexagon report``: write doctor, self test, benchmarks, a chat and logs to one file that a board's owner can send.

The file contains no name of this host, this user or the home directory, like the file of ``doctor --report``.
Each step runs another command with ``--json``, here or on the board. Failures are part of the report.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from pyhexagon import files
from pyhexagon.cli import on_board
from pyhexagon.cli.bench_options import progress
from pyhexagon.cli.output import Output
from pyhexagon.doctor.findings import anonymous
from pyhexagon.version import VERSION

_SECONDS: Final = 3600.0  # for a step
_QUESTION: Final = "What is the capital of France?"
_LONGEST: Final = 20_000  # characters of a step's stderr


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", metavar="MODEL", help="a GGUF file (default: random weights of a 1B model)")
    parser.add_argument("--out", type=Path, metavar="FILE", required=True, help="the report to write, as JSON")
    parser.add_argument("--device", metavar="D", help="the device, as for all commands (default cdsp)")
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> None:
    files.check(options.out)
    steps = _steps(options.model, options.device)
    records: dict[str, Any] = {}
    with progress(len(steps)) as (starting, done):
        for name, arguments in steps.items():
            starting(name)
            records[name] = _record(options, arguments)
            done()
    report = {"version": VERSION, "on": options.on, "model": options.model, "steps": records}
    text = anonymous(json.dumps(report, indent=1))
    files.save(options.out, lambda file: file.writelines([text.encode()]))
    if output.as_json:
        output.json(report)
        return
    rows = [[name, _outcome(record), f"{record['seconds']:.1f}"] for name, record in records.items()]
    output.table([("step", False), ("result", False), ("s", True)], rows)
    output.facts([("report", str(options.out))])


def _steps(model: str | None, device: str | None) -> dict[str, list[str]]:
    """The command of each step."""
    where = ["--device", device] if device else []
    which = [model] if model else ["--random", "llama:1B"]
    bench = ["bench", "model", *which, "-p", "128,512", "-n", "64", "-d", "0,2048", "-r", "3", *where, "--json"]
    products = ["--types", "Q4_0,Q8_0,Q4_K,Q6_K", "--batch", "1,32", *where, "--json"]
    steps = {
        "info": ["info", *where, "--json"],
        "doctor": ["doctor", *where, "--json"],
        "selftest": ["selftest", *where, "--json"],
        "products": ["bench", "matmul", *products],
        "silicon": ["bench", "silicon", *where, "--json"],
        "host": ["bench", "host", *where, "--json"],
        "logs": ["logs", *where, "--json"],
        "model": bench,
    }
    if model:
        steps["show"] = ["show", model, "--json"]
        steps["chat"] = ["run", model, "--chat", "-p", _QUESTION, "-n", "64", "--temp", "0", *where, "--json"]
    return steps


def _outcome(record: dict[str, Any]) -> str:
    """Return "ok", or why a step failed: the message of its error, its first problem, or the last line of stderr."""
    if record["exit_code"] == 0:
        return "ok"
    result = record["result"] if isinstance(record["result"], dict) else {}
    problem = result.get("first_problem") or {}
    lines = record["stderr"].splitlines() or [""]
    reason = result.get("error", {}).get("message") or problem.get("finding") or lines[-1]
    return f"exit code {record['exit_code']}: {reason}".rstrip(": ")


def _record(options: argparse.Namespace, arguments: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-m", "pyhexagon", *arguments]
    if options.on:
        command = on_board.ssh_command(options, arguments)
    start = time.perf_counter()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
        code, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as over:
        code, out, err = -1, over.stdout or b"", over.stderr or b""
    text = out.decode(errors="replace")
    try:
        result = json.loads(text)
    except ValueError:
        result = text
    return {
        "command": ["pyhexagon", *arguments],
        "exit_code": code,
        "seconds": time.perf_counter() - start,
        "result": result,
        "stderr": err.decode(errors="replace")[-_LONGEST:],
    }
