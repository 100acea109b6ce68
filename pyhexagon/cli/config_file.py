# SPDX-License-Identifier: MIT
"""The config file: defaults of commands' options, in ``$XDG_CONFIG_HOME/pyhexagon/config.toml``.

::

    device = "cpu"      # of all commands that have the option
    [chat]
    temp = 0.2
    [bench.model]
    r = 5
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

SHARED: Final = ("device", "transport", "threads", "power", "latency", "no-profile")
"""The options that may stand above all tables, for every command that has them."""


class ConfigError(Exception):
    """The config file is wrong; the message says where."""


def path() -> Path:
    """Return the path of the config file, whether it exists or not."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "pyhexagon/config.toml"


def read(known: Iterable[str]) -> dict[str, Any]:
    """Return the tables of the config file, by command, and the values above them; empty without a file.

    Args:
        known: the names of all commands.

    Raises:
        ConfigError: the file cannot be read, is not TOML, or has another table or value.
    """
    file = path()
    if not file.exists():
        return {}
    tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        tables: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: {error}") from None
    for name, table in tables.items():
        if name in SHARED and not isinstance(table, dict):
            continue
        if name not in known and not isinstance(table, dict):
            near = _near(name, SHARED) or f": expected one of {', '.join(SHARED)}"
            raise ConfigError(f"{file}: {name} is no option for all commands{near}")
        if name not in known:
            near = _near(name, known) or "; options for all commands stand above all tables"
            raise ConfigError(f"{file}: there is no command {name}{near}")
        if not isinstance(table, dict):
            raise ConfigError(f"{file}: {name} is not a table: expected [{name}] and options below it")
    return tables


def apply(parser: argparse.ArgumentParser, table: Mapping[str, Any], name: str) -> None:
    """Make the options of a table defaults of a parser, and those of tables in it defaults of its sub-commands.

    Raises:
        ConfigError: there is no such option, or the option does not take the value.
    """
    options, commands = {}, {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            commands.update(action.choices)
        else:
            options.update({option.lstrip("-"): action for option in action.option_strings})
    del options["h"], options["help"]
    for key, value in table.items():
        where = f"{path()}: [{name}]"
        if key in commands and isinstance(value, dict):
            apply(commands[key], value, f"{name}.{key}")
        elif key in options:
            parser.set_defaults(**{options[key].dest: _converted(options[key], value, f"{where} {key}")})
        else:
            raise ConfigError(f"{where} has no option {key}{_near(key, [*options, *commands])}")


def apply_shared(parser: argparse.ArgumentParser, tables: Mapping[str, Any]) -> None:
    """Make the values above all tables defaults of the options that a parser and its sub-commands have.

    Raises:
        ConfigError: an option does not take its value.
    """
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                apply_shared(command, tables)
        for name in {option.lstrip("-") for option in action.option_strings} & set(SHARED) & set(tables):
            parser.set_defaults(**{action.dest: _converted(action, tables[name], f"{path()}: {name}")})


def _converted(action: argparse.Action, value: object, where: str) -> object:
    """Return a value as the option's action would store it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ConfigError(f"{where} is {value!r}: expected true or false")
        return action.const if value else action.default
    if isinstance(value, list):
        if not isinstance(action.default, list):
            raise ConfigError(f"{where} takes one value")
        return [_converted_one(action, item, where) for item in value]
    converted = _converted_one(action, value, where)
    return [converted] if isinstance(action.default, list) and action.type is None else converted


def _converted_one(action: argparse.Action, value: object, where: str) -> object:
    if isinstance(value, (bool, dict)) or not isinstance(value, (str, int, float)):
        raise ConfigError(f"{where} is {value!r}: expected a text or a number")
    if "\0" in str(value):  # no command line can have one, so no option expects it
        raise ConfigError(f"{where} is {value!r}: expected a text without NUL")
    converted: object = str(value)
    if callable(action.type):
        try:
            converted = action.type(str(value))
        except (ValueError, TypeError, argparse.ArgumentTypeError) as error:
            raise ConfigError(f"{where} is {value!r}: {error}") from None
    if action.choices is not None and converted not in action.choices:
        raise ConfigError(f"{where} is {value!r}: expected one of {', '.join(map(str, action.choices))}")
    return converted


def _near(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f": did you mean {near[0]}?" if near else ""
