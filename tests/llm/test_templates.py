# SPDX-License-Identifier: MIT
"""Chat templates: rendered as transformers renders them, and in a sandbox."""

from __future__ import annotations

import pytest

from pyhexagon.errors import ArgumentError
from pyhexagon.llm.chat.templates import ChatTemplate

CHATML = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou help.<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
HELLO = [{"role": "user", "content": "Hello"}]


def test_chatml() -> None:
    assert ChatTemplate(CHATML).render(HELLO) == (
        "<|im_start|>system\nYou help.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n"
    )
    system = [{"role": "system", "content": "Be brief."}, *HELLO]
    assert ChatTemplate(CHATML).render(system, add_generation_prompt=False) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
    )


def test_the_last_message_is_continued() -> None:
    for text in ("The", " The cat ", "e", "|>", "<|im_end|>", "a\n\n"):
        opened = ChatTemplate(CHATML).render_open([*HELLO, {"role": "assistant", "content": text}])
        assert opened == ChatTemplate(CHATML).render(HELLO) + text
    trimming = CHATML.replace("message['content']", "message['content'] | trim")
    opened = ChatTemplate(trimming).render_open([*HELLO, {"role": "assistant", "content": " The "}])
    assert opened == ChatTemplate(CHATML).render(HELLO) + "The "
    thought = "'<think>\n' + message.reasoning_content + '\n</think>\n' + message['content']"
    reasoning = CHATML.replace("message['content']", thought)
    opened = ChatTemplate(reasoning).render_open([{"role": "assistant", "content": "The", "reasoning_content": "Hm"}])
    assert opened.endswith("<|im_start|>assistant\n<think>\nHm\n</think>\nThe")


@pytest.mark.parametrize(
    ("last", "source", "told"),
    [
        (HELLO[0], CHATML, "only a last message of the assistant"),
        ({"role": "assistant", "content": " "}, CHATML, "only a last message of the assistant"),
        ({"role": "assistant", "content": "a", "tool_calls": [{}]}, CHATML, "without tool calls"),
        ({"role": "assistant", "content": "<think>a"}, CHATML, "expected reasoning_content"),
        ({"role": "assistant", "content": "<\ufdd0think>a"}, CHATML, "expected reasoning_content"),
        ({"role": "assistant", "content": "a\ufdd1"}, CHATML, "it changes the text"),
        ({"role": "assistant", "content": "a"}, "{{ messages[0].role }}", "it changes the text"),
        ({"role": "assistant", "content": "a"}, "{{ messages[-1].content | upper }}", "it changes the text"),
        ({"role": "assistant", "content": "a"}, "{{ messages[-1].content * 2 }}", "it changes the text"),
        ({"role": "assistant", "content": "a"}, "<think>\n{{ messages[-1].content }}", "it changes the text"),
    ],
)
def test_what_cannot_be_continued_is_told(last: dict[str, object], source: str, told: str) -> None:
    with pytest.raises(ArgumentError, match=told):
        ChatTemplate(source).render_open([*HELLO, last])


def test_blocks_leave_no_lines_and_names_are_known() -> None:
    source = "{{ bos_token }}\n{%- for m in messages %}\n  {% if 1 %}\n{{ m.content }}\n  {% endif %}\n{% endfor %}\n"
    assert ChatTemplate(source, bos_token="<s>").render(HELLO) == "<s>Hello\n"


def test_what_transformers_adds() -> None:
    source = "{{ tools | tojson }}{% for x in [1, 2, 3] %}{% if x == 2 %}{% break %}{% endif %}{{ x }}{% endfor %}"
    assert ChatTemplate(source).render(HELLO, tools=[{"name": "é<"}]) == '[{"name": "é<"}]1'
    assert len(ChatTemplate("{{ strftime_now('%Y-%m-%d') }}").render(HELLO)) == len("2026-11-22")
    assert ChatTemplate("{{ enable_thinking }}").render(HELLO, enable_thinking=False) == "False"


def test_generation_tags_are_rendered_as_their_content() -> None:
    source = (
        "{%- for m in messages %}\n<{{ m.role }}>\n{% generation %}\n{{- m.content }}\n{%- endgeneration -%}\n"
        "</{{ m.role }}>{% endfor %}{% generation %}{% set inner = 1 %}{% endgeneration %}{{ inner is defined }}"
    )
    assert ChatTemplate(source).render(HELLO) == "<user>\nHello</user>False"  # as transformers 5.23 renders it


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", '{"b": ["é<", 1], "a": null}'),
        ("ensure_ascii=True", r'{"b": ["\u00e9<", 1], "a": null}'),
        ("true", r'{"b": ["\u00e9<", 1], "a": null}'),
        ("sort_keys=True", '{"a": null, "b": ["é<", 1]}'),
        ("separators=(',', ':')", '{"b":["é<",1],"a":null}'),
        ("indent=1, ensure_ascii=False", '{\n "b": [\n  "é<",\n  1\n ],\n "a": null\n}'),
    ],
)
def test_tojson_takes_the_arguments_that_transformers_gives_it(arguments: str, text: str) -> None:
    value = {"b": ["é<", 1], "a": None}
    assert ChatTemplate(f"{{{{ value | tojson({arguments}) }}}}").render(HELLO, value=value) == text


def test_a_template_may_refuse() -> None:
    with pytest.raises(ArgumentError, match="does not take these messages: roles must take turns"):
        ChatTemplate("{{ raise_exception('roles must take turns') }}").render(HELLO)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update({'role': 'x'}) }}",
        "{{ range(10 ** 9) | list }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ 1 // 0 }}",
        "{{ undefined.attribute }}",
        "{% include '/etc/passwd' %}",
        "{{ 'a' * '' }}",
        "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}",
        "{{ " + "(" * 10000 + "1" + ")" * 10000 + " }}",
    ],
)
def test_hostile_templates_stay_in_the_sandbox(source: str) -> None:
    with pytest.raises(ArgumentError, match="the chat template"):
        ChatTemplate(source).render(HELLO)


def test_the_text_of_an_error_is_cut() -> None:
    with pytest.raises(ArgumentError) as error:
        ChatTemplate("{{ raise_exception('no' * 5000000) }}").render(HELLO)
    assert 2000 < len(str(error.value)) < 2200
    assert str(error.value).endswith("nono ...")


@pytest.mark.long
@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ 9 ** (9 ** 9) }}",  # before it runs: a compiler finds out what constants are
    ],
)
def test_a_template_that_would_not_end_is_ended(source: str) -> None:
    with pytest.raises(ArgumentError, match="the chat template does not end well: it takes more than 5 seconds of CPU"):
        ChatTemplate(source).render(HELLO)


def test_a_template_gets_so_much_memory() -> None:
    twice = "{% set a = namespace(a='a') %}{% for n in range(99) %}{% set a.a = a.a ~ a.a %}{% endfor %}"
    with pytest.raises(ArgumentError, match="it takes more than 512 MiB"):
        ChatTemplate(twice).render(HELLO)


def test_what_is_no_template_or_message() -> None:
    with pytest.raises(ArgumentError, match="the chat template does not take these messages: Expected an expression"):
        ChatTemplate("{% for %}").render(HELLO)
    with pytest.raises(ArgumentError, match="names a chat template, 'mistral-v3-tekken', and does not contain it"):
        ChatTemplate("mistral-v3-tekken").render(HELLO)
    with pytest.raises(ArgumentError, match="the chat template's variables are no JSON: JSON has nothing like"):
        ChatTemplate(CHATML).render(HELLO, when=object())
    with pytest.raises(ArgumentError, match="a message is 'Hello'"):
        ChatTemplate(CHATML).render(["Hello"])  # type: ignore[list-item]


def test_unknown_roles_are_told() -> None:
    template = ChatTemplate("{% for message in messages %}{{ message.role }}.{% endfor %}")
    assert template.render([{"role": role, "content": ""} for role in ("developer", "tool")]) == "developer.tool."
    wanted = "role of a message is 'frog': expected system, developer, user, assistant, tool"
    with pytest.raises(ArgumentError, match=wanted):
        template.render([*HELLO, {"role": "frog", "content": "Quak"}])
