# SPDX-License-Identifier: MIT
"""``pyhexagon logs``: the log messages of the DSP while it runs the first cases of the self test, or a program."""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
from typing import Any, Final

from pyhexagon import selftest
from pyhexagon.cli import on_board
from pyhexagon.cli.output import Output, add_device_options, printable
from pyhexagon.device import Device
from pyhexagon.errors import ArgumentError, HexagonError
from pyhexagon.process import dsplog

_CASES: Final = 3
_FARF: Final = (
    "Messages of the DSP's own software, and our errors, go to the system log. For all messages put a file "
    "{program}.farf with the line 0x1f beside the skel, {folder}, and read: "
    "journalctl -b | grep -iE 'adsprpc|cdsprpc|fastrpc'"
)
_FARF_LOOPBACK: Final = "The loopback prints all messages of its DSP on stderr with PYHEXAGON_LOOPBACK=log=1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "pyhexagon logs [options] [-- COMMAND ...]"
    add_device_options(parser)
    parser.add_argument(
        "--level", choices=dsplog.LEVELS[:-1], default="debug", help="lowest level to show (default debug)"
    )
    parser.add_argument(
        "command", nargs="*", metavar="COMMAND", help="a program to run, with the messages of its DSP on stderr"
    )
    on_board.add_option(parser)


def run(options: argparse.Namespace, output: Output) -> int:
    if options.command:
        return _follow(options)
    messages: list[dict[str, Any]] = []
    handler = _Handler(output, messages)
    dsplog.logger.addHandler(handler)
    old_level = dsplog.logger.level
    dsplog.logger.setLevel(options.level.upper())
    try:
        with Device(options.device, transport=options.transport, log_level=options.level) as device:
            info = device.info()
            problems = [
                verdict.problem for verdict in selftest.run(device, selftest.recorded()[:_CASES]) if verdict.problem
            ]
    except HexagonError as error:
        output.error(error, messages=messages)
        return 1
    finally:
        dsplog.logger.removeHandler(handler)
        dsplog.logger.setLevel(old_level)
    program = os.path.basename(sys.executable)
    farf = _FARF_LOOPBACK if info.loopback else _FARF.format(program=program, folder=os.path.dirname(info.skel))
    if output.as_json:
        output.json({"device": info.device, "messages": messages, "problems": problems, "farf": farf})
    else:
        result = "; ".join(problems) if problems else f"{_CASES} cases of the self test passed"
        output.facts([("device", info.device), ("result", result), ("FARF", farf)])
    return 1 if problems else 0


def _follow(options: argparse.Namespace) -> int:
    """Run another program with the messages of its DSP on stderr."""
    if options.json or options.device or options.transport:
        raise ArgumentError("with a COMMAND, only --level applies: the command has its own options")
    try:
        done = subprocess.run(options.command, env={**os.environ, dsplog.VARIABLE: options.level}, check=False)
    except OSError as error:
        raise ArgumentError(f"cannot run {options.command[0]}: {error.strerror}") from None
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


class _Handler(logging.Handler):
    """Prints a message at once, or keeps it for the JSON object."""

    def __init__(self, output: Output, messages: list[dict[str, Any]]) -> None:
        super().__init__()
        self._output = output
        self._messages = messages
        self.setFormatter(logging.Formatter(dsplog.FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        if self._output.as_json:
            facts = vars(record)
            self._messages.append({
                "level": record.levelname.lower(),
                "dsp_session": facts["dsp_session"],
                "dsp_time_ns": facts["dsp_time_ns"],
                "dsp_thread": facts["dsp_thread"],
                "text": record.getMessage(),
            })
        else:
            print(printable(self.format(record)), flush=True)
