# SPDX-License-Identifier: MIT
"""``--on [USER@]HOST``: run the command on a board, with the version deployed there.

ssh passes all arguments except this module's; the files that they name are on the board. The command has a
terminal if this process has one.

The command there learns from an environment variable how it was started: its messages then name the board, and the
commands in its hints carry ``--on``.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from pyhexagon.deployed import PREFIX
from pyhexagon.errors import ArgumentError, DeployError

VARIABLE: Final = "PYHEXAGON_ON"
FILES: Final = "PYHEXAGON_ON_FILES"  # those of the arguments that are files where the command was typed
_SSH_FAILED: Final = 255
_COMMANDS: Final = re.compile(
    r"(?<![\w-])pyhexagon (chat|run|serve|embed|transcribe|wyoming|eval|pull|list|rm|show|tensors|matmul|info|doctor"
    r"|selftest|ops|tune|logs|bench (?:board|context|matmul|model|silicon))\b(?! --on)"
)
"""The commands that take ``--on``, in a hint."""


def speaker() -> str:
    """Return who speaks: " on HOST" in a command that another machine started here with ``--on``, or nothing."""
    host = os.environ.get(VARIABLE, "").partition(" ")[0]
    return f" on {host}" if host else ""


def carried(text: str) -> str:
    """Return a text whose commands carry ``--on`` if this one was started with it, as the user would type them."""
    on = os.environ.get(VARIABLE, "")
    return _COMMANDS.sub(lambda found: f"{found[0]} --on {on}", text) if on else text


def file_to_copy(message: str) -> str:
    """Return a hint if a message is about a missing file that lies where the command was typed; else nothing."""
    host = speaker().removeprefix(" on ")
    missing = [file for file in shlex.split(os.environ.get(FILES, "")) if message.startswith(f"{file}: No such file")]
    if not missing:
        return ""
    return f"{missing[0]} lies on the machine where you typed this: scp {shlex.quote(missing[0])} {host}: first"


def add_option(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("on a board")
    group.add_argument(
        "--on", metavar="[USER@]HOST", help="run on a board over ssh, with the version and the files there"
    )
    group.add_argument(
        "--ssh", metavar="OPTIONS", default="", help="with --on: options of ssh: --ssh='-p 2222 -i key'"
    )
    group.add_argument(
        "--prefix", metavar="FOLDER", default=PREFIX, help=f"with --on: the folder on the board ({PREFIX})"
    )


def run(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    """Run the command on the board, and return its exit code, or 255 if ssh failed, which prints why."""
    code = subprocess.run(ssh_command(options, without(arguments)), check=False).returncode
    if code == _SSH_FAILED:
        print(f"pyhexagon: error: ssh to {options.on} failed; ssh {options.on} must work first", file=sys.stderr)
    return code


def ssh_command(options: argparse.Namespace, arguments: Sequence[str]) -> list[str]:
    """Return the ssh command that runs ``pyhexagon`` with these arguments on the board."""
    host = options.on
    if not host or host.startswith("-") or not host.isprintable() or " " in host:
        raise ArgumentError(f"{host!r} is not a host: expected [USER@]HOST or a name of your ~/.ssh/config")
    if shutil.which("ssh") is None:
        raise DeployError("there is no ssh here", hint="install OpenSSH's client: sudo apt install openssh-client")
    prefix = options.prefix
    folder = shlex.quote(prefix) if prefix.startswith("/") else f'"$HOME"/{shlex.quote(prefix.removeprefix("~/"))}'
    missing = shlex.quote(
        f"pyhexagon on {host}: error: nothing is deployed in {prefix}. Hint: run pyhexagon deploy {host} first"
    )
    program = f"{folder}/current/bin/pyhexagon"
    there = f"test -x {program} || {{ echo {missing} >&2; exit 1; }}; "
    files = shlex.join(argument for argument in arguments if os.path.isfile(argument))
    there += f"export {FILES}={shlex.quote(files)}; " if files else ""
    there += f"export {VARIABLE}={shlex.quote(_typed(options))}; exec {program} {shlex.join(arguments)}"
    terminal = ["-t"] if sys.stdin.isatty() and sys.stdout.isatty() else ["-T"]
    return ["ssh", *shlex.split(options.ssh), *terminal, "--", host, there]


def _typed(options: argparse.Namespace) -> str:
    """Return the value of ``--on``, and the options with it that are not the defaults."""
    typed = [options.on]
    typed += [f"--ssh={options.ssh}"] if options.ssh else []
    typed += [f"--prefix={options.prefix}"] if options.prefix != PREFIX else []
    return shlex.join(typed)


def without(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without this module's options; after "--" come those of another program."""
    kept: list[str] = []
    names = ("--on", "--ssh", "--prefix")
    skips = False
    for at, argument in enumerate(arguments):
        if argument == "--" and not skips:
            return [*kept, *arguments[at:]]
        if skips:
            skips = False
        elif argument in names:
            skips = True
        elif not argument.startswith(tuple(f"{name}=" for name in names)):
            kept.append(argument)
    return kept
