# SPDX-License-Identifier: MIT
"""``pyhexagon cluster``: several boards as one, on Ray, over ssh as ``deploy`` does."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output, printable
from pyhexagon.deploy import PREFIX
from pyhexagon.errors import ArgumentError, ClusterError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

_EPILOG = """\
start                   the head, here; makes the token that lets boards in, if there is none
join USER@HOST...       boards that pyhexagon was deployed to join the cluster whose head is here
status                  each board: layers, memory, tokens a second, temperature
stop [USER@HOST...]     ends it on these boards, or here; what runs on them ends, too
"""


def add_parser(commands: _SubParsersAction[argparse.ArgumentParser]) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        "cluster", help="several boards as one", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("action", choices=("start", "join", "status", "stop", "enter"), metavar="ACTION", help="below")
    parser.add_argument("hosts", nargs="*", metavar="[USER@]HOST", help="as ssh takes it")
    parser.add_argument("--address", metavar="HOST:PORT", help="of the head (default: the one that runs here)")
    parser.add_argument("--port", type=int, default=6379, help="start: the head's (default 6379)")
    parser.add_argument("--no-board", action="store_true", help="start: only the boards that join compute")
    parser.add_argument("--ssh", metavar="OPTIONS", default="", help="for ssh: --ssh='-p 2222 -i key'")
    parser.add_argument("--prefix", metavar="FOLDER", default=PREFIX, help=f"folder on the boards ({PREFIX})")
    return parser


def run(options: argparse.Namespace, output: Output) -> None:
    from pyhexagon.cluster import connecting, nodes

    action, hosts = options.action, options.hosts
    if (action == "join") != bool(hosts) and action != "stop":
        wanted = "USER@HOST" if action == "join" else "no host"
        raise ArgumentError(f"cluster {action} {' '.join(hosts)}: expected {wanted}")
    if action == "start":
        nodes.start(None, options.port, is_board=not options.no_board)
        _tell(output, "the head runs; boards join with pyhexagon cluster join USER@HOST")
    elif action == "enter":  # on a board, for join
        nodes.keep_token(sys.stdin.readline().strip())
        nodes.start(options.address)
        _tell(output, str(connecting.versions()))
    elif action == "join":
        address = options.address or connecting.connect(None).get_runtime_context().gcs_address
        for host in hosts:
            _there(options, host, ["cluster", "enter", "--address", address], nodes.token())
            _tell(output, f"{host} has joined {address}")
    elif action == "stop":
        for host in hosts:
            _there(options, host, ["cluster", "stop"])
        if not hosts:
            nodes.stop()
        _tell(output, "stopped")
    else:
        _show(nodes.status(options.address), output)


def _there(options: argparse.Namespace, host: str, arguments: Sequence[str], given: str = "") -> None:
    """Runs a command on a board; what is given goes through its stdin, for anybody can read a command line."""
    options.on = host
    command = on_board.ssh_command(options, arguments)
    command = ["-T" if one == "-t" else one for one in command]
    done = subprocess.run(command, input=f"{given}\n", text=True, stdout=subprocess.DEVNULL, check=False)
    if done.returncode:
        mend = f"pyhexagon deploy {host} brings this version; there, pip install 'pyhexagon[cluster]'"
        raise ClusterError(f"{host}: pyhexagon cluster {arguments[1]} failed there", hint=mend)


def _tell(output: Output, text: str) -> None:
    if output.as_json:
        output.json({"result": text})
    else:
        print(printable(text))


def _show(rows: Sequence[Any], output: Output) -> None:
    if output.as_json:
        output.json({"boards": list(rows)})
        return
    for row in rows:
        state = row.get("error") or ("" if row.get("alive", True) else "gone") or row.get("device", "free")
        parts = [str(row.get("host", "?")), str(state)]
        if "layers" in row:
            heat = "" if row["temperature"] is None else f", {row['temperature']:.0f} C"
            size, rate = row["memory_bytes"] / (1 << 20), row["rows_per_second"]
            parts.append(f"layers {row['layers']}, {size:.0f} MiB, {rate:.1f} t/s{heat}")
        print(printable("  ".join(parts)))
