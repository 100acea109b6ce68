# SPDX-License-Identifier: MIT
"""The five rules that make attention batch-invariant: the invariance test fails without each.

The reference is built with one rule left out at a time. Sums lose bits from 2 tiles on here, not from 256.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pyhexagon._ffi import contract

ROOT = Path(__file__).resolve().parents[2]
OTHERS = ["ref/attention/append.c", "ref/attention/halves.c", "ops/attention/attention.c"]
ATTEND, CODES = "ref/attention/attend.c", "ref/attention/codes.c"
LIMITS = {
    "ops/attention/attention.h": ("phx_tiles_shift(n_tiles, 8)", "phx_tiles_shift(n_tiles, 1)"),
    "ops/attention/attention.c": (r", 8, (\d+), 99}", r", 1, \1, 99}"),
}
MASKED = "        row->logits[i] = INVISIBLE;\n        if (sees("
KEY = re.compile(r"return weight\.is_visible \? (.*) : INT16_MAX;", re.S)
RULES: dict[str, tuple[str, Callable[[str], str]]] = {
    "none": (ATTEND, lambda text: text),
    "tokens are masked before the largest is sought": (
        ATTEND,
        lambda text: replaced(
            text,
            MASKED,
            "        row->logits[i] = logit_of(kind, row, tile, token);\n"
            "        largest = row->logits[i] > largest ? row->logits[i] : largest;\n" + MASKED,
        ),
    ),
    "the key of an invisible token is 32767": (CODES, lambda text: KEY.sub(r"return \1;", text, count=1)),
    "a row counts its own tiles": (
        ATTEND,
        lambda text: replaced(
            replaced(text, "phx_weights_up(row->n_tiles)", "phx_weights_up(call_tiles)"),
            "phx_tiles_shift(row->n_tiles, ",
            "phx_tiles_shift(call_tiles, ",
        ),
    ),
    "q's exponent is that of one token": (
        ATTEND,
        lambda text: replaced(text, "    int32_t largest = 0;\n", "    int32_t largest = call_largest;\n"),
    ),
    "the weight of an invisible token is 0": (
        ATTEND,
        lambda text: replaced(text, "{t, t >> 16, ", "{t, t >> 16 <= INVISIBLE_K ? t >> 16 : 0, "),
    ),
}


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times: the test no longer fits the reference"
    return text.replace(old, new)


def compiled(tree: Path, *arguments: str | Path) -> None:
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{platform.machine()}-linux-gnu.2.17", "-std=gnu11"]
    subprocess.run([*command, "-O1", f"-I{tree}/dsp", *map(str, arguments)], check=True, timeout=600)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the sources, with sums that lose bits early, and compile the common part once."""
    tree = tmp_path_factory.mktemp("rules")
    shutil.copytree(ROOT / "dsp", tree / "dsp", ignore=shutil.ignore_patterns("loopback", "hvx", "matmul"))
    shutil.copytree(ROOT / "idl", tree / "idl")
    for name, (old, new) in LIMITS.items():
        file = tree / "dsp" / name
        text, n = re.subn(old if "\\" in old else re.escape(old), new, file.read_text())
        assert n, name
        file.write_text(text)
    sources = [*(tree / "dsp" / name for name in OTHERS), ROOT / "tests/ops/attention_rules.c"]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda file: compiled(tree, "-c", file, "-o", tree / f"{file.stem}_once.o"), sources))
    return tree


@pytest.mark.parametrize("rule", RULES)
def test_each_rule_is_needed(tree: Path, rule: str) -> None:
    name, change = RULES[rule]
    number = list(RULES).index(rule)
    objects: list[Path] = sorted(tree.glob("*_once.o"))
    for file in (ATTEND, CODES):
        text = (tree / "dsp" / file).read_text()
        if file == name:
            changed = change(text)
            assert (changed != text) == (rule != "none")
            text = changed
        own = tree / "dsp" / Path(file).with_stem(f"{Path(file).stem}_{number}")
        own.write_text("#include <stdint.h>\nextern uint32_t call_tiles;\nextern int32_t call_largest;\n" + text)
        objects.append(own)
    program = tree / f"rules_{number}"
    compiled(tree, *objects, "-o", program)
    n_changed = int(subprocess.run([program, str(contract.DTYPES["Q8_0"])], capture_output=True, check=True).stdout)
    assert (n_changed > 0) == (rule != "none"), f"{n_changed} rows changed"
