# SPDX-License-Identifier: MIT
"""``pyhexagon cluster``: run one model on several boards with Ray; boards are reached over ssh."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

from pyhexagon.cli import cluster_options, on_board
from pyhexagon.cli.output import Output, printable
from pyhexagon.deploy import PREFIX
from pyhexagon.errors import ArgumentError, ClusterError, HexagonError

_CONNECT_SECONDS: Final = 20
_THERE_SECONDS: Final = 300
_SSH_FAILED: Final = 255  # exit code of ssh's own failure
_EPILOG = """\
start                   start the head on this machine, and make the token that boards join with
join USER@HOST...       let boards with pyhexagon (deploy --cluster) join the cluster whose head runs here
status                  show the layers, memory, tokens per second and temperature of each board
stop [USER@HOST...]     stop the cluster on these boards, or on this machine, and all that runs on it
Each action can be repeated: it changes nothing if it is already done.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog, parser.formatter_class = _EPILOG, argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "action", choices=("start", "join", "status", "stop", "enter"), metavar="ACTION",
        help="one of the actions below",
    )  # fmt: skip
    parser.add_argument("hosts", nargs="*", metavar="[USER@]HOST", help="as ssh takes it")
    parser.add_argument(
        "--address", metavar="HOST:PORT", help="address of the head (default: the head on this machine)"
    )
    parser.add_argument("--port", type=int, default=6379, help="start: port of the head (default 6379)")
    parser.add_argument(
        "--no-board", action="store_true", help="start: this machine does not compute, only boards that join"
    )
    parser.add_argument("--ssh", metavar="OPTIONS", default="", help="options of ssh: --ssh='-p 2222 -i key'")
    parser.add_argument("--prefix", metavar="FOLDER", default=PREFIX, help=f"folder on the boards ({PREFIX})")


def run(options: argparse.Namespace, output: Output) -> int:
    with cluster_options.needed():
        from pyhexagon.cluster import nodes

    action, hosts = options.action, options.hosts
    if (action in ("join", "enter")) != bool(hosts) and action != "stop":
        wanted = "USER@HOST" if action == "join" else "no host"
        raise ArgumentError(f"cluster {action} {' '.join(hosts)}: expected {wanted}")
    if action == "status":
        _show(nodes.status(options.address), output)
    elif action == "start":
        is_new = nodes.start(None, options.port, is_board=not options.no_board)
        state = "the head runs" if is_new else "nothing to do: the head runs"
        _tell(output, f"{state}; boards join with pyhexagon cluster join USER@HOST")
    elif action == "enter":
        _enter(options, output)
    elif action == "join":
        return _join(options, output)
    elif hosts:
        return _on_each(hosts, lambda host: _there(options, host, ["cluster", "stop"]), output)
    else:
        _tell(output, "stopped" if nodes.stop() else "nothing to do: nothing runs here")
    return 0


def _enter(options: argparse.Namespace, output: Output) -> None:
    """Join the cluster on a board; stdin has the token and the versions that all boards must have."""
    from pyhexagon.cluster import connecting, nodes

    (name,) = options.hosts
    try:
        given = json.loads(sys.stdin.readline())
        token, wanted, is_member = given["token"], given["versions"], given["is_member"]
    except (ValueError, KeyError, TypeError):
        raise ClusterError("no token and versions on stdin", hint="users say pyhexagon cluster join") from None
    connecting.check_alike([{"host": name, "versions": connecting.versions(), "skel": ""}], wanted)
    nodes.keep_token(token)
    is_new = nodes.start(options.address, name=name, is_member=is_member)
    _tell(output, f"has joined {options.address}" if is_new else f"nothing to do: it is a part of {options.address}")


def _join(options: argparse.Namespace, output: Output) -> int:
    from pyhexagon.cluster import connecting, nodes

    ray = connecting.connect(options.address)
    address = options.address or ray.get_runtime_context().gcs_address
    members = {node["NodeName"] for node in ray.nodes() if node["Alive"]}
    given = {"token": nodes.token(), "versions": connecting.versions()}

    def join(host: str) -> str:
        message = json.dumps({**given, "is_member": host in members})
        return _there(options, host, ["cluster", "enter", host, "--address", address], message)

    return _on_each(options.hosts, join, output)


def _on_each(hosts: Sequence[str], act: Callable[[str], str], output: Output) -> int:
    """Act on each board and return the exit code; a failure on one board does not stop the others."""
    results = dict[str, str]()
    failed = dict[str, str]()
    for host in hosts:
        try:
            results[host] = act(host)
        except HexagonError as problem:
            failed[host] = str(problem)
        if not output.as_json and host in results:
            print(printable(f"{host}: {results[host]}"), flush=True)
        elif not output.as_json:
            print(printable(f"pyhexagon: error: {failed[host]}"), file=sys.stderr)
    if output.as_json:
        output.json({"done": results, "failed": failed})
    return 1 if failed else 0


def _there(options: argparse.Namespace, host: str, arguments: Sequence[str], given: str = "") -> str:
    """Run a command on a board and return its result. Secrets go through stdin, as others can read a command line."""
    options.on = host
    command = on_board.ssh_command(options, [*arguments, "--json"])
    at = command.index("--")
    command[at - 1 : at] = ["-T", "-o", f"ConnectTimeout={_CONNECT_SECONDS}"]
    try:
        done = subprocess.run(
            command, input=f"{given}\n", capture_output=True, text=True, timeout=_THERE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise ClusterError(f"{host}: no answer after {_THERE_SECONDS} s") from None
    try:
        answer = json.loads(done.stdout[done.stdout.index("{\n") :])  # after the output of a login shell
    except ValueError:
        answer = {}
    if done.returncode == 0 and "result" in answer:
        return str(answer["result"])
    error = answer.get("error", {})
    reason = error.get("detail") or " ".join(done.stderr.split()) or f"exit code {done.returncode}"
    mend = f"pyhexagon deploy {host} --cluster"
    if done.returncode == _SSH_FAILED:
        mend = f"{shlex.join(command[: at - 1])} {host} must work first"
    elif error.get("type") == ClusterError.__name__:
        mend = error.get("hint") or ""
    raise ClusterError(reason if reason.startswith(f"{host} ") else f"{host}: {reason}", hint=mend)


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
        state = row.get("device", "free" if row.get("board", True) else "no board")
        state = row.get("error") or (state if row.get("alive", True) else "gone")
        parts = [str(row.get("name") or row.get("host", "?")), str(state)]
        if "layers" in row:
            heat = "" if row["temperature"] is None else f", {row['temperature']:.0f} C"
            size, rate = row["memory_bytes"] / (1 << 20), row["rows_per_second"]
            parts.append(f"layers {row['layers']}, {size:.0f} MiB, {rate:.1f} t/s{heat}")
        print(printable("  ".join(parts)))
