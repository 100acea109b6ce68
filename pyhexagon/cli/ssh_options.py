# SPDX-License-Identifier: MIT
"""The options that commands for a board pass to ssh."""

from __future__ import annotations

import argparse
from typing import Final

from pyhexagon.deploy import PREFIX

_OPTIONS: Final = (
    ("-p", "--port", "PORT", "the board's ssh port"),
    ("-i", "--identity", "FILE", "private key to log in with"),
    ("-J", "--jump", "HOST", "go through this host"),
    ("-F", "--ssh-config", "FILE", "in place of ~/.ssh/config"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the host, options of ssh, and the folder of deployed versions."""
    parser.add_argument("host", metavar="[USER@]HOST", help="as ssh takes it; a name of ~/.ssh/config is fine")
    for short, long, metavar, text in _OPTIONS:
        parser.add_argument(short, long, metavar=metavar, help=text)
    parser.add_argument(
        "-o", "--ssh-option", metavar="NAME=VALUE", action="append", default=[], help="any other option of ssh"
    )
    parser.add_argument("--prefix", metavar="FOLDER", default=PREFIX, help=f"folder on the board ({PREFIX})")


def arguments(options: argparse.Namespace) -> list[str]:
    """Return the given options for ssh's command line."""
    found = []
    for short, long, _, _ in _OPTIONS:
        value = getattr(options, long[2:].replace("-", "_"))
        if value is not None:
            found += [short, value]
    for value in options.ssh_option:
        found += ["-o", value]
    return found
