# SPDX-License-Identifier: MIT
"""No `try` stands inside a `with` that holds a lock: Ctrl-C on its line would leave the lock held for ever.

CPython compiles the line of a `try` into an instruction that the surrounding `with` does not cover, so an exception
there skips the `with`'s exit. The `try` must surround the `with`, or be in a function called inside it.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "pyhexagon"
ROOMS = ("_ffi", "memory", "process", "program")  # where a resource left by a `with` affects other calls
MADE_BY = {"Lock", "RLock", "Condition", "Semaphore"}


def lock_names(trees: list[ast.Module]) -> set[str]:
    """Return the names of all attributes and variables that hold a lock."""
    names = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Call):
            made_by = node.value.func
            if isinstance(made_by, ast.Attribute) and made_by.attr in MADE_BY:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names |= {name for target in targets if (name := last_name(target))}
    return names


def last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def tries_within(node: ast.AST) -> Iterator[ast.Try]:
    """Yield the `try` statements of the same function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Try):
            yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from tries_within(child)


def faults(tree: ast.Module, locks: set[str], *, everywhere: bool) -> list[int]:
    """Return the lines of a `try` inside a `with` of a lock, or of anything."""
    return [
        one.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        and (everywhere or any(last_name(item.context_expr) in locks for item in node.items))
        for one in tries_within(node)
    ]


def test_no_try_stands_within_a_with_that_holds_something() -> None:
    paths = sorted(PACKAGE.rglob("*.py"))
    trees = [ast.parse(path.read_text("utf-8")) for path in paths]
    locks = lock_names(trees)
    assert {"lock", "_lock", "_changed", "_changing"} <= locks
    found = [
        f"{path.relative_to(PACKAGE)}:{line}"
        for path, tree in zip(paths, trees, strict=True)
        for line in faults(tree, locks, everywhere=path.relative_to(PACKAGE).parts[0] in ROOMS)
    ]
    assert found == []


WRONG = """
def call(lock, nothing):
    with lock:
        nothing()
        try:
            nothing()
        except ValueError:
            pass
"""


def test_the_rule_finds_what_leaves_a_lock_held() -> None:
    """An exception on the line of the `try`, as Ctrl-C may raise it, leaves the lock held."""
    assert faults(ast.parse(WRONG), {"lock"}, everywhere=False) == [5]
    names: dict[str, Any] = {}
    exec(compile(WRONG, "wrong.py", "exec"), names)

    def interrupt(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and frame.f_code.co_name == "call" and frame.f_lineno == 5:
            raise KeyboardInterrupt
        return interrupt

    lock = threading.Lock()
    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            names["call"](lock, lambda: None)
    finally:
        sys.settrace(before)
    if sys.version_info < (3, 14):  # a later one may cover the line
        assert lock.locked()
