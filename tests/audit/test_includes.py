# SPDX-License-Identifier: MIT
"""A build compiles a source again when a header changes, though the compiler writes no dependency files."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import toolchain


def _sample(directory: Path) -> dict[str, list[str]]:
    """Return commands that compile: the largest source of each folder, with each compiler and each set of options."""
    found: dict[tuple[str, ...], list[str]] = {}
    for line in toolchain.commands(directory, "all").splitlines():
        words = shlex.split(line.rpartition("&& ")[2])
        if "-c" not in words or (source := _source(words)).suffix != ".c" or toolchain.ROOT not in source.parents:
            continue  # the assembly includes nothing
        options = [word for word in words if word.startswith(("-target", "--target", "-m"))]
        key = (str(source.parent), *options)
        if key not in found or source.stat().st_size > _source(found[key]).stat().st_size:
            found[key] = words
    return {words[words.index("-o") + 1]: words for words in found.values()}


def _source(words: list[str]) -> Path:
    return Path(words[words.index("-c") + 1])


def test_every_header_that_the_compiler_reads_is_an_input_of_the_object(tmp_path: Path) -> None:
    directory = tmp_path / "build"
    toolchain.configure(toolchain.ROOT, directory, {"PYHEXAGON_PD": "OFF"})
    sample = _sample(directory)
    assert len(sample) > 30
    for output, words in sample.items():
        command = [word for word in words if word not in ("-c", "-o", output)]
        done = subprocess.run([*command, "-MM"], capture_output=True, text=True, check=True)
        read = {Path(os.path.normpath(name)) for name in done.stdout.replace("\\\n", " ").split()[1:]}
        inputs = toolchain.inputs(directory, output)
        assert {path for path in read if toolchain.ROOT in path.parents} - inputs == set(), output
        assert Path(words[0]) in inputs
