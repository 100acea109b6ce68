# SPDX-License-Identifier: MIT
"""Start-up costs: ``import pyhexagon`` and ``pyhexagon --help`` import no heavy module."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import pyhexagon
from pyhexagon import compat, llm

HEAVY = frozenset({
    "_cffi_backend", "cffi", "gguf", "huggingface_hub", "jinja2", "llguidance", "numpy", "rich", "starlette",
    "tokenizers", "uvicorn", "yaml",
})  # fmt: skip
RUN = """
import json, sys
{statement}
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
HELP = "from pyhexagon.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"


def started(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has after a statement."""
    command = [sys.executable, "-c", RUN.format(statement=statement)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize(("name", "statement"), [("import pyhexagon", "import pyhexagon"), ("pyhexagon --help", HELP)])
def test_starting_imports_nothing_heavy(name: str, statement: str, figure: Callable[[str], None]) -> None:
    modules = started(statement)
    figure(f"{name:<20}{len(modules)} modules")
    assert {module.partition(".")[0] for module in modules} & HEAVY == set()
    ours = {module for module in modules if module.startswith("pyhexagon.")}
    allowed = {"pyhexagon.errors.aee", "pyhexagon.errors", "pyhexagon.lazy", "pyhexagon.version"}
    assert ours - allowed == ({"pyhexagon.cli"} if statement == HELP else set())


def test_a_command_imports_no_other_command() -> None:
    modules = started("from pyhexagon.cli import main\ntry: main(['tensors', '--help'])\nexcept SystemExit: pass")
    assert {module for module in modules if module.startswith("pyhexagon.cli.")} == {
        "pyhexagon.cli.argument_order", "pyhexagon.cli.config_file", "pyhexagon.cli.examples",
        "pyhexagon.cli.llama_flags", "pyhexagon.cli.on_board", "pyhexagon.cli.output", "pyhexagon.cli.tensors",
    }  # fmt: skip
    assert not any(module.startswith(("pyhexagon.llm.", "pyhexagon.serve")) for module in modules)


@pytest.mark.parametrize("package", [pyhexagon, compat, llm], ids=lambda package: package.__name__)
def test_every_public_name_is_there_and_known_to_type_checkers(package: ModuleType) -> None:
    assert package.__file__ is not None
    imported = {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(Path(package.__file__).read_text()))
        if isinstance(node, ast.ImportFrom) and node.module not in ("typing", "pyhexagon", "pyhexagon.version")
        for alias in node.names
    }
    assert imported.keys() == set(package.__all__)
    for name, module in imported.items():
        assert getattr(package, name) is getattr(importlib.import_module(module), name)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="has no attribute 'Devise'"):
        package.Devise  # noqa: B018
