# SPDX-License-Identifier: MIT
"""``pyhexagon run``."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import gguf
import pytest
from llm import tiny
from llm.test_vision_chat import write
from llm.vision_files import picture
from PIL import Image

from pyhexagon import LLM, cli, extras
from pyhexagon.cli import on_board
from pyhexagon.gguf.file import GGUFFile


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama")


def test_json_has_all_that_was_made(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["run", str(model), "--device", "loopback", "-n", "6", "--temp", "0", "-c", "64", "--json"]
    assert cli.main([*common, "-p", "the and"]) == 0
    result = json.loads(capsys.readouterr().out)
    with LLM(model, 64, device="loopback") as llm:
        made = llm.generate("the and", 6, temperature=0)
    assert tuple(result["prompt_tokens"]) == made.prompt_tokens
    assert (tuple(result["tokens"]), result["text"]) == (made.tokens, made.text)
    assert result["finish_reason"] == made.finish_reason
    assert result["timings"]["prompt_seconds"] > 0
    assert set(result["memory"]) == {"model", "context", "compute"}
    assert cli.main([*common, "--tokens", ",".join(map(str, made.prompt_tokens))]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == result["tokens"]


def test_the_text_comes_on_stdout_and_the_rates_on_stderr(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", str(model), "--device", "loopback", "-n", "4", "--seed", "1", "-p", "the and"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("the and")
    lines = shown.err.splitlines()
    assert lines[0].endswith("tiny.gguf: llama, Q8_0 15")
    assert lines[1] == "offloaded 3/3 layers to loopback"
    uri = r"file:///libpyhexagon_skel\.so\?pyhexagon_skel_handle_invoke&_modver=1\.0&_dom=cdsp(&_session=\d)?"
    assert re.fullmatch(rf"session 0: session id \d of the cdsp, domain id \d+, {uri}", lines[2])
    assert lines[3].startswith("[ session 0: model ")
    assert lines[4].startswith("[ host: process ")
    assert lines[5] == "(cut at -n 4 tokens)"
    assert lines[6].startswith("[ Prompt: ")
    assert " t/s | Generation: " in lines[6]
    numbers = [float(number) for number in re.findall(r"\d+\.\d", lines[7])]
    assert sum(numbers[:3]) == pytest.approx(numbers[3], abs=0.16)
    process, total, free = (float(number) for number in re.findall(r"\d+\.\d", lines[8]))
    (system,) = (line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemTotal:"))
    assert total == pytest.approx(int(system.split()[1]) / 1024, abs=0.1)
    assert 10 < process < total
    assert 0 < free < total


def test_a_prompt_needs_no_option(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--device", "loopback", "-n", "1", "--temp", "0"]
    assert cli.main(["run", str(model), "-p", "the and", *options]) == 0
    expected = capsys.readouterr().out
    assert cli.main(["run", str(model), "the and", *options]) == 0
    assert capsys.readouterr().out == expected
    with pytest.raises(SystemExit):
        cli.main(["run", str(model), "the and", "-p", "the"])
    assert "argument PROMPT: not allowed with argument -p/--prompt" in capsys.readouterr().err


def test_a_file_as_prompt(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("the é", encoding="utf-8")
    assert cli.main(["run", str(model), "--device", "loopback", "-n", "1", "-f", str(prompt)]) == 0
    assert capsys.readouterr().out.startswith("the é")
    assert cli.main(["run", str(model), "--device", "loopback", "-f", str(tmp_path / "none")]) == 1
    assert "No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-p", "x", "-n", "0"], "-n is 0: expected 1 or more"),
        (["-p", "x", "--seed", "-1"], "--seed is -1"),
        (["-p", "x", "-c", "0"], "-c is 0: expected 1 or more"),
        (["-p", "x", "-c", "-7"], "-c is -7: expected 1 or more"),
        (["-p", "x", "--system", "y"], "--system needs --chat"),
        (["-p", "x", "--parse-special"], "--parse-special needs --chat"),
        (["-p", "x", "--chat"], "has no chat template"),
        (["--tokens", "9999"], "9999"),
        (["-p", "x", "--top-p", "2"], "--top-p is 2.0: expected 0 to 1"),
        (["-p", "x", "--temp", "-1"], "--temp is -1.0: expected 0 or more"),
        (["-p", "x", "--repeat-penalty", "0"], "--repeat-penalty is 0.0 and --repeat-last-n is 64"),
        (["-p", "x", "--top-nsigma", "nan"], "--top-nsigma is nan"),
        (["-p", "x", "--dry-base", "0"], "--dry-base is 0.0"), (["-p", "x", "--lookup", "-1"], "--lookup is -1"),
        (["-p", "x", "--presence-penalty", "inf"], "--presence-penalty is inf"),
        (["-p", "x", "--keep", "-2"], "--keep is -2"),
        (["-p", "x", "--frequency-penalty", "nan"], "--frequency-penalty is nan"),
        (["-p", "x", "--stop", ""], "--stop is ['']"),
    ],
)
def test_mistakes_are_one_line(
    model: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert cli.main(["run", str(model), "--device", "loopback", *arguments]) == 1
    *loading, error = capsys.readouterr().err.splitlines()
    assert words in error
    assert "error" not in "".join(loading)


def test_stdin_as_prompt(model: Path) -> None:
    command = [sys.executable, "-m", "pyhexagon", "run", str(model), "--device", "cpu", "-n", "1", "--json", "-f", "-"]
    done = subprocess.run(command, input="the and", capture_output=True, text=True, check=True)
    with LLM(model, 64, device="cpu") as llm:
        assert json.loads(done.stdout)["prompt_tokens"] == llm.tokenizer.encode("the and")


def test_a_pipe_as_prompt(model: Path) -> None:
    command = [sys.executable, "-m", "pyhexagon", "run", str(model), "--device", "cpu", "-n", "1", "--json"]
    done = subprocess.run(command, input="the and\n", capture_output=True, text=True, check=True)
    with LLM(model, 64, device="cpu") as llm:
        assert json.loads(done.stdout)["prompt_tokens"] == llm.tokenizer.encode("the and")
    done = subprocess.run(command, input="", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "there is no prompt, and stdin is empty" in done.stdout


def test_without_a_prompt_on_a_terminal(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert cli.main(["run", str(model), "--device", "loopback"]) == 1
    message = capsys.readouterr().err
    assert f"there is no prompt. Hint: pyhexagon run {model} PROMPT; for a conversation, pyhexagon chat" in message


def test_a_completion_by_a_chat_model_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tiny.write(tmp_path / "t.gguf", "llama", edit=lambda w: w.add_chat_template("{{ messages[0].content }}"))
    options = ["--device", "loopback", "-n", "1", "-c", "64"]
    for more, is_told in (([], True), (["--chat"], False)):
        assert cli.main(["run", str(model), "the", *options, *more]) == 0
        assert ("--chat asks it as a question" in capsys.readouterr().err) is is_told


def test_a_grammar_or_a_schema_bounds_the_completion(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grammar, schema = 'root ::= "the and"', '{"const": 7}'
    (tmp_path / "grammar").write_text(grammar)
    (tmp_path / "schema").write_text(schema)
    for options, text in (
        (["--grammar", grammar], "the and"), (["--grammar-file", str(tmp_path / "grammar")], "the and"),
        (["--json-schema", schema], "7"), (["--json-schema-file", str(tmp_path / "schema")], "7"),
    ):  # fmt: skip
        assert cli.main(["run", str(model), "--device", "cpu", "-p", "he", "-n", "20", "--json", *options]) == 0
        assert json.loads(capsys.readouterr().out)["text"].strip() == text


def test_threads_change_no_token(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["run", str(model), "--device", "cpu", "-p", "he", "-n", "8", "--temp", "0", "--json", "--threads"]
    tokens = []
    for threads in ("1", "2"):
        assert cli.main([*common, threads]) == 0
        tokens.append(json.loads(capsys.readouterr().out)["tokens"])
    assert tokens[0] == tokens[1]
    assert cli.main([*common, "99"]) == 1
    assert "threads" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["run", "chat"])
@pytest.mark.parametrize(
    "case", [([], "has no chat template"), (["--temp", "-1"], "--temp is -1.0"), (["--stop", ""], "stop is")]
)
def test_mistakes_are_found_before_a_weight_is_read(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
    case: tuple[list[str], str],
) -> None:
    def raw(self: GGUFFile, name: str) -> None:
        raise AssertionError(f"{name} was read")

    monkeypatch.setattr(GGUFFile, "raw", raw)
    given = ["-p", "the", "--chat"] if command == "run" else []
    options, words = case
    assert cli.main([command, str(model), "--device", "loopback", *given, *options]) == 1
    assert words in capsys.readouterr().err


def test_a_system_message_takes_the_place_of_the_templates_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def with_template(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(
            "{% if messages[0].role != 'system' %}the {% endif %}{% for m in messages %}{{ m.content }} {% endfor %}"
        )

    path = tiny.write(tmp_path / "tiny.gguf", "llama", edit=with_template)
    with LLM(path, 64, device="loopback") as llm:
        for options, prompt in (([], "the he "), (["--system", "an"], "an he "), (["--system", ""], " he ")):
            command = ["run", str(path), "--device", "loopback", "-n", "1", "--chat", "-p", "he", *options, "--json"]
            assert cli.main(command) == 0
            tokens = json.loads(capsys.readouterr().out)["prompt_tokens"]
            assert tokens == llm.tokenizer.encode(prompt, add_special=False)
        for more, special in (([], False), (["--parse-special"], True)):
            command = ["run", str(path), "--device", "loopback", "-n", "1", "--chat", "-p", "he</s>", *more, "--json"]
            assert cli.main(command) == 0
            tokens = json.loads(capsys.readouterr().out)["prompt_tokens"]
            assert tokens == llm.tokenizer.encode("the he</s> ", special=special, add_special=False)


def test_a_text_that_ends_at_the_end_of_the_context_says_so(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["run", str(model), "--device", "loopback", "-p", "the", "-c", "16", "--temp", "0"]
    for options, is_full in (([], True), (["-n", "5"], False), (["--context-shift", "-n", "14"], False)):
        assert cli.main([*common, *options]) == 0
        told = capsys.readouterr().err
        assert ("the context is full" in told) == is_full
        assert (f"(cut at -n {options[-1]} tokens)\n" in told if options else "(cut" not in told)
    assert cli.main([*common, "-n", "5", "--json"]) == 0
    text = json.loads(capsys.readouterr().out)["text"]
    assert cli.main([*common, "-n", "5", "--stop", text[1]]) == 0
    assert "(cut" not in capsys.readouterr().err


def test_a_context_longer_than_the_model_was_made_for_is_asked_for_twice(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", str(model), "--device", "loopback", "-n", "1", "-p", "the", "-c"]
    assert cli.main([*command, "600"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "-c is 600" in line
    assert "was trained for 512 tokens" in line
    assert "-c 512, or --allow-long" in line
    assert cli.main([*command, "600", "--allow-long"]) == 0
    assert "; context length 600, the model was trained for 512\n" in capsys.readouterr().err
    assert cli.main([*command, "512"]) == 0
    assert "made for" not in capsys.readouterr().err


@pytest.mark.parametrize(("path", "words"), [("none.gguf", "No such file"), (".", "not a regular file")])
def test_paths_are_looked_at_before_a_device(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str, words: str
) -> None:
    monkeypatch.setenv("PYHEXAGON_DEVICE", "neither")  # opening it would raise an error
    monkeypatch.chdir(model.parent)
    Path("text").write_text("the and")
    for command in (
        f"run {path} -p x", f"chat {path}", f"embed {path} -p x", f"eval perplexity {path} text",
        f"run {model} -p x --draft {path}", f"matmul {path} w", f"bench model {path}",
    ):  # fmt: skip
        assert cli.main(command.split()) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line, command


@pytest.mark.parametrize("arguments", [["-p", "x", "--tokens", "1"], ["--tokens", "1,x"]])
def test_wrong_usage(model: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["run", str(model), *arguments])


def test_the_package_imports_without_the_extra_and_says_what_is_missing(tmp_path: Path) -> None:
    model = tiny.write_encoder(tmp_path / "bert.gguf", "bert")  # SentencePiece's BPE needs no package
    program = (
        "import sys; sys.modules.update(tokenizers=None, jinja2=None)\n"
        "import pyhexagon\n"
        "try: pyhexagon.LLM(sys.argv[1], device='loopback')\n"
        "except pyhexagon.UnsupportedError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program, model], capture_output=True, text=True, check=True)
    assert extras.install_command("llm") in done.stdout


def test_guesses_are_counted(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["run", str(model), "--device", "loopback", "-n", "12", "--temp", "0", "-c", "64", "--tokens", "1,300,301"]
    assert cli.main([*common, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["timings"]["draft_n"] == plain["timings"]["draft_n_accepted"] == 0
    assert cli.main([*common, "--draft", str(model)]) == 0
    assert "| Draft: 8 of 8 tokens accepted ]" in capsys.readouterr().err  # 1 + 5 + 5 + 1
    for options in (["--draft", str(model)], ["--draft", "lookup"], ["--lookup", "3"]):
        assert cli.main([*common, *options, "--json"]) == 0
        guessed = json.loads(capsys.readouterr().out)
        assert guessed["tokens"] == plain["tokens"]
        timings = guessed["timings"]
        assert timings["draft_n"] >= timings["draft_n_accepted"]


def test_the_context_can_shift(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ["run", str(model), "--device", "loopback", "--temp", "0", "-c", "16", "--tokens", "1,300,301", "--json"]
    assert cli.main([*common, "-n", "40", "--context-shift", "--keep", "2"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tokens"]) == 40
    assert cli.main([*common, "-n", "40"]) == 0
    ended = json.loads(capsys.readouterr().out)
    assert (len(ended["tokens"]), ended["finish_reason"]) == (13, "length")


def test_a_prompt_about_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, mmproj = write(tmp_path, "internvl")
    paths = [str(tmp_path / f"{number}.png") for number in (0, 1)]
    for number, path in enumerate(paths):
        Image.fromarray(picture(40, 24, seed=number)).save(path)
    images = [word for path in paths for word in ("--image", path)]
    command = ["run", str(text), "an he", "-c", "256", "--device", "cpu", "-n", "6", "--temp", "0"]
    command += ["--mmproj", str(mmproj)]
    assert cli.main([*command, *images, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    content = [{"type": "image_url", "image_url": {"url": path}} for path in paths]
    content = [*content, {"type": "text", "text": "an he"}]
    with LLM(text, 256, mmproj=mmproj, device="cpu") as llm:
        assert result["text"] == "".join(part.text for part in llm.chat([{"role": "user", "content": content}], 6, 0))
    assert cli.main([*command[:-2], *images]) == 1
    assert f"the model takes no images. Hint: --mmproj {mmproj}" in capsys.readouterr().err
    monkeypatch.setenv(on_board.VARIABLE, "board")  # as on a board, when the file is where the command was typed
    monkeypatch.setenv(on_board.FILES, "street.jpg")
    assert cli.main([*command, "--image", "street.jpg"]) == 1
    shown = capsys.readouterr().err
    assert "pyhexagon on board: error: street.jpg: No such file or directory" in shown
    assert "Hint: street.jpg lies on the machine where you typed this: scp street.jpg board: first" in shown
