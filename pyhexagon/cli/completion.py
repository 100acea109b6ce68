# SPDX-License-Identifier: MIT
"""``pyhexagon completion``: print the script that completes commands and options in a shell."""

from __future__ import annotations

import argparse
from typing import Final

from pyhexagon import extras
from pyhexagon.cli.output import Output

SHELLS: Final = ("bash", "zsh", "fish")
_EPILOG: Final = """\
bash: pyhexagon completion bash > ~/.local/share/bash-completion/completions/pyhexagon
zsh: pyhexagon completion zsh > FOLDER/_pyhexagon, with a FOLDER of $fpath
fish: pyhexagon completion fish > ~/.config/fish/completions/pyhexagon.fish
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(options: argparse.Namespace, output: Output) -> None:
    script = script_of(options.shell)
    if output.as_json:
        output.json({"shell": options.shell, "script": script})
    else:
        print(script)


def script_of(shell: str) -> str:
    """Return the completion script for a shell.

    Raises:
        UnsupportedError: shtab is not installed.
    """
    with extras.needed("completion scripts", "completion"):
        import shtab
    from pyhexagon.cli import complete_parser

    return str(shtab.complete(complete_parser(), shell))
