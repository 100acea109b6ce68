# SPDX-License-Identifier: MIT
"""docs/agents.md, as tests/serve/test_agents.py reads it."""

from __future__ import annotations

import json
import re

import pytest
from agent_programs import PROGRAMS
from serve import agents

HEADINGS = {"codex": "Codex", "claude": "Claude Code", "opencode": "OpenCode", "qwen": "Qwen Code", "aider": "aider"}
FILES = {
    "codex": [".codex/config.toml"], "claude": [], "opencode": [".config/opencode/opencode.json"],
    "qwen": [".qwen/settings.json"], "aider": [".aider.model.metadata.json", ".aider.conf.yml"],
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_page_has_files_and_a_command_of_each_agent(program: str) -> None:
    url = "http://127.0.0.1:1234"
    files, script = agents.configuration(HEADINGS[program], program, url, "--option")
    assert list(files) == FILES[program]
    assert all(json.loads(text) for name, text in files.items() if name.endswith(".json"))
    text = script + "".join(files.values())
    assert url in text
    assert "8080" not in text
    assert len(re.findall(rf"^exec nice {program}.* --option .*", script, re.MULTILINE)) == 1
    assert agents.TASK in script


def test_the_page_names_the_versions_that_are_tested() -> None:
    table = dict(re.findall(r"^\| \[([^]]+)\]\(#[a-z-]+\) \| ([\d.]+) \|", agents.page(), re.MULTILINE))
    assert table == {HEADINGS[name]: program.version for name, program in PROGRAMS.items()}
