# SPDX-License-Identifier: MIT
"""Tool calls in the formats of all families: whole, bent as models bend them, and in chunks of any length."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from llm.call_texts import FAMILIES, TOOLS, A, parsed
from pyhexagon.llm.chat.formats import table
from pyhexagon.llm.chat.formats.calls import KnownTools
from pyhexagon.llm.chat.formats.literals import IncompleteError, InvalidError, value_at
from pyhexagon.llm.chat.tool_calls import ToolCallParser

CALL = '{"name": "read", "arguments": {"path": "a"}}'
OTHERS = ("Look: ", "a < b and <b>c</b>", "> >> >", "`x` ``", "Act", "{", "[1]", "<tool", "\n\n", "\U0001f389 \u00fc")


@pytest.mark.parametrize("text", FAMILIES.values(), ids=FAMILIES)
def test_each_family_calls_in_its_format(text: str) -> None:
    for step in (1, 2, 3, 7, len(text)):
        content, calls, _ = parsed(text, range(step, len(text), step))
        assert (content.strip(), calls) == ("", [A])


def _nested(value: str) -> str:
    return f"<tool_call>\n<function=read>\n<parameter=path>\n{value}\n</parameter>\n</function>\n</tool_call>"


MARKUP = (
    "ends with </tool_call> here", "</function>", "a </parameter> b", "</parameter></div>", "<parameter=path>",
    _nested("inner"), "```json\n{}\n```", "[TOOL_CALLS]", "<think>x</think>", "'\"", "[read(path=\"b\")]",
    "</arg_value>", "<|tool_call_end|>", "\\n \\", "}}]",
)  # fmt: skip


@pytest.mark.parametrize("value", MARKUP)
def test_marks_within_strings_end_no_call(value: str) -> None:
    as_json = json.dumps({"name": "read", "arguments": {"path": value}})
    for text in (
        f"<tool_call>{as_json}</tool_call>", f"<|tool_call_start|>[{as_json}]<|tool_call_end|>",
        f"[TOOL_CALLS][{as_json}]", f"<TOOLCALL>[{as_json}]</TOOLCALL>", as_json, f"```json\n{as_json}\n```",
        _nested(value),
        f'<|tool_call_start|>[read(path={json.dumps(value)})]<|tool_call_end|>',
        f"<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>{value}</arg_value>\n</tool_call>",
        f'<function name="read"><param name="path"><![CDATA[{value}]]></param></function>',
        f'<|tool_call>call:read{{path:<|"|>{value}<|"|>}}<tool_call|>',
    ):  # fmt: skip
        for step in (1, 5, len(text)):
            assert parsed(text, range(step, len(text), step))[:2] == ("", [("read", {"path": value})]), text


@pytest.mark.parametrize(
    ("text", "content", "calls"),
    [
        ("<function=read>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>", "", [A]),
        ("I read.\n\n<function=read><parameter=path>a</parameter></function></tool_call>", "I read.\n\n", [A]),
        (f"{CALL}\n</tool_call>", "", [A]),
        ('[read(path="a")]<|tool_call_end|>', "", [A]),
        ("read<arg_key>path</arg_key><arg_value>a</arg_value></tool_call>", "", [A]),
        ('read[ARGS]{"path": "a"}', "", [A]),
        ('call:read{path:<|"|>a<|"|>}<tool_call|>', "", [A]),
        ("functions.read\n{}", "", [("read", {})]),
        ("read [ARGS", "read [ARGS", []),
        (f"<function_invocation>\n{_nested('a')}\n</function_invocation>", "", [A]),
        ('<function_calls>\n<invoke name="read">\n<parameter name="path">a</parameter></invoke></function_calls>', "",
         [A]),
        ('<tool_call>{"name": "read", "arguments": "{\\"path\\": \\"a\\"}"}</tool_call>', "", [A]),
        ('<tool_call>{"name": "now", "arguments": ""}</tool_call>', "", [("now", {})]),
        ('<tool_call>{"name": "now", "arguments": null}</tool_call>', "", [("now", {})]),
        ('<tool_call>{"name": "read", "arguments": ["a", 2]}</tool_call>', "", [("read", {"path": "a", "n": 2})]),
        ('<tool_call>{"name": "read", "arguments": [{"path": "a"}]}</tool_call>', "", [A]),
        ('<tool_call>{"arguments": {"path": "a"}, "name": "read"}</tool_call>', "", [A]),
        ('<tool_call>{"function": {"name": "read", "arguments": {"path": "a"}}}</tool_call>', "", [A]),
        ('<tool_call>{"name": "functions.read", "arguments": {"path": "a"}}</tool_call>', "", [A]),
        ('<tool_call>{"name": "read", "arguments": {"path": "a\nb"}}</tool_call>', "", [("read", {"path": "a\nb"})]),
        ("<tool_call>{'name': 'read', 'arguments': {'path': 'a', 'all': True,}}</tool_call>", "",
         [("read", {"path": "a", "all": True})]),
        (f"<tool_call>{CALL}}}</tool_call>", "", [A]),
        (f"<tool_call>{CALL}\n{CALL}</tool_call>", "", [A, A]),
        (f"<tool_call>[{CALL}, {CALL}]</tool_call>", "", [A, A]),
        (f'[{CALL}, {{"name": "other"}}]', f'[{CALL}, {{"name": "other"}}]', []),
        (f"<tool_call>\n```json\n{CALL}\n```\n</tool_call>", "", [A]),
        (f"See:\n```json\n{CALL}\n```\n", "See:\n", [A]),
        (f"```json\n{CALL}\n```\n```json\n{CALL}\n```", "", [A, A]),
        (f"Use this:\n```json\n{CALL}\n```\nin your code.", f"Use this:\n```json\n{CALL}\n```\nin your code.", []),
        (f"One. <tool_call>{CALL}</tool_call> Two.\n<tool_call>{CALL}</tool_call>\n", "One.  Two.\n", [A, A]),
        (f"<tool_call>{CALL}</tool", "", [A]),
        ("<function=read>\n<parameter=path>\na\n</parameter>\n", "", [A]),
        ('read\n{"path": "a"}>>>now\n{}', "", [A, ("now", {})]),
        ('<tool_call>{"name": "read", "arguments": {"path": "a',
         '<tool_call>{"name": "read", "arguments": {"path": "a', []),
        ('<tool_call>{"name": "other", "arguments": {}}</tool_call>',
         '<tool_call>{"name": "other", "arguments": {}}</tool_call>', []),
        (f"no: <tool_call>oh</tool_call> yes: <tool_call>{CALL}</tool_call>", "no: <tool_call>oh</tool_call> yes: ",
         [A]),
        ('<tool_call>{"name": "read", "arguments": 3}</tool_call>',
         '<tool_call>{"name": "read", "arguments": 3}</tool_call>', []),
        ("The <tool_call> tag begins a call.", "The <tool_call> tag begins a call.", []),
        (">>> print(1)\n1\n>>> read", ">>> print(1)\n1\n>>> read", []),
        ('{"a": 1} is an object.', '{"a": 1} is an object.', []),
        ("read\nthe book", "read\nthe book", []),
        ("[read](link)", "[read](link)", []),
        ("Action: none", "Action: none", []),
        ("<tool_call>now\n</tool_call>", "", [("now", {})]),
        ("[now(), read('a', n=2)]", "", [("now", {}), ("read", {"path": "a", "n": 2})]),
        ("[read(path='it's \"a\"', n=1)]", "", [("read", {"path": "it's \"a\"", "n": 1})]),
        ('<|tool_call_start|>[read(path="""a\nb""")]<|tool_call_end|>', "", [("read", {"path": "a\nb"})]),
        ('<|tool_call>call:read{n:1,all:true,more:{x:[1,<|"|>b<|"|>]},path:<|"|>a<|"|>}<tool_call|>', "",
         [("read", {"n": 1, "all": True, "more": {"x": [1, "b"]}, "path": "a"})]),
        ('[TOOL_CALLS]read[ARGS]{"path": "a"}[TOOL_CALLS]now{} Done.', " Done.", [A, ("now", {})]),
        # brackets and ends that are missing, numbers that JSON has not
        ('<tool_call>{"name": "read", "arguments": {"path": "a"}</tool_call>', "", [A]),
        ('<tool_call>\n{"name": "read", "arguments": {"more": {"b": [1, 2]}\n</tool_call>\nSo.', "\nSo.",
         [("read", {"more": {"b": [1, 2]}})]),
        ('<tool_call>[{"name": "now", "arguments": {}}, {"name": "read", "arguments": {"path": "a"}}</tool_call>', "",
         [("now", {}), A]),
        ('<tool_call>{"name": "read", "arguments": {"path": "a"</tool_call>',
         '<tool_call>{"name": "read", "arguments": {"path": "a"</tool_call>', []),
        ('<tool_call>{"name": "read", "arguments": {"n": 1e999}}</tool_call>',
         '<tool_call>{"name": "read", "arguments": {"n": 1e999}}</tool_call>', []),
        ("<function=read><parameter=path>a</function>", "", [A]),
        ("<function=read>\n<parameter=path>\na\n<parameter=n>\n3\n</parameter>\n</function>", "",
         [("read", {"path": "a", "n": 3})]),
        ("<tool_call>\n<function=read>\n<parameter=path>\na\n</function>\n</tool_call>\n"
         "<tool_call>\n<function=read>\n<parameter=path>\nb\n</parameter>\n</function>\n</tool_call>", "",
         [A, ("read", {"path": "b"})]),
        ('<function="read">\n<parameter="path">\na\n</parameter>\n</function>', "", [A]),
        # what models write around names and calls
        ('<|python_tag|>read.call(path="a")', "", [A]), ('[default_api.read(path="a"), now()]', "", [A, ("now", {})]),
        ('```tool_code\nprint(read(path="a"))\n```', "", [A]), ('```tool_code\nread(path="a")\n```', "", [A]),
        ('```tool_code\nprint(default_api.read(path="a"))\n```', "", [A]),
        ('```tool_code\nprint("hi")\n```', '```tool_code\nprint("hi")\n```', []),
        ('```\nread(path="a")\n```', '```\nread(path="a")\n```', []),
        ('{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "read", "arguments": '
         '"{\\"path\\": \\"a\\"}"}}]}', "", [A]),
        ('{"tool_calls": []}', '{"tool_calls": []}', []),
    ],
)  # fmt: skip
def test_calls_as_models_bend_them(text: str, content: str, calls: list[Any]) -> None:
    for step in (1, 2, 5, len(text)):
        assert parsed(text, range(step, len(text), step))[:2] == (content, calls)


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("n", "2", 2), ("n", "2.0", 2), ("n", "2026-01-15", "2026-01-15"), ("n", "007", "007"), ("path", "2", "2"),
        ("path", '"a"', '"a"'), ("all", "True", True), ("all", "false", False), ("all", "maybe", "maybe"),
        ("more", "{'a': 1, 'b': None}", {"a": 1, "b": None}), ("more", '{"a": [true]}', {"a": [True]}),
        ("part", "null", None), ("part", "None", None), ("part", "1.5", 1.5), ("mode", "1", "1"),
        ("unknown", "[1]", [1]), ("unknown", "no", "no"), ("unknown", "nan", "nan"), ("path", " a\n", " a\n"),
    ],
)  # fmt: skip
def test_texts_have_the_types_of_their_schemas(key: str, text: str, value: Any) -> None:
    got = KnownTools(TOOLS).typed("read", key, text)
    assert (got, type(got)) == (value, type(value))
    tagged = f"<function=read>\n<parameter={key}>\n{text}\n</parameter>\n</function>"
    assert parsed(tagged)[1] == [("read", {key: value})]


def test_any_chunks_give_what_the_whole_text_gives(seed: int) -> None:
    """Also where calls are cut, doubled, or stand within other text: and text without calls is unchanged."""
    drawn = random.Random(seed)
    pieces = [*FAMILIES.values(), *table.MARKS, *table.FENCES, *OTHERS, CALL, _nested("x"), "read", "</param>"]
    n_calls = 0
    for _ in range(400):
        text = ""
        for _ in range(drawn.randint(1, 5)):
            piece = drawn.choice(pieces)
            text += piece if drawn.random() < 0.7 else piece[: drawn.randint(0, len(piece))]
        content, calls, _ = whole = parsed(text)
        n_calls += len(calls)
        assert calls or content == text
        for _ in range(3):
            cuts = sorted(drawn.randint(0, len(text)) for _ in range(drawn.randint(1, 12)))
            assert parsed(text, cuts)[:2] == whole[:2], (text, cuts)
        assert parsed(text, range(1, len(text)))[:2] == whole[:2], text
    assert n_calls > 200


def test_calls_come_when_they_are_complete() -> None:
    early = [text for text in FAMILIES.values() if any(text.rstrip().endswith(end) for end in table.ENDS)]
    assert len(early) > 15
    for text in early:
        if "<|tool_call|>" not in text:
            assert parsed(f"{text} Done.", range(1, len(text) + 6))[2] == 1, text


def test_marks_that_end_nothing_cost_no_quadratic_time() -> None:
    parser = ToolCallParser(TOOLS, is_call=False)
    parser.add('<tool_call>{"name": "read", "arguments": {"path": "')
    for _ in range(3000):
        assert parser.add("</tool_call> x ") == ""
    parser.add('"}}</tool_call>')
    assert parser.rest()[0] == ""
    assert len(parser.rest()[1]) + 1 == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "b"} ', {"a": "b"}), ("{'a': 'b'} ", {"a": "b"}),
        ("[1, -2.5e3, .5, 1_000,] ", [1, -2500.0, 0.5, 1000]),
        ("(1, 'a') ", [1, "a"]), ('{a: <|"|>"x"<|"|>, "b": None} ', {"a": '"x"', "b": None}),
        ("{'a': 'it's', 'b': \"say \"x\"\"} ", {"a": "it's", "b": 'say "x"'}),
        ("['\\u00fc\\n\\x41\\q'] ", ["\u00fc\nA\\q"]),
        ("['\\ud83c\\udf89'] ", ["\U0001f389"]),
    ],
)  # fmt: skip
def test_literals(text: str, value: Any) -> None:
    assert value_at(text, 0) == (value, len(text) - 1)
    for n in range(1, len(text) - 1):
        with pytest.raises(IncompleteError):
            value_at(text[:n], 0)


@pytest.mark.parametrize("text", ["{a b} ", "{1: 2} ", "[1 2] ", "nan ", "[NaN] ", "[" * 200 + " ", "<|x "])
def test_what_is_no_literal(text: str) -> None:
    with pytest.raises(InvalidError):
        value_at(text, 0)


def test_deeply_nested_arguments_are_no_call() -> None:
    for depth in (200, 900, 5000):
        text = f'<tool_call>{{"name": "read", "arguments": {{"more": {"[" * depth}{"]" * depth}}}}}</tool_call>'
        content, calls, _ = parsed(text, range(100, len(text), 100))
        assert (content == text) != bool(calls)


def test_half_characters_are_escaped() -> None:
    (call,) = [KnownTools(TOOLS).call("read", {"path": "\ud83c"})]
    assert call is not None
    assert call["function"]["arguments"] == '{"path": "\\ud83c"}'


def test_every_architecture_of_the_documentation_has_its_formats() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/llm.md").read_text(encoding="utf-8")
    tables = text.split("\n| architecture")
    first, second = (
        {name.strip() for row in table.partition("\n\n")[0].splitlines()[2:] for name in row.split("|")[1].split(",")}
        for table in (tables[1], tables[3])
    )
    encoders = {name for name in first if "bert" in name or "embed" in name}
    assert len(second) > 40
    assert first - encoders - second == set()
