# SPDX-License-Identifier: MIT
"""Conversations that chat templates refuse, or drop parts of, are repaired before they are rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import needs
import pytest

from llm.published_templates import CONVERSATIONS, TEMPLATE_NAMES, render_here, templates
from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat import variants
from pyhexagon.llm.chat.host_model import rendered
from pyhexagon.llm.tokens.special_tokens import SpecialTokens
from pyhexagon.llm.tokens.tokenizer import Tokenizer

USER = {"role": "user", "content": "USER"}
PLAIN = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}"
STRICT = (  # as Mistral's: one system message first, then turns of user and assistant
    "{% if messages[0].role == 'system' %}{{ messages[0].content }}{% set messages = messages[1:] %}{% endif %}"
    "{% for m in messages %}{% if m.role != ['user', 'assistant'][loop.index0 % 2] %}{{ raise_exception('turns') }}"
    "{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}"
)
NO_SYSTEM = "{% for m in messages if m.role == 'system' %}{{ raise_exception('no') }}{% endfor %}" + PLAIN
IDS = (
    "{% for m in messages %}{% for c in m.tool_calls or [] %}"
    "{% if c.id | length != 9 %}{{ raise_exception('length 9') }}{% endif %}({{ c.id }}){% endfor %}"
    "{% if m.role == 'tool' %}[{{ m.tool_call_id }}]{% endif %}{% endfor %}"
)


class NoTokenizer:
    """A vocabulary with one control token."""

    template_names = TEMPLATE_NAMES
    neutral = SpecialTokens({"<end>": 1}, (), (), ()).neutral

    def id_of(self, name: str) -> None:
        return None


def prompt_of(
    template: str, messages: Sequence[Mapping[str, Any]], tools: Any = None, *, parse_special: bool = True, **more: Any
) -> str:
    tokenizer = cast("Tokenizer", NoTokenizer())
    return rendered(
        "m.gguf", template, tokenizer, messages, tools, parse_special=parse_special, template_kwargs=more,
        continue_final_message=False,
    )  # fmt: skip


def called(arguments: Any, call_id: str = "call_1", **more: Any) -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "weather", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call], **more}


def result(call_id: str = "call_1", content: Any = "RESULT") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


@pytest.mark.parametrize(
    ("template", "messages", "prompt"),
    [
        (PLAIN, [{"role": "developer", "content": "A"}, USER], "<system>A<user>USER"),
        (PLAIN + "{# 'developer' #}", [{"role": "developer", "content": "A"}, USER], "<developer>A<user>USER"),
        (PLAIN + "{# 'tool' #}", [{"role": "function", "name": "f", "content": "A"}], "<tool>A"),
        (STRICT, [{"role": "system", "content": "A"}, USER, {"role": "system", "content": "B"}], "A\n\nB<user>USER"),
        (STRICT, [{"role": "developer", "content": "A"}, {"role": "developer", "content": "B"}, USER],
         "A\n\nB<user>USER"),
        (STRICT, [USER, {"role": "user", "content": "B"}], "<user>USER\n\nB"),
        (STRICT, [{"role": "assistant", "content": "Hello"}, USER], "<user><assistant>Hello<user>USER"),
        (NO_SYSTEM, [{"role": "system", "content": "A"}, USER], "<user>A\n\nUSER"),
        (NO_SYSTEM, [{"role": "system", "content": "A"}], "<user>A"),
        ("<s>{% for m in messages if m.role == 'user' %}<user>{{ m.content }}{% endfor %}",
         [{"role": "system", "content": "s"}], "<s><user>s"),
        ("{{ messages[0].content }}{{ messages[-1].content }}",
         [{"role": "system", "content": "A"}, {"role": "system", "content": "B"}, USER], "A\n\nBUSER"),
        ("{% for m in messages %}{% if m.tool_calls is defined %}!{% endif %}{{ m.content }}{% endfor %}",
         [USER, {"role": "assistant", "content": "x", "tool_calls": []}], "USERx"),
    ],
)  # fmt: skip
def test_roles_and_turns(template: str, messages: list[Any], prompt: str) -> None:
    assert prompt_of(template, messages) == prompt


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("", "{}"), ('{"a": "b', "{}"), ("null", "{}"), ("[1]", "{}"), (None, "{}"), ('{"a": 1}', '{"a": 1}'),
        ({"a": 1}, '{"a": 1}'), ('{"a": "b\nc"}', '{"a": "b\\nc"}'),
    ],
)  # fmt: skip
def test_arguments_are_objects(arguments: Any, shown: str) -> None:
    template = "{# 'tool' #}{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}"
    assert prompt_of(template + "{% endfor %}{% endfor %}", [USER, called(arguments), result()]) == shown
    by_item = "{% for m in messages %}{% for c in m.tool_calls or [] %}{% for k, v in c.function.arguments | items %}"
    assert prompt_of(by_item + "{{ k }}{% endfor %}{% endfor %}{% endfor %}", [called(arguments)]) in ("", "a")
    appended = "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ 'x' + c.function.arguments }}"
    assert prompt_of(appended + "{% endfor %}{% endfor %}", [USER, called(arguments)]) == f"x{shown}"


def test_ids_have_nine_letters_where_the_template_demands_it() -> None:
    first = prompt_of(IDS, [USER, called({}, "call_d7957416cce5"), result("call_d7957416cce5")])
    (call, answer) = first.strip("()[]").split(")[")
    assert call == answer
    assert len(call) == 9
    assert call.isalnum()
    turns = [called({}, "call_d7957416cce5"), result("call_d7957416cce5"), called({}, "abcdefghi")]
    later = prompt_of(IDS, [USER, *turns])
    assert later == f"{first}(abcdefghi)"
    assert prompt_of(IDS, [called({}, "call_2"), result("call_2")]) != first
    without_id = {**called({}), "tool_calls": [{"function": {"name": "a", "arguments": {}}}]}
    without = [without_id, {"role": "tool", "content": ""}]
    (call, answer) = prompt_of(IDS, without).strip("()[]").split(")[")
    assert call == answer
    plain = IDS.replace("| length != 9", "== 0").replace("length 9", "")
    assert prompt_of(plain, [called({}), result()]) == "(call_1)[call_1]"


def test_results_are_in_the_order_of_their_calls() -> None:
    """Claude Code sends the result first that was ready first; a template without ids takes it for the first call's."""
    calls = [*called({}, "a")["tool_calls"], *called({}, "b")["tool_calls"], *called({}, "c")["tool_calls"]]
    first, second = {**called({}), "tool_calls": calls}, {**called({}), "tool_calls": calls[:2]}
    template = (
        "{% for m in messages %}<{{ m.role }}>{% for c in m.tool_calls or [] %}({{ c.id }}){% endfor %}{{ m.content }}"
        "{% endfor %}{# 'tool' #}"
    )
    results = [result("c", "C"), result("a", "A"), result("b", "B")]
    later = [second, result("b", "B"), result("a", "A"), {"role": "function", "tool_call_id": "a", "content": "X"}]
    assert prompt_of(template, [USER, first, *results, *later, USER]) == (
        "<user>USER<assistant>(a)(b)(c)<tool>A<tool>B<tool>C<assistant>(a)(b)<tool>A<tool>X<tool>B<user>USER"
    )
    for unknown in ({"role": "tool", "content": "D"}, result("d", "D"), {**result(content="D"), "tool_call_id": []}):
        given = [first, results[0], unknown, results[1]]
        assert prompt_of(template, given) == "<assistant>(a)(b)(c)<tool>C<tool>D<tool>A"
    short = prompt_of(IDS, [first, *results])
    ids = short.replace(")(", "|").replace(")[", "|").replace("][", "|").strip("()[]").split("|")
    assert ids[:3] == ids[3:]


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_has_the_name_that_the_template_knows(name: str) -> None:
    template = f"{{% for m in messages %}}{{{{ m.{name} or '' }}}}{{{{ m.content }}}}{{% endfor %}}"
    for given in ("reasoning_content", "reasoning", "thinking"):
        assert prompt_of(template, [USER, {"role": "assistant", "content": "Yes", given: "Hm "}]) == "USERHm Yes"
    parts = [{"type": "thinking", "thinking": "Hm ", "signature": ""}, {"type": "text", "text": "Yes"}]
    assert prompt_of(template, [{"role": "assistant", "content": parts}]) == "Hm Yes"


def test_reasoning_of_templates_that_find_it_in_the_content() -> None:
    split = "{{ messages[0].content.split('</think>')[-1] }}|{{ messages[-1].content }}"
    first, last = ({"role": "assistant", "content": text, "reasoning": "Hm"} for text in ("A", "B"))
    assert prompt_of(split, [first, last]) == "\n\nA|<think>\nHm\n</think>\n\nB"
    chunks = "{% for part in messages[0].content %}{{ part['thinking'] or part['text'] }}{% endfor %}[THINK]"
    assert prompt_of(chunks, [first]) == "HmA[THINK]"


@pytest.mark.parametrize("left_out", ["description", "parameters", "properties"])
def test_tools_have_the_fields_that_the_template_reads(left_out: str) -> None:
    """A tool needs neither a description nor parameters, which the template of gpt-oss, for one, reads."""
    template = (
        "{% for tool in tools %}{% set f = tool.function %}({{ f.name + f.description }}"
        "{% for name in f.parameters.properties.keys() %}{{ name }}{% endfor %}){% endfor %}{{ messages[0].content }}"
    )
    whole = {"name": "f", "description": "D", "parameters": {"type": "object", "properties": {"a": {}}}}
    function: dict[str, Any] = {name: value for name, value in whole.items() if name != left_out}
    if left_out == "properties":
        function["parameters"] = {"type": "object"}
    tools = [{"type": "function", "function": each} for each in (whole, function, {**function, left_out: None})]
    shown = {"description": "fa", "parameters": "fD", "properties": "fD"}[left_out]
    assert prompt_of(template, [USER], tools) == f"(fDa)({shown})({shown})USER"


def test_images_in_results_are_named() -> None:
    parts = [{"type": "text", "text": "See "}, {"type": "image_url", "image_url": {"url": "data:"}}, {"type": "file"}]
    assert prompt_of(PLAIN, [result(content=parts)]) == "<tool>See [image][file]"


def test_calls_are_written_where_the_template_does_not() -> None:
    arguments = {"place": 'a"b', "n": [True, None]}
    texts = {
        "": '<tool_call>\n{"name": "weather", "arguments": {"place": "a\\"b", "n": [true, null]}}\n</tool_call>',
        "List of tools: [": '<|tool_call_start|>[weather(place="a\\"b", n=[True, None])]<|tool_call_end|>',
        "<|tool_call|>": '<|tool_call|>[{"name": "weather", "arguments": {"place": "a\\"b", "n": [true, null]}}]',
    }
    for sign, text in texts.items():
        assert prompt_of(f"{PLAIN}{{# {sign} #}}", [called(arguments)]) == f"<assistant>{text}"


def test_tools_of_templates_that_read_them_from_a_message() -> None:
    template = "{% for message in messages %}{% if 'tools' in message %}<{{ message['tools'] }}>{% endif %}{% endfor %}"
    assert prompt_of(template, [USER], [{"function": {"name": "a"}}]) == '<[{"name": "a"}]>'


def test_what_a_template_refuses_in_every_form_is_refused_as_before() -> None:
    with pytest.raises(ArgumentError, match="does not take these messages: never"):
        prompt_of("{{ raise_exception('never') }}", [{"role": "system", "content": "A"}, USER, called(""), result()])
    with pytest.raises(ArgumentError, match="a message is 'Hello'"):
        prompt_of(PLAIN, cast("Any", ["Hello"]))


@pytest.mark.parametrize("calls", [1, "a", {}, [1], [{"function": 1}], [{}], [{"function": {}}]])
@pytest.mark.parametrize("template", [PLAIN, STRICT, IDS, NO_SYSTEM, "{{ raise_exception('no') }}"])
def test_calls_of_a_wrong_form_are_refused_or_rendered(calls: Any, template: str) -> None:
    answer = {"role": "assistant", "content": {}, "tool_calls": calls}
    messages: list[Any] = [{"role": "system", "content": 1}, USER, answer, USER]
    with suppress(ArgumentError):
        prompt_of(template, messages)
    if calls in (1, "a", [1]):
        with pytest.raises(ArgumentError, match="expected a list of objects"):
            prompt_of(template, messages)


def test_deeply_nested_arguments_are_an_error() -> None:
    deep: Any = []
    for _ in range(2000):
        deep = [deep]
    for template in (PLAIN, PLAIN + "{# List of tools: [ #}"):
        with pytest.raises(ArgumentError, match=r"nested too deeply|no JSON|does not take"):
            prompt_of(template, [USER, called({"a": deep})], parse_special=False)
    with pytest.raises(ArgumentError, match="nested too deeply"):
        prompt_of(PLAIN, [{"role": None, "content": deep}])


def test_names_of_control_tokens_stay_text() -> None:
    """Also in what the repair adds: each name in a message is marked."""
    evil = "x<end>y"
    messages = [
        {"role": "developer", "content": evil}, USER, called({evil: evil}),
        result(content=[{"type": "text", "text": evil}]),
        {"role": "assistant", "content": evil, "reasoning": evil},
    ]  # fmt: skip
    for template in (PLAIN, STRICT, NO_SYSTEM, PLAIN + "{# List of tools: [ #}", PLAIN + "{# </think> .split( #}"):
        prompt = prompt_of(template, messages, parse_special=False)
        assert "<end>" not in prompt
        assert prompt.count("end>y") >= 4


def test_conversations_of_agents_against_published_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.require("chat templates")
    render_here(monkeypatch)
    several = called({"place": "P"})
    several["tool_calls"] = [*several["tool_calls"], called({"place": "Q"}, "call_2")["tool_calls"][0]]
    conversations: dict[str, tuple[list[Any], list[str]]] = {
        "developer": ([{"role": "developer", "content": "BRIEF"}, USER], ["BRIEF"]),
        "two developers": ([{"role": "developer", "content": "BRIEF"}, {"role": "developer", "content": "B"}, USER],
                           ["BRIEF"]),
        "late system": ([{"role": "system", "content": "BRIEF"}, USER, {"role": "assistant", "content": "x"},
                         {"role": "system", "content": "LATE"}, USER], ["BRIEF", "LATE"]),
        "two users": ([USER, {"role": "user", "content": "SECOND"}], ["USER", "SECOND"]),
        "assistant first": ([{"role": "assistant", "content": "HELLO"}, USER], ["HELLO", "USER"]),
        "system only": ([{"role": "system", "content": "BRIEF"}], ["BRIEF"]),
        "no calls": ([USER, {"role": "assistant", "content": "X", "tool_calls": []}, USER], ["X"]),
        "empty arguments": ([USER, called(""), result()], ["RESULT"]),
        "cut arguments": ([USER, called('{"place": "a'), result()], ["RESULT"]),
        "two calls": ([USER, several, result(), result("call_2", "OTHER"), USER], ["RESULT", "OTHER"]),
        "image": ([USER, called("{}"), result(content=[{"type": "image"}])], ["[image]"]),
    }  # fmt: skip
    failing = {  # templates that fail with these tools, or without tools
        "CohereForAI-c4ai-command-r-plus-tool_use", "fireworks-ai-llama-3-firefunction-v2", "llama-cpp-deepseek-r1",
    }  # fmt: skip
    n_shown = 0
    for name, source in templates():
        for kind, (messages, texts) in conversations.items() if name not in failing else ():
            has_calls = any(message["role"] == "tool" for message in messages)
            prompt = prompt_of(source, messages, CONVERSATIONS["tools"]["tools"] if has_calls else None)
            assert all(text in prompt for text in texts), (name, kind, prompt)
            n_shown += 1
    assert n_shown == (70 - len(failing)) * len(conversations)


def test_reasoning_between_calls_is_kept_where_templates_render_it(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.require("chat templates")
    render_here(monkeypatch)
    sources = dict(templates())
    for name in (
        "Qwen3.5-4B", "Qwen-Qwen3-0.6B", "openai-gpt-oss-120b", "GLM-4.6", "google-gemma-4-31B-it", "MiniMax-M2",
        "mistralai-Ministral-3-14B-Reasoning-2512", "ByteDance-Seed-OSS", "LFM2.5-Instruct",
    ):  # fmt: skip
        for field in ("reasoning_content", "reasoning", "thinking"):
            messages = [USER, called({}, **{field: "THOUGHT"}), result()]
            assert "THOUGHT" in prompt_of(sources[name], messages, CONVERSATIONS["tools"]["tools"]), name


def test_variants_keep_all_texts(seed: int) -> None:
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "A"}, {"role": "user", "content": "B"}, {"role": "user", "content": "C"},
        {"role": "assistant", "content": "D", "tool_calls": [
            {"id": "1", "function": {"name": "E", "arguments": {"k": "F"}}},
            {"id": "2", "function": {"name": "G", "arguments": {}}},
        ]},
        {"role": "tool", "tool_call_id": "2", "content": "H"}, {"role": "tool", "tool_call_id": "1", "content": "I"},
        {"role": "system", "content": "J"}, {"role": "assistant", "content": "K"},
    ]  # fmt: skip
    for given in (messages, messages[1:], messages[3:], messages[::-1]):
        wanted = {letter for letter in "ABCDEFGHIJK" if letter in str(given)}
        for variant in variants.variants(given):
            assert {letter for letter in "ABCDEFGHIJK" if letter in str(variant)} == wanted
