# SPDX-License-Identifier: MIT
"""lm-evaluation-harness with the server: log probabilities and completions of local tasks, by the model's own
tokenizer."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import needs
import pytest

from pyhexagon import LLM
from pyhexagon.llm.engine.sampling import log_probabilities
from serve.serving import NAME, serving

TASK = """
task: {name}
dataset_path: json
dataset_kwargs: {{data_files: "{data}"}}
test_split: train
doc_to_text: "{{{{text}}}}"
doc_to_target: "{{{{label}}}}"
target_delimiter: ""
"""
CHOICE = 'output_type: multiple_choice\ndoc_to_choice: "{{choices}}"\nmetric_list: [{metric: acc}]\n'
COMPLETION = """
output_type: generate_until
generation_kwargs: {until: ["\\n\\n"], max_gen_toks: 12, do_sample: false}
metric_list: [{metric: exact_match}]
"""
DOCUMENTS: list[dict[str, Any]] = [
    {"text": "the in", "choices": [" and", " the of", " a"], "label": 0},
    {"text": "a cat", "choices": [" is", " in the"], "label": 1},
]


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A folder with two tasks, "choice" and "completion"."""
    data = tmp_path / "documents.jsonl"
    data.write_text("\n".join(map(json.dumps, DOCUMENTS)))
    for name, rest in (("choice", CHOICE), ("completion", COMPLETION)):
        (tmp_path / f"{name}.yaml").write_text(TASK.format(name=name, data=data) + rest)
    return tmp_path


def samples(folder: Path, url: str) -> dict[str, list[dict[str, Any]]]:
    """Run lm-eval, and return its samples by task, in the documents' order."""
    model = f"model={NAME},base_url={url}/v1/completions,tokenizer_backend=remote,max_length=200,num_concurrent=3"
    command: list[str | Path] = ["lm_eval", "--model", "local-completions", "--model_args", model, "--log_samples"]
    command += ["--tasks", "choice,completion", "--include_path", folder, "--output_path", folder / "out"]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(folder)}
    ran = subprocess.run(command, env=os.environ | offline, capture_output=True, text=True, check=False)
    assert not ran.returncode, ran.stderr[-2000:]
    made = {}
    for task in ("choice", "completion"):
        (path,) = folder.glob(f"out/**/samples_{task}_*.jsonl")
        made[task] = sorted(map(json.loads, path.read_text().splitlines()), key=lambda one: one["doc_id"])
    return made


def log_likelihood(llm: LLM, text: str, rest: str) -> tuple[float, bool]:
    """The log probability of a text after another one, and whether greedy sampling would give it."""
    n_begun = len(llm.tokenizer.encode(text, add_special=False))
    ids = llm.tokenizer.encode(text + rest, add_special=False)
    rows = log_probabilities(llm.logits(ids))[n_begun - 1 : -1]
    wanted = ids[n_begun:]
    total = sum(float(row[token]) for row, token in zip(rows, wanted, strict=True))
    return total, rows.argmax(axis=1).tolist() == wanted


def test_lm_eval_measures_the_model(llm: LLM, tasks: Path) -> None:
    needs.require("lm-eval")
    with serving(llm) as here:
        made = samples(tasks, here.url)
    for document, choice, completion in zip(DOCUMENTS, made["choice"], made["completion"], strict=True):
        wanted = [log_likelihood(llm, document["text"], rest) for rest in document["choices"]]
        assert choice["filtered_resps"] == [[str(number), str(is_greedy)] for number, is_greedy in wanted]
        begun = llm.tokenizer.encode(document["text"], add_special=False)
        text = llm.generate(begun, 12, 0, stop=["\n\n"]).text
        assert completion["filtered_resps"] == [text]
