# SPDX-License-Identifier: MIT
"""``pyhexagon chat``."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import gguf
import pytest
from llm import tiny
from llm.test_vision_chat import write
from llm.vision_files import picture
from PIL import Image
from waiting import LONG

from pyhexagon import LLM, cli
from pyhexagon.cli.chat_input import ChatInput

TEMPLATE = "{% for m in messages %}{{ m.role[0] }} {{ m.content }}\n{% endfor %}a "


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def with_template(writer: gguf.GGUFWriter) -> None:
        writer.add_chat_template(TEMPLATE)

    return tiny.write(tmp_path_factory.mktemp("model") / "tiny.gguf", "llama", edit=with_template)


def chat(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *lines: str, options: str = ""
) -> tuple[str, str]:
    """Return stdout and stderr for these lines of input."""
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines)))
    command = ["chat", str(model), "--device", "loopback", "-n", "4", "--temp", "0", "-c", "128", *options.split()]
    assert cli.main(command) == 0
    return capsys.readouterr()


def test_a_conversation(model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = chat(model, monkeypatch, capsys, "the", "and he", options="--system thin --json")
    assert err.count("[ Prompt: ") == err.count(" | Generation: ") == 2
    messages = json.loads(out)["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user", "assistant"]
    with LLM(model, 128, device="loopback") as llm:
        for at in (2, 4):
            parts = llm.chat(messages[:at], 4, temperature=0)
            assert "".join(part.text for part in parts) == messages[at]["content"]
    _, err = chat(model, monkeypatch, capsys, "the", "/again")
    assert err.count("(cut at -n 4 tokens)\n") == 2
    assert "Prompt: 0.0" not in err
    shown, _ = chat(model, monkeypatch, capsys, "the", "and he", options="--system thin")
    assert shown.count("\n") == 2 + sum(one["content"].count("\n") for one in messages)


def test_a_cut_answer_is_continued(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = chat(model, monkeypatch, capsys, "/continue", "the", "/continue", options="--json")
    assert "there is no answer yet" in err
    asked, answer = json.loads(out)["messages"]
    with LLM(model, 128, device="loopback") as llm:
        begun = "".join(part.text for part in llm.chat([asked], 4, temperature=0))
        messages = [asked, {"role": "assistant", "content": begun}]
        more = "".join(part.text for part in llm.chat(messages, 4, temperature=0, continue_final_message=True))
    assert answer == {"role": "assistant", "content": begun + more}


def test_commands(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "talk.json"
    lines = ("/system in", "the", "and", "/undo", "/again", f"/save {saved}", "/memory", "/new", "/quit", "never")
    out, err = chat(model, monkeypatch, capsys, *lines)
    messages = json.loads(saved.read_text())
    assert [(one["role"], one["content"]) for one in messages[:2]] == [("system", "in"), ("user", "the")]
    assert [one["role"] for one in messages] == ["system", "user", "assistant"]
    assert "of 128 tokens" in out
    assert err.count("[ Prompt: ") == 3
    out, _ = chat(model, monkeypatch, capsys, f"/load {saved}", "/set max_tokens 1", "he", options="--json")
    answered = json.loads(out)["messages"]
    assert answered[:3] == messages
    assert len(answered) == 5


def test_a_message_may_have_several_lines(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ('"""the', "and", 'he"""', "in \\", "an", '"""one line"""', '"""he', "an")
    out, _ = chat(model, monkeypatch, capsys, *lines, options="--json")
    asked = [one["content"] for one in json.loads(out)["messages"] if one["role"] == "user"]
    assert asked == ["the\nand\nhe", "in \nan", "one line", "he\nan"]


def test_set_shows_the_values(model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = chat(model, monkeypatch, capsys, "/set", "/set top_k 7", "/set", "/set topk 3", "/sett")
    lines = [line.split() for line in out.splitlines()]
    assert ["max_tokens", "4"] in lines
    assert ["top_k", "40"] in lines[:7]
    assert ["top_k", "7"] in lines[7:]
    assert "Hint: did you mean top_k?" in err
    assert "unknown command /sett; /help lists the commands. Hint: did you mean /set?" in err


def test_a_refused_message_changes_nothing(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A paste that is too long is refused before the model loses its oldest messages for it."""
    question = "the and he in " * 2
    lines = (question, "he", "the " * 200, "and", "/load none.json", "/set max_tokens -1", "/again")
    out, err = chat(model, monkeypatch, capsys, *lines, options="--json")
    expected, _ = chat(model, monkeypatch, capsys, question, "he", "and", options="--json")
    assert json.loads(out)["messages"] == json.loads(expected)["messages"]
    assert "the message is too long: " in err
    assert "no longer sees" not in err


def test_commands_of_other_chats(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = chat(model, monkeypatch, capsys, "the", "/clear", "/?", "/save", "/load", "he", "/regen", "/bye", "the")
    assert "(a new conversation)" in err
    assert "/quit     quit; so do Ctrl-D, and Ctrl-C twice (also /bye, /exit)\n" in out
    assert "/save takes a FILE" in err
    assert "/load takes a FILE" in err
    assert err.count("[ Prompt: ") == 3
    saved = tmp_path / "talk.json"
    _, err = chat(model, monkeypatch, capsys, "the", f"/save {saved}", "/exit", "he")
    assert [message["role"] for message in json.loads(saved.read_text())] == ["user", "assistant"]
    assert f"(2 messages saved in {saved})" in err
    assert err.count("[ Prompt: ") == 1


def test_tab_completes_files(tmp_path: Path) -> None:
    (tmp_path / "talk.json").touch()
    (tmp_path / "talks").mkdir()
    words = ChatInput({"/set": ("seed",), "/save": None})
    begun = str(tmp_path / "tal")
    assert words.completions(f"/save {begun}", begun) == [f"{begun}k.json ", f"{begun}ks/"]
    assert words.completions(f"/set {begun}", begun) == []


def test_tab_completes_commands_and_settings() -> None:
    words = ChatInput({"/set": ("top_k", "top_p", "seed"), "/save": (), "/new": ()})
    assert words.completions("/s", "/s") == ["/set ", "/save "]
    assert words.completions("/set top", "top") == ["top_k ", "top_p "]
    assert words.completions("/set top_k s", "s") == []
    assert words.completions("s", "s") == []


def on_terminal(model: Path, state: Path, steps: list[tuple[bytes, bytes]]) -> None:
    """Run a chat on a terminal: wait for the first of each pair, then type the second; expect its end."""
    command = [sys.executable, "-m", "pyhexagon", "chat", str(model), "--device", "cpu", "-n", "4", "-c", "128"]
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm", COLUMNS="80", XDG_STATE_HOME=str(state), INPUTRC="/dev/null")
        os.environ.pop("NO_COLOR", None)
        os.execv(sys.executable, command)
    screen = b""
    for wanted, typed in steps:
        while wanted not in screen:
            assert select.select([terminal], [], [], LONG)[0], (wanted, screen)
            screen += os.read(terminal, 1024)
        screen = screen.partition(wanted)[2]
        os.write(terminal, typed)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)


def test_a_terminal_has_colour_completion_and_a_spinner(model: Path, tmp_path: Path) -> None:
    # Typed only after a prompt: Ctrl-D is lost while readline does not have the terminal.
    steps = [(b"> ", b"/se\t\n"), (b"temperature", b""), (b"> ", b"the\n"), (b"computing a prompt", b"")]
    on_terminal(model, tmp_path, [*steps, (b"t/s ]", b""), (b"> ", b"\x04")])


def test_a_paste_of_several_lines_is_one_message(model: Path, tmp_path: Path) -> None:
    """Terminals mark what is pasted (bracketed paste); the next chat has the lines in its history."""
    saved = tmp_path / "talk.json"
    pasted = b"\x1b[200~the\nand\nhe\x1b[201~\n"
    steps = [(b"> ", pasted), (b"t/s ]", b""), (b"> ", f"/save {saved}\n".encode()), (b"saved", b"")]
    on_terminal(model, tmp_path, [*steps, (b"> ", b"\x04")])
    messages = json.loads(saved.read_text())
    assert [message["content"] for message in messages if message["role"] == "user"] == ["the\nand\nhe"]
    history = tmp_path / "pyhexagon/chat_history"
    assert history.stat().st_mode & 0o077 == 0
    on_terminal(model, tmp_path, [(b"> ", b"\x1b[A"), (b"/save ", b"\x15\x04")])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/what", "unknown command /what"),
        ("/undo", "there is no user message yet"),
        ("/set top_k x", "expected one of max_tokens"),
        ("/load none.json", "No such file"),
        ("/load pyproject.toml", "pyproject.toml: "),
        ("the " * 200, "the message is too long: "),
    ],
)
def test_mistakes_do_not_end_it(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, words: str
) -> None:
    out, err = chat(model, monkeypatch, capsys, line, "/help")
    assert words in err
    assert "/quit" in out


def test_a_conversation_goes_on_without_its_oldest_turns(
    model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = chat(model, monkeypatch, capsys, *["the and he in " * 4] * 6, options="--system thin --json")
    messages = json.loads(out)["messages"]
    assert len(messages) == 1 + 2 * 6
    assert err.count("[ Prompt: ") == 6
    notes = [line for line in err.splitlines() if "the model no longer sees the messages before message" in line]
    assert notes
    first = int(notes[-1].split()[-2]) - 1
    assert messages[first]["role"] == "user"
    with LLM(model, 128, device="loopback") as llm:
        answer = "".join(part.text for part in llm.chat([messages[0], *messages[first:-1]], 4, temperature=0))
    assert answer == messages[-1]["content"]


def test_without_a_template_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tiny.write(tmp_path / "tiny.gguf", "llama")
    assert cli.main(["chat", str(path), "--device", "loopback"]) == 1
    error = capsys.readouterr().err
    assert "has no chat template. Hint: pyhexagon run MODEL PROMPT completes a text." in error


@pytest.mark.parametrize("command", ["chat", "run"])
def test_ctrl_c(model: Path, command: str) -> None:
    """It stops an answer; twice at the prompt it ends the chat; ``run`` ends at once. No traceback."""
    given = [command, str(model), "--device", "loopback", "-c", "20000", "--temp", "2", "--top-p", "1", "--min-p", "0"]
    given += ["--allow-long"]
    given += ["--top-k", "0", *(["-p", "the"] if command == "run" else [])]
    program = (  # SIGINT is ignored where a shell started the tests in the background
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import pyhexagon_command; sys.exit(pyhexagon_command.run())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, *given],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        if command == "chat":
            process.stdin.write(b"the and\n")
        assert process.stdout.read(1)  # it has begun
        loading = [process.stderr.readline() for _ in range(5 + (command == "run"))]  # which notes the chat template
        assert loading[-4].startswith(b"offloaded")
        process.send_signal(signal.SIGINT)
        if command == "chat":
            assert process.stderr.readline().startswith(b"[ Prompt: ")
            assert process.stderr.readline() == b"(stopped)\n"
            process.send_signal(signal.SIGINT)
            assert process.stderr.readline() == b"\n"
            assert process.stderr.readline() == b"(press Ctrl-C again to quit)\n"
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
        assert process.wait(600) == 130


def test_a_chat_about_images(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text, mmproj = write(tmp_path, "internvl")
    for number in (0, 1):
        Image.fromarray(picture(40, 24, seed=number)).save(tmp_path / f"{number}.png")
    saved = tmp_path / "talk.json"
    lines = ["an", f"/image {tmp_path / '1.png'}", "he", "/again", f"/save {saved}", "/image none.png", "/memory"]
    options = f"-c 256 --mmproj {mmproj} --image {tmp_path / '0.png'} --json"
    out, err = chat(text, monkeypatch, capsys, *lines, options=options)
    assert "none.png: No such file" in err
    messages = json.loads(out[out.index("{") :])["messages"]
    assert json.loads(saved.read_text()) == messages
    paths = [part["image_url"]["url"] for one in (messages[0], messages[2]) for part in one["content"][:1]]
    assert paths == [str(tmp_path / "0.png"), str(tmp_path / "1.png")]
    with LLM(text, 256, mmproj=mmproj, device="loopback") as llm:
        for at in (1, 3):
            said = "".join(part.text for part in llm.chat(messages[:at], 4, temperature=0))
            assert said == messages[at]["content"]
    _, err = chat(text, monkeypatch, capsys, f"/image {tmp_path / '0.png'}")
    assert "the model takes no images" in err
