# SPDX-License-Identifier: MIT
"""Run benchmarks.board on a board over ssh, with the version deployed there, and fetch its result.

    .venv/bin/python -m benchmarks.on_board radxa@q6a --out q6a.json --picture q6a.png

The board has no checkout: this folder's files go there for the run. The board prints each step, which ssh shows here.
"""

from __future__ import annotations

import argparse
import io
import json
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks import board, board_result, command, picture
from pyhexagon import files
from pyhexagon.cli import ssh_options
from pyhexagon.cli.output import Output
from pyhexagon.errors import ArgumentError, DeployError

_FOLDER: Final = Path(__file__).parent
_SECONDS: Final = 4 * 3600.0
_LOST: Final = 255  # exit code of ssh itself, not of the command
# $0 is the folder of deployed versions, $1 an answer; the other arguments are those of benchmarks.board.
_SCRIPT: Final = """\
case $0 in /*) python=$0 ;; *) python=$HOME/${0#"~/"} ;; esac
python=$python/current/bin/python
if ! [ -x "$python" ]; then echo "$1"; exit 1; fi
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
tar -x -C "$folder" || exit 1
run='import sys; sys.path[0] = sys.argv.pop(1); from benchmarks import board; sys.exit(board.main())'
"$python" -c "$run" "$folder" "$@"
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = command.parser("on_board", __doc__)
    ssh_options.add(parser)
    board.add_case_options(parser)
    parser.add_argument("--out", type=Path, metavar="FILE", help="save the result as JSON")
    return command.run(parser, _run, arguments)


def _run(options: argparse.Namespace, output: Output) -> int:
    files.check_distinct(options.out, options.picture)
    if options.picture is not None:
        picture.check(options.picture)
    if options.out is not None:
        files.check(options.out)
    text = _measure(options)
    try:
        result = board_result.parse(text)
    except ArgumentError as error:
        raise DeployError(
            f"the answer of {options.host} {error}: {text[-300:]}", hint="pyhexagon deploy brings this version there"
        ) from None
    if options.out is not None:
        files.save(options.out, lambda file: file.writelines([text.encode()]))
    return board.show([result], output, options.picture)


def _measure(options: argparse.Namespace) -> str:
    """Return what benchmarks.board prints on the board."""
    missing = json.dumps({"error": {"message": f"nothing is deployed in {options.prefix}"}})
    arguments = ["--json", "--announce", *board.case_arguments(options)]
    program = shlex.join(["sh", "-c", _SCRIPT, options.prefix, missing, *arguments])
    ssh = ["ssh", *ssh_options.arguments(options), "-T", "--", options.host, program]
    try:
        done = subprocess.run(ssh, input=_archive(), stdout=subprocess.PIPE, timeout=_SECONDS, check=False)
    except FileNotFoundError:
        raise DeployError("there is no ssh here", hint="install OpenSSH's client") from None
    except subprocess.TimeoutExpired:
        raise DeployError(f"{options.host} did not finish within {_SECONDS:g} s") from None
    if done.returncode == _LOST:
        raise DeployError(f"no connection to {options.host}", call="ssh")
    return done.stdout.decode(errors="replace").strip()


def _archive() -> bytes:
    """Return a tar archive of this folder's Python files."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for path in sorted(_FOLDER.glob("*.py")):
            archive.add(path, f"{_FOLDER.name}/{path.name}")
    return content.getvalue()


if __name__ == "__main__":
    sys.exit(main())
