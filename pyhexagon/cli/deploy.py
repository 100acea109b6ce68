# SPDX-License-Identifier: MIT
"""``pyhexagon deploy``: install this version, or a wheel, on a board over ssh."""

from __future__ import annotations

import argparse
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from pyhexagon.cli import serve, ssh_options
from pyhexagon.cli.output import Output, printable
from pyhexagon.deploy import Deploy, Deployment, DeployStep, plan
from pyhexagon.deploy.systemd_unit import NAME
from pyhexagon.errors import ArgumentError

NOT_READY: Final = 3
_DEVICES: Final = ("cdsp", "cdsp1", "cpu", "loopback", "loopback:qemu")
_EPILOG: Final = """\
Exit codes: 0 it is current and works; 3 it is current, but the board's DSP does not work yet, the doctor says why;
1 it did not become current, and what was there before still is; or, with --serve, the service did not come up.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    ssh_options.add(parser)
    parser.add_argument(
        "--wheel", metavar="FILE", type=Path, help="wheel to install (default: build one for the board here)"
    )
    parser.add_argument(
        "--device",
        type=_devices,
        default="cdsp",
        metavar="NAME,...",
        help=f"devices for doctor and self test there, and of --serve (default cdsp): {', '.join(_DEVICES)}",
    )
    parser.add_argument("--offline", action="store_true", help="copy the dependencies, too: the board has no network")
    parser.add_argument(
        "--cluster", action="store_true",
        help="install the packages of pyhexagon cluster, too; later deployments keep them",
    )  # fmt: skip
    parser.add_argument(
        "--kernel", metavar="FILE.phxk", type=Path, action="append", default=[],
        help='also copy a saved user kernel, which device.kernel("FILE.phxk") opens there; once for each',
    )  # fmt: skip
    service = parser.add_mutually_exclusive_group()
    service.add_argument(
        "--serve",
        metavar="MODEL",
        help="serve a model there from now on: a GGUF file or a pulled model here, which is copied, or a file there",
    )
    service.add_argument(
        "--no-serve", action="store_true", help="stop and remove the service there, and do nothing else"
    )
    parser.add_argument(
        "--serve-options", metavar="OPTIONS", default="",
        help="options of pyhexagon serve, in one argument: '--host 0.0.0.0 --parallel 8'; files in it are copied",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="print the steps and do nothing")


def _devices(text: str) -> str:
    if wrong := [name for name in text.split(",") if name not in _DEVICES]:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is none of {', '.join(_DEVICES)}")
    return text


def run(options: argparse.Namespace, output: Output) -> int:
    service = None
    if options.serve is not None:
        service = serve.as_service(options.serve, options.serve_options, options.device)
    elif options.serve_options:
        raise ArgumentError("--serve-options without --serve")
    deploy = Deploy(
        options.host,
        _Screen(quiet=output.as_json),
        ssh=ssh_options.arguments(options),
        wheel=options.wheel,
        prefix=options.prefix,
        device=options.device,
        offline=options.offline,
        service=service,
        cluster=options.cluster,
        kernels=options.kernel,
    )
    if options.no_serve:
        removed = deploy.remove_service()
        if output.as_json:
            output.json({"host": deploy.host, "removed": removed})
        return 0
    if options.dry_run:
        _print_plan(deploy, output)
        return 0
    for number in (signal.SIGTERM, signal.SIGHUP):  # clean up as after Ctrl-C
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    outcome = deploy.run()
    if output.as_json:
        output.json(_facts(outcome))
    else:
        _print(outcome, output, deploy)
    return 0 if outcome.not_ready is None else NOT_READY


def _print_plan(deploy: Deploy, output: Output) -> None:
    steps = plan(deploy)
    if output.as_json:
        output.json({"steps": [{"step": title, "command": command} for title, command in steps]})
    else:
        for number, (title, command) in enumerate(steps, 1):
            print(f"{number}. {title}\n   {command}")


def _facts(outcome: Deployment) -> dict[str, Any]:
    problem = outcome.not_ready
    return {
        "host": outcome.host,
        "version": outcome.version,
        "command": outcome.command,
        "copied_bytes": outcome.copied,
        "installed": outcome.installed,
        "switched": outcome.switched,
        "ready": problem is None,
        "service": outcome.url,
        "kernels": outcome.kernels,
        "first_problem": problem and {"check": problem.check, "finding": problem.finding, "remedy": problem.remedy},
    }


def _print(outcome: Deployment, output: Output, deploy: Deploy) -> None:
    rows = [("command", f"{outcome.command} on {outcome.host}")]
    problem = outcome.not_ready
    if problem is None:
        done = outcome.installed or outcome.switched or outcome.started
        rows.append(("result", "deployed, and it works" if done else "nothing to do: it was there, and it works"))
    else:
        rows += [("result", "deployed, but the board is not ready"), ("first problem", problem.check)]
        rows += [("finding", problem.finding), ("remedy", problem.remedy)]
    rows += [("kernel", f"{path} there") for path in outcome.kernels]
    if outcome.url is not None:
        address = outcome.url.removeprefix("http://")
        port = address.rpartition(":")[2]
        tunnel = shlex.join(["ssh", *deploy.ssh, "-N", "-L", f"{port}:{address}", deploy.host])
        rows += [
            ("service", f"{outcome.url} on {outcome.host}"),
            ("from here", f"{tunnel}, then http://localhost:{port}"),
        ]
        if outcome.keys is not None:
            rows.append(("keys", f"{outcome.keys} there, for its owner only"))
        rows.append(("its log", f"journalctl --user -u {NAME} on {outcome.host}"))
    output.facts(rows)


class _Screen:
    """Prints steps to stderr: a line for each finished one, and on a terminal the running one."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet

    @contextmanager
    def step(self, title: str, *, asks: bool = False) -> Iterator[DeployStep]:
        result = "failed"
        hidden = self._quiet or asks or not sys.stderr.isatty()
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        console = Console(stderr=True)
        try:
            with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
                step = _Step(bar, bar.add_task(title, total=None), title)
                yield step
                result = step.outcome
        finally:
            if not self._quiet:
                print(f"{title}: {printable(result)}", file=sys.stderr, flush=True)


class _Step:
    def __init__(self, bar: Progress, task: TaskID, title: str) -> None:
        self._bar = bar
        self._task = task
        self._title = title
        self.outcome = "done"

    def note(self, text: str) -> None:
        self._bar.update(self._task, description=f"{self._title}: {printable(text)[:60]}")

    def progress(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total)

    def result(self, text: str) -> None:
        self.outcome = text
