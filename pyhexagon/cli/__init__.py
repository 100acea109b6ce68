# SPDX-License-Identifier: MIT
"""The ``pyhexagon`` command: one module per sub-command, each with ``add_arguments`` and ``run``.

Results go to stdout, as tables or, with ``--json``, as one JSON object, or a list of them. Exit codes: 0, 1 for an
error (one line on stderr, or ``{"error": ...}`` with ``--json``), 2 for wrong usage.

The config file has defaults of options, by command (``config_file``); ``--no-config`` ignores it.

A command's module is imported when the command is called: ``pyhexagon --help`` imports none of them, and not NumPy.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn

from pyhexagon.errors import HexagonError
from pyhexagon.version import VERSION

_INTERRUPTED = 130  # 128 + SIGINT, as shells have it


class _Command(NamedTuple):
    name: str
    module: str  # of this package
    summary: str  # for ``pyhexagon --help``


_GROUPS: Final = {
    "language models": (
        _Command("chat", "chat", "chat with a model"),
        _Command("run", "run", "complete a prompt"),
        _Command("serve", "serve", "serve a model over HTTP: OpenAI's, Anthropic's, Ollama's APIs, a chat page"),
        _Command("map", "map", "complete a file of prompts, on one board or on several"),
        _Command("embed", "embed", "embed texts: print their cosine similarities or the vectors"),
        _Command("transcribe", "transcribe", "write down what is said in audio files or at the microphone"),
        _Command("wyoming", "wyoming", "serve a speech model to Home Assistant (Wyoming protocol)"),
        _Command("eval", "evaluate", "measure a model's perplexity, or whether batches change its completions"),
        _Command("pull", "pull", "download a model by name, or give a file a name"),
        _Command("list", "list_models", "list the models that have names"),
        _Command("rm", "remove", "remove models by name"),
        _Command("show", "show", "show a model's architecture and the memory it needs"),
    ),
    "GGUF files and matmuls": (
        _Command("example", "example", "write a small GGUF file to try the commands on"),
        _Command("tensors", "tensors", "list the tensors of a GGUF file"),
        _Command("matmul", "matmul", "multiply a tensor of a GGUF file with random activations"),
    ),
    "the device": (
        _Command("info", "info", "open the device and show its properties"),
        _Command("doctor", "doctor", "find out why the device does not work, and how to fix it"),
        _Command("selftest", "selftest", "compare the device's ops bit for bit with recorded results"),
        _Command("ops", "ops", "show which types each op takes, test the ops, or count packets"),
        _Command("tune", "tune", "measure which transport, clocks and threads are best, and write a profile"),
        _Command("bench", "bench", "benchmark matmuls, language models and the cost of a call"),
        _Command("logs", "logs", "show the DSP's log messages"),
        _Command("kernel", "kernel", "compile, check and save a kernel of yours in C"),
        _Command("report", "report", "write doctor, self test, benchmarks and a chat to one file"),
    ),
    "boards": (
        _Command("deploy", "deploy", "install pyhexagon on a board over ssh and test it there"),
        _Command("cluster", "cluster", "run one model on several boards"),
    ),
    "the command line": (
        _Command("completion", "completion", "print a script that completes commands in bash, zsh or fish"),
    ),
    "emulator": (
        _Command("get-qemu", "get_qemu", "print the path of a QEMU for loopback:qemu, download it if needed"),
        _Command("cache", "cache", "show or empty the folder of downloaded programs"),
    ),
}


_BOARDS: Final = frozenset(command.name for command in _GROUPS["boards"])  # their options are of other machines
_SAME: Final = {"help": "--help", "version": "--version", "-v": "--version", "-V": "--version", "ls": "list"}
_OTHERS: Final = {  # what other programs call a command
    "download": "pull", "remove": "rm", "delete": "rm", "generate": "run", "complete": "run", "server": "serve",
    "start": "serve", "benchmark": "bench", "perplexity": "eval", "ps": "list",
}  # fmt: skip
_EPILOG: Final = """\
examples:
  pyhexagon pull smollm2:135m                download a small model
  pyhexagon chat smollm2:135m --device cpu   chat with it on a PC
  pyhexagon serve smollm2:135m               OpenAI's API and a chat page on port 8080
  pyhexagon doctor                           find out why a board's DSP does not work

pyhexagon COMMAND --help shows the options of a command, ~/.config/pyhexagon/config.toml has defaults of them.
"""


def main(arguments: Sequence[str] | None = None, *, ready: Callable[[], object] | None = None) -> int:
    """Runs the command and returns its exit code.

    Args:
        arguments: of the command line; by default the process's.
        ready: called when the command's modules are imported, before the command opens anything.
    """
    try:
        _prepare_streams()
        arguments = sys.argv[1:] if arguments is None else arguments
        options = _parser().parse_args(arguments)
        if ready is not None:
            ready()
        code = _run(options, arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except ImportError as error:
        if not (name := _lacking(error)):
            raise
        print(
            f"pyhexagon: error: this Python ({sys.executable} {sys.version.split()[0]}) lacks its own module {name}. "
            f"Hint: install python3-modules on Qualcomm Linux and other Yocto images, python3-full on Debian and "
            f"Ubuntu; a Python that you built needs the headers of {name}'s library and a new build.",
            file=sys.stderr,
        )
        return 1
    except OSError as error:  # the disk is full, or the reader of the pipe has gone
        if not isinstance(error, BrokenPipeError):
            print(f"pyhexagon: error: {error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the interpreter's last flush fails, too
        return 1
    return code


def _lacking(error: ImportError) -> str:
    """Return the module of Python's standard library whose absence is the error, or an empty string."""
    name = (error.name or "").partition(".")[0]
    return name.lstrip("_") if name in sys.stdlib_module_names else ""


def _prepare_streams() -> None:
    """Opens /dev/null for a closed stdout or stderr, and makes stdout escape what its encoding lacks."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    from pyhexagon.cli.output import Output

    output = Output(as_json=options.json)
    try:
        if getattr(options, "on", None) is not None:
            from pyhexagon.cli import on_board, report

            if options.run is not report.run:  # which runs each of its steps there
                return on_board.run(options, arguments)
        return options.run(options, output) or 0
    except HexagonError as error:
        output.error(error)
    except MemoryError as error:
        output.error(HexagonError(str(error) or "out of memory"))
    return 1


class _TopParser(argparse.ArgumentParser):
    """The parser of the whole command line: finds the command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        args = list(args)
        if not args:
            self.print_help(sys.stderr)
            self.exit(2)
        if args[0] == "help" and args[1:]:
            args = [args[1], "--help"]
        args[0] = _SAME.get(args[0], args[0])
        names = [command.name for group in _GROUPS.values() for command in group]
        if args[0] not in names and not args[0].startswith("-"):
            import difflib

            near = [_OTHERS[args[0]]] if args[0] in _OTHERS else difflib.get_close_matches(args[0], names, 2)
            meant = f": did you mean {' or '.join(near)}?" if near else ""
            self.error(f"there is no command {args[0]}{meant}; pyhexagon --help lists the commands")
        return super().parse_known_args(args, namespace)


class _CommandParser(argparse.ArgumentParser):
    """The parser of one command: imports the command's module when it parses for the first time."""

    module = ""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given, allow_abbrev=False)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.load() and "--no-config" not in args:
            self._configure()
        if any(isinstance(action, argparse._SubParsersAction) for action in self._actions):
            return super().parse_known_args(args, namespace)
        from pyhexagon.cli import argument_order, llama_flags

        try:
            args = llama_flags.translate(self, args)
        except llama_flags.FlagError as error:
            self.error(str(error))
        if unknown := llama_flags.glued(self, args):
            self.error(llama_flags.refusal(self, [unknown]))
        args, others = argument_order.options_first(self, args)
        if others:
            self.error(llama_flags.refusal(self, others))
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(llama_flags.refusal(self, unknown))
        return options, unknown

    def format_help(self) -> str:
        from pyhexagon.cli import argument_order

        self.usage = self.usage or argument_order.short_usage(self)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        from pyhexagon.cli import argument_order, on_board

        print(f"usage: {argument_order.short_usage(self)}; {self.prog} --help lists the options", file=sys.stderr)
        self.exit(2, f"{self.prog}{on_board.speaker()}: error: {message}\n")

    def load(self) -> bool:
        """Import the command's module and add its arguments; return whether that was still to do."""
        if not self.module:
            return False
        from pyhexagon.cli import examples

        module, self.module = importlib.import_module(f"pyhexagon.cli.{self.module}"), ""
        module.add_arguments(self)
        examples.add(self)
        if hasattr(module, "run"):  # ``bench`` has sub-commands, each with its own
            self.add_argument("--json", action="store_true", help="print one JSON object")
            self.set_defaults(run=module.run)
        self.add_argument("--no-config", action="store_true", help="ignore the config file")
        return True

    def _configure(self) -> None:
        """Take the defaults of the config file."""
        from pyhexagon.cli import config_file

        name = self.prog.split()[-1]
        try:
            tables = config_file.read([command.name for group in _GROUPS.values() for command in group])
            if name not in _BOARDS:
                config_file.apply_shared(self, tables)
            config_file.apply(self, tables.get(name, {}), name)
        except config_file.ConfigError as error:
            self.exit(2, f"pyhexagon: error: {error}\n")


def _parser() -> argparse.ArgumentParser:
    lines = []
    for title, group in _GROUPS.items():
        lines += [f"\n{title}:", *(f"  {command.name:<10} {command.summary}" for command in group)]
    parser = _TopParser(
        prog="pyhexagon",
        usage="pyhexagon [-h] [--version] COMMAND ...",
        description="Language models and matrix products on Qualcomm's Hexagon DSP.\n" + "\n".join(lines),
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"pyhexagon {VERSION}")
    commands = parser.add_subparsers(
        required=True, metavar="COMMAND", help=argparse.SUPPRESS, prog="pyhexagon", parser_class=_CommandParser
    )
    for group in _GROUPS.values():
        for command in group:
            commands.add_parser(command.name, help=command.summary).module = command.module
    return parser


def complete_parser() -> argparse.ArgumentParser:
    """Return the parser with all arguments of all commands, for completion scripts and the man page."""
    parser = _parser()
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            action.help = None
            for command in action.choices.values():
                command.load()
    return parser
