# SPDX-License-Identifier: MIT
"""Coding agents that people use do a task against the server: they read files, edit one and run a command.

The model's completions are dictated (dictated.py), everything else is real: the agents, as docs/agents.md configures
them, the HTTP server, chat templates, engine, and the parsers of calls and reasoning.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import needs
import pytest

from serve import agents
from serve.dictated import FAMILIES, DictatedModel, Turn, write
from serve.serving import serving

TRANSCRIPTS: Final = "PYHEXAGON_TRANSCRIPTS"  # a folder, if set
OLD, NEW = "$((2 + 3))", "$((2 * 3))"
SCRIPT: Final = f'result={OLD}\necho "The result is $result"\n'
RUN: Final = "sh sums.sh | tee sums.txt"
LAST: Final = "It multiplies now."
PATCH: Final = f"*** Begin Patch\n*** Update File: sums.sh\n@@\n-result={OLD}\n+result={NEW}\n*** End Patch\n"


@dataclass(frozen=True)
class Calls:
    """What a model calls of an agent's tools.

    Attributes:
        read: returns the tool and arguments that read a file.
        edit: returns those that change the file at a path.
        run: those that run the command.
        missing: what the result says of a file that is not there.
    """

    read: Callable[[Path], tuple[str, dict[str, Any]]]
    edit: Callable[[Path], tuple[str, dict[str, Any]]]
    run: tuple[str, dict[str, Any]]
    missing: str


def codex(command: str) -> tuple[str, dict[str, Any]]:
    """Return a call of Codex's shell, which waits longer than a busy machine takes, so that the result is whole."""
    return "exec_command", {"cmd": command, "yield_time_ms": 30000}


CODEX: Final = Calls(
    lambda path: codex(f"cat {path}"),
    lambda path: codex(f"apply_patch <<'EOF'\n{PATCH}EOF"),
    codex(RUN),
    "No such file",
)
CLAUDE: Final = Calls(
    lambda path: ("Read", {"file_path": str(path)}),
    lambda path: ("Edit", {"replace_all": False, "file_path": str(path), "old_string": OLD, "new_string": NEW}),
    ("Bash", {"command": RUN, "description": "Run it"}),
    "File does not exist",
)
OPENCODE: Final = Calls(
    lambda path: ("read", {"filePath": str(path)}),
    lambda path: ("edit", {"filePath": str(path), "oldString": OLD, "newString": NEW}),
    ("bash", {"command": RUN, "description": "Run it"}),
    "File not found",
)
QWEN: Final = Calls(
    lambda path: ("read_file", {"file_path": str(path)}),
    lambda path: ("edit", {"file_path": str(path), "old_string": OLD, "new_string": NEW}),
    ("run_shell_command", {"command": RUN, "is_background": False}),
    "File not found",
)


@dataclass(frozen=True)
class Case:
    """An agent with a model.

    Attributes:
        heading, program, option, environment: as of ``agents.run``.
        family: of the model.
        calls: of the agent's tools.
        reasoning: whether the model reasons; None: it never does.
        more_calls: further calls of the first message.
        is_cached: whether each prompt begins with the one before and its completion, so that the cache has both.
    """

    heading: str
    program: str
    family: str
    calls: Calls
    reasoning: bool | None
    option: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    more_calls: Sequence[tuple[str, dict[str, Any]]] = ()
    is_cached: bool = True

    def turns(self, work: Path) -> list[tuple[str, Turn]]:
        """Return the model's messages, each with the words of a prompt that ask for it."""
        read, edit = self.calls.read, self.calls.edit
        reading = [read(work / "sums.sh"), read(work / "lost.sh"), *self.more_calls]
        return [
            (agents.TASK, Turn("I read both scripts.", reading, "First I must see it.")),
            (OLD, Turn("", [edit(work / "sums.sh")], "It adds.")),
            (NEW, Turn("Now I run it.", [self.calls.run], "It should say 6.")),
            ("The result is 6", Turn(LAST, (), "It does.")),
        ]

    @property
    def name(self) -> str:
        return f"{self.program}-{self.family}{'-without-reasoning' if self.reasoning is False else ''}"


CASES: Final = [
    # Codex's sub-agents are in a namespace; there is none with this name, which only Codex can know.
    Case("Codex", "codex", "qwen3.5", CODEX, True, more_calls=[("close_agent", {"target": "nobody"})]),
    # Templates that are not cached: Qwen 3's drops the empty block of reasoning of earlier messages, Gemma 4's writes
    # a text behind the results, Mistral Nemo's has the ids of calls, which the server makes.
    Case("Codex", "codex", "qwen3", CODEX, False, option="-c model_reasoning_effort=none", is_cached=False),
    Case("Codex", "codex", "gpt-oss", CODEX, True, option="-c model_reasoning_effort=high"),
    Case("Claude Code", "claude", "qwen3.5", CLAUDE, True),
    Case("Claude Code", "claude", "qwen3.5", CLAUDE, False, environment={"MAX_THINKING_TOKENS": "0"}),
    Case("Claude Code", "claude", "gemma4", CLAUDE, True, is_cached=False),
    Case("OpenCode", "opencode", "mistral-nemo", OPENCODE, None, is_cached=False),
    Case("Qwen Code", "qwen", "qwen3-coder", QWEN, None),
]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository with a script."""
    (tmp_path / "home").mkdir()
    work = tmp_path / "work"
    work.mkdir()
    subprocess.run(["git", "init", "-q", work], check=True)
    (work / "sums.sh").write_text(SCRIPT, encoding="utf-8")
    return work


def is_about_task(prompt: str, names: Collection[str]) -> bool:
    """Whether a prompt is of the task and offers the tools; if not, it asks for something else, such as a title."""
    return agents.TASK in prompt and all(name in prompt for name in names)


def script(turns: Sequence[tuple[str, Turn]], names: Collection[str]) -> Callable[[str], Turn]:
    """Return a script that answers with the last turn whose words are in the prompt.

    Args:
        turns: pairs of words and a turn.
        names: of tools and of their parameters.
    """

    def answer(prompt: str) -> Turn:
        if not is_about_task(prompt, names):
            return Turn("Sums")
        return [turn for words, turn in turns if words in prompt][-1]

    return answer


def transcribe(name: str, result: agents.Run, model: DictatedModel) -> str:
    """Return what an agent and the model said; write it into the folder that the environment names."""
    text = f"exit code {result.code}\nother hosts: {result.hosts}\n"
    text += f"--- output\n{result.output}\n--- errors\n{result.errors}"
    for prompt, completion in model.turns:
        text += f"\n--- prompt, {len(model.tokenizer.encode(prompt))} tokens, its end\n{prompt[-600:]}"
        text += f"\n--- completion\n{completion}"
    if folder := os.environ.get(TRANSCRIPTS):
        Path(folder, f"{name}.txt").write_text(text, encoding="utf-8")
    return text


def check_outcome(work: Path, result: agents.Run, told: str) -> None:
    """Check that the agent did its task, and talked to the server only."""
    assert result.code == 0, told
    assert (work / "sums.sh").read_text(encoding="utf-8") == SCRIPT.replace(OLD, NEW), told
    assert (work / "sums.txt").read_text(encoding="utf-8") == "The result is 6\n", told
    assert not result.hosts, told


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_agent_reads_edits_and_runs(case: Case, work: Path) -> None:
    for name in ("smollm2", "chat templates", case.program):
        needs.require(name)
    family, turns = FAMILIES[case.family], case.turns(work)
    names = {name for _, turn in turns for tool, given in turn.calls for name in (tool, *given)}
    path = write(work.parent / "model.gguf", family)
    with DictatedModel(path, family, script(turns, names)) as llm, serving(llm, name="model", n_parallel=2) as here:
        result = agents.run(
            case.heading, case.program, here.url, work.parent, option=case.option, environment=case.environment
        )
        told = transcribe(case.name, result, llm)
    check_outcome(work, result, told)
    assert LAST in result.output, told
    talk = [(prompt, completion) for prompt, completion in llm.turns if is_about_task(prompt, names)]
    assert len(talk) == len(turns), told
    prompts = [prompt for prompt, _ in talk]
    if case.is_cached:
        for (prompt, completion), following in pairwise(talk):
            assert following[0].startswith(prompt + completion), told
    if not family.is_single:  # the results are in the order of their calls
        results = prompts[1].partition("lost.sh")[2]
        assert results.index(OLD) < results.index(case.calls.missing), told
        assert not any(f"unsupported call: {name}" in results for name, _ in case.more_calls), told
    thoughts = [turn.reasoning for _, turn in turns]
    if case.reasoning:
        for number, prompt in enumerate(prompts):
            assert all(thought in prompt for thought in thoughts[:number]), told
    else:
        assert not any(thought in prompts[-1] for thought in thoughts), told
    if case.reasoning is False:
        assert all(prompt.endswith("<think>\n\n</think>\n\n") for prompt in prompts), told


def edited(old: str, new: str) -> str:
    """Return an answer with an edit in aider's format."""
    return f"sums.sh\n```\n<<<<<<< SEARCH\nresult={old}\n=======\nresult={new}\n>>>>>>> REPLACE\n```\n"


def test_aider_edits_until_its_command_succeeds(work: Path) -> None:
    """The first edit is wrong, and the command that aider runs after each edit fails."""
    for name in ("smollm2", "chat templates", "aider"):
        needs.require(name)
    wrong = "$((2 - 3))"
    turns = [
        (agents.TASK, Turn(edited(OLD, wrong), (), "It adds.")),
        ("And got this output", Turn(edited(wrong, NEW), (), "That was wrong.")),
    ]
    family = FAMILIES["qwen3"]
    path = write(work.parent / "model.gguf", family)
    names = ["SEARCH/REPLACE"]
    with DictatedModel(path, family, script(turns, names)) as llm, serving(llm, name="model", n_parallel=2) as here:
        result = agents.run("aider", "aider", here.url, work.parent)
        told = transcribe("aider", result, llm)
    check_outcome(work, result, told)
    completions = [completion for prompt, completion in llm.turns if is_about_task(prompt, names)]
    assert [text.partition("</think>\n\n")[2] for text in completions] == [turn.content for _, turn in turns], told
