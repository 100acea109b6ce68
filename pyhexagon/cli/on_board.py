# SPDX-License-Identifier: MIT
"""``--on [USER@]HOST``: run the command on a board, with the version deployed there.

ssh passes all arguments except this module's; the files that they name are on the board. The command has a
terminal if this process has one.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence

from pyhexagon.deploy import PREFIX
from pyhexagon.errors import ArgumentError, DeployError


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--on", metavar="[USER@]HOST", help="run on a board over ssh, with the version and the files there"
    )
    parser.add_argument(
        "--ssh", metavar="OPTIONS", default="", help="with --on: options of ssh: --ssh='-p 2222 -i key'"
    )
    parser.add_argument(
        "--prefix", metavar="FOLDER", default=PREFIX, help=f"with --on: the folder on the board ({PREFIX})"
    )


def run(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    """Run the command on the board, and return its exit code, or 255 if ssh failed, which prints why."""
    command = ssh_command(options, without(arguments))
    return subprocess.run(command, check=False).returncode


def ssh_command(options: argparse.Namespace, arguments: Sequence[str]) -> list[str]:
    """Return the ssh command that runs ``pyhexagon`` with these arguments on the board."""
    host = options.on
    if not host or host.startswith("-") or not host.isprintable() or " " in host:
        raise ArgumentError(f"{host!r} is not a host: expected [USER@]HOST or a name of your ~/.ssh/config")
    if shutil.which("ssh") is None:
        raise DeployError("there is no ssh here", hint="install OpenSSH's client: sudo apt install openssh-client")
    prefix = options.prefix
    folder = shlex.quote(prefix) if prefix.startswith("/") else f'"$HOME"/{shlex.quote(prefix.removeprefix("~/"))}'
    missing = shlex.quote(f"nothing is deployed in {prefix}: run pyhexagon deploy first")
    program = f"{folder}/current/bin/pyhexagon"
    there = f"test -x {program} || {{ echo {missing} >&2; exit 1; }}; exec {program} {shlex.join(arguments)}"
    terminal = ["-t"] if sys.stdin.isatty() and sys.stdout.isatty() else ["-T"]
    return ["ssh", *shlex.split(options.ssh), *terminal, "--", host, there]


def without(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without this module's options."""
    kept: list[str] = []
    names = ("--on", "--ssh", "--prefix")
    skips = False
    for one in arguments:
        if skips:
            skips = False
        elif one in names:
            skips = True
        elif not one.startswith(tuple(f"{name}=" for name in names)):
            kept.append(one)
    return kept
